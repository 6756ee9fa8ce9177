/* self_filter.c - the system calls that snug's helper processes keep */
#include "enforce/self_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/socket.h>

enum { RELAY = 1 << SELF_RELAY, RESOLVER = 1 << SELF_RESOLVER, BOTH = RELAY | RESOLVER };

/* By name, resolved through libseccomp: a name it does not know on this architecture is no call there. */
static const struct { const char *name; unsigned roles; } calls[] = {
	{ "accept4", RELAY },
	{ "access", RESOLVER },
	{ "bind", RESOLVER },
	{ "brk", BOTH },
	{ "clock_gettime", BOTH },
	{ "close", BOTH },
	{ "connect", BOTH },
	{ "epoll_ctl", RELAY },
	{ "epoll_pwait", RELAY },
	{ "epoll_wait", RELAY },
	{ "exit", BOTH },
	{ "exit_group", BOTH },
	{ "faccessat", RESOLVER },
	{ "fcntl", BOTH },
	{ "fstat", BOTH },
	{ "fstatfs", RESOLVER },
	{ "futex", BOTH },
	{ "getcwd", RESOLVER },
	{ "getdents64", RESOLVER },
	{ "getegid", RESOLVER },
	{ "geteuid", RESOLVER },
	{ "getgid", RESOLVER },
	{ "getpeername", BOTH },
	{ "getpid", BOTH },
	{ "getppid", RESOLVER },
	{ "getrandom", BOTH },
	{ "getsockname", BOTH },
	{ "getsockopt", BOTH },
	{ "gettid", BOTH },
	{ "gettimeofday", BOTH },
	{ "getuid", RESOLVER },
	{ "ioctl", RESOLVER }, /* FIONREAD of the DNS reader, interface lists */
	{ "lseek", RESOLVER },
	{ "madvise", BOTH },
	{ "mremap", BOTH },
	{ "munmap", BOTH },
	{ "newfstatat", RESOLVER },
	{ "poll", BOTH },
	{ "ppoll", BOTH },
	{ "pread64", RESOLVER },
	{ "prlimit64", RESOLVER },
	{ "read", BOTH },
	{ "readlink", RESOLVER },
	{ "readlinkat", RESOLVER },
	{ "recvfrom", BOTH },
	{ "recvmmsg", RESOLVER },
	{ "recvmsg", BOTH },
	{ "restart_syscall", BOTH },
	{ "rseq", BOTH },
	{ "rt_sigaction", BOTH },
	{ "rt_sigprocmask", BOTH },
	{ "rt_sigreturn", BOTH },
	{ "sched_yield", BOTH },
	{ "sendmmsg", RESOLVER },
	{ "sendmsg", BOTH },
	{ "sendto", BOTH },
	{ "set_robust_list", RESOLVER },
	{ "setsockopt", BOTH },
	{ "shutdown", BOTH },
	{ "sigaltstack", BOTH }, /* changes nobody else; sanitizers want it at the end of a process */
	{ "stat", RESOLVER },
	{ "statfs", RESOLVER },
	{ "statx", RESOLVER },
	{ "sysinfo", RESOLVER },
	{ "time", BOTH },
	{ "uname", RESOLVER },
	{ "write", BOTH },
	{ "writev", BOTH },
};

/* Calls of which one argument decides: allowed when (argument @arg & @mask) == @value. */
static const struct { const char *name; unsigned roles; unsigned arg; uint64_t mask, value; } narrow[] = {
	{ "socket", BOTH, 0, UINT32_MAX, AF_INET },
	{ "socket", BOTH, 0, UINT32_MAX, AF_INET6 },
	{ "socket", RESOLVER, 0, UINT32_MAX, AF_UNIX },    /* nscd, systemd-resolved */
	{ "socket", RESOLVER, 0, UINT32_MAX, AF_NETLINK }, /* which families the host has */
	{ "open", RESOLVER, 1, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY },
	{ "openat", RESOLVER, 2, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY },
	{ "mmap", RELAY, 2, PROT_EXEC, 0 },
	{ "mmap", RESOLVER, 2, 0, 0 },                     /* modules of nsswitch.conf are libraries */
	{ "mprotect", RELAY, 2, PROT_EXEC, 0 },
	{ "mprotect", RESOLVER, 2, 0, 0 },
};

static int fill(scmp_filter_ctx ctx, unsigned role)
{
	for (size_t i = 0; i < LEN(calls); i++) {
		int nr = seccomp_syscall_resolve_name(calls[i].name);
		if (!(calls[i].roles & role) || nr < 0)
			continue;
		int r = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, nr, 0);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < LEN(narrow); i++) {
		int nr = seccomp_syscall_resolve_name(narrow[i].name);
		if (!(narrow[i].roles & role) || nr < 0)
			continue;
		struct scmp_arg_cmp cmp = { narrow[i].arg, SCMP_CMP_MASKED_EQ, narrow[i].mask, narrow[i].value };
		int r = seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, nr, narrow[i].mask ? 1 : 0, &cmp);
		if (r < 0)
			return r;
	}
	return seccomp_load(ctx);
}

int self_filter(enum self_role role, struct err *e)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (!ctx)
		return err_set(e, ENOMEM, "system call filter: out of memory");
	int r = fill(ctx, 1u << role);
	seccomp_release(ctx);
	if (r < 0)
		return err_set(e, -r, "system call filter of a helper process: error %d; the kernel needs seccomp", -r);
	return 0;
}
