#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/str.h"
#include "profiles/edit.h"

#include <errno.h>
#include <string.h>

static void read_ok(struct profile *out, const char *text)
{
	struct err e = { 0 };
	if (profile_read(out, text, strlen(text), "add.yaml", NULL, &e))
		fail_msg("%s", e.msg);
}

/* Comments of what is added, as learning gives them. */
static void explain(struct profile *p)
{
	for (size_t i = 0; i < p->binds.n; i++)
		p->binds.items[i].comment = "read by tool";
	for (size_t i = 0; i < p->allow_hosts.n; i++)
		p->allow_hosts.items[i].comment = "asked";
}

struct shape {
	const char *name, *old, *add, *want;
	int lines;
};

static const struct shape shapes[] = {
	{ "nothing is missing", "name: x\nbinds:\n  - { source: ~/a, mode: ro }\n", "binds:\n  - { source: ~/a, mode: ro }\n",
	  "name: x\nbinds:\n  - { source: ~/a, mode: ro }\n", 0 },
	{ "another spelling of home is the same", "name: x\nbinds:\n  - { source: \"{home}/a\", mode: ro }\n",
	  "binds:\n  - { source: ~/a, mode: ro }\n", "name: x\nbinds:\n  - { source: \"{home}/a\", mode: ro }\n", 0 },
	{ "a sorted list stays sorted",
	  "binds:\n  - { source: /a, mode: ro }\n  - { source: /c, mode: ro }\n", "binds:\n  - { source: /b, mode: ro }\n",
	  "binds:\n  - { source: /a, mode: ro }\n  - { source: \"/b\", mode: ro }  # read by tool\n  - { source: /c, mode: ro }\n", 1 },
	{ "a list in no order grows at its end",
	  "binds:\n  - { source: /c, mode: ro } # first\n  - { source: /a, mode: ro }\n# tail\n", "binds:\n  - { source: /b, mode: ro }\n",
	  "binds:\n  - { source: /c, mode: ro } # first\n  - { source: /a, mode: ro }\n  - { source: \"/b\", mode: ro }  # read by tool\n# tail\n",
	  1 },
	{ "a comment above the first item stays with it",
	  "binds:\n  # about b\n  - { source: /b, mode: ro }\n", "binds:\n  - { source: /a, mode: ro }\n",
	  "binds:\n  - { source: \"/a\", mode: ro }  # read by tool\n  # about b\n  - { source: /b, mode: ro }\n", 1 },
	{ "items of several lines are kept whole",
	  "binds:\n- source: /a\n  mode: ro\n\n- source: /c\n  mode: rw\nname: x\n",
	  "binds:\n  - { source: /b, mode: ro }\n  - { source: /d, mode: ro }\n",
	  "binds:\n- source: /a\n  mode: ro\n- { source: \"/b\", mode: ro }  # read by tool\n\n- source: /c\n  mode: rw\n"
	  "- { source: \"/d\", mode: ro }  # read by tool\nname: x\n", 2 },
	{ "lists in brackets grow inside them",
	  "env: { allow: [B, D] } # mine\nproxy:\n  allow_hosts: [b.example.org]\n",
	  "env: { allow: [A, C, E] }\nproxy: { allow_hosts: [a.example.org] }\n",
	  "env: { allow: [\"A\", B, \"C\", D, \"E\"] } # mine\nproxy:\n  allow_hosts: [\"a.example.org\", b.example.org]\n", 4 },
	{ "a list with nothing in it yet is filled",
	  "binds:  # mine\nenv:\n  allow:\nname: x\n", "binds:\n  - { source: /a, mode: ro }\nenv: { allow: [A] }\n",
	  "binds:  # mine\n  - { source: \"/a\", mode: ro }  # read by tool\nenv:\n  allow:\n    - \"A\"\nname: x\n", 2 },
	{ "nothing in brackets is filled, too", "env: { allow: }\n", "env: { allow: [A] }\n", "env: { allow: [\"A\"] }\n", 1 },
	{ "what comes to the end of the file keeps to its section",
	  "env:\n  prepend_path:\n    - /a\n",
	  "binds:\n  - { source: /b, mode: ro }\nenv: { allow: [A], prepend_path: [/c] }\nproxy: { allow_hosts: [h.example.org] }\n",
	  "env:\n  prepend_path:\n    - /a\n    - \"/c\"\n  allow:\n    - \"A\"\nbinds:\n  - { source: \"/b\", mode: ro }  # read by tool\n"
	  "proxy:\n  allow_hosts:\n    - \"h.example.org\"  # asked\n", 4 },
	{ "a value into the last section, and a new list", "special:\n  proc: true\n",
	  "binds:\n  - { source: /b, mode: ro }\nspecial: { sys: ro }\n",
	  "special:\n  proc: true\n  sys: ro\nbinds:\n  - { source: \"/b\", mode: ro }  # read by tool\n", 2 },
	{ "a section with nothing in it yet is filled",
	  "env:\nproxy:\nspecial:\nname: x\n", "env: { allow: [A], deny: [B] }\nspecial: { sys: ro, ptrace: true }\n",
	  "env:\n  allow:\n    - \"A\"\n  deny:\n    - \"B\"\nproxy:\nspecial:\n  ptrace: true\n  sys: ro\nname: x\n", 4 },
	{ "brackets over several lines",
	  "env:\n  allow: [\n    B,  # why b\n    D,\n  ]\n", "env: { allow: [C] }\n",
	  "env:\n  allow: [\n    B, \"C\",  # why b\n    D,\n  ]\n", 1 },
	{ "an empty list gets lines of its own", "binds: []  # none\nname: x\n", "binds:\n  - { source: /b, mode: ro }\n",
	  "binds:  # none\n  - { source: \"/b\", mode: ro }  # read by tool\nname: x\n", 1 },
	{ "an empty list inside braces", "env: { allow: [] }\n", "env: { allow: [A, B] }\n", "env: { allow: [\"A\", \"B\"] }\n", 2 },
	{ "a missing key of a section", "env:\n    deny: [X]  # no X\n# end\n", "env: { allow: [A] }\n",
	  "env:\n    deny: [X]  # no X\n    allow:\n      - \"A\"\n# end\n", 1 },
	{ "a missing key inside braces", "env: { deny: [X] }\n", "env: { allow: [A] }\n", "env: { deny: [X], allow: [\"A\"] }\n", 1 },
	{ "a missing section, once for two keys", "name: x\n\n# end\n", "env: { allow: [A], prepend_path: [~/bin] }\n",
	  "name: x\nenv:\n  allow:\n    - \"A\"\n  prepend_path:\n    - \"~/bin\"\n\n# end\n", 2 },
	{ "a missing top-level key", "name: x", "binds:\n  - { source: /b, mode: ro }\n",
	  "name: x\nbinds:\n  - { source: \"/b\", mode: ro }  # read by tool\n", 1 },
	{ "two sections after a line without an end", "name: x", "env: { allow: [A] }\nproxy: { allow_hosts: [a.example.org] }\n",
	  "name: x\nenv:\n  allow:\n    - \"A\"\nproxy:\n  allow_hosts:\n    - \"a.example.org\"  # asked\n", 2 },
	{ "a profile in braces", "{ name: x }\n", "env: { allow: [A] }\n", "{ name: x, env: { allow: [\"A\"] } }\n", 1 },
	{ "two missing sections, one of two keys, in braces", "{ name: x, env: { deny: [A] } }\n",
	  "env: { allow: [B], prepend_path: [/c] }\nspecial: { sys: ro, ptrace: true }\nproxy: { allow_hosts: [a.example.org] }\n",
	  "{ name: x, env: { deny: [A], allow: [\"B\"], prepend_path: [\"/c\"] }, proxy: { allow_hosts: [\"a.example.org\"] }, "
	  "special: { ptrace: true, sys: ro } }\n", 5 },
	{ "a section that is empty braces", "env: {}\nspecial: { }\n",
	  "env: { allow: [B], prepend_path: [/c] }\nspecial: { sys: ro, ptrace: true }\n",
	  "env: { allow: [\"B\"], prepend_path: [\"/c\"] }\nspecial: { ptrace: true, sys: ro }\n", 4 },
	{ "a section that is empty braces over two lines", "env: {# none\n}\n", "env: { allow: [B] }\n",
	  "env: { allow: [\"B\"] # none\n}\n", 1 },
	{ "a profile that is empty braces", "{}\n", "env: { allow: [B] }\nspecial: { sys: ro }\ntmpfs: [/a]\n",
	  "{ tmpfs: [\"/a\"], env: { allow: [\"B\"] }, special: { sys: ro } }\n", 3 },
	{ "windows line ends stay", "name: x\r\nenv:\r\n  allow:\r\n    - A\r\n", "env: { allow: [B] }\n",
	  "name: x\r\nenv:\r\n  allow:\r\n    - A\r\n    - \"B\"\r\n", 1 },
	{ "a byte order mark stays", "\xef\xbb\xbf" "env: { allow: [A] }\n", "env: { allow: [B] }\n",
	  "\xef\xbb\xbf" "env: { allow: [A, \"B\"] }\n", 1 },
	{ "characters of several bytes", "description: \xc3\xa4\xe2\x82\xac\nenv: { set: { X: \"\xc3\xa4\" }, allow: [A] }\n",
	  "env: { allow: [B] }\n",
	  "description: \xc3\xa4\xe2\x82\xac\nenv: { set: { X: \"\xc3\xa4\" }, allow: [A, \"B\"] }\n", 1 },
	{ "modes that are unsaid", "name: x\nspecial:\n  proc: true\n", "network: { mode: proxy }\nspecial: { ptrace: true }\n",
	  "name: x\nspecial:\n  proc: true\n  ptrace: true\nnetwork:\n  mode: proxy\n", 2 },
	{ "what is there in another form stays", "binds:\n  - { source: /a, mode: rw, create: dir }\n",
	  "binds:\n  - { source: /a, mode: rw, optional: true }\n", "binds:\n  - { source: /a, mode: rw, create: dir }\n", 0 },
	{ "items at the margin", "tmpfs:\n- /a\n- /c\n", "tmpfs: [/b]\n", "tmpfs:\n- /a\n- \"/b\"\n- /c\n", 1 },
	{ "a folded text as the last value", "name: x\ndescription: >\n  one\n  two\n", "env: { allow: [A] }\n",
	  "name: x\ndescription: >\n  one\n  two\nenv:\n  allow:\n    - \"A\"\n", 1 },
	{ "an end of document", "---\nname: x\n...\n", "env: { allow: [A] }\n", "---\nname: x\nenv:\n  allow:\n    - \"A\"\n...\n", 1 },
};

