/* findings.h - findings while they are collected: one per object, the strongest heading wins; pure */
#pragma once

#include "learn/lesson.h"

struct findings {
	struct arena *arena; /* the lesson's */
	struct finding *items;
	uint32_t *last_run; /* of each item */
	size_t n, cap, cap_runs;
	struct map by_key;
};

void findings_drop(struct findings *f);
/* Address space for @n more, so that growing does not leave holes of half the size. -ENOMEM. */
int findings_reserve(struct findings *f, size_t n);

/**
 * findings_add() - one more access to the object of @key
 * @key: the path, or kind and name; must live as long
 * @new: kind, heading, necessity, judgement, what, path, who, proc, outcome, count, seq ...; strings borrowed
 *
 * A stronger heading replaces what was there, an equal one adds its count, a weaker one is dropped. The order of
 * additions does not matter. Return: the finding, valid until the next addition; NULL when memory is out.
 */
struct finding *findings_add(struct findings *f, const char *key, const struct finding *new, uint32_t run);
struct finding *findings_get(const struct findings *f, const char *key);

/* A note in words, once; joined by "; ". -ENOMEM. */
int finding_note(struct findings *f, struct finding *to, const char *note);
