/* probe.c - what this host can do, each tried for real in a process of its own */
#include "enforce/probe.h"

#include "base/fd.h"
#include "enforce/landlock.h"
#include "enforce/step.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/if_tun.h>
#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRY_MS = 5000 };

static int put(const char *file, const char *text)
{
	OWN(fd) f = fd_own(open(file, O_WRONLY | O_CLOEXEC));
	return f.plus1 && write(fd_no(f), text, strlen(text)) > 0 ? 0 : -errno;
}

/* The first line of @file, "" where there is none. */
static const char *get(char *buf, size_t size, const char *file)
{
	OWN(fd) f = fd_own(open(file, O_RDONLY | O_CLOEXEC));
	ssize_t n = f.plus1 ? read(fd_no(f), buf, size - 1) : -1;
	buf[n < 0 ? 0 : n] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return buf;
}

/* New namespaces @flags, with a user namespace where @user, or where we have no power without one. */
static int enter(int flags, bool user, struct err *e)
{
	const struct policy pol = { .uid = geteuid() };
	char map[40];
	unsigned uid = geteuid(), gid = getegid();
	if (!user && unshare(flags) == 0)
		return 0;
	if (unshare(flags | CLONE_NEWUSER) != 0)
		return userns_refused(errno, &pol, e);
	put("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	int r = put("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "%u %u 1", gid, gid);
	r = r < 0 ? r : put("/proc/self/gid_map", map);
	return r < 0 ? err_set(e, -r, "map the user into a namespace of its own: %s", strerror(-r)) : 0;
}

static int mounts(bool user, struct err *e)
{
	int r = enter(CLONE_NEWNS, user, e);
	if (r < 0)
		return r;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && mount("none", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, NULL) == 0)
		return 0;
	return err_set(e, errno, "the namespace is made, and mounting in it is refused (%s): a security module takes its "
	               "capabilities away; as administrator: sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an "
	               "AppArmor profile for snug", strerror(errno));
}

static int try_userns(char *note, size_t size, struct err *e)
{
	(void)size;
	*note = 0;
	return mounts(true, e);
}

static int try_landlock(char *note, size_t size, struct err *e)
{
	const struct policy pol = { .network.v = NET_NONE }, host = { .network.v = NET_HOST };
	OWN(fd) rules = { 0 };
	errno = 0;
	int abi = landlock_abi(), why = errno;
	const char *lacks = landlock_lacks(&pol, abi, why);
	if (lacks)
		return err_set(e, ENOTSUP, "%s", lacks);
	int r = landlock_make(&rules, landlock_rights(abi), landlock_scopes(abi));
	r = r < 0 ? r : prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	r = r < 0 ? r : landlock_restrict(fd_no(rules));
	if (r < 0)
		return err_set(e, -r, "version %d is there, and a ruleset is refused: %s", abi, strerror(-r));
	if (open("/", O_RDONLY | O_CLOEXEC) >= 0)
		return err_set(e, ENOTSUP, "version %d is there, and does not keep what it is told", abi);
	snprintf(note, size, "version %d%s", abi, landlock_lacks(&host, abi, why) ? ", too old for --network host" : "");
	return 0;
}

static int try_notify(char *note, size_t size, struct err *e)
{
	const uint32_t action = SECCOMP_RET_USER_NOTIF;
	struct seccomp_notif_sizes sizes;
	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0 ||
	    syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0)
		return err_set(e, errno, "this kernel has no seccomp notification (as of Linux 5.5), or a sandbox around snug hides it");
	/* an empty program is refused, an unknown flag before it: 1<<5 is SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, 5.19 */
	errno = 0;
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER | 1U << 5, NULL);
	snprintf(note, size, "%s", errno == EFAULT ? "signals do not interrupt what was received"
	                                           : "signals may interrupt it: better as of Linux 5.19");
	return 0;
}

