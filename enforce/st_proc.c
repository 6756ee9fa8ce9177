/* st_proc.c - an own /proc without what it shows of the host */
#include "enforce/view.h"

#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

static int cover_ro(struct build *b, const char *path, struct err *e)
{
	OWN(fd) point = { 0 }, tree = { 0 };
	int r = view_open(&point, b, path, e);
	if (r == 0)
		r = view_clone(&tree, fd_no(point), MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
		               MOUNT_ATTR_NOEXEC, e);
	return r < 0 ? r : view_attach(b, fd_no(tree), fd_no(point), path, e);
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
	char path[64];
	for (const struct proc_cover *c = proc_covers; r == 0 && c->name; c++) {
		if (c->root_only && b->userns)
			continue;
		snprintf(path, sizeof(path), "/proc/%s", c->name);
		r = !c->mask ? cover_ro(b, path, e) : view_mask(b, path, e);
		if (r == -ENOENT)
			r = 0; /* this kernel has no such entry */
		if (r < 0)
			r = err_wrap(e, "cover %s", path);
	}
	return r;
}
