#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "report/json.h"

#include "base/str.h"
#include "tests/unit/report/fixture.h"

#include <json-c/json.h>
#include <string.h>

static json_object *parsed(const struct report *r)
{
	struct err e = { 0 };
	OWN(str) s = { 0 };
	assert_int_equal(json_write(&s, r, &e), 0);
	assert_int_equal(str_c(&s)[s.len - 1], '\n');
	json_object *doc = json_tokener_parse(str_c(&s));
	assert_non_null(doc);
	return doc;
}

static json_object *get(json_object *o, const char *name)
{
	json_object *v = NULL;
	json_object_object_get_ex(o, name, &v);
	return v;
}

static const char *text(json_object *o, const char *name)
{
	return json_object_get_string(get(o, name));
}

/* Every member a document has is described by the schema, and every member the schema requires is there. */
static void check_members(json_object *doc, json_object *schema)
{
	json_object *known = get(schema, "properties");
	json_object_object_foreach(doc, name, value) {
		(void)value;
		if (!get(known, name))
			fail_msg("the schema does not know %s", name);
	}
	json_object *required = get(schema, "required");
	for (size_t i = 0; required && i < json_object_array_length(required); i++) {
		const char *wanted = json_object_get_string(json_object_array_get_idx(required, i));
		if (!get(doc, wanted))
			fail_msg("%s is missing", wanted);
	}
}

static void the_document_is_what_the_schema_says(void **state)
{
	(void)state;
	struct fixture f;
	fixture_fill(&f);
	json_object *schema = json_object_from_file("docs/formats/report.schema.json");
	assert_non_null(schema);
	for (int granted = 0; granted < 2; granted++) {
		f.report.show_granted = granted;
		json_object *doc = parsed(&f.report);
		check_members(doc, get(schema, "else"));
		json_object *rows = get(doc, "findings");
		assert_int_equal(json_object_array_length(rows), granted ? LEN(FINDINGS) : LEN(FINDINGS) - 1);
		for (size_t i = 0; i < json_object_array_length(rows); i++)
			check_members(json_object_array_get_idx(rows, i), get(get(schema, "$defs"), "finding"));
		json_object_put(doc);
	}
	json_object_put(schema);
}

static void paths_hide_whose_home_it_is(void **state)
{
	(void)state;
	struct fixture f;
	fixture_fill(&f);
	struct err e = { 0 };
	OWN(str) s = { 0 };
	assert_int_equal(json_write(&s, &f.report, &e), 0);
	assert_null(strstr(str_c(&s), "/home/ann"));
	assert_non_null(strstr(str_c(&s), "\"path\":\"~/.npmrc\""));
}

static void the_outcome_stands_beside_the_status(void **state)
{
	(void)state;
	struct fixture f;
	fixture_fill(&f);
	json_object *doc = parsed(&f.report);
	assert_string_equal(text(doc, "schema"), "snug-report/v1");
	assert_string_equal(text(doc, "outcome"), "findings");
	assert_int_equal(json_object_get_int(get(get(doc, "counts"), "findings")), 3);
	assert_int_equal(json_object_get_int(get(get(doc, "counts"), "findings_all")), 4);
	json_object_put(doc);
	f.lesson.status = 4;
	doc = parsed(&f.report);
	assert_string_equal(text(doc, "outcome"), "command-failed");
	assert_int_equal(json_object_get_int(get(doc, "status")), 4);
	json_object_put(doc);
}

static void a_failure_of_snug_is_a_document_too(void **state)
{
	(void)state;
	OWN(str) s = { 0 };
	char program[] = "npm\"", *cmd[] = { program, NULL };
	json_failed(&s, cmd, "notify is taken");
	json_object *doc = json_tokener_parse(str_c(&s));
	assert_string_equal(text(doc, "outcome"), "snug-failed");
	assert_string_equal(text(doc, "message"), "notify is taken");
	assert_string_equal(text(doc, "program"), "npm\"");
	json_object_put(doc);
}

static void names_that_are_no_text_stay_valid_json(void **state)
{
	(void)state;
	struct fixture f;
	fixture_fill(&f);
	struct finding evil = FINDINGS[1];
	evil.what = "~/\xff\"\n\x1b";
	f.lesson.findings = &evil;
	f.lesson.nfindings = 1;
	json_object *doc = parsed(&f.report);
	assert_string_equal(text(json_object_array_get_idx(get(doc, "findings"), 0), "what"), "~/\\xff\"\n\x1b");
	json_object_put(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_document_is_what_the_schema_says),
		cmocka_unit_test(paths_hide_whose_home_it_is),
		cmocka_unit_test(the_outcome_stands_beside_the_status),
		cmocka_unit_test(a_failure_of_snug_is_a_document_too),
		cmocka_unit_test(names_that_are_no_text_stay_valid_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
