/* verify_min.h - --minimise: the fewest suggested lines with which the command still does the same */
#pragma once

#include "cli/verify_prove.h"

/* Confined runs that this may take. */
enum { MIN_RUNS = 20 };

/**
 * struct sameness - what the run with the whole suggestion left, where two runs left the same
 * @files:  a hash of the content of each of prover.want, 0 where it differs from run to run
 * @stdout_: of what it printed; @steady: that was the same twice
 */
struct sameness {
	uint64_t *files, printed;
	bool steady;
};

/* Right after a run that went well: what of it is like in the audit. -errno. */
int sameness_take(struct sameness *s, struct prover *p, struct err *e) MUST;

/**
 * prover_minimise() - leave lines out of @p->lesson's suggestion by halving
 * @s: of the run with all of them
 *
 * Each time the command must end the same, leave the same files with the same content, and print the same, where that
 * is the same each time at all. What it is denied does not count: it does without. Fills @out. -errno.
 */
int prover_minimise(struct prover *p, struct sameness *s, struct proof *out, struct err *e) MUST;
