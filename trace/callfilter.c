#include "trace/callfilter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/socket.h>

#ifdef __x86_64__
#define NATIVE AUDIT_ARCH_X86_64
#else
#define NATIVE AUDIT_ARCH_AARCH64
#endif

/* x32 numbers carry this bit (arch/x86/include/uapi/asm/unistd.h, __X32_SYSCALL_BIT) */
#define X32_BIT 0x40000000u

#define NS_FLAGS                                                                               \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |          \
	 CLONE_NEWPID | CLONE_NEWNET | 0x80u /* CLONE_NEWTIME */)

#define STMT(f, code, k)          put((f), (struct sock_filter)BPF_STMT((code), (k)))
#define JUMP(f, code, k, yes, no) put((f), (struct sock_filter)BPF_JUMP((code), (k), (yes), (no)))
#define LO(arg) ((unsigned)(offsetof(struct seccomp_data, args) + 8 * (arg)))
#define HI(arg) (LO(arg) + 4)

/* A run of numbers with one answer, up to the next range's start. */
struct range {
	uint32_t from;
	bool notify;
	enum call_test test;
};

static void put(struct callfilter *f, struct sock_filter i)
{
	if (f->n < CALLFILTER_MAX)
		f->code[f->n] = i;
	f->n++;
}

static void load(struct callfilter *f, unsigned offset) { STMT(f, BPF_LD | BPF_W | BPF_ABS, offset); }
static void notify(struct callfilter *f) { STMT(f, BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF); }
static void allow(struct callfilter *f) { STMT(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }

/* Notify when the loaded word is one of @values, else allow. */
static void one_of(struct callfilter *f, const uint32_t *values, size_t n, bool inverted)
{
	for (size_t i = 0; i < n; i++)
		JUMP(f, BPF_JMP | BPF_JEQ | BPF_K, values[i], (uint8_t)(n - i), 0);
	inverted ? notify(f) : allow(f);
	inverted ? allow(f) : notify(f);
}

static void leaf(struct callfilter *f, const struct range *r)
{
	/* PTRACE_TRACEME, PTRACE_ATTACH, PTRACE_SEIZE (sys/ptrace.h) */
	static const uint32_t requests[] = { 0, 16, 0x4206 };
	static const uint32_t personas[] = { 0, 0xffffffff };
	if (!r->notify) {
		allow(f);
		return;
	}
	switch (r->test) {
	case TEST_NONE:
		notify(f);
		return;
	case TEST_ADDR3:
	case TEST_ADDR5:
		load(f, LO(r->test == TEST_ADDR3 ? 2 : 4));
		JUMP(f, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2);
		load(f, HI(r->test == TEST_ADDR3 ? 2 : 4));
		JUMP(f, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
		notify(f);
		allow(f);
		return;
	case TEST_CLONE:
		/* in clone(2), unlike unshare(2), the low byte is the exit signal: no time namespace */
		load(f, LO(0));
		JUMP(f, BPF_JMP | BPF_JSET | BPF_K, NS_FLAGS & ~0xffu, 3, 0);
		JUMP(f, BPF_JMP | BPF_JSET | BPF_K, CLONE_FS, 0, 1);
		JUMP(f, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
		allow(f);
		notify(f);
		return;
	case TEST_FAMILY:
		load(f, LO(0));
		JUMP(f, BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 9, 0);
		JUMP(f, BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 3, 0);
		JUMP(f, BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 4, 0);
		JUMP(f, BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 3, 0);
		notify(f);
		load(f, LO(2));
		JUMP(f, BPF_JMP | BPF_JEQ | BPF_K, 0 /* NETLINK_ROUTE */, 3, 4);
		load(f, LO(1));
		STMT(f, BPF_ALU | BPF_AND | BPF_K, 0xf); /* without SOCK_CLOEXEC, SOCK_NONBLOCK */
		JUMP(f, BPF_JMP | BPF_JEQ | BPF_K, SOCK_RAW, 1, 0);
		allow(f);
		notify(f);
		return;
	case TEST_PTRACE:
		load(f, LO(0));
		one_of(f, requests, LEN(requests), false);
		return;
	case TEST_LISTENER:
		load(f, LO(0));
		JUMP(f, BPF_JMP | BPF_JEQ | BPF_K, SECCOMP_SET_MODE_FILTER, 0, 3);
		load(f, LO(1));
		JUMP(f, BPF_JMP | BPF_JSET | BPF_K, SECCOMP_FILTER_FLAG_NEW_LISTENER, 0, 1);
		notify(f);
		allow(f);
		return;
	case TEST_PERSONA:
		load(f, LO(0));
		one_of(f, personas, LEN(personas), true);
		return;
	}
}

/* A balanced tree of "number >= from" tests; the upper half follows its test, the lower half is jumped to. */
static int tree(struct callfilter *f, const struct range *r, size_t n)
{
	if (n == 1) {
		leaf(f, r);
		return 0;
	}
	size_t half = n / 2;
	/* the jump-always reaches 32 bits far, a conditional one only 8 */
	JUMP(f, BPF_JMP | BPF_JGE | BPF_K, r[half].from, 1, 0);
	size_t always = f->n;
	STMT(f, BPF_JMP | BPF_JA, 0);
	if (tree(f, r + half, n - half) < 0 || f->n > CALLFILTER_MAX)
		return -E2BIG;
	f->code[always].k = (uint32_t)(f->n - always - 1);
	return tree(f, r, half);
}

static size_t ranges(struct range *out, size_t max, const struct sysdefs *defs, bool net_only)
{
	size_t n = 0;
	for (uint32_t nr = 0; nr <= (uint32_t)defs->newest + 1; nr++) {
		const struct sysdef *d = sysdefs_get(defs, (int)nr);
		struct range r = { .from = nr };
		if (nr > (uint32_t)defs->newest)
			r.notify = true;
		else if (d && (d->net || !net_only))
			r = (struct range){ nr, true, d->test };
		if (n && out[n - 1].notify == r.notify && out[n - 1].test == r.test && r.test == TEST_NONE)
			continue;
		if (n < max)
			out[n] = r;
		n++;
	}
	/* a tracer that cancels a call leaves -1 behind */
	if (n < max)
		out[n] = (struct range){ .from = 0xffffffff };
	return n + 1;
}

int callfilter_build(struct callfilter *out, const struct sysdefs *defs, bool net_only, struct err *e)
{
	struct range r[512];
	*out = (struct callfilter){ .n = 0 };
	size_t n = ranges(r, LEN(r), defs, net_only);
	if (n > LEN(r))
		return err_set(e, E2BIG, "filter: %zu ranges of system calls", n);
	load(out, offsetof(struct seccomp_data, arch));
	JUMP(out, BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0);
	notify(out);
	load(out, offsetof(struct seccomp_data, nr));
	if (tree(out, r, n) < 0 || out->n > CALLFILTER_MAX)
		return err_set(e, E2BIG, "filter: %zu instructions", out->n);
	return 0;
}
