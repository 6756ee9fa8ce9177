/* filter.c - the policy's system calls as classic BPF */
#include "enforce/filter.h"

#include "enforce/filter_tree.h"

#include "base/vec.h"
#include "enforce/knobs.h"
#include "profiles/sysgroup.h"
#include "profiles/sysno.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCH_HERE AUDIT_ARCH_X86_64
#define FOREIGN_BIT 0x40000000U /* __X32_SYSCALL_BIT: x32 has the same arch value */
#elif defined(__aarch64__)
#define ARCH_HERE AUDIT_ARCH_AARCH64
#define FOREIGN_BIT 0x40000000U
#else
#error "no system call filter for this architecture yet"
#endif

#ifndef TIOCLINUX
#define TIOCLINUX 0x541C /* asm-generic/ioctls.h */
#endif
#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80 /* linux/sched.h; unshare only */
#endif

enum { NEWEST = 469 };

#define SYS_DATA(field) ((uint32_t)offsetof(struct seccomp_data, field))
/* low half of argument @i: all that int arguments have; the upper half is garbage the kernel ignores too */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARG_LOW(i) (SYS_DATA(args) + 8U * (i))
#else
#define ARG_LOW(i) (SYS_DATA(args) + 8U * (i) + 4)
#endif

void filter_drop(struct filter *f)
{
	VEC_FREE(f);
}

static int put(struct filter *f, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	struct sock_filter *slot = VEC_PUSH(f);
	if (!slot)
		return -ENOMEM;
	*slot = (struct sock_filter){ code, jt, jf, k };
	return 0;
}

