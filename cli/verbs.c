/* verbs.c - the table of verbs */
#include "cli/cmd.h"
#include "cli/optdef.h"

#include <string.h>

const struct cmd cmds[] = {
	{ "run", "[run] [+PROFILE..] [OPTION..] -- COMMAND", "run it confined (the default verb)", cmd_run, FOR_RUN, true },
	{ "audit", "audit [+PROFILE..] [OPTION..] -- COMMAND",
	  "what does it need beyond these profiles?", cmd_audit, FOR_AUDIT, true },
	{ "trace", "trace -o FILE [OPTION..] -- COMMAND", "record only", cmd_trace, FOR_TRACE, true },
	{ "learn", "learn [+PROFILE..] RUN.. [-o FILE | --update=FILE]",
	  "recordings in, suggested profile out", cmd_learn, FOR_LEARN, false },
	{ "report", "report [+PROFILE..] [--format=text|json] [RUN..]",
	  "findings of stored recordings", cmd_report, FOR_REPORT, false },
	{ "why", "why [+PROFILE..] PATH|HOST|VARIABLE [RUN]",
	  "which process needed it, and what grants it", cmd_why, FOR_WHY, false },
	{ "explain", "explain [+PROFILE..] [OPTION..] [-- COMMAND]",
	  "the resolved policy, every line with where it came from", cmd_explain, FOR_EXPLAIN, false },
	{ "profile", "profile [list | show NAME.. | validate NAME|FILE.. | schema | diff A B]",
	  "work with profiles", cmd_profile, FOR_PROFILE, false },
	{ "trust", "trust [DIR]", "allow a checkout's own profiles to be applied", cmd_trust, FOR_TRUST, false },
	{ "runs", "runs [list | rm RUN.. | path [RUN]]", "stored recordings", cmd_runs, FOR_RUNS, false },
	{ "check", "check [--json]", "can this host audit and run? and what to do where it cannot", cmd_check, FOR_CHECK, false },
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
	{ "exec", NULL }, { "grant", NULL }, { "revoke", NULL }, { "ls", NULL },
	{ "inspect", NULL }, { "kill", NULL }, { "snapshot", NULL }, { "rootfs", NULL }, { "review", NULL },
	{ 0 },
};
