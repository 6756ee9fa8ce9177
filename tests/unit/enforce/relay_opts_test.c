/* relay_opts_test.c - N14, N16: which upstream for what, and what the policy answers the relay */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/base.h"
#include "enforce/relay.h"
#include "profiles/policy.h"

#include <string.h>

static void each_scheme_has_its_own_upstream(void **state)
{
	static const struct { const char *env[4]; const char *plain, *tunnel, *except; } rows[] = {
		{ { NULL }, NULL, NULL, NULL },
		{ { "http_proxy=a" }, "a", NULL, NULL },
		{ { "https_proxy=b" }, NULL, "b", NULL },
		{ { "HTTP_PROXY=A", "http_proxy=a" }, "a", NULL, NULL },
		{ { "HTTPS_PROXY=B" }, NULL, "B", NULL },
		{ { "all_proxy=c", "http_proxy=a" }, "a", "c", NULL },
		{ { "ALL_PROXY=C", "https_proxy=" }, "C", "C", NULL },
		{ { "http_proxyx=a", "xhttp_proxy=a", "http_prox=a" }, NULL, NULL, NULL },
		{ { "NO_PROXY=x", "no_proxy=y" }, NULL, NULL, "y" },
	};
	(void)state;
	for (size_t i = 0; i < LEN(rows); i++) {
		char env[4][32], *envp[5] = { NULL };
		for (size_t k = 0; k < 4 && rows[i].env[k]; k++)
			envp[k] = strcpy(env[k], rows[i].env[k]);
		struct relay_opts o = { 0 };
		relay_upstream_env(&o, envp);
		const char *got[3] = { o.upstream, o.upstream_connect, o.no_proxy };
		const char *want[3] = { rows[i].plain, rows[i].tunnel, rows[i].except };
		for (int k = 0; k < 3; k++)
			if (!got[k] != !want[k] || (got[k] && strcmp(got[k], want[k]) != 0))
				fail_msg("row %zu, %d: %s", i, k, got[k] ? got[k] : "none");
	}
}

static void fill(struct policy *pol, const char *const *allow, const char *const *deny)
{
	struct err e = { 0 };
	pol->network.v = NET_PROXY;
	for (; *allow; allow++) {
		struct { struct host_rule *items; size_t n; } v = { pol->allow_hosts, pol->nallow_hosts };
		assert_int_equal(host_rule_parse(ARENA_PUSH(&pol->arena, &v, items, n), &pol->arena, *allow, &e), 0);
		pol->allow_hosts = v.items;
		pol->nallow_hosts = v.n;
	}
	for (; *deny; deny++) {
		struct { struct host_rule *items; size_t n; } v = { pol->deny_hosts, pol->ndeny_hosts };
		assert_int_equal(host_rule_parse(ARENA_PUSH(&pol->arena, &v, items, n), &pol->arena, *deny, &e), 0);
		pol->deny_hosts = v.items;
		pol->ndeny_hosts = v.n;
	}
}

static void the_policy_decides_names_and_addresses(void **state)
{
	static const char *const allow[] = { "a.test", "10.0.0.0/8:*", "127.0.0.1:3000", NULL };
	static const char *const deny[] = { "10.9.0.0/16:*", NULL };
	static const struct { const char *host; unsigned port; int ask, addr; } rows[] = {
		{ "a.test", 443, 0, 0 }, { "a.test", 8443, 403, 0 }, { "b.test", 443, 403, 0 },
		{ "10.1.1.1", 22, 0, 1 }, { "10.9.1.1", 22, 403, -1 }, { "64:ff9b::a09:101", 22, 403, -1 },
		{ "8.8.8.8", 443, 403, 0 }, { "127.0.0.1", 3000, 0, 1 }, { "127.0.0.1", 3001, 403, 0 },
		{ "localhost", 3000, 0, 0 }, { "localhost", 3001, 403, 0 }, { "xlocalhost", 3000, 403, 0 },
	};
	struct policy pol = { 0 };
	(void)state;
	fill(&pol, allow, deny);
	for (size_t i = 0; i < LEN(rows); i++) {
		struct relay_ask q = { .host = rows[i].host, .port = (uint16_t)rows[i].port };
		if (relay_policy_ask(&pol, &q) != rows[i].ask)
			fail_msg("ask %s:%u", rows[i].host, rows[i].port);
		char line[RELAY_DENIED] = "";
		q.denied = line;
		assert_int_equal(relay_policy_ask(&pol, &q), rows[i].ask);
		if ((line[0] != 0) != (strstr(rows[i].host, "10.9.") != NULL || strstr(rows[i].host, "a09")))
			fail_msg("line '%s' for %s", line, rows[i].host);
		if (rows[i].host[0] < 'a' && relay_policy_addr(&pol, rows[i].host, q.port) != rows[i].addr)
			fail_msg("addr %s:%u", rows[i].host, rows[i].port);
	}
	struct relay_ask any = { .host = "b.test", .port = 1 };
	assert_int_equal(relay_allow_all(NULL, &any), 0);
	arena_drop(&pol.arena);
}

static void every_host_means_private_ones_too_but_for_what_is_denied(void **state)
{
	static const char *const allow[] = { "*:*", NULL };
	static const char *const deny[] = { "192.168.0.0/16:*", NULL };
	struct policy pol = { 0 };
	(void)state;
	fill(&pol, allow, deny);
	assert_int_equal(relay_policy_addr(&pol, "10.1.1.1", 80), 1);
	assert_int_equal(relay_policy_addr(&pol, "192.168.1.1", 80), -1);
	arena_drop(&pol.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_scheme_has_its_own_upstream),
		cmocka_unit_test(the_policy_decides_names_and_addresses),
		cmocka_unit_test(every_host_means_private_ones_too_but_for_what_is_denied),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
