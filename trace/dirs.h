/* dirs.h - directories met on walks: their facts, and which spellings lead to them; part of the resolver */
#pragma once

#include "trace/resolve.h"

struct stat;

/* Facts on a directory; @blocked as in struct object. */
struct dirinfo {
	uint32_t mode, uid, gid;
	uint64_t dev;
	const char *blocked;
};

/* Set the walk to the longest known part of w->whole, or to the root. */
void dirs_start(struct resolver *r, struct walk *w);

/* Note that the part of w->whole before w->rest[@at] leads to w->cur. */
void dirs_remember(struct resolver *r, const struct walk *w, size_t at);

/* The walk passes the directory w->cur, and @st is of it: need not be looked at once more. */
void dirs_seen(struct resolver *r, const struct task *t, const struct walk *w, const struct stat *st);

/* Facts on w->cur[0..@len) for the ids of @t. -errno when it is gone. */
int dirs_get(struct resolver *r, const struct task *t, struct walk *w, size_t len, struct dirinfo *out) MUST;

/* lstat and readlink of a path below the walk's root, however long. -errno. */
int dirs_stat(const struct walk *w, const char *path, struct stat *st) MUST;
ssize_t dirs_readlink(const struct walk *w, const char *path, char *buf, size_t size) MUST;

/* Give the caches' memory back when they grew large. */
void dirs_trim(struct resolver *r);
