/* sysgroup_test.c - the groups of denied calls are those that base and special: deny */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "profiles/builtin.h"
#include "profiles/policy.h"
#include "profiles/sysgroup.h"

#include <string.h>

static void base_policy(struct policy *pol)
{
	struct err e = { 0 };
	OWN(profile) base = { 0 };
	const struct host h = { .home = "/home/ann", .cwd = "/srv/p", .project = "/srv/p", .uid = 1000 };
	const struct builtin *b = builtins;
	while (strcmp(b->name, "base") != 0)
		b++;
	assert_int_equal(profile_read(&base, b->text, b->len, "base", "builtin:base", &e), 0);
	assert_int_equal(policy_resolve(pol, &base, &h, false, &e), 0);
}

static bool denies(const struct policy *pol, const char *call)
{
	for (size_t i = 0; i < pol->sys_deny.n; i++)
		if (!strcmp(pol->sys_deny.items[i].text, call))
			return true;
	return false;
}

static void every_call_of_a_group_is_denied_by_default(void **state)
{
	(void)state;
	OWN(policy) pol = { 0 };
	base_policy(&pol);
	for (const struct sys_group *g = sys_groups; g->name; g++)
		for (size_t i = 0; i < LEN(g->names) && g->names[i]; i++)
			if (!denies(&pol, g->names[i]))
				fail_msg("%s of group %s is not denied", g->names[i], g->name);
}

static void every_denied_call_is_in_a_group(void **state)
{
	(void)state;
	OWN(policy) pol = { 0 };
	base_policy(&pol);
	assert_true(pol.sys_deny.n > 40);
	for (size_t i = 0; i < pol.sys_deny.n; i++)
		if (!sys_group_of(pol.sys_deny.items[i].text))
			fail_msg("%s is in no group", pol.sys_deny.items[i].text);
	assert_null(sys_group_of("read"));
	assert_null(sys_group_of(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_call_of_a_group_is_denied_by_default),
		cmocka_unit_test(every_denied_call_is_in_a_group),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
