/* draw.h - the generator's two halves to each other: tree and profile, accesses */
#pragma once

#include "tests/difftest/gen.h"

enum { AREAS = 12, SLOTS = 8 };
enum where { W_HOME, W_PROJECT, W_DATA, W_TMP };

enum area_rule {
	RULE_NOTHING, RULE_BIND, RULE_OBJECTS, RULE_MASK, RULE_DENY_READ, RULE_FENCE, RULE_NEST, RULE_TMPFS, RULE_TARGET,
	RULE_DENY_ALL, RULE_FENCE_ALL, RULE_KINDS
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
void draw_wants(struct round *r, struct area *areas);
