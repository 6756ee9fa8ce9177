/* yaml_in_test.c - the reader of profiles: what loads, and how what does not load is told */
#include "base/str.h"
#include "profiles/profile.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static int read_text(struct profile *p, const char *text, struct err *e)
{
	return profile_read(p, text, strlen(text), "p.yaml", "user:p", e);
}

struct refusal {
	const char *id, *text, *want;
};

static void check_refused(const struct refusal *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		OWN(profile) p = { 0 };
		struct err e = { 0 };
		int r = read_text(&p, rows[i].text, &e);
		if (r != -EINVAL || !strstr(e.msg, rows[i].want))
			fail_msg("%s: %s: gave %d '%s', wanted '%s'", rows[i].id, rows[i].text, r, e.msg, rows[i].want);
		assert_null(p.arena.head);
	}
}

static void unknown_and_misplaced_keys_are_errors_with_the_nearest_known(void **state)
{
	(void)state;
	static const struct refusal rows[] = {
		{ "Y05", "bind: []", "p.yaml:1:1: unknown key 'bind'; did you mean 'binds'?" },
		{ "Y05", "name: a\nenv:\n  alow: [X]", "p.yaml:3:3: unknown key 'alow' in 'env'; did you mean 'allow'?" },
		{ "Y05", "binds:\n  - { source: /x, mode: RW }", "p.yaml:2:25: 'mode' is ro, rw or copy, not 'RW'; did you mean 'rw'?" },
		{ "Y05", "allow_net: true", "p.yaml:1:1: unknown key 'allow_net'; known are" },
		{ "Y05", "allow_hosts: [x]", "'allow_hosts' does not stand here; did you mean 'proxy.allow_hosts'?" },
		{ "Y05", "binds: [{ source: /x, optionl: true }]", "unknown key 'optionl' in an item; did you mean 'optional'?" },
		{ "Y05", "mask: [{ path: /x, mode: ro }]", "unknown key 'mode' in an item" },
		{ "Y05", "home: { persit: /x }", "did you mean 'persist'?" },
		{ "Y05", "network: { mode: porxy }", "did you mean 'proxy'?" },
		{ "Y05", "schema: snug-profile/v2", "this snug reads schema snug-profile/v1, not 'snug-profile/v2'" },
		{ "Y05", "syscalls: { deny: [io_uring_setp] }", "unknown system call 'io_uring_setp'; did you mean 'io_uring_setup'?" },
		{ "Y05", "syscalls: { deny: [zzzzzzzzzz] }", "unknown system call 'zzzzzzzzzz'" },
	};
	check_refused(rows, LEN(rows));
}

static void duplicate_keys_name_both_lines(void **state)
{
	(void)state;
	static const struct refusal rows[] = {
		{ "Y03", "binds: []\nname: x\nbinds: []", "p.yaml:3:1: key 'binds' again; it is already at line 1" },
		{ "Y03", "env:\n  set:\n    A: 1\n    'A': 2", "p.yaml:4:5: key 'A' again; it is already at line 3" },
		{ "Y03", "env: {<<: {allow: [X]}}", "merge keys (<<)" },
		{ "Y03", "binds: [{source: /x, source: /y}]", "key 'source' again" },
	};
	check_refused(rows, LEN(rows));
}

static void what_is_more_than_plain_yaml_is_refused(void **state)
{
	(void)state;
	static const struct refusal rows[] = {
		{ "Y02", "a: &a [x]\nb: [*a, *a]", "p.yaml:1:4: anchors and aliases" },
		{ "Y02", "name: *x", "anchors and aliases" },
		{ "Y08", "name: !!python/object x", "p.yaml:1:7: tags" },
		{ "Y08", "name: !include x", "tags" },
		{ "Y08", "name: ! x", "tags" },
		{ "Y08", "name: a\n---\nname: b\n", "p.yaml:2:1: a second document" },
		{ "Y08", "name: a\n...\nname: b\n", "p.yaml:3:1: " },
		{ "Y08", "a:\n\t- b", "p.yaml:2:1: " },
		{ "Y08", "name: \"a\\0b\"", "a NUL byte in a text" },
		{ "Y08", "name: a\nx: zo\xe8", "p.yaml:2:6: byte 0xe8 is not UTF-8" },
		{ "Y08", "? [a]\n: b", "a key must be a word" },
		{ "Y08", "", "empty, not a profile" },
		{ "Y08", "# nothing\n", "empty, not a profile" },
		{ "Y08", "---\n", "empty, not a profile" },
		{ "Y08", "- a", "a profile is a map of keys, not a list" },
		{ "Y08", "just words", "a profile is a map of keys, not a text" },
		{ "Y08", "a: [", "p.yaml:2:1: while parsing a flow node: did not find expected node content" },
	};
	check_refused(rows, LEN(rows));
}

