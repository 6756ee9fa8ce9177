/* eventset.h - the set of what was seen: one event for each (process, operation, object, outcome) */
#pragma once

#include "base/map.h"
#include "base/str.h"
#include "trace/recording.h"

/* Where an event is: two independent hashes of what it is stand for the whole. @at: index + 1, 0 is a free slot. */
struct eventslot {
	uint64_t id[2];
	size_t at;
};

/**
 * struct eventset - zero is empty
 * @arena: strings of all events, each stored once
 * @last:  index + 1 of the event that eventset_add() counted last
 * @limit: events kept at most; what comes later is counted in @lost
 * @index: open addressing over @nslots, a power of two
 * @key:   of the event at hand
 * @dir:   directory of the last event: the next one is often in the same
 */
struct eventset {
	struct arena *arena;
	struct event *items;
	size_t n, cap, limit, lost, last;
	struct eventslot *index;
	size_t nslots;
	struct map strings;
	struct str key;
	const char *dir;
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
