/* cmd_trust.c - snug trust: allow a checkout's own profiles to be applied */
#include "cli/cmd.h"
#include "cli/opts.h"

#include "enforce/box.h"
#include "profiles/find.h"

#include <errno.h>
#include <stdio.h>

int cmd_trust(struct cli_opts *o, struct err *e)
{
	OWN(host) host = { 0 };
	OWN(finder) finder = { .purpose = FIND_READ };
	if (o->nargs > 1) {
		fprintf(stderr, "snug: usage: snug trust [DIR]\n");
		return EXIT_USAGE;
	}
	int r = host_probe(&host, o->cwd, o->project, o->envp, e);
	if (r)
		return r;
	finder.host = &host;
	r = find_trust(&finder, o->nargs ? o->args[0] : NULL, stdout, e);
	return r < 0 ? r : 0;
}
