/* st_dev.c - a small /dev */
#include "enforce/view.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* Harmless nodes of the host, each bound by itself: a user namespace may not make device nodes. */
static const char *const nodes[] = { "null", "zero", "full", "random", "urandom", "tty" };

static const struct { const char *name, *text; } links[] = {
	{ "fd", "/proc/self/fd" },
	{ "stdin", "/proc/self/fd/0" },
	{ "stdout", "/proc/self/fd/1" },
	{ "stderr", "/proc/self/fd/2" },
	{ "ptmx", "pts/ptmx" },
};

static int bind_node(struct build *b, int dev, const char *name, struct err *e)
{
	char path[32];
	stpcpy(stpcpy(path, "/dev/"), name);
	OWN(fd) tree = { 0 };
	struct stat st;
	int r = view_clone_source(&tree, b, path, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, e);
	if (r < 0)
		return r;
	if (fstat(fd_no(tree), &st) != 0 || !S_ISCHR(st.st_mode))
		return err_set(e, ENODEV, "%s is no character device on this host", path);
	if (mknodat(dev, name, S_IFREG | 0444, 0) != 0)
		return err_sys(e, "make %s", path);
	if (move_mount(fd_no(tree), "", dev, name, MOVE_MOUNT_F_EMPTY_PATH) != 0)
		return err_sys(e, "mount on %s", path);
	return 0;
}

static int mount_pts(struct build *b, int dev, struct err *e)
{
	if (mkdirat(dev, "pts", 0755) != 0)
		return err_sys(e, "make /dev/pts");
	OWN(fd) m = TAKE(b->pts); /* there already, with a private terminal */
	int r = m.plus1 ? 0 : view_pts(&m, e);
	if (r == 0 && move_mount(fd_no(m), "", dev, "pts", MOVE_MOUNT_F_EMPTY_PATH) != 0)
		return err_sys(e, "mount on /dev/pts");
	return r;
}

int view_dev(struct build *b, const struct place *p, struct err *e)
{
	int r = view_own(&b->dev, b, "dev", 0755, e);
	if (r == 0)
		r = view_put(b, fd_no(b->dev), p->path, true, e);
	for (size_t i = 0; r == 0 && i < LEN(nodes); i++)
		r = bind_node(b, fd_no(b->dev), nodes[i], e);
	if (r == 0)
		r = mount_pts(b, fd_no(b->dev), e);
	for (size_t i = 0; r == 0 && i < LEN(links); i++) {
		if (symlinkat(links[i].text, fd_no(b->dev), links[i].name) != 0)
			r = err_sys(e, "link /dev/%s", links[i].name);
	}
	return r;
}
