/* verify.h - --verify: the suggestion proven by running the command confined from the state before the audit */
#pragma once

#include "cli/record.h"
#include "cli/verify_prove.h"

/**
 * struct verify - zero is empty; verify_drop() removes all copies
 * @reason: why it cannot be verified, known before the audit; NULL
 * @more:   what confined runs were denied
 * @masked, @mask: signals that are kept waiting, and the mask before
 */
struct verify {
	struct arena arena;
	struct keeper keep;
	struct spool in;
	const char *dir, *reason;
	uint64_t began_ms;
	struct recording more[TRIES_MAX];
	sigset_t mask;
	bool masked;
};
void verify_drop(struct verify *v);
/* Remove the copies; what verify_end() said stays, and signals still wait. */
void verify_clean(struct verify *v);

/**
 * verify_begin() - keep the state before the audit
 * @dir: of the run, or NULL where none is kept
 *
 * What cannot be kept is no failure: verify_end() says so.
 * Return: 0; -EACCES a checkout's profile that is not trusted; -EINTR with a signal pending; other -errno with @e.
 */
int verify_begin(struct verify *v, struct cli_opts *o, const struct setup *s, const char *dir, const char *store,
                 struct err *e) MUST;

/*
 * After the audit: run it confined and fill @out, whose strings live in @v. Where a confined run is denied what the audit
 * did not tell of, @l becomes another lesson, which borrows from @v.
 */
void verify_end(struct verify *v, struct cli_opts *o, const struct setup *s, struct record *rec, struct lesson *l,
                struct proof *out);
