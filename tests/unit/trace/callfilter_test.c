#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/sim/bpf_sim.h"
#include "trace/callfilter.h"

#include "profiles/builtin.h"

#include <linux/audit.h>
#include <sched.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>

struct fixture {
	struct sysdefs defs;
	struct callfilter all, net;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e;
	assert_non_null(f);
	assert_int_equal(sysdefs_load(&f->defs), 0);
	assert_int_equal(callfilter_build(&f->all, &f->defs, false, &e), 0);
	assert_int_equal(callfilter_build(&f->net, &f->defs, true, &e), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	sysdefs_drop(&f->defs);
	free(f);
	return 0;
}

static bool notified(const struct callfilter *f, uint32_t arch, uint32_t nr, const uint64_t *args, int *read_args)
{
	struct seccomp_data d = { .nr = (int)nr, .arch = arch };
	int ignored;
	if (args)
		memcpy(d.args, args, sizeof(d.args));
	uint32_t r = bpf_sim(f->code, f->n, &d, read_args ? read_args : &ignored);
	assert_true(r == SECCOMP_RET_ALLOW || r == SECCOMP_RET_USER_NOTIF);
	return r == SECCOMP_RET_USER_NOTIF;
}

static void every_row_is_notified_and_nothing_else(void **state)
{
	struct fixture *f = *state;
	for (int nr = 0; nr <= f->defs.newest; nr++) {
		const struct sysdef *d = sysdefs_get(&f->defs, nr);
		if (d && d->test != TEST_NONE)
			continue;
		assert_int_equal(notified(&f->all, AUDIT_ARCH_X86_64, (uint32_t)nr, NULL, NULL), d != NULL);
		assert_int_equal(notified(&f->net, AUDIT_ARCH_X86_64, (uint32_t)nr, NULL, NULL), d && d->net);
	}
}

/* the kernel keeps a table of them, so they cost almost nothing */
static void calls_without_a_row_are_decided_by_their_number_alone(void **state)
{
	struct fixture *f = *state;
	for (int nr = 0; nr <= f->defs.newest; nr++) {
		int args;
		if (sysdefs_get(&f->defs, nr))
			continue;
		assert_false(notified(&f->all, AUDIT_ARCH_X86_64, (uint32_t)nr, NULL, &args));
		assert_int_equal(args, 0);
	}
}

static void unknown_and_foreign_calls_are_seen(void **state)
{
	struct fixture *f = *state;
	uint32_t newest = (uint32_t)f->defs.newest;
	assert_true(notified(&f->all, AUDIT_ARCH_X86_64, newest + 1, NULL, NULL));
	assert_true(notified(&f->all, AUDIT_ARCH_X86_64, 100000, NULL, NULL));
	assert_true(notified(&f->all, AUDIT_ARCH_X86_64, 0x40000000u | SYS_getpid, NULL, NULL));
	assert_true(notified(&f->all, AUDIT_ARCH_I386, 20, NULL, NULL));
	assert_true(notified(&f->net, AUDIT_ARCH_I386, 20, NULL, NULL));
	assert_false(notified(&f->all, AUDIT_ARCH_X86_64, 0xffffffffu, NULL, NULL));
}

static void arguments_narrow_what_is_asked(void **state)
{
	struct fixture *f = *state;
	const struct {
		uint32_t nr;
		uint64_t args[6];
		bool want;
	} cases[] = {
		{ SYS_sendto, { 3, 0, 0, 0, 0, 0 }, false },
		{ SYS_sendto, { 3, 0, 0, 0, 0x7000, 16 }, true },
		{ SYS_sendto, { 3, 0, 0, 0, 0x100000000, 16 }, true },
		{ SYS_socket, { AF_UNIX }, false },
		{ SYS_socket, { AF_INET }, false },
		{ SYS_socket, { AF_INET6 }, false },
		{ SYS_socket, { AF_NETLINK }, false },
		{ SYS_socket, { AF_PACKET }, true },
		{ SYS_socket, { AF_VSOCK }, true },
		{ SYS_socket, { AF_INET, SOCK_RAW }, true },
		{ SYS_socket, { AF_INET6, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK }, true },
		{ SYS_socket, { AF_INET, SOCK_DGRAM | SOCK_CLOEXEC }, false },
		{ SYS_socket, { AF_NETLINK, SOCK_RAW }, false },
		{ SYS_socket, { AF_NETLINK, SOCK_RAW, 9 /* NETLINK_AUDIT */ }, true },
		{ SYS_clone, { 17 /* SIGCHLD */ }, false },
		{ SYS_clone, { CLONE_VM | CLONE_VFORK | 17 }, false },
		{ SYS_clone, { CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_THREAD }, false },
		{ SYS_clone, { CLONE_FS | 17 }, true },
		{ SYS_clone, { CLONE_NEWUSER | 17 }, true },
		{ SYS_clone, { CLONE_NEWNS | CLONE_FS | CLONE_THREAD }, true },
		{ SYS_ptrace, { 1 }, false },
		{ SYS_ptrace, { 0 }, true },
		{ SYS_ptrace, { 16 }, true },
		{ SYS_ptrace, { 0x4206 }, true },
		{ SYS_seccomp, { 1, 0 }, false },
		{ SYS_seccomp, { 1, 8 }, true },
		{ SYS_seccomp, { 2, 8 }, false },
		{ SYS_personality, { 0xffffffff }, false },
		{ SYS_personality, { 0 }, false },
		{ SYS_personality, { 0x40000 }, true },
	};
	for (size_t i = 0; i < LEN(cases); i++)
		assert_int_equal(notified(&f->all, AUDIT_ARCH_X86_64, cases[i].nr, cases[i].args, NULL), cases[i].want);
}

static bool has_row(const struct sysdefs *defs, const char *name, size_t len)
{
	for (size_t i = 0; i < defs->n; i++)
		if (strlen(defs->rows[i].name) == len && !memcmp(defs->rows[i].name, name, len))
			return true;
	return false;
}

/* what base denies must be seen, or the audit could not say that it will fail */
static void every_call_that_base_denies_has_a_row(void **state)
{
	struct fixture *f = *state;
	const struct builtin *b = builtins;
	while (strcmp(b->name, "base") != 0)
		b++;
	char *text = strndup((const char *)b->text, b->len), *list = strstr(text, "  deny:");
	size_t seen = 0;
	assert_non_null(list);
	for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
		size_t in = strspn(line, " ");
		if (in < 4 || line[in] != '-')
			continue;
		const char *name = line + in + 2;
		seen++;
		if (seccomp_syscall_resolve_name(name) >= 0 && !has_row(&f->defs, name, strlen(name)))
			fail_msg("%s has no row in sysdef.def", name);
	}
	assert_true(seen > 30);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_row_is_notified_and_nothing_else, setup, teardown),
		cmocka_unit_test_setup_teardown(calls_without_a_row_are_decided_by_their_number_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(unknown_and_foreign_calls_are_seen, setup, teardown),
		cmocka_unit_test_setup_teardown(arguments_narrow_what_is_asked, setup, teardown),
		cmocka_unit_test_setup_teardown(every_call_that_base_denies_has_a_row, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