static void each_shape_of_a_profile_is_added_to(void **state)
{
	(void)state;
	for (size_t i = 0; i < LEN(shapes); i++) {
		const struct shape *s = &shapes[i];
		OWN(profile) add = { 0 };
		OWN(str) out = { 0 };
		OWN(str) again = { 0 };
		OWN(str) notes = { 0 };
		struct err e = { 0 };
		read_ok(&add, s->add);
		explain(&add);
		int n = profile_edit(&out, s->old, strlen(s->old), "p.yaml", &add, &notes, &e);
		if (n < 0)
			fail_msg("%s: %s", s->name, e.msg);
		if (strcmp(str_c(&out), s->want) != 0)
			fail_msg("%s: got\n%s", s->name, str_c(&out));
		assert_int_equal(n, s->lines);
		assert_string_equal(str_c(&notes), "");
		n = profile_edit(&again, str_c(&out), out.len, "p.yaml", &add, &notes, &e);
		if (n || strcmp(str_c(&again), str_c(&out)) != 0)
			fail_msg("%s: a second run changes it (%d)\n%s", s->name, n, str_c(&again));
	}
}

static void what_says_otherwise_is_told_and_left(void **state)
{
	(void)state;
	static const char old[] = "network: { mode: none }\nspecial: { ptrace: false }\nbinds:\n  - { source: ~/a, mode: ro }\n";
	OWN(profile) add = { 0 };
	OWN(str) out = { 0 };
	OWN(str) notes = { 0 };
	struct err e = { 0 };
	read_ok(&add, "network: { mode: proxy }\nspecial: { ptrace: true }\nbinds:\n  - { source: ~/a, mode: rw }\n");
	assert_int_equal(profile_edit(&out, old, sizeof(old) - 1, "p.yaml", &add, &notes, &e), 0);
	assert_string_equal(str_c(&out), old);
	assert_non_null(strstr(str_c(&notes), "p.yaml: left out: "));
	assert_non_null(strstr(str_c(&notes), "p.yaml:1: network.mode is stricter than what was needed"));
	assert_non_null(strstr(str_c(&notes), "p.yaml:2: special.ptrace is stricter"));
}

