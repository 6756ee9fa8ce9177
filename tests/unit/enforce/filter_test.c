/* filter_test.c - the filter asked about every number, without a kernel */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "enforce/filter.h"
#include "profiles/sysno.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* Classic BPF as far as the filter uses it, so that every number can be asked without a kernel. */
static uint32_t ask(const struct filter *f, const struct seccomp_data *d)
{
	uint32_t a = 0;
	for (size_t pc = 0; pc < f->n; pc++) {
		const struct sock_filter *i = &f->items[pc];
		bool yes = false;
		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			memcpy(&a, (const char *)d + i->k, sizeof(a));
			continue;
		case BPF_RET | BPF_K:
			return i->k;
		case BPF_JMP | BPF_JA:
			pc += i->k;
			continue;
		case BPF_JMP | BPF_JEQ | BPF_K:
			yes = a == i->k;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			yes = a > i->k;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			yes = a >= i->k;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			yes = a & i->k;
			break;
		default:
			fail_msg("unexpected instruction %#x", i->code);
		}
		pc += yes ? i->jt : i->jf;
	}
	fail_msg("ran off the end");
	return 0;
}

static const struct {
	const char *deny[8];
} base = { { "mount", "ptrace", "io_uring_setup", "bpf", "clone3", "open_tree_attr", "vm86", NULL } };

static void make(struct filter *f, struct policy *pol)
{
	struct err e = { 0 };
	for (size_t i = 0; base.deny[i]; i++)
		*ARENA_PUSH(&pol->arena, &pol->sys_deny, items, n) = (struct word){ .text = base.deny[i] };
	assert_int_equal(filter_make(f, pol, &e), 0);
	arena_drop(&pol->arena);
}

#if defined(__x86_64__)
enum { ARCH = AUDIT_ARCH_X86_64, FOREIGN = AUDIT_ARCH_I386 };
#else
enum { ARCH = AUDIT_ARCH_AARCH64, FOREIGN = AUDIT_ARCH_ARM };
#endif
#define ERR(n) (SECCOMP_RET_ERRNO | (n))
#define GARBAGE 0xdeadbeef00000000ULL

static void each_call_meets_what_its_line_says(void **state)
{
	(void)state;
	const struct {
		uint32_t arch;
		int nr;
		uint64_t args[3];
		uint32_t plain, userns, kill, log;
	} tests[] = {
		{ ARCH, SYS_read, { 0 }, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW },
		{ ARCH, SYS_mount, { 0 }, ERR(EPERM), ERR(EPERM), SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_LOG },
		{ ARCH, SYS_io_uring_setup, { 0 }, ERR(ENOSYS), ERR(ENOSYS), SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_LOG },
		{ ARCH, 467, { 0 }, ERR(ENOSYS), ERR(ENOSYS), SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_LOG },
		{ ARCH, SYS_clone3, { 0 }, ERR(ENOSYS), SECCOMP_RET_ALLOW, ERR(ENOSYS), ERR(ENOSYS) },
		{ ARCH, SYS_clone, { 17 }, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW },
		{ ARCH, SYS_clone, { CLONE_NEWUSER | 17 }, ERR(EPERM), SECCOMP_RET_ALLOW, ERR(EPERM), ERR(EPERM) },
		{ ARCH, SYS_clone, { CLONE_NEWNET | GARBAGE }, ERR(EPERM), SECCOMP_RET_ALLOW, ERR(EPERM), ERR(EPERM) },
		{ ARCH, SYS_unshare, { CLONE_FILES }, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW },
		{ ARCH, SYS_unshare, { CLONE_NEWNS }, ERR(EPERM), SECCOMP_RET_ALLOW, ERR(EPERM), ERR(EPERM) },
		{ ARCH, SYS_ioctl, { 0, 0x5412 }, ERR(EPERM), ERR(EPERM), ERR(EPERM), ERR(EPERM) },
		{ ARCH, SYS_ioctl, { 0, 0x5412 | GARBAGE }, ERR(EPERM), ERR(EPERM), ERR(EPERM), ERR(EPERM) },
		{ ARCH, SYS_ioctl, { 0, 0x541c }, ERR(EPERM), ERR(EPERM), ERR(EPERM), ERR(EPERM) },
		{ ARCH, SYS_ioctl, { 0, 0x5401 }, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW },
		{ ARCH, SYS_socket, { AF_INET6 }, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW },
		{ ARCH, SYS_socket, { 40 /* vsock */ }, ERR(EAFNOSUPPORT), ERR(EAFNOSUPPORT), ERR(EAFNOSUPPORT), ERR(EAFNOSUPPORT) },
		{ ARCH, SYS_socket, { AF_NETLINK, SOCK_RAW, GARBAGE }, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW },
		{ ARCH, SYS_socket, { AF_NETLINK, SOCK_RAW, 9 }, ERR(EPROTONOSUPPORT), ERR(EPROTONOSUPPORT), ERR(EPROTONOSUPPORT), ERR(EPROTONOSUPPORT) },
		{ ARCH, 470, { 0 }, ERR(ENOSYS), ERR(ENOSYS), ERR(ENOSYS), ERR(ENOSYS) },
		{ ARCH, 0x40000000, { 0 }, ERR(ENOSYS), ERR(ENOSYS), ERR(ENOSYS), ERR(ENOSYS) },
		{ ARCH, -1, { 0 }, ERR(ENOSYS), ERR(ENOSYS), ERR(ENOSYS), ERR(ENOSYS) },
		{ FOREIGN, 3, { 0 }, ERR(ENOSYS), ERR(ENOSYS), ERR(ENOSYS), ERR(ENOSYS) },
	};
	const enum sys_action actions[] = { ACT_ERRNO, ACT_ERRNO, ACT_KILL, ACT_LOG };
	for (size_t k = 0; k < LEN(actions); k++) {
		OWN(filter) f = { 0 };
		struct policy pol = { .action.v = actions[k], .userns = k == 1, .network.v = NET_NONE };
		make(&f, &pol);
		for (size_t i = 0; i < LEN(tests); i++) {
			const struct seccomp_data d = { .nr = tests[i].nr, .arch = tests[i].arch,
			                                .args = { tests[i].args[0], tests[i].args[1], tests[i].args[2] } };
			const uint32_t want[] = { tests[i].plain, tests[i].userns, tests[i].kill, tests[i].log };
			if (ask(&f, &d) != want[k])
				fail_msg("row %zu, column %zu: %#x, wanted %#x", i, k, ask(&f, &d), want[k]);
		}
	}
}

