/* sysname.c - which errno tells a program that a system call is not to be had; pure */
#include "profiles/policy.h"

#include <errno.h>
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
