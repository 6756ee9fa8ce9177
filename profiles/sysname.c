/* sysname.c - numbers of system calls, and which errno tells a program that one is not to be had; pure */
#include "profiles/policy.h"
#include "profiles/sysno.h"

#include <errno.h>
#include <seccomp.h>
#include <string.h>

/*
 * A program that meets ENOSYS takes the way it had before the call existed; one that meets EPERM believes it
 * lacks a right and often gives up. So young calls, which every C library can do without, are ENOSYS.
 */
static const char *const young[] = {
	"cachestat", "clone3", "close_range", "epoll_pwait2", "faccessat2", "fchmodat2", "file_getattr", "file_setattr",
	"fsconfig", "fsmount", "fsopen", "fspick", "futex_requeue", "futex_wait", "futex_waitv", "futex_wake",
	"getxattrat", "io_uring_enter", "io_uring_register", "io_uring_setup", "landlock_add_rule",
	"landlock_create_ruleset", "landlock_restrict_self", "listmount", "listns", "listxattrat", "lsm_get_self_attr",
	"lsm_list_modules", "lsm_set_self_attr", "map_shadow_stack", "memfd_secret", "mount_setattr", "move_mount",
	"mseal", "open_tree", "open_tree_attr", "openat2", "pidfd_getfd", "pidfd_open", "pidfd_send_signal",
	"process_madvise", "process_mrelease", "quotactl_fd", "removexattrat", "rseq", "rseq_slice_yield",
	"set_mempolicy_home_node", "setxattrat", "statmount", "statx", "uprobe", "uretprobe", "userfaultfd",
};

int sys_deny_errno(const char *name)
{
	size_t low = 0, high = LEN(young);
	while (low < high) {
		size_t mid = (low + high) / 2;
		int order = strcmp(name, young[mid]);
		if (!order)
			return ENOSYS;
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return EPERM;
}

/* libseccomp 2.5.4 ends before these; numbers are the same on every architecture, from asm-generic/unistd.h */
static const struct { const char *name; int nr; } newer[] = {
	{ "set_mempolicy_home_node", 450 }, { "cachestat", 451 }, { "fchmodat2", 452 }, { "map_shadow_stack", 453 },
	{ "futex_wake", 454 }, { "futex_wait", 455 }, { "futex_requeue", 456 }, { "statmount", 457 },
	{ "listmount", 458 }, { "lsm_get_self_attr", 459 }, { "lsm_set_self_attr", 460 }, { "lsm_list_modules", 461 },
	{ "mseal", 462 }, { "setxattrat", 463 }, { "getxattrat", 464 }, { "listxattrat", 465 },
	{ "removexattrat", 466 }, { "open_tree_attr", 467 }, { "file_getattr", 468 }, { "file_setattr", 469 },
};

int sysno(const char *name)
{
	size_t low = 0, high = nsysno_rows;
	while (low < high) {
		size_t mid = (low + high) / 2;
		int order = strcmp(name, sysno_names + sysno_rows[mid].name);
		if (!order)
			return sysno_rows[mid].nr;
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	for (size_t i = 0; i < LEN(newer); i++) {
		if (strcmp(newer[i].name, name) == 0)
			return newer[i].nr;
	}
	int nr = seccomp_syscall_resolve_name(name);
	return nr == __NR_SCMP_ERROR ? SYSNO_UNKNOWN : nr;
}
