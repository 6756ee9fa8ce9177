#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "learn/findings.h"
#include "learn/fold.h"
#include "learn/suggest.h"

#include <string.h>

static struct finding an_access(unsigned i)
{
	static const char *const who[] = { "b", "a", "c" };
	static const enum heading heads[] = { HEAD_PROBE, HEAD_NEEDS, HEAD_NEEDS, HEAD_LOST, HEAD_GRANTED, HEAD_NEEDS };
	static const enum need_kind kinds[] = { NEED_READ, NEED_READ, NEED_WRITE, NEED_CREATE, NEED_READ, NEED_REMOVE };
	return (struct finding){
		.kind = kinds[i % 6], .heading = heads[i % 6], .who = who[i % 3], .proc = i % 3 + 1, .count = i + 1, .seq = 10 - i,
		.path = "/x", .judgement = { .verdict = V_MISSING, .err = (int)(i % 2) + 2 }, .counts = i % 6 != 0,
	};
}

static struct finding add_all(const unsigned *order, size_t n)
{
	OWN(arena) a = { 0 };
	OWN(findings) f = { .arena = &a };
	for (size_t i = 0; i < n; i++) {
		struct finding x = an_access(order[i]);
		assert_non_null(findings_add(&f, "/x", &x, order[i] % 2));
	}
	return *findings_get(&f, "/x");
}

static void the_order_of_accesses_does_not_show(void **state)
{
	(void)state;
	static const unsigned orders[][6] = {
		{ 0, 1, 2, 3, 4, 5 }, { 5, 4, 3, 2, 1, 0 }, { 2, 0, 5, 1, 4, 3 }, { 3, 5, 1, 0, 2, 4 }, { 1, 5, 2, 3, 0, 4 },
	};
	struct finding first = add_all(orders[0], 6);
	assert_int_equal(first.heading, HEAD_NEEDS);
	assert_int_equal(first.kind, NEED_WRITE);
	assert_int_equal(first.count, 2 + 3 + 6);
	assert_string_equal(first.who, "a");
	for (size_t i = 1; i < LEN(orders); i++) {
		struct finding f = add_all(orders[i], 6);
		assert_true(f.kind == first.kind && f.count == first.count && f.proc == first.proc && f.seq == first.seq);
		assert_true(f.heading == first.heading && f.judgement.err == first.judgement.err && f.counts == first.counts);
	}
}

static void a_note_is_said_once(void **state)
{
	(void)state;
	OWN(arena) a = { 0 };
	OWN(findings) f = { .arena = &a };
	struct finding x = an_access(1);
	struct finding *to = findings_add(&f, "/x", &x, 0);
	assert_int_equal(finding_note(&f, to, "zebra"), 0);
	assert_int_equal(finding_note(&f, to, "apple"), 0);
	assert_int_equal(finding_note(&f, to, "zebra"), 0);
	assert_string_equal(to->note, "apple; zebra");
}

static void logarithms_are_whole_and_right(void **state)
{
	(void)state;
	/* no libm here: powers of two are exact, and products are sums */
	for (int i = 0; i < 63; i++)
		assert_int_equal(log2_milli(1ULL << i), i * 1000);
	for (uint64_t n = 1; n < 3000; n++) {
		int64_t got = log2_milli(n), sum = got + log2_milli(n + 7), both = log2_milli(n * (n + 7));
		if (log2_milli(n + 1) < got || both < sum || both > sum + 2)
			fail_msg("log2(%d) = %d", (int)n, (int)got);
	}
	assert_int_equal(log2_milli(3), 1584);
	assert_int_equal(log2_milli(10), 3321);
	assert_int_equal(log2_milli(1ULL << 40), 40000);
	assert_int_equal(log2_milli(UINT64_MAX) / 1000, 63);
}

static void the_rule_that_covers_a_path_is_the_deepest(void **state)
{
	(void)state;
	struct rule items[] = {
		{ .path = "/a", .dir = true }, { .path = "/a/b", .dir = true }, { .path = "/a/b-c" }, { .path = "/a/b/f" },
		{ .path = "/z/file" },
	};
	struct rules r = { items, LEN(items), 0 };
	assert_ptr_equal(rules_cover(&r, "/a/b/x"), &items[1]);
	assert_ptr_equal(rules_cover(&r, "/a/b/f"), &items[3]);
	assert_ptr_equal(rules_cover(&r, "/a/b/f/y"), &items[1]);
	assert_ptr_equal(rules_cover(&r, "/a/b-d"), &items[0]);
	assert_ptr_equal(rules_cover(&r, "/a"), &items[0]);
	assert_null(rules_cover(&r, "/z"));
	assert_null(rules_cover(&r, "/zz"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_of_accesses_does_not_show),
		cmocka_unit_test(a_note_is_said_once),
		cmocka_unit_test(logarithms_are_whole_and_right),
		cmocka_unit_test(the_rule_that_covers_a_path_is_the_deepest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
