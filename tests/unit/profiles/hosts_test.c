/* hosts_test.c - host patterns: parsing, matching, who decides */
#include "profiles/policy.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void patterns_match_at_label_boundaries_and_ports(void **state)
{
	(void)state; /* N24 C04 */
	static const struct { const char *rule, *host; uint16_t port; bool want; } rows[] = {
		{ "a.test", "a.test", 443, true }, { "a.test", "a.test", 80, true }, { "a.test", "a.test", 8443, false },
		{ "a.test", "A.TEST", 443, true }, { "a.test", "a.test.", 443, true }, { "A.Test.", "a.test", 443, true },
		{ "a.test", "a.test..", 443, false }, { "a.test", "xa.test", 443, false }, { "a.test", "x.a.test", 443, false },
		{ "a.test", "a.test.evil.test", 443, false }, { "*.a.test", "a.test", 443, false },
		{ "*.a.test", "x.a.test", 443, true }, { "*.a.test", "y.x.a.test", 443, true }, { "*.a.test", "xa.test", 443, false },
		{ "*.a.test", ".a.test", 443, false }, { ".a.test", "a.test", 443, true }, { ".a.test", "x.a.test", 443, true },
		{ ".a.test", "xa.test", 443, false }, { "a.test:8443", "a.test", 8443, true }, { "a.test:8443", "a.test", 443, false },
		{ "a.test:*", "a.test", 1, true }, { "*:*", "any.thing", 25, true }, { "*:*", "1.2.3.4", 25, true },
		{ "*", "any.thing", 443, true }, { "*", "any.thing", 25, false }, { "*:*", "", 25, false }, { "*:*", ".", 25, false },
		{ "xn--bcher-kva.test", "XN--BCHER-KVA.test", 443, true }, { "xn--bcher-kva.test", "b\xc3\xbc" "cher.test", 443, false },
		{ "localhost", "localhost.", 80, true }, { "a_b.test", "a_b.test", 443, true },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(arena) a = { 0 };
		struct err e = { 0 };
		struct host_rule r;
		if (host_rule_parse(&r, &a, rows[i].rule, &e))
			fail_msg("%s", e.msg);
		if (host_rule_match(&r, rows[i].host, rows[i].port) != rows[i].want)
			fail_msg("%s against %s:%u", rows[i].rule, rows[i].host, rows[i].port);
	}
}

static void addresses_have_one_verdict_however_they_are_written(void **state)
{
	(void)state; /* N09 */
	static const struct { const char *rule, *host; bool want; } rows[] = {
		{ "127.0.0.1", "127.0.0.1", true }, { "127.0.0.1", "::ffff:127.0.0.1", true }, { "127.0.0.1", "::ffff:7f00:1", true },
		{ "[::ffff:127.0.0.1]", "127.0.0.1", true }, { "::ffff:7f00:1", "127.0.0.1", true },
		{ "127.0.0.1", "127.1", false }, { "127.0.0.1", "0x7f.1", false }, { "127.0.0.1", "2130706433", false },
		{ "127.0.0.1", "0177.0.0.1", false }, { "127.0.0.1", "127.0.0.1.", false }, { "127.0.0.1", "64:ff9b::7f00:1", false },
		{ "*:*", "127.1", false }, { "*:*", "0x7f.1", false }, { "*:*", "2130706433", false }, { "*:*", "127.0.0.1.", false },
		{ "*:*", "0x7f000001", false }, { "*:*", "fe80::1%lo", false },
		{ "10.0.0.0/8", "10.255.0.1", true }, { "10.0.0.0/8", "11.0.0.1", false }, { "10.0.0.0/8", "10.example.org", false },
		{ "0.0.0.0/0", "8.8.8.8", true }, { "0.0.0.0/0", "::1", false }, { "::/0", "::1", true }, { "::/0", "1.2.3.4", false },
		{ "[fd00::/8]", "fd12::1", true }, { "[fd00::/8]", "fe80::1", false }, { "::1", "0:0:0:0:0:0:0:1", true },
		{ "172.16.0.0/12", "172.31.255.255", true }, { "172.16.0.0/12", "172.32.0.0", false },
		{ "x.org", "1.2.3.4", false }, { "1.2.3.4/32", "1.2.3.4", true },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(arena) a = { 0 };
		struct err e = { 0 };
		struct host_rule r;
		if (host_rule_parse(&r, &a, rows[i].rule, &e))
			fail_msg("%s", e.msg);
		if (host_rule_match(&r, rows[i].host, 443) != rows[i].want)
			fail_msg("%s against %s", rows[i].rule, rows[i].host);
	}
}

