/* filter_tree.h - the same answers from a filter, found in a few steps; pure */
#pragma once

#include "enforce/filter.h"

/**
 * filter_tree() - replace a list of lines, each about some numbers, by a search tree over the numbers
 *
 * The kernel asks a new filter about every number to find those that are always allowed, and a call whose arguments
 * matter runs it each time: a list of a hundred lines costs more to install than all other restrictions together.
 * What a number leads to is found by running the list, so the tree knows nothing of what the lines mean. A list that does
 * anything but compare the number before it looks at arguments is left as it is.
 * Return: 0, -ENOMEM.
 */
int filter_tree(struct filter *f) MUST;
