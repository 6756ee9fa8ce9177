/* copy.c - mode: copy: in at the start, back at the end */
#include "enforce/copy.h"

#include "base/esc.h"
#include "base/path.h"
#include "enforce/create.h"
#include "enforce/step.h"
#include "enforce/sysw.h"
#include "enforce/view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { XATTR_MAX = 64 << 10 }; /* the kernel's XATTR_SIZE_MAX */

void copies_drop(struct copy *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fd_drop(&c[i].src);
		fd_drop(&c[i].place);
		free(c[i].source);
		free(c[i].name);
	}
	free(c);
}

/* The private place that @p lies in: the innermost place above it, which must be a tmpfs. */
static const struct place *private_place(const struct policy *pol, const struct place *p)
{
	const struct place *in = NULL;
	for (const struct place *q = pol->places; q < p; q++) {
		if (path_below(p->path, q->path) && (!in || path_under(q->path, in->path)))
			in = q;
	}
	return in && (in->kind == PLACE_TMPFS || in->kind == PLACE_SHM) ? in : NULL;
}

static int copy_open(struct copy *c, const struct policy *pol, const struct place *p, struct err *e)
{
	const struct place *in = private_place(pol, p);
	if (!in)
		return err_set(e, EINVAL, "copy of %s: %s lies in no private place (home, /tmp, tmpfs)", p->source, p->path);
	c->source = strdup(p->source);
	c->name = strdup(p->path + strlen(in->path) + 1);
	if (!c->source || !c->name)
		return err_set(e, ENOMEM, "out of memory");
	/* no link on the way, and no wait for a FIFO's other end */
	c->src = fd_own(sys_openat2(AT_FDCWD, p->source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
	                            RESOLVE_NO_SYMLINKS));
	if (!c->src.plus1 && errno == ENOENT && p->optional)
		return 0;
	if (!c->src.plus1 && errno == ENOENT)
		return err_set(e, ENOENT, "copy of %s: no such file; make it, or say optional: true, and a new one is written back",
		               p->source);
	if (!c->src.plus1)
		return err_sys(e, "copy of %s", p->source);
	if (fstat(fd_no(c->src), &c->st) != 0)
		return err_sys(e, "copy of %s", p->source);
	if (!S_ISREG(c->st.st_mode))
		return err_set(e, EINVAL, "copy of %s: only regular files can be copied in", p->source);
	if (c->st.st_size > COPY_BYTES_MAX)
		return err_set(e, EFBIG, "copy of %s: larger than %d MiB", p->source, COPY_BYTES_MAX >> 20);
	return 0;
}

int copies_open(struct copy **out, size_t *n, const struct policy *pol, struct err *e)
{
	size_t count = 0;
	for (size_t i = 0; i < pol->nplaces; i++)
		count += pol->places[i].kind == PLACE_COPY;
	if (!count)
		return 0;
	if (count > COPIES_MAX)
		return err_set(e, E2BIG, "more than %d files with mode: copy", COPIES_MAX);
	struct copy *c = calloc(count, sizeof(*c));
	int r = c ? 0 : err_set(e, ENOMEM, "out of memory");
	for (size_t i = 0, k = 0; r == 0 && i < pol->nplaces; i++) {
		if (pol->places[i].kind == PLACE_COPY)
			r = copy_open(&c[k++], pol, &pol->places[i], e);
	}
	if (r < 0) {
		copies_drop(c, c ? count : 0);
		return r;
	}
	*out = c;
	*n = count;
	return 0;
}

int copy_bytes(int from, int to, const char *what, struct err *e)
{
	char buf[16384];
	off_t at = 0;
	for (ssize_t n; (n = pread(from, buf, sizeof(buf), at)) != 0; at += n) {
		if (n < 0)
			return err_sys(e, "read %s", what);
		if (at > COPY_BYTES_MAX)
			return err_set(e, EFBIG, "%s: larger than %d MiB", what, COPY_BYTES_MAX >> 20);
		for (ssize_t done = 0; done < n;) {
			ssize_t w = write(to, buf + done, (size_t)(n - done));
			if (w < 0)
				return err_sys(e, "write %s", what);
			done += w;
		}
	}
	return 0;
}

