/* relay_name.c - host names and addresses as clients write them, one spelling for each; pure */
#include "enforce/relay_name.h"

#include "base/base.h"

#include <arpa/inet.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Would inet_aton(3) or a browser take the last label for a number? Then the name is an address or nothing. */
static bool looks_numeric(const char *label)
{
	bool hex = label[0] == '0' && label[1] == 'x';
	const char *c = hex ? label + 2 : label;
	while (hex ? is_hex(*c) : is_digit(*c))
		c++;
	return *c == 0;
}

static enum name_kind bad(const char **why, const char *words)
{
	*why = words;
	return NAME_BAD;
}

static enum name_kind clean_v6(char out[NAME_MAX_BYTES], const char **why)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	unsigned char a[16];
	if (inet_pton(AF_INET6, out, a) != 1)
		return bad(why, "not an IPv6 address");
	if (memcmp(a, mapped, sizeof(mapped)) == 0) {
		inet_ntop(AF_INET, a + 12, out, NAME_MAX_BYTES);
		return NAME_V4;
	}
	inet_ntop(AF_INET6, a, out, NAME_MAX_BYTES);
	return NAME_V6;
}

static enum name_kind check_labels(const char *name, const char **why)
{
	const char *last = name;
	for (const char *l = name; ; ) {
		size_t n = strcspn(l, ".");
		if (n == 0)
			return bad(why, "empty label in the host name");
		if (n > 63)
			return bad(why, "label of the host name is longer than 63 bytes");
		last = l;
		if (l[n] == 0)
			break;
		l += n + 1;
	}
	if (!looks_numeric(last))
		return NAME_HOST;
	struct in_addr a;
	if (inet_pton(AF_INET, name, &a) != 1)
		return bad(why, "not an IPv4 address of four decimal numbers");
	return NAME_V4;
}

enum name_kind name_clean(char out[NAME_MAX_BYTES], const char *p, size_t len, bool bracketed,
                          const char **why)
{
	if (!bracketed && len > 0 && p[len - 1] == '.')
		len--;
	if (len == 0)
		return bad(why, "empty host name");
	if (len > 253)
		return bad(why, "host name is longer than 253 bytes");
	for (size_t i = 0; i < len; i++) {
		char c = p[i];
		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		bool ok = is_digit(c) || (c >= 'a' && c <= 'z') || c == '.' || c == '-' || c == '_';
		if (bracketed)
			ok = is_hex(c) || c == ':' || c == '.';
		if (!ok)
			return bad(why, (unsigned char)c >= 0x80
					? "host name is not ASCII: write it in its xn-- form"
					: "character that no host name has");
		out[i] = c;
	}
	out[len] = 0;
	return bracketed ? clean_v6(out, why) : check_labels(out, why);
}

/* 1-65535 in digits only, no sign, no leading zero. */
static bool parse_port(uint16_t *port, const char *p, size_t len)
{
	uint32_t n = 0;
	if (len == 0 || len > 5 || p[0] == '0')
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!is_digit(p[i]))
			return false;
		n = n * 10 + (uint32_t)(p[i] - '0');
	}
	if (n > 65535)
		return false;
	*port = (uint16_t)n;
	return true;
}

enum name_kind name_authority(char host[NAME_MAX_BYTES], uint16_t *port, const char *p, size_t len,
                              uint16_t port_default, const char **why)
{
	bool bracketed = len > 0 && p[0] == '[';
	const char *name = bracketed ? p + 1 : p;
	size_t left = bracketed ? len - 1 : len;
	const char *end = memchr(name, bracketed ? ']' : ':', left);
	if (bracketed && !end)
		return bad(why, "bracket without its partner");
	if (!end)
		end = name + left;
	enum name_kind kind = name_clean(host, name, (size_t)(end - name), bracketed, why);
	if (kind == NAME_BAD)
		return NAME_BAD;
	if (bracketed)
		end++;
	size_t rest = (size_t)(p + len - end);
	*port = port_default;
	if (rest == 0 && port_default == 0)
		return bad(why, "no port behind the host");
	if (rest > 0 && (end[0] != ':' || !parse_port(port, end + 1, rest - 1)))
		return bad(why, "the port is not a number from 1 to 65535");
	return kind;
}