static void the_raw_network_keeps_every_family(void **state)
{
	(void)state;
	OWN(filter) f = { 0 };
	struct policy pol = { .network.v = NET_HOST };
	make(&f, &pol);
	const struct seccomp_data d = { .nr = SYS_socket, .arch = ARCH, .args = { 40 } };
	assert_int_equal(ask(&f, &d), SECCOMP_RET_ALLOW);
}

static void no_number_of_a_foreign_architecture_passes(void **state)
{
	(void)state;
	OWN(filter) f = { 0 };
	struct policy pol = { .network.v = NET_NONE };
	make(&f, &pol);
	for (int nr = 0; nr < 600; nr++) {
		const struct seccomp_data d = { .nr = nr, .arch = FOREIGN };
		assert_int_equal(ask(&f, &d), ERR(ENOSYS));
		const struct seccomp_data x32 = { .nr = nr | 0x40000000, .arch = ARCH };
		assert_int_equal(ask(&f, &x32), ERR(ENOSYS));
	}
}

static void a_name_nobody_knows_is_an_error_and_one_of_elsewhere_is_not(void **state)
{
	(void)state;
	OWN(filter) f = { 0 };
	struct policy pol = { .network.v = NET_NONE };
	struct err e = { 0 };
	*ARENA_PUSH(&pol.arena, &pol.sys_deny, items, n) = (struct word){ .text = "no_such_call" };
	assert_int_equal(filter_make(&f, &pol, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "no_such_call"));
	arena_drop(&pol.arena);
	assert_true(sysno("socketcall") < -1);
	assert_int_equal(sysno("cachestat"), 451);
}

/* Every number and many arguments: the tree that is loaded answers as the list that was reviewed. */
static void the_tree_answers_as_the_list(void **state)
{
	(void)state;
	static const char *const sets[][6] = {
		{ NULL }, { "read", NULL }, { "mount", "ptrace", "io_uring_setup", "bpf", "open_tree_attr", NULL },
		{ "ioctl", "socket", "clone", "file_setattr", "read", NULL },
	};
	static const uint64_t args[] = { 0, 1, 2, 3, 10, 16, 40, 0x5412, 0x541c, 0x5401, CLONE_NEWUSER, CLONE_NEWNET | GARBAGE,
	                                 0x80, GARBAGE, ~0ULL };
	for (int k = 0; k < 64; k++) {
		OWN(filter) list = { 0 };
		OWN(filter) tree = { 0 };
		struct policy pol = { .action.v = k & 1 ? ACT_KILL : ACT_ERRNO, .userns = k & 2, .network.v = k & 4 ? NET_HOST : NET_NONE };
		struct err e = { 0 };
		for (const char *const *name = sets[k >> 3 & 3]; *name; name++)
			*ARENA_PUSH(&pol.arena, &pol.sys_deny, items, n) = (struct word){ .text = *name };
		for (int nr = 100; k & 32 && nr < 460; nr += 2) { /* so many that near jumps do not reach */
			char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, nr);
			if (name)
				*ARENA_PUSH(&pol.arena, &pol.sys_deny, items, n) = (struct word){ .text = arena_str(&pol.arena, name) };
			free(name);
		}
		assert_int_equal(filter_lines(&list, &pol, &e), 0);
		assert_int_equal(filter_make(&tree, &pol, &e), 0);
		for (uint32_t i = 0; i < 1100; i++) {
			uint32_t nr = i < 1000 ? i : i < 1020 ? 0x40000000U - 10 + i - 1000 : i < 1040 ? 0U - (i - 1019) : i * 40009U;
			for (size_t j = 0; j < LEN(args) * 2; j++) {
				struct seccomp_data d = { .nr = (int)nr, .arch = j % 7 == 6 ? FOREIGN : ARCH,
				                          .args = { args[j / 2], args[j / 2] } };
				d.args[j & 1] = 0;
				if (ask(&list, &d) != ask(&tree, &d))
					fail_msg("set %d, number %#x, argument %#llx: %#x, the list says %#x", k, nr,
					         (unsigned long long)args[j / 2], ask(&tree, &d), ask(&list, &d));
			}
		}
		arena_drop(&pol.arena);
	}
}

