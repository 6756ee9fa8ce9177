#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/base.h"
#include "base/glob.h"

#include <string.h>

static void star_and_question_mark(void **state)
{
	(void)state;
	static const struct {
		const char *pattern, *text;
		bool want;
	} cases[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "*", "", true },
		{ "*", "anything at all", true },
		{ "?", "", false },
		{ "?", "a", true },
		{ "?", "ab", false },
		{ "npm_config_*", "npm_config_registry", true },
		{ "npm_config_*", "npm_config_", true },
		{ "npm_config_*", "npm_confi", false },
		{ "*_TOKEN", "NPM_TOKEN", true },
		{ "*_TOKEN", "NPM_TOKENS", false },
		{ "a*b*c", "aXXbYYc", true },
		{ "a*b*c", "aXXbYY", false },
		{ "a*bc", "abcbc", true },
		{ "**", "x", true },
		{ "a?c", "abc", true },
		{ "[ab]", "a", false },
		{ "[ab]", "[ab]", true },
		{ "a\\*", "a\\b", true },
		{ "A", "a", false },
	};
	for (size_t i = 0; i < LEN(cases); i++)
		assert_int_equal(glob_match(cases[i].pattern, cases[i].text), cases[i].want);
}

/* With backtracking per star this would not end. */
static void many_stars_take_no_longer(void **state)
{
	(void)state;
	char text[4000], pattern[200];
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	for (size_t i = 0; i + 2 < sizeof(pattern); i += 2) {
		pattern[i] = '*';
		pattern[i + 1] = 'a';
	}
	pattern[sizeof(pattern) - 2] = 'b';
	pattern[sizeof(pattern) - 1] = '\0';
	assert_false(glob_match(pattern, text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(star_and_question_mark),
		cmocka_unit_test(many_stars_take_no_longer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
