/* st_stdio.c - 0 to 2 and what is kept: no way out through what was handed over */
#include "enforce/view.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A descriptor of a file is a path into the host's tree: /proc/self/fd/0 opened again asks for more rights than it was
 * handed over with, and a directory leads anywhere. So a directory is refused, and a file that was opened for reading is
 * opened once more on a read-only mount of itself. A file opened for writing stays as it is: its position must be shared
 * with whoever writes to it next, and its name was given for writing.
 */

/* The same file on a detached mount, read-only. */
static int reopen(struct fd *out, const struct build *b, int fd, const struct stat *st, struct err *e)
{
	char link[32], path[PATH_MAX];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return err_sys(e, "read %s", link);
	path[n] = 0;
	OWN(fd) there = { 0 }, tree = { 0 };
	struct stat now;
	int r = view_source(&there, b, path, e);
	if (r < 0)
		return r;
	if (fstat(fd_no(there), &now) != 0 || now.st_dev != st->st_dev || now.st_ino != st->st_ino)
		return err_set(e, ESTALE, "%s is another file by now", path);
	r = view_clone(&tree, fd_no(there), MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, e);
	if (r < 0)
		return r;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd_no(tree));
	OWN(fd) again = fd_own(open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY));
	if (!again.plus1)
		return err_sys(e, "open %s again", path);
	if (lseek(fd_no(again), lseek(fd, 0, SEEK_CUR), SEEK_SET) < 0)
		return err_sys(e, "position in %s", path);
	*out = TAKE(again);
	return 0;
}

/* A file without a name, as of a here-document, is nobody else's. */
static bool is_anew(int fd, struct stat *st)
{
	int flags = fcntl(fd, F_GETFL);
	return flags >= 0 && !(flags & O_PATH) && (flags & O_ACCMODE) == O_RDONLY && fstat(fd, st) == 0 &&
	       S_ISREG(st->st_mode) && st->st_nlink > 0;
}

int handed_no(const struct box_opts *o, size_t i)
{
	return i < 3 ? (int)i : i - 3 < o->nkeep_fd ? o->keep_fd[i - 3] : -1;
}

bool stdio_anew(const struct box_opts *o)
{
	struct stat st;
	int fd;
	for (size_t i = 0; (fd = handed_no(o, i)) >= 0; i++) {
		if (is_anew(fd, &st))
			return true;
	}
	return false;
}

static int one(struct fd *anew, const struct build *b, int fd, struct err *e)
{
	struct stat st;
	int flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fstat(fd, &st) != 0)
		return 0;
	if (S_ISDIR(st.st_mode) || flags & O_PATH)
		return err_set(e, EPERM, "descriptor %d is %s, which would be a way out of the view: close it, or "
		               "redirect it to a file or pipe; --allow-read=PATH grants a directory", fd,
		               S_ISDIR(st.st_mode) ? "a directory" : "a path handle");
	if (!is_anew(fd, &st))
		return 0;
	int r = reopen(anew, b, fd, &st, e);
	if (r < 0)
		return err_wrap(e, "descriptor %d cannot be handed over read-only (a pipe can: cat FILE | snug ..)", fd);
	return dup2(fd_no(*anew), fd) < 0 ? err_sys(e, "descriptor %d", fd) : 0;
}

int st_stdio(struct build *b, struct err *e)
{
	int fd, r = 0;
	for (size_t i = 0; r == 0 && i < HANDED_MAX && (fd = handed_no(b->opts, i)) >= 0; i++)
		r = one(&b->stdio[i], b, fd, e);
	return r;
}
