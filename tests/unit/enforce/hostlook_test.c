/* hostlook_test.c - paths, links and who we are, on real files */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "enforce/box.h"

#include "base/str.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *dir; /* canonical */

static int group_up(void **state)
{
	(void)state;
	char name[] = "/tmp/snug-look.XXXXXX";
	dir = mkdtemp(name) ? realpath(name, NULL) : NULL;
	if (!dir || chdir(dir) != 0)
		return -1;
	return mkdir("d", 0755) || mkdir("d/e", 0750) || close(open("d/file", O_CREAT | O_WRONLY, 0640)) ||
	       symlink("d/file", "rel") || symlink("gone", "dangling") || symlink("loop", "loop") ||
	       symlink("../d/file", "d/up") || symlink("rel", "two") || symlink("e/../file", "d/dots") ||
	       mkfifo("fifo", 0600);
}

static int group_down(void **state)
{
	(void)state;
	char cmd[256];
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	int r = chdir("/") || system(cmd);
	free(dir);
	return r;
}

static const struct host_file *look(struct host *h, const char *name)
{
	char *path = arena_fmt(&h->arena, "%s%s%s", dir, *name ? "/" : "", name);
	struct word w = { .text = path };
	struct wordlist l = { &w, 1 };
	struct err e = { 0 };
	assert_int_equal(host_look(h, &l, &e), 0);
	return host_file(h, path);
}

static void a_path_is_followed_link_by_link(void **state)
{
	(void)state;
	const struct {
		const char *name;
		enum file_type type, real_type;
		const char *real;
		size_t nhops;
	} tests[] = {
		{ "", FT_DIR, FT_DIR, "", 0 },
		{ "d/file", FT_FILE, FT_FILE, "d/file", 0 },
		{ "d/e", FT_DIR, FT_DIR, "d/e", 0 },
		{ "rel", FT_LINK, FT_FILE, "d/file", 1 },
		{ "two", FT_LINK, FT_FILE, "d/file", 2 },
		{ "d/up", FT_LINK, FT_FILE, "d/file", 2 },       /* the link, and d left by ".." */
		{ "d/dots", FT_LINK, FT_FILE, "d/file", 2 },
		{ "dangling", FT_LINK, FT_NONE, "gone", 1 },
		{ "loop", FT_LINK, FT_NONE, NULL, 40 },
		{ "nope/deep/er", FT_NONE, FT_NONE, "nope/deep/er", 0 },
		{ "rel/below", FT_NONE, FT_NONE, "d/file/below", 1 },
		{ "fifo", FT_FIFO, FT_FIFO, "fifo", 0 },
	};
	for (size_t i = 0; i < LEN(tests); i++) {
		OWN(host) h = { 0 };
		const struct host_file *f = look(&h, tests[i].name);
		assert_non_null(f);
		assert_int_equal(f->type, tests[i].type);
		assert_int_equal(f->real_type, tests[i].real_type);
		assert_int_equal(f->nhops, tests[i].nhops);
		if (tests[i].real) {
			char want[512];
			snprintf(want, sizeof(want), "%s%s%s", dir, *tests[i].real ? "/" : "", tests[i].real);
			assert_string_equal(f->real, want);
		}
	}
}

static void hops_name_the_links_place_and_text(void **state)
{
	(void)state;
	OWN(host) h = { 0 };
	const struct host_file *f = look(&h, "d/up");
	char place[512];
	snprintf(place, sizeof(place), "%s/d/up", dir);
	assert_string_equal(f->hops[0].path, place);
	assert_string_equal(f->hops[0].text, "../d/file");
	snprintf(place, sizeof(place), "%s/d", dir);
	assert_string_equal(f->hops[1].path, place);
	assert_string_equal(f->hops[1].text, "..");
}

static void mode_and_owner_are_of_the_final_object(void **state)
{
	(void)state;
	OWN(host) h = { 0 };
	assert_int_equal(look(&h, "rel")->mode, 0640);
	assert_int_equal(look(&h, "d/dots")->mode, 0640);
	assert_int_equal(look(&h, "d/e")->mode, 0750);
	assert_int_equal(look(&h, "d/file")->uid, geteuid());
}

static void the_root_is_a_directory(void **state)
{
	(void)state;
	OWN(host) h = { 0 };
	struct word w = { .text = "/" };
	struct wordlist l = { &w, 1 };
	struct err e = { 0 };
	assert_int_equal(host_look(&h, &l, &e), 0);
	assert_string_equal(host_file(&h, "/")->real, "/");
	assert_int_equal(host_file(&h, "/")->real_type, FT_DIR);
}

static void a_project_is_never_home_its_parent_or_the_root(void **state)
{
	(void)state;
	char home[600], xdg[] = "XDG_CACHE_HOME=relative", run[] = "XDG_RUNTIME_DIR=/run/user/7";
	snprintf(home, sizeof(home), "HOME=%s/d/e/..", dir);
	char *env[] = { home, xdg, run, NULL };
	const struct { const char *cwd; bool project; } tests[] = {
		{ "d/e", true }, { "d", false }, { ".", false }, { "/", false }, { "/usr", true },
	};
	for (size_t i = 0; i < LEN(tests); i++) {
		OWN(host) h = { 0 };
		struct err e = { 0 };
		assert_int_equal(host_probe(&h, tests[i].cwd, NULL, env, &e), 0);
		assert_int_equal(h.project != NULL, tests[i].project);
		assert_string_equal(h.runtime, "/run/user/7");
		char want[600];
		snprintf(want, sizeof(want), "%s/d/.cache", dir);
		assert_string_equal(h.cache, want); /* relative values are ignored */
		assert_true(h.nmounts > 0);
	}
}

static void a_working_directory_that_is_none_is_refused(void **state)
{
	(void)state;
	OWN(host) h = { 0 };
	struct err e = { 0 };
	char *env[] = { NULL };
	assert_true(host_probe(&h, "d/file", NULL, env, &e) < 0);
	assert_non_null(strstr(e.msg, "not a directory"));
	assert_true(host_probe(&h, "nope", NULL, env, &e) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_is_followed_link_by_link),
		cmocka_unit_test(hops_name_the_links_place_and_text),
		cmocka_unit_test(mode_and_owner_are_of_the_final_object),
		cmocka_unit_test(the_root_is_a_directory),
		cmocka_unit_test(a_project_is_never_home_its_parent_or_the_root),
		cmocka_unit_test(a_working_directory_that_is_none_is_refused),
	};
	return cmocka_run_group_tests(tests, group_up, group_down);
}
