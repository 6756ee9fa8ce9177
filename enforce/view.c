/* view.c - mounts and mount points by descriptor */
#include "enforce/view.h"

#include "base/path.h"
#include "enforce/sysw.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

/*
 * How this works: every object is a descriptor. A source is opened once in the host's tree, without following any link,
 * so what is mounted is what was checked, or nothing. A target is opened (or made, one name at a time) in the view the
 * same way. Names are never handed to a call that would resolve them in the host's root: that is why each mkdirat and
 * symlinkat gets a descriptor of the parent and one plain name.
 */

static const char *relative(const char *path)
{
	while (*path == '/')
		path++;
	return *path ? path : ".";
}

int view_too_old(const char *call, struct err *e)
{
	return err_set(e, ENOSYS, "%s: a sandbox around snug refuses this call, or the kernel is too old: needs Linux 5.12",
	               call);
}

int view_source(struct fd *out, const struct build *b, const char *path, struct err *e)
{
	OWN(fd) f = fd_own(sys_openat2(fd_no(b->host), relative(path), O_PATH | O_CLOEXEC | O_NOFOLLOW,
	                               RESOLVE_NO_SYMLINKS));
	if (!f.plus1 && errno == ENOSYS)
		return view_too_old("openat2", e);
	if (!f.plus1 && errno == ELOOP)
		return err_set(e, ELOOP, "%s: a symbolic link is on the way that was not there before", path);
	if (!f.plus1)
		return err_sys(e, "%s", path);
	*out = TAKE(f);
	return 0;
}

int view_open(struct fd *out, const struct build *b, const char *path, struct err *e)
{
	OWN(fd) f = fd_own(sys_openat2(fd_no(b->root), relative(path), O_PATH | O_CLOEXEC | O_NOFOLLOW,
	                               RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH));
	if (!f.plus1 && errno == ENOENT)
		return -ENOENT;
	if (!f.plus1 && errno == ENOSYS)
		return view_too_old("open_tree", e);
	if (!f.plus1 && errno == ELOOP)
		return err_set(e, ELOOP, "%s: its way in the view leads through a symbolic link", path);
	if (!f.plus1)
		return err_sys(e, "%s in the view", path);
	*out = TAKE(f);
	return 0;
}

int view_is_own(const struct build *b, int dir, struct err *e)
{
	struct stat st;
	if (fstat(dir, &st) != 0)
		return err_sys(e, "fstat");
	for (size_t i = 0; i < b->nown; i++) {
		if (b->own[i] == st.st_dev)
			return 1;
	}
	return 0;
}

bool view_is_kept(const struct build *b, const char *path)
{
	const struct place *in;
	do { /* a pin shows what the place above it shows */
		char *parent = strndup(path, path_parent_len(path));
		in = parent ? policy_place(b->pol, parent) : NULL;
		free(parent);
		path = in ? in->path : path;
	} while (in && in->kind == PLACE_PIN);
	return in && in->kept;
}

static int must_be_own(const struct build *b, int dir, const char *path, struct err *e)
{
	int r = view_is_own(b, dir, e);
	if (r == 0 && view_is_kept(b, path))
		return 0;
	if (r == 0)
		return err_set(e, EPERM, "%s is not there, and making it would make it on the host: "
		               "make it yourself first", path);
	return r < 0 ? r : 0;
}

static void forget_parent(struct build *b)
{
	fd_drop(&b->parent);
	free(b->parent_path);
	b->parent_path = NULL;
}

static bool parent_known(const struct build *b, const char *path)
{
	size_t len = path_parent_len(path);
	return b->parent.plus1 && *path_base(path) && strlen(b->parent_path) == len &&
	       memcmp(b->parent_path, path, len) == 0;
}

