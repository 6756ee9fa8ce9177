#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "learn/lines.h"

#include "base/str.h"

#include <string.h>

static const char text[] =
	"binds:\n"
	"  - { source: \"~/a\", mode: ro }\n"
	"  - { source: \"~/b\", mode: rw }\n"
	"tmpfs: [\"/x\"]\n"
	"env: { allow: [ONE, TWO] }\n"
	"proxy: { allow_hosts: [\"h.example\"] }\n"
	"special: { userns: true }\n";

static const struct {
	const char *keep, *left;
} cases[] = {
	{ "1111111", "\"~/a\" \"~/b\" \"/x\" ONE TWO h.example special.userns" },
	{ "0000000", "" },
	{ "0100000", "\"~/b\"" },
	{ "1010101", "\"~/a\" \"/x\" TWO special.userns" },
	{ "0001010", "ONE h.example" },
};

static void any_lines_can_be_left_out_and_the_original_stays(void **state)
{
	(void)state;
	OWN(profile) p = { 0 };
	struct err e = { 0 };
	assert_int_equal(profile_read(&p, text, strlen(text), "t.yaml", NULL, &e), 0);
	assert_int_equal(lines_count(&p), 7);
	for (size_t i = 0; i < LEN(cases); i++) {
		OWN(arena) a = { 0 };
		OWN(profile) some = { 0 };
		bool keep[7];
		const char *s = "";
		for (size_t k = 0; k < LEN(keep); k++)
			keep[k] = cases[i].keep[k] == '1';
		assert_int_equal(lines_some(&some, &p, keep), 0);
		for (size_t k = 0; k < lines_count(&some); k++)
			s = arena_fmt(&a, "%s%s%s", s, k ? " " : "", lines_mark(&some, k, &a));
		assert_string_equal(s, cases[i].left);
		assert_int_equal(lines_count(&p), 7);
	}
}

static void what_is_left_is_a_profile_that_can_be_written_and_read(void **state)
{
	(void)state;
	OWN(profile) p = { 0 };
	OWN(profile) some = { 0 };
	OWN(profile) again = { 0 };
	OWN(str) yaml = { 0 };
	struct err e = { 0 };
	const bool keep[] = { true, false, false, false, true, false, false };
	assert_int_equal(profile_read(&p, text, strlen(text), "t.yaml", NULL, &e), 0);
	assert_int_equal(lines_some(&some, &p, keep), 0);
	profile_write(&yaml, &some);
	assert_int_equal(profile_read(&again, str_c(&yaml), yaml.len, "u.yaml", NULL, &e), 0);
	assert_true(profile_equal(&some, &again));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_lines_can_be_left_out_and_the_original_stays),
		cmocka_unit_test(what_is_left_is_a_profile_that_can_be_written_and_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
