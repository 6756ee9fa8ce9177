#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/map.h"

#include <stdio.h>
#include <string.h>

static void an_empty_map_has_nothing(void **state)
{
	(void)state;
	OWN(map) m = { 0 };
	assert_null(map_find(&m, "a", 1));
	assert_null(map_get(&m, "a"));
	assert_null(map_remove(&m, "a", 1));
	map_drop(&m);
	map_drop(&m);
}

static void keys_are_bytes_with_length(void **state)
{
	(void)state;
	OWN(map) m = { 0 };
	int fresh, one = 1, two = 2, none = 0;
	*map_put(&m, "a\0b", 3, &fresh) = &one;
	assert_int_equal(fresh, 1);
	*map_put(&m, "a", 1, &fresh) = &two;
	assert_int_equal(fresh, 1);
	*map_put(&m, "", 0, &fresh) = &none;
	assert_int_equal(fresh, 1);
	assert_ptr_equal(*map_find(&m, "a\0b", 3), &one);
	assert_ptr_equal(*map_find(&m, "a", 1), &two);
	assert_ptr_equal(*map_find(&m, "", 0), &none);
	assert_null(map_find(&m, "a\0c", 3));
	map_put(&m, "a", 1, &fresh);
	assert_int_equal(fresh, 0);
	assert_int_equal(m.n, 3);
}

static void order_is_that_of_first_insertion(void **state)
{
	(void)state;
	static char keys[5000][8];
	OWN(map) m = { 0 };
	for (size_t i = 0; i < LEN(keys); i++) {
		int n = snprintf(keys[i], sizeof(keys[i]), "k%zu", i * 7919 % LEN(keys));
		*map_put(&m, keys[i], (size_t)n, NULL) = keys[i];
	}
	assert_int_equal(m.n, LEN(keys));
	for (size_t i = 0; i < LEN(keys); i++) {
		assert_ptr_equal(m.items[i].key, keys[i]);
		assert_ptr_equal(map_get(&m, keys[i]), keys[i]);
	}
}

/* A map that is used as a set of running processes sees endless puts and removes. */
static void removing_and_putting_back_for_long(void **state)
{
	(void)state;
	OWN(map) m = { 0 };
	static const char *const names[] = { "a", "b", "c" };
	for (int round = 0; round < 10000; round++) {
		for (size_t i = 0; i < LEN(names); i++) {
			int fresh;
			void **slot = map_put(&m, names[i], 1, &fresh);
			assert_non_null(slot);
			assert_int_equal(fresh, 1);
			*slot = &m;
		}
		for (size_t i = 0; i < LEN(names); i++) {
			assert_ptr_equal(map_remove(&m, names[i], 1), &m);
			assert_null(map_find(&m, names[i], 1));
			assert_null(map_remove(&m, names[i], 1));
		}
	}
}

static void a_removed_key_leaves_the_others_reachable(void **state)
{
	(void)state;
	static char keys[1000][8];
	OWN(map) m = { 0 };
	for (size_t i = 0; i < LEN(keys); i++)
		*map_put(&m, keys[i], (size_t)snprintf(keys[i], sizeof(keys[i]), "%zu", i), NULL) = keys[i];
	for (size_t i = 0; i < LEN(keys); i += 2)
		assert_ptr_equal(map_remove(&m, keys[i], strlen(keys[i])), keys[i]);
	for (size_t i = 0; i < LEN(keys); i++)
		assert_ptr_equal(map_get(&m, keys[i]), i % 2 ? keys[i] : NULL);
}

static void the_hash_is_the_same_everywhere(void **state)
{
	(void)state;
	assert_true(map_hash("abc", 3) == map_hash(&"xabc"[1], 3)); /* alignment does not matter */
	assert_true(map_hash("", 0) != map_hash("\0", 1));
	assert_true(map_hash("12345678", 8) != map_hash("12345678\0", 9));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_map_has_nothing),
		cmocka_unit_test(keys_are_bytes_with_length),
		cmocka_unit_test(order_is_that_of_first_insertion),
		cmocka_unit_test(removing_and_putting_back_for_long),
		cmocka_unit_test(a_removed_key_leaves_the_others_reachable),
		cmocka_unit_test(the_hash_is_the_same_everywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