static int try_overlay(char *note, size_t size, struct err *e)
{
	static const char *const dirs[] = { "/tmp/l", "/tmp/u", "/tmp/w", "/tmp/m", "/tmp/l/d" };
	int r = mounts(false, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < LEN(dirs); i++)
		if (mkdir(dirs[i], 0700) != 0)
			return err_sys(e, "mkdir %s", dirs[i]);
	put("/tmp/l/f", "");
	OWN(fd) f UNUSED = fd_own(open("/tmp/l/f", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	if (mount("snug", "/tmp/m", "overlay", 0, "lowerdir=/tmp/l,upperdir=/tmp/u,workdir=/tmp/w") != 0)
		return err_set(e, errno, "mount an overlay: %s: an ordinary user needs Linux 5.11; modprobe overlay where it is a module",
		               strerror(errno));
	OWN(fd) up = fd_own(open("/tmp/m/f", O_WRONLY | O_CLOEXEC));
	if (!up.plus1 || write(fd_no(up), "x", 1) != 1 || access("/tmp/u/f", F_OK) != 0)
		return err_set(e, errno ? errno : EIO, "write a file of the lower layer: it is not copied up: %s", strerror(errno));
	bool moves = rename("/tmp/m/d", "/tmp/m/e") == 0;
	snprintf(note, size, "copies up, %s", moves ? "directories of below can be renamed"
	                                           : "and directories of below cannot be renamed (EXDEV; redirect_dir is off)");
	return 0;
}

static int try_ebpf(char *note, size_t size, struct err *e)
{
	char setting[16];
	(void)size;
	*note = 0;
	const struct bpf_insn code[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 }, { .code = BPF_JMP | BPF_EXIT } };
	union bpf_attr a = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT, .insns = (uintptr_t)code, .insn_cnt = LEN(code),
	                     .license = (uintptr_t)"GPL" };
	OWN(fd) f = fd_own((int)syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof(a)));
	if (f.plus1)
		return 0;
	if (errno == EPERM)
		return err_set(e, EPERM, "loading a program is refused: it needs root, or CAP_BPF and CAP_PERFMON "
		               "(kernel.unprivileged_bpf_disabled is %s)",
		               get(setting, sizeof(setting), "/proc/sys/kernel/unprivileged_bpf_disabled"));
	return err_set(e, errno, "load a program: %s", strerror(errno));
}

static void message(char **at, uint16_t type, uint16_t flags, uint16_t res, const void *attr, uint16_t len)
{
	struct nlmsghdr *n = (struct nlmsghdr *)(void *)*at;
	struct nfgenmsg *g = NLMSG_DATA(n);
	*n = (struct nlmsghdr){ .nlmsg_len = NLMSG_LENGTH(sizeof(*g)) + len, .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | flags };
	*g = (struct nfgenmsg){ .nfgen_family = len ? NFPROTO_IPV4 : 0, .res_id = res };
	if (len)
		memcpy(*at + NLMSG_LENGTH(sizeof(*g)), attr, len);
	*at += NLMSG_ALIGN(n->nlmsg_len);
}

/* A table in a network namespace of our own, as transparent egress would have one. */
static int try_nft(char *note, size_t size, struct err *e)
{
	_Alignas(8) char buf[512] = "";
	char *at = buf;
	struct { struct nlattr head; char name[8]; } table = { { NLA_HDRLEN + 5, NFTA_TABLE_NAME }, "snug" };
	(void)size;
	*note = 0;
	int r = enter(CLONE_NEWNET, false, e);
	if (r < 0)
		return r;
	OWN(fd) s = fd_own(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER));
	if (!s.plus1)
		return err_set(e, errno, "this kernel has no nf_tables: %s", strerror(errno));
	message(&at, NFNL_MSG_BATCH_BEGIN, 0, htons(NFNL_SUBSYS_NFTABLES), NULL, 0);
	message(&at, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWTABLE, NLM_F_CREATE | NLM_F_ACK, 0, &table, sizeof(table));
	message(&at, NFNL_MSG_BATCH_END, 0, htons(NFNL_SUBSYS_NFTABLES), NULL, 0);
	if (send(fd_no(s), buf, (size_t)(at - buf), 0) < 0)
		return err_sys(e, "ask for a table");
	ssize_t n = recv(fd_no(s), buf, sizeof(buf), 0);
	const struct nlmsghdr *h = (const struct nlmsghdr *)(const void *)buf;
	const struct nlmsgerr *got = (const void *)(buf + NLMSG_HDRLEN);
	if (n < (ssize_t)NLMSG_LENGTH(sizeof(*got)) || h->nlmsg_type != NLMSG_ERROR)
		return err_set(e, EPROTO, "an answer that is none");
	return got->error ? err_set(e, -got->error, "make a table: %s: modprobe nf_tables, or a kernel with it", strerror(-got->error)) : 0;
}

