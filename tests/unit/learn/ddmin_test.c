#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "learn/ddmin.h"

#include <stdio.h>
#include <string.h>

/* Goes well with all of @needed, or with all of @instead where that is not NULL. */
struct want {
	const char *needed, *instead;
	size_t n;
};

static bool holds(const char *which, const bool *keep, size_t n)
{
	for (const char *p = which; *p; p++)
		if ((size_t)(*p - 'a') >= n || !keep[*p - 'a'])
			return false;
	return true;
}

static int test(void *arg, const bool *keep)
{
	const struct want *w = arg;
	return holds(w->needed, keep, w->n) || (w->instead && holds(w->instead, keep, w->n));
}

static const struct {
	size_t n;
	const char *needed, *instead;
	unsigned budget;
	const char *left; /* members, then "." when it is done */
	unsigned most;    /* tests */
} cases[] = {
	{ 0, "", NULL, 20, ".", 0 },
	{ 1, "", NULL, 20, ".", 1 },
	{ 1, "a", NULL, 20, "a.", 2 },
	{ 8, "", NULL, 20, ".", 1 },
	{ 8, "c", NULL, 20, "c.", 14 },
	{ 8, "ah", NULL, 30, "ah.", 30 },
	{ 8, "abcdefgh", NULL, 30, "abcdefgh.", 15 },
	{ 4, "abc", "d", 20, "d.", 20 },
	/* out of budget: what was found until then */
	{ 8, "ah", NULL, 1, "abcdefgh", 1 },
	{ 8, "a", NULL, 3, "abcd", 3 },
};

static void what_is_left_cannot_do_without_any_of_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < LEN(cases); i++) {
		struct want w = { cases[i].needed, cases[i].instead, cases[i].n };
		struct ddmin d = { .test = test, .arg = &w, .budget = cases[i].budget };
		bool keep[16];
		char left[32] = "";
		for (size_t k = 0; k < LEN(keep); k++)
			keep[k] = true;
		assert_int_equal(ddmin(&d, keep, cases[i].n), 0);
		for (size_t k = 0; k < cases[i].n; k++)
			if (keep[k])
				snprintf(left + strlen(left), sizeof(left) - strlen(left), "%c", (int)('a' + k));
		strcat(left, d.done ? "." : "");
		if (strcmp(left, cases[i].left) != 0 || d.used > cases[i].most)
			fail_msg("case %zu: '%s' after %u tests instead of '%s' after at most %u", i, left, d.used, cases[i].left,
			         cases[i].most);
	}
}

static int broken(void *arg, const bool *keep)
{
	(void)keep;
	return ++*(int *)arg == 3 ? -4 : 0;
}

static void a_test_that_cannot_be_made_ends_it(void **state)
{
	(void)state;
	int n = 0;
	struct ddmin d = { .test = broken, .arg = &n, .budget = 20 };
	bool keep[] = { true, true, true, true };
	assert_int_equal(ddmin(&d, keep, LEN(keep)), -4);
	assert_int_equal(n, 3);
	assert_false(d.done);
	assert_true(keep[0] && keep[1] && keep[2] && keep[3]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left_cannot_do_without_any_of_it),
		cmocka_unit_test(a_test_that_cannot_be_made_ends_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
