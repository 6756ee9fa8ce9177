#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "trace/envuse.h"

#include <string.h>

static const char *const env[] = {
	"PATH=/usr/bin:/home/u/.nvm/v20/bin", "HOME=/home/u", "PWD=/home/u/p", "FOO=fooo", "BAR=bar1", "CI=true",
	"NVM_DIR=/home/u/.nvm", "CONF=/home/u/conf/a", "PIP_CERT=/srv/ca.pem", "CURL_CA_BUNDLE=/srv/ca.pem",
	"SOCK=/run/agent/1", "ABC=xy", "SERVER=db.example.org", NULL,
};

static struct envuse *fresh(void)
{
	static struct envuse u;
	envuse_drop(&u);
	assert_int_equal(envuse_open(&u, env), 0);
	return &u;
}

static bool used(const struct envuse *u, const char *name)
{
	const struct envvar *v = map_get(&u->by_name, name);
	return v && v->proc;
}

static void names_count_where_they_are_read(void **state)
{
	(void)state;
	static const char *const yes[] = {
		"echo $FOO", "${FOO}", "\"${FOO:-x}\"", "process.env.FOO", "process.env['FOO']", "os.environ[\"FOO\"]",
		"os.environ.get('FOO', 1)", "os.getenv(\"FOO\")", "getenv(\"FOO\")", "ENV['FOO']", "$ENV{FOO}",
		"import.meta.env.FOO", "std::env::var(\"FOO\")",
	};
	static const char *const no[] = { "FOO", "FOO=1", "$FOOD", "$FO", "xprocess.env.FOOT", "\"FOO\"", "# FOO is read", "$" };
	for (size_t i = 0; i < LEN(yes); i++) {
		struct envuse *u = fresh();
		envuse_scan(u, 1, yes[i], strlen(yes[i]));
		if (!used(u, "FOO"))
			fail_msg("not seen: %s", yes[i]);
		assert_false(used(u, "BAR"));
	}
	for (size_t i = 0; i < LEN(no); i++) {
		struct envuse *u = fresh();
		envuse_scan(u, 1, no[i], strlen(no[i]));
		if (used(u, "FOO"))
			fail_msg("wrongly seen: %s", no[i]);
	}
}

static void values_count_in_paths_hosts_and_words(void **state)
{
	(void)state;
	struct envuse *u = fresh();
	envuse_path(u, 2, "/usr/bin/x", "/home/u/conf/a/b");
	assert_true(used(u, "CONF"));
	envuse_path(u, 2, "/usr/bin/x", "/run/agent/12");
	assert_false(used(u, "SOCK"));
	envuse_path(u, 2, "/usr/bin/x", "/run/agent/1");
	assert_true(used(u, "SOCK"));
	envuse_word(u, 2, NULL, "db.example.org:5432");
	assert_true(used(u, "SERVER"));
	envuse_word(u, 2, NULL, "true xy bar12");
	assert_false(used(u, "CI"));
	assert_false(used(u, "ABC"));
	assert_false(used(u, "BAR"));
	envuse_word(u, 2, NULL, "--x=bar1");
	assert_true(used(u, "BAR"));
	/* programs found through PATH prove nothing about what PATH was made from */
	envuse_path(u, 2, "/usr/bin/x", "/home/u/.nvm/v20/bin/node");
	assert_false(used(u, "NVM_DIR"));
	envuse_drop(u);
}

static void a_value_of_several_variables_counts_for_the_program_it_is_named_after(void **state)
{
	(void)state;
	struct envuse *u = fresh();
	envuse_path(u, 1, "/usr/bin/node", "/srv/ca.pem");
	assert_false(used(u, "PIP_CERT"));
	assert_false(used(u, "CURL_CA_BUNDLE"));
	envuse_path(u, 1, "/usr/bin/curl", "/srv/ca.pem");
	assert_true(used(u, "CURL_CA_BUNDLE"));
	envuse_path(u, 1, "/usr/bin/pip3.11", "/srv/ca.pem");
	assert_true(used(u, "PIP_CERT"));
	envuse_drop(u);
}

static void what_every_confined_run_has_is_left_out(void **state)
{
	(void)state;
	struct envuse *u = fresh();
	static const char *const names[] = { "PATH", "HOME", "PWD" };
	for (size_t i = 0; i < LEN(names); i++)
		assert_null(map_get(&u->by_name, names[i]));
	envuse_drop(u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_count_where_they_are_read),
		cmocka_unit_test(values_count_in_paths_hosts_and_words),
		cmocka_unit_test(a_value_of_several_variables_counts_for_the_program_it_is_named_after),
		cmocka_unit_test(what_every_confined_run_has_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