static int try_tun(char *note, size_t size, struct err *e)
{
	struct ifreq ifr = { .ifr_flags = IFF_TUN | IFF_NO_PI };
	(void)size;
	*note = 0;
	OWN(fd) f = fd_own(open("/dev/net/tun", O_RDWR | O_CLOEXEC));
	if (!f.plus1)
		return err_set(e, errno, "/dev/net/tun: %s: %s", strerror(errno),
		               errno == EACCES ? "it is not for this user; as administrator: chmod 0666 /dev/net/tun"
		                               : "modprobe tun; a container needs --device /dev/net/tun");
	int r = enter(CLONE_NEWNET, false, e);
	if (r == 0 && ioctl(fd_no(f), TUNSETIFF, &ifr) != 0)
		r = err_set(e, errno, "make an interface in a network namespace: %s", strerror(errno));
	return r;
}

/* Settings that matter elsewhere; nothing to try. */
static int try_yama(char *note, size_t size, struct err *e)
{
	char scope[16];
	get(scope, sizeof(scope), "/proc/sys/kernel/yama/ptrace_scope");
	if (atoi(scope) > 1 && geteuid() != 0)
		return err_set(e, EPERM, "kernel.yama.ptrace_scope is %s: the memory of a command that is audited can be read by root "
		               "alone; as administrator: sysctl kernel.yama.ptrace_scope=1", scope);
	snprintf(note, size, "kernel.yama.ptrace_scope: %s", *scope ? scope : "no such module");
	return 0;
}

static int try_apparmor(char *note, size_t size, struct err *e)
{
	char on[16];
	get(on, sizeof(on), "/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
	if (atoi(on) && geteuid() != 0)
		return err_set(e, EPERM, "user namespaces of ordinary users have no capabilities: as administrator: sysctl "
		               "kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for snug");
	snprintf(note, size, "user namespaces: %s", !*on ? "no such setting" : atoi(on) ? "restricted, but not for root" : "not restricted");
	return 0;
}

const struct probe probes[] = {
	{ "userns", "a user namespace, a mount in it", "run as an ordinary user", try_userns },
	{ "landlock", "the second layer over files", "run", try_landlock },
	{ "notify", "seccomp notification", "audit", try_notify },
	{ "yama", "memory of the command", "audit", try_yama },
	{ "apparmor", "its restriction of namespaces", "run as an ordinary user", try_apparmor },
	{ "overlay", "copy-up, renamed directories", "audits that write nothing", try_overlay },
	{ "ebpf", "programs in the kernel", "a faster recorder, later", try_ebpf },
	{ "nft", "a table in a network of its own", "hosts without a proxy, later", try_nft },
	{ "tun", "an interface in a network of its own", "hosts without a proxy, later", try_tun },
	{ 0 },
};

struct tried {
	int r;
	struct err e;
	char note[PROBE_NOTE];
};

int probe_try(const struct probe *p, char *note, struct err *e)
{
	int ends[2];
	struct tried t = { 0 };
	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_sys(e, "pipe");
	OWN(fd) in = fd_own(ends[0]), out = fd_own(ends[1]);
	pid_t pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (pid == 0) {
		t.r = p->try(t.note, sizeof(t.note), &t.e);
		t.e.file = NULL;
		_exit(write(fd_no(out), &t, sizeof(t)) != sizeof(t));
	}
	fd_drop(&out);
	struct pollfd fds = { .fd = fd_no(in), .events = POLLIN };
	bool came = poll(&fds, 1, TRY_MS) == 1 && read(fd_no(in), &t, sizeof(t)) == sizeof(t);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (!came)
		return err_set(e, EIO, "no answer: the kernel hangs on it, or kills who tries (seccomp?)");
	memcpy(note, t.note, sizeof(t.note));
	if (t.r < 0)
		*e = t.e;
	return t.r;
}
