/* calls.c - denied system calls, by each way into the kernel */
#include "leak.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define BAD 1L /* no address */
enum { STATE = -1 };

/*
 * A call with arguments that do nothing: the kernel's own complaint about them shows that it was reached. @i386: its number
 * there, 0 none, the same arguments; STATE: what denies it is the state of the process, not the filter.
 */
struct call { const char *name; long nr, args[5]; const char *open, *shut; long i386; };

static const struct call calls[] = {
	{ "mount", SYS_mount, { BAD, BAD, BAD, 0, 0 }, "EFAULT", "EPERM", 21 },
	{ "umount2", SYS_umount2, { BAD, 0x7fff0000 }, "EINVAL", "EPERM", 52 },
	{ "pivot_root", SYS_pivot_root, { BAD, BAD }, "EFAULT", "EPERM", 217 },
	{ "move_mount", SYS_move_mount, { -1, BAD, -1, BAD, 0 }, "EFAULT|EBADF", "ENOSYS", 429 },
	{ "open_tree", SYS_open_tree, { -1, BAD, 0x7fffffff }, "EINVAL", "ENOSYS", 428 },
	{ "open_tree_attr", 467, { -1, BAD, 0x7fffffff, 0, 0 }, "EINVAL", "ENOSYS", 467 },
	{ "fsopen", SYS_fsopen, { BAD, 0 }, "EFAULT", "ENOSYS", 430 },
	{ "fsconfig", SYS_fsconfig, { -1, 99, 0, 0, 0 }, "EINVAL|EBADF|EOPNOTSUPP", "ENOSYS", 431 },
	{ "fsmount", SYS_fsmount, { -1, 0, 0 }, "EBADF", "ENOSYS", 432 },
	{ "fspick", SYS_fspick, { -1, BAD, 0 }, "EFAULT|EBADF", "ENOSYS", 433 },
	{ "mount_setattr", SYS_mount_setattr, { -1, BAD, 0x7fffffff, 0, 0 }, "EINVAL", "ENOSYS", 442 },
	{ "setns", SYS_setns, { -1, 0 }, "EBADF", "EPERM", 346 },
	{ "process_vm_readv", SYS_process_vm_readv, { 1, 0, 0, 0, 0 }, "OK", "EPERM", 0 },
	{ "pidfd_getfd", SYS_pidfd_getfd, { -1, 0, 0 }, "EBADF", "ENOSYS", 438 },
	{ "add_key", SYS_add_key, { BAD, BAD, 0, 0, 0 }, "EFAULT", "EPERM", 286 },
	{ "request_key", SYS_request_key, { BAD, BAD, 0, 0 }, "EFAULT", "EPERM", 287 },
	{ "keyctl", SYS_keyctl, { 0, -3, 0 }, "OK|ENOKEY", "EPERM", 288 },
	{ "keyctl-user", SYS_keyctl, { 0, -4, 0 }, "OK|ENOKEY", "EPERM", 288 },
	{ "bpf", SYS_bpf, { 9999, 0, 0 }, "EINVAL", "EPERM", 357 },
	{ "io_uring_setup", SYS_io_uring_setup, { 1, BAD }, "EFAULT", "ENOSYS", 425 },
	{ "io_uring_enter", SYS_io_uring_enter, { -1, 0, 0, 0, 0 }, "EBADF", "ENOSYS", 426 },
	{ "io_uring_register", SYS_io_uring_register, { -1, 0, 0, 0 }, "EBADF|EINVAL", "ENOSYS", 427 },
	{ "perf_event_open", SYS_perf_event_open, { BAD, 0, 0, -1, 0 }, "EFAULT|EINVAL", "EPERM", 336 },
	{ "userfaultfd", SYS_userfaultfd, { 1 }, "OK", "ENOSYS", 374 },
	{ "kexec_load", SYS_kexec_load, { 0, 9999, BAD, 0x7fff }, "EINVAL", "EPERM", 283 },
	{ "kexec_file_load", SYS_kexec_file_load, { -1, -1, 0, 0, 0x7fff }, "EINVAL|EBADF", "EPERM", 0 },
	{ "reboot", SYS_reboot, { 0, 0, 0, 0 }, "EINVAL", "EPERM", 88 }, /* without its magic numbers */
	{ "init_module", SYS_init_module, { BAD, 0, BAD }, "EFAULT|ENOEXEC", "EPERM", 128 },
	{ "finit_module", SYS_finit_module, { -1, BAD, 0 }, "EFAULT|EBADF", "EPERM", 350 },
	{ "delete_module", SYS_delete_module, { BAD, 0 }, "EFAULT", "EPERM", 129 },
	{ "open_by_handle_at", SYS_open_by_handle_at, { -1, BAD, 0 }, "EFAULT|EBADF", "EPERM", 342 },
#ifdef SYS_iopl
	{ "iopl", SYS_iopl, { 9 }, "EINVAL", "EPERM", 110 },
	{ "ioperm", SYS_ioperm, { 70000, 1, 1 }, "EINVAL", "EPERM", 101 },
#endif
	{ "swapon", SYS_swapon, { BAD, 0 }, "EFAULT", "EPERM", 87 },
	{ "swapoff", SYS_swapoff, { BAD }, "EFAULT", "EPERM", 115 },
	{ "acct", SYS_acct, { BAD }, "EFAULT", "EPERM", 51 },
	{ "quotactl", SYS_quotactl, { 0x7fff0000, BAD, 0, 0 }, "EINVAL|EFAULT|ENOSYS", "EPERM", 131 },
	{ "settimeofday", SYS_settimeofday, { BAD, 0 }, "EFAULT", "EPERM", 79 },
	{ "clock_settime", SYS_clock_settime, { 999, BAD }, "EINVAL", "EPERM", 264 },
#ifdef SYS_create_module
	{ "create_module", SYS_create_module, { BAD, 0 }, "EFAULT", "EPERM", 0 },
#endif
	{ "syslog", SYS_syslog, { 10, 0, 0 }, "OK", "EPERM", 103 },
	/* denied by the state of the process, not by the filter */
	{ "chroot", SYS_chroot, { (long)"/tmp" }, "OK", "EPERM", STATE },
	{ "sethostname", SYS_sethostname, { BAD, 4 }, "EFAULT", "EPERM", STATE },
	{ "setuid", SYS_setuid, { 65533 }, "OK", "EINVAL|EPERM", STATE },
	{ "setgid", SYS_setgid, { 65533 }, "OK", "EINVAL|EPERM", STATE },
	{ "setgroups", SYS_setgroups, { 0, 0 }, "OK", "EPERM", STATE },
};