static int know_parent(struct build *b, const char *path, struct err *e)
{
	if (parent_known(b, path))
		return 0;
	char *dir = strndup(path, path_parent_len(path));
	OWN(fd) parent = { 0 };
	int r = dir ? view_dir(&parent, b, dir, e) : err_set(e, ENOMEM, "out of memory");
	if (r == 0)
		r = must_be_own(b, fd_no(parent), path, e);
	if (r < 0) {
		free(dir);
		return r;
	}
	forget_parent(b);
	b->parent = TAKE(parent);
	b->parent_path = dir;
	return 0;
}

/* Make @path, a directory or an empty file to mount on. -EEXIST, without @e, when something is there. */
static int make(struct build *b, const char *path, bool dir, struct err *e)
{
	int r = know_parent(b, path, e);
	if (r < 0)
		return r;
	const char *name = path_base(path);
	int parent = fd_no(b->parent);
	if (!dir && b->spare && linkat(fd_no(b->root), VIEW_SPARE, parent, name, 0) == 0)
		return 0;
	if (dir ? mkdirat(parent, name, 0755) : mknodat(parent, name, S_IFREG | 0444, 0))
		return errno == EEXIST ? -EEXIST : err_sys(e, "make %s in the view", path);
	return 0;
}

int view_parent(int *dir, struct build *b, const char *path, struct err *e)
{
	OWN(fd) there = { 0 };
	int r = parent_known(b, path) ? -ENOENT : view_open(&there, b, path, e);
	if (r != -ENOENT)
		return r < 0 ? r : -EEXIST;
	r = know_parent(b, path, e);
	*dir = r < 0 ? -1 : fd_no(b->parent);
	return r;
}

/* Is @at, at @path, something that a directory (@dir), or anything else, can be mounted on? */
static int fits(int at, const char *path, bool dir, struct err *e)
{
	struct stat st;
	if (fstat(at, &st) != 0)
		return err_sys(e, "%s in the view", path);
	if (S_ISLNK(st.st_mode))
		return err_set(e, ELOOP, "%s is a symbolic link in the view: nothing can be mounted there", path);
	if (S_ISDIR(st.st_mode) != dir)
		return err_set(e, dir ? ENOTDIR : EISDIR, "%s is %s in the view, and its source is not", path,
		               dir ? "a file" : "a directory");
	return 0;
}

int view_dir(struct fd *out, struct build *b, const char *path, struct err *e)
{
	OWN(fd) f = { 0 };
	int r = view_open(&f, b, path, e);
	if (r == -ENOENT) {
		r = make(b, path, true, e);
		if (r == 0)
			r = view_open(&f, b, path, e);
	}
	if (r == 0)
		r = fits(fd_no(f), path, true, e);
	if (r == 0)
		*out = TAKE(f);
	return r;
}

int view_put(struct build *b, int mount, const char *path, bool dir, struct err *e)
{
	int there;
	int r = view_parent(&there, b, path, e);
	if (r == 0)
		r = make(b, path, dir, e);
	if (r == 0) { /* nobody else is in there yet: the name is what was just made */
		if (move_mount(mount, "", fd_no(b->parent), path_base(path), MOVE_MOUNT_F_EMPTY_PATH) != 0)
			return err_sys(e, "mount on %s", path);
		return 0;
	}
	OWN(fd) point = { 0 };
	if (r == -EEXIST)
		r = view_open(&point, b, path, e);
	if (r == 0)
		r = fits(fd_no(point), path, dir, e);
	return r < 0 ? r : view_attach(b, mount, fd_no(point), path, e);
}

int view_clone_at(struct fd *out, int at, const char *name, uint64_t attr, struct err *e)
{
	const unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_NO_AUTOMOUNT |
	                       (*name ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH);
	struct mount_attr set = { .attr_set = attr, .propagation = MS_PRIVATE };
	OWN(fd) f = fd_own(sys_open_tree_attr(at, name, flags, &set, sizeof(set)));
	if (f.plus1) {
		*out = TAKE(f);
		return 0;
	}
	if (errno == ENOSYS)
		f = fd_own(open_tree(at, name, flags)); /* before Linux 6.15 */
	if (!f.plus1 && errno == ENOENT)
		return -ENOENT;
	if (!f.plus1 && errno == ENOSYS)
		return view_too_old("open_tree", e);
	if (!f.plus1)
		return err_sys(e, "clone the mount%s%s", *name ? " of " : "", name);
	if (mount_setattr(fd_no(f), "", AT_EMPTY_PATH | AT_RECURSIVE, &set, sizeof(set)) != 0)
		return errno == ENOSYS ? view_too_old("mount_setattr", e) : err_sys(e, "mount_setattr");
	*out = TAKE(f);
	return 0;
}

