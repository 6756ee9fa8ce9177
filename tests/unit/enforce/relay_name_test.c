/* relay_name_test.c - N09, N10, N24: one spelling and one verdict for each host */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/base.h"
#include "enforce/relay_name.h"

#include <string.h>

static void authorities_become_host_and_port(void **state)
{
	static const struct { const char *in; enum name_kind kind; const char *host; unsigned port; } rows[] = {
		{ "example.org:443", NAME_HOST, "example.org", 443 },
		{ "EXAMPLE.Org.:443", NAME_HOST, "example.org", 443 },
		{ "xn--bcher-kva.test:1", NAME_HOST, "xn--bcher-kva.test", 1 },
		{ "a_b.test:65535", NAME_HOST, "a_b.test", 65535 },
		{ "127.0.0.1:80", NAME_V4, "127.0.0.1", 80 },
		{ "127.0.0.1.:80", NAME_V4, "127.0.0.1", 80 },
		{ "[::1]:443", NAME_V6, "::1", 443 },
		{ "[0:0:0:0:0:0:0:1]:443", NAME_V6, "::1", 443 },
		{ "[FE80::1]:443", NAME_V6, "fe80::1", 443 },
		{ "[::ffff:7f00:1]:443", NAME_V4, "127.0.0.1", 443 },
		{ "[::ffff:127.0.0.1]:443", NAME_V4, "127.0.0.1", 443 },
		{ "[64:ff9b::7f00:1]:443", NAME_V6, "64:ff9b::7f00:1", 443 },
		{ "localhost.:80", NAME_HOST, "localhost", 80 },
		{ "1.2.3.4.test:80", NAME_HOST, "1.2.3.4.test", 80 },
	};
	(void)state;
	for (size_t i = 0; i < LEN(rows); i++) {
		char host[NAME_MAX_BYTES] = "";
		uint16_t port = 0;
		const char *why = NULL;
		enum name_kind kind = name_authority(host, &port, rows[i].in, strlen(rows[i].in), 0, &why);
		if (kind != rows[i].kind)
			fail_msg("%s: kind %d (%s)", rows[i].in, kind, why ? why : "no reason");
		assert_string_equal(host, rows[i].host);
		assert_int_equal(port, rows[i].port);
	}
}

static void odd_authorities_are_refused(void **state)
{
	static const char *const rows[] = {
		"", ":", ":443", "h", "h:", "h:0", "h:65536", "h:443x", "h:+443", "h: 443", "h:443 ", "h:0443",
		"h:99999999999999999999", "::1:443", "[::1]", "[::1", "::1]:443", "[::1]443", "[]:443", "[::1%lo]:443",
		"[fe80::1%25lo]:443", "[127.0.0.1]:443", "[h]:443", "fe80::1%lo:443", "user@h:443", "h/:443", "h\\:443",
		"a..b:443", ".a:443", "a..:443", "..:443", ".:443", ("b\xc3\xbc" "cher.test:443"), "a b:443", "a\tb:443", "*.a.test:443",
		/* what inet_aton(3) would take for 127.0.0.1 */
		"127.1:80", "0x7f.1:80", "2130706433:80", "0177.0.0.1:80", "0x7f000001:80", "127.0.1:80", "127.0.0.01:80",
		"017700000001:80", "127.0.0.0x1:80", "256.0.0.1:80", "1.2.3.4.5:80", "a.0x1:80", "0x:80", "0:80",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.test:80", /* a label of 64 */
	};
	(void)state;
	for (size_t i = 0; i < LEN(rows); i++) {
		char host[NAME_MAX_BYTES];
		uint16_t port = 0;
		const char *why = NULL;
		if (name_authority(host, &port, rows[i], strlen(rows[i]), 0, &why) != NAME_BAD)
			fail_msg("'%s' was taken as %s port %u", rows[i], host, port);
		assert_non_null(why);
	}
}

static void names_are_bounded_and_bytes_behind_the_length_ignored(void **state)
{
	char name[300], host[NAME_MAX_BYTES];
	const char *why = NULL;
	(void)state;
	memset(name, 'a', sizeof(name));
	for (size_t i = 60; i < sizeof(name); i += 60)
		name[i] = '.';
	assert_int_equal(name_clean(host, name, 253, false, &why), NAME_HOST);
	assert_int_equal(name_clean(host, name, 254, false, &why), NAME_BAD);
	assert_int_equal(name_clean(host, "good\0evil", 9, false, &why), NAME_BAD);
	assert_int_equal(name_clean(host, "good.evil", 4, false, &why), NAME_HOST);
	assert_string_equal(host, "good");
}

static void a_default_port_stands_in(void **state)
{
	char host[NAME_MAX_BYTES];
	uint16_t port = 0;
	const char *why = NULL;
	(void)state;
	assert_int_equal(name_authority(host, &port, "h", 1, 80, &why), NAME_HOST);
	assert_int_equal(port, 80);
	assert_int_equal(name_authority(host, &port, "h:", 2, 80, &why), NAME_BAD);
	assert_int_equal(name_authority(host, &port, "[::1]", 5, 80, &why), NAME_V6);
	assert_int_equal(port, 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(authorities_become_host_and_port),
		cmocka_unit_test(odd_authorities_are_refused),
		cmocka_unit_test(names_are_bounded_and_bytes_behind_the_length_ignored),
		cmocka_unit_test(a_default_port_stands_in),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
