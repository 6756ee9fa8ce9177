/* self.c - snug confines its own helper processes */
#include "enforce/self.h"

#include "base/fd.h"
#include "enforce/landlock.h"
#include "enforce/self_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * How this works. The order is: user namespace first (its maps are written through /proc, which a process
 * that is not dumpable cannot do), then the empty root, capabilities, no_new_privs, Landlock, and the filter
 * last, because it takes away the calls the others need. Only the filter and no_new_privs are promised: hosts
 * that refuse namespaces to ordinary users are common, and a filter without open(2) closes the files as well.
 */

int self_keep_fds(int *fds, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		int up = fds[i] > 2 ? fds[i] : fcntl(fds[i], F_DUPFD_CLOEXEC, 3);
		if (up < 0)
			return err_sys(e, "keep descriptor %d", fds[i]);
		fds[i] = up;
	}
	OWN(fd) null = { 0 };
	int r = fd_open_at(&null, AT_FDCWD, "/dev/null", O_RDWR, e);
	if (r < 0)
		return r;
	for (int i = 0; i < 3; i++)
		if (fd_no(null) != i && dup2(fd_no(null), i) < 0)
			return err_sys(e, "put /dev/null at descriptor %d", i);
	if (fd_no(null) < 3)
		(void)TAKE(null); /* it is one of the three now */
	for (unsigned from = 3;;) {
		unsigned next = ~0u;
		for (size_t i = 0; i < n; i++)
			if ((unsigned)fds[i] >= from && (unsigned)fds[i] < next)
				next = (unsigned)fds[i];
		if (next > from && syscall(SYS_close_range, from, next == ~0u ? next : next - 1, 0) < 0)
			return err_sys(e, "close_range");
		if (next == ~0u)
			break;
		from = next + 1;
	}
	(void)TAKE(null); /* closed with the rest */
	return 0;
}

static int write_file(const char *path, const char *text)
{
	OWN(fd) f = fd_own(open(path, O_WRONLY | O_CLOEXEC));
	if (!f.plus1)
		return -errno;
	return write(fd_no(f), text, strlen(text)) < 0 ? -errno : 0;
}

/* A mount namespace of our own; in a user namespace where we may not have it otherwise. */
static int enter_mount_ns(void)
{
	char map[64];
	uid_t uid = geteuid();
	gid_t gid = getegid();
	if (unshare(CLONE_NEWNS) == 0)
		return 0;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return -errno;
	snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	int r = write_file("/proc/self/setgroups", "deny");
	r = r < 0 ? r : write_file("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "%u %u 1", gid, gid);
	return r < 0 ? r : write_file("/proc/self/gid_map", map);
}

/* Best effort: an empty read-only tmpfs as the root of this process. */
static int enter_empty_root(void)
{
	static const char *const points[] = { "/tmp", "/run", "/proc", "/etc" }; /* any directory will do */
	int r = enter_mount_ns();
	if (r < 0)
		return r;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -errno;
	for (size_t i = 0; i < LEN(points); i++) {
		if (mount("none", points[i], "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k,mode=555") < 0)
			continue;
		/* new root over old root, then the old one goes: pivot_root(2), "pivot_root(".", ".")" */
		if (chdir(points[i]) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 ||
		    umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
			return -errno;
		mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
		return 0;
	}
	return -errno;
}

static void drop_caps(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };
	/* EINVAL beyond the last one; EPERM at the first where we may not */
	for (unsigned long cap = 0; prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0; cap++)
		;
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	syscall(SYS_capset, &head, none);
}

/* Where getaddrinfo(3), its modules and their caches live. */
static const char *const resolver_dirs[] = {
	"/etc", "/lib", "/lib64", "/usr", "/run", "/var", "/nix/store", "/dev", "/proc",
};

/* Often links to elsewhere: a container's, a virtual machine's or a package store's directory. */
static const char *const resolver_files[] = {
	"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf",
};

static void landlock_add(int rules, const char *path, uint64_t rights)
{
	OWN(fd) at = fd_own(open(path, O_PATH | O_CLOEXEC));
	if (at.plus1)
		(void)!landlock_allow(rules, fd_no(at), rights);
}

/* Best effort: all file rights the kernel knows are handled, and none or reading is granted. */
static void landlock(enum self_role role)
{
	int abi = landlock_abi();
	OWN(fd) rules = { 0 };
	if (abi < 1 || landlock_make(&rules, landlock_rights(abi), landlock_scopes(abi)) < 0)
		return;
	for (size_t i = 0; role == SELF_RESOLVER && i < LEN(resolver_dirs); i++)
		landlock_add(fd_no(rules), resolver_dirs[i], LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR);
	for (size_t i = 0; role == SELF_RESOLVER && i < LEN(resolver_files); i++)
		landlock_add(fd_no(rules), resolver_files[i], LANDLOCK_ACCESS_FS_READ_FILE);
	(void)!landlock_restrict(fd_no(rules));
}

int self_confine(enum self_role role, struct err *e)
{
	pid_t parent = getppid();
	struct rlimit no_core = { 0, 0 };
	if (role == SELF_RELAY)
		(void)enter_empty_root(); /* the filter below holds where the host forbids it */
	setrlimit(RLIMIT_CORE, &no_core);
	drop_caps();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(e, "no_new_privs");
	landlock(role);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	/* after every change of credentials, which would clear it */
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != parent)
		return err_set(e, ESRCH, "the parent is gone");
	return self_filter(role, e);
}
