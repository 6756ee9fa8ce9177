/* merge_test.c - composing profiles */
#include "base/str.h"
#include "profiles/profile.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void add(struct profile *into, const char *origin, const char *text, bool inlined, bool force, int want, struct err *e)
{
	OWN(profile) p = { 0 };
	struct err first = { 0 };
	if (profile_read(&p, text, strlen(text), origin, origin, &first))
		fail_msg("%s", first.msg);
	int r = profile_merge(into, &p, inlined, force, e);
	if (r != want)
		fail_msg("%s: %d %s", text, r, e->msg);
}

/* Compose the texts, each as user:a, user:b, ... */
static void compose(struct profile *into, const char *const *texts, size_t n)
{
	static const char *const origins[] = { "user:a", "user:b", "user:c", "user:d" };
	struct err e = { 0 };
	for (size_t i = 0; i < n && texts[i]; i++)
		add(into, origins[i], texts[i], false, false, 0, &e);
}

static void lists_are_unions_in_order(void **state)
{
	(void)state;
	OWN(profile) p = { 0 };
	const char *texts[] = {
		"mask: [/a, /b]\nenv: { allow: [X], prepend_path: [/p] }\nsyscalls: { deny: [bpf] }\nproxy: { allow_hosts: [a.test] }",
		"mask: [/b/, /c]\nenv: { allow: [Y, X], prepend_path: [/q] }\nsyscalls: { deny: [mount, bpf] }\nproxy: { allow_hosts: [b.test] }",
	};
	compose(&p, texts, 2);
	assert_int_equal(p.mask.n, 3);
	assert_string_equal(p.mask.items[2].path, "/c");
	assert_int_equal(p.env_allow.n, 2);
	assert_int_equal(p.prepend_path.n, 2);
	assert_string_equal(p.prepend_path.items[1].text, "/q");
	assert_int_equal(p.sys_deny.n, 2);
	assert_int_equal(p.allow_hosts.n, 2);
	assert_string_equal(p.env_allow.items[0].src.origin, "user:a");
	assert_string_equal(p.env_allow.items[1].src.origin, "user:b");
}

static void of_single_values_the_most_restrictive_wins_in_any_order(void **state)
{
	(void)state;
	static const struct { const char *a, *b; size_t at; int want; } rows[] = {
		{ "network: { mode: host }", "network: { mode: proxy }", offsetof(struct profile, network.v), NET_PROXY },
		{ "network: { mode: proxy }", "network: { mode: none }", offsetof(struct profile, network.v), NET_NONE },
		{ "network: { mode: none }", "name: x", offsetof(struct profile, network.v), NET_NONE },
		{ "project: rw", "project: ro", offsetof(struct profile, project.v), PROJECT_RO },
		{ "home: host", "home: empty", offsetof(struct profile, home.v), HOME_EMPTY },
		{ "home: { persist: /x }", "home: host", offsetof(struct profile, home.v), HOME_PERSIST },
		{ "home: { persist: /x }", "home: empty", offsetof(struct profile, home.v), HOME_EMPTY },
		{ "special: { proc: true }", "special: { proc: false }", offsetof(struct profile, proc.v), TRI_NO },
		{ "special: { userns: true }", "special: { userns: false }", offsetof(struct profile, userns.v), TRI_NO },
		{ "special: { sys: ro }", "special: { sys: false }", offsetof(struct profile, sys.v), TRI_NO },
		{ "process: { clear_env: false }", "process: { clear_env: true }", offsetof(struct profile, clear_env.v), TRI_YES },
		{ "syscalls: { action: log }", "syscalls: { action: errno }", offsetof(struct profile, action.v), ACT_ERRNO },
		{ "syscalls: { action: kill }", "syscalls: { action: errno }", offsetof(struct profile, action.v), ACT_KILL },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		for (int swap = 0; swap < 2; swap++) {
			OWN(profile) p = { 0 };
			const char *texts[] = { swap ? rows[i].b : rows[i].a, swap ? rows[i].a : rows[i].b };
			int got;
			compose(&p, texts, 2);
			memcpy(&got, (char *)&p + rows[i].at, sizeof(got));
			if (got != rows[i].want)
				fail_msg("%s + %s: %d", texts[0], texts[1], got);
		}
	}
	OWN(profile) p = { 0 };
	const char *sizes[] = { "special: { shm: 64MiB }", "special: { shm: 1MiB }", "tmp: { size: 1GiB }" };
	compose(&p, sizes, 3);
	assert_int_equal(p.shm.v, 1 << 20);
	assert_int_equal(p.tmp_size.v, 1 << 30);
}

