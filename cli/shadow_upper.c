/* shadow_upper.c - upper layers: whiteouts made, whiteouts read */
#include "cli/shadow_upper.h"

#include "base/path.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/*
 * How an upper layer says things (Linux, Documentation/filesystems/overlayfs.rst): a character device 0:0 is a whiteout,
 * which everybody may make; a directory with the attribute user.overlay.opaque=y hides what is below it (the overlay
 * is mounted with userxattr). A directory without it is merged; whatever else is there replaces what is below.
 */
#define OPAQUE "user.overlay.opaque"

enum { DEPTH_MAX = 300 }; /* three descriptors each, below the usual limit of 1024 */

int upper_fits(const char *dir, struct err *e)
{
	/* not in every distribution's headers: FUSE, NFS */
	static const unsigned long unfit[] = { OVERLAYFS_SUPER_MAGIC, 0x65735546, 0x6969, 0xff534d42, 0xfe534d42 };
	struct statfs fs;
	if (statfs(dir, &fs) != 0)
		return err_sys(e, "%s", dir);
	for (size_t i = 0; i < LEN(unfit); i++)
		if ((unsigned long)fs.f_type == unfit[i])
			return err_set(e, ENOTSUP, "%s lies on a file system that cannot hold an overlay's changes", dir);
	if (setxattr(dir, "user.overlay.test", "y", 1, 0) != 0)
		return err_set(e, ENOTSUP, "%s lies on a file system without user attributes: %s", dir, strerror(errno));
	(void)removexattr(dir, "user.overlay.test");
	return 0;
}

/* @dir/@name as a directory that looks like @like. */
static int make_like(int dir, const char *name, const char *like, struct err *e)
{
	struct stat st;
	if (lstat(like, &st) != 0 || !S_ISDIR(st.st_mode))
		return err_set(e, errno ? errno : ENOTDIR, "%s: %s", like, strerror(errno ? errno : ENOTDIR));
	if (mkdirat(dir, name, 0700) != 0)
		return errno == EEXIST ? 0 : err_sys(e, "making a layer for %s", like);
	const struct timespec times[] = { st.st_atim, st.st_mtim };
	bool ours = st.st_uid == geteuid() && st.st_gid == getegid();
	if (!ours && fchownat(dir, name, st.st_uid, st.st_gid, AT_SYMLINK_NOFOLLOW) != 0 && errno != EPERM &&
	    errno != EINVAL) /* an id that is not mapped here */
		return err_sys(e, "owner of a layer for %s", like);
	if (fchmodat(dir, name, st.st_mode & 07777, 0) != 0 || utimensat(dir, name, times, 0) != 0)
		return err_sys(e, "making a layer for %s", like);
	return 0;
}