static void a_bom_and_crlf_are_fine_and_a_nul_byte_is_not(void **state)
{
	(void)state; /* Y08 */
	OWN(profile) p = { 0 };
	OWN(profile) q = { 0 };
	struct err e = { 0 };
	assert_int_equal(read_text(&p, "\xef\xbb\xbfname: a\r\nmask:\r\n  - /x\r\n", &e), 0);
	assert_string_equal(p.mask.items[0].path, "/x");
	assert_int_equal(p.mask.items[0].src.line, 3);
	assert_int_equal(profile_read(&q, "name: a\0b", 9, "p.yaml", NULL, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "p.yaml:1:8: a NUL byte"));
}

static void an_alias_bomb_is_refused_at_once(void **state)
{
	(void)state; /* Y02 */
	OWN(str) s = { 0 };
	OWN(profile) p = { 0 };
	struct err e = { 0 };
	str_add(&s, "a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 10; i++) {
		str_fmt(&s, "a%d: &a%d [", i, i);
		for (int j = 0; j < 9; j++)
			str_fmt(&s, "%s*a%d", j ? ", " : "", i - 1);
		str_add(&s, "]\n");
	}
	clock_t t = clock();
	assert_int_equal(read_text(&p, str_c(&s), &e), -EINVAL);
	assert_true(clock() - t < CLOCKS_PER_SEC / 10);
	assert_non_null(strstr(e.msg, "p.yaml:1:5: "));
}

static void size_depth_and_number_of_items_are_bounded(void **state)
{
	(void)state; /* Y08 */
	static const struct { char c; size_t n; const char *want; } rows[] = {
		{ '#', 10u << 20, "more than the 1048576 a profile may have" },
		{ '[', 10000, "levels deep" },
		{ '{', 10000, "levels deep" },
		{ '-', 20000, "p.yaml:1:1: " },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(profile) p = { 0 };
		struct err e = { 0 };
		char *text = malloc(rows[i].n + 1);
		assert_non_null(text);
		memset(text, rows[i].c, rows[i].n);
		text[rows[i].n] = '\0';
		assert_int_equal(profile_read(&p, text, rows[i].n, "p.yaml", NULL, &e), -EINVAL);
		if (!strstr(e.msg, rows[i].want))
			fail_msg("%c: %s", rows[i].c, e.msg);
		free(text);
	}
	OWN(str) many = { 0 };
	OWN(profile) p = { 0 };
	struct err e = { 0 };
	str_add(&many, "mask:\n");
	for (int i = 0; i < PROFILE_ITEMS_MAX + 1; i++)
		str_add(&many, "- /x\n");
	assert_int_equal(read_text(&p, str_c(&many), &e), -EINVAL);
	assert_non_null(strstr(e.msg, "more than 10000 items"));
}

static void texts_are_typed_by_the_key_and_never_guessed(void **state)
{
	(void)state; /* Y04 */
	OWN(profile) p = { 0 };
	struct err e = { 0 };
	static const char text[] =
		"env:\n"
		"  allow: [NO, yes, on, 0o17, 017, 1e3, 12:30:45, ~, null, 1.0, true]\n"
		"  set: { A: 1, B: no, C: ~, D: 012, E: 1.0, F: true, G: \"\", yes: x }\n"
		"proxy: { allow_hosts: [no, on.example, null] }\n"
		"binds: [{ source: /srv/123 }, { source: ~ }]\n"
		"description: 2024-01-01\n";
	static const char *const words[] = {
		"NO", "yes", "on", "0o17", "017", "1e3", "12:30:45", "~", "null", "1.0", "true",
	};
	static const char *const values[] = { "1", "no", "~", "012", "1.0", "true", "", "x" };
	assert_int_equal(read_text(&p, text, &e), 0);
	assert_int_equal(p.env_allow.n, LEN(words));
	for (size_t i = 0; i < LEN(words); i++)
		assert_string_equal(p.env_allow.items[i].text, words[i]);
	for (size_t i = 0; i < LEN(values); i++)
		assert_string_equal(p.env_set.items[i].value, values[i]);
	assert_string_equal(p.allow_hosts.items[0].text, "no");
	assert_string_equal(p.binds.items[0].source, "/srv/123");
	assert_string_equal(p.binds.items[1].source, "~");
	assert_string_equal(p.description, "2024-01-01");
}

static void booleans_are_true_and_false_only_and_never_quoted(void **state)
{
	(void)state; /* Y04 */
	static const struct refusal rows[] = {
		{ "Y04", "override: yes", "'override' is false or true without quotes, not 'yes'" },
		{ "Y04", "override: \"true\"", "without quotes" },
		{ "Y04", "special: { proc: on }", "not 'on'" },
		{ "Y04", "special: { proc: 1 }", "not '1'" },
		{ "Y04", "special: { proc: }", "'proc' wants false or true, not nothing" },
		{ "Y04", "binds: [{ source: /x, optional: y }]", "not 'y'" },
		{ "Y04", "special: { sys: true }", "'sys' is false or ro" },
		{ "Y04", "project: ~", "'project' is ro or rw" },
	};
	check_refused(rows, LEN(rows));
}

