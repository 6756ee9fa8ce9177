/* verbs.c - the table of verbs */
#include "cli/cmd.h"
#include "cli/optdef.h"

#include <string.h>

const struct cmd cmds[] = {
	{ "run", FOR_RUN, "[run] [+PROFILE..] [OPTION..] -- COMMAND", "run it confined (the default verb)", true, cmd_run },
	{ "explain", FOR_EXPLAIN, "explain [+PROFILE..] [OPTION..] [-- COMMAND]",
	  "the resolved policy, every line with where it came from", false, cmd_explain },
	{ "profile", FOR_PROFILE, "profile [list | show NAME.. | validate NAME|FILE.. | schema | diff A B]",
	  "work with profiles", false, cmd_profile },
	{ "trust", FOR_TRUST, "trust [DIR]", "allow a checkout's own profiles to be applied", false, cmd_trust },
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