int upper_make(const struct shadow_top *t, struct err *e)
{
	if (mkdir(t->base, 0700) != 0)
		return err_sys(e, "making %s", t->base);
	OWN(fd) base = fd_own(open(t->base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (!base.plus1 || mkdirat(fd_no(base), "lower", 0700) != 0 || mkdirat(fd_no(base), "work", 0700) != 0)
		return err_sys(e, "making %s", t->base);
	return make_like(fd_no(base), "upper", t->path, e);
}

int upper_path(char *buf, size_t size, const struct shadow_top *t, const char *path)
{
	const char *rest = path + (t->path[1] ? strlen(t->path) : 0);
	return snprintf(buf, size, "%s/upper%s", t->base, rest) < (int)size ? 0 : -ENAMETOOLONG;
}

int upper_hide(const struct shadow_top *t, const char *path, struct err *e)
{
	char at[PATH_MAX], like[PATH_MAX];
	if (upper_path(at, sizeof(at), t, path) < 0 || snprintf(like, sizeof(like), "%s", path) >= (int)sizeof(like))
		return err_set(e, ENAMETOOLONG, "hiding %s: %s", path, strerror(ENAMETOOLONG));
	size_t root = strlen(t->path), lead = strlen(at) - (strlen(path) - root);
	for (size_t n = root + 1; like[n]; n++) {
		if (like[n] != '/')
			continue;
		like[n] = at[lead + n - root] = 0;
		int r = make_like(AT_FDCWD, at, like, e);
		like[n] = at[lead + n - root] = '/';
		if (r < 0)
			return r;
	}
	if (mknod(at, S_IFCHR, makedev(0, 0)) != 0 && errno != EEXIST)
		return err_set(e, errno, "hiding %s: %s: an ordinary user needs Linux 5.8", path, strerror(errno));
	return 0;
}

/* ---- reading ---- */

static enum file_type type_of(mode_t m)
{
	return S_ISREG(m) ? FT_FILE : S_ISDIR(m) ? FT_DIR : S_ISLNK(m) ? FT_LINK : S_ISFIFO(m) ? FT_FIFO :
	       S_ISSOCK(m) ? FT_SOCK : S_ISCHR(m) ? FT_CHR : FT_BLK;
}

/* Facts on @name in @dir; @dir -1: there is none. */
static int look(struct layer *out, int dir, const char *name, char *text, size_t size)
{
	struct stat st;
	*out = (struct layer){ .type = FT_NONE };
	if (dir < 0)
		return 0;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) != 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	*out = (struct layer){
		.type = type_of(st.st_mode), .mode = st.st_mode & 07777, .uid = st.st_uid, .gid = st.st_gid, .dev = st.st_dev,
		.ino = st.st_ino, .size = (uint64_t)st.st_size, .nlink = (uint32_t)st.st_nlink,
		.whiteout = S_ISCHR(st.st_mode) && st.st_rdev == 0,
		.time_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
	};
	if (out->type == FT_LINK) {
		ssize_t n = readlinkat(dir, name, text, size - 1);
		if (n < 0)
			return -errno;
		text[n] = 0;
		out->text = text;
	}
	return 0;
}

/* What one level of the walk knows. */
struct level {
	struct shadow_list *out;
	const struct wordlist *hidden, *stores;
	int up, low; /* directories */
	const char *path;
	unsigned depth;
};

static bool under_any(const struct wordlist *l, const char *path, bool itself)
{
	for (size_t i = 0; i < l->n; i++)
		if (itself ? strcmp(l->items[i].text, path) == 0 : path_under(path, l->items[i].text))
			return true;
	return false;
}

static bool holds_any(const struct wordlist *l, const char *dir)
{
	for (size_t i = 0; i < l->n; i++)
		if (path_below(l->items[i].text, dir))
			return true;
	return false;
}

static int read_dir(const struct level *l, struct err *e);

static int enter(const struct level *l, const char *name, const char *path, bool opaque, int up, struct err *e)
{
	OWN(fd) low = { 0 };
	if (l->low >= 0 && !opaque)
		low = fd_own(openat(l->low, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	const struct level next = {
		.out = l->out, .hidden = l->hidden, .stores = l->stores, .up = up, .low = low.plus1 ? fd_no(low) : -1, .path = path, .depth = l->depth + 1,
	};
	return read_dir(&next, e);
}

static int one(const struct level *l, const char *name, struct err *e)
{
	char up_text[PATH_MAX], low_text[PATH_MAX], y = 0;
	struct layer up, low;
	OWN(str) path = { 0 };
	OWN(fd) dir = { 0 };
	str_fmt(&path, "%s/%s", l->path, name);
	const char *p = str_c(&path);
	int r = path.oom ? -ENOMEM : look(&up, l->up, name, up_text, sizeof(up_text));
	r = r < 0 ? r : look(&low, l->low, name, low_text, sizeof(low_text));
	if (r < 0)
		return err_set(e, -r, "%s: %s", p, strerror(-r));
	if (up.whiteout && under_any(l->hidden, p, true))
		return 0;
	if (up.type == FT_DIR) {
		dir = fd_own(openat(l->up, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
		if (!dir.plus1 && errno == EACCES && fchmodat(l->up, name, 0700, 0) == 0)
			dir = fd_own(openat(l->up, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
		if (!dir.plus1)
			return err_sys(e, "%s in the upper layer", p);
		up.opaque = fgetxattr(fd_no(dir), OPAQUE, &y, 1) == 1 && y == 'y';
	}
	/* what takes a store away is not to be done either */
	bool takes = up.whiteout || up.opaque || (up.type != low.type && low.type != FT_NONE);
	if (shadow_add(l->out, p, &up, &low, under_any(l->stores, p, false) || (takes && holds_any(l->hidden, p))) < 0)
		return err_set(e, ENOMEM, "out of memory");
	return up.type == FT_DIR ? enter(l, name, p, up.opaque, fd_no(dir), e) : 0;
}

static int read_dir(const struct level *l, struct err *e)
{
	if (l->depth > DEPTH_MAX)
		return err_set(e, ELOOP, "more than %d directories deep: %s", DEPTH_MAX, l->path);
	int copy = fcntl(l->up, F_DUPFD_CLOEXEC, 0);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	if (!d)
		return err_sys(e, "reading %s", l->path);
	const struct dirent *de;
	int r = 0;
	while (r == 0 && (errno = 0, de = readdir(d)))
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			r = one(l, de->d_name, e);
	if (r == 0 && errno)
		r = err_sys(e, "reading %s", l->path);
	closedir(d);
	return r;
}

int upper_read(struct shadow_list *out, const struct shadow_top *t, const struct wordlist *hidden,
               const struct wordlist *stores, struct err *e)
{
	char path[PATH_MAX];
	if (upper_path(path, sizeof(path), t, t->path) < 0)
		return err_set(e, ENAMETOOLONG, "%s", t->base);
	OWN(fd) up = fd_own(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	OWN(fd) low = fd_own(open(t->path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (!up.plus1 || !low.plus1)
		return err_sys(e, "%s", up.plus1 ? t->path : path);
	const struct level top = { .out = out, .hidden = hidden, .stores = stores, .up = fd_no(up), .low = fd_no(low),
	                           .path = t->path };
	return read_dir(&top, e);
}
