/* shadow_upper.h - an overlay's layers on disk: made before a run, read after it */
#pragma once

#include "base/fd.h"
#include "learn/shadow.h"
#include "profiles/profile.h"

/**
 * struct shadow_top - one directory of the host that a command may write in a shadow
 * @path: canonical, on the host: the lower layer
 * @base: holds "lower", "upper" and "work"
 */
struct shadow_top {
	const char *path, *base;
};

/* Can files in @dir be the upper layer of an overlay? -ENOTSUP with the reason. */
int upper_fits(const char *dir, struct err *e) MUST;

/* Make @t->base, which is absent, with an upper layer that looks like @t->path itself. */
int upper_make(const struct shadow_top *t, struct err *e) MUST;

/* Hide @path, which is below @t->path and exists, from the start. */
int upper_hide(const struct shadow_top *t, const char *path, struct err *e) MUST;

/* Where the upper layer of @t has host path @path. -ENAMETOOLONG. */
int upper_path(char *buf, size_t size, const struct shadow_top *t, const char *path);

/**
 * upper_read() - add everything that the upper layer of @t says
 * @hidden: paths hidden from the start: no change
 * @stores: paths at and below which everything is a store's, whether hidden or not
 *
 * Directories that may not be read are made readable: the layer is nobody's any more.
 */
int upper_read(struct shadow_list *out, const struct shadow_top *t, const struct wordlist *hidden,
               const struct wordlist *stores, struct err *e) MUST;
