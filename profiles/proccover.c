/* proccover.c - what of a fresh /proc is covered; the engine mounts it, the judge knows it; pure */
#include "profiles/resolve.h"

#include "base/path.h"

#include <string.h>

/*
 * What a fresh /proc still shows of the host. Root without capabilities passes plain mode checks (who-runs-it b), so
 * all that only mode bits protect is covered too; an ordinary user could not open it anyway.
 */
const struct proc_cover proc_covers[] = {
	{ "sys", false, false },
	{ "sysrq-trigger", false, false },
	{ "irq", false, false },
	{ "bus", false, false },
	{ "kcore", true, false },
	{ "keys", true, false },
	{ "timer_list", true, false },
	{ "sched_debug", true, false },
	{ "acpi", false, true },
	{ "driver", false, true },
	{ "dynamic_debug", true, true },
	{ "fs", false, true },
	{ "kallsyms", true, true },
	{ "kmsg", true, true },
	{ "kpagecgroup", true, true },
	{ "kpagecount", true, true },
	{ "kpageflags", true, true },
	{ "latency_stats", true, true },
	{ "mtrr", false, true },
	{ "pagetypeinfo", true, true },
	{ "scsi", true, true },
	{ "slabinfo", true, true },
	{ "timer_stats", true, true },
	{ "vmallocinfo", true, true },
	{ NULL, false, false },
};

bool proc_bound(const char *path, const char *real)
{
	return path_under(path, "/proc") || path_under(real, "/proc");
}

bool proc_of_process(const char *real)
{
	/* the last two are the words of a recording */
	static const char *const names[] = { "self", "thread-self", "tree", "other" };
	if (!path_below(real, "/proc"))
		return false;
	const char *name = real + strlen("/proc/");
	size_t n = strcspn(name, "/");
	bool is = strspn(name, "0123456789") == n;
	for (size_t i = 0; i < LEN(names) && !is; i++)
		is = strlen(names[i]) == n && !strncmp(names[i], name, n);
	return is;
}
