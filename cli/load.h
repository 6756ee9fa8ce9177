/* load.h - stored recordings with the lesson learnt from them, for learn, report and why */
#pragma once

#include "cli/setup.h"
#include "learn/lesson.h"

/**
 * struct load - zero is empty
 * @recs:   @n recordings, in the order of the command line
 * @stored: directory of the first that is in the store, or NULL
 */
struct load {
	struct arena arena;
	struct recording **recs;
	size_t n;
	const char *stored;
	struct setup setup;
	struct lesson lesson;
};
void load_drop(struct load *l);

/* Read @words (none: "last"). Where @o asks for no profile and no grant, it takes what the first stored run asked. */
int load_runs(struct load *l, struct cli_opts *o, char *const *words, size_t n, struct err *e) MUST;

/* Resolve the requested profiles with the first recording's host. */
int load_policy(struct load *l, const struct cli_opts *o, struct err *e) MUST;

/* And learn under them; @name is the suggested profile's. */
int load_lesson(struct load *l, const struct cli_opts *o, const char *name, struct err *e) MUST;
