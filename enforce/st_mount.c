/* st_mount.c - performs the places, enters the view, seals it */
#include "enforce/view.h"

#include "base/path.h"
#include "enforce/sysw.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

static bool is_device(const struct stat *st)
{
	return S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode);
}

/* A device bound by itself stays one; inside a tree none does, and neither does what was none when it was looked at. */
static int clone_unknown(struct fd *out, struct build *b, const struct place *p, uint64_t attr, struct err *e)
{
	OWN(fd) src = { 0 };
	struct stat st;
	int r = view_source(&src, b, p->source, e);
	if (r < 0)
		return r;
	if (fstat(fd_no(src), &st) != 0)
		return err_sys(e, "%s", p->source);
	return view_clone(out, fd_no(src), attr | (is_device(&st) ? 0 : MOUNT_ATTR_NODEV), e);
}

/* A detached mount of @p's source. Return: 1 a directory, 0 something else, -errno. */
static int clone_source(struct fd *out, struct build *b, const struct place *p, struct err *e)
{
	uint64_t attr = MOUNT_ATTR_NOSUID | (p->mode == BIND_RO ? MOUNT_ATTR_RDONLY : 0);
	struct stat st;
	int r = p->type == FT_FILE || p->type == FT_DIR
	        ? view_clone_source(out, b, p->source, attr | MOUNT_ATTR_NODEV, e)
	        : clone_unknown(out, b, p, attr, e);
	if (r < 0)
		return r;
	if (fstat(fd_no(*out), &st) != 0)
		return err_sys(e, "%s", p->source);
	if (S_ISLNK(st.st_mode))
		return err_set(e, ELOOP, "%s: became a symbolic link since it was looked at", p->source);
	return S_ISDIR(st.st_mode);
}

static int do_bind(struct build *b, const struct place *p, struct err *e)
{
	OWN(fd) tree = { 0 };
	int dir = p->overlay ? view_overlay(&tree, b, p->source, p->overlay, e) : clone_source(&tree, b, p, e);
	if (dir == 0 && p->overlay)
		dir = 1;
	return dir < 0 ? dir : view_put(b, fd_no(tree), p->path, dir, e);
}

static mode_t tmpfs_mode(const struct build *b, const char *path)
{
	if (strcmp(path, "/tmp") == 0 || strcmp(path, "/var/tmp") == 0 || strcmp(path, "/dev/shm") == 0 ||
	    (b->pol->tmp && strcmp(path, b->pol->tmp) == 0))
		return 01777;
	return b->pol->home && strcmp(path, b->pol->home) == 0 ? 0700 : 0755;
}

int view_own(struct fd *out, struct build *b, const char *name, mode_t mode, struct err *e)
{
	if (mkdirat(fd_no(b->aside), name, mode) != 0) /* the umask is 0 */
		return err_sys(e, "make a private directory");
	return view_clone_at(out, fd_no(b->aside), name, 0, e); /* nosuid and nodev like the whole */
}

static int next_own(struct fd *out, struct build *b, mode_t mode, struct err *e)
{
	char name[VIEW_NAME];
	return view_own(out, b, view_numbered(name, "private", b->naside++, 10), mode, e);
}

static int do_tmpfs(struct build *b, const struct place *p, struct err *e)
{
	OWN(fd) m = { 0 };
	mode_t mode = tmpfs_mode(b, p->path);
	char text[VIEW_NAME];
	int r = p->size ? view_tmpfs(&m, b, p->size, view_numbered(text, "", mode, 8), p->path, e) : next_own(&m, b, mode, e);
	return r < 0 ? r : view_put(b, fd_no(m), p->path, true, e);
}

static int do_link(struct build *b, const struct place *p, struct err *e)
{
	int parent, r = view_parent(&parent, b, p->path, e);
	if (r == 0 && symlinkat(p->text, parent, path_base(p->path)) != 0)
		r = errno == EEXIST ? -EEXIST : err_sys(e, "link %s", p->path);
	return r == -EEXIST ? 0 : r; /* a place already shows it */
}

