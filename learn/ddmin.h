/* ddmin.h - the fewest members of a set with which something still goes well, by halving; pure but for the test */
#pragma once

#include "base/base.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * struct ddmin - what is asked, and how far it got
 * @test:   does it go well with those of the @n members for which @keep is true? 1 yes, 0 no, negative: stop
 * @budget: tests that may be made
 * @used:   tests that were made
 * @done:   no single member can be left out; else the budget was used up
 */
struct ddmin {
	int (*test)(void *arg, const bool *keep);
	void *arg;
	unsigned budget, used;
	bool done;
};

/**
 * ddmin() - reduce @keep, which is all true and goes well, and stays the best that was found
 * Return: 0; a negative value of @test; -ENOMEM.
 */
int ddmin(struct ddmin *d, bool *keep, size_t n) MUST;
