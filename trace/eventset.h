/* eventset.h - the set of what was seen: one event for each (process, operation, object, outcome) */
#pragma once

#include "trace/recording.h"

/**
 * struct eventset - zero is empty
 * @arena: strings of all events, each stored once
 * @last:  index + 1 of the event that eventset_add() counted last
 * @limit: events kept at most; what comes later is counted in @lost
 */
struct eventset {
	struct arena *arena;
	struct event *items;
	size_t n, cap, limit, lost, last;
	struct map index, strings;
};

void eventset_drop(struct eventset *s);

/**
 * eventset_add() - count one access
 * @acc: borrowed; copied at first sight
 * Return: 1 when it is new, 0 when it was there, -ENOMEM.
 */
int eventset_add(struct eventset *s, uint32_t proc, const struct access *acc, int outcome,
                 enum outcome_source source, uint64_t ns);

/* The one copy of @text; NULL for NULL or when memory is out. */
const char *eventset_str(struct eventset *s, const char *text);
