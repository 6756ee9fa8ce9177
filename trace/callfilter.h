/* callfilter.h - the seccomp program that decides which calls the recorder sees; pure */
#pragma once

#include "base/err.h"
#include "trace/sysdef.h"

#include <linux/filter.h>

enum { CALLFILTER_MAX = 1024 };

/**
 * struct callfilter - a classic BPF program over struct seccomp_data
 * @n: instructions used
 */
struct callfilter {
	struct sock_filter code[CALLFILTER_MAX];
	size_t n;
};

/**
 * callfilter_build() - notify for the rows of @defs, allow for the rest
 * @net_only: only rows marked .net
 *
 * Architecture and number are tested first and by themselves, so that the kernel's table of always-allowed
 * numbers (seccomp_cache_prepare) covers every call without a row. Calls of a foreign architecture, of x32 and
 * numbers above the newest known one are notified too: they are seen, and said. -E2BIG.
 */
int callfilter_build(struct callfilter *out, const struct sysdefs *defs, bool net_only, struct err *e) MUST;