static int write_all(int fd, const char *text, const char *path, struct err *e)
{
	for (size_t len = strlen(text); len;) {
		ssize_t n = write(fd, text, len);
		if (n < 0)
			return err_sys(e, "write %s", path);
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/* -EEXIST, without @e, when something is there. */
static int make_file(struct fd *out, int dir, const char *name, const char *text, const char *path, struct err *e)
{
	OWN(fd) f = fd_own(openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
	if (!f.plus1)
		return errno == EEXIST ? -EEXIST : err_sys(e, "make %s", path);
	int r = write_all(fd_no(f), text, path, e);
	if (r == 0)
		*out = TAKE(f);
	return r;
}

/* A small generated file; over something that is bound there it comes as a mount of its own. */
static int do_stub(struct build *b, const struct place *p, struct err *e)
{
	OWN(fd) file = { 0 }, tree = { 0 };
	int parent, r = view_parent(&parent, b, p->path, e);
	if (r == 0)
		r = make_file(&file, parent, path_base(p->path), p->text, p->path, e);
	if (r != -EEXIST)
		return r;
	char name[VIEW_NAME];
	view_numbered(name, "stub", b->naside++, 10);
	r = make_file(&file, fd_no(b->aside), name, p->text, p->path, e);
	if (r == 0)
		r = view_clone(&tree, fd_no(file), MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, e);
	return r < 0 ? r : view_put(b, fd_no(tree), p->path, false, e);
}

int view_empty(struct fd *out, const struct build *b, bool dir, struct err *e)
{
	return view_clone_at(out, fd_no(b->aside), dir ? "dir" : "file", MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
	                     MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, e);
}

int view_mask(struct build *b, const char *path, struct err *e)
{
	OWN(fd) point = { 0 }, tree = { 0 };
	struct stat st;
	int r = view_open(&point, b, path, e);
	if (r < 0)
		return r;
	if (fstat(fd_no(point), &st) != 0)
		return err_sys(e, "%s", path);
	if (S_ISLNK(st.st_mode))
		return err_set(e, ELOOP, "%s: became a symbolic link since it was looked at", path);
	r = view_empty(&tree, b, S_ISDIR(st.st_mode), e);
	return r < 0 ? r : view_attach(b, fd_no(tree), fd_no(point), path, e);
}

static int do_mask(struct build *b, const struct place *p, struct err *e)
{
	int r = view_mask(b, p->path, e);
	return r == -ENOENT ? 0 : r; /* nothing to hide */
}

/* Fence and pin: what the view shows at the path, mounted onto itself, so that it cannot be moved away. */
static int do_self(struct build *b, const struct place *p, struct err *e)
{
	OWN(fd) point = { 0 }, tree = { 0 };
	int r = view_open(&point, b, p->path, e);
	if (r == -ENOENT && p->kind == PLACE_PIN && !p->optional)
		/* above a place of its own in a home that persists, and first in order: made now or with that place */
		r = view_is_kept(b, p->path) ? view_dir(&point, b, p->path, e) : r;
	if (r == -ENOENT)
		return p->optional ? 0 : err_set(e, ENOENT, "%s is gone, so it cannot be protected", p->path);
	if (r == 0)
		r = view_clone(&tree, fd_no(point), p->kind == PLACE_FENCE ? MOUNT_ATTR_RDONLY : 0, e);
	return r < 0 ? r : view_attach(b, fd_no(tree), fd_no(point), p->path, e);
}

static int do_sys(struct build *b, const struct place *p, struct err *e)
{
	OWN(fd) src = { 0 }, tree = { 0 };
	int r = view_source(&src, b, "/sys", e);
	if (r == -ENOENT && p->optional)
		return 0;
	if (r == 0)
		r = view_clone(&tree, fd_no(src), MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
		               MOUNT_ATTR_NOEXEC, e);
	return r < 0 ? r : view_put(b, fd_no(tree), p->path, true, e);
}

static int (*const do_place[])(struct build *b, const struct place *p, struct err *e) = {
	[PLACE_BIND] = do_bind,  [PLACE_COPY] = view_copy, [PLACE_TMPFS] = do_tmpfs, [PLACE_LINK] = do_link,
	[PLACE_PROC] = view_proc, [PLACE_DEV] = view_dev,  [PLACE_SHM] = do_tmpfs,   [PLACE_SYS] = do_sys,
	[PLACE_STUB] = do_stub,  [PLACE_MASK] = do_mask,   [PLACE_FENCE] = do_self,  [PLACE_PIN] = do_self,
};

/* What masks show lies here, too: an empty file and an empty directory, neither readable by anyone. */
static int make_aside(struct build *b, struct err *e)
{
	OWN(fd) proc = { 0 };
	int r = view_tmpfs(&b->aside, b, 0, "0700", "the view's tmpfs", e);
	if (r < 0)
		return r;
	int dir = fd_no(b->aside);
	if (mknodat(dir, "file", S_IFREG, 0) != 0 || mkdirat(dir, "dir", 0) != 0)
		return err_sys(e, "empty objects");
	/* it goes away with the old root, so it lies on a directory of that which nobody may bind */
	r = view_source(&proc, b, "/proc", e);
	return r < 0 ? r : view_attach(b, fd_no(b->aside), fd_no(proc), "/proc", e);
}

static int make_root(struct build *b, struct err *e)
{
	int r = view_own(&b->root, b, "root", 0755, e);
	b->spare = r == 0 && mknodat(fd_no(b->root), VIEW_SPARE, S_IFREG | 0444, 0) == 0;
	return r;
}

int st_open_host(struct build *b, struct err *e)
{
	b->host = fd_own(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
	return b->host.plus1 ? 0 : err_sys(e, "open /");
}

static int no_private(struct err *e)
{
	switch (errno) {
	case EPERM:
	case EACCES:
		if (refused_nested(errno, e) < 0)
			return -e->code;
		return err_set(e, errno, "the new namespace has no power over its mounts: a sandbox around snug (Landlock, as "
		               "of another snug) refuses them, or a security module (AppArmor?) takes the capabilities away; start "
		               "it outside of that sandbox, allow snug in the module's settings, or run it as root");
	case EINVAL:
		return err_set(e, EINVAL, "/ is no mount point, as in a chroot, so nothing can take its place: run snug outside, "
		               "or bind the chroot's directory onto itself and enter it with pivot_root");
	}
	return err_sys(e, "make mounts private");
}

int st_root(struct build *b, struct err *e)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return no_private(e);
	const struct place *first = b->pol->nplaces ? &b->pol->places[0] : NULL;
	b->bound_root = first && first->kind == PLACE_BIND && strcmp(first->path, "/") == 0;
	int r = make_aside(b, e);
	if (r == 0)
		r = b->bound_root ? clone_source(&b->root, b, first, e) : make_root(b, e);
	if (r < 0)
		return r;
	/* on top of "/": nothing must be made on the host for it, and look-ups that start at b->host do not see it */
	return view_attach(b, fd_no(b->root), fd_no(b->host), "/", e);
}

/* Whose line it is, and which path, where the story does not tell yet. */
static int blame(const struct place *p, struct err *e)
{
	if (!strstr(e->msg, p->path))
		err_wrap(e, "%s", p->path);
	if (p->src.origin && p->src.line)
		return err_wrap(e, "%s:%u", p->src.origin, p->src.line);
	return p->src.inlined ? err_wrap(e, "%s", p->src.origin) : -e->code;
}

int st_places(struct build *b, struct err *e)
{
	for (size_t i = b->bound_root; i < b->pol->nplaces; i++) {
		const struct place *p = &b->pol->places[i];
		int r = do_place[p->kind](b, p, e);
		if (r == -ENOENT && p->optional)
			continue;
		if (r < 0)
			return blame(p, e);
	}
	return 0;
}

int st_pivot(struct build *b, struct err *e)
{
	if (fchdir(fd_no(b->root)) != 0)
		return err_sys(e, "enter the view");
	if (sys_pivot_root(".", ".") != 0)
		return errno == EINVAL ? err_set(e, EINVAL, "the root of this system is an initramfs or a chroot, "
		                                 "which cannot be pivoted from")
		                       : err_sys(e, "pivot_root");
	/* the old root lies on top of the view now */
	if (umount2(".", MNT_DETACH) != 0 || chdir("/") != 0)
		return err_sys(e, "detach the host's root");
	/* ".." at the root goes to whatever is still mounted over it */
	struct stat up, root;
	if (stat("/..", &up) != 0 || fstat(fd_no(b->root), &root) != 0)
		return err_sys(e, "look at the new root");
	if (up.st_dev != root.st_dev || up.st_ino != root.st_ino)
		return err_set(e, EBUSY, "the host's tree is still mounted over the view");
	fd_drop(&b->host);
	fd_drop(&b->aside);
	fd_drop(&b->from);
	return 0;
}

/* Nothing can be added to the empty root and to /dev. Binds and tmpfs are mounts of their own and stay as they are. */
int st_seal(struct build *b, struct err *e)
{
	struct mount_attr ro = { .attr_set = MOUNT_ATTR_RDONLY };
	if (b->spare && unlinkat(fd_no(b->root), VIEW_SPARE, 0) != 0 && errno != EBUSY)
		return err_sys(e, "remove the spare mount point");
	if (!b->bound_root && mount_setattr(fd_no(b->root), "", AT_EMPTY_PATH, &ro, sizeof(ro)) != 0)
		return errno == ENOSYS ? view_too_old("mount_setattr", e) : err_sys(e, "make the root read-only");
	if (b->dev.plus1 && mount_setattr(fd_no(b->dev), "", AT_EMPTY_PATH, &ro, sizeof(ro)) != 0)
		return err_sys(e, "make /dev read-only");
	fd_drop(&b->root);
	fd_drop(&b->dev);
	return 0;
}

int st_cwd(struct build *b, struct err *e)
{
	const char *cwd = b->pol->cwd ? b->pol->cwd : "/";
	if (chdir(cwd) == 0)
		return 0;
	return errno == ENOENT ? err_set(e, ENOENT, "%s is not in the view: grant it with "
	                                 "--allow-read=%s, or choose another with --cwd", cwd, cwd)
	                       : err_sys(e, "%s", cwd);
}
