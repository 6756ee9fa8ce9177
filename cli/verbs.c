/* verbs.c - the table of verbs */
#include "cli/cmd.h"
#include "cli/optdef.h"

#include <string.h>

const struct cmd cmds[] = {
	{ "run", FOR_RUN, "[run] [+PROFILE..] [OPTION..] -- COMMAND", "run it confined (the default verb)", true, cmd_run },
	{ "audit", FOR_AUDIT, "audit [+PROFILE..] [OPTION..] -- COMMAND",
	  "what does it need beyond these profiles?", true, cmd_audit },
	{ "trace", FOR_TRACE, "trace -o FILE [OPTION..] -- COMMAND", "record only", true, cmd_trace },
	{ "learn", FOR_LEARN, "learn [+PROFILE..] RUN.. [-o FILE | --update=FILE]",
	  "recordings in, suggested profile out", false, cmd_learn },
	{ "report", FOR_REPORT, "report [+PROFILE..] [--format=text|json] [RUN..]",
	  "findings of stored recordings", false, cmd_report },
	{ "why", FOR_WHY, "why [+PROFILE..] PATH|HOST|VARIABLE [RUN]",
	  "which process needed it, and what grants it", false, cmd_why },
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