static void a_line_that_base_overrules_is_told_to_be_void(void **state)
{
	(void)state;
	static const struct { const char *text, *want; } rows[] = {
		{ "syscalls: { action: log }", "user:x:1: syscalls.action: log has no effect: builtin:base:1 says errno" },
		{ "process: { clear_env: false }", "user:x:1: process.clear_env: false has no effect: builtin:base:2 says true" },
		{ "syscalls: { action: kill }", NULL },
		{ "syscalls: { action: errno }", NULL },
		{ "override: true\nsyscalls: { action: log }", NULL },
		{ "special: { proc: true }", NULL },
	};
	static const char base[] = "syscalls: { action: errno }\nprocess: { clear_env: true }\nspecial: { proc: true }\n";
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(profile) p = { 0 };
		OWN(profile) b = { 0 };
		OWN(profile) x = { 0 };
		struct err e = { 0 };
		assert_int_equal(profile_read(&b, base, strlen(base), "builtin:base", "builtin:base", &e), 0);
		assert_int_equal(profile_read(&x, rows[i].text, strlen(rows[i].text), "user:x", "user:x", &e), 0);
		assert_int_equal(profile_merge(&p, &b, false, false, &e), 0);
		assert_int_equal(profile_merge(&p, &x, false, false, &e), 0);
		assert_int_equal(p.warnings.n, rows[i].want != NULL);
		if (rows[i].want && strncmp(p.warnings.items[0].text, rows[i].want, strlen(rows[i].want)) != 0)
			fail_msg("%s", p.warnings.items[0].text);
	}
}

static void listing_hosts_says_proxy_and_an_empty_list_says_it_too(void **state)
{
	(void)state; /* Y06 */
	static const char *const texts[] = { "proxy: { allow_hosts: [] }", "proxy:\n  allow_hosts:\n", "name: none" };
	static const int orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	for (size_t i = 0; i < LEN(orders); i++) {
		OWN(profile) p = { 0 };
		const char *list[] = { texts[orders[i][0]], texts[orders[i][1]], texts[orders[i][2]] };
		compose(&p, list, 3);
		assert_int_equal(p.network.v, NET_PROXY);
		assert_true(p.has_allow_hosts);
		assert_int_equal(p.allow_hosts.n, 0);
	}
	/* it never loosens: none stays none, host becomes proxy */
	OWN(profile) none = { 0 };
	OWN(profile) host = { 0 };
	const char *a[] = { "network: { mode: none }", "proxy: { allow_hosts: [x.test] }" };
	const char *b[] = { "network: { mode: host }", "proxy: { allow_hosts: [] }" };
	compose(&none, a, 2);
	compose(&host, b, 2);
	assert_int_equal(none.network.v, NET_NONE);
	assert_int_equal(host.network.v, NET_PROXY);
	assert_string_equal(host.network.src.origin, "user:b");
	/* who says host and lists hosts has said host */
	OWN(profile) both = { 0 };
	const char *c[] = { "network: { mode: host }\nproxy: { allow_hosts: [x.test] }" };
	compose(&both, c, 1);
	assert_int_equal(both.network.v, NET_HOST);
}

static void flags_and_overriding_profiles_loosen(void **state)
{
	(void)state;
	struct err e = { 0 };
	OWN(profile) p = { 0 };
	add(&p, "user:a", "network: { mode: none }\nproject: ro\n", false, false, 0, &e);
	add(&p, "user:b", "override: true\nproject: rw\nnetwork: { mode: proxy }\n", false, false, 0, &e);
	assert_int_equal(p.project.v, PROJECT_RW);
	assert_int_equal(p.network.v, NET_PROXY);
	assert_true(p.override);
	assert_string_equal(p.override_src.origin, "user:b");
	/* and a later plain profile does not take it back */
	add(&p, "user:c", "network: { mode: none }", false, false, 0, &e);
	assert_int_equal(p.network.v, NET_PROXY);
	add(&p, "--network", "network: { mode: host }", true, false, 0, &e);
	assert_int_equal(p.network.v, NET_HOST);
	assert_true(p.network.src.inlined);
	assert_false(p.network.src.overrides);
}

