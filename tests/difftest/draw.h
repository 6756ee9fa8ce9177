/* draw.h - the generator's two halves to each other: tree and profile, accesses */
#pragma once

#include "tests/difftest/gen.h"

enum { AREAS = 12, SLOTS = 8 };
enum where { W_HOME, W_PROJECT, W_DATA, W_TMP };

enum area_rule {
	OVER_NOTHING, OVER_BIND, OVER_OBJECTS, OVER_MASK, OVER_DENY_READ, OVER_FENCE, OVER_NEST, OVER_TMPFS, OVER_TARGET,
	OVER_DENY_ALL, OVER_FENCE_ALL, OVER_LINK, OVER_KINDS
};

/**
 * struct area - a directory with SLOTS slots under one rule
 * @link: a link to it somewhere else
 * @next: slots used so far
 */
struct area {
	enum where where;
	enum area_rule rule;
	const char *path, *link;
	int next;
};

uint64_t draw(struct round *r, uint64_t n);
bool chance(struct round *r, unsigned percent);
/* @path, an object of a slot, is needed. */
void use(struct round *r, const char *path);
void draw_wants(struct round *r, struct area *areas);
