/* resolve.h - names as the caller means them: working directory, descriptors, root, links, its own /proc */
#pragma once

#include "base/arena.h"
#include "profiles/access.h"
#include "trace/hangs.h"
#include "trace/task.h"

#include <stdbool.h>

enum { WALK_MAX = 16384, HOPS_MAX = 64 };

/* resolve_name() @how */
enum {
	RES_FOLLOW = 1,  /* a link as last component is followed */
	RES_EMPTY = 2,   /* AT_EMPTY_PATH: "" is the descriptor's own object */
	RES_NAME = 8,    /* the last component is a name to make or remove: a slash behind it follows nothing */
	RES_IN_ROOT = 4, /* openat2(2): the descriptor is the root of the walk */
};

/**
 * struct walk - one walk; lives in the resolver, since it is large
 * @cur:  canonical path so far below the caller's root, "" is the root itself
 * @rest: what is still to be walked, from @pos on; up to @splice it came out of a link
 * @whole: what was asked for, absolute, with @prefix left out
 */
struct walk {
	char cur[WALK_MAX], rest[WALK_MAX], whole[WALK_MAX], prefix[WALK_MAX];
	size_t len, pos, splice, whole_len, base_len, clean_len;
	struct hop hops[HOPS_MAX];
	size_t nhops, links;
	int root; /* descriptor of the caller's root in another mount namespace, else AT_FDCWD */
	const struct resolver *r;
	bool cached;
	pid_t tid; /* the caller */
	struct hangs *hangs;
};

/* What a map was asked for last: one call after the other is about the same directory. */
struct recent {
	const char *key;
	size_t len;
	void *value;
};

/**
 * struct resolver - caches of directories; zero is empty
 * @tmp: strings of the current notification, valid until resolver_reset()
 * @in_view: names are looked up in the command's tree: @view its root, @view_ns what keeps its mounts together
 */
struct resolver {
	struct tasks *tasks;
	uint64_t proc_dev;
	struct map dirs, aliases;
	struct recent dir, alias;
	struct arena arena;
	char *tmp;
	size_t used;
	uint64_t now;
	struct walk *walk;
	struct hangs hangs;
	bool in_view;
	struct fd view, view_ns;
};

/* Where the recorder finds canonical @path of the command's: itself, or in @buf a path to the same object in the view. */
const char *resolver_place(const struct resolver *r, const char *path, char *buf, size_t size);

void resolver_drop(struct resolver *r);
int resolver_open(struct resolver *r, struct tasks *ts) MUST;
/* Forget the strings of the last notification; @now as for tasks_get(). */
void resolver_reset(struct resolver *r, uint64_t now);
/* A string that lives until resolver_reset(); NULL when there are too many. */
char *resolver_str(struct resolver *r, const char *s, size_t len);

/**
 * resolve_name() - look @spelled up as @t would, relative to @dirfd (AT_FDCWD: its working directory)
 * @out:   filled; strings live until resolver_reset()
 * @marks: MARK_OTHER_MNT, MARK_OTHER_ROOT, MARK_FD, MARK_DIR_SLASH are added
 *
 * What does not exist is no error: see object.missing and walk_err.
 * Return: 0; -EBADF: no such descriptor (the call will fail with it); -EACCES, -ESRCH: /proc/TID may not be
 * read; -ENAMETOOLONG, -ENOMEM: more than the recorder holds.
 */
int resolve_name(struct resolver *r, struct task *t, int dirfd, const char *spelled, unsigned how,
                 struct object *out, uint32_t *marks) MUST;
