/* copytree.c - a tree, copied as it is */
#include "cli/copytree.h"

#include "base/path.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

enum {
	DEPTH_MAX = 400, /* a descriptor each, below the usual limit of 1024 */
	CHUNK = 1 << 20,
	XATTRS_MAX = 65536, /* XATTR_LIST_MAX and XATTR_SIZE_MAX of linux/limits.h */
};

void copytree_drop(struct copytree *t)
{
	map_drop(&t->linked);
	arena_drop(&t->arena);
	*t = (struct copytree){ 0 };
}

/* What a step of the walk knows. @path: for messages */
struct step {
	int from, to;
	const char *name, *as, *path;
	struct stat st;
	unsigned depth;
};

static int too_big(const char *path, struct err *e)
{
	return err_set(e, EFBIG, "%s: the limit is reached", path);
}

/* ---- files ---- */

static int copy_extent(int from, int to, off_t at, off_t len, const char *name, struct err *e)
{
	char *buf = NULL;
	off_t in = at, out = at;
	int r = 0;
	while (len > 0) {
		ssize_t n = copy_file_range(from, &in, to, &out, (size_t)MIN(len, (off_t)CHUNK), 0);
		if (n > 0) {
			len -= n;
			continue;
		}
		if (n == 0)
			break; /* it was cut meanwhile, or is a file of /proc */
		if (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP && errno != EPERM)
			return err_sys(e, "copying %s", name);
		buf = malloc(CHUNK);
		if (!buf)
			return err_set(e, ENOMEM, "out of memory");
		break;
	}
	while (r == 0 && buf && len > 0) {
		ssize_t n = pread(from, buf, (size_t)MIN(len, (off_t)CHUNK), in), done = 0;
		if (n < 0)
			r = err_sys(e, "reading %s", name);
		if (n <= 0)
			break;
		while (r == 0 && done < n) {
			ssize_t w = pwrite(to, buf + done, (size_t)(n - done), in + done);
			if (w < 0 && errno != EINTR)
				r = err_sys(e, "copying %s", name);
			done += MAX(w, (ssize_t)0);
		}
		in += n;
		len -= n;
	}
	free(buf);
	return r;
}

static int file_extents(int from, int to, off_t begin, uint64_t *left, const char *name, int (*stop)(void), struct err *e)
{
	struct stat st;
	if (fstat(from, &st) < 0)
		return err_sys(e, "%s", name);
	for (off_t at = begin; at < st.st_size;) {
		off_t data = lseek(from, at, SEEK_DATA), hole = data < 0 ? -1 : lseek(from, data, SEEK_HOLE);
		if (data < 0 && errno == ENXIO)
			break; /* only a hole is left */
		if (data < 0 || hole < 0) { /* a file system that knows no holes */
			data = at;
			hole = st.st_size;
		}
		hole = MIN(hole, data + (off_t)64 * CHUNK);
		if ((uint64_t)(hole - data) > *left)
			return too_big(name, e);
		if (stop && stop())
			return err_set(e, EINTR, "interrupted");
		int r = copy_extent(from, to, data, hole - data, name, e);
		if (r < 0)
			return r;
		*left -= (uint64_t)(hole - data);
		at = hole;
	}
	return ftruncate(to, st.st_size) < 0 ? err_sys(e, "copying %s", name) : 0;
}

int file_copy(int from, int to, uint64_t *left, const char *name, struct err *e)
{
	off_t at = lseek(from, 0, SEEK_CUR);
	int r = file_extents(from, to, MAX(at, (off_t)0), left, name, NULL, e);
	(void)lseek(from, at, SEEK_SET); /* where it was: only a pipe has no position */
	return r;
}

static int one_xattr(int from, int to, const char *name, char *value)
{
	ssize_t n = fgetxattr(from, name, value, XATTRS_MAX);
	return n < 0 ? -1 : fsetxattr(to, name, value, (size_t)n, 0);
}

