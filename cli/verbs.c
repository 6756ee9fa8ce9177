/* verbs.c - the table of verbs */
#include "cli/cmd.h"
#include "cli/optdef.h"

#include <string.h>

const struct cmd cmds[] = {
	{ "run", FOR_RUN, "[run] [+PROFILE..] [OPTION..] -- COMMAND", "run it confined (the default verb)", true, cmd_run },
	{ "runs", FOR_RUNS, "runs [list | rm RUN.. | path [RUN]]", "stored recordings", false, cmd_runs },
	{ 0 },
};

const struct cmd *cmd_find(const char *name)
{
	for (const struct cmd *c = cmds; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

const struct opt_later verbs_later[] = {
	{ "check", NULL }, { "exec", NULL }, { "grant", NULL }, { "revoke", NULL }, { "ls", NULL },
	{ "inspect", NULL }, { "kill", NULL }, { "snapshot", NULL }, { "rootfs", NULL }, { "review", NULL },
	{ 0 },
};
