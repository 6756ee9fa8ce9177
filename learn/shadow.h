/* shadow.h - what an overlay's upper layer says was written, removed and replaced, and in which steps that is done for real; pure */
#pragma once

#include "profiles/host.h"

#include "base/err.h"

struct str;

/**
 * struct layer - one object as a layer of an overlay has it; FT_NONE where it has none
 * @whiteout: the upper layer hides what is below
 * @opaque:   a directory of the upper layer that hides the entries of the one below
 * @text:     of a symbolic link
 */
struct layer {
	enum file_type type;
	bool whiteout, opaque;
	uint32_t mode, uid, gid, nlink;
	uint64_t dev, ino, size;
	int64_t time_ns;
	const char *text;
};

enum shadow_what {
	SHADOW_SAME,     /* copied up and as before */
	SHADOW_NEW,      /* nothing was there */
	SHADOW_CHANGED,  /* the same kind of object, of other content or mode */
	SHADOW_REPLACED, /* something else was there, and is gone */
	SHADOW_REMOVED,
};

/**
 * struct shadow_item - what became of one object
 * @path:  the host's
 * @type:  now; of what was removed, before
 * @below: what was there: FT_NONE nothing
 * @link:  another path that is the same file, or NULL
 * @store: a credential store, or in one: told, and never applied
 * @torn:  it has other names below, which still show the old content
 */
struct shadow_item {
	const char *path, *text, *link;
	enum shadow_what what;
	enum file_type type, below;
	uint32_t mode;
	uint64_t size;
	bool store, torn;
	const char *inode; /* private */
};

/* Sorted so that a directory comes before what is in it; zero is empty. */
struct shadow_list {
	struct arena arena;
	struct map inodes; /* "dev:ino" of upper files with several names -> the path that the others link to */
	struct shadow_item *items;
	size_t n;
};
void shadow_list_drop(struct shadow_list *l);

/* What @up over @low means. */
enum shadow_what shadow_judge(const struct layer *up, const struct layer *low);

/*
 * Add @path; nothing is added for SHADOW_SAME, but other names of it will link to it. @store as in struct shadow_item.
 * -ENOMEM.
 */
int shadow_add(struct shadow_list *l, const char *path, const struct layer *up, const struct layer *low, bool store) MUST;

/* After the last one: order by path, parents first, and tell which are names of one file. */
void shadow_sort(struct shadow_list *l);

/* One thing that --apply does. */
enum shadow_do {
	DO_REMOVE, /* with all that is in it */
	DO_DIR, DO_FILE, DO_SYMLINK, DO_FIFO,
	DO_LINK,   /* another name of shadow_item.link */
	DO_MODE,   /* of a directory that stays */
	DO_SKIP,   /* @why */
};
struct shadow_step {
	enum shadow_do what;
	const struct shadow_item *item;
	const char *why;
};
struct shadow_plan { struct shadow_step *items; size_t n; };

/* The steps for @l, in order, in @a. -ENOMEM. */
int shadow_plan(struct shadow_plan *out, struct arena *a, const struct shadow_list *l) MUST;

/**
 * shadow_text() - rows for people: "new  node_modules/  132 files, 4.1 MiB"
 * @rows: at most so many, then one line that says how many more; 0 all
 *
 * A new or removed directory stands for all that is in it. Bytes that could steer a terminal are escaped.
 */
void shadow_text(struct str *out, const struct shadow_list *l, const struct host *h, size_t rows);

/* The same for machines: a JSON array of {what, path, type, size}, all of them. */
void shadow_json(struct str *out, const struct shadow_list *l, const struct host *h);

/* "4.1 MiB" */
void shadow_size(struct str *out, uint64_t bytes);
