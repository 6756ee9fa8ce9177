#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/base.h"
#include "base/vec.h"

static void pushed_items_stay_and_start_as_zero(void **state)
{
	(void)state;
	struct {
		long *items;
		size_t n, cap;
	} v = { 0 };
	for (long i = 0; i < 1000; i++) {
		long *slot = VEC_PUSH(&v);
		assert_non_null(slot);
		assert_int_equal(*slot, 0);
		*slot = i;
	}
	for (long i = 0; i < 1000; i++)
		assert_int_equal(v.items[i], i);
	VEC_FREE(&v);
	assert_null(v.items);
	assert_int_equal(v.n, 0);
	VEC_FREE(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pushed_items_stay_and_start_as_zero),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