static size_t steps(const struct filter *f, int nr)
{
	size_t n = 0;
	for (size_t pc = 0; f->items[pc].code != (BPF_RET | BPF_K); pc++, n++) {
		const struct sock_filter *i = &f->items[pc];
		const uint32_t a = pc < 3 ? ARCH : (uint32_t)nr, op = BPF_OP(i->code);
		if (i->code == (BPF_JMP | BPF_JA))
			pc += i->k;
		else if (BPF_CLASS(i->code) == BPF_JMP)
			pc += (op == BPF_JEQ ? a == i->k : op == BPF_JGT ? a > i->k : a >= i->k) ? i->jt : i->jf;
	}
	return n;
}

static void an_allowed_call_is_found_in_a_few_steps(void **state)
{
	(void)state;
	OWN(filter) f = { 0 };
	struct policy pol = { .network.v = NET_NONE };
	make(&f, &pol);
	for (int nr = 0; nr < 16; nr++)
		assert_in_range(steps(&f, nr), 3, 12);
}

/* Nothing that the plain filter refuses passes both the watched one and the watcher's own instructions. */
static void what_is_handed_over_is_refused_or_seen(void **state)
{
	(void)state;
	static const char *const more[] = { "unshare", "setns" };
	const uint64_t flags[] = { 0, CLONE_NEWUSER, CLONE_FILES };
	OWN(filter) plain = { 0 };
	OWN(filter) watched = { 0 };
	OWN(filter) front = { 0 };
	struct policy pol = { .network.v = NET_NONE };
	struct err e = { 0 };
	for (size_t i = 0; base.deny[i]; i++)
		*ARENA_PUSH(&pol.arena, &pol.sys_deny, items, n) = (struct word){ .text = base.deny[i] };
	for (size_t i = 0; i < LEN(more); i++)
		*ARENA_PUSH(&pol.arena, &pol.sys_deny, items, n) = (struct word){ .text = more[i] };
	assert_int_equal(filter_make(&plain, &pol, &e), 0);
	assert_int_equal(filter_make_watched(&watched, &front, &pol, &e), 0);
	/* as st_watch.c puts it: the number first, and what comes after allows */
	OWN(filter) program = { .items = calloc(front.n + 2, sizeof(*front.items)), .n = front.n + 2 };
	program.items[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	memcpy(program.items + 1, front.items, front.n * sizeof(*front.items));
	program.items[front.n + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	size_t handed = 0;
	for (int nr = 0; nr < 1000; nr++) {
		for (size_t k = 0; k < LEN(flags); k++) {
			const struct seccomp_data d = { .arch = ARCH, .nr = nr, .args = { flags[k] } };
			bool seen = ask(&program, &d) == SECCOMP_RET_USER_NOTIF;
			if (ask(&plain, &d) != SECCOMP_RET_ALLOW && ask(&watched, &d) == SECCOMP_RET_ALLOW && !seen)
				fail_msg("call %d is refused by nobody", nr);
			/* only what somebody refuses whatever its arguments */
			if (seen && ask(&watched, &d) != SECCOMP_RET_ALLOW)
				fail_msg("call %d is seen by nobody", nr);
			handed += seen;
		}
	}
	assert_true(handed >= 3 * 7);
	/* killing and logging are the kernel's own to do */
	OWN(filter) killing = { 0 };
	OWN(filter) none = { 0 };
	pol.action.v = ACT_KILL;
	assert_int_equal(filter_make_watched(&killing, &none, &pol, &e), 0);
	assert_int_equal(none.n, 0);
	arena_drop(&pol.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tree_answers_as_the_list),
		cmocka_unit_test(an_allowed_call_is_found_in_a_few_steps),
		cmocka_unit_test(each_call_meets_what_its_line_says),
		cmocka_unit_test(what_is_handed_over_is_refused_or_seen),
		cmocka_unit_test(the_raw_network_keeps_every_family),
		cmocka_unit_test(no_number_of_a_foreign_architecture_passes),
		cmocka_unit_test(a_name_nobody_knows_is_an_error_and_one_of_elsewhere_is_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
