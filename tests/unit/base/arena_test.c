#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/arena.h"

#include <stdalign.h>
#include <stdio.h>
#include <string.h>

static void memory_comes_zeroed_and_aligned(void **state)
{
	(void)state;
	OWN(arena) a = { 0 };
	for (size_t size = 0; size < 9000; size += 97) {
		char *p = arena_alloc(&a, size);
		assert_non_null(p);
		assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xaa, size);
	}
	arena_drop(&a);
	assert_int_equal(a.bytes, 0);
	arena_drop(&a);
}

static void a_size_that_overflows_is_no_memory(void **state)
{
	(void)state;
	OWN(arena) a = { 0 };
	assert_null(arena_alloc(&a, SIZE_MAX));
	assert_null(arena_alloc(&a, SIZE_MAX - 8));
	assert_null(arena_array(&a, SIZE_MAX / 2, 4));
	assert_null(arena_mem(&a, "x", SIZE_MAX));
}

static void copies_end_with_nul(void **state)
{
	(void)state;
	OWN(arena) a = { 0 };
	char *p = arena_mem(&a, "abcdef", 3);
	assert_string_equal(p, "abc");
	assert_string_equal(arena_mem(&a, NULL, 0), "");
	assert_string_equal(arena_str(&a, ""), "");
	assert_string_equal(arena_fmt(&a, "%d-%s", 7, "x"), "7-x");
}

static void pushing_keeps_what_was_there(void **state)
{
	(void)state;
	struct list {
		size_t *items;
		size_t n;
	} v = { 0 };
	OWN(arena) a = { 0 };
	for (size_t i = 0; i < 3000; i++) {
		size_t *slot = ARENA_PUSH(&a, &v, items, n);
		assert_non_null(slot);
		assert_int_equal(*slot, 0);
		*slot = i + 1;
	}
	assert_int_equal(v.n, 3000);
	for (size_t i = 0; i < v.n; i++)
		assert_int_equal(v.items[i], i + 1);
}

/* Other allocations between pushes must not be overwritten by the growing array. */
static void pushing_between_other_allocations(void **state)
{
	(void)state;
	struct list {
		int *items;
		size_t n;
	} v = { 0 };
	char *texts[200];
	OWN(arena) a = { 0 };
	for (int i = 0; i < 200; i++) {
		*ARENA_PUSH(&a, &v, items, n) = i;
		texts[i] = arena_fmt(&a, "text %d", i);
	}
	for (int i = 0; i < 200; i++) {
		char want[16];
		assert_int_equal(v.items[i], i);
		(void)snprintf(want, sizeof(want), "text %d", i);
		assert_string_equal(texts[i], want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_comes_zeroed_and_aligned),
		cmocka_unit_test(a_size_that_overflows_is_no_memory),
		cmocka_unit_test(copies_end_with_nul),
		cmocka_unit_test(pushing_keeps_what_was_there),
		cmocka_unit_test(pushing_between_other_allocations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
