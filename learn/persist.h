/* persist.h - what a run left behind: listings of a tree, their difference, and what one run lost of another's; pure */
#pragma once

#include "trace/recording.h"

/* One object of a tree. @path: of the original, absolute; @time_ns: of the last change of its content */
struct left {
	const char *path;
	enum file_type type;
	uint32_t mode;
	uint64_t size;
	int64_t time_ns;
};

/* A tree as it was at one moment, sorted by path; zero is empty. */
struct listing {
	struct arena arena;
	struct left *items;
	size_t n;
};
void listing_drop(struct listing *l);

/* Append; @path is copied. -ENOMEM. */
int listing_add(struct listing *l, const struct left *item) MUST;
void listing_sort(struct listing *l);

enum change_kind { CHANGE_MADE, CHANGE_ALTERED, CHANGE_REMOVED };

/*
 * What became of one object between two moments; of what was removed type, mode and size before. @any_mode: which mode
 * it has does not count, since snug makes it before the run ("create:")
 */
struct change {
	const char *path;
	enum change_kind kind;
	enum file_type type;
	uint32_t mode;
	uint64_t size;
	bool any_mode;
};
struct changes { struct change *items; size_t n; };

/**
 * changes_find() - append what differs between the sorted listings @before and @after
 *
 * A file is altered when its type, mode, size or time of change is another; a directory when its mode is: its entries
 * stand for themselves. Paths are borrowed. -ENOMEM.
 */
int changes_find(struct changes *out, struct arena *a, const struct listing *before, const struct listing *after) MUST;

/**
 * changes_recorded() - append what recorded accesses made, altered or removed, sorted by path
 *
 * What the run made and removed itself is no change. A file that was opened for writing counts as altered. -ENOMEM.
 */
int changes_recorded(struct changes *out, struct arena *a, const struct recording *r) MUST;

/* Paths that were not there when the run first asked: key path, value not NULL. Keys are borrowed from @r. -ENOMEM. */
int absent_before(struct map *out, const struct recording *r) MUST;

/* Is @path a place whose content nobody expects to find again: temporary files, caches, sockets of the session? */
bool persist_scratch(const struct host *h, const char *path);

/* What was lost: @path and in words how. */
struct loss {
	const char *path, *why;
};
struct losses { struct loss *items; size_t n; };

/**
 * changes_lost() - what of @want, the changes of a run, is not among @have, those of another from the same state
 *
 * Names that change from run to run (numbers, times, hashes, random ones) are compared by their form; there one that
 * fits is enough. Content is not compared, since few programs write the same twice, but a file that is empty in @have
 * alone has lost its content. Both sorted by path. Appends to @out in @a, sorted. -ENOMEM.
 */
int changes_lost(struct losses *out, struct arena *a, const struct changes *want, const struct changes *have) MUST;

/* @path with what may change from run to run replaced: digits by "#", drawn names by "*". NULL when memory is out. */
const char *persist_form(struct arena *a, const char *path);
