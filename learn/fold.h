/* fold.h - the cheapest set of grants that meets a plan: a cost over the path trie; pure */
#pragma once

#include "learn/plan.h"

/* One grant of a path. @node: of facts.objects */
struct rule {
	uint32_t node;
	const char *path;
	enum bind_mode mode;
	enum bind_create create;
	bool dir;
	uint32_t exposed; /* existing files it shows that the runs did not use; for rw, did not write */
};

struct rules {
	struct rule *items; /* sorted by path bytes */
	size_t n, cap;
};
void rules_drop(struct rules *r);

/**
 * fold() - choose rules; paths that cannot be granted get remarks in @p
 *
 * Linear in nodes. Same plan, same rules. -ENOMEM.
 */
int fold(struct rules *out, struct plan *p);

/* The rule that covers @path, or NULL. */
const struct rule *rules_cover(const struct rules *r, const char *path);

/* log2(@n) in 1/1000, integers only, so that machines agree. @n >= 1. */
int64_t log2_milli(uint64_t n);