static void wrong_types_are_told_in_words(void **state)
{
	(void)state;
	static const struct refusal rows[] = {
		{ "", "binds: /x", "'binds' wants a list, not a text" },
		{ "", "binds: [/x]", "'binds' wants items like { source:" },
		{ "", "binds: { a: b }", "'binds' wants a list, not a map" },
		{ "", "env: [A]", "'env' wants a map, not a list" },
		{ "", "env: { set: [A] }", "'set' wants a map of names and values" },
		{ "", "env: { set: { A: } }", "variable 'A' without a value" },
		{ "", "env: { set: { A: [x] } }", "'A' wants a text, not a list" },
		{ "", "env: { set: { A=B: x } }", "without '='" },
		{ "", "env: { set: { A*: x } }", "without '='" },
		{ "", "env: { allow: [\"A B\"] }", "no '=', blank" },
		{ "", "env: { allow: [\"\"] }", "a variable without a name" },
		{ "", "mask: [[/x]]", "'mask' wants a text, not a list" },
		{ "", "mask: [{ optional: true }]", "an item of 'mask' without 'path'" },
		{ "", "binds: [{ mode: ro }]", "a bind without 'source'" },
		{ "", "binds: [{ source: /x, mode: copy, create: file }]", "'create' has no use with mode copy" },
		{ "", "binds: [{ source: /x, create: yes }]", "'create' is false, dir or file, not 'yes'" },
		{ "", "name: { a: b }", "'name' wants a text, not a map" },
		{ "", "name: \"a b\"", "a profile's name has letters" },
		{ "", "name: user:x", "a profile's name has no ':'" },
		{ "", "use: [../x]", "a profile's name has letters" },
		{ "", "special: { shm: 64MB }", "'shm' is a size like 64MiB, not '64MB'" },
		{ "", "special: { shm: 99999999999999 }", "is a size like 64MiB" },
		{ "", "special: { shm: 9999999999TiB }", "is a size like 64MiB" },
		{ "", "tmp: { size: -1 }", "is a size like 64MiB" },
		{ "", "home: hosts", "'home' is empty, host or { persist: DIR }, not hosts" },
		{ "", "home: [x]", "'home' is empty, host or { persist: DIR }" },
		{ "", "home: {}", "'home' wants empty, host or { persist: DIR }" },
		{ "", "proxy: { allow_hosts: [\"a b\"] }", "p.yaml:1:24: host 'a b' has a character that no host name has" },
	};
	check_refused(rows, LEN(rows));
}

static void nothing_in_a_path_is_expanded_but_the_placeholders(void **state)
{
	(void)state; /* Y07 */
	static const struct refusal rows[] = {
		{ "Y07", "mask: [\"~user/x\"]", "homes of other users (~name) are not expanded" },
		{ "Y07", "mask: [\"$HOME/x\"]", "variables and commands are not expanded in paths" },
		{ "Y07", "mask: [\"/x/${UNSET}\"]", "variables and commands are not expanded in paths" },
		{ "Y07", "mask: [\"/x/$(id)\"]", "variables and commands are not expanded in paths" },
		{ "Y07", "mask: [\"/x/$USER\"]", "variables and commands are not expanded in paths" },
		{ "Y07", "mask: [\"{hme}/x\"]", "unknown placeholder in '{hme}/x'; did you mean '{home}'?" },
		{ "Y07", "mask: [\"{zzzzz}/x\"]", "known are {project} {home}" },
		{ "Y07", "mask: [\"{home}x\"]", "unknown placeholder" },
		{ "Y07", "mask: [\"/x/{home}\"]", "a placeholder stands at the start of a path" },
		{ "Y07", "mask: [x]", "a path starts with '/', '~' or a placeholder" },
		{ "Y07", "mask: [\"/a\\\\x00b\"]", "a path holds no NUL byte" },
		{ "Y07", "mask: [\"\"]", "a path starts with" },
	};
	check_refused(rows, LEN(rows));
}

