#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "learn/tiers.h"

#include <string.h>

static struct host a_host(void)
{
	return (struct host){
		.home = "/home/someone", .project = "/home/someone/work/web", .config = "/home/someone/.config",
		.cache = "/data/cache", .runtime = "/run/user/1000",
	};
}

static void what_is_never_bound_as_a_directory(void **state)
{
	(void)state;
	struct host h = a_host();
	OWN(tiers) t = { 0 };
	static const char *const forbidden[] = {
		"/", "/usr", "/nix", "/home", "/home/someone", "/home/someone/work", "/home/someone/.config", "/home/someone/.local/share",
		"/data/cache", "/tmp", "/var/lib", "/run/user/1000", "/etc", "/opt", "/home/someone/.local/bin", "/etc/ssl",
	};
	static const char *const fine[] = {
		"/home/someone/work/web", "/home/someone/.config/app", "/home/someone/.npm", "/home/someone/src", "/opt/tool",
		"/srv/data/x", "/data/cache/x", "/home/someone/Documents", "/etc/vim",
	};
	assert_int_equal(tiers_make(&t, &h), 0);
	for (size_t i = 0; i < LEN(forbidden); i++)
		if (!tier_forbidden(&t, forbidden[i]))
			fail_msg("%s may be bound", forbidden[i]);
	for (size_t i = 0; i < LEN(fine); i++)
		if (tier_forbidden(&t, fine[i]))
			fail_msg("%s may not be bound", fine[i]);
}

static void credential_stores_are_protected(void **state)
{
	(void)state;
	struct host h = a_host();
	OWN(tiers) t = { 0 };
	static const struct { const char *path, *store; } yes[] = {
		{ "/home/someone/.ssh/id_rsa", "/home/someone/.ssh" }, { "/home/someone/.ssh", "/home/someone/.ssh" },
		{ "/home/someone/.aws/credentials", "/home/someone/.aws" }, { "/home/someone/.netrc", "/home/someone/.netrc" },
		{ "/home/someone/.config/gh/hosts.yml", "/home/someone/.config/gh" }, { "/etc/shadow", "/etc/shadow" },
		{ "/run/docker.sock", "/run/docker.sock" }, { "/run/user/1000/gnupg/S.gpg-agent", "/run/user/1000/gnupg" },
		{ "/home/someone/.pgpass", "/home/someone/.pgpass" }, { "/home/someone/.pypirc", "/home/someone/.pypirc" },
		{ "/home/someone/.config/rclone/rclone.conf", "/home/someone/.config/rclone" },
		{ "/home/someone/.cargo/credentials.toml", "/home/someone/.cargo/credentials.toml" },
		{ "/data/cache/huggingface/token", "/data/cache/huggingface/token" },
		{ "/home/someone/keys/private-keys-v1.d/a", "/home/someone/keys" },
		{ "/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_rsa_key" }, { "/tmp/ssh-ab12/agent.7", "/tmp/ssh-ab12/agent.7" },
	};
	static const char *const no[] = {
		"/home/someone/.sshx", "/home/someone/.config/ghx", "/etc/ssh/ssh_host_rsa_key.pub", "/tmp/ssh-ab12/other",
		"/home/other/.ssh/id_rsa", "/etc/passwd", "/home/someone/.npmrc", "/home/someone/.cargo/registry", "/private-keys-v1.d/x",
		"/home/someone/other/private-keys-v1.dx/a",
	};
	assert_int_equal(tiers_make(&t, &h), 0);
	assert_false(tier_forbidden(&t, "/home/someone/.cargo"));
	assert_int_equal(tiers_used(&t, "/home/someone/.cargo/credentials.toml"), 0);
	assert_int_equal(tiers_used(&t, "/home/someone/keys/private-keys-v1.d/a"), 0);
	assert_true(tier_forbidden(&t, "/home/someone/.cargo"));
	for (size_t i = 0; i < LEN(yes); i++) {
		const char *store = NULL;
		if (!tier_protected(&t, yes[i].path, &store) || strcmp(store, yes[i].store) != 0)
			fail_msg("%s: %s", yes[i].path, store);
	}
	for (size_t i = 0; i < LEN(no); i++)
		if (tier_protected(&t, no[i], NULL))
			fail_msg("%s is protected", no[i]);
}

static void a_path_belongs_to_its_app_unit(void **state)
{
	(void)state;
	struct host h = a_host();
	OWN(tiers) t = { 0 };
	static const struct { const char *path, *unit; } cases[] = {
		{ "/home/someone/.config/app/a/b", "/home/someone/.config/app" }, { "/home/someone/.config/app", "/home/someone/.config/app" },
		{ "/home/someone/.npm/_cacache/x", "/home/someone/.npm" }, { "/home/someone/.npmrc", "/home/someone/.npmrc" },
		{ "/home/someone/.local/share/db/x", "/home/someone/.local/share/db" }, { "/data/cache/dep/v1", "/data/cache/dep" },
		{ "/home/someone/src/t", "" }, { "/home/someone", "" }, { "/opt/tool/x", "" }, { "/home/someonelse/.x/y", "" },
	};
	assert_int_equal(tiers_make(&t, &h), 0);
	for (size_t i = 0; i < LEN(cases); i++) {
		size_t n = tier_unit(&t, cases[i].path);
		if (n != strlen(cases[i].unit) || strncmp(cases[i].path, cases[i].unit, n) != 0)
			fail_msg("%s: %.*s", cases[i].path, (int)n, cases[i].path);
	}
}

static void guarded_and_plain_places(void **state)
{
	(void)state;
	struct host h = a_host();
	OWN(tiers) t = { 0 };
	assert_int_equal(tiers_make(&t, &h), 0);
	assert_true(tier_guarded(&t, "/etc/vim"));
	assert_true(tier_guarded(&t, "/home/someone/Documents/a/b"));
	assert_true(tier_guarded(&t, "/home/someone/.gitconfig"));
	assert_false(tier_guarded(&t, "/home/someone/.config/app"));
	assert_true(tier_user_dir(&t, "/home/someone/Downloads/x"));
	assert_false(tier_user_dir(&t, "/home/someone/Downloadsx"));
	assert_true(tier_plain_child(&t, "/home/someone/src"));
	assert_false(tier_plain_child(&t, "/home/someone/.npm"));
	assert_false(tier_plain_child(&t, "/home/someone/src/t"));
}

static void without_a_home_nothing_is_of_home(void **state)
{
	(void)state;
	struct host h = { 0 };
	OWN(tiers) t = { 0 };
	assert_int_equal(tiers_make(&t, &h), 0);
	assert_true(tier_forbidden(&t, "/srv"));
	assert_int_equal(tier_unit(&t, "/x/.config/app"), 0);
	assert_false(tier_plain_child(&t, "/x/y"));
	assert_non_null(tier_protected(&t, "/etc/shadow", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_never_bound_as_a_directory),
		cmocka_unit_test(credential_stores_are_protected),
		cmocka_unit_test(a_path_belongs_to_its_app_unit),
		cmocka_unit_test(guarded_and_plain_places),
		cmocka_unit_test(without_a_home_nothing_is_of_home),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
