#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/esc.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

static void bytes_and_back(void **state)
{
	(void)state;
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "", "" },
		{ "plain", "plain" },
		{ "back\\slash", "back\\\\slash" },
		{ "\\x41", "\\\\x41" },
		{ "\xff", "\\xff" },
		{ "a\xc3", "a\\xc3" },
		{ "\xc3\xa9", "\xc3\xa9" },
		{ "\xc0\x80", "\\xc0\\x80" },             /* overlong */
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },    /* a surrogate */
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" }, /* above U+10FFFF */
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
		{ "\n\t\x01", "\n\t\x01" },
	};
	for (size_t i = 0; i < LEN(cases); i++) {
		OWN(str) text = { 0 };
		OWN(str) back = { 0 };
		esc_bytes(&text, cases[i].in, strlen(cases[i].in));
		assert_string_equal(str_c(&text), cases[i].want);
		esc_undo(&back, str_c(&text));
		assert_string_equal(str_c(&back), cases[i].in);
	}
}

/* Every string of two bytes, and every byte between two others. */
static void no_bytes_are_lost(void **state)
{
	(void)state;
	for (unsigned a = 1; a < 256; a++) {
		for (unsigned b = 1; b < 256; b++) {
			const char in[] = { (char)a, (char)b, 'x', (char)a, '\\', (char)b, '\0' };
			OWN(str) text = { 0 };
			OWN(str) back = { 0 };
			esc_bytes(&text, in, strlen(in));
			for (size_t i = 0, n; i < text.len; i += n) {
				unsigned cp;
				n = esc_utf8(text.p + i, text.len - i, &cp);
				assert_true(n > 0);
			}
			esc_undo(&back, str_c(&text));
			assert_string_equal(str_c(&back), in);
		}
	}
}

static void quoting_for_each_reader(void **state)
{
	(void)state;
	static const struct {
		const char *in, *json, *yaml, *term;
	} cases[] = {
		{ "a b", "\"a b\"", "\"a b\"", "a b" },
		{ "q\"q", "\"q\\\"q\"", "\"q\\\"q\"", "q\"q" },
		{ "b\\b", "\"b\\\\\\\\b\"", "\"b\\\\\\\\b\"", "b\\\\b" },
		{ "n\nt\t", "\"n\\nt\\t\"", "\"n\\nt\\t\"", "n\\x0at\\x09" },
		{ "\x1b[2J", "\"\\u001b[2J\"", "\"\\x1b[2J\"", "\\x1b[2J" },
		{ "\x7f", "\"\\u007f\"", "\"\\x7f\"", "\\x7f" },
		{ "\xc2\x85", "\"\\u0085\"", "\"\\x85\"", "\\u{85}" },
		{ "\xe2\x80\xa8", "\"\\u2028\"", "\"\\u2028\"", "\\u{2028}" },
		{ "\xe2\x80\xae", "\"\\u202e\"", "\"\\u202e\"", "\\u{202e}" },
		{ "\xff", "\"\\\\xff\"", "\"\\\\xff\"", "\\xff" },
	};
	for (size_t i = 0; i < LEN(cases); i++) {
		OWN(str) json = { 0 };
		OWN(str) yaml = { 0 };
		OWN(str) term = { 0 };
		esc_json(&json, cases[i].in);
		assert_string_equal(str_c(&json), cases[i].json);
		esc_yaml(&yaml, cases[i].in);
		assert_string_equal(str_c(&yaml), cases[i].yaml);
		esc_term(&term, cases[i].in);
		assert_string_equal(str_c(&term), cases[i].term);
	}
}

/* Two different names must not look the same on a terminal. */
static void a_terminal_form_is_unambiguous(void **state)
{
	(void)state;
	OWN(str) a = { 0 };
	OWN(str) b = { 0 };
	esc_term(&a, "\xff");
	esc_term(&b, "\\xff");
	assert_string_not_equal(str_c(&a), str_c(&b));
}

static void no_control_byte_reaches_a_terminal(void **state)
{
	(void)state;
	for (unsigned a = 1; a < 256; a++) {
		for (unsigned b = 0; b < 256; b++) {
			const char in[] = { (char)a, (char)b, '\0' };
			OWN(str) out = { 0 };
			esc_term(&out, in);
			for (size_t i = 0; i < out.len; i++) {
				unsigned char c = (unsigned char)out.p[i];
				assert_true(c >= 0x20 && c != 0x7f);
				if (c == 0xc2)
					assert_true((unsigned char)out.p[i + 1] >= 0xa0);
			}
		}
	}
}

static void a_shell_reads_the_word_back(void **state)
{
	(void)state;
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "", "''" },
		{ "plain-1.0/x@y", "plain-1.0/x@y" },
		{ "a b", "'a b'" },
		{ "it's", "'it'\\''s'" },
		{ "$(x)", "'$(x)'" },
		{ "a\nb", "'a\nb'" },
		{ "~", "'~'" },
		{ "*", "'*'" },
	};
	for (size_t i = 0; i < LEN(cases); i++) {
		OWN(str) out = { 0 };
		esc_shell(&out, cases[i].in);
		assert_string_equal(str_c(&out), cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_and_back),
		cmocka_unit_test(no_bytes_are_lost),
		cmocka_unit_test(quoting_for_each_reader),
		cmocka_unit_test(a_terminal_form_is_unambiguous),
		cmocka_unit_test(no_control_byte_reaches_a_terminal),
		cmocka_unit_test(a_shell_reads_the_word_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
