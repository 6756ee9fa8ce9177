/* cmd.h - the verbs, and the exit codes of snug(1) */
#pragma once

#include "base/base.h"

#include <stdbool.h>

struct cli_opts;
struct err;

enum {
	EXIT_USAGE = 2,      /* bad command line, before any command ran; check: host does not qualify */
	EXIT_FINDINGS = 3,   /* audit --check */
	EXIT_INCOMPLETE = 4, /* audit --check */
	EXIT_TIMED_OUT = 124,
	EXIT_SNUG = 125,     /* snug failed */
	EXIT_NOT_EXEC = 126,
	EXIT_NOT_FOUND = 127,
};

/**
 * struct cmd - one verb
 * @bit:       its FOR_* bit in the option table
 * @synopsis:  what follows "snug "
 * @wants_cmd: takes a command after "--"
 * @run: parsed options in; returns an exit code, or -errno with @e, which main prints as "snug: ..." and turns into 125
 */
struct cmd {
	const char *name, *synopsis, *help;
	int (*run)(struct cli_opts *o, struct err *e);
	unsigned bit;
	bool wants_cmd;
};

/* The verbs, ends with a NULL name; the first is the default. */
extern const struct cmd cmds[];
const struct cmd *cmd_find(const char *name);

int cmd_run(struct cli_opts *o, struct err *e);
int cmd_audit(struct cli_opts *o, struct err *e);
int cmd_trace(struct cli_opts *o, struct err *e);
int cmd_learn(struct cli_opts *o, struct err *e);
int cmd_report(struct cli_opts *o, struct err *e);
int cmd_why(struct cli_opts *o, struct err *e);
int cmd_explain(struct cli_opts *o, struct err *e);
int cmd_profile(struct cli_opts *o, struct err *e);
int cmd_trust(struct cli_opts *o, struct err *e);
int cmd_runs(struct cli_opts *o, struct err *e);
int cmd_check(struct cli_opts *o, struct err *e);
