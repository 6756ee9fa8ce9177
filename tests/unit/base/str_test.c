#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/str.h"

#include <string.h>

static void the_empty_string_is_text_too(void **state)
{
	(void)state;
	OWN(str) s = { 0 };
	assert_string_equal(str_c(&s), "");
	str_add(&s, "");
	assert_string_equal(str_c(&s), "");
	assert_int_equal(s.len, 0);
	str_clear(&s);
	str_drop(&s);
	str_drop(&s);
}

static void additions_of_every_kind(void **state)
{
	(void)state;
	OWN(str) s = { 0 };
	str_add(&s, "a");
	str_add_char(&s, 'b');
	str_add_mem(&s, "c\0d", 3);
	str_fmt(&s, "%03d", 7);
	assert_int_equal(s.len, 8);
	assert_memory_equal(s.p, "abc\0d007", 9);
}

static void growth_across_every_size(void **state)
{
	(void)state;
	for (size_t step = 1; step < 300; step += 13) {
		OWN(str) s = { 0 };
		char bit[300];
		memset(bit, 'x', sizeof(bit));
		for (size_t i = 0; i < 40; i++)
			str_add_mem(&s, bit, step);
		assert_int_equal(s.len, step * 40);
		assert_int_equal(strlen(s.p), s.len);
	}
}

static void too_much_marks_it_and_later_additions_do_nothing(void **state)
{
	(void)state;
	OWN(str) s = { 0 };
	str_add(&s, "kept");
	str_add_mem(&s, "x", SIZE_MAX / 2 + 2);
	assert_int_equal(s.oom, 1);
	str_add(&s, "more");
	assert_string_equal(str_c(&s), "kept");
}

static void cutting(void **state)
{
	(void)state;
	OWN(str) s = { 0 };
	str_add(&s, "abcdef");
	str_cut(&s, 10);
	assert_string_equal(str_c(&s), "abcdef");
	str_cut(&s, 2);
	assert_string_equal(str_c(&s), "ab");
	str_clear(&s);
	assert_string_equal(str_c(&s), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_empty_string_is_text_too),
		cmocka_unit_test(additions_of_every_kind),
		cmocka_unit_test(growth_across_every_size),
		cmocka_unit_test(too_much_marks_it_and_later_additions_do_nothing),
		cmocka_unit_test(cutting),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
