/*
 * How this works
 *
 * The walk is done on text, one component at a time, with lstat on the canonical path so far. So the kernel never
 * follows a link for us: absolute links start at the caller's root, /proc/self is the caller, and each link is kept
 * as a hop. A directory that was walked once is remembered by its spelling (aliases), so the usual look-up costs one
 * lstat of the last component. The memory is dropped when the tree renames, removes or re-modes a directory or
 * removes a link (tasks.epoch), is not used while such a call may be under way (tasks.quiet_ns), and is not trusted
 * for longer than FRESH_NS, since others may move directories too.
 */
#include "trace/resolve.h"

#include "base/path.h"
#include "trace/dirs.h"
#include "trace/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 512 * 1024, MAX_LINKS = 40 /* include/linux/namei.h, MAXSYMLINKS */ };

void resolver_drop(struct resolver *r)
{
	map_drop(&r->dirs);
	map_drop(&r->aliases);
	arena_drop(&r->arena);
	free(r->tmp);
	free(r->walk);
	hangs_drop(&r->hangs);
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

/* @prefix + @cur as a string that lives long enough, with pids of /proc taken out. */
static const char *shown(struct resolver *r, const struct task *t, const struct walk *w, size_t len)
{
	size_t plen = strlen(w->prefix);
	if (!plen && !len)
		return "/";
	char *p = resolver_str(r, w->prefix, plen);
	if (!p)
		return NULL;
	r->used--;
	if (!resolver_str(r, w->cur, len))
		return NULL;
	return procfs_normal(r, t, p);
}

static int add_hop(struct resolver *r, const struct task *t, struct walk *w, size_t len, const char *text)
{
	if (w->nhops == HOPS_MAX)
		return 0; /* the kernel stops at 40 links; more ".." than this say nothing new */
	struct hop *h = &w->hops[w->nhops];
	h->path = shown(r, t, w, len);
	h->text = resolver_str(r, text, strlen(text));
	if (!h->path || !h->text)
		return -ENOMEM;
	w->nhops++;
	return 0;
}

/* Put @text in front of what is left to walk. */
static int insert(struct walk *w, const char *text)
{
	size_t tlen = strlen(text), left = strlen(w->rest + w->pos);
	if (tlen + 1 + left >= WALK_MAX)
		return -ENAMETOOLONG;
	size_t old = w->splice > w->pos ? w->splice - w->pos : 0;
	memmove(w->rest + tlen + 1, w->rest + w->pos, left + 1);
	memcpy(w->rest, text, tlen);
	w->rest[tlen] = '/';
	if (!left)
		w->rest[tlen] = 0;
	w->pos = 0;
	w->splice = tlen + 1 + old;
	return 0;
}

static void parent(struct walk *w)
{
	while (w->len && w->cur[w->len - 1] != '/')
		w->len--;
	if (w->len)
		w->len--;
	w->cur[w->len] = 0;
}

static enum file_type type_of(mode_t m)
{
	switch (m & S_IFMT) {
	case S_IFREG: return FT_FILE;
	case S_IFDIR: return FT_DIR;
	case S_IFLNK: return FT_LINK;
	case S_IFSOCK: return FT_SOCK;
	case S_IFIFO: return FT_FIFO;
	case S_IFCHR: return FT_CHR;
	case S_IFBLK: return FT_BLK;
	}
	return FT_UNKNOWN;
}

static void facts(struct object *o, const struct stat *st)
{
	o->type = type_of(st->st_mode);
	o->mode = st->st_mode & 07777;
	o->uid = st->st_uid;
	o->gid = st->st_gid;
	o->dev = st->st_dev;
	o->ino = st->st_ino;
	o->size = (uint64_t)st->st_size;
	o->nlink = (uint32_t)st->st_nlink;
}

/* Facts on the directory @cur[0..@len), which holds the object or is the deepest that exists. */
static int dir_facts(struct resolver *r, struct task *t, struct walk *w, size_t len, struct object *o)
{
	struct dirinfo d;
	int err = dirs_get(r, t, w, len, &d);
	o->dir = shown(r, t, w, len);
	if (!o->dir)
		return -ENOMEM;
	if (err)
		return 0; /* it vanished meanwhile */
	o->dir_mode = d.mode;
	o->dir_uid = d.uid;
	o->dir_gid = d.gid;
	o->blocked = d.blocked;
	if (!o->dev)
		o->dev = d.dev;
	return 0;
}

/* The object is @cur (with @st), or the root. */
static int found(struct resolver *r, struct task *t, struct walk *w, const struct stat *st, struct object *o)
{
	facts(o, st);
	o->path = shown(r, t, w, w->len);
	size_t len = w->len;
	while (len && w->cur[len - 1] != '/')
		len--;
	return o->path ? dir_facts(r, t, w, len ? len - 1 : 0, o) : -ENOMEM;
}

/* @cur is the deepest directory (or what stopped the walk); the rest of the names is appended as it stands. */
static int stopped(struct resolver *r, struct task *t, struct walk *w, const char *name, size_t nlen, int err,
                   struct object *o)
{
	size_t dlen = w->len;
	uint32_t names = 0;
	const char *p = name;
	size_t n = nlen;
	for (;;) {
		if (n && !(n == 1 && p[0] == '.')) {
			if (w->len + 1 + n >= WALK_MAX)
				return -ENAMETOOLONG;
			w->cur[w->len++] = '/';
			memcpy(w->cur + w->len, p, n);
			w->len += n;
			w->cur[w->len] = 0;
			names++;
		}
		p = w->rest + w->pos;
		p += strspn(p, "/");
		n = strcspn(p, "/");
		if (!n)
			break;
		w->pos = (size_t)(p - w->rest) + n;
	}
	/* behind a directory that may not be searched, or not be asked, nobody knows what there is */
	bool hidden = err == EACCES || err == ETIMEDOUT;
	o->type = hidden ? FT_UNKNOWN : FT_NONE;
	o->missing = hidden ? 0 : names;
	if (err == ETIMEDOUT)
		err = 0;
	o->walk_err = err;
	o->path = shown(r, t, w, w->len);
	return o->path ? dir_facts(r, t, w, dlen, o) : -ENOMEM;
}

/* Follow the link @cur/@name (now appended to cur). Return: 0 walked on, 1 @o is done, or -errno. */
static int follow(struct resolver *r, struct task *t, struct walk *w, const struct stat *st, struct object *o)
{
	char text[PATH_MAX];
	if (++w->links > MAX_LINKS) {
		o->walk_err = ELOOP;
		int err = found(r, t, w, st, o);
		return err ? err : 1;
	}
	if (st->st_dev == r->proc_dev && procfs_magic(w->cur)) {
		struct stat target;
		int special = procfs_jump(r, t, w->cur, text, sizeof(text), &target, o);
		if (special < 0)
			return special;
		int err = add_hop(r, t, w, w->len, text);
		if (err)
			return err;
		if (special) {
			const char *path = o->path;
			err = found(r, t, w, &target, o);
			o->path = path ? path : o->path;
			return err ? err : 1;
		}
		/* the text is where the object really is: no link left in it, and the caller's root has no say */
		w->prefix[0] = 0;
		w->cached = false;
		w->len = strlen(text) == 1 ? 0 : strlen(text);
		memcpy(w->cur, text, w->len);
		w->cur[w->len] = 0;
		return w->rest[w->pos] ? 0 : 2;
	}
	ssize_t n = dirs_readlink(w, w->cur, text, sizeof(text) - 1);
	if (n < 0)
		return (int)n;
	text[n] = 0;
	int err = add_hop(r, t, w, w->len, text);
	if (!err)
		err = insert(w, text);
	parent(w);
	if (text[0] == '/')
		w->cur[w->len = 0] = 0;
	return err;
}

/* Replace "self" and "thread-self" directly below /proc by the caller's numbers. */
static int self(struct walk *w, const struct task *t, const char *name, size_t n)
{
	char text[48];
	if (strcmp(w->cur, "/proc") != 0 || w->prefix[0])
		return 0;
	if (n == 4 && !memcmp(name, "self", 4))
		snprintf(text, sizeof(text), "%d", t->group->tgid);
	else if (n == 11 && !memcmp(name, "thread-self", 11))
		snprintf(text, sizeof(text), "%d/task/%d", t->group->tgid, t->tid);
	else
		return 0;
	w->cached = false;
	int err = insert(w, text);
	return err ? err : 1;
}

/* One component. Return: 0 go on, 1 done, -errno. */
static int component(struct resolver *r, struct task *t, struct walk *w, unsigned how, struct object *o)
{
	size_t at = w->pos + strspn(w->rest + w->pos, "/");
	const char *name = w->rest + at;
	size_t n = strcspn(name, "/");
	size_t after = at + n;
	bool slash = w->rest[after] == '/';
	bool last = !w->rest[after + strspn(w->rest + after, "/")];
	struct stat st;
	if (!n || (n == 1 && name[0] == '.')) {
		w->pos = after;
		if (!last)
			return 0;
		int err = dirs_stat(w, w->cur, &st);
		if (err == -ENOENT || err == -EACCES || err == -ETIMEDOUT)
			return stopped(r, t, w, "", 0, err == -ENOENT ? 0 : -err, o) ?: 1;
		return err ? err : (found(r, t, w, &st, o) ?: 1);
	}
	if (n == 2 && name[0] == '.' && name[1] == '.') {
		int err = add_hop(r, t, w, w->len, "..");
		w->pos = after;
		parent(w);
		if (err || !last)
			return err;
		err = dirs_stat(w, w->cur, &st);
		return err ? err : (found(r, t, w, &st, o) ?: 1);
	}
	bool follows = !last || (slash && !(how & RES_NAME)) || (how & RES_FOLLOW);
	if (follows) {
		w->pos = after;
		int err = self(w, t, name, n);
		if (err)
			return err < 0 ? err : 0;
	}
	w->pos = after;
	size_t before = w->len;
	if (n > NAME_MAX)
		return stopped(r, t, w, resolver_str(r, name, n), n, ENAMETOOLONG, o) ?: 1;
	if (w->len + 1 + n >= WALK_MAX)
		return -ENAMETOOLONG;
	if (last && at >= w->splice)
		dirs_remember(r, w, at);
	w->cur[w->len++] = '/';
	memcpy(w->cur + w->len, name, n);
	w->len += n;
	w->cur[w->len] = 0;
	int err = dirs_stat(w, w->cur, &st);
	if (err) {
		char *copy = resolver_str(r, name, n);
		w->cur[w->len = before] = 0;
		if (!copy)
			return -ENOMEM;
		if (!last && at >= w->splice)
			dirs_remember(r, w, at);
		return stopped(r, t, w, copy, n, err == -ENOENT ? 0 : -err, o) ?: 1;
	}
	if (S_ISLNK(st.st_mode) && follows) {
		err = follow(r, t, w, &st, o);
		if (err != 2)
			return err;
		err = dirs_stat(w, w->cur, &st);
		return err ? err : (found(r, t, w, &st, o) ?: 1);
	}
	if (!S_ISDIR(st.st_mode) && (!last || slash)) {
		if (last) {
			o->walk_err = ENOTDIR;
			return found(r, t, w, &st, o) ?: 1;
		}
		char *copy = resolver_str(r, name, n);
		w->cur[w->len = before] = 0;
		return copy ? stopped(r, t, w, copy, n, ENOTDIR, o) ?: 1 : -ENOMEM;
	}
	return last ? found(r, t, w, &st, o) ?: 1 : 0;
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
	w->prefix[0] = 0;
	w->cached = !t->other_root && !t->other_mnt && r->now > r->tasks->quiet_ns;
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
		err = component(r, t, w, how, out);
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
