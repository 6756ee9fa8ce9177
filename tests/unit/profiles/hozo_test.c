/* hozo_test.c - profiles of hozo's format load unchanged: one file of tests/golden/hozo for each of its keys */
#include "base/str.h"
#include "profiles/policy.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DIR_NAME "tests/golden/hozo"

static void load(struct profile *p, const char *name)
{
	char path[200], text[4096];
	struct err e = { 0 };
	snprintf(path, sizeof(path), DIR_NAME "/%s.yaml", name);
	FILE *f = fopen(path, "r");
	if (!f)
		fail_msg("%s is missing: run from the top of the tree", path);
	size_t n = fread(text, 1, sizeof(text), f);
	fclose(f);
	if (profile_read(p, text, n, path, NULL, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(p->name, name);
	assert_int_equal(p->warnings.n, 0);
}

/* Every file loads, says its key, survives the canonical writer and resolves. */
static void every_file_loads_writes_back_and_resolves(void **state)
{
	(void)state;
	DIR *d = opendir(DIR_NAME);
	int n = 0;
	assert_non_null(d);
	for (struct dirent *ent; (ent = readdir(d));) {
		OWN(profile) p = { 0 };
		OWN(profile) q = { 0 };
		OWN(str) s = { 0 };
		OWN(policy) pol = { 0 };
		struct err e = { 0 };
		struct host host = { .cwd = "/home/u/p", .project = "/home/u/p", .home = "/home/u" };
		char *dot = strstr(ent->d_name, ".yaml");
		if (!dot)
			continue;
		*dot = '\0';
		load(&p, ent->d_name);
		profile_write(&s, &p);
		if (profile_read(&q, str_c(&s), s.len, ent->d_name, NULL, &e))
			fail_msg("%s", e.msg);
		assert_true(profile_equal(&p, &q));
		if (policy_resolve(&pol, &p, &host, true, &e))
			fail_msg("%s: %s", ent->d_name, e.msg);
		n++;
	}
	closedir(d);
	assert_int_equal(n, 21);
}

static void modes_and_scalars_mean_what_they_meant(void **state)
{
	(void)state;
	static const struct { const char *file; size_t at; int want; } rows[] = {
		{ "network-none", offsetof(struct profile, network.v), NET_NONE },
		{ "network-proxy", offsetof(struct profile, network.v), NET_PROXY },
		{ "network-host", offsetof(struct profile, network.v), NET_HOST },
		{ "clear-env", offsetof(struct profile, clear_env.v), TRI_YES },
		{ "home", offsetof(struct profile, home.v), HOME_EMPTY },
		{ "special", offsetof(struct profile, proc.v), TRI_YES },
		{ "special", offsetof(struct profile, dev.v), TRI_YES },
		{ "special-off", offsetof(struct profile, proc.v), TRI_NO },
		{ "syscalls-errno", offsetof(struct profile, action.v), ACT_ERRNO },
		{ "syscalls-kill", offsetof(struct profile, action.v), ACT_KILL },
		{ "syscalls-log", offsetof(struct profile, action.v), ACT_LOG },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(profile) p = { 0 };
		int got;
		load(&p, rows[i].file);
		memcpy(&got, (char *)&p + rows[i].at, sizeof(got));
		if (got != rows[i].want)
			fail_msg("%s: %d", rows[i].file, got);
	}
}

static void texts_and_lists_hold_what_was_written(void **state)
{
	(void)state;
	OWN(profile) desc = { 0 };
	OWN(profile) allow = { 0 };
	OWN(profile) set = { 0 };
	OWN(profile) pre = { 0 };
	OWN(profile) tmpfs = { 0 };
	OWN(profile) cwd = { 0 };
	OWN(profile) deny = { 0 };
	static const char *const values[] = { "/usr/bin:/bin", "true", "3", "", "no" };
	load(&desc, "description");
	assert_string_equal(desc.description, "A profile: with a colon, and # no comment");
	load(&allow, "env-allow");
	assert_int_equal(allow.env_allow.n, 5);
	assert_string_equal(allow.env_allow.items[2].text, "LC_*");
	load(&set, "env-set");
	for (size_t i = 0; i < LEN(values); i++)
		assert_string_equal(set.env_set.items[i].value, values[i]);
	load(&pre, "env-prepend");
	assert_string_equal(pre.prepend_path.items[0].text, "~/.local/bin");
	load(&tmpfs, "tmpfs");
	assert_string_equal(tmpfs.tmpfs.items[1].path, "{home}/.cache");
	load(&cwd, "clear-env");
	assert_string_equal(cwd.cwd.v, "{project}");
	load(&deny, "syscalls-deny");
	assert_int_equal(deny.sys_deny.n, 15);
}

static void binds_have_source_target_mode_and_optional(void **state)
{
	(void)state;
	OWN(profile) p = { 0 };
	load(&p, "binds");
	static const struct { const char *source, *target; enum bind_mode mode; bool optional; } want[] = {
		{ "/usr", NULL, BIND_RO, false }, { "/etc/ssl", NULL, BIND_RO, true }, { "~/.cache/npm", "~/.npm", BIND_RW, true },
		{ "{home}/.config/tool", NULL, BIND_RO, true }, { "{scratch}/x", NULL, BIND_RW, true },
	};
	assert_int_equal(p.binds.n, LEN(want));
	for (size_t i = 0; i < LEN(want); i++) {
		const struct bind *b = &p.binds.items[i];
		assert_string_equal(b->source, want[i].source);
		assert_true(b->target ? !strcmp(b->target, want[i].target) : !want[i].target);
		assert_int_equal(b->mode, want[i].mode);
		assert_int_equal(b->optional, want[i].optional);
	}
}

static void hosts_have_the_ports_they_had(void **state)
{
	(void)state;
	OWN(profile) p = { 0 };
	OWN(profile) none = { 0 };
	OWN(policy) pol = { 0 };
	struct host host = { .cwd = "/" };
	struct err e = { 0 };
	load(&p, "allow-hosts");
	p.allow_hosts.n--; /* all but the last, which allows everything */
	assert_int_equal(policy_resolve(&pol, &p, &host, true, &e), 0);
	static const struct { const char *host; uint16_t port; enum verdict want; } rows[] = {
		{ "example.org", 80, V_GRANTED }, { "EXAMPLE.ORG", 443, V_GRANTED }, { "example.org", 8080, V_MISSING },
		{ "a.example.com", 443, V_GRANTED }, { "example.net", 8443, V_GRANTED }, { "example.net", 443, V_MISSING },
		{ "example.edu", 22, V_GRANTED }, { "10.1.2.3", 443, V_GRANTED }, { "fd00::1", 443, V_GRANTED },
		{ "fd00::1", 80, V_MISSING }, { "other.test", 443, V_MISSING },
	};
	for (size_t i = 0; i < LEN(rows); i++)
		if (policy_ask_host(&pol, rows[i].host, rows[i].port, NULL) != rows[i].want)
			fail_msg("%s:%u", rows[i].host, rows[i].port);
	load(&none, "allow-hosts-empty");
	assert_true(none.has_allow_hosts);
	assert_int_equal(none.allow_hosts.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_file_loads_writes_back_and_resolves),
		cmocka_unit_test(modes_and_scalars_mean_what_they_meant),
		cmocka_unit_test(texts_and_lists_hold_what_was_written),
		cmocka_unit_test(binds_have_source_target_mode_and_optional),
		cmocka_unit_test(hosts_have_the_ports_they_had),
	};
	return cmocka_run_group_tests_name("hozo", tests, NULL, NULL);
}
