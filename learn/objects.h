/* objects.h - every path the runs needed something of, as one trie with what was done to it; pure */
#pragma once

#include "profiles/access.h"

/* node.uses: what was done to the object itself, outside what is granted already */
enum {
	USE_LOOK = 1,        /* file looked at: stat, readlink, access */
	USE_READ = 2,        /* file opened for reading, or the old name of a link */
	USE_EXEC = 4,
	USE_LIST = 8,        /* directory opened */
	USE_ENTER = 16,      /* directory looked at, entered, or left by ".." */
	USE_WRITE = 32,      /* existing file changed in place, or its mode, owner, times */
	USE_SOCKET = 64,     /* unix socket connected to */
	USE_LINK = 128,      /* symbolic link passed on the way */
	USE_REMOVED = 256,   /* existing name deleted, or renamed away */
	USE_REPLACED = 512,  /* existing name that something was renamed over */
	USE_MADE = 1 << 10,  /* made by plain O_CREAT */
	USE_EXCL = 1 << 11,  /* made with O_EXCL, or by symlink, mknod, or by link of a file of its own */
	USE_RENAMED = 1 << 12, /* made by renaming to it */
	USE_BOUND = 1 << 13, /* unix socket bound */
	USE_MKDIR = 1 << 14, /* directory made */
	USE_BELOW = 1 << 15, /* lies below a directory that the run made */
	USE_PRE = 1 << 16,   /* was there before a run */
	USE_PROBED = 1 << 17, /* was looked for and absent before it was made */
	USE_WAL = 1 << 18,   /* a database with a -wal file beside it */
	USE_LINKED = 1 << 21, /* made by link of a file that was there before */
	USE_CHDIR = 1 << 20, /* directory made the working directory */
	USE_REMADE = 1 << 22, /* was there, and is made anew where it is absent: works in a private place, not over a bind */
	USE_STRICT = 1 << 23, /* made by a mkdir that fails where it exists */
	USE_LENIENT = 1 << 24, /* made by a program that had a mkdir fail before, and went on */
	USE_LOG = 1 << 25,    /* the -wal or -shm file of a database */
	USE_SIDECAR = 1 << 19, /* written with a side-car file beside it that was gone at the end */

	USE_CREATED = USE_MADE | USE_EXCL | USE_RENAMED | USE_BOUND | USE_MKDIR | USE_LINKED,
	USE_CHANGED = USE_WRITE | USE_REMOVED | USE_REPLACED | USE_CREATED,
};

/* node.dirs: why the directory itself must be writable */
enum {
	DIR_DELETE = 1, DIR_REPLACE = 2, DIR_AWAY = 4, DIR_EXCL = 8, DIR_RENAME = 16, DIR_SIDECAR = 32, DIR_LOCK = 64,
	DIR_TMPFILE = 128, DIR_META = 256, DIR_CROSS = 512, DIR_BIND = 1024,
	DIR_COUNT = 11,
};

/**
 * struct node - one path
 * @parent, @child, @next: indices, 0 (the root) ends a list; a parent's index is below its children's
 * @type:     FT_UNKNOWN until something says it
 * @shape:    enum shape of its last component
 * @mode, @uid, @gid: of what was there
 * @files, @subdirs: of a directory: plain files and directories in it before the run, where known (@has_files)
 * @runs:     how many runs made it; @first_run, @last_run of these
 */
struct node {
	const char *path;
	uint32_t parent, child, next;
	uint32_t uses, dirs;
	uint32_t files, subdirs;
	uint32_t uid, gid;
	uint16_t mode;
	uint16_t runs, first_run, last_run;
	uint8_t type, shape;
	bool has_files;
};

struct objects {
	struct arena arena; /* paths of directories nobody named */
	struct node *nodes; /* [0] is "/" */
	size_t n, cap;
	struct map by_path; /* path -> index + 1 */
};

void objects_drop(struct objects *o);
/* Index of @path (absolute, clean), made with all above it; @path must live as long. UINT32_MAX: out of memory. */
uint32_t objects_at(struct objects *o, const char *path);
/* As objects_at(), of the directory above @path. */
uint32_t objects_above(struct objects *o, const char *path);
/* NULL when nobody named it. */
struct node *objects_find(const struct objects *o, const char *path, size_t len);
