#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "trace/redact.h"

#include <string.h>

static void arguments_lose_their_secrets_and_nothing_else(void **state)
{
	(void)state;
	static const char *const env[] = { "MY_TOKEN=abcd1234", "PLAIN=visible", "SHORT_SECRET=xy", "A_PASSPHRASE=two words", NULL };
	const struct {
		const char *prev, *arg, *want;
	} cases[] = {
		{ NULL, "plain", "plain" },
		{ NULL, "--token=abc", "--token=***" },
		{ "--token", "abc", "***" },
		{ "--token", "--other", "--other" },
		{ "--token=x", "abc", "abc" },
		{ "file", "abc", "abc" },
		{ NULL, "API_KEY=zzz", "API_KEY=***" },
		{ NULL, "CC=gcc", "CC=gcc" },
		{ NULL, "https://u:p@h.example/x?q=1#f", "https://***@h.example/x?***#f" },
		{ NULL, "https://h.example/a@b", "https://h.example/a@b" },
		{ NULL, "git+ssh://git@h.example/r", "git+ssh://***@h.example/r" },
		{ NULL, "see https://h.example/?k=v now?", "see https://h.example/?*** now?" },
		{ NULL, "xabcd1234y", "x***y" },
		{ NULL, "visible xy", "visible xy" },
		{ "-H", "Authorization: Bearer qqq", "Authorization: ***" },
		{ NULL, "curl -H 'Cookie: a=b' u", "curl -H 'Cookie: ***' u" },
		{ "-c", "run --password pw TOKEN=t cmd $HOME", "run --password *** TOKEN=*** cmd $HOME" },
		{ NULL, "a two words b", "a *** b" },
		{ NULL, "abcd1234_token=x", "***_token=***" },
		{ "--user", "bob:pw", "bob:***" },
		{ "-u", "bob:pw", "bob:***" },
		{ "-U", "bob:p:w", "bob:***" },
		{ NULL, "--user=bob:pw", "--user=bob:***" },
		{ NULL, "--proxy-user=bob:/pw", "--proxy-user=bob:***" },
		{ NULL, "-ubob:pw", "-ubob:***" },
		{ "-c", "curl -s -u 'bob:pw' --proxy-user al:pw2 http://h/", "curl -s -u 'bob:***' --proxy-user al:*** http://h/" },
		{ "-u", "1000:1000", "1000:1000" },
		{ "-u", "host:/path", "host:/path" },
		{ "-u", "http://h.example/", "http://h.example/" },
		{ "-u", "bob", "bob" },
		{ "-u", "bob:", "bob:" },
		{ "--user", "--x:y", "--x:y" },
		{ "--username", "a:b", "a:b" },
		{ "-u", "bob:my pass", "bob:***" },
		{ "--password", "my pass", "***" },
		{ NULL, "--password=my pass", "--password=***" },
		{ NULL, "--user=bob:my pass", "--user=bob:***" },
		{ "file", "bob:pw", "bob:pw" },
		{ NULL, "", "" },
		{ NULL, "=", "=" },
		{ NULL, "PGPASSWORD=x1", "PGPASSWORD=***" },
		{ NULL, "--storepass=x1", "--storepass=***" },
		{ "--pw", "x1", "***" },
	};
	OWN(redactor) r = { 0 };
	assert_int_equal(redactor_add_env(&r, env), 0);
	assert_int_equal(r.n, 2);
	for (size_t i = 0; i < LEN(cases); i++) {
		OWN(str) s = { 0 };
		redact_arg(&r, &s, cases[i].arg, cases[i].prev);
		assert_string_equal(str_c(&s), cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_lose_their_secrets_and_nothing_else),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
