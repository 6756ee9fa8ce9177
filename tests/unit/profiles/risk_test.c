/* risk_test.c - what a grant gives away */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/base.h"
#include "profiles/risk.h"

static void paths_belong_to_the_row_of_their_place(void **state)
{
	(void)state;
	const struct { const char *path, *home; bool write; enum risk want; } rows[] = {
		{ "/home/ann/.ssh", "/home/ann", false, RISK_SIGNING },
		{ "/home/ann/.ssh/id_ed25519", "/home/ann", false, RISK_SIGNING },
		{ "/home/ann/.sshd", "/home/ann", false, RISK_NONE },
		{ "/home/bob/.ssh", "/home/ann", false, RISK_NONE },
		{ "/.ssh/id", "/", false, RISK_SIGNING },
		{ "/home/ann/.bashrc", "/home/ann", true, RISK_TRUST },
		{ "/home/ann/.bashrc", "/home/ann", false, RISK_NONE },
		{ "/home/ann/.npmrc", "/home/ann", false, RISK_DATA },
		{ "/home/ann/.npmrc", NULL, false, RISK_NONE },
		{ "/run/docker.sock", NULL, false, RISK_ROOT },
		{ "/etc/hosts", NULL, false, RISK_NONE },
		{ "/etc/hosts", NULL, true, RISK_ROOT },
		{ "/etc/shadow", NULL, false, RISK_DATA },
		{ "/tmp/ssh-XXabc/agent.77", NULL, true, RISK_SIGNING },
		{ "/dev/kvm", NULL, true, RISK_KERNEL },
		{ "/sys/class/net", NULL, false, RISK_DATA },
		{ "/srv/data", "/home/ann", true, RISK_NONE },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		const struct risk_path *r = risk_of_path(rows[i].path, rows[i].home, rows[i].write);
		if ((r ? r->risk : RISK_NONE) != rows[i].want)
			fail_msg("%s: %s, wanted %s", rows[i].path, risk_word(r ? r->risk : RISK_NONE), risk_word(rows[i].want));
	}
}

static void calls_and_variables_have_theirs(void **state)
{
	(void)state;
	assert_int_equal(risk_of_call("bpf"), RISK_KERNEL);
	assert_int_equal(risk_of_call("ptrace"), RISK_TRUST);
	assert_int_equal(risk_of_call("keyctl"), RISK_DATA);
	assert_int_equal(risk_of_call("init_module"), RISK_ROOT);
	assert_int_equal(risk_of_call("read"), RISK_NONE);
	assert_int_equal(risk_of_variable("SSH_AUTH_SOCK"), RISK_SIGNING);
	assert_int_equal(risk_of_variable("LANG"), RISK_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_belong_to_the_row_of_their_place),
		cmocka_unit_test(calls_and_variables_have_theirs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