static void conflicts_name_both_lines_and_override_takes_the_last(void **state)
{
	(void)state;
	static const struct { const char *a, *b, *want; } rows[] = {
		{ "binds: [{ source: \"~/.x\", mode: ro }]", "binds:\n- { source: \"{home}/.x/\", mode: rw }",
		  "bind '{home}/.x/' is 'ro' in user:a:1 and 'rw' in user:b:2" },
		{ "env: { set: { A: x } }", "env:\n  set:\n    A: y", "variable 'A' is 'x' in user:a:1 and 'y' in user:b:3" },
		{ "binds: [{ source: /s, target: /t }]", "binds: [{ source: /u, target: /t }]", "bind at '/t' is '/s'" },
		{ "binds: [{ source: /s, create: dir }]", "binds: [{ source: /s, create: file }]", "create of '/s' is 'dir'" },
		{ "home: { persist: /x }", "home: { persist: /y }", "'home.persist' is '/x'" },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		struct err e = { 0 };
		OWN(profile) p = { 0 };
		add(&p, "user:a", rows[i].a, false, false, 0, &e);
		add(&p, "user:b", rows[i].b, false, false, -EINVAL, &e);
		if (!strstr(e.msg, rows[i].want) || !strstr(e.msg, "--override"))
			fail_msg("%s", e.msg);
		OWN(profile) q = { 0 };
		add(&q, "user:a", rows[i].a, false, true, 0, &e);
		add(&q, "user:b", rows[i].b, false, true, 0, &e);
		/* a flag needs no --override for modes and values */
		OWN(profile) f = { 0 };
		add(&f, "user:a", rows[i].a, false, false, 0, &e);
		add(&f, "--flag", rows[i].b, true, false, 0, &e);
	}
}

static void the_same_bind_twice_is_one_and_required_beats_optional(void **state)
{
	(void)state;
	OWN(profile) p = { 0 };
	const char *texts[] = {
		"binds: [{ source: /x, optional: true }, { source: /y, optional: true, create: dir }]\nmask: [{ path: /m, optional: true }]",
		"binds: [{ source: /x }, { source: /y, optional: true }]\nmask: [/m]",
	};
	compose(&p, texts, 2);
	assert_int_equal(p.binds.n, 2);
	assert_false(p.binds.items[0].optional);
	assert_true(p.binds.items[1].optional);
	assert_int_equal(p.binds.items[1].create, CREATE_DIR);
	assert_int_equal(p.mask.n, 1);
	assert_false(p.mask.items[0].optional);
}

static void base_is_a_default_for_values_and_never_loosens(void **state)
{
	(void)state;
	struct err e = { 0 };
	OWN(profile) p = { 0 };
	add(&p, "builtin:base", "env: { set: { PATH: /usr/bin } }\nsyscalls: { action: errno }\nspecial: { proc: true }", false,
	    false, 0, &e);
	add(&p, "user:a", "env: { set: { PATH: /opt/bin } }\nsyscalls: { action: log }\nspecial: { proc: false }", false, false,
	    0, &e);
	assert_string_equal(p.env_set.items[0].value, "/opt/bin");
	assert_int_equal(p.action.v, ACT_ERRNO);
	assert_int_equal(p.proc.v, TRI_NO);
}

static void merged_profiles_own_their_strings(void **state)
{
	(void)state;
	OWN(profile) p = { 0 };
	/* the added ones are dropped inside compose(): ASan sees what is not copied */
	const char *texts[] = {
		"binds: [{ source: /x, target: /y }]\nhome: { persist: /h }\nprocess: { cwd: /c }\nenv: { set: { A: b } }\noverride: true\n"
		"mask: [\"/a*\"]\n",
	};
	compose(&p, texts, 1);
	OWN(str) s = { 0 };
	profile_write(&s, &p);
	assert_non_null(strstr(str_c(&s), "{ source: \"/x\", target: \"/y\", mode: ro }"));
	assert_non_null(strstr(str_c(&s), "persist: \"/h\""));
	assert_string_equal(p.override_src.origin, "user:a");
	assert_int_equal(p.warnings.n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_unions_in_order),
		cmocka_unit_test(of_single_values_the_most_restrictive_wins_in_any_order),
		cmocka_unit_test(a_line_that_base_overrules_is_told_to_be_void),
		cmocka_unit_test(listing_hosts_says_proxy_and_an_empty_list_says_it_too),
		cmocka_unit_test(flags_and_overriding_profiles_loosen),
		cmocka_unit_test(conflicts_name_both_lines_and_override_takes_the_last),
		cmocka_unit_test(the_same_bind_twice_is_one_and_required_beats_optional),
		cmocka_unit_test(base_is_a_default_for_values_and_never_loosens),
		cmocka_unit_test(merged_profiles_own_their_strings),
	};
	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
