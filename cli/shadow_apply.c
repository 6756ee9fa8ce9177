/* shadow_apply.c - steps done by descriptors: sources in the upper layer, targets below a directory */
#include "cli/shadow_apply.h"

#include "base/esc.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/copytree.h"
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

/**
 * struct doing - one pass over a plan
 * @host: to the host, else into a tree that is made as needed
 * @tops: of the host, one each of s->tops, opened before the first step: none of them can move one
 * @tree: of what is kept, for paths from "/" on
 * @removed: what is to be listed as removed
 */
struct doing {
	struct shadow *s;
	bool host;
	struct fd *tops;
	struct fd tree;
	struct str removed;
	struct str *skipped;
};

static void doing_drop(struct doing *d)
{
	for (size_t i = 0; d->tops && i < d->s->tops.n; i++)
		fd_drop(&d->tops[i]);
	fd_drop(&d->tree);
	str_drop(&d->removed);
}

/* @rel, a path without a leading '/', below @dir, and no link on the way. */
static int beneath(struct fd *out, int dir, const char *rel, uint64_t flags)
{
	struct open_how how = { .flags = flags | O_NOFOLLOW | O_CLOEXEC,
	                        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
	*out = fd_own((int)syscall(SYS_openat2, dir, *rel ? rel : ".", &how, sizeof(how)));
	return out->plus1 ? 0 : -errno;
}

static const struct shadow_top *top_of(const struct shadow *s, const char *path)
{
	const struct shadow_top *best = NULL;
	for (size_t i = 0; i < s->tops.n; i++)
		if (path_below(path, s->tops.items[i].path) &&
		    (!best || strlen(s->tops.items[i].path) > strlen(best->path)))
			best = &s->tops.items[i];
	return best;
}

static const char *relative(const struct shadow_top *t, const char *path)
{
	return path + strlen(t->path) + 1;
}

/* Make the directories of @rel below @dir where they are missing. */
static int make_parents(int dir, const char *rel)
{
	char part[PATH_MAX];
	if (snprintf(part, sizeof(part), "%s", rel) >= (int)sizeof(part))
		return -ENAMETOOLONG;
	for (char *p = part;; p++) {
		if (*p && *p != '/')
			continue;
		char c = *p;
		*p = 0;
		OWN(fd) there = { 0 };
		int r = beneath(&there, dir, part, O_PATH | O_DIRECTORY);
		if (r == -ENOENT && mkdirat(dir, part, 0755) != 0)
			return -errno;
		if (r < 0 && r != -ENOENT)
			return r;
		*p = c;
		if (!c)
			return 0;
	}
}

/* The directory that @path is to be made in. */
static int parent_of(struct fd *out, const struct doing *d, const char *path)
{
	char rel[PATH_MAX];
	const struct shadow_top *t = top_of(d->s, path);
	if (!t)
		return -EPERM;
	const char *from = d->host ? relative(t, path) : path + 1;
	size_t n = strlen(from) - strlen(path_base(path));
	if (snprintf(rel, sizeof(rel), "%.*s", (int)(n ? n - 1 : 0), from) >= (int)sizeof(rel))
		return -ENAMETOOLONG;
	if (!d->host) {
		int r = *rel ? make_parents(fd_no(d->tree), rel) : 0;
		return r < 0 ? r : beneath(out, fd_no(d->tree), rel, O_PATH | O_DIRECTORY);
	}
	return beneath(out, fd_no(d->tops[t - d->s->tops.items]), rel, O_PATH | O_DIRECTORY);
}

static int open_tops(struct doing *d, struct err *e)
{
	const struct shadow *s = d->s;
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	d->tops = arena_array(&d->s->arena, s->tops.n, sizeof(*d->tops));
	if (!d->tops)
		return err_set(e, ENOMEM, "out of memory");
	for (size_t i = 0; i < s->tops.n; i++) {
		d->tops[i] = fd_own((int)syscall(SYS_openat2, AT_FDCWD, s->tops.items[i].path, &how, sizeof(how)));
		if (!d->tops[i].plus1)
			return err_sys(e, "%s", s->tops.items[i].path);
	}
	return 0;
}

static int source_of(struct fd *out, const struct doing *d, const char *path, uint64_t flags)
{
	char upper[PATH_MAX];
	const struct shadow_top *t = top_of(d->s, path);
	if (!t || upper_path(upper, sizeof(upper), t, t->path) < 0)
		return -EPERM;
	OWN(fd) top = fd_own(open(upper, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	return top.plus1 ? beneath(out, fd_no(top), relative(t, path), flags) : -errno;
}

/* ---- making ---- */

/* Owner first, since chown(2) takes set-id bits away; of a file we cannot give away the bits go too. */
static int look_like(int fd, const struct stat *st, bool times)
{
	mode_t mode = st->st_mode & 07777;
	if ((st->st_uid != geteuid() || st->st_gid != getegid()) && fchown(fd, st->st_uid, st->st_gid) != 0)
		mode &= 0777;
	const struct timespec t[] = { st->st_atim, st->st_mtim };
	return fchmod(fd, mode) != 0 || (times && futimens(fd, t) != 0) ? -errno : 0;
}

/* What programs set; the overlay's own marks are none of it. */
static void copy_xattrs(int from, int to)
{
	char names[4096], value[4096];
	ssize_t n = flistxattr(from, names, sizeof(names));
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1) {
		ssize_t len = strncmp(names + at, "user.overlay.", 13) ? fgetxattr(from, names + at, value, sizeof(value)) : -1;
		if (len >= 0)
			(void)fsetxattr(to, names + at, value, (size_t)len, 0); /* what the host refuses a program may not rely on */
	}
}

static int do_file(const struct doing *d, const struct shadow_item *i, int dir, struct err *e)
{
	OWN(fd) from = { 0 };
	char name[64];
	struct stat st;
	uint64_t left = UINT64_MAX;
	int r = source_of(&from, d, i->path, O_RDONLY | O_NONBLOCK);
	if (r == -EACCES) { /* a file that its owner may not read */
		OWN(fd) at = { 0 };
		char link[32];
		r = source_of(&at, d, i->path, O_PATH);
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd_no(at));
		if (r == 0 && chmod(link, 0600) == 0)
			r = source_of(&from, d, i->path, O_RDONLY | O_NONBLOCK);
	}
	if (r < 0 || fstat(fd_no(from), &st) != 0)
		return r < 0 ? r : -errno;
	st.st_mode = (st.st_mode & S_IFMT) | i->mode;
	snprintf(name, sizeof(name), ".snug-apply-%d", (int)getpid());
	OWN(fd) to = fd_own(openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
	if (!to.plus1)
		return -errno;
	r = file_copy(fd_no(from), fd_no(to), &left, i->path, e);
	copy_xattrs(fd_no(from), fd_no(to));
	if (r == 0)
		r = look_like(fd_no(to), &st, true);
	if (r == 0 && renameat(dir, name, dir, path_base(i->path)) != 0)
		r = -errno;
	if (r < 0)
		(void)unlinkat(dir, name, 0);
	return r;
}

static int do_link(const struct doing *d, const struct shadow_item *i, int dir, struct err *e)
{
	OWN(fd) from = { 0 };
	int r = parent_of(&from, d, i->link);
	if (r == 0 && linkat(fd_no(from), path_base(i->link), dir, path_base(i->path), 0) != 0)
		r = -errno;
	return r == -ENOENT && !d->host ? do_file(d, i, dir, e) : r; /* the other name has not changed, so it is not kept */
}

static int do_dir(const struct shadow_item *i, int dir)
{
	struct stat st;
	if (mkdirat(dir, path_base(i->path), 0700) == 0)
		return 0;
	int err = errno;
	bool there = err == EEXIST && fstatat(dir, path_base(i->path), &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
	return there ? 0 : -err;
}

static int do_remove(struct doing *d, const struct shadow_item *i, int dir, struct err *e)
{
	if (d->host)
		return copytree_remove_at(dir, path_base(i->path), e);
	if (i->what == SHADOW_REMOVED || i->what == SHADOW_REPLACED) {
		esc_bytes(&d->removed, i->path, strlen(i->path));
		str_add_char(&d->removed, '\n');
	}
	return d->removed.oom ? -ENOMEM : 0;
}

/* What is left out is said once. */
static int skip(const struct doing *d, const struct shadow_step *s)
{
	if (!d->skipped)
		return 0;
	str_add(d->skipped, "left out: ");
	esc_term(d->skipped, s->item->path);
	str_fmt(d->skipped, ": %s\n", s->why);
	return d->skipped->oom ? -ENOMEM : 0;
}

static int perform(struct doing *d, const struct shadow_step *s, struct err *e)
{
	const struct shadow_item *i = s->item;
	OWN(fd) dir = { 0 };
	int r = s->what == DO_SKIP || (s->what == DO_REMOVE && !d->host) ? 0 : parent_of(&dir, d, i->path);
	if (r < 0)
		return r;
	switch (s->what) {
	case DO_SKIP:
		return skip(d, s);
	case DO_REMOVE:
		return do_remove(d, i, dir.plus1 ? fd_no(dir) : -1, e);
	case DO_DIR:
		return do_dir(i, fd_no(dir));
	case DO_MODE: /* finish() sets it */
		return d->host ? 0 : do_dir(i, fd_no(dir));
	case DO_FILE:
		return do_file(d, i, fd_no(dir), e);
	case DO_LINK:
		return do_link(d, i, fd_no(dir), e);
	case DO_SYMLINK:
		return symlinkat(i->text, fd_no(dir), path_base(i->path)) == 0 ? 0 : -errno;
	case DO_FIFO:
		return mkfifoat(fd_no(dir), path_base(i->path), i->mode & 0777) == 0 ? 0 : -errno;
	}
	return 0;
}

/* Modes and times of directories, the inner ones first: nothing is made in them any more. */
static int finish(struct doing *d, const struct shadow_step *s)
{
	const struct shadow_item *i = s->item;
	OWN(fd) parent = { 0 }, to = { 0 }, from = { 0 };
	struct stat st;
	if (s->what != DO_DIR && s->what != DO_MODE)
		return 0;
	int r = parent_of(&parent, d, i->path);
	r = r < 0 ? r : beneath(&to, fd_no(parent), path_base(i->path), O_RDONLY | O_DIRECTORY);
	r = r < 0 ? r : source_of(&from, d, i->path, O_PATH | O_DIRECTORY);
	if (r < 0 || fstat(fd_no(from), &st) != 0)
		return r < 0 ? r : -errno;
	st.st_mode = (st.st_mode & S_IFMT) | i->mode;
	return look_like(fd_no(to), &st, s->what == DO_DIR);
}

static int all(struct doing *d, size_t *done, struct err *e)
{
	struct shadow_plan plan = { 0 };
	int r = shadow_plan(&plan, &d->s->arena, &d->s->list) < 0 ? -ENOMEM : 0;
	size_t i;
	for (i = 0; r == 0 && i < plan.n; i++) {
		r = perform(d, &plan.items[i], e);
		*done += r == 0;
	}
	size_t at = i ? i - 1 : 0;
	for (i = plan.n; r == 0 && i; i--)
		r = finish(d, &plan.items[at = i - 1]);
	if (r == 0)
		return 0;
	const char *path = plan.n ? plan.items[at].item->path : "";
	return e->code ? err_wrap(e, "%s", path) : err_set(e, -r, "%s: %s", path, strerror(-r));
}

int shadow_apply(struct shadow *s, size_t *done, struct str *out, struct err *e)
{
	OWN(doing) d = { .s = s, .host = true, .skipped = out };
	*done = 0;
	int r = open_tops(&d, e);
	return r < 0 ? r : all(&d, done, e);
}

int shadow_keep(struct shadow *s, const char *dir, struct err *e)
{
	OWN(doing) d = { .s = s };
	OWN(fd) at = fd_own(open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC));
	size_t done = 0;
	if (!at.plus1 || mkdirat(fd_no(at), "tree", 0755) != 0)
		return err_sys(e, "%s", dir);
	d.tree = fd_own(openat(fd_no(at), "tree", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	int r = d.tree.plus1 ? all(&d, &done, e) : err_sys(e, "%s/tree", dir);
	if (r < 0)
		return r;
	OWN(fd) f = fd_own(openat(fd_no(at), "removed", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
	if (!f.plus1 || write_all(fd_no(f), str_c(&d.removed), d.removed.len) < 0)
		return err_sys(e, "%s/removed", dir);
	return 0;
}
