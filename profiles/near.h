/* near.h - the known word that was probably meant; pure */
#pragma once

#include "base/base.h"

#include <stddef.h>

/* Edits (insert, delete, replace, swap of neighbours; case is free) from @a to @b, at most @max + 1. */
unsigned near_distance(const char *a, const char *b, unsigned max);

/**
 * struct near - keeps the nearest of the words shown to it; zero is empty
 * @best: borrowed from the caller of near_try(); NULL while nothing is near
 */
struct near {
	const char *best;
	unsigned distance;
};
void near_try(struct near *n, const char *typed, const char *known);
