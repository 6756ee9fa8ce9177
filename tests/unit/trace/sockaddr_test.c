#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "trace/sockaddr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static void inet_addresses_have_text_and_port(void **state)
{
	(void)state;
	const struct {
		const char *ip, *text;
		bool loopback;
	} cases[] = {
		{ "1.2.3.4", "1.2.3.4:80", false },   { "127.0.0.1", "127.0.0.1:80", true },
		{ "127.9.9.9", "127.9.9.9:80", true }, { "0.0.0.0", "0.0.0.0:80", true },
		{ "128.0.0.1", "128.0.0.1:80", false },
	}, cases6[] = {
		{ "::1", "[::1]:80", true },           { "::", "[::]:80", true },
		{ "2001:db8::1", "[2001:db8::1]:80", false }, { "::ffff:127.0.0.1", "[::ffff:127.0.0.1]:80", true },
		{ "::ffff:1.2.3.4", "[::ffff:1.2.3.4]:80", false },
	};
	struct peer p;
	for (size_t i = 0; i < LEN(cases); i++) {
		struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(80) };
		assert_int_equal(inet_pton(AF_INET, cases[i].ip, &a.sin_addr), 1);
		assert_int_equal(sockaddr_decode(&p, &a, sizeof(a)), 0);
		assert_int_equal(p.family, FAM_INET);
		assert_int_equal(p.port, 80);
		assert_string_equal(p.text, cases[i].text);
		assert_int_equal(p.loopback, cases[i].loopback);
		assert_int_equal(sockaddr_decode(&p, &a, sizeof(a) - 1), -EINVAL);
	}
	for (size_t i = 0; i < LEN(cases6); i++) {
		struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons(80) };
		assert_int_equal(inet_pton(AF_INET6, cases6[i].ip, &a.sin6_addr), 1);
		assert_int_equal(sockaddr_decode(&p, &a, sizeof(a)), 0);
		assert_int_equal(p.family, FAM_INET6);
		assert_string_equal(p.text, cases6[i].text);
		assert_int_equal(p.loopback, cases6[i].loopback);
		assert_int_equal(sockaddr_decode(&p, &a, 23), -EINVAL);
	}
}

static int decode_unix(struct peer *p, const char *name, size_t len)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	memcpy(a.sun_path, name, len);
	return sockaddr_decode(p, &a, offsetof(struct sockaddr_un, sun_path) + len);
}

static void unix_names_are_paths_or_abstract(void **state)
{
	(void)state;
	struct peer p;
	char full[sizeof(((struct sockaddr_un *)0)->sun_path)];
	assert_int_equal(decode_unix(&p, "/run/x", 7), 0);
	assert_string_equal(p.text, "/run/x");
	assert_int_equal(p.family, FAM_UNIX);
	/* what follows the NUL is no part of the name */
	assert_int_equal(decode_unix(&p, "a\0bc", 4), 0);
	assert_string_equal(p.text, "a");
	assert_int_equal(decode_unix(&p, "\0name", 5), 0);
	assert_int_equal(p.family, FAM_ABSTRACT);
	assert_string_equal(p.text, "@name");
	assert_int_equal(decode_unix(&p, "\0a\0b", 4), 0);
	assert_string_equal(p.text, "@a\\0b");
	assert_int_equal(decode_unix(&p, "", 0), -EINVAL);
	/* the longest name has no NUL; the most NULs need the most room */
	memset(full, 'x', sizeof(full));
	assert_int_equal(decode_unix(&p, full, sizeof(full)), 0);
	assert_int_equal(strlen(p.text), sizeof(full));
	memset(full, 0, sizeof(full));
	assert_int_equal(decode_unix(&p, full, sizeof(full)), 0);
	assert_int_equal(strlen(p.text), 1 + 2 * (sizeof(full) - 1));
}

static void other_families_and_wrong_sizes(void **state)
{
	(void)state;
	struct sockaddr a = { .sa_family = AF_PACKET };
	char big[sizeof(struct sockaddr_storage) + 1] = { AF_INET };
	struct peer p;
	assert_int_equal(sockaddr_decode(&p, &a, sizeof(a)), 0);
	assert_int_equal(p.family, FAM_OTHER);
	a.sa_family = AF_NETLINK;
	assert_int_equal(sockaddr_decode(&p, &a, sizeof(a)), 0);
	assert_int_equal(p.family, FAM_NETLINK);
	a.sa_family = AF_UNSPEC;
	assert_int_equal(sockaddr_decode(&p, &a, sizeof(a)), -EINVAL);
	assert_int_equal(sockaddr_decode(&p, &a, 1), -EINVAL);
	assert_int_equal(sockaddr_decode(&p, &a, 0), -EINVAL);
	assert_int_equal(sockaddr_decode(&p, big, sizeof(big)), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inet_addresses_have_text_and_port),
		cmocka_unit_test(unix_names_are_paths_or_abstract),
		cmocka_unit_test(other_families_and_wrong_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
