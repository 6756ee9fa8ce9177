#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/path.h"
#include "base/str.h"

#include <string.h>

static void cleaning_is_lexical(void **state)
{
	(void)state;
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "", "." },
		{ ".", "." },
		{ "/", "/" },
		{ "//", "/" },
		{ "/.", "/" },
		{ "/..", "/" },
		{ "/../../a", "/a" },
		{ "/a/", "/a" },
		{ "/a//b", "/a/b" },
		{ "/a/./b/.", "/a/b" },
		{ "/a/../b", "/b" },
		{ "/a/b/..", "/a" },
		{ "/a/b/../..", "/" },
		{ "/a/b/../../..", "/" },
		{ "a", "a" },
		{ "a/", "a" },
		{ "./a", "a" },
		{ "a/..", "." },
		{ "a/../b", "b" },
		{ "a/b/../..", "." },
		{ "..", ".." },
		{ "../..", "../.." },
		{ "../a", "../a" },
		{ "../a/..", ".." },
		{ "../../a/../b", "../../b" },
		{ "a/../..", ".." },
		{ "a/../../b", "../b" },
		{ "...", "..." },
		{ "/...", "/..." },
		{ "/.a/..b", "/.a/..b" },
		{ "/a b/\xff\n", "/a b/\xff\n" },
	};
	for (size_t i = 0; i < LEN(cases); i++) {
		OWN(str) out = { 0 };
		path_clean(&out, cases[i].in);
		assert_string_equal(str_c(&out), cases[i].want);
	}
}

static void cleaning_appends(void **state)
{
	(void)state;
	OWN(str) out = { 0 };
	str_add(&out, "x=");
	path_clean(&out, "/a/../b");
	assert_string_equal(str_c(&out), "x=/b");
	str_clear(&out);
	str_add(&out, "x=");
	path_clean(&out, "..");
	assert_string_equal(str_c(&out), "x=..");
}

static void a_joined_absolute_name_stands_alone(void **state)
{
	(void)state;
	OWN(arena) a = { 0 };
	assert_string_equal(path_join(&a, "/srv", "x/../y"), "/srv/y");
	assert_string_equal(path_join(&a, "/srv", "/etc/x"), "/etc/x");
	assert_string_equal(path_join(&a, "/", "x"), "/x");
	assert_string_equal(path_join(&a, "/srv", ".."), "/");
	assert_string_equal(path_join(&a, "/srv", ""), "/srv");
}

static void under_is_by_component(void **state)
{
	(void)state;
	static const struct {
		const char *path, *dir;
		bool under, below;
	} cases[] = {
		{ "/a/b", "/a", true, true },
		{ "/a", "/a", true, false },
		{ "/ab", "/a", false, false },
		{ "/a", "/a/b", false, false },
		{ "/a", "/", true, true },
		{ "/", "/", true, false },
		{ "/a.b/c", "/a", false, false },
	};
	for (size_t i = 0; i < LEN(cases); i++) {
		assert_int_equal(path_under(cases[i].path, cases[i].dir), cases[i].under);
		assert_int_equal(path_below(cases[i].path, cases[i].dir), cases[i].below);
	}
}

static void parts_of_a_path(void **state)
{
	(void)state;
	static const struct {
		const char *path, *parent, *base;
		size_t depth;
	} cases[] = {
		{ "/", "/", "", 0 },
		{ "/a", "/", "a", 1 },
		{ "/a/b", "/a", "b", 2 },
		{ "/a/b/c", "/a/b", "c", 3 },
	};
	for (size_t i = 0; i < LEN(cases); i++) {
		OWN(arena) a = { 0 };
		assert_string_equal(path_parent(&a, cases[i].path), cases[i].parent);
		assert_int_equal(path_parent_len(cases[i].path), strlen(cases[i].parent));
		assert_string_equal(path_base(cases[i].path), cases[i].base);
		assert_int_equal(path_depth(cases[i].path), cases[i].depth);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cleaning_is_lexical),
		cmocka_unit_test(cleaning_appends),
		cmocka_unit_test(a_joined_absolute_name_stands_alone),
		cmocka_unit_test(under_is_by_component),
		cmocka_unit_test(parts_of_a_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
