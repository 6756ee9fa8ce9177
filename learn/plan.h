/* plan.h - constraints: what each path must be granted for the runs to work, before anything is widened; pure */
#pragma once

#include "learn/facts.h"

/* plan.want, per node */
enum {
	WANT_RO_FILE = 1, WANT_RW_FILE = 2, WANT_NEW_FILE = 4, WANT_RO_DIR = 8, WANT_RW_DIR = 16, WANT_NEW_DIR = 32,
	WANT_COPY = 64, WANT_EXIST = 128,
	WANT_RO = WANT_RO_FILE | WANT_RO_DIR,
	WANT_RW = WANT_RW_FILE | WANT_NEW_FILE | WANT_RW_DIR | WANT_NEW_DIR,
};

/* Why something needed is not granted, or only in part; @path for people stands in front of @text. */
struct remark {
	const char *path, *text;
};

/* A grant that only a person may make; @over: instead of that requested line, which takes override: true. */
struct guarded {
	const char *path, *why;
	bool rw, dir, fresh, copy;
	const struct src *over;
};

/**
 * struct plan
 * @want:    bits per node of facts.objects
 * @varies:  per node: another run made another name in its place
 * @remarks: in node order
 * @tmpdir:  temporary files are renamed into the project, which confined crosses a mount
 * @guarded: credential stores, and writable directories among the user's documents
 */
struct plan {
	struct facts *f;
	uint8_t *want;
	bool *varies;
	struct { struct remark *items; size_t n, cap; } remarks;
	struct { struct guarded *items; size_t n, cap; } guarded;
	bool tmpdir;
};

void plan_drop(struct plan *p);
/* -ENOMEM */
int plan_make(struct plan *out, struct facts *f);
/* Add a remark, once per path and text. */
int plan_remark(struct plan *p, const char *path, const char *text);