int view_clone(struct fd *out, int at, uint64_t attr, struct err *e)
{
	return view_clone_at(out, at, "", attr, e);
}

int view_clone_source(struct fd *out, struct build *b, const char *path, uint64_t attr, struct err *e)
{
	size_t len = path_parent_len(path);
	if (!b->from.plus1 || strlen(b->from_path) != len || memcmp(b->from_path, path, len) != 0) {
		fd_drop(&b->from);
		free(b->from_path);
		b->from_path = strndup(path, len);
		int r = b->from_path ? view_source(&b->from, b, b->from_path, e) : err_set(e, ENOMEM, "out of memory");
		if (r < 0)
			return r;
	}
	int r = view_clone_at(out, fd_no(b->from), path_base(path), attr, e);
	return r == -ENOENT ? err_set(e, ENOENT, "%s: %s", path, strerror(ENOENT)) : r;
}

int view_attach(struct build *b, int mount, int point, const char *path, struct err *e)
{
	if (b->parent_path && path_under(b->parent_path, path))
		forget_parent(b); /* it will lie below the mount */
	if (move_mount(mount, "", point, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0)
		return err_sys(e, "mount on %s", path);
	return 0;
}

int view_fs(struct fd *out, const char *fstype, uint64_t attr, const char *const *options, struct err *e)
{
	OWN(fd) fs = fd_own(fsopen(fstype, FSOPEN_CLOEXEC));
	if (!fs.plus1)
		return errno == ENOSYS ? view_too_old("fsopen", e) : err_sys(e, "fsopen %s", fstype);
	for (; options && *options; options += 2) {
		if (fsconfig(fd_no(fs), FSCONFIG_SET_STRING, options[0], options[1], 0) != 0)
			return err_sys(e, "%s option %s=%s", fstype, options[0], options[1]);
	}
	if (fsconfig(fd_no(fs), FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0)
		return err_sys(e, "new %s", fstype);
	OWN(fd) m = fd_own(fsmount(fd_no(fs), FSMOUNT_CLOEXEC, (unsigned)attr));
	if (!m.plus1)
		return err_sys(e, "new %s mount", fstype);
	*out = TAKE(m);
	return 0;
}

/* Without printf: in a process just forked each page of libc is still to be found. */
const char *view_numbered(char buf[VIEW_NAME], const char *word, uint64_t n, unsigned base)
{
	char digits[24];
	size_t at = sizeof(digits) - 1;
	digits[at] = 0;
	do
		digits[--at] = (char)('0' + n % base);
	while (n /= base);
	stpcpy(stpcpy(buf, word), digits + at);
	return buf;
}

int view_tmpfs(struct fd *out, struct build *b, uint64_t size, const char *mode, const char *path, struct err *e)
{
	char text[VIEW_NAME];
	const char *options[] = { "mode", mode, size ? "size" : NULL, view_numbered(text, "", size, 10), NULL };
	OWN(fd) m = { 0 };
	int r = view_fs(&m, "tmpfs", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, options, e);
	if (r < 0)
		return err_wrap(e, "%s", path);
	struct stat st;
	if (fstat(fd_no(m), &st) != 0)
		return err_sys(e, "fstat %s", path);
	dev_t *own = realloc(b->own, (b->nown + 1) * sizeof(*own));
	if (!own)
		return err_set(e, ENOMEM, "out of memory");
	b->own = own;
	b->own[b->nown++] = st.st_dev;
	*out = TAKE(m);
	return 0;
}