static void the_unspecified_address_is_loopback(void **state)
{
	(void)state;
	static const struct { const char *rule, *host; bool want; } rows[] = {
		{ "127.0.0.0/8", "0.0.0.0", true }, { "127.0.0.1:*", "0.0.0.0", true }, { "0.0.0.0", "127.0.0.1", true },
		{ "127.0.0.0/8", "::ffff:0.0.0.0", true }, { "::1", "::", true }, { "[::]:443", "::1", true },
		{ "localhost", "127.0.0.1", true }, { "localhost", "127.9.9.9", true }, { "localhost", "::1", true },
		{ "localhost", "0.0.0.0", true }, { "localhost", "::ffff:127.0.0.1", true },
		{ "localhost", "10.0.0.1", false }, { "127.0.0.0/8", "10.0.0.1", false }, { "a.test", "127.0.0.1", false },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(arena) a = { 0 };
		struct err e = { 0 };
		struct host_rule r;
		assert_int_equal(host_rule_parse(&r, &a, rows[i].rule, &e), 0);
		if (host_rule_match(&r, rows[i].host, 443) != rows[i].want)
			fail_msg("%s against %s", rows[i].rule, rows[i].host);
	}
}

static void bad_patterns_are_refused_with_the_reason(void **state)
{
	(void)state;
	static const struct { const char *text, *want; } rows[] = {
		{ "", "is empty" }, { ".", "is empty" }, { "*.", "is empty" }, { "a..b", "empty label" }, { "..a", "empty label" },
		{ "*a.test", "only as a first label" }, { "a.*.test", "only as a first label" }, { "*.*.test", "only as a first label" },
		{ "a?b", "only as a first label" }, { "b\xc3\xbc" "cher.test", "xn--" }, { "a/b", "no address before" }, { "a b", "no host name has" },
		{ "a:b:c", "stands in brackets" }, { "::1:443:x", "stands in brackets" }, { "[::1", "expected" }, { "[::1]x", "expected" },
		{ "[1.2.3.4]", "no IPv6 address" }, { "[a]", "no IPv6 address" }, { "a:", "a port is" }, { "a:0", "a port is" },
		{ "a:65536", "a port is" }, { "a:443x", "a port is" }, { "a:+443", "a port is" }, { "a:0443", "a port is" },
		{ "a:*x", "a port is" }, { "127.1", "is a number" }, { "0x7f.1", "is a number" }, { "2130706433", "is a number" },
		{ "127.0.0.1.", "is a number" }, { "10.0.0.0/33", "more than 32 bits" }, { "::/129", "more than 128 bits" },
		{ "10.0.0.0/", "no prefix length" }, { "10.0.0.0/+8", "no prefix length" }, { "10.0.0.1/8", "bits are set" },
		{ "fe80::1%lo", "stands in brackets" }, { "[fe80::1%lo]:1", "no IPv6 address" }, { "http://a.test", "" }, { "a.test/", "" },
		{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.test", "more than 63 bytes" },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(arena) a = { 0 };
		struct err e = { 0 };
		struct host_rule r;
		int rc = host_rule_parse(&r, &a, rows[i].text, &e);
		if (rc != -EINVAL || !strstr(e.msg, rows[i].want))
			fail_msg("'%s': %d %s", rows[i].text, rc, e.msg);
	}
}

/* ---- who decides ---- */


static struct host_rule rule(struct arena *a, const char *text, uint32_t line, bool overrides)
{
	struct err e = { 0 };
	struct host_rule r;
	assert_int_equal(host_rule_parse(&r, a, text, &e), 0);
	r.src = (struct src){ .origin = "user:x", .line = line, .overrides = overrides };
	return r;
}

static void the_deciding_line_is_named(void **state)
{
	(void)state;
	OWN(arena) a = { 0 };
	struct host_rule allow[] = { rule(&a, ".a.test", 1, false), rule(&a, "b.test", 2, true), rule(&a, "::/0", 3, false) };
	struct host_rule deny[] = { rule(&a, "x.a.test:*", 10, false), rule(&a, "b.test:*", 11, false),
	                            rule(&a, "127.0.0.0/8:*", 12, false) };
	struct policy pol = { .allow_hosts = allow, .nallow_hosts = 3, .deny_hosts = deny, .ndeny_hosts = 3 };
	pol.network.v = NET_PROXY;
	static const struct { const char *host; enum verdict want; uint32_t line; } rows[] = {
		{ "a.test", V_GRANTED, 1 }, { "x.a.test", V_DENIED, 10 }, { "b.test", V_GRANTED, 2 }, { "c.test", V_MISSING, 0 },
		{ "127.0.0.1", V_DENIED, 12 }, { "::ffff:127.0.0.1", V_DENIED, 12 }, { "64:ff9b::7f00:1", V_DENIED, 12 },
		{ "2002:7f00:1::", V_DENIED, 12 }, { "fd00::1", V_GRANTED, 3 },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		const struct src *by = NULL;
		enum verdict v = policy_ask_host(&pol, rows[i].host, 443, &by);
		if (v != rows[i].want || (by ? by->line : 0) != rows[i].line)
			fail_msg("%s: %d by %u", rows[i].host, v, by ? by->line : 0);
	}
}

static void a_listed_host_is_no_grant_while_the_mode_is_none(void **state)
{
	(void)state;
	OWN(arena) a = { 0 };
	struct host_rule allow[] = { rule(&a, "a.test", 1, false) };
	struct policy pol = { .allow_hosts = allow, .nallow_hosts = 1 };
	const struct src *by = NULL;
	assert_int_equal(policy_ask_host(&pol, "a.test", 443, &by), V_MISSING);
	assert_null(by);
	pol.network.v = NET_NONE;
	pol.network.src = (struct src){ .origin = "builtin:untrusted", .line = 5 };
	assert_int_equal(policy_ask_host(&pol, "a.test", 443, &by), V_DENIED);
	assert_string_equal(by->origin, "builtin:untrusted");
	pol.network.v = NET_HOST;
	assert_int_equal(policy_ask_host(&pol, "other.test", 25, &by), V_GRANTED);
}

static void variables_are_asked_for_by_set_then_allow_then_deny(void **state)
{
	(void)state;
	struct word allow[] = { { "LC_*", { .origin = "a", .line = 1 }, NULL }, { "X", { .origin = "o", .overrides = true }, NULL } };
	struct word deny[] = { { "LC_TIME", { .origin = "d", .line = 2 }, NULL }, { "X", { .origin = "d", .line = 3 }, NULL } };
	struct envset set[] = { { "CI", "1", { .origin = "s", .line = 4 }, NULL } };
	struct policy pol = { .env_allow = { allow, 2 }, .env_deny = { deny, 2 }, .env_set = { set, 1 } };
	static const struct { const char *name; enum verdict want; } rows[] = {
		{ "LC_ALL", V_GRANTED }, { "LC_TIME", V_DENIED }, { "CI", V_GRANTED }, { "HOME", V_MISSING }, { "X", V_GRANTED },
		{ "lc_all", V_MISSING },
	};
	for (size_t i = 0; i < LEN(rows); i++)
		assert_int_equal(policy_ask_env(&pol, rows[i].name, NULL), rows[i].want);
	pol.clear_env = TRI_NO;
	assert_int_equal(policy_ask_env(&pol, "ANY", NULL), V_GRANTED);
	assert_int_equal(policy_ask_env(&pol, "LC_TIME", NULL), V_DENIED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_match_at_label_boundaries_and_ports),
		cmocka_unit_test(addresses_have_one_verdict_however_they_are_written),
		cmocka_unit_test(the_unspecified_address_is_loopback),
		cmocka_unit_test(bad_patterns_are_refused_with_the_reason),
		cmocka_unit_test(the_deciding_line_is_named),
		cmocka_unit_test(a_listed_host_is_no_grant_while_the_mode_is_none),
		cmocka_unit_test(variables_are_asked_for_by_set_then_allow_then_deny),
	};
	return cmocka_run_group_tests_name("hosts", tests, NULL, NULL);
}