/* Those that this user may set; a security label that is the system's to give is no loss. */
static void copy_xattrs(int from, int to)
{
	ssize_t n = flistxattr(from, NULL, 0);
	if (n <= 0 || n > XATTRS_MAX)
		return;
	char *names = malloc((size_t)n + XATTRS_MAX);
	n = names ? flistxattr(from, names, (size_t)n) : -1;
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1)
		(void)one_xattr(from, to, names + at, names + n); /* see above */
	free(names);
}

/* Owner first, since chown(2) takes set-id bits away. */
static int finish(int fd, const struct step *s, struct err *e)
{
	const struct timespec times[] = { s->st.st_atim, s->st.st_mtim };
	bool ours = s->st.st_uid == geteuid() && s->st.st_gid == getegid();
	if (!ours && fchown(fd, s->st.st_uid, s->st.st_gid) < 0 && errno != EPERM && errno != EINVAL)
		return err_sys(e, "owner of the copy of %s", s->path);
	if (fchmod(fd, s->st.st_mode & 07777) < 0 || futimens(fd, times) < 0)
		return err_sys(e, "copying %s", s->path);
	return 0;
}

static int copy_file(struct copytree *t, const struct step *s, struct err *e)
{
	OWN(fd) in = fd_own(openat(s->from, s->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	if (!in.plus1)
		return err_sys(e, "%s", s->path);
	OWN(fd) out = fd_own(openat(s->to, s->as, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
	if (!out.plus1)
		return err_sys(e, "copying %s", s->path);
	int r = ioctl(fd_no(out), FICLONE, fd_no(in)) == 0 ? 0 :
	        file_extents(fd_no(in), fd_no(out), 0, &t->left, s->path, t->stop, e);
	if (r < 0)
		return r;
	copy_xattrs(fd_no(in), fd_no(out));
	return finish(fd_no(out), s, e);
}

/* ---- everything else ---- */

static int walk(struct copytree *t, const struct step *s, struct err *e);

static int copy_entries(struct copytree *t, const struct step *s, DIR *d, int to, struct err *e)
{
	const struct dirent *de;
	OWN(str) path = { 0 };
	int r = 0;
	while (r == 0 && (errno = 0, de = readdir(d))) {
		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		str_clear(&path);
		str_fmt(&path, "%s/%s", s->path, de->d_name);
		struct step next = { .from = dirfd(d), .to = to, .name = de->d_name, .as = de->d_name, .path = str_c(&path),
		                     .depth = s->depth + 1 };
		if (fstatat(next.from, next.name, &next.st, AT_SYMLINK_NOFOLLOW) < 0)
			r = errno == ENOENT ? 0 : err_sys(e, "%s", next.path); /* gone meanwhile */
		else
			r = walk(t, &next, e);
	}
	return r == 0 && errno ? err_sys(e, "reading %s", s->path) : r;
}

/* Files there have no content of their own that a copy could show. */
static bool is_kernels(int fd)
{
	static const unsigned long magics[] = { PROC_SUPER_MAGIC, SYSFS_MAGIC, CGROUP2_SUPER_MAGIC, CGROUP_SUPER_MAGIC,
	                                        DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC, DEVPTS_SUPER_MAGIC };
	struct statfs fs;
	if (fstatfs(fd, &fs) < 0)
		return true;
	for (size_t i = 0; i < LEN(magics); i++)
		if ((unsigned long)fs.f_type == magics[i])
			return true;
	return false;
}

static int copy_dir(struct copytree *t, const struct step *s, struct err *e)
{
	if (s->depth > DEPTH_MAX)
		return err_set(e, ELOOP, "%s: more than %d directories deep", s->path, DEPTH_MAX);
	OWN(fd) in = fd_own(openat(s->from, s->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (!in.plus1)
		return err_sys(e, "%s", s->path);
	if (is_kernels(fd_no(in)))
		return err_set(e, EOPNOTSUPP, "%s: is the kernel's, and has no copy", s->path);
	if (mkdirat(s->to, s->as, 0700) < 0)
		return err_sys(e, "copying %s", s->path);
	OWN(fd) out = fd_own(openat(s->to, s->as, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (!out.plus1)
		return err_sys(e, "copying %s", s->path);
	DIR *d = fdopendir(dup(fd_no(in)));
	int r = d ? copy_entries(t, s, d, fd_no(out), e) : err_sys(e, "reading %s", s->path);
	if (d)
		closedir(d);
	if (r < 0)
		return r;
	copy_xattrs(fd_no(in), fd_no(out));
	return finish(fd_no(out), s, e);
}

static int copy_link(const struct step *s, struct err *e)
{
	char text[4097];
	const struct timespec times[] = { s->st.st_atim, s->st.st_mtim };
	ssize_t n = readlinkat(s->from, s->name, text, sizeof(text) - 1);
	if (n < 0)
		return err_sys(e, "%s", s->path);
	text[n] = '\0';
	if (symlinkat(text, s->to, s->as) < 0 || utimensat(s->to, s->as, times, AT_SYMLINK_NOFOLLOW) < 0)
		return err_sys(e, "copying %s", s->path);
	if (fchownat(s->to, s->as, s->st.st_uid, s->st.st_gid, AT_SYMLINK_NOFOLLOW) < 0 && errno != EPERM && errno != EINVAL)
		return err_sys(e, "copying %s", s->path);
	return 0;
}

static int copy_special(const struct step *s, struct err *e)
{
	const struct timespec times[] = { s->st.st_atim, s->st.st_mtim };
	if (mknodat(s->to, s->as, s->st.st_mode & (S_IFMT | 0777), s->st.st_rdev) < 0)
		return errno == EPERM ? err_set(e, EOPNOTSUPP, "%s: a device, which only root could copy", s->path) :
		                        err_sys(e, "copying %s", s->path);
	if (fchmodat(s->to, s->as, s->st.st_mode & 07777, 0) < 0 || utimensat(s->to, s->as, times, 0) < 0)
		return err_sys(e, "copying %s", s->path);
	return 0;
}

/* Another name of a file that was copied already. Return: 1 there was one. */
static int copy_name(struct copytree *t, const struct step *s, struct err *e)
{
	char key[48], link[48], path[4097];
	snprintf(key, sizeof(key), "%llx:%llx", (unsigned long long)s->st.st_dev, (unsigned long long)s->st.st_ino);
	const char *there = map_get(&t->linked, key);
	if (there)
		return linkat(AT_FDCWD, there, s->to, s->as, 0) < 0 ? err_sys(e, "copying %s", s->path) : 1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", s->to);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return err_sys(e, "copying %s", s->path);
	path[n] = '\0';
	const char *kept = arena_str(&t->arena, key), *to = path_join(&t->arena, path, s->as);
	void **slot = kept && to ? map_put(&t->linked, kept, strlen(kept), NULL) : NULL;
	if (!slot)
		return err_set(e, ENOMEM, "out of memory");
	*slot = (void *)(uintptr_t)to;
	return 0;
}

static int walk(struct copytree *t, const struct step *s, struct err *e)
{
	if (t->skip_ino && s->st.st_dev == t->skip_dev && s->st.st_ino == t->skip_ino)
		return 0;
	if (t->stop && t->stop())
		return err_set(e, EINTR, "interrupted");
	if (S_ISDIR(s->st.st_mode))
		return copy_dir(t, s, e);
	if (s->st.st_nlink > 1) {
		int r = copy_name(t, s, e);
		if (r != 0)
			return r < 0 ? r : 0;
	}
	if (S_ISREG(s->st.st_mode))
		return copy_file(t, s, e);
	return S_ISLNK(s->st.st_mode) ? copy_link(s, e) : copy_special(s, e);
}

int copytree_make(struct copytree *t, const char *from, const char *to, struct err *e)
{
	struct step s = { .from = AT_FDCWD, .to = AT_FDCWD, .name = from, .as = to, .path = from };
	/* names of another tree's files are no names of this one's */
	map_drop(&t->linked);
	t->linked = (struct map){ 0 };
	if (lstat(from, &s.st) < 0)
		return err_sys(e, "%s", from);
	return walk(t, &s, e);
}

/* ---- listing ---- */

static enum file_type type_of(mode_t m)
{
	return S_ISREG(m) ? FT_FILE : S_ISDIR(m) ? FT_DIR : S_ISLNK(m) ? FT_LINK : S_ISFIFO(m) ? FT_FIFO :
	       S_ISSOCK(m) ? FT_SOCK : S_ISCHR(m) ? FT_CHR : FT_BLK;
}

static int list(struct listing *out, int dir, const char *name, const char *as, unsigned depth, const struct copytree *skip,
                struct err *e)
{
	struct stat st;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : err_sys(e, "%s", as);
	if (skip && skip->skip_ino && st.st_dev == skip->skip_dev && st.st_ino == skip->skip_ino)
		return 0;
	const struct left item = {
		.path = as, .type = type_of(st.st_mode), .mode = st.st_mode & 07777, .size = (uint64_t)st.st_size,
		.time_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
	};
	if (listing_add(out, &item) < 0)
		return err_set(e, ENOMEM, "out of memory");
	if (!S_ISDIR(st.st_mode))
		return 0;
	if (depth > DEPTH_MAX)
		return err_set(e, ELOOP, "%s: more than %d directories deep", as, DEPTH_MAX);
	OWN(fd) fd = fd_own(openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	DIR *d = fd.plus1 ? fdopendir(fd_no(fd)) : NULL;
	if (!d)
		return err_sys(e, "reading %s", as);
	fd.plus1 = 0;
	const struct dirent *de;
	OWN(str) path = { 0 };
	int r = 0;
	while (r == 0 && (de = readdir(d))) {
		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		str_clear(&path);
		str_fmt(&path, "%s/%s", as, de->d_name);
		r = list(out, dirfd(d), de->d_name, str_c(&path), depth + 1, skip, e);
	}
	closedir(d);
	return r;
}

int copytree_list(struct listing *out, const char *dir, const char *as, const struct copytree *skip, struct err *e)
{
	int r = list(out, AT_FDCWD, dir, as, 0, skip, e);
	listing_sort(out);
	return r;
}

/* ---- removing ---- */

static int remove_at(int dir, const char *name, unsigned depth, struct err *e)
{
	if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM && errno != EACCES)
		return err_sys(e, "removing %s", name);
	OWN(fd) fd = fd_own(openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (!fd.plus1 && errno == EACCES && fchmodat(dir, name, 0700, AT_SYMLINK_NOFOLLOW) == 0)
		fd = fd_own(openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (!fd.plus1)
		return err_sys(e, "removing %s", name);
	(void)fchmod(fd_no(fd), 0700); /* where this is needed and fails, what follows says so */
	int copy = depth < DEPTH_MAX ? dup(fd_no(fd)) : -1;
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	if (!d)
		return err_sys(e, "removing %s", name);
	int r = 0;
	const struct dirent *de;
	while (r == 0 && (de = readdir(d)))
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			r = remove_at(fd_no(fd), de->d_name, depth + 1, e);
	closedir(d);
	return r < 0 ? r : unlinkat(dir, name, AT_REMOVEDIR) < 0 ? err_sys(e, "removing %s", name) : 0;
}

int copytree_remove(const char *path, struct err *e)
{
	return remove_at(AT_FDCWD, path, 0, e);
}

int copytree_remove_at(int dir, const char *name, struct err *e)
{
	return remove_at(dir, name, 0, e);
}
