/* output.c - output files: no silent overwrite, no half-written file */
#include "cli/output.h"

#include "base/fd.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Written in place: devices, pipes, and the names of open descriptors. */
static bool in_place(const char *path)
{
	struct stat st;
	return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6) ||
	       (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

static void parent_of(struct str *out, const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		str_add(out, ".");
	else
		str_add_mem(out, path, slash == path ? 1 : (size_t)(slash - path));
}

/* The name that a file has until it is complete. */
static void temp_of(struct str *out, const char *path)
{
	str_fmt(out, "%s.%ld.tmp", path, (long)getpid());
}

bool output_found_again(const char *path)
{
	return strcmp(path, "-") != 0 && !in_place(path);
}

/* Where a file is made that is not there yet: beside it, and in the end under its name. */
static int check_new(const char *option, const char *path, struct err *e)
{
	OWN(str) dir = { 0 };
	OWN(str) tmp = { 0 };
	struct stat st;
	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && stat(path, &st) < 0)
		return err_set(e, EEXIST, "%s=%s is a link to what does not exist; remove the link, or name another file",
		               option, path);
	parent_of(&dir, path);
	if (access(str_c(&dir), W_OK | X_OK) < 0)
		return err_sys(e, "%s=%s: cannot write in %s; choose another place", option, path, str_c(&dir));
	temp_of(&tmp, path);
	if (lstat(str_c(&tmp), &st) < 0 && errno != ENOENT)
		return err_sys(e, "%s=%s: cannot write %s, from which it is renamed", option, path, str_c(&tmp));
	return 0;
}

int output_check(const char *option, const char *path, bool force, struct err *e)
{
	struct stat st;
	char real[4096];
	if (!path || !strcmp(path, "-"))
		return 0;
	if (stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return err_set(e, EISDIR, "%s=%s is a directory; name a file", option, path);
		if (S_ISREG(st.st_mode) && !in_place(path) && !force)
			return err_set(e, EEXIST, "%s=%s exists; --force overwrites it", option, path);
		if (in_place(path))
			return access(path, W_OK) < 0 ? err_sys(e, "%s=%s: cannot write", option, path) : 0;
	} else if (errno != ENOENT) {
		return err_sys(e, "%s=%s", option, path);
	}
	/* through a link: beside what the link leads to */
	return check_new(option, realpath(path, real) ? real : path, e);
}

int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

static int write_to(const char *path, int flags, mode_t mode, const char *text, size_t len, struct err *e)
{
	OWN(fd) f = fd_own(open(path, flags | O_WRONLY | O_CLOEXEC | O_NOCTTY, mode));
	if (fd_no(f) < 0)
		return err_sys(e, "opening %s", path);
	int r = write_all(fd_no(f), text, len);
	return r < 0 ? err_set(e, -r, "writing %s: %s", path, strerror(-r)) : 0;
}

int output_write(const char *path, bool force, mode_t mode, const char *text, size_t len, struct err *e)
{
	if (!strcmp(path, "-")) {
		int r = write_all(1, text, len);
		return r < 0 ? err_set(e, -r, "writing to standard output: %s", strerror(-r)) : 0;
	}
	if (in_place(path))
		return write_to(path, O_APPEND, mode, text, len, e);
	char real[4096];
	OWN(str) tmp = { 0 };
	if (!realpath(path, real)) /* through a link: the link stays and its target is replaced */
		snprintf(real, sizeof(real), "%s", path);
	temp_of(&tmp, real);
	int r = write_to(str_c(&tmp), O_CREAT | O_EXCL, mode, text, len, e);
	if (r == 0 && renameat2(AT_FDCWD, str_c(&tmp), AT_FDCWD, real, force ? 0 : RENAME_NOREPLACE) < 0) {
		/* a file system without RENAME_NOREPLACE says EINVAL */
		if (force || errno != EINVAL || access(real, F_OK) == 0 || rename(str_c(&tmp), real) < 0)
			r = err_sys(e, "renaming to %s", real);
	}
	if (r < 0)
		(void)unlink(str_c(&tmp)); /* the first failure is the one to tell */
	return r;
}

int output_replace(const char *path, const char *text, size_t len, struct err *e)
{
	char real[4096];
	struct stat st;
	OWN(str) tmp = { 0 };
	if (!realpath(path, real) || stat(real, &st) < 0)
		return err_sys(e, "%s", path);
	temp_of(&tmp, real);
	int r = write_to(str_c(&tmp), O_CREAT | O_EXCL, 0600, text, len, e);
	if (r < 0)
		return r;
	bool ours = st.st_uid == geteuid() && st.st_gid == getegid();
	if ((!ours && chown(str_c(&tmp), st.st_uid, st.st_gid) < 0) || chmod(str_c(&tmp), st.st_mode & 07777) < 0 ||
	    rename(str_c(&tmp), real) < 0) {
		r = err_sys(e, "replacing %s", real);
		(void)unlink(str_c(&tmp)); /* the first failure is the one to tell */
	}
	return r;
}
