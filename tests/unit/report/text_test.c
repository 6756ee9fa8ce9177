#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "report/text.h"

#include "base/str.h"
#include "tests/unit/report/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct term PLAIN = { .width = 160 };

static char *told(const struct report *r, const struct term *t, size_t rows)
{
	struct err e = { 0 };
	OWN(str) s = { 0 };
	assert_int_equal(text_write(&s, r, t, rows, &e), 0);
	return strdup(str_c(&s));
}

static void findings_stand_by_heading_and_actor_credentials_first(void **state)
{
	(void)state;
	struct fixture f;
	fixture_fill(&f);
	char *got = told(&f.report, &PLAIN, TEXT_ROWS);
	assert_string_equal(got,
	        "snug: under base, node: 3 findings\n"
	        "\n"
	        "needs\n"
	        "  by npm install\n"
	        "    read  ~/.ssh/id_rsa    denied by ./p.yaml:7: would be EACCES  a credential store: commented in the suggestion; risk: signing\n"
	        "  by left-pad@1.3.0 install: node install.js\n"
	        "    host  example.org:443  missing: the proxy would say 403       grant: proxy.allow_hosts: example.org\n"
	        "  by npm install\n"
	        "    read  ~/.npmrc         missing: would be ENOENT               grant: binds: ~/.npmrc ro; risk: data\n"
	        "\n"
	        "written, then lost\n"
	        "  by npm install\n"
	        "    create  ~/.config/tool/state  works, thrown away at the end\n"
	        "\n"
	        "snug: not counted: 1 tried, not there (snug report last)\n"
	        "snug: suggested: ~/s/suggested.yaml\n"
	        "snug: left out of that: 1 of 3 accesses, for what is said there\n"
	        "snug: next: snug +node --profile ~/s/suggested.yaml -- npm install\n");
	free(got);
}

static void the_same_lesson_in_another_order_gives_the_same_bytes(void **state)
{
	(void)state;
	struct fixture f;
	fixture_fill(&f);
	struct finding turned[LEN(FINDINGS)];
	for (size_t i = 0; i < LEN(FINDINGS); i++)
		turned[i] = FINDINGS[LEN(FINDINGS) - 1 - i];
	char *a = told(&f.report, &PLAIN, TEXT_ROWS);
	f.lesson.findings = turned;
	char *b = told(&f.report, &PLAIN, TEXT_ROWS);
	assert_string_equal(a, b);
	free(a);
	free(b);
}

static void a_clean_project_takes_few_lines(void **state)
{
	(void)state;
	struct fixture f;
	fixture_fill(&f);
	f.lesson.findings = FINDINGS + 4; /* the probe and the granted one */
	f.lesson.nfindings = 2;
	f.lesson.suggests = false;
	f.report.suggestion = NULL;
	f.report.next = "snug +node -- npm install";
	char *got = told(&f.report, &PLAIN, TEXT_ROWS);
	assert_string_equal(got, "snug: under base, node: clean, all that it needed is granted\n"
	                         "snug: not counted: 1 tried, not there (snug report last)\n"
	                         "snug: next: snug +node -- npm install\n");
	free(got);
}

static void clean_is_not_said_above_a_row_of_needs(void **state)
{
	(void)state;
	struct fixture f;
	struct finding looked = FINDINGS[1];
	looked.counts = looked.counts_all = false;
	fixture_fill(&f);
	f.lesson.findings = &looked;
	f.lesson.nfindings = 1;
	char *got = told(&f.report, &PLAIN, TEXT_ROWS);
	assert_non_null(strstr(got, "no finding that counts, but not all that it looked at is granted\n"));
	assert_null(strstr(got, "clean"));
	free(got);
}

static void twenty_five_rows_then_where_the_rest_is(void **state)
{
	(void)state;
	struct fixture f;
	fixture_fill(&f);
	struct finding many[60];
	char names[60][16];
	for (size_t i = 0; i < LEN(many); i++) {
		snprintf(names[i], sizeof(names[i]), "/srv/%02zu", i);
		many[i] = FINDINGS[1];
		many[i].what = many[i].path = names[i];
		many[i].grant = NULL;
	}
	f.lesson.findings = many;
	f.lesson.nfindings = LEN(many);
	char *got = told(&f.report, &PLAIN, TEXT_ROWS);
	assert_non_null(strstr(got, "/srv/24 "));
	assert_null(strstr(got, "/srv/25 "));
	assert_non_null(strstr(got, "\n35 more: snug report last\n"));
	free(got);
	got = told(&f.report, &PLAIN, 0);
	assert_non_null(strstr(got, "/srv/59 "));
	assert_null(strstr(got, " more"));
	free(got);
}

