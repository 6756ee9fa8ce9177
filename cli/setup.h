/* setup.h - what run, audit and explain share: host facts, profiles found and composed, policy resolved */
#pragma once

#include "cli/opts.h"
#include "profiles/find.h"
#include "profiles/policy.h"

/* In this order: host probed, profiles composed, their paths looked up, policy resolved. */
struct setup {
	struct host host;
	struct finder finder;
	struct profile profile; /* composed */
	struct policy policy;
};
void setup_drop(struct setup *s);

/* The first two steps alone, with the lines that snug adds to protect itself. */
int setup_compose(struct setup *s, const struct cli_opts *o, enum find_purpose purpose, struct err *e) MUST;

/* @strict and FIND_APPLY for run. Return: 0 or -errno with @e. */
int setup_make(struct setup *s, const struct cli_opts *o, enum find_purpose purpose, bool strict, struct err *e) MUST;

/* What the profiles' readers and their composition found worth saying, on stderr. */
void setup_warn(const struct setup *s);

/*
 * For a stored recording: profiles are found here and now, but what they mean is decided by the facts of the host
 * that @recorded describes, so that the answer is the same on another machine.
 */
int setup_recorded(struct setup *s, const struct cli_opts *o, const struct host *recorded, struct err *e) MUST;

/*
 * Look up what the built-in profiles name, so that a recording can be judged under each of them later, on any
 * machine. What one of them cannot say on this host (a placeholder without value) is left out.
 */
int setup_facts(struct setup *s, struct err *e) MUST;

/* Would run refuse the project of @h, since it is / or holds home? -EPERM with the remedy in @e. */
int setup_refused(const struct cli_opts *o, const struct host *h, struct err *e) MUST;
