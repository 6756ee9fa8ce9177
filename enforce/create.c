/* create.c - sources that are made on the host before the run */
#include "enforce/create.h"

#include "base/fd.h"
#include "base/path.h"
#include "enforce/sysw.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* For the user alone: the command may have meant to make them so, and widens them where it wants (mode is its own). */

/* Directory @path with its parents, opened without following a link. */
static int make_dirs(struct fd *out, const char *path, struct err *e)
{
	OWN(fd) dir = fd_own(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
	char *copy = strdup(path), *save = NULL;
	int r = dir.plus1 && copy ? 0 : err_sys(e, "open /");
	for (char *name = copy ? strtok_r(copy, "/", &save) : NULL; r == 0 && name; name = strtok_r(NULL, "/", &save)) {
		struct fd next = fd_own(openat(fd_no(dir), name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
		if (!next.plus1 && errno == ENOENT && mkdirat(fd_no(dir), name, 0700) == 0)
			next = fd_own(openat(fd_no(dir), name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
		if (!next.plus1)
			r = err_sys(e, "create %s", path);
		fd_drop(&dir);
		dir = next;
	}
	free(copy);
	if (r == 0)
		*out = TAKE(dir);
	return r;
}

static int open_parent(struct fd *out, const char *path, struct err *e)
{
	char *parent = strndup(path, path_parent_len(path));
	if (!parent)
		return err_set(e, ENOMEM, "out of memory");
	int r = make_dirs(out, parent, e);
	free(parent);
	return r;
}

int create_parent(const char *path, struct err *e)
{
	OWN(fd) dir = { 0 };
	return open_parent(&dir, path, e);
}

static int make_file(const char *path, struct err *e)
{
	OWN(fd) dir = { 0 };
	int r = open_parent(&dir, path, e);
	if (r < 0)
		return r;
	OWN(fd) f = fd_own(openat(fd_no(dir), path_base(path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
	return f.plus1 || errno == EEXIST ? 0 : err_sys(e, "create %s", path);
}

int create_sources(const struct policy *pol, struct err *e)
{
	for (size_t i = 0; i < pol->nplaces; i++) {
		const struct place *p = &pol->places[i];
		struct stat st;
		if (p->create == CREATE_NO || !p->source || lstat(p->source, &st) == 0)
			continue;
		OWN(fd) dir = { 0 };
		int r = p->create == CREATE_DIR ? make_dirs(&dir, p->source, e) : make_file(p->source, e);
		if (r < 0)
			return r;
	}
	return 0;
}