static void findings_of_one_grant_share_a_row(void **state)
{
	(void)state;
	static const struct { enum need_kind kind; const char *what, *who; } rows[] = {
		{ NEED_READ, "/opt/tool/lib/a", "tool" }, { NEED_LIST, "/opt/tool/lib", "tool" },
		{ NEED_EXEC, "/opt/tool/bin/x", "sh" }, { NEED_READ, "/opt/tool2", "sh" },
	};
	struct fixture f;
	fixture_fill(&f);
	struct finding some[LEN(rows)];
	for (size_t i = 0; i < LEN(some); i++) {
		some[i] = FINDINGS[1];
		some[i].kind = rows[i].kind;
		some[i].what = some[i].path = rows[i].what;
		some[i].who = rows[i].who;
		some[i].grant = i < 3 ? "{ source: \"/opt/tool\", mode: ro }" : "{ source: \"/opt/tool2\", mode: ro }";
	}
	f.lesson.findings = some;
	f.lesson.nfindings = LEN(some);
	char *got = told(&f.report, &PLAIN, TEXT_ROWS);
	assert_non_null(strstr(got, "snug: under base, node: 2 findings (4 accesses)\n"));
	assert_non_null(strstr(got, "    read, list, run  /opt/tool (3 paths)  missing: would be ENOENT  "
	                            "grant: { source: \"/opt/tool\", mode: ro }; by 2 programs\n"));
	assert_non_null(strstr(got, "    read             /opt/tool2 "));
	free(got);
}

static void granted_lines_come_with_hits_and_unused_ones_by_themselves(void **state)
{
	(void)state;
	struct fixture f;
	fixture_fill(&f);
	f.report.show_granted = true;
	char *got = told(&f.report, &PLAIN, TEXT_ROWS);
	assert_non_null(strstr(got, "\nalready granted by base\n    builtin:base:12         /usr ro"));
	assert_non_null(strstr(got, "4210 times\n"));
	assert_non_null(strstr(got, "\ngranted, but not used\n    builtin:node:5          ~/.npm rw\n"));
	assert_null(strstr(got, "\ntried, not there\n"));
	free(got);
	got = told(&f.report, &PLAIN, 0);
	assert_non_null(strstr(got, "\ntried, not there\n"));
	free(got);
}

static void bytes_that_steer_a_terminal_are_escaped(void **state)
{
	(void)state;
	struct fixture f;
	fixture_fill(&f);
	struct finding evil = FINDINGS[1];
	const char *incomplete[] = { "a\033]0;x\a" };
	evil.what = "~/\033[2Jx\n::error::y";
	evil.who = "\r\033[1A";
	evil.grant = "\x9b" "31m";
	evil.note = "\xe2\x80\xae" "gpj";
	f.lesson.findings = &evil;
	f.lesson.nfindings = 1;
	f.lesson.incomplete = incomplete;
	f.lesson.nincomplete = 1;
	f.report.suggestion = "~/\033[31m";
	f.report.next = "snug -- \033[31m";
	char *got = told(&f.report, &PLAIN, TEXT_ROWS);
	for (const char *p = got; *p; p++)
		assert_true(*p == '\n' || (unsigned char)*p >= ' ');
	assert_null(strstr(got, "\n::error"));
	assert_null(strstr(got, "\xe2\x80\xae"));
	assert_null(strchr(got, '\x9b'));
	free(got);
}

static void a_narrow_terminal_puts_the_grant_below(void **state)
{
	(void)state;
	struct fixture f;
	fixture_fill(&f);
	const struct term narrow = { .width = 60 };
	char *got = told(&f.report, &narrow, TEXT_ROWS);
	assert_non_null(strstr(got, "missing: would be ENOENT\n            grant: binds: ~/.npmrc ro; risk: data\n"));
	free(got);
}

static void the_outcome_names_the_first_thing_that_went_wrong(void **state)
{
	(void)state;
	static const char *const reason[] = { "lost events" };
	static const struct { int status; size_t nfindings, nincomplete; bool timed_out; enum outcome want; } cases[] = {
		{ 0, 0, 0, false, OUTCOME_CLEAN },
		{ 0, 0, 1, false, OUTCOME_INCOMPLETE },
		{ 0, 3, 1, false, OUTCOME_FINDINGS },
		{ 5, 3, 1, false, OUTCOME_COMMAND_FAILED },
		{ 124, 3, 1, true, OUTCOME_TIMEOUT },
	};
	for (size_t i = 0; i < LEN(cases); i++) {
		struct fixture f;
		fixture_fill(&f);
		const char *incomplete[1] = { reason[0] };
		f.lesson.nfindings = cases[i].nfindings;
		f.lesson.incomplete = incomplete;
		f.lesson.nincomplete = cases[i].nincomplete;
		f.lesson.status = cases[i].status;
		f.report.timed_out = cases[i].timed_out;
		assert_int_equal(report_outcome(&f.report), cases[i].want);
	}
}

static void check_counts_lost_files_only_under_all(void **state)
{
	(void)state;
	struct fixture f;
	fixture_fill(&f);
	assert_int_equal(report_findings(&f.lesson, false), 3);
	assert_int_equal(report_findings(&f.lesson, true), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(findings_stand_by_heading_and_actor_credentials_first),
		cmocka_unit_test(the_same_lesson_in_another_order_gives_the_same_bytes),
		cmocka_unit_test(a_clean_project_takes_few_lines),
		cmocka_unit_test(clean_is_not_said_above_a_row_of_needs),
		cmocka_unit_test(twenty_five_rows_then_where_the_rest_is),
		cmocka_unit_test(findings_of_one_grant_share_a_row),
		cmocka_unit_test(granted_lines_come_with_hits_and_unused_ones_by_themselves),
		cmocka_unit_test(bytes_that_steer_a_terminal_are_escaped),
		cmocka_unit_test(a_narrow_terminal_puts_the_grant_below),
		cmocka_unit_test(the_outcome_names_the_first_thing_that_went_wrong),
		cmocka_unit_test(check_counts_lost_files_only_under_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
