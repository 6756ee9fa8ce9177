/* env_test.c - which variables reach the command */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "enforce/box.h"
#include "enforce/relay.h"

#include <string.h>

static const struct src said = { .origin = "user:web", .line = 3 };
static const struct src unsaid = { .origin = "default" };

static char *const caller[] = {
	(char[]){ "PATH=/home/u/bin:/usr/bin" }, (char[]){ "HOME=/home/u" }, (char[]){ "LC_ALL=C" },
	(char[]){ "LC_CTYPE=C" }, (char[]){ "API_TOKEN=t" }, (char[]){ "npm_config_cache=/c" },
	(char[]){ "http_proxy=http://corp:8080" }, (char[]){ "TMPDIR=/var/tmp/u" }, (char[]){ "=odd" },
	(char[]){ "no equals sign" }, (char[]){ "EMPTY=" }, NULL,
};

struct test {
	const char *allow[4], *deny[3], *prepend[3];
	struct { const char *name, *value; const struct src *src; } set[4];
	enum tri clear;
	uint16_t port;
	struct { const char *name, *value; } want[6]; /* value NULL: absent */
};

static void check(const struct test *t)
{
	struct policy pol = { .clear_env = t->clear };
	for (size_t i = 0; i < LEN(t->allow) && t->allow[i]; i++)
		*ARENA_PUSH(&pol.arena, &pol.env_allow, items, n) = (struct word){ .text = t->allow[i], .src = said };
	for (size_t i = 0; i < LEN(t->deny) && t->deny[i]; i++)
		*ARENA_PUSH(&pol.arena, &pol.env_deny, items, n) = (struct word){ .text = t->deny[i], .src = said };
	for (size_t i = 0; i < LEN(t->prepend) && t->prepend[i]; i++)
		*ARENA_PUSH(&pol.arena, &pol.prepend_path, items, n) = (struct word){ .text = t->prepend[i], .src = said };
	for (size_t i = 0; i < LEN(t->set) && t->set[i].name; i++)
		*ARENA_PUSH(&pol.arena, &pol.env_set, items, n) =
			(struct envset){ .name = t->set[i].name, .value = t->set[i].value, .src = *t->set[i].src };
	char **env = env_build(&pol.arena, &pol, caller, t->port);
	assert_non_null(env);
	for (size_t i = 0; i < LEN(t->want) && t->want[i].name; i++) {
		const char *got = env_get(env, t->want[i].name);
		if (t->want[i].value) {
			assert_non_null(got);
			assert_string_equal(got, t->want[i].value);
		} else {
			assert_null(got);
		}
	}
	for (char **a = env; *a; a++) /* no name twice */
		for (char **b = a + 1; *b; b++)
			assert_false(strncmp(*a, *b, strcspn(*a, "=") + 1) == 0);
	arena_drop(&pol.arena);
}

static void only_what_a_line_allows_passes(void **state)
{
	(void)state;
	const struct test tests[] = {
		{ .allow = { "LC_*" }, .clear = TRI_YES,
		  .want = { { "LC_ALL", "C" }, { "LC_CTYPE", "C" }, { "API_TOKEN", NULL }, { "HOME", NULL } } },
		{ .allow = { "*" }, .deny = { "*_TOKEN" }, .clear = TRI_YES,
		  .want = { { "API_TOKEN", NULL }, { "npm_config_cache", "/c" }, { "EMPTY", "" } } },
		{ .clear = TRI_NO, .deny = { "LC_*" }, .want = { { "LC_ALL", NULL }, { "API_TOKEN", "t" } } },
		{ .allow = { "NPM_*" }, .clear = TRI_YES, .want = { { "npm_config_cache", NULL } } },
	};
	for (size_t i = 0; i < LEN(tests); i++)
		check(&tests[i]);
}

static void a_set_value_beats_the_callers_and_a_deny_beats_both(void **state)
{
	(void)state;
	const struct test tests[] = {
		{ .allow = { "LC_*" }, .set = { { "LC_ALL", "de", &said } }, .clear = TRI_YES, .want = { { "LC_ALL", "de" } } },
		{ .allow = { "X" }, .deny = { "X" }, .set = { { "X", "1", &said } }, .clear = TRI_YES, .want = { { "X", NULL } } },
	};
	for (size_t i = 0; i < LEN(tests); i++)
		check(&tests[i]);
}

static void a_default_yields_to_an_allowed_variable_but_home_and_tmp_stay(void **state)
{
	(void)state;
	const struct test tests[] = {
		{ .allow = { "PATH" }, .set = { { "PATH", "/usr/bin", &unsaid } }, .clear = TRI_YES,
		  .want = { { "PATH", "/home/u/bin:/usr/bin" } } },
		{ .set = { { "PATH", "/usr/bin", &unsaid } }, .clear = TRI_YES, .want = { { "PATH", "/usr/bin" } } },
		{ .allow = { "*" }, .set = { { "HOME", "/h", &unsaid }, { "TMPDIR", "/tmp", &unsaid } }, .clear = TRI_YES,
		  .want = { { "HOME", "/h" }, { "TMPDIR", "/tmp" } } },
	};
	for (size_t i = 0; i < LEN(tests); i++)
		check(&tests[i]);
}

static void prepended_directories_come_first_in_their_order(void **state)
{
	(void)state;
	const struct test tests[] = {
		{ .prepend = { "/a", "/b" }, .set = { { "PATH", "/usr/bin", &unsaid } }, .clear = TRI_YES,
		  .want = { { "PATH", "/a:/b:/usr/bin" } } },
		{ .prepend = { "/a" }, .clear = TRI_YES, .want = { { "PATH", "/a" } } },
		{ .prepend = { "/a" }, .deny = { "PATH" }, .clear = TRI_YES, .want = { { "PATH", NULL } } },
	};
	for (size_t i = 0; i < LEN(tests); i++)
		check(&tests[i]);
}

static void the_proxy_is_told_in_both_cases_and_replaces_the_users(void **state)
{
	(void)state;
	const struct test t = {
		.allow = { "*" }, .clear = TRI_YES, .port = 998,
		.want = { { "http_proxy", "http://127.0.0.1:998" }, { "HTTPS_PROXY", "http://127.0.0.1:998" },
		          { "ALL_PROXY", "http://127.0.0.1:998" }, { "NODE_USE_ENV_PROXY", "1" },
		          { "no_proxy", RELAY_NO_PROXY }, { "NO_PROXY", RELAY_NO_PROXY } },
	};
	check(&t);
	const struct test none = { .clear = TRI_YES, .want = { { "http_proxy", NULL }, { "NODE_USE_ENV_PROXY", NULL } } };
	check(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_a_line_allows_passes),
		cmocka_unit_test(a_set_value_beats_the_callers_and_a_deny_beats_both),
		cmocka_unit_test(a_default_yields_to_an_allowed_variable_but_home_and_tmp_stay),
		cmocka_unit_test(prepended_directories_come_first_in_their_order),
		cmocka_unit_test(the_proxy_is_told_in_both_cases_and_replaces_the_users),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
