#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "learn/shape.h"

static void names_are_told_by_their_form(void **state)
{
	(void)state;
	static const int32_t pids[] = { 4711, 42 };
	static const struct { const char *name; bool temp; enum shape want; } cases[] = {
		/* words and versions that only look like chance */
		{ "v8-compile-cache", true, SHAPE_PLAIN }, { "v8-compile-cache-1000", true, SHAPE_PLAIN },
		{ "GPUCache", true, SHAPE_PLAIN }, { "DawnGraphiteCache", true, SHAPE_PLAIN }, { "BrowserMetrics", true, SHAPE_PLAIN },
		{ "sha512", true, SHAPE_PLAIN }, { "index-v5", true, SHAPE_PLAIN }, { "_cacache", true, SHAPE_PLAIN },
		{ ".config", true, SHAPE_PLAIN }, { "node_modules", true, SHAPE_PLAIN }, { "deadbeef", true, SHAPE_PLAIN },
		{ "facade", true, SHAPE_PLAIN }, { "4913", true, SHAPE_PLAIN }, { "x86_64-linux-gnu", true, SHAPE_PLAIN },
		{ "id_ed25519", true, SHAPE_PLAIN }, { "K01udev", false, SHAPE_PLAIN }, { "D3DSCache", false, SHAPE_PLAIN },
		{ "12345678901234567890", true, SHAPE_PLAIN }, { "abcdefabcdefabcdefab", true, SHAPE_PLAIN },
		{ "app-1.2.3", false, SHAPE_VERSION }, { "libfoo.so.6", false, SHAPE_PLAIN },
		/* certain */
		{ "123e4567-e89b-12d3-a456-426614174000", false, SHAPE_HASH }, { "x-123e4567-e89b-12d3-a456-426614174000.tmp", false, SHAPE_HASH },
		{ "9c1185a5c5e9fc54612808977ee8f548b2258d31", false, SHAPE_HASH }, { "0123456789abcdef", false, SHAPE_HASH },
		{ "pack-9c1185a5c5e9fc54612808977ee8f548b2258d31.idx", false, SHAPE_HASH }, { "0123456789abcdefg", false, SHAPE_PLAIN },
		{ "run-2026-11-29-202829.log", false, SHAPE_TIME }, { "2026-11-29T20_28_29_123Z-debug-0.log", false, SHAPE_TIME },
		{ "log.20261129", false, SHAPE_TIME }, { "9999-11-29", false, SHAPE_PLAIN }, { "2026-13-29", false, SHAPE_PLAIN },
		{ "t1795996800", false, SHAPE_TIME }, { "t1795996800123", false, SHAPE_TIME }, { "t1095996800", false, SHAPE_PLAIN },
		/* pids: of the writer or an ancestor, three digits or written as one */
		{ "app.4711.log", false, SHAPE_PID }, { "app4711x", false, SHAPE_PID }, { "app47110", false, SHAPE_PLAIN },
		{ "x.42.pid", false, SHAPE_PID }, { "x-42.lock", false, SHAPE_PID }, { "x42.lock", false, SHAPE_PLAIN },
		/* as mk*temp makes them, and only then */
		{ ".s.k3J9xQ", true, SHAPE_RANDOM }, { ".tool-aCMXK6", true, SHAPE_RANDOM }, { "tmpab12Xy.json", true, SHAPE_RANDOM },
		{ ".tool-aCMXK6", false, SHAPE_PLAIN }, { "qRsTuV", true, SHAPE_RANDOM },
	};
	for (size_t i = 0; i < LEN(cases); i++) {
		struct shape_hints h = { .created = true, .temp_like = cases[i].temp, .pids = pids, .npids = 2, .now_s = 1795990000 };
		if (shape_of(cases[i].name, &h) != cases[i].want)
			fail_msg("%s: %d, not %d", cases[i].name, (int)shape_of(cases[i].name, &h), (int)cases[i].want);
	}
}

static void a_name_that_was_only_read_is_a_hash_or_nothing(void **state)
{
	(void)state;
	static const struct shape_hints read = { 0 };
	assert_int_equal(shape_of("9c1185a5c5e9fc54612808977ee8f548b2258d31", &read), SHAPE_HASH);
	assert_int_equal(shape_of("run-2026-11-29.log", &read), SHAPE_PLAIN);
	assert_int_equal(shape_of("app-1.2.3", &read), SHAPE_PLAIN);
	assert_false(shape_volatile(SHAPE_VERSION));
	assert_true(shape_volatile(SHAPE_PID));
}

static void locks_are_known_by_name(void **state)
{
	(void)state;
	static const char *const locks[] = { "a.lock", ".#lk0x1.host.1", "x.pid", "LOCK" };
	static const char *const others[] = { ".lock", "lock", "locker", "a.lock.d", "LOCKS", "" };
	for (size_t i = 0; i < LEN(locks); i++)
		assert_true(shape_lock(locks[i]));
	for (size_t i = 0; i < LEN(others); i++)
		assert_false(shape_lock(others[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_told_by_their_form),
		cmocka_unit_test(a_name_that_was_only_read_is_a_hash_or_nothing),
		cmocka_unit_test(locks_are_known_by_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
