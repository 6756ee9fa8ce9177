/* verify_prove.h - what --verify does after the audit: run confined, compare, learn more, run again */
#pragma once

#include "cli/verify_run.h"
#include "learn/lesson.h"
#include "report/view.h"

/* So often is what a confined run was denied added to the suggestion, and tried again. */
enum { TRIES_MAX = 3 };

/**
 * struct prover - zero is empty; all but what prover_drop() frees is borrowed
 * @file:     for the suggestion that is tried
 * @policy, @profile: requested, as the audit was judged
 * @rec:      the audit's recording
 * @lesson:   learnt from it; becomes another where confined runs teach more
 * @more:     what those were denied; must stay as long as the lesson
 * @keep_text: arena for what is told of it
 * @absent, @recorded: see absent_before() and changes_recorded()
 * @minimise: leave out what it does without; @tolerant: to be denied something is no failure
 * @want:     what the audit left behind; @found: number of kept trees when that was found
 */
struct prover {
	struct arena arena;
	struct trial t;
	const char *file;
	const struct policy *policy;
	const struct profile *profile;
	struct recording *rec;
	struct lesson *lesson;
	struct recording *more;
	size_t nmore;
	struct arena *keep_text;
	struct map absent;
	struct changes recorded, want;
	size_t found;
	unsigned runs;
	bool minimise, tolerant;
};
void prover_drop(struct prover *p);

/* One confined run with @add as a further profile (NULL: without). Set-up that fails is a run that went badly. */
int prover_try(struct prover *p, const struct profile *add, struct ran *ran, struct err *e) MUST;

/* All of it. Return: 0, @out filled; -errno: it could not be tried. */
int prover_prove(struct prover *p, struct proof *out, struct err *e) MUST;
