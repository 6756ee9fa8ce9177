/* uses.h - how often each line of the requested profiles was needed; pure */
#pragma once

#include "learn/lesson.h"

/* Accesses per granting line. */
struct hits {
	struct arena arena;
	struct map by_line; /* "origin:line:col" -> uint64_t */
	const struct src *last;
	uint64_t *count; /* of @last */
};

void hits_drop(struct hits *h);
/* @by granted @count accesses. -ENOMEM. */
int uses_hit(struct hits *h, const struct src *by, uint64_t count);

/**
 * uses_make() - one row per granting line: binds, empty directories, hosts, variables, system calls, PATH directories
 *
 * Lines of base appear only when they were used. Fills lesson.uses. -ENOMEM.
 */
int uses_make(struct lesson *l, struct hits *h, const struct profile *base);
