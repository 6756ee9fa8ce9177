/* relay_addr.h - which addresses lie inside somebody's network, and NO_PROXY; pure */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A socket address of the two families the relay dials. */
union addr {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

enum { ADDR_TEXT = 46 }; /* INET6_ADDRSTRLEN */

/* @text as inet_pton(3) reads it; false for anything else. */
bool addr_parse(union addr *out, const char *text, uint16_t port);
socklen_t addr_len(const union addr *a);
void addr_text(const union addr *a, char out[ADDR_TEXT]);
uint16_t addr_port(const union addr *a);

/* Turn a v4-mapped or NAT64 (64:ff9b::/96) address into the IPv4 address it stands for; false: it is neither. */
bool addr_embedded(const union addr *a, union addr *out);

/**
 * addr_private() - is @a one that a name on the Internet has no business to point to?
 *
 * Loopback, unspecified, private, link-local, unique local, shared, multicast, broadcast and reserved ranges, tunnels
 * that hide an IPv4 address. v4-mapped and NAT64 forms are judged by what they stand for.
 * Return: static words ("loopback"), NULL for a public address.
 */
const char *addr_private(const union addr *a);

/**
 * no_proxy_match() - does the list @list (as in $no_proxy) except @host:@port?
 *
 * Entries are separated by commas or blanks: "*", "name" (itself and below), ".name" (below and itself), with
 * or without ":port", "10.0.0.1", "10.0.0.0/8", "[::1]", "fd00::/8". @host is as name_clean() leaves it.
 */
bool no_proxy_match(const char *list, const char *host, uint16_t port);