static const struct call *call_of(const struct check *c)
{
	return &calls[c->nr];
}

static int direct(const struct check *c)
{
	const struct call *k = call_of(c);
	return result(syscall(k->nr, k->args[0], k->args[1], k->args[2], k->args[3], k->args[4], 0));
}

static int by_i386(const struct check *c)
{
	const struct call *k = call_of(c);
	long r = int80(k->i386, k->args[0], k->args[1], k->args[2], k->args[3]);
	return r < 0 ? (int)-r : 0;
}

static int by_x32(const struct check *c)
{
	const struct call *k = call_of(c);
	return result(syscall(k->nr | 0x40000000, k->args[0], k->args[1], k->args[2], k->args[3], k->args[4], 0));
}

/* ---- calls that are denied for some arguments ---- */

static int t_unshare(const struct check *c)
{
	/* an ordinary user gets the others with a user namespace */
	return result(unshare((int)c->nr | (geteuid() ? CLONE_NEWUSER : 0)));
}

static int t_clone(const struct check *c)
{
	long r = syscall(SYS_clone, c->nr | (geteuid() ? CLONE_NEWUSER : 0) | SIGCHLD, NULL, NULL, NULL, 0);
	if (r == 0)
		_exit(0);
	return result(r);
}

static int t_clone3(const struct check *c)
{
	struct { uint64_t flags, pidfd, child, parent, sig, stack, size, tls; } a = { .flags = (uint64_t)c->nr, .sig = SIGCHLD };
	long r = syscall(SYS_clone3, &a, sizeof(a));
	if (r == 0)
		_exit(0);
	return result(r);
}

static int t_unshare_i386(const struct check *c)
{
	long r = int80(310, c->nr, 0, 0, 0);
	return r < 0 ? (int)-r : 0;
}

/* A terminal of our own: typing into it is what the call does. */
static int pty(void)
{
	int m = open("/dev/ptmx", O_RDWR | O_NOCTTY), unlock = 0, n = 0;
	char name[32];
	if (m < 0 || ioctl(m, TIOCSPTLCK, &unlock) || ioctl(m, TIOCGPTN, &n))
		skip("no pseudo terminal: %s", strerror(errno));
	snprintf(name, sizeof(name), "/dev/pts/%d", n);
	setsid();
	int s = open(name, O_RDWR);
	if (s < 0 || (ioctl(s, TIOCSCTTY, 0) < 0 && errno != EPERM))
		skip("no controlling terminal: %s", strerror(errno));
	return s;
}

