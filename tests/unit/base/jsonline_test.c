#include "base/jsonline.h"

#include "base/base.h"
#include "base/str.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int parse(struct jsonline *j, struct str *copy, const char *text)
{
	str_clear(copy);
	str_add(copy, text);
	return jsonline_read(j, copy->p, copy->len);
}

static void values_read_as_they_are_meant(void **state)
{
	(void)state;
	static const struct { const char *text; enum json_kind kind; uint64_t n; const char *want; bool minus; } cases[] = {
		{ "null", JSON_NULL, 0, NULL, false },
		{ " true ", JSON_TRUE, 0, NULL, false },
		{ "false\r", JSON_FALSE, 0, NULL, false },
		{ "0", JSON_WHOLE, 0, NULL, false },
		{ "-1", JSON_WHOLE, 1, NULL, true },
		{ "18446744073709551615", JSON_WHOLE, UINT64_MAX, NULL, false },
		{ "1.0", JSON_REAL, 1, NULL, false },
		{ "2e+3", JSON_REAL, 2, NULL, false },
		{ "\"\"", JSON_TEXT, 0, "", false },
		{ "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"", JSON_TEXT, 9, "a\"\\/\b\f\n\r\t", false },
		{ "\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"", JSON_TEXT, 10, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", false },
		{ "\"\xc3\xa9\"", JSON_TEXT, 2, "\xc3\xa9", false },
		{ "\"a\\u0000b\"", JSON_TEXT, 3, "a", false },
		{ "[]", JSON_LIST, 0, NULL, false },
		{ "[1,[2],{}]", JSON_LIST, 3, NULL, false },
		{ "{}", JSON_OBJECT, 0, NULL, false },
	};
	OWN(jsonline) j = { 0 };
	OWN(str) copy = { 0 };
	for (size_t i = 0; i < LEN(cases); i++) {
		assert_int_equal(parse(&j, &copy, cases[i].text), 0);
		const struct json_value *v = &j.items[0];
		assert_true(v->kind == cases[i].kind && v->minus == cases[i].minus && v->end == j.n);
		if (v->kind != JSON_REAL)
			assert_int_equal(v->n, cases[i].n);
		if (cases[i].want)
			assert_string_equal(v->text, cases[i].want);
	}
	assert_int_equal(parse(&j, &copy, "18446744073709551616"), 0);
	assert_int_equal(j.items[0].kind, JSON_BIG);
}

static void what_is_no_json_is_refused(void **state)
{
	(void)state;
	static const struct { const char *text, *want; } cases[] = {
		{ "", "the line ends inside a value" },
		{ "nul", "the line ends inside a value" },
		{ "nulL", "unexpected character" },
		{ "NaN", "unexpected character" },
		{ "01", "unexpected character" },
		{ "-", "the line ends inside a value" },
		{ "+1", "unexpected character" },
		{ "1.", "the line ends inside a value" },
		{ ".5", "unexpected character" },
		{ "1e", "the line ends inside a value" },
		{ "1 2", "unexpected character" },
		{ "[1,]", "unexpected character" },
		{ "[1", "the line ends inside a value" },
		{ "{\"a\":1,}", "unexpected character" },
		{ "{\"a\" 1}", "unexpected character" },
		{ "{a:1}", "unexpected character" },
		{ "{\"a\":1,\"b\":2,\"a\":3}", "a name stands twice in an object" },
		{ "{\"a\":1,\"\\u0061\":3}", "a name stands twice in an object" },
		{ "\"a", "the line ends inside a value" },
		{ "\"a\\", "the line ends inside a value" },
		{ "\"\\u12", "the line ends inside a value" },
		{ "\"\\x41\"", "a bad escape in a string" },
		{ "\"\\u12g4\"", "a bad escape in a string" },
		{ "\"\\ud83d\"", "a bad escape in a string" },
		{ "\"\\ud83d\\u0041\"", "a bad escape in a string" },
		{ "\"\\ude00\"", "a bad escape in a string" },
		{ "\"a\tb\"", "a control character in a string" },
		{ "\"\xc3\"", "not UTF-8" },
		{ "\"\xed\xa0\x80\"", "not UTF-8" },
		{ "[[[[[[[[[0]]]]]]]]]", "nested too deep" },
		{ "/* c */ 1", "unexpected character" },
		{ "'a'", "unexpected character" },
	};
	OWN(jsonline) j = { 0 };
	OWN(str) copy = { 0 };
	for (size_t i = 0; i < LEN(cases); i++) {
		assert_int_equal(parse(&j, &copy, cases[i].text), -EINVAL);
		assert_string_equal(j.bad, cases[i].want);
	}
	assert_int_equal(parse(&j, &copy, "[[[[[[[[0]]]]]]]]"), 0);
}

static void members_are_found_in_any_order(void **state)
{
	(void)state;
	OWN(jsonline) j = { 0 };
	OWN(str) copy = { 0 };
	static const char *const order[] = { "a", "b", "list", "o", "z", "a", "z", "o", "b", "z" };
	assert_int_equal(parse(&j, &copy, "{\"a\":1,\"list\":[{\"b\":9},[]],\"o\":{\"z\":7},\"b\":{\"a\":5},\"z\":2}"), 0);
	for (size_t i = 0; i < LEN(order); i++) {
		const struct json_value *v = jsonline_get(&j, 0, order[i]);
		assert_true(v && v->klen == strlen(order[i]) && !memcmp(v->key, order[i], v->klen));
		assert_null(jsonline_get(&j, 0, "absent"));
	}
	const struct json_value *o = jsonline_get(&j, 0, "o");
	uint32_t at = (uint32_t)(o - j.items);
	assert_int_equal(jsonline_get(&j, at, "z")->n, 7);
	assert_null(jsonline_get(&j, at, "a"));
	assert_int_equal(jsonline_get(&j, 0, "z")->n, 2);
}

static void members_are_counted(void **state)
{
	(void)state;
	OWN(jsonline) j = { 0 };
	OWN(str) copy = { 0 };
	OWN(str) text = { 0 };
	for (int i = 0; i <= JSONLINE_MEMBERS; i++) {
		str_fmt(&text, "%s\"m%d\":%d", i ? "," : "{", i, i);
		size_t len = text.len;
		str_add_char(&text, '}');
		int got = parse(&j, &copy, text.p);
		assert_int_equal(got, i < JSONLINE_MEMBERS ? 0 : -EINVAL);
		if (!got)
			assert_int_equal(jsonline_get(&j, 0, "m0")->n, 0);
		str_cut(&text, len);
	}
	assert_string_equal(j.bad, "too many members in an object");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_read_as_they_are_meant),
		cmocka_unit_test(what_is_no_json_is_refused),
		cmocka_unit_test(members_are_found_in_any_order),
		cmocka_unit_test(members_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
