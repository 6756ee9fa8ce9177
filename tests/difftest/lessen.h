/* lessen.h - makes a round that shows a mismatch as small as it gets while it still shows it */
#pragma once

#include "tests/difftest/gen.h"

/* Does @r, which may be nonsense by now, still show it? */
typedef bool (*shows_fn)(void *arg, const struct round *r);

/**
 * round_lessen() - leave out accesses, lines of the profile and objects of the tree, in this order
 *
 * Halves first, single ones at the end. Whatever is left is needed: without any one of it @shows says no.
 */
void round_lessen(struct round *r, shows_fn shows, void *arg);
