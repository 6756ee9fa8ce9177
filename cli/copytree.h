/* copytree.h - copy, list and remove a directory tree as it is: links, holes, modes, times; for states that are kept */
#pragma once

#include "base/fd.h"
#include "learn/persist.h"

#include <sys/stat.h>

/**
 * struct copytree - zero and a limit is a start; several trees may share one
 * @left:   bytes that may still be copied; what shares its blocks with the source (reflink) costs nothing
 * @skip_dev, @skip_ino: a directory that is left out wherever it is met; @skip_ino 0: none
 * @stop:   asked now and then: non-zero ends it with -EINTR; may be NULL
 */
struct copytree {
	uint64_t left;
	dev_t skip_dev;
	ino_t skip_ino;
	int (*stop)(void);
	/* private */
	struct arena arena;
	struct map linked; /* "dev:ino" of files with several names -> path of the copy */
	int top;
};
void copytree_drop(struct copytree *t);

/**
 * copytree_make() - @from, whatever it is, as @to, which is absent
 *
 * Symbolic links are copied, not followed. Holes, hard links within the tree, modes, times, extended attributes and,
 * where we may, owners stay; a socket becomes a name without a listener.
 * Return: 0; -EFBIG over the limit; -EINTR stopped; -EOPNOTSUPP something that has no copy (a device, /proc);
 * other -errno (-ENOSPC, -EACCES, ...), with the path in @e. What was made until then stays.
 */
int copytree_make(struct copytree *t, const char *from, const char *to, struct err *e) MUST;

/**
 * copytree_list() - everything at and below @dir, sorted, as if @dir were called @as
 * @skip: of which @skip_dev and @skip_ino count; may be NULL
 * Nothing at @dir is an empty listing.
 */
int copytree_list(struct listing *out, const char *dir, const char *as, const struct copytree *skip, struct err *e) MUST;

/* Remove @path with all that is in it, never through a link; directories without write permission get it. */
int copytree_remove(const char *path, struct err *e) MUST;
int copytree_remove_at(int dir, const char *name, struct err *e) MUST;

/* All bytes of @from behind its position into @to, at most *@left, which is lessened; holes stay. -EFBIG. */
int file_copy(int from, int to, uint64_t *left, const char *name, struct err *e) MUST;
