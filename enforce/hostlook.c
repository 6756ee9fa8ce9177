/* hostlook.c - follows paths link by link and keeps what they are */
#include "enforce/box.h"

#include "base/path.h"
#include "base/str.h"
#include "enforce/sysw.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* the kernel's own limit, path_resolution(7) */

static enum file_type type_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:  return FT_FILE;
	case S_IFDIR:  return FT_DIR;
	case S_IFLNK:  return FT_LINK;
	case S_IFSOCK: return FT_SOCK;
	case S_IFIFO:  return FT_FIFO;
	case S_IFCHR:  return FT_CHR;
	case S_IFBLK:  return FT_BLK;
	}
	return FT_UNKNOWN;
}

/* What an lstat that failed says: certainly absent, or out of our sight. */
static enum file_type type_of_errno(int err)
{
	return err == ENOENT || err == ENOTDIR ? FT_NONE : FT_UNKNOWN;
}

/**
 * struct walk - a path on its way to the final object
 * @at:   canonical so far, "" is the root
 * @rest: names still to walk
 */
struct walk {
	struct str at, rest;
	struct arena arena;
	struct hop *hops;
	size_t nhops;
	int links;
	bool up; /* ".." was the last name */
};

static void walk_drop(struct walk *w)
{
	str_drop(&w->at);
	str_drop(&w->rest);
	arena_drop(&w->arena);
}

static int walk_hop(struct walk *w, const char *path, const char *text)
{
	struct { struct hop *items; size_t n; } v = { w->hops, w->nhops };
	struct hop *hop = ARENA_PUSH(&w->arena, &v, items, n);
	if (!hop)
		return -ENOMEM;
	*hop = (struct hop){ arena_str(&w->arena, *path ? path : "/"), arena_str(&w->arena, text) };
	w->hops = v.items;
	w->nhops = v.n;
	return hop->path && hop->text ? 0 : -ENOMEM;
}

/* Take the first name off w->rest. Return: 1 got one, 0 there is none. */
static int walk_next(struct walk *w, char name[NAME_MAX + 1])
{
	const char *p = str_c(&w->rest);
	p += strspn(p, "/");
	size_t len = strcspn(p, "/");
	if (!len)
		return 0;
	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, p, len);
	name[len] = 0;
	struct str rest = { 0 };
	str_add(&rest, p + len);
	str_drop(&w->rest);
	w->rest = rest;
	return rest.oom ? -ENOMEM : 1;
}

static void walk_up(struct walk *w)
{
	const char *slash = w->at.len ? strrchr(str_c(&w->at), '/') : NULL;
	if (slash)
		str_cut(&w->at, (size_t)(slash - str_c(&w->at)));
}

/* A link at w->at: follow it by putting its text in front of the rest. */
static int walk_link(struct walk *w, const char *text)
{
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	int r = walk_hop(w, str_c(&w->at), text);
	if (r < 0)
		return r;
	walk_up(w);
	if (text[0] == '/')
		str_clear(&w->at);
	struct str rest = { 0 };
	str_add(&rest, text);
	str_add_char(&rest, '/');
	str_add(&rest, str_c(&w->rest));
	str_drop(&w->rest);
	w->rest = rest;
	return rest.oom || rest.len > 2 * PATH_MAX ? -ENAMETOOLONG : 0;
}

/* One name. Return: 0 go on, 1 the walk ends here with *type (absent or unknown), -errno. */
static int walk_step(struct walk *w, const char *name, struct stat *st, enum file_type *type)
{
	if (strcmp(name, ".") == 0)
		return 0;
	w->up = strcmp(name, "..") == 0;
	if (w->up) {
		int r = walk_hop(w, str_c(&w->at), "..");
		walk_up(w);
		return r;
	}
	str_add_char(&w->at, '/');
	str_add(&w->at, name);
	if (w->at.oom)
		return -ENOMEM;
	if (lstat(str_c(&w->at), st) != 0) {
		*type = type_of_errno(errno);
		return 1;
	}
	*type = type_of(st->st_mode);
	if (!S_ISLNK(st->st_mode))
		return 0;
	char text[PATH_MAX];
	ssize_t n = readlink(str_c(&w->at), text, sizeof(text) - 1);
	if (n <= 0) {
		*type = FT_UNKNOWN;
		return 1;
	}
	text[n] = 0;
	return walk_link(w, text);
}

