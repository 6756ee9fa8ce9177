/* optdef.h - the table of options: what parsing, --help, completion and the man page's test read */
#pragma once

#include "cli/opts.h"

enum {
	FOR_RUN = 1 << 0,
	FOR_AUDIT = 1 << 1,
	FOR_TRACE = 1 << 2,
	FOR_LEARN = 1 << 3,
	FOR_REPORT = 1 << 4,
	FOR_WHY = 1 << 5,
	FOR_EXPLAIN = 1 << 6,
	FOR_PROFILE = 1 << 7,
	FOR_TRUST = 1 << 8,
	FOR_RUNS = 1 << 9,
	FOR_CHECK = 1 << 10,
	FOR_ALL = (1 << 11) - 1,
	FOR_JUDGING = FOR_AUDIT | FOR_LEARN | FOR_REPORT | FOR_WHY,
	FOR_POLICY = FOR_RUN | FOR_EXPLAIN | FOR_JUDGING,
};

enum opt_arg { ARG_NONE, ARG_NEEDED, ARG_MAYBE };

/**
 * struct optdef - one option
 * @name:   without dashes; @alias: a second long name, or NULL; @letter: short form, 0 none
 * @value:  what the argument is called in help; @words: the only values it may have, "a|b", or NULL
 * @verbs:  FOR_* bits of the verbs that take it
 * @common: stands in --help, which shows 15 at most; the others are in --help-all
 * @off:    of the field in struct cli_opts that @set stores to
 * @set:    stores the value; NULL text where ARG_MAYBE came without. -EINVAL with @e
 */
struct optdef {
	const char *name, *alias;
	char letter;
	enum opt_arg arg;
	const char *value, *words;
	unsigned verbs;
	bool common;
	const char *help;
	size_t off;
	int (*set)(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e);
};

/* Ends with a NULL name. */
extern const struct optdef optdefs[];

/**
 * struct opt_later - an option or verb that this version refuses, and why
 * @name: "--verify", "-A", "exec"
 */
struct opt_later {
	const char *name, *why;
};
extern const struct opt_later opts_later[], verbs_later[];

/* The row of long name @name (@len bytes), or NULL. */
const struct optdef *optdef_find(const char *name, size_t len);
/* The row of @letter among those of @verbs, or any row with that letter, or NULL. */
const struct optdef *optdef_letter(char letter, unsigned verbs);

/* The known word nearest to @word by edit distance, or NULL where none is near; @words ends with NULL. */
const char *nearest_word(const char *word, const char *const *words);

/* Setters of the grant options, in grants.c; each appends lines to cli_opts.grants. */
int grant_read(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e);
int grant_write(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e);
int grant_deny_read(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e);
int grant_deny_write(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e);
int grant_net(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e);
int grant_deny_net(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e);
int grant_env(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e);
int grant_deny_env(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e);
int grant_env_set(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e);
int grant_network(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e);
/* After the last option: contradictions, and --override's mark on every line. */
int grants_finish(struct cli_opts *o, struct err *e) MUST;

/**
 * opts_apply() - take profile and grant words (cli_opts.again of an earlier command line) into @o
 *
 * Return: 0; -EINVAL with @e.
 */
int opts_apply(struct cli_opts *o, const char *const *words, size_t n, struct err *e) MUST;

/* Text of --help (@all: --help-all) for @verb, NULL: snug itself. */
struct str;
void help_text(struct str *out, const struct cmd *verb, bool all);
/* The bash completion script, from the tables. */
void completion_bash(struct str *out);
