#include "trace/dirs.h"

#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRESH_NS 1000000000u

enum { CACHE_MAX = 16 * 1024 * 1024 };

struct dir {
	struct dirinfo info;
	uint32_t uid, gid; /* of the caller @info.blocked was computed for */
	uint64_t epoch, ns;
};

struct alias {
	const char *cur;
	struct hop *hops;
	size_t len, nhops, links;
	uint64_t epoch, ns;
};

void dirs_trim(struct resolver *r)
{
	if (r->arena.bytes < CACHE_MAX)
		return;
	map_drop(&r->dirs);
	map_drop(&r->aliases);
	arena_drop(&r->arena);
	r->dir = r->alias = (struct recent){ 0 };
}

/* The value of @key in @m, of which @last is the latest one; NULL for none. */
static void *recall(const struct map *m, struct recent *last, const char *key, size_t len)
{
	if (last->key && last->len == len && !memcmp(last->key, key, len))
		return last->value;
	void **slot = map_find(m, key, len);
	if (!slot || !*slot)
		return NULL;
	const struct map_entry *e = (const void *)((const char *)slot - offsetof(struct map_entry, value));
	*last = (struct recent){ e->key, len, *slot };
	return *slot;
}

/* @value for @key, which is copied where it is new; NULL when memory is out. */
static void *memorize(struct resolver *r, struct map *m, struct recent *last, const char *key, size_t len, void *value)
{
	char *copy = value ? arena_mem(&r->arena, key, len) : NULL;
	void **slot = copy ? map_put(m, copy, len, NULL) : NULL;
	if (!slot)
		return NULL;
	*slot = value;
	*last = (struct recent){ 0 };
	return value;
}

