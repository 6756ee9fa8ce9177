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
#include "trace/walk.h"

#include "trace/dirs.h"
#include "trace/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_LINKS = 40 /* include/linux/namei.h, MAXSYMLINKS */ };

/* The component at hand: w->rest[@at], @n bytes, followed by a @slash, the @last one. */
struct step {
	size_t at, n;
	const char *name;
	bool slash, last;
};

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

/* @cur is the deepest directory (or what stopped the walk); the rest of the names is appended, up to a "..". */
static int stopped(struct resolver *r, struct task *t, struct walk *w, const char *name, size_t nlen, int err,
                   struct object *o)
{
	size_t dlen = w->len;
	uint32_t names = 0;
	const char *p = name;
	size_t n = nlen;
	for (;;) {
		if (n == 2 && p[0] == '.' && p[1] == '.') { /* nobody comes back from what is not there */
			names++;
			break;
		}
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

/* The link itself is where the walk ends: the caller meets the same @err. */
static int barred(struct resolver *r, struct task *t, struct walk *w, const struct stat *st, int err, struct object *o)
{
	o->walk_err = err;
	return found(r, t, w, st, o) ?: 1;
}

/* Follow the link @cur/@name (now appended to cur). Return: 0 walked on, 1 @o is done, or -errno. */
static int follow(struct resolver *r, struct task *t, struct walk *w, const struct stat *st, struct object *o)
{
	char text[PATH_MAX];
	if (++w->links > MAX_LINKS)
		return barred(r, t, w, st, ELOOP, o);
	if (st->st_dev == r->proc_dev && procfs_magic(w->cur)) {
		struct stat target;
		int special = procfs_jump(r, t, w->cur, text, sizeof(text), &target, o);
		if (special < 0)
			return barred(r, t, w, st, -special, o);
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
		return barred(r, t, w, st, (int)-n, o);
	text[n] = 0;
	int err = add_hop(r, t, w, w->len, text);
	if (!err)
		err = insert(w, text);
	parent(w);
	if (text[0] == '/')
		w->cur[w->len = 0] = 0;
	return err;
}

/* Is it "self" or "thread-self" in a /proc? */
static bool names_self(const char *dir, const char *name, size_t n)
{
	size_t len = strlen(dir);
	return len >= 5 && !strcmp(dir + len - 5, "/proc") &&
	       ((n == 4 && !memcmp(name, "self", 4)) || (n == 11 && !memcmp(name, "thread-self", 11)));
}

/* Replace "self" and "thread-self" in the host's /proc, wherever it is mounted, by the caller's numbers. */
static int self(const struct resolver *r, struct walk *w, const struct task *t, const char *name, size_t n)
{
	char text[48];
	struct stat st;
	if (!names_self(w->cur, name, n) || w->root != AT_FDCWD)
		return 0;
	if (dirs_stat(w, w->cur, &st) || st.st_dev != r->proc_dev)
		return 0;
	if (n == 4)
		snprintf(text, sizeof(text), "%d", t->group->tgid);
	else
		snprintf(text, sizeof(text), "%d/task/%d", t->group->tgid, t->tid);
	w->cached = false;
	int err = insert(w, text);
	return err ? err : 1;
}

/* The walk ends at w->cur, which is looked at once more. */
static int here(struct resolver *r, struct task *t, struct walk *w, struct object *o)
{
	struct stat st;
	int err = dirs_stat(w, w->cur, &st);
	if (err == -ENOENT || err == -EACCES || err == -ETIMEDOUT)
		return stopped(r, t, w, "", 0, err == -ENOENT ? 0 : -err, o);
	return err ? err : found(r, t, w, &st, o);
}

/* The component @name cannot be entered: the directory without it is where the walk stopped. */
static int stop_before(struct resolver *r, struct task *t, struct walk *w, const struct step *s, size_t before, int err,
                       struct object *o)
{
	char *copy = resolver_str(r, s->name, s->n);
	w->cur[w->len = before] = 0;
	return copy ? stopped(r, t, w, copy, s->n, err, o) : -ENOMEM;
}

/* A component with a name of its own. Return: as walk_step(). */
static int named(struct resolver *r, struct task *t, struct walk *w, const struct step *s, bool follows, struct object *o)
{
	size_t before = w->len;
	struct stat st;
	if (s->n > NAME_MAX)
		return stop_before(r, t, w, s, before, ENAMETOOLONG, o) ?: 1;
	if (w->len + 1 + s->n >= WALK_MAX)
		return -ENAMETOOLONG;
	/* another process namespace may have its own numbers and its own /proc: what is there cannot be asked from here */
	if (w->root != AT_FDCWD && names_self(w->cur, s->name, s->n))
		return stop_before(r, t, w, s, before, ETIMEDOUT, o) ?: 1;
	if (s->at >= w->splice)
		dirs_remember(r, w, s->at);
	w->cur[w->len++] = '/';
	memcpy(w->cur + w->len, s->name, s->n);
	w->len += s->n;
	w->cur[w->len] = 0;
	int err = dirs_stat(w, w->cur, &st);
	if (err) {
		w->cur[w->len = before] = 0;
		return stop_before(r, t, w, s, before, err == -ENOENT ? 0 : -err, o) ?: 1;
	}
	if (S_ISLNK(st.st_mode) && follows) {
		err = follow(r, t, w, &st, o);
		return err == 2 ? here(r, t, w, o) ?: 1 : err;
	}
	if (!S_ISDIR(st.st_mode) && (!s->last || s->slash)) {
		if (!s->last)
			return stop_before(r, t, w, s, before, ENOTDIR, o) ?: 1;
		o->walk_err = ENOTDIR;
	}
	if (s->last)
		return found(r, t, w, &st, o) ?: 1;
	dirs_seen(r, t, w, &st);
	return 0;
}

int walk_step(struct resolver *r, struct task *t, struct walk *w, unsigned how, struct object *o)
{
	struct step s = { .at = w->pos + strspn(w->rest + w->pos, "/") };
	s.name = w->rest + s.at;
	s.n = strcspn(s.name, "/");
	w->pos = s.at + s.n;
	s.slash = w->rest[w->pos] == '/';
	s.last = !w->rest[w->pos + strspn(w->rest + w->pos, "/")];
	if (!s.n || (s.n == 1 && s.name[0] == '.'))
		return s.last ? here(r, t, w, o) ?: 1 : 0;
	if (s.n == 2 && s.name[0] == '.' && s.name[1] == '.') {
		int err = add_hop(r, t, w, w->len, "..");
		parent(w);
		return err || !s.last ? err : here(r, t, w, o) ?: 1;
	}
	bool follows = !s.last || (s.slash && !(how & RES_NAME)) || (how & RES_FOLLOW);
	int err = follows ? self(r, w, t, s.name, s.n) : 0;
	if (err)
		return err < 0 ? err : 0;
	return named(r, t, w, &s, follows, o);
}
