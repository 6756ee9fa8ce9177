#include "trace/resolve.h"

#include "base/path.h"
#include "trace/dirs.h"
#include "trace/procfs.h"
#include "trace/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 512 * 1024 };

void resolver_drop(struct resolver *r)
{
	map_drop(&r->dirs);
	map_drop(&r->aliases);
	arena_drop(&r->arena);
	free(r->tmp);
	free(r->walk);
	hangs_drop(&r->hangs);
	fd_drop(&r->view);
	fd_drop(&r->view_ns);
	*r = (struct resolver){ 0 };
}

int resolver_open(struct resolver *r, struct tasks *ts)
{
	struct stat st;
	r->tasks = ts;
	r->proc_dev = stat("/proc", &st) < 0 ? 0 : st.st_dev;
	r->tmp = malloc(ROOM);
	r->walk = malloc(sizeof(*r->walk));
	if (!r->tmp || !r->walk)
		return -ENOMEM;
	r->walk->hangs = &r->hangs;
	r->walk->r = r;
	return hangs_open(&r->hangs, "/proc/self/mountinfo");
}

char *resolver_str(struct resolver *r, const char *s, size_t len)
{
	if (len >= ROOM - r->used)
		return NULL;
	char *p = r->tmp + r->used;
	memcpy(p, s, len);
	p[len] = 0;
	r->used += len + 1;
	return p;
}

void resolver_reset(struct resolver *r, uint64_t now)
{
	r->used = 0;
	r->now = now;
	dirs_trim(r);
}

const char *resolver_place(const struct resolver *r, const char *path, char *buf, size_t size)
{
	if (!r->view.plus1 || path_under(path, "/proc") ||
	    snprintf(buf, size, "/proc/self/fd/%d%s", fd_no(r->view), path) >= (int)size)
		return path;
	return buf;
}

/*
 * The process that snug built the sandbox in may not be looked into before its execve; until then names are the host's.
 * The namespace is held as well: with its last process it would take the mounts apart.
 */
static void look_into(struct resolver *r, const struct task *t)
{
	OWN(fd) ns = fd_own(openat(fd_no(t->dir), "ns/mnt", O_RDONLY | O_CLOEXEC));
	OWN(fd) root = fd_own(openat(fd_no(t->dir), "root", O_PATH | O_DIRECTORY | O_CLOEXEC));
	if (!ns.plus1 || !root.plus1)
		return;
	r->view = TAKE(root);
	r->view_ns = TAKE(ns);
	r->tasks->epoch++; /* what was remembered is the host's */
}

/* Where a relative name starts: into @buf. */
static ssize_t base_of(struct resolver *r, struct task *t, int dirfd, char *buf, size_t size)
{
	char name[32];
	if (dirfd == AT_FDCWD)
		return task_cwd(r->tasks, t, buf, size);
	snprintf(name, sizeof(name), "fd/%d", dirfd);
	ssize_t n = dirfd < 0 ? -EBADF : task_link(t, name, buf, size);
	return n == -ENOENT ? -EBADF : n;
}

/* Mounts only change after a call that sets vary_root; elsewhere nothing new can hang. */
static int look_mounts(struct resolver *r, const struct task *t)
{
	struct hangs *h = &r->hangs;
	char path[48];
	if (!r->tasks->vary_root || (h->own && !t->other_mnt && h->epoch == r->tasks->epoch &&
	                             r->now > r->tasks->quiet_ns))
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/mountinfo", t->tid);
	h->own = !t->other_mnt;
	h->epoch = r->tasks->epoch;
	return hangs_read(h, h->own ? "/proc/self/mountinfo" : path);
}

/* Root of the walk: its place on the host, or a descriptor where that place is in another mount namespace. */
static int enter_root(struct resolver *r, struct task *t, struct walk *w, struct fd *root, uint32_t *marks)
{
	w->root = AT_FDCWD;
	w->tid = t->tid;
	w->prefix[0] = 0;
	w->cached = !t->other_root && !t->other_mnt && r->now > r->tasks->quiet_ns;
	if (r->in_view && !r->view.plus1)
		look_into(r, t);
	if (t->other_mnt) {
		*marks |= MARK_OTHER_MNT;
		*root = fd_own(openat(fd_no(t->dir), "root", O_PATH | O_DIRECTORY | O_CLOEXEC));
		if (!root->plus1)
			return -errno;
		w->root = fd_no(*root);
	}
	int err = look_mounts(r, t);
	if (err)
		return err;
	if (t->other_root) {
		*marks |= MARK_OTHER_ROOT;
		ssize_t n = t->other_mnt ? 0 : task_link(t, "root", w->prefix, sizeof(w->prefix));
		if (n < 0)
			return (int)n;
	}
	return 0;
}

/* Fill w->whole from base and name, below the root's prefix. */
static int begin(struct resolver *r, struct task *t, struct walk *w, int dirfd, const char *spelled, unsigned how)
{
	size_t n = 0;
	if (spelled[0] != '/' || (how & RES_IN_ROOT)) {
		ssize_t b = base_of(r, t, dirfd, w->whole, sizeof(w->whole));
		if (b < 0)
			return (int)b;
		n = (size_t)b;
		if (how & RES_IN_ROOT) {
			memcpy(w->prefix, w->whole, n + 1);
			if (n == 1)
				w->prefix[0] = 0;
			w->cached = false;
			n = 0;
		} else if (w->prefix[0] && path_under(w->whole, w->prefix)) {
			size_t p = strlen(w->prefix);
			memmove(w->whole, w->whole + p, n - p + 1);
			n -= p;
		} else {
			w->prefix[0] = 0;
		}
	}
	w->base_len = n;
	if (n == 1 && w->whole[0] == '/')
		n = 0;
	if (!n)
		spelled += strspn(spelled, "/");
	size_t s = strlen(spelled);
	if (n + 1 + s >= WALK_MAX)
		return -ENAMETOOLONG;
	/* an empty name is the descriptor's object itself, which need be no directory */
	if (s || !n)
		w->whole[n++] = '/';
	memcpy(w->whole + n, spelled, s + 1);
	w->whole_len = n + s;
	return 0;
}

int resolve_name(struct resolver *r, struct task *t, int dirfd, const char *spelled, unsigned how,
                 struct object *out, uint32_t *marks)
{
	struct walk *w = r->walk;
	OWN(fd) root = { 0 };
	*out = (struct object){ .spelled = resolver_str(r, spelled, strlen(spelled)) };
	if (!out->spelled)
		return -ENOMEM;
	int err = enter_root(r, t, w, &root, marks);
	if (err)
		return err;
	if (!spelled[0] && (how & RES_EMPTY))
		*marks |= MARK_FD;
	size_t slen = strlen(spelled);
	if (slen && spelled[slen - 1] == '/')
		*marks |= MARK_DIR_SLASH;
	err = begin(r, t, w, dirfd, spelled, how);
	if (err)
		return err;
	w->nhops = w->links = 0;
	/* a base that has no name any more: a deleted directory, a memfd, a pipe */
	if (spelled[0] != '/' && procfs_nameless(r, t, dirfd, w, out))
		return out->path ? 0 : -ENOMEM;
	dirs_start(r, w);
	do
		err = walk_step(r, t, w, how, out);
	while (!err);
	if (err < 0)
		return err;
	out->nhops = w->nhops;
	if (w->nhops) {
		r->used = (r->used + 15) & ~(size_t)15;
		out->hops = (struct hop *)(void *)resolver_str(r, (const char *)w->hops, w->nhops * sizeof(*w->hops));
		if (!out->hops)
			return -ENOMEM;
	}
	return 0;
}