static int t_type(const struct check *c)
{
	static char x = 'x';
	return result(syscall(SYS_ioctl, pty(), c->nr, &x));
}

static int t_type_i386(const struct check *c)
{
	int s = pty();
	long r = int80(54, s, c->nr, low("x"), 0);
	return r < 0 ? (int)-r : 0;
}

static int t_priority(const struct check *c)
{
	(void)c;
	if (getpgrp() == getpid())
		skip("a process group of its own");
	return result(setpriority(PRIO_PGRP, 0, getpriority(PRIO_PROCESS, 0)));
}

static int t_ioprio(const struct check *c)
{
	(void)c;
	return result(syscall(SYS_ioprio_set, 2, 0, IOPRIO_CLASS_BE << 13 | 4));
}

static int t_traceme(const struct check *c)
{
	(void)c;
	pid_t pid = fork();
	if (pid == 0)
		_exit(result(ptrace(PTRACE_TRACEME, 0, 0, 0)));
	int status;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

/* a child of our own, or what PID names */
static pid_t victim(void)
{
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	return pid;
}

static int t_seize(const struct check *c)
{
	pid_t pid = victim();
	int err = result(ptrace((__typeof__(PTRACE_SEIZE))c->nr, pid, 0, 0));
	kill(pid, SIGKILL);
	return err;
}

static int t_memory(const struct check *c)
{
	static char from[8] = "inside", to[8];
	pid_t pid = victim();
	struct iovec a = { to, 6 }, b = { from, 6 };
	int err = result(syscall(c->nr, pid, &a, 1, &b, 1, 0));
	kill(pid, SIGKILL);
	return err;
}

static int t_seize_outside(const struct check *c)
{
	(void)c;
	return result(ptrace(PTRACE_SEIZE, conf_number("PID"), 0, 0));
}

static int t_memory_outside(const struct check *c)
{
	char word[8] = "";
	struct iovec a = { word, 6 }, b = { (void *)strtol(conf("ADDRESS"), NULL, 0), 6 };
	return result(syscall(c->nr, conf_number("PID"), &a, 1, &b, 1, 0));
}

/* the keys that a process of the host has put into the session's or the user's ring */
static int t_key(const struct check *c)
{
	return result(syscall(SYS_keyctl, 10 /* KEYCTL_SEARCH */, c->nr, "user", conf("KEY"), 0));
}

static int t_bpf_map(const struct check *c)
{
	union bpf_attr a = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1 };
	(void)c;
	return result(syscall(SYS_bpf, BPF_MAP_CREATE, &a, sizeof(a)));
}

static int t_perf(const struct check *c)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(a), .config = PERF_COUNT_SW_CPU_CLOCK,
	                             .exclude_kernel = 1 };
	(void)c;
	return result(syscall(SYS_perf_event_open, &a, 0, -1, -1, 0));
}

static int t_younger(const struct check *c)
{
	/* called with nothing it could do anything with */
	return result(syscall(c->nr, -1, -1, -1, -1, -1, -1));
}