/* Open the directory part of a path that is too long for one call; @tail is what is left of it. */
static int shorten(struct fd *dir, int root, const char *path, const char **tail)
{
	*dir = (struct fd){ 0 };
	int at = root;
	while (strlen(path) >= PATH_MAX) {
		size_t n = PATH_MAX - 1;
		char part[PATH_MAX];
		while (n && path[n] != '/')
			n--;
		if (!n)
			return -ENAMETOOLONG;
		memcpy(part, path, n);
		part[n] = 0;
		int next = openat(at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		fd_drop(dir);
		if (next < 0)
			return -errno;
		*dir = fd_own(next);
		at = next;
		path += n + strspn(path + n, "/");
	}
	*tail = path;
	return at;
}

/* Where to look: a descriptor and a path relative to it. */
static int place(const struct walk *w, const char *path, char *buf, struct fd *dir, const char **tail)
{
	const char *p = path;
	if (w->prefix[0]) {
		if (strlen(w->prefix) + strlen(path) >= WALK_MAX)
			return -ENAMETOOLONG;
		stpcpy(stpcpy(buf, w->prefix), path);
		p = buf;
	} else if (!*p) {
		p = "/";
	}
	int root = w->root;
	if (root == AT_FDCWD && w->r->view.plus1 && !path_under(p, "/proc"))
		root = fd_no(w->r->view);
	if (root != AT_FDCWD) {
		p += strspn(p, "/");
		if (!*p)
			p = ".";
	}
	if (strlen(p) < PATH_MAX) {
		*tail = p;
		return root;
	}
	return shorten(dir, root, p, tail);
}

/* The mount on which a look-up of @path may hang, or NULL; then @buf is the path as the recorder has it. */
static const struct hangpoint *may_hang(const struct walk *w, const char *path, char *buf)
{
	char root[32] = "";
	if (w->root != AT_FDCWD)
		snprintf(root, sizeof(root), "/proc/%d/root", w->tid);
	if (strlen(root) + strlen(w->prefix) + strlen(path) >= WALK_MAX)
		return NULL; /* the look-up itself says so */
	char *seen = stpcpy(buf, root);
	stpcpy(stpcpy(seen, w->prefix), path);
	return hangs_at(w->hangs, seen);
}

int dirs_stat(const struct walk *w, const char *path, struct stat *st)
{
	char buf[WALK_MAX];
	OWN(fd) dir = { 0 };
	const char *tail;
	const struct hangpoint *slow = w->hangs->n ? may_hang(w, path, buf) : NULL;
	if (slow)
		return (int)hangs_ask(w->hangs, slow, &(struct question){ .what = ASK_LSTAT }, buf, st, NULL, 0);
	int at = place(w, path, buf, &dir, &tail);
	if (at < 0 && at != AT_FDCWD)
		return at;
	return fstatat(at, tail, st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0 ? -errno : 0;
}

ssize_t dirs_readlink(const struct walk *w, const char *path, char *buf, size_t size)
{
	char full[WALK_MAX];
	OWN(fd) dir = { 0 };
	const char *tail;
	const struct hangpoint *slow = w->hangs->n ? may_hang(w, path, full) : NULL;
	if (slow)
		return hangs_ask(w->hangs, slow, &(struct question){ .what = ASK_READLINK }, full, NULL, buf, size);
	int at = place(w, path, full, &dir, &tail);
	if (at < 0 && at != AT_FDCWD)
		return at;
	ssize_t n = readlinkat(at, tail, buf, size);
	return n < 0 ? -errno : n;
}

static bool fresh(const struct resolver *r, uint64_t epoch, uint64_t ns)
{
	return epoch == r->tasks->epoch && r->now - ns < FRESH_NS;
}

static size_t clean_part(const char *p)
{
	size_t i = 0;
	while (p[i]) {
		const char *c = p + i + 1;
		size_t n = strcspn(c, "/");
		if (!n || (n == 1 && c[0] == '.') || (n == 2 && c[0] == '.' && c[1] == '.'))
			return i;
		i += 1 + n;
	}
	return i;
}

void dirs_start(struct resolver *r, struct walk *w)
{
	w->clean_len = clean_part(w->whole);
	w->cur[0] = 0;
	w->len = w->splice = w->pos = 0;
	size_t n = w->cached ? w->clean_len : 0;
	/* the last component itself is always looked at */
	while (n && (n == w->whole_len || w->whole[n] != '/'))
		n--;
	for (; n; n--) {
		if (w->whole[n] != '/')
			continue;
		const struct alias *a = recall(&r->aliases, &r->alias, w->whole, n);
		if (!a || !fresh(r, a->epoch, a->ns))
			continue;
		memcpy(w->cur, a->cur, a->len + 1);
		w->len = a->len;
		memcpy(w->hops, a->hops, a->nhops * sizeof(*a->hops));
		w->nhops = a->nhops;
		w->links = a->links;
		break;
	}
	memcpy(w->rest, w->whole + n, w->whole_len - n + 1);
}

void dirs_remember(struct resolver *r, const struct walk *w, size_t at)
{
	size_t left = strlen(w->rest + at), n = w->whole_len - left;
	if (!w->cached || n < 2 || n - 1 > w->clean_len || w->prefix[0])
		return;
	n--;
	struct alias *a = recall(&r->aliases, &r->alias, w->whole, n);
	if (a && fresh(r, a->epoch, a->ns))
		return;
	if (!a || strcmp(a->cur, w->cur) != 0 || a->nhops || w->nhops) {
		a = arena_alloc(&r->arena, sizeof(*a));
		struct hop *hops = arena_array(&r->arena, w->nhops, sizeof(*hops));
		char *cur = arena_mem(&r->arena, w->cur, w->len);
		if (!a || !hops || !cur)
			return;
		for (size_t i = 0; i < w->nhops; i++) {
			hops[i].path = arena_str(&r->arena, w->hops[i].path);
			hops[i].text = arena_str(&r->arena, w->hops[i].text);
			if (!hops[i].path || !hops[i].text)
				return;
		}
		*a = (struct alias){ .cur = cur, .hops = hops, .nhops = w->nhops, .len = w->len, .links = w->links };
		if (!memorize(r, &r->aliases, &r->alias, w->whole, n, a))
			return;
	}
	a->epoch = r->tasks->epoch;
	a->ns = r->now;
}

static bool member(const struct creds *c, uint32_t gid)
{
	if (c->gid == gid)
		return true;
	for (size_t i = 0; i < c->ngroups; i++)
		if (c->groups[i] == gid)
			return true;
	return false;
}

static bool searchable(const struct creds *c, const struct stat *st)
{
	if (st->st_uid == c->uid)
		return st->st_mode & S_IXUSR;
	if (member(c, st->st_gid))
		return st->st_mode & S_IXGRP;
	return st->st_mode & S_IXOTH;
}

static struct dirinfo info_of(const struct stat *st)
{
	return (struct dirinfo){ st->st_mode & 07777, st->st_uid, st->st_gid, st->st_dev, NULL };
}

/* One directory, without its parents. */
static int look(struct walk *w, const struct task *t, size_t len, struct dirinfo *out, bool *search)
{
	struct stat st;
	char keep = w->cur[len];
	w->cur[len] = 0;
	int err = dirs_stat(w, w->cur, &st);
	w->cur[len] = keep;
	if (err)
		return err;
	*out = info_of(&st);
	*search = searchable(&t->creds, &st);
	return 0;
}

static size_t up(const char *path, size_t len)
{
	while (len && path[len - 1] != '/')
		len--;
	return len ? len - 1 : 0;
}

static struct dir *cached(struct resolver *r, const struct task *t, const struct walk *w, size_t len)
{
	struct dir *d = w->cached && !w->prefix[0] ? recall(&r->dirs, &r->dir, w->cur, len) : NULL;
	bool good = d && fresh(r, d->epoch, d->ns) && d->uid == t->creds.uid && d->gid == t->creds.gid;
	return good ? d : NULL;
}

static void store(struct resolver *r, const struct task *t, const struct walk *w, size_t len,
                  const struct dirinfo *info)
{
	if (!w->cached || w->prefix[0])
		return;
	struct dir *d = recall(&r->dirs, &r->dir, w->cur, len);
	if (!d)
		d = memorize(r, &r->dirs, &r->dir, w->cur, len, arena_alloc(&r->arena, sizeof(*d)));
	if (!d)
		return;
	const char *blocked = info->blocked;
	if (blocked && (!d->info.blocked || strcmp(blocked, d->info.blocked) != 0))
		blocked = arena_str(&r->arena, blocked);
	else if (blocked)
		blocked = d->info.blocked;
	*d = (struct dir){ *info, t->creds.uid, t->creds.gid, r->tasks->epoch, r->now };
	d->info.blocked = blocked;
}

/* Where the component behind path[0..@n) ends. */
static size_t down(const char *path, size_t n, size_t len)
{
	for (n++; n < len && path[n] != '/'; n++)
		;
	return MIN(n, len);
}

/* The topmost directory that blocks is the one the caller would meet. */
static const char *blocks(struct resolver *r, const struct walk *w, size_t len, const char *above, bool search)
{
	return above || search ? above : len ? resolver_str(r, w->cur, len) : "/";
}

void dirs_seen(struct resolver *r, const struct task *t, const struct walk *w, const struct stat *st)
{
	const struct dir *above = w->len ? cached(r, t, w, up(w->cur, w->len)) : NULL;
	struct dirinfo info = info_of(st);
	if (!above || cached(r, t, w, w->len))
		return;
	info.blocked = blocks(r, w, w->len, above->info.blocked, searchable(&t->creds, st));
	store(r, t, w, w->len, &info);
}

int dirs_get(struct resolver *r, const struct task *t, struct walk *w, size_t len, struct dirinfo *out)
{
	const struct dir *hit = cached(r, t, w, len);
	if (hit) {
		*out = hit->info;
		return 0;
	}
	size_t at = len;
	while (at && !hit)
		hit = cached(r, t, w, at = up(w->cur, at));
	const char *blocked = hit ? hit->info.blocked : NULL;
	/* from the deepest known one, or the root, down */
	for (at = hit ? down(w->cur, at, len) : 0;; at = down(w->cur, at, len)) {
		bool search;
		int err = look(w, t, at, out, &search);
		if (err && at == len)
			return err;
		if (err)
			continue;
		out->blocked = blocked = blocks(r, w, at, blocked, search);
		store(r, t, w, at, out);
		if (at == len)
			return 0;
	}
}
