#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/secret.h"

#include <string.h>

static void names_that_hold_secrets_are_known(void **state)
{
	(void)state;
	static const char *const yes[] = {
		"NPM_TOKEN", "npm_config__authToken", "--password", "AWS_SECRET_ACCESS_KEY", "API_KEY", "apiKey", "Authorization",
		"X-Api-Key", "DB_PASSWD", "GITHUB_PAT", "//packages.example.org/:_auth", "DB_PASSWORD", "github_token", "SSH_KEY",
		"MY_PASS", "DATABASE_URL", "SESSION_COOKIE", "NODE_AUTH_TOKEN", "apikey", "PGPASSWORD", "SSHPASS", "AWSSECRET",
		"--storepass", "--pw", "SESSION_ID", "OPENAIAPIKEY",
	};
	static const char *const no[] = {
		"PWD", "OLDPWD", "--author", "KEYBOARD", "--keyring", "MONKEY", "SSH_AUTH_SOCK", "tokenizer", "--path", "", "HOME",
		"PATH", "NODE_OPTIONS", "PASSAGE", "LANG", "TERM", "--bypass", "COMPASS", "_KEY", "--sort-key",
	};
	for (size_t i = 0; i < LEN(yes); i++)
		if (!secret_name(yes[i], strlen(yes[i])))
			fail_msg("%s is no secret?", yes[i]);
	for (size_t i = 0; i < LEN(no); i++)
		if (secret_name(no[i], strlen(no[i])))
			fail_msg("%s is a secret?", no[i]);
}

static void logins_in_paths_that_are_urls_are_found(void **state)
{
	(void)state;
	static const struct {
		const char *path, *login;
	} cases[] = {
		{ "https://user:pw@host/x.git", "user:pw" },
		{ "/p/https:/user:pw@host:1/x.git/.git", "user:pw" },
		{ "git+ssh://git@host/x", "git" },
		{ "/p/https:/host/x@1", NULL },
		{ "/p/a:/user@host", NULL },
		{ "/node_modules/.pnpm/@scope/x@1.0:/y", NULL },
		{ "https://@host", NULL },
		{ "://user@host", NULL },
		{ ":/", NULL },
		{ "", NULL },
	};
	for (size_t i = 0; i < LEN(cases); i++) {
		size_t len = 0;
		const char *got = secret_userinfo(cases[i].path, &len);
		if (!cases[i].login)
			assert_null(got);
		else if (!got || len != strlen(cases[i].login) || memcmp(got, cases[i].login, len) != 0)
			fail_msg("%s: %.*s", cases[i].path, (int)len, got ? got : "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_hold_secrets_are_known),
		cmocka_unit_test(logins_in_paths_that_are_urls_are_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
