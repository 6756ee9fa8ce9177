/* relay_addr_test.c - N08, N09, N14, N16: inside or outside, and the exceptions to a proxy */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/base.h"
#include "enforce/relay_addr.h"
#include "enforce/relay_upstream.h"

#include <errno.h>
#include <string.h>

static void addresses_of_somebodys_network_are_known(void **state)
{
	static const struct { const char *addr; bool private; } rows[] = {
		{ "127.0.0.1", true }, { "127.255.0.9", true }, { "0.0.0.0", true }, { "0.1.2.3", true },
		{ "10.0.0.0", true }, { "10.255.255.255", true }, { "9.255.255.255", false }, { "11.0.0.0", false },
		{ "172.15.255.255", false }, { "172.16.0.0", true }, { "172.31.255.255", true }, { "172.32.0.0", false },
		{ "192.168.0.1", true }, { "192.167.0.1", false }, { "169.254.169.254", true }, { "169.253.0.1", false },
		{ "100.63.255.255", false }, { "100.64.0.0", true }, { "100.127.255.255", true }, { "100.128.0.0", false },
		{ "224.0.0.1", true }, { "239.255.255.255", true }, { "240.0.0.1", true }, { "255.255.255.255", true },
		{ "223.255.255.255", false }, { "1.1.1.1", false }, { "203.0.113.5", false }, { "192.88.99.1", true },
		{ "::", true }, { "::1", true }, { "::2", true }, { "::7f00:1", true }, { "::ffff:7f00:1", true },
		{ "::ffff:10.0.0.1", true }, { "::ffff:1.1.1.1", false }, { "64:ff9b::7f00:1", true },
		{ "64:ff9b::a00:1", true }, { "64:ff9b::808:808", false }, { "64:ff9b:1::1", true },
		{ "2002:7f00:1::", true }, { "2002:808:808::", true }, { "2001::1", true }, { "2001:4860::8888", false },
		{ "fc00::1", true }, { "fd00:ec2::254", true }, { "fdff::1", true }, { "fe00::1", false },
		{ "fe80::1", true }, { "febf::1", true }, { "fec0::1", true }, { "ff02::1", true }, { "2606:4700::1", false },
	};
	(void)state;
	for (size_t i = 0; i < LEN(rows); i++) {
		union addr a;
		assert_true(addr_parse(&a, rows[i].addr, 80));
		if ((addr_private(&a) != NULL) != rows[i].private)
			fail_msg("%s: %s", rows[i].addr, addr_private(&a) ? addr_private(&a) : "public");
	}
}

static void addresses_are_read_and_written(void **state)
{
	union addr a, v4;
	char text[ADDR_TEXT];
	(void)state;
	assert_true(addr_parse(&a, "fd00::1", 8443));
	assert_int_equal(addr_port(&a), 8443);
	addr_text(&a, text);
	assert_string_equal(text, "fd00::1");
	assert_false(addr_embedded(&a, &v4));
	assert_true(addr_parse(&a, "64:ff9b::808:808", 1));
	assert_true(addr_embedded(&a, &v4));
	addr_text(&v4, text);
	assert_string_equal(text, "8.8.8.8");
	assert_int_equal(addr_port(&v4), 1);
	assert_false(addr_parse(&a, "127.1", 80));
	assert_false(addr_parse(&a, "localhost", 80));
}