static void what_cannot_be_added_to_is_refused(void **state)
{
	(void)state;
	static const struct { const char *old, *want; } cases[] = {
		{ "binds: 7\n", "p.yaml:1:8: " },
		{ "{ env: }\n", "p.yaml:1:" },
		{ "name: x\renv: { allow: [A] }\r", "p.yaml:1: a lone carriage return: cannot be added to" },
		{ "name: x\nwat: 1\n", "p.yaml:2:1: " },
		{ "description: \"a\xe2\x80\xa8z\"\n", "p.yaml: holds a Unicode line break: cannot be added to" },
	};
	OWN(profile) add = { 0 };
	read_ok(&add, "env: { allow: [B] }\n");
	for (size_t i = 0; i < LEN(cases); i++) {
		OWN(str) out = { 0 };
		OWN(str) notes = { 0 };
		struct err e = { 0 };
		int x = profile_edit(&out, cases[i].old, strlen(cases[i].old), "p.yaml", &add, &notes, &e);
		if (x != -EINVAL || strncmp(e.msg, cases[i].want, strlen(cases[i].want)) != 0)
			fail_msg("%zu: %d %s", i, x, e.msg);
		assert_int_equal(out.len, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_shape_of_a_profile_is_added_to),
		cmocka_unit_test(what_says_otherwise_is_told_and_left),
		cmocka_unit_test(what_cannot_be_added_to_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