static const struct { const char *name; int (*run)(const struct check *c); long nr; const char *open, *shut, *room; } others[] = {
	{ "namespace.unshare-user", t_unshare, CLONE_NEWUSER, "OK", "EPERM", "plain" },
	{ "namespace.unshare-mnt", t_unshare, CLONE_NEWNS, "OK", "EPERM", "plain" },
	{ "namespace.unshare-net", t_unshare, CLONE_NEWNET, "OK", "EPERM", "plain" },
	{ "namespace.unshare-pid", t_unshare, CLONE_NEWPID, "OK", "EPERM", "plain" },
	{ "namespace.unshare-ipc", t_unshare, CLONE_NEWIPC, "OK", "EPERM", "plain" },
	{ "namespace.unshare-uts", t_unshare, CLONE_NEWUTS, "OK", "EPERM", "plain" },
	{ "namespace.unshare-cgroup", t_unshare, CLONE_NEWCGROUP, "OK", "EPERM", "plain" },
	{ "namespace.unshare-time", t_unshare, 0x80, "OK", "EPERM", "plain" },
	{ "namespace.unshare-i386", t_unshare_i386, CLONE_NEWUSER, "OK", "ENOSYS", "plain" },
	{ "namespace.clone-user", t_clone, CLONE_NEWUSER, "OK", "EPERM", "plain" },
	{ "namespace.clone-net", t_clone, CLONE_NEWNET, "OK", "EPERM", "plain" },
	{ "namespace.clone-mnt", t_clone, CLONE_NEWNS, "OK", "EPERM", "plain" },
	{ "namespace.clone3-user", t_clone3, CLONE_NEWUSER, "OK", "ENOSYS", "plain" },
	{ "terminal.tiocsti", t_type, TIOCSTI, "OK", "EPERM", "plain" },
	{ "terminal.tiocsti-high", t_type, 0x7eadbeef00000000L | TIOCSTI, "OK", "EPERM", "plain" },
	{ "terminal.tiocsti-sign", t_type, (long)0xffffffff00000000UL | TIOCSTI, "OK", "EPERM", "plain" },
	{ "terminal.tioclinux", t_type, 0x541c, "OK|ENOTTY|EINVAL", "EPERM", "plain" },
	{ "terminal.tioclinux-high", t_type, 0x100000000L | 0x541c, "OK|ENOTTY|EINVAL", "EPERM", "plain" },
	{ "terminal.tiocsti-i386", t_type_i386, TIOCSTI, "OK", "ENOSYS", "plain" },
	{ "priority.group", t_priority, 0, "OK", "EPERM", "plain" },
	{ "priority.io-group", t_ioprio, 0, "OK", "EPERM", "plain" },
	{ "ptrace.traceme", t_traceme, 0, "OK", "EPERM", "plain" },
	{ "ptrace.seize", t_seize, PTRACE_SEIZE, "OK", "EPERM", "plain" },
	{ "ptrace.attach", t_seize, PTRACE_ATTACH, "OK", "EPERM", "plain" },
	{ "ptrace.readv", t_memory, SYS_process_vm_readv, "OK", "EPERM", "plain" },
	{ "ptrace.writev", t_memory, SYS_process_vm_writev, "OK", "EPERM", "plain" },
	{ "ptrace.granted-own", t_seize, PTRACE_SEIZE, "OK", "OK", "ptrace" },
	{ "ptrace.granted-sibling", t_seize_outside, 0, "OK", "ESRCH", "ptrace" },
	{ "ptrace.granted-readv", t_memory_outside, SYS_process_vm_readv, "OK", "ESRCH", "ptrace" },
	{ "ptrace.granted-writev", t_memory_outside, SYS_process_vm_writev, "OK", "ESRCH", "ptrace" },
	{ "keyring.session-key", t_key, -3, "OK", "EPERM", "plain" },
	{ "keyring.user-key", t_key, -4, "OK", "EPERM", "plain" },
	{ "bpf.map", t_bpf_map, 0, "OK", "EPERM", "plain" },
	{ "perf.clock", t_perf, 0, "OK", "EPERM", "plain" },
	{ "younger.470", t_younger, 470, "EINVAL|EFAULT|EBADF", "ENOSYS", "plain" },
	{ "younger.471", t_younger, 471, "EINVAL|EFAULT|EBADF", "ENOSYS", "plain" },
};

void add_calls(void)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct check c = { .room = "plain", .open = calls[i].open, .shut = calls[i].shut, .run = direct, .nr = (long)i };
		snprintf(c.id, sizeof(c.id), "call.%s", calls[i].name);
		add(&c);
		if (calls[i].i386 > 0) {
			snprintf(c.id, sizeof(c.id), "call-i386.%s", calls[i].name);
			c.run = by_i386;
			c.shut = "ENOSYS";
			add(&c);
		}
	}
	/* with action: kill nothing else that denies a call can be taken for the filter, capabilities above all */
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct check c = { .room = "kill", .open = "*", .shut = "SYS", .run = direct, .nr = (long)i };
		snprintf(c.id, sizeof(c.id), "killed.%s", calls[i].name);
		if (calls[i].i386 != STATE)
			add(&c);
	}
	/* the recorder of --denials answers what the filter denies: no call may slip through it */
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct check c = { .room = "denials", .open = calls[i].open, .shut = calls[i].shut, .run = direct, .nr = (long)i };
		snprintf(c.id, sizeof(c.id), "denials.%s", calls[i].name);
		add(&c);
	}
	for (long i = 0; i < 3; i++) { /* kernels with x32 have all of them */
		struct check c = { .room = "plain", .open = calls[i].open, .shut = "ENOSYS", .run = by_x32, .nr = i };
		snprintf(c.id, sizeof(c.id), "call-x32.%s", calls[i].name);
		add(&c);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct check c = { .room = others[i].room, .open = others[i].open, .shut = others[i].shut, .run = others[i].run,
		                   .nr = others[i].nr };
		snprintf(c.id, sizeof(c.id), "%s", others[i].name);
		add(&c);
	}
}