static int load(struct filter *f, uint32_t offset)
{
	return put(f, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

/* If A compares true by @cmp (BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET) with @k: answer @ret. */
static int when(struct filter *f, uint16_t cmp, uint32_t k, uint32_t ret)
{
	int r = put(f, (uint16_t)(BPF_JMP | BPF_K | cmp), k, 0, 1);
	return r < 0 ? r : put(f, BPF_RET | BPF_K, ret, 0, 0);
}

static uint32_t ret_errno(int err)
{
	return SECCOMP_RET_ERRNO | ((uint32_t)err & SECCOMP_RET_DATA);
}

/**
 * struct guard - a call that is denied by its arguments
 * @group: see profiles/sysgroup.c
 * @arg: which; looked at with @cmp for each of @values
 * @other: answer when no value matched; 0: allow
 */
struct guard {
	const char *group;
	int nr;
	uint32_t arg;
	uint16_t cmp;
	uint32_t values[4];
	size_t n;
	uint32_t hit, other;
};

/* The number is in A; afterwards it still is. */
static int guard(struct filter *f, const struct guard *g)
{
	if (knob_out("filter", g->group))
		return 0;
	int r = put(f, BPF_JMP | BPF_K | BPF_JEQ, (uint32_t)g->nr, 0, (uint8_t)(2 * g->n + 2));
	if (r == 0)
		r = load(f, ARG_LOW(g->arg));
	for (size_t i = 0; r == 0 && i < g->n; i++)
		r = when(f, g->cmp, g->values[i], g->hit);
	return r < 0 ? r : put(f, BPF_RET | BPF_K, g->other ? g->other : SECCOMP_RET_ALLOW, 0, 0);
}

/* Of netlink only the routing tables, which every libc asks for addresses; the rest reaches far into the kernel. */
static int netlink(struct filter *f)
{
	if (knob_out("filter", "family"))
		return 0;
	int r = put(f, BPF_JMP | BPF_K | BPF_JEQ, SYS_socket, 0, 6);
	if (r == 0)
		r = load(f, ARG_LOW(0));
	if (r == 0)
		r = put(f, BPF_JMP | BPF_K | BPF_JEQ, AF_NETLINK, 0, 3);
	if (r == 0)
		r = load(f, ARG_LOW(2));
	if (r == 0) /* what a kernel without that protocol answers */
		r = put(f, BPF_JMP | BPF_K | BPF_JEQ, NETLINK_ROUTE, 1, 0);
	if (r == 0)
		r = put(f, BPF_RET | BPF_K, ret_errno(EPROTONOSUPPORT), 0, 0);
	return r < 0 ? r : load(f, SYS_DATA(nr));
}

/* Is the call with number @nr refused by whoever watches, whatever its arguments? */
static bool is_handed(const struct policy *pol, int nr)
{
	int n;
	for (size_t i = 0; i < pol->sys_deny.n; i++)
		if (filter_handed(pol, i, &n) && n == nr)
			return true;
	return false;
}

static int guards(struct filter *f, const struct policy *pol, bool watched)
{
	const uint32_t spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
	                        CLONE_NEWPID | CLONE_NEWNET;
	const struct guard ns[] = {
		{ "namespace", SYS_clone, 0, BPF_JSET, { spaces }, 1, ret_errno(EPERM), 0 },
		{ "namespace", SYS_unshare, 0, BPF_JSET, { spaces | CLONE_NEWTIME }, 1, ret_errno(EPERM), 0 },
	};
	/* typing into the terminal we share with the caller; masked compare, CVE-2019-10063 */
	const struct guard tty = { "terminal", SYS_ioctl, 1, BPF_JEQ, { TIOCSTI, TIOCLINUX }, 2, ret_errno(EPERM), 0 };
	/* PRIO_PGRP: the process group is the caller's too, st_landlock.c */
	const struct guard nice = { "priority", SYS_setpriority, 0, BPF_JEQ, { PRIO_PGRP }, 1, ret_errno(EPERM), 0 };
	const struct guard io = { "priority", SYS_ioprio_set, 0, BPF_JEQ, { 2 }, 1, ret_errno(EPERM), 0 }; /* IOPRIO_WHO_PGRP */
	/* families that no network namespace confines (vsock), or that nobody here needs */
	const struct guard family = { "family", SYS_socket, 0, BPF_JEQ, { AF_UNIX, AF_INET, AF_INET6, AF_NETLINK }, 4,
	                              SECCOMP_RET_ALLOW, ret_errno(EAFNOSUPPORT) };
	int r = 0;
	for (size_t i = 0; r == 0 && !pol->userns && i < LEN(ns); i++)
		if (!watched || !is_handed(pol, ns[i].nr))
			r = guard(f, &ns[i]);
	/* its flags are in memory, where no filter looks; every libc falls back to clone */
	if (r == 0 && !pol->userns && !knob_out("filter", "namespace"))
		r = when(f, BPF_JEQ, SYS_clone3, ret_errno(ENOSYS));
	if (r == 0)
		r = guard(f, &tty);
	if (r == 0)
		r = guard(f, &nice);
	if (r == 0)
		r = guard(f, &io);
	if (r == 0 && pol->network.v != NET_HOST)
		r = netlink(f);
	if (r == 0 && pol->network.v != NET_HOST)
		r = guard(f, &family);
	return r;
}

/* @front: NULL, or gets those that are handed over */
static int denied(struct filter *f, struct filter *front, const struct policy *pol, struct err *e)
{
	for (size_t i = 0; i < pol->sys_deny.n; i++) {
		const char *name = pol->sys_deny.items[i].text;
		int nr = sysno(name);
		if (nr == SYSNO_UNKNOWN)
			return err_set(e, EINVAL, "unknown system call '%s'", name);
		if (nr < 0 || nr == SYS_clone3)
			continue; /* not on this architecture; clone3 has its own line */
		const struct sys_group *group = sys_group_of(name);
		if (group && knob_out("filter", group->name))
			continue;
		uint32_t ret = pol->action.v == ACT_KILL  ? SECCOMP_RET_KILL_PROCESS
		               : pol->action.v == ACT_LOG ? SECCOMP_RET_LOG
		                                          : ret_errno(sys_deny_errno(name));
		bool handed = front && filter_handed(pol, i, &nr);
		int r = when(handed ? front : f, BPF_JEQ, (uint32_t)nr, handed ? SECCOMP_RET_USER_NOTIF : ret);
		if (r < 0)
			return err_set(e, -r, "out of memory");
	}
	return 0;
}

bool filter_handed(const struct policy *pol, size_t i, int *nr)
{
	const char *name = pol->sys_deny.items[i].text;
	*nr = sysno(name);
	return *nr >= 0 && *nr != SYS_clone3 && pol->action.v != ACT_KILL && pol->action.v != ACT_LOG;
}

/* Foreign calls: with their own numbers, they would walk past every line below. */
static int native_only(struct filter *f)
{
	bool all = knob_out("filter", "foreign");
	int r = all ? 0 : load(f, SYS_DATA(arch));
	if (r == 0 && !all)
		r = put(f, BPF_JMP | BPF_K | BPF_JEQ, ARCH_HERE, 1, 0);
	if (r == 0 && !all)
		r = put(f, BPF_RET | BPF_K, ret_errno(ENOSYS), 0, 0);
	if (r == 0)
		r = load(f, SYS_DATA(nr));
	if (r == 0 && !all)
		r = when(f, BPF_JGE, FOREIGN_BIT, ret_errno(ENOSYS));
	/* calls younger than this program: nobody has judged them */
	return r < 0 || knob_out("filter", "younger") ? r : when(f, BPF_JGT, NEWEST, ret_errno(ENOSYS));
}

static int lines(struct filter *out, struct filter *front, const struct policy *pol, struct err *e)
{
	OWN(filter) f = { 0 };
	int r = native_only(&f);
	if (r < 0)
		return err_set(e, -r, "out of memory");
	r = denied(&f, front, pol, e);
	if (r < 0)
		return r;
	r = guards(&f, pol, front != NULL);
	if (r == 0)
		r = put(&f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	if (r < 0)
		return err_set(e, -r, "out of memory");
	*out = TAKE(f);
	return 0;
}

int filter_lines(struct filter *out, const struct policy *pol, struct err *e)
{
	return lines(out, NULL, pol, e);
}

static int make(struct filter *out, struct filter *front, const struct policy *pol, struct err *e)
{
	OWN(filter) f = { 0 };
	int r = lines(&f, front, pol, e);
	if (r < 0)
		return r;
	if (filter_tree(&f) < 0)
		return err_set(e, ENOMEM, "out of memory");
	if (f.n > BPF_MAXINSNS)
		return err_set(e, E2BIG, "more denied system calls than a filter holds");
	*out = TAKE(f);
	return 0;
}

int filter_make(struct filter *out, const struct policy *pol, struct err *e)
{
	return make(out, NULL, pol, e);
}

int filter_make_watched(struct filter *out, struct filter *front, const struct policy *pol, struct err *e)
{
	return make(out, front, pol, e);
}