static void no_proxy_entries_match_at_label_borders(void **state)
{
	static const struct { const char *list, *host; unsigned port; bool match; } rows[] = {
		{ "corp.test", "corp.test", 80, true }, { "corp.test", "a.corp.test", 80, true },
		{ "corp.test", "acorp.test", 80, false }, { ".corp.test", "a.corp.test", 80, true },
		{ ".corp.test", "corp.test", 80, true }, { "*.corp.test", "a.corp.test", 80, true },
		{ ".corp.test", "xcorp.test", 80, false }, { "CORP.Test.", "a.corp.test", 80, true },
		{ "other.test, corp.test", "corp.test", 80, true }, { "a b\tcorp.test", "corp.test", 80, true },
		{ "*", "anything.test", 1, true }, { "", "x.test", 80, false }, { ",, ,", "x.test", 80, false },
		{ "corp.test:8080", "corp.test", 8080, true }, { "corp.test:8080", "corp.test", 80, false },
		{ "10.0.0.0/8", "10.1.2.3", 80, true }, { "10.0.0.0/8", "11.1.2.3", 80, false },
		{ "10.0.0.0/8", "a10.test", 80, false }, { "10.1.2.3", "10.1.2.3", 80, true },
		{ "10.1.2.3:81", "10.1.2.3", 80, false }, { "0.0.0.0/0", "8.8.8.8", 80, true },
		{ "10.0.0.0/33", "10.1.2.3", 80, false }, { "10.0.0.0/x", "10.1.2.3", 80, false },
		{ "10.0.0.0/", "10.1.2.3", 80, false }, { "10.128.0.0/9", "10.127.0.0", 80, false },
		{ "[::1]", "::1", 80, true }, { "::1", "::1", 80, true }, { "[::1]:443", "::1", 443, true },
		{ "[::1]:443", "::1", 80, false }, { "fd00::/8", "fd12::9", 80, true }, { "[fd00::]/8", "fd12::9", 80, true },
		{ "fd00::/8", "fe80::9", 80, false }, { "[::1", "::1", 80, false }, { ".", "x.test", 80, false },
	};
	(void)state;
	for (size_t i = 0; i < LEN(rows); i++)
		if (no_proxy_match(rows[i].list, rows[i].host, (uint16_t)rows[i].port) != rows[i].match)
			fail_msg("'%s' and %s:%u", rows[i].list, rows[i].host, rows[i].port);
	assert_false(no_proxy_match(NULL, "x.test", 80));
}

static void an_upstream_is_read_with_its_credentials(void **state)
{
	static const struct { const char *url, *host; unsigned port; const char *auth; } rows[] = {
		{ "http://proxy.test:3128", "proxy.test", 3128, "" },
		{ "HTTP://proxy.test:3128/", "proxy.test", 3128, "" },
		{ "proxy.test:3128", "proxy.test", 3128, "" },
		{ "http://[::1]:3128/x", "::1", 3128, "" },
		{ "http://proxy.test", "proxy.test", 80, "" },
		{ "http://Aladdin:open%20sesame@p.test:1", "p.test", 1, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==" },
		{ "http://a:b@p.test:1", "p.test", 1, "Basic YTpi" },
		{ "http://ab:c@p.test:1", "p.test", 1, "Basic YWI6Yw==" },
		{ "http://user@p.test:1", "p.test", 1, "Basic dXNlcjo=" },
		{ "http://u:p@ss@p.test:1", "p.test", 1, "Basic dTpwQHNz" },
	};
	(void)state;
	for (size_t i = 0; i < LEN(rows); i++) {
		struct upstream u;
		struct err e = { 0 };
		if (upstream_parse(&u, rows[i].url, &e) != 0)
			fail_msg("%s: %s", rows[i].url, e.msg);
		assert_true(u.set);
		assert_string_equal(u.host, rows[i].host);
		assert_int_equal(u.port, rows[i].port);
		assert_string_equal(u.auth, rows[i].auth);
	}
}

static void a_bad_upstream_is_refused_without_showing_its_secret(void **state)
{
	static const char *const rows[] = {
		"socks5://u:secret@p.test:1080", "https://u:secret@p.test:443", "http://u:secret@", "http://u:secret@p.test:0",
		"http://u:sec%0d%0aret@p.test:1", "http://u:secret@p.test:99999", "http://u:secret@127.1:80",
	};
	struct upstream u;
	struct err e = { 0 };
	(void)state;
	for (size_t i = 0; i < LEN(rows); i++) {
		assert_int_equal(upstream_parse(&u, rows[i], &e), -EINVAL);
		assert_null(strstr(e.msg, "sec"));
		assert_false(u.set);
	}
	assert_int_equal(upstream_parse(&u, NULL, &e), 0);
	assert_int_equal(upstream_parse(&u, "", &e), 0);
	assert_false(u.set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_of_somebodys_network_are_known),
		cmocka_unit_test(addresses_are_read_and_written),
		cmocka_unit_test(no_proxy_entries_match_at_label_borders),
		cmocka_unit_test(an_upstream_is_read_with_its_credentials),
		cmocka_unit_test(a_bad_upstream_is_refused_without_showing_its_secret),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
