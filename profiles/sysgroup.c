/* sysgroup.c - which denied system calls belong together, and what is denied by its arguments; pure */
#include "profiles/sysgroup.h"

#include "base/base.h"

#include <string.h>

/* The built-in base denies all that are named here, or special: does; the rest is denied by enforce/filter.c always. */
const struct sys_group sys_groups[] = {
	{ "mount", "the view is made of mounts",
	  { "mount", "umount", "umount2", "pivot_root", "move_mount", "open_tree", "open_tree_attr", "fsopen", "fsconfig",
	    "fsmount", "fspick", "mount_setattr" } },
	{ "namespace", "namespaces of its own, and much kernel code with them", { "unshare", "setns", "clone3" } },
	{ "ptrace", "reading and changing other processes",
	  { "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd" } },
	{ "keyring", "the keyring is shared with the host", { "add_key", "keyctl", "request_key" } },
	{ "bpf", "programs in the kernel", { "bpf" } },
	{ "io_uring", "calls that no filter sees", { "io_uring_setup", "io_uring_enter", "io_uring_register" } },
	{ "perf", "watching the kernel and others", { "perf_event_open", "lookup_dcookie" } },
	{ "userfaultfd", "stopping the kernel half-way", { "userfaultfd" } },
	{ "kexec", "another kernel", { "kexec_load", "kexec_file_load", "reboot" } },
	{ "module", "code in the kernel",
	  { "init_module", "finit_module", "delete_module", "create_module", "query_module", "get_kernel_syms" } },
	{ "handle", "files by number, past every path", { "open_by_handle_at" } },
	{ "machine", "the machine as a whole",
	  { "iopl", "ioperm", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "settimeofday", "clock_settime",
	    "syslog", "vhangup", "uselib", "nfsservctl", "_sysctl" } },
	{ "terminal", "typing into the caller's terminal", { 0 } },
	{ "priority", "the priority of the caller's process group", { 0 } },
	{ "family", "sockets that no network namespace confines, or nobody here needs", { 0 } },
	{ "foreign", "calls of another architecture", { 0 } },
	{ "younger", "calls that nobody has judged yet", { 0 } },
	{ 0 },
};

const struct sys_group *sys_group_of(const char *call)
{
	for (const struct sys_group *g = sys_groups; g->name; g++)
		for (size_t i = 0; i < LEN(g->names) && g->names[i]; i++)
			if (!strcmp(g->names[i], call))
				return g;
	return NULL;
}