/* Walk @f->path link by link; fills real, real_type, hops and mode, whose strings live in @w. */
static int walk_all(struct walk *w, struct host_file *f, struct stat *st)
{
	char name[NAME_MAX + 1];
	enum file_type type = FT_DIR;
	int r, ends = 0;
	str_add(&w->rest, f->path);
	while (!ends && (r = walk_next(w, name)) != 0) {
		if (r > 0)
			r = ends = walk_step(w, name, st, &type);
		if (r < 0 && r != -ENOMEM) {
			type = FT_NONE; /* a loop, or too long: nothing to find there */
			break;
		}
		if (r < 0)
			return r;
	}
	struct str real = { 0 };
	str_add(&real, str_c(&w->at));
	str_add_char(&real, '/');
	str_add(&real, str_c(&w->rest));
	f->real = path_join(&w->arena, "/", str_c(&real));
	str_drop(&real);
	f->real_type = type;
	f->hops = w->hops;
	f->nhops = w->nhops;
	return f->real ? 0 : -ENOMEM;
}

/**
 * struct known - the directory the last path lay in
 * @at: it, where no link leads to it: then the real path of a name in it is known, unless that is a link itself
 * @absent: it is not there, and no link is on the way
 */
struct known {
	char dir[PATH_MAX];
	struct fd at;
	bool absent;
};

static void known_drop(struct known *k)
{
	fd_drop(&k->at);
}

static void know(struct known *k, const char *path, size_t len)
{
	fd_drop(&k->at);
	memcpy(k->dir, path, len);
	k->dir[len] = 0;
	k->at = fd_own(sys_openat2(AT_FDCWD, k->dir, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, RESOLVE_NO_SYMLINKS));
	k->absent = !k->at.plus1 && errno == ENOENT;
}

/*
 * Most paths lie in a directory that no link leads to: one call instead of one a name.
 * Return: 1 done, 0 walk, its own type in @type, -errno.
 */
static int look_straight(struct host *h, struct known *k, const char *path, enum file_type *type)
{
	struct host_file f = { .path = path, .real = path };
	struct stat st;
	size_t len = path_parent_len(path);
	if (len >= sizeof(k->dir) || !*path_base(path))
		return 0;
	if (strlen(k->dir) != len || memcmp(k->dir, path, len) != 0)
		know(k, path, len);
	if (!k->at.plus1 && !k->absent)
		return 0;
	if (k->absent || fstatat(fd_no(k->at), path_base(path), &st, AT_SYMLINK_NOFOLLOW) != 0) {
		if (!k->absent && errno != ENOENT)
			return 0;
		f.type = f.real_type = FT_NONE;
	} else if (S_ISLNK(st.st_mode)) {
		*type = FT_LINK;
		return 0;
	} else {
		f.type = f.real_type = type_of(st.st_mode);
		f.mode = st.st_mode & 07777;
		f.uid = st.st_uid;
		f.gid = st.st_gid;
	}
	int r = host_add_file(h, &f);
	return r < 0 ? r : 1;
}

static int look(struct host *h, struct known *k, const char *path)
{
	struct host_file f = { .path = path, .type = FT_UNKNOWN };
	int done = look_straight(h, k, path, &f.type);
	if (done)
		return done < 0 ? done : 0;
	OWN(walk) w = { 0 };
	struct stat st = { 0 }, self;
	int r = walk_all(&w, &f, &st);
	if (r < 0)
		return r;
	if (f.type == FT_UNKNOWN)
		f.type = lstat(path, &self) == 0 ? type_of(self.st_mode) : type_of_errno(errno);
	if (strcmp(f.real, "/") == 0 && stat("/", &st) != 0)
		return -errno;
	if (f.real_type != FT_NONE && f.real_type != FT_UNKNOWN) {
		/* after ".." st is of the directory that was left */
		if (w.up && lstat(f.real, &st) != 0)
			f.real_type = FT_UNKNOWN;
		else
			f.real_type = type_of(st.st_mode);
		f.mode = st.st_mode & 07777;
		f.uid = st.st_uid;
		f.gid = st.st_gid;
	}
	return host_add_file(h, &f);
}

int host_look(struct host *h, const struct wordlist *paths, struct err *e)
{
	OWN(known) k = { 0 };
	for (size_t i = 0; i < paths->n; i++) {
		int r = look(h, &k, paths->items[i].text);
		if (r < 0)
			return err_set(e, -r, "looking at %s: %s", paths->items[i].text, strerror(-r));
	}
	return 0;
}
