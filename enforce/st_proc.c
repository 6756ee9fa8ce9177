#include "enforce/view.h"

#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

enum cover { COVER_RO, COVER_MASK };

/*
 * What a fresh /proc still shows of the host. Root without capabilities passes plain mode checks (who-runs-it b), so
 * all that only mode bits protect is covered too; an ordinary user could not open it anyway.
 */
static const struct {
	const char *name;
	enum cover cover;
	bool root_only;
} covers[] = {
	{ "sys", COVER_RO, false },
	{ "sysrq-trigger", COVER_RO, false },
	{ "irq", COVER_RO, false },
	{ "bus", COVER_RO, false },
	{ "kcore", COVER_MASK, false },
	{ "keys", COVER_MASK, false },
	{ "timer_list", COVER_MASK, false },
	{ "sched_debug", COVER_MASK, false },
	{ "acpi", COVER_RO, true },
	{ "driver", COVER_RO, true },
	{ "dynamic_debug", COVER_MASK, true },
	{ "fs", COVER_RO, true },
	{ "kallsyms", COVER_MASK, true },
	{ "kmsg", COVER_MASK, true },
	{ "kpagecgroup", COVER_MASK, true },
	{ "kpagecount", COVER_MASK, true },
	{ "kpageflags", COVER_MASK, true },
	{ "latency_stats", COVER_MASK, true },
	{ "mtrr", COVER_RO, true },
	{ "pagetypeinfo", COVER_MASK, true },
	{ "scsi", COVER_MASK, true },
	{ "slabinfo", COVER_MASK, true },
	{ "timer_stats", COVER_MASK, true },
	{ "vmallocinfo", COVER_MASK, true },
};

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
	for (size_t i = 0; r == 0 && i < LEN(covers); i++) {
		if (covers[i].root_only && b->userns)
			continue;
		snprintf(path, sizeof(path), "/proc/%s", covers[i].name);
		r = covers[i].cover == COVER_RO ? cover_ro(b, path, e) : view_mask(b, path, e);
		if (r == -ENOENT)
			r = 0; /* this kernel has no such entry */
		if (r < 0)
			r = err_wrap(e, "cover %s", path);
	}
	return r;
}
