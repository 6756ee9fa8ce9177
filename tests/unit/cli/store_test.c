#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/path.h"
#include "base/str.h"
#include "cli/output.h"
#include "cli/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *fresh_dir(void)
{
	char name[] = "/tmp/snug-store.XXXXXX";
	assert_non_null(mkdtemp(name));
	return strdup(name);
}

static void remove_dir(char *dir)
{
	char cmd[128];
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	assert_int_equal(system(cmd), 0);
	free(dir);
}

static void runs_have_names_that_sort_by_time_and_say_the_program(void **state)
{
	(void)state;
	static const struct { const char *cmd, *part; } cases[] = {
		{ "npm", "-npm-" }, { "/usr/bin/g++", "-g++-" }, { "./a b\n../c", "-c-" }, { "\x1b[2J", "-__2J-" },
		{ "../..", "-..-" }, { "/", "-run-" },
	};
	char *dir = fresh_dir();
	for (size_t i = 0; i < LEN(cases); i++) {
		OWN(run) r = { 0 };
		struct err e = { 0 };
		struct stat st;
		assert_int_equal(run_create(&r, dir, cases[i].cmd, &e), 0);
		assert_true(runs_is_id(r.id));
		if (!strstr(r.id, cases[i].part))
			fail_msg("%s in %s", cases[i].part, r.id);
		assert_int_equal(stat(r.path, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0700);
	}
	remove_dir(dir);
}

static void only_names_of_that_form_are_runs(void **state)
{
	(void)state;
	static const struct { const char *word; bool is; } cases[] = {
		{ "20260102-030405-npm-0a1f", true },  { "20260102-030405-a-b-0a1f", true },
		{ "20260102-030405-npm-0a1", false },  { "20260102-030405-npm-0A1F", false },
		{ "20260102030405-npm-0a1f", false },  { "last", false },
		{ "20260102-030405-n/m-0a1f", false }, { "../20260102-030405-n-0a1f", false },
	};
	for (size_t i = 0; i < LEN(cases); i++)
		if (runs_is_id(cases[i].word) != cases[i].is)
			fail_msg("%s", cases[i].word);
}

static void the_oldest_runs_go_but_never_one_in_progress(void **state)
{
	(void)state;
	char *dir = fresh_dir();
	OWN(arena) a = { 0 };
	struct err e = { 0 };
	OWN(run) going = { 0 };
	const char **ids;
	size_t n;
	assert_int_equal(run_create(&going, dir, "a", &e), 0);
	for (int i = 0; i < RUNS_KEEP + 5; i++) {
		OWN(run) r = { 0 };
		assert_int_equal(run_create(&r, dir, "b", &e), 0);
		assert_int_equal(run_finish(&r, dir, &e), 0);
	}
	assert_int_equal(runs_list(&a, dir, &ids, &n, &e), 0);
	assert_int_equal(n, RUNS_KEEP + 1);
	assert_string_equal(ids[0], going.id);
	const char *last = runs_find(&a, dir, "last", &e);
	assert_non_null(last);
	assert_int_equal(runs_remove(dir, going.id, &e), -EBUSY);
	fd_drop(&going.dir);
	assert_int_equal(runs_remove(dir, going.id, &e), 0);
	remove_dir(dir);
}

static void what_is_in_the_way_of_an_output_is_told_beforehand(void **state)
{
	(void)state;
	char *dir = fresh_dir();
	OWN(arena) a = { 0 };
	struct err e = { 0 };
	const char *old = path_join(&a, dir, "old"), *fresh = path_join(&a, dir, "fresh");
	assert_int_equal(output_write(old, false, 0600, "x", 1, &e), 0);
	assert_int_equal(output_check("--report", NULL, false, &e), 0);
	assert_int_equal(output_check("--report", "-", false, &e), 0);
	assert_int_equal(output_check("--report", "/dev/full", false, &e), 0);
	assert_int_equal(output_check("--report", fresh, false, &e), 0);
	assert_int_equal(output_check("--report", old, false, &e), -EEXIST);
	assert_non_null(strstr(e.msg, "--force"));
	assert_int_equal(output_check("--report", old, true, &e), 0);
	assert_int_equal(output_check("--report", dir, true, &e), -EISDIR);
	assert_int_equal(output_check("--report", "/no/such/place/x", false, &e), -ENOENT);
	remove_dir(dir);
}

static void an_output_is_whole_or_not_there(void **state)
{
	(void)state;
	char *dir = fresh_dir();
	OWN(arena) a = { 0 };
	struct err e = { 0 };
	struct stat st;
	const char *path = path_join(&a, dir, "out"), *link = path_join(&a, dir, "link");
	assert_int_equal(output_write(path, false, 0600, "one", 3, &e), 0);
	assert_int_equal(output_write(path, false, 0600, "two", 3, &e), -EEXIST);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(symlink("out", link), 0);
	assert_int_equal(output_write(link, true, 0600, "three", 5, &e), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 5);
	assert_int_equal(output_write("/dev/full", false, 0600, "x", 1, &e), -ENOSPC);
	remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_have_names_that_sort_by_time_and_say_the_program),
		cmocka_unit_test(only_names_of_that_form_are_runs),
		cmocka_unit_test(the_oldest_runs_go_but_never_one_in_progress),
		cmocka_unit_test(what_is_in_the_way_of_an_output_is_told_beforehand),
		cmocka_unit_test(an_output_is_whole_or_not_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
