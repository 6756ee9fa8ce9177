/* cmd_trace.c - snug trace: record only */
#include "cli/cmd.h"
#include "cli/output.h"
#include "cli/record.h"
#include "cli/setup.h"

#include <errno.h>
#include <stdlib.h>

int cmd_trace(struct cli_opts *o, struct err *e)
{
	OWN(setup) s = { 0 };
	OWN(record) rec = { 0 };
	char *text = NULL;
	size_t len = 0;
	if (!o->out) {
		fprintf(stderr, "snug: trace needs -o FILE for the recording\n");
		return EXIT_USAGE;
	}
	int r = output_check("--output", o->out, o->force, e);
	if (r == 0)
		r = setup_make(&s, o, FIND_READ, false, e);
	if (r == 0)
		r = setup_facts(&s, e);
	if (r == 0)
		r = record_run(&rec, o, &s.host, e);
	if (r < 0)
		return r;
	if (rec.exec_err)
		return record_no_command(&rec, o);
	int code = rec.rec.status;
	r = record_bytes(&rec.rec, &text, &len, e);
	if (r == 0)
		r = output_write(o->out, o->force, 0600, text, len, e);
	free(text);
	if (r == 0)
		return code;
	record_warn(e);
	return code ? code : EXIT_SNUG;
}
