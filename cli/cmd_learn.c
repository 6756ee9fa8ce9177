/* cmd_learn.c - snug learn: recordings in, suggested profile out */
#include "cli/cmd.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/tell.h"
#include "cli/update.h"

#include "base/esc.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int cmd_learn(struct cli_opts *o, struct err *e)
{
	OWN(load) l = { 0 };
	OWN(str) yaml = { 0 };
	const char *out = o->out ? o->out : "-";
	if (!o->nargs) {
		fprintf(stderr, "snug: learn needs recordings: snug learn RUN.. [-o FILE]\n");
		return EXIT_USAGE;
	}
	int r = output_check("--output", out, o->force, e);
	if (r == 0)
		r = load_runs(&l, o, o->args, o->nargs, e);
	if (r == 0)
		r = update_prepare(o, e);
	if (r != 0)
		return r;
	const char *program = l.recs[0]->nargv ? l.recs[0]->argv[0] : "learnt";
	const char *name = tell_name(&l.arena, o->out && strcmp(out, "-") ? out : NULL, program);
	r = name ? load_lesson(&l, o, name, e) : err_set(e, ENOMEM, "out of memory");
	if (r < 0)
		return r;
	profile_write(&yaml, &l.lesson.suggestion);
	if (yaml.oom)
		return err_set(e, ENOMEM, "out of memory");
	OWN(str) notes = { 0 };
	for (size_t i = 0; i < l.lesson.nincomplete; i++) {
		str_add(&notes, "snug: incomplete: ");
		esc_term(&notes, l.lesson.incomplete[i]);
		str_add_char(&notes, '\n');
	}
	if (!o->quiet)
		fputs(str_c(&notes), stderr);
	if (o->update) {
		r = update_file(&l.setup.finder, o->update, &l.lesson.suggestion, 1, e);
		if (r == 0 && !o->quiet)
			fprintf(stderr, "snug: nothing to add\n");
		if (r < 0 || !o->out)
			return r < 0 ? r : 0;
	}
	if (!l.lesson.suggests && !o->quiet)
		fprintf(stderr, "snug: nothing is missing: the profile grants nothing\n");
	return output_write(out, o->force, 0666, str_c(&yaml), yaml.len, e);
}
