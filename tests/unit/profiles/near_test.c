/* near_test.c - which known word a typed one is near to */
#include "profiles/near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void distances_count_edits_and_swaps_whatever_the_case(void **state)
{
	(void)state;
	static const struct { const char *a, *b; unsigned want; } rows[] = {
		{ "binds", "binds", 0 }, { "bind", "binds", 1 }, { "BINDS", "binds", 0 }, { "bidns", "binds", 1 }, { "", "", 0 },
		{ "", "ab", 2 }, { "abc", "xyz", 3 }, { "abcdef", "a", 4 },
	};
	for (size_t i = 0; i < LEN(rows); i++)
		assert_int_equal(near_distance(rows[i].a, rows[i].b, 3), rows[i].want);
}

static void the_nearest_word_wins_and_far_ones_never(void **state)
{
	(void)state;
	static const char *const known[] = { "allow", "deny", "set", "prepend_path" };
	static const struct { const char *typed, *want; } rows[] = {
		{ "alow", "allow" }, { "deney", "deny" }, { "seT", "set" }, { "prepend-path", "prepend_path" }, { "x", NULL },
		{ "something", NULL }, { "", NULL },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		struct near n = { 0 };
		for (size_t j = 0; j < LEN(known); j++)
			near_try(&n, rows[i].typed, known[j]);
		if (rows[i].want)
			assert_string_equal(n.best, rows[i].want);
		else
			assert_null(n.best);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_count_edits_and_swaps_whatever_the_case),
		cmocka_unit_test(the_nearest_word_wins_and_far_ones_never),
	};
	return cmocka_run_group_tests_name("near", tests, NULL, NULL);
}
