/* relay_addr.c - which addresses lie inside somebody's network, and NO_PROXY; pure */
#include "enforce/relay_addr.h"

#include "base/base.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool addr_parse(union addr *out, const char *text, uint16_t port)
{
	union addr a = { 0 };
	if (inet_pton(AF_INET, text, &a.in.sin_addr) == 1) {
		a.in.sin_family = AF_INET;
		a.in.sin_port = htons(port);
		*out = a;
		return true;
	}
	a = (union addr){ 0 };
	if (inet_pton(AF_INET6, text, &a.in6.sin6_addr) != 1)
		return false;
	a.in6.sin6_family = AF_INET6;
	a.in6.sin6_port = htons(port);
	*out = a;
	return true;
}

socklen_t addr_len(const union addr *a)
{
	return a->sa.sa_family == AF_INET ? sizeof(a->in) : sizeof(a->in6);
}

uint16_t addr_port(const union addr *a)
{
	return ntohs(a->sa.sa_family == AF_INET ? a->in.sin_port : a->in6.sin6_port);
}

void addr_text(const union addr *a, char out[ADDR_TEXT])
{
	const void *p = a->sa.sa_family == AF_INET ? (const void *)&a->in.sin_addr
	                                           : (const void *)&a->in6.sin6_addr;
	if (!inet_ntop(a->sa.sa_family, p, out, ADDR_TEXT))
		out[0] = 0;
}

/*
 * One block of addresses; the IANA special-purpose registries (RFC 6890 and updates), multicast added. Left out is what
 * nobody has in a network: documentation and benchmark ranges, which tests use for hosts of the Internet.
 */
struct block {
	const char *net;
	unsigned bits;
	const char *words;
};

static const struct block blocks4[] = {
	{ "0.0.0.0", 8, "unspecified" },
	{ "10.0.0.0", 8, "a private network" },
	{ "100.64.0.0", 10, "a carrier's shared network" },
	{ "127.0.0.0", 8, "loopback" },
	{ "169.254.0.0", 16, "link-local" },
	{ "172.16.0.0", 12, "a private network" },
	{ "192.0.0.0", 24, "reserved" },
	{ "192.88.99.0", 24, "a 6to4 relay" },
	{ "192.168.0.0", 16, "a private network" },
	{ "224.0.0.0", 4, "multicast" },
	{ "240.0.0.0", 4, "reserved or broadcast" },
};

static const struct block blocks6[] = {
	{ "::1", 128, "loopback" },
	{ "::", 96, "unspecified or v4-compatible" },
	{ "64:ff9b:1::", 48, "a local NAT64 prefix" },
	{ "100::", 64, "reserved to be discarded" },
	{ "2001::", 23, "a tunnel or reserved" },
	{ "2002::", 16, "a 6to4 tunnel" },
	{ "5f00::", 16, "reserved for segment routing" },
	{ "fc00::", 7, "a private network" },
	{ "fe80::", 10, "link-local" },
	{ "fec0::", 10, "site-local" },
	{ "ff00::", 8, "multicast" },
};

static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;
	if (memcmp(a, b, whole) != 0)
		return false;
	return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

static const char *find_block(const struct block *b, size_t n, int family, const uint8_t *addr)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t net[16];
		inet_pton(family, b[i].net, net);
		if (same_bits(addr, net, b[i].bits))
			return b[i].words;
	}
	return NULL;
}

bool addr_embedded(const union addr *a, union addr *out)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	static const uint8_t nat64[12] = { 0x00, 0x64, 0xff, 0x9b };
	if (a->sa.sa_family != AF_INET6)
		return false;
	const uint8_t *p = a->in6.sin6_addr.s6_addr;
	if (memcmp(p, mapped, 12) != 0 && memcmp(p, nat64, 12) != 0)
		return false;
	union addr v4 = { .in = { .sin_family = AF_INET, .sin_port = a->in6.sin6_port } };
	memcpy(&v4.in.sin_addr, p + 12, 4);
	*out = v4;
	return true;
}

const char *addr_private(const union addr *a)
{
	union addr v4;
	if (a->sa.sa_family == AF_INET)
		v4 = *a;
	else if (!addr_embedded(a, &v4))
		return find_block(blocks6, LEN(blocks6), AF_INET6, a->in6.sin6_addr.s6_addr);
	uint8_t bytes[4];
	memcpy(bytes, &v4.in.sin_addr, 4);
	return find_block(blocks4, LEN(blocks4), AF_INET, bytes);
}

/* "addr" or "addr/bits" in @entry, against @host when that is an address of the same family. */
static bool cidr_match(const char *entry, const char *host)
{
	char net_text[64];
	const char *slash = strchr(entry, '/');
	size_t n = slash ? (size_t)(slash - entry) : strlen(entry);
	if (n >= sizeof(net_text))
		return false;
	memcpy(net_text, entry, n);
	net_text[n] = 0;
	int family = strchr(net_text, ':') ? AF_INET6 : AF_INET;
	uint8_t net[16], addr[16];
	if (inet_pton(family, net_text, net) != 1 || inet_pton(family, host, addr) != 1)
		return false;
	unsigned long most = family == AF_INET ? 32 : 128, bits = most;
	if (slash) {
		char *end;
		bits = strtoul(slash + 1, &end, 10);
		if (slash[1] < '0' || slash[1] > '9' || *end || bits > most)
			return false;
	}
	return same_bits(net, addr, (unsigned)bits);
}

/* Take ":port" and brackets off @entry in place; -1: no port. A bare IPv6 address keeps its colons. */
static long split_port(char **entry)
{
	char *s = *entry, *colon = NULL;
	if (s[0] == '[') {
		char *close = strchr(s, ']');
		if (!close)
			return -1;
		colon = close[1] == ':' ? close + 1 : NULL;
		memmove(close, close + 1, strlen(close)); /* keeps "/8" behind the bracket */
		if (colon)
			colon--;
		*entry = s + 1;
	} else if (strchr(s, ':') == strrchr(s, ':')) {
		colon = strchr(s, ':');
	}
	if (!colon)
		return -1;
	*colon = 0;
	return strtol(colon + 1, NULL, 10);
}

static bool entry_match(char *entry, const char *host, uint16_t port)
{
	if (strcmp(entry, "*") == 0)
		return true;
	long want = split_port(&entry);
	if (want >= 0 && want != port)
		return false;
	if (cidr_match(entry, host))
		return true;
	if (entry[0] == '*' && entry[1] == '.')
		entry++;
	if (entry[0] == '.')
		entry++;
	size_t n = strlen(entry), h = strlen(host);
	if (n > 0 && entry[n - 1] == '.')
		entry[--n] = 0;
	if (n == 0 || n > h || strcasecmp(host + h - n, entry) != 0)
		return false;
	return h == n || host[h - n - 1] == '.';
}

bool no_proxy_match(const char *list, const char *host, uint16_t port)
{
	static const char blanks[] = ", \t";
	for (const char *p = list; p && *p; ) {
		p += strspn(p, blanks);
		size_t n = strcspn(p, blanks);
		char entry[280];
		if (n > 0 && n < sizeof(entry)) {
			memcpy(entry, p, n);
			entry[n] = 0;
			if (entry_match(entry, host, port))
				return true;
		}
		p += n;
	}
	return false;
}