int view_copy(struct build *b, const struct place *p, struct err *e)
{
	const struct copy *c = &b->copy[b->ncopies];
	char *parent = strndup(p->path, path_parent_len(p->path));
	char *place = strndup(p->path, strlen(p->path) - strlen(c->name) - 1);
	OWN(fd) dir = { 0 }, file = { 0 };
	int r = parent && place ? view_dir(&dir, b, parent, e) : err_set(e, ENOMEM, "out of memory");
	if (r == 0)
		r = view_open(&b->copies[b->ncopies], b, place, e);
	free(parent);
	free(place);
	if (r < 0)
		return r;
	b->ncopies++;
	if (!c->src.plus1)
		return 0;
	file = fd_own(openat(fd_no(dir), path_base(p->path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
	                     c->st.st_mode & 0777));
	if (!file.plus1)
		return err_sys(e, "make %s in the view", p->path);
	return copy_bytes(fd_no(c->src), fd_no(file), p->source, e);
}

/* ---- after the end ---- */

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static const char acl[] = "system.posix_acl_access";
static const char changed[] = "the host's file changed while the command ran; run it again";

/* Is the host's file as it was copied in (or still absent)? */
static bool host_unchanged(const struct copy *c)
{
	struct stat st;
	if (lstat(c->source, &st) != 0)
		return !c->src.plus1 && errno == ENOENT;
	return c->src.plus1 && same_file(&st, &c->st);
}

/* 1 same bytes, 0 different, -errno */
static int same_bytes(int a, int b)
{
	char x[8192], y[8192];
	for (off_t at = 0;;) {
		ssize_t n = pread(a, x, sizeof(x), at), m = pread(b, y, sizeof(y), at);
		if (n < 0 || m < 0)
			return -errno;
		if (n != m || memcmp(x, y, (size_t)n) != 0)
			return 0;
		if (n == 0)
			return 1;
		at += n;
	}
}

/*
 * Is @name an attribute that goes with the file, whatever is in it? One about its contents (a hash, capabilities) is
 * wrong for others.
 */
static bool goes_along(const char *name)
{
	return !strncmp(name, "user.", 5) || !strcmp(name, acl);
}

/* The attributes of the host's file @from, and no others: one may have come from the directory. */
static int same_xattrs(int from, int to, const char *what, struct err *e)
{
	OWN(arena) a = { 0 };
	ssize_t n = flistxattr(from, NULL, 0);
	char *names = n > 0 ? arena_alloc(&a, (size_t)n) : NULL, *value = names ? arena_alloc(&a, XATTR_MAX) : NULL;
	if (n > 0 && !value)
		return err_set(e, ENOMEM, "out of memory");
	if (fremovexattr(to, acl) != 0 && errno != ENODATA && errno != EOPNOTSUPP)
		return err_sys(e, "access list of %s", what);
	if (n < 0 && errno == EOPNOTSUPP)
		return 0;
	if (n > 0)
		n = flistxattr(from, names, (size_t)n);
	if (n < 0)
		return err_sys(e, "attributes of %s", what);
	for (const char *name = names; n > 0 && name < names + n; name += strlen(name) + 1) {
		ssize_t size = goes_along(name) ? fgetxattr(from, name, value, XATTR_MAX) : -1;
		if (goes_along(name) && (size < 0 || fsetxattr(to, name, value, (size_t)size, 0) != 0))
			return err_sys(e, "attribute %.100s of %s", name, what);
	}
	return 0;
}

/* Temporary file beside @c->source, then rename: a reader sees the old or the new, never half. */
static int replace(const struct copy *c, int from, const struct stat *now, struct err *e)
{
	OWN(str) temp = { 0 };
	str_fmt(&temp, "%.*s/.%s.snug-%d", (int)path_parent_len(c->source), c->source, path_base(c->source), getpid());
	if (temp.oom)
		return err_set(e, ENOMEM, "out of memory");
	int r = c->src.plus1 ? 0 : create_parent(c->source, e);
	if (r < 0)
		return r;
	mode_t mode = (c->src.plus1 ? c->st.st_mode : now->st_mode) & 0777;
	OWN(fd) to = fd_own(open(str_c(&temp), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
	if (!to.plus1)
		return err_sys(e, "make %s", str_c(&temp));
	r = copy_bytes(from, fd_no(to), c->source, e);
	if (r == 0 && c->src.plus1 && (c->st.st_uid != geteuid() || c->st.st_gid != getegid()) &&
	    fchown(fd_no(to), c->st.st_uid, c->st.st_gid) != 0)
		r = err_sys(e, "owner of %s", c->source);
	if (r == 0 && c->src.plus1)
		r = same_xattrs(fd_no(c->src), fd_no(to), c->source, e);
	if (r == 0 && (fchmod(fd_no(to), mode) != 0 || fsync(fd_no(to)) != 0))
		r = err_sys(e, "write %s", str_c(&temp));
	if (r == 0 && !host_unchanged(c))
		r = err_set(e, EBUSY, "%s", changed);
	if (r == 0 && rename(str_c(&temp), c->source) != 0)
		r = err_sys(e, "rename to %s", c->source);
	if (r < 0)
		unlink(str_c(&temp));
	return r;
}

/* Return: 0 written back or nothing to do. */
static int copy_back(const struct copy *c, struct err *e)
{
	struct stat now;
	OWN(fd) in = fd_own(sys_openat2(fd_no(c->place), c->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
	                                RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV));
	if (!in.plus1 && errno == ENOENT)
		return c->src.plus1 ? err_set(e, ENOENT, "the command removed it; the host's file stays as it was, remove it yourself") : 0;
	if (!in.plus1 || fstat(fd_no(in), &now) != 0)
		return err_sys(e, "what the command left there");
	if (!S_ISREG(now.st_mode))
		return err_set(e, EINVAL, "the command left no regular file there; mode rw keeps what it makes");
	int same = c->src.plus1 ? same_bytes(fd_no(c->src), fd_no(in)) : 0;
	if (same == 1)
		return 0;
	if (!host_unchanged(c))
		return err_set(e, EBUSY, "%s", changed);
	return replace(c, fd_no(in), &now, e);
}

size_t copies_back(const struct copy *c, size_t n, struct str *notes)
{
	size_t troubles = 0;
	for (size_t i = 0; i < n; i++) {
		struct err e = { 0 };
		if (!c[i].place.plus1 || copy_back(&c[i], &e) == 0)
			continue;
		str_add(notes, "not written back: ");
		esc_term(notes, c[i].source);
		str_fmt(notes, ": %s\n", e.msg);
		troubles++;
	}
	return troubles;
}
