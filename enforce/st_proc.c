/* st_proc.c - an own /proc without what it shows of the host */
#include "enforce/view.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>

/**
 * struct covering - a fresh /proc, which nobody else can change: its entries are found by name, once
 * @empty: a file and a directory to cover with, made when they are wanted and kept until something took them
 */
struct covering {
	int proc;
	struct fd empty[2];
};

static void covering_drop(struct covering *c)
{
	fd_drop(&c->empty[0]);
	fd_drop(&c->empty[1]);
}

static int attach(int mount, int proc, const char *name)
{
	return move_mount(mount, "", proc, name, MOVE_MOUNT_F_EMPTY_PATH) == 0 ? 0 : -errno;
}

/* -ENOENT where the kernel has no such entry. */
static int cover_ro(const struct covering *c, const char *name, struct err *e)
{
	OWN(fd) tree = { 0 };
	int r = view_clone_at(&tree, c->proc, name, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
	                      MOUNT_ATTR_NOEXEC, e);
	if (r == 0 && (r = attach(fd_no(tree), c->proc, name)) < 0)
		r = err_set(e, -r, "%s", strerror(-r));
	return r;
}

static int cover_empty(struct covering *c, const struct build *b, const char *name, struct err *e)
{
	for (int dir = 0; dir < 2; dir++) {
		int r = c->empty[dir].plus1 ? 0 : view_empty(&c->empty[dir], b, dir, e);
		if (r < 0)
			return r;
		r = attach(fd_no(c->empty[dir]), c->proc, name);
		if (r == 0)
			fd_drop(&c->empty[dir]);
		if (r == 0 || r == -ENOENT)
			return r;
		if (r != -EINVAL || dir) /* EINVAL: a file on a directory or the other way round */
			return err_set(e, -r, "%s", strerror(-r));
	}
	return 0;
}

int view_proc(struct build *b, const struct place *p, struct err *e)
{
	OWN(fd) m = { 0 };
	int r = view_fs(&m, "proc", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, NULL, e);
	if (r == -EPERM)
		return err_set(e, EPERM, "the kernel refuses a new /proc because the one outside is partly covered, as in a "
		               "container or another sandbox: run there with an uncovered /proc (docker: "
		               "--security-opt systempaths=unconfined), or run snug outside of it");
	if (r == 0)
		r = view_put(b, fd_no(m), p->path, true, e);
	OWN(covering) at = { .proc = m.plus1 ? fd_no(m) : -1 };
	for (const struct proc_cover *c = proc_covers; r == 0 && c->name; c++) {
		if (c->root_only && b->userns)
			continue;
		r = c->mask ? cover_empty(&at, b, c->name, e) : cover_ro(&at, c->name, e);
		if (r == -ENOENT)
			r = 0; /* this kernel has no such entry */
		if (r < 0)
			r = err_wrap(e, "cover %s/%s", p->path, c->name);
	}
	return r;
}
