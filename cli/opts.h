/* opts.h - the command line as values: one table of options for parsing, --help and completion */
#pragma once

#include "base/err.h"
#include "profiles/profile.h"

/**
 * struct cli_opts - what was typed
 * @verb:     row of the verb table
 * @profiles: +name and --profile in order
 * @grants:   inline grants as a profile: --allow-read is a ro bind, bare --allow-write a rw bind of "/",
 *            --allow-net=H allow_hosts with mode proxy, bare --allow-net the host "*:*", bare --allow-env the variable "*",
 *            every line with src { "--allow-read", inlined, overrides }
 * @args:     words that are no options, before "--" (RUN.., PATH, sub-verbs)
 * @again:    the options that say what is granted, each as one word, for the command line to paste next
 * @stored:   the same without secrets, for what is written down
 * @cmd:      words after "--", NULL-terminated; NULL without "--"
 */
struct cli_opts {
	struct arena arena;
	const struct cmd *verb;
	struct wordlist profiles, again, stored;
	struct profile grants;
	bool no_base, override;
	const char *cwd, *project;
	char **args;
	size_t nargs;
	char **cmd;
	size_t ncmd;
	/* audit, trace, learn, report */
	bool network_only, show_granted, no_keep, force, quiet, json, check, check_all, verify, minimise, shadow, apply;
	uint64_t verify_limit; /* bytes; 0 the default */
	const char *out, *update, *record, *report, *format, *backend, *network_trace, *keep_shadow;
	int timeout_s; /* 0 none */
	int verbose;
	/* run */
	bool denials, best_effort, project_anyway;
	int *keep_fd;
	size_t nkeep_fd;
	char **envp; /* main's, borrowed */
	char *area;  /* where the kernel put our arguments: what ps shows */
	size_t area_len;
};
void cli_opts_drop(struct cli_opts *o);

/* Return: 0; -EINVAL with usage trouble in @e (exit 2); 1 when --help or --version was printed. */
int opts_parse(struct cli_opts *o, int argc, char **argv, char **envp, struct err *e) MUST;
