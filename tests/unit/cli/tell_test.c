#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/str.h"
#include "cli/cmd.h"
#include "cli/tell.h"

#include <string.h>

static const struct host HOST = { .home = "/home/ann" };

static void a_word_comes_back_from_the_shell_as_it_was(void **state)
{
	(void)state;
	static const struct { const char *word, *want; } cases[] = {
		{ "install", "install" },
		{ "two words", "'two words'" },
		{ "it's", "'it'\\''s'" },
		{ "$(rm -rf ~)", "'$(rm -rf ~)'" },
		{ "", "''" },
		{ "-n", "-n" },
		{ "a\\b", "'a\\b'" },
		{ "a\nb'\\", "$'a\\x0ab\\'\\\\'" },
		{ "\x1b]0;x\x07", "$'\\x1b]0;x\\x07'" },
		{ "\xff", "$'\\xff'" },
		{ "/home/ann/x y", "~/'x y'" },
		{ "/home/ann", "/home/ann" },
		{ "/home/annie/x", "/home/annie/x" },
	};
	for (size_t i = 0; i < LEN(cases); i++) {
		OWN(arena) a = { 0 };
		const struct lesson l = { 0 };
		const struct wordlist none = { 0 };
		OWN(str) want = { 0 };
		str_fmt(&want, "snug -- %s", cases[i].want);
		const char *got = tell_next(&a, &none, &l, &HOST, NULL, &cases[i].word, 1);
		assert_string_equal(got, str_c(&want));
	}
}

static void the_next_command_carries_what_was_asked_and_what_was_learnt(void **state)
{
	(void)state;
	OWN(arena) a = { 0 };
	struct word again[] = { { .text = "+node" }, { .text = "--allow-read=/a b" } };
	const struct wordlist words = { again, LEN(again) };
	const char *argv[] = { "npm", "install" };
	const struct src none_by = { .origin = "user:offline", .line = 3 };
	struct lesson l = { .suggests = true };
	assert_string_equal(tell_next(&a, &words, &l, &HOST, "~/s.yaml", argv, 2),
	                    "snug +node '--allow-read=/a b' --profile ~/s.yaml -- npm install");
	l.suggests = false;
	assert_string_equal(tell_next(&a, &words, &l, &HOST, "~/s.yaml", argv, 2),
	                    "snug +node '--allow-read=/a b' -- npm install");
	l.network_none_by = &none_by;
	l.needs_network = true;
	assert_string_equal(tell_next(&a, &words, &l, &HOST, NULL, argv, 2),
	                    "snug +node '--allow-read=/a b' --network proxy -- npm install");
}

static void a_suggestion_is_named_by_its_file_or_program(void **state)
{
	(void)state;
	static const struct { const char *file, *program, *want; } cases[] = {
		{ NULL, "npm", "npm" }, { NULL, "/opt/My Tool/Run.sh", "run.sh" }, { "dir/npm-install.yaml", "npm", "npm-install" },
		{ "out", "npm", "out" }, { NULL, "//", "learnt" }, { NULL, "\xff\xfe", "learnt" }, { "/dev/null", "x", "null" },
	};
	for (size_t i = 0; i < LEN(cases); i++) {
		OWN(arena) a = { 0 };
		assert_string_equal(tell_name(&a, cases[i].file, cases[i].program), cases[i].want);
	}
}

static void check_has_three_last_lines_and_the_commands_status_first(void **state)
{
	(void)state;
	struct finding one = { .counts = true, .counts_all = true }, lost = { .counts_all = true };
	const char *reason[] = { "lost events" };
	const struct { struct finding *f; size_t nreasons; int status; bool all; int code; const char *line; } cases[] = {
		{ NULL, 0, 0, false, 0, "snug: check: clean\n" },
		{ &one, 0, 0, false, EXIT_FINDINGS, "snug: check: 1 finding (exit 3)\n" },
		{ &one, 1, 0, false, EXIT_FINDINGS, "snug: check: 1 finding (exit 3)\n" },
		{ NULL, 1, 0, false, EXIT_INCOMPLETE, "snug: check: incomplete: lost events (exit 4)\n" },
		{ &lost, 0, 0, false, 0, "snug: check: clean\n" },
		{ &lost, 0, 0, true, EXIT_FINDINGS, "snug: check: 1 finding (exit 3)\n" },
		{ &one, 1, 5, false, 5, "snug: check: the command failed (exit 5)\n" },
	};
	for (size_t i = 0; i < LEN(cases); i++) {
		const struct lesson l = {
			.findings = cases[i].f, .nfindings = cases[i].f != NULL,
			.incomplete = reason, .nincomplete = cases[i].nreasons, .status = cases[i].status,
		};
		const struct report r = { .lesson = &l, .check_all = cases[i].all };
		OWN(str) line = { 0 };
		int code = tell_check_code(&r);
		tell_check(&line, &r, code);
		assert_int_equal(code, cases[i].code);
		assert_string_equal(str_c(&line), cases[i].line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_comes_back_from_the_shell_as_it_was),
		cmocka_unit_test(the_next_command_carries_what_was_asked_and_what_was_learnt),
		cmocka_unit_test(a_suggestion_is_named_by_its_file_or_program),
		cmocka_unit_test(check_has_three_last_lines_and_the_commands_status_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