static void escapes_name_any_byte_of_a_path(void **state)
{
	(void)state; /* G07 */
	static const struct { const char *text, *want; } rows[] = {
		{ "mask: [\"/zo\\\\xe8.mp3\"]", "/zo\xe8.mp3" },
		{ "mask: ['/zo\\xe8.mp3']", "/zo\xe8.mp3" },
		{ "mask: ['/a\\\\b']", "/a\\b" },
		{ "mask: ['/a\\b']", "/a\\b" },
		{ "mask: ['/\\x24HOME/\\x24{X}']", "/$HOME/${X}" },
		{ "mask: [/Foo$Bar.class]", "/Foo$Bar.class" },
		{ "mask: ['/x/\\x7bhome}']", "/x/{home}" },
		{ "mask: ['/x/{other}']", "/x/{other}" },
		{ "mask: [\"/new\\nline\\x85\\u2028\"]", "/new\nline\xc2\x85\xe2\x80\xa8" },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(profile) p = { 0 };
		struct err e = { 0 };
		if (read_text(&p, rows[i].text, &e))
			fail_msg("%s: %s", rows[i].text, e.msg);
		assert_string_equal(p.mask.items[0].path, rows[i].want);
	}
}

static void a_star_in_a_path_is_taken_literally_and_said(void **state)
{
	(void)state;
	OWN(profile) p = { 0 };
	struct err e = { 0 };
	assert_int_equal(read_text(&p, "mask: [/x/*.c]", &e), 0);
	assert_string_equal(p.mask.items[0].path, "/x/*.c");
	assert_int_equal(p.warnings.n, 1);
	assert_non_null(strstr(p.warnings.items[0].text, "p.yaml:1: '/x/*.c' is taken literally"));
}

static void an_empty_list_and_nothing_at_all_are_told_apart_for_hosts(void **state)
{
	(void)state; /* Y06 */
	static const struct { const char *text; bool has; size_t n; } rows[] = {
		{ "proxy: { allow_hosts: [] }", true, 0 },
		{ "proxy:\n  allow_hosts:\n", true, 0 },
		{ "proxy: { deny_hosts: [] }", false, 0 },
		{ "proxy:\n", false, 0 },
		{ "name: x", false, 0 },
		{ "proxy: { allow_hosts: [x.org] }", true, 1 },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(profile) p = { 0 };
		struct err e = { 0 };
		assert_int_equal(read_text(&p, rows[i].text, &e), 0);
		assert_int_equal(p.has_allow_hosts, rows[i].has);
		assert_int_equal(p.allow_hosts.n, rows[i].n);
	}
}

static void override_colours_every_line_also_those_above_it(void **state)
{
	(void)state;
	OWN(profile) p = { 0 };
	struct err e = { 0 };
	assert_int_equal(read_text(&p, "binds: [{source: /x}]\noverride: true\nmask: [/y]\n", &e), 0);
	assert_true(p.binds.items[0].src.overrides);
	assert_true(p.mask.items[0].src.overrides);
	assert_string_equal(p.mask.items[0].src.origin, "user:p");
	assert_int_equal(p.override_src.line, 2);
}

static void every_prefix_of_a_profile_loads_or_is_refused_cleanly(void **state)
{
	(void)state; /* Y08: under ASan this walks the reader's error paths */
	static const char text[] =
		"schema: snug-profile/v1\nname: x\nuse: [a]\nbinds:\n  - { source: \"~/.x\", mode: rw, create: dir }\n"
		"home: { persist: /x }\nenv: { set: { A: \"b\" } }\nspecial: { shm: 64MiB }\n";
	for (size_t n = 0; n < sizeof(text); n++) {
		OWN(profile) p = { 0 };
		struct err e = { 0 };
		int r = profile_read(&p, text, n, "p.yaml", NULL, &e);
		assert_true(r == 0 || (r == -EINVAL && !strncmp(e.msg, "p.yaml:", 7)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_and_misplaced_keys_are_errors_with_the_nearest_known),
		cmocka_unit_test(duplicate_keys_name_both_lines),
		cmocka_unit_test(what_is_more_than_plain_yaml_is_refused),
		cmocka_unit_test(a_bom_and_crlf_are_fine_and_a_nul_byte_is_not),
		cmocka_unit_test(an_alias_bomb_is_refused_at_once),
		cmocka_unit_test(size_depth_and_number_of_items_are_bounded),
		cmocka_unit_test(texts_are_typed_by_the_key_and_never_guessed),
		cmocka_unit_test(booleans_are_true_and_false_only_and_never_quoted),
		cmocka_unit_test(wrong_types_are_told_in_words),
		cmocka_unit_test(nothing_in_a_path_is_expanded_but_the_placeholders),
		cmocka_unit_test(escapes_name_any_byte_of_a_path),
		cmocka_unit_test(a_star_in_a_path_is_taken_literally_and_said),
		cmocka_unit_test(an_empty_list_and_nothing_at_all_are_told_apart_for_hosts),
		cmocka_unit_test(override_colours_every_line_also_those_above_it),
		cmocka_unit_test(every_prefix_of_a_profile_loads_or_is_refused_cleanly),
	};
	return cmocka_run_group_tests_name("yaml_in", tests, NULL, NULL);
}
