/* hosts.c - host patterns: "x", "*.x", ".x", addresses and networks, with ports */
#include "profiles/policy.h"

#include "base/glob.h"
#include "base/str.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { NAME_MAX_BYTES = 253, LABEL_MAX_BYTES = 63 }; /* RFC 1035 2.3.4 */

/* Is the last label a number, as in 127.1, 0x7f.1 or 2130706433? Resolvers take those as addresses. */
static bool looks_numeric(const char *name)
{
	const char *dot = strrchr(name, '.');
	const char *last = dot ? dot + 1 : name;
	if (strspn(last, "0123456789") == strlen(last))
		return true;
	return last[0] == '0' && last[1] == 'x' && strspn(last + 2, "0123456789abcdef") == strlen(last + 2);
}

/* NULL when @name (lower case, no trailing dot) is a host name; else what is wrong. */
static const char *name_trouble(const char *name)
{
	if (!*name || strlen(name) > NAME_MAX_BYTES)
		return *name ? "is longer than 253 bytes" : "is empty";
	for (const char *p = name; *p;) {
		size_t n = strcspn(p, ".");
		if (!n)
			return "has an empty label";
		if (n > LABEL_MAX_BYTES)
			return "has a label of more than 63 bytes";
		for (size_t i = 0; i < n; i++) {
			if ((unsigned char)p[i] >= 0x80)
				return "is not ASCII: write its xn-- form";
			if (p[i] == '*' || p[i] == '?')
				return "may have '*' only as a first label: \"*.example.org\"";
			if (!isalnum((unsigned char)p[i]) && p[i] != '-' && p[i] != '_')
				return "has a character that no host name has";
		}
		p += n;
		if (*p == '.' && !*++p)
			return "has an empty label";
	}
	return looks_numeric(name) ? "is a number, but no address in full form" : NULL;
}

/* ::ffff:a.b.c.d is the same peer as a.b.c.d */
static bool is_mapped(const uint8_t *addr)
{
	static const uint8_t head[12] = { [10] = 0xff, [11] = 0xff };
	return !memcmp(addr, head, sizeof(head));
}

static bool read_addr(const char *text, enum family *family, uint8_t addr[16])
{
	memset(addr, 0, 16);
	*family = FAM_INET;
	if (inet_pton(AF_INET, text, addr) == 1)
		return true;
	*family = FAM_INET6;
	return inet_pton(AF_INET6, text, addr) == 1;
}

static bool same_net(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	unsigned bytes = bits / 8, rest = bits % 8;
	if (memcmp(a, b, bytes))
		return false;
	return !rest || !((a[bytes] ^ b[bytes]) & (0xff << (8 - rest) & 0xff));
}

static int parse_port(const char *text, int *port)
{
	if (!strcmp(text, "*")) {
		*port = -1;
		return 0;
	}
	size_t n = strlen(text);
	if (!n || n > 5 || text[0] == '0' || strspn(text, "0123456789") != n)
		return -EINVAL;
	unsigned v = 0;
	for (size_t i = 0; i < n; i++)
		v = v * 10 + (unsigned)(text[i] - '0');
	*port = (int)v;
	return v <= 65535 ? 0 : -EINVAL;
}

/* "addr" or "addr/bits" into @out; 0 when it is no address at all, -EINVAL when it is a bad one. */
static int parse_net(struct host_rule *out, char *text, struct err *e)
{
	char *slash = strchr(text, '/');
	if (slash)
		*slash = '\0';
	bool found = read_addr(text, &out->family, out->addr);
	if (slash)
		*slash = '/';
	if (!found) {
		out->family = FAM_NONE;
		return slash ? err_set(e, EINVAL, "host '%s': no address before the '/'", text) : 0;
	}
	unsigned max = out->family == FAM_INET ? 32 : 128, bits = max;
	if (slash) {
		size_t n = strlen(slash + 1);
		if (!n || n > 3 || strspn(slash + 1, "0123456789") != n)
			return err_set(e, EINVAL, "host '%s': no prefix length after the '/'", text);
		bits = 0;
		for (const char *p = slash + 1; *p; p++)
			bits = bits * 10 + (unsigned)(*p - '0');
		if (bits > max)
			return err_set(e, EINVAL, "host '%s': a prefix of more than %u bits", text, max);
	}
	for (unsigned i = bits; i < max; i++)
		if (out->addr[i / 8] >> (7 - i % 8) & 1)
			return err_set(e, EINVAL, "host '%s': bits are set behind the prefix of %u", text, bits);
	out->bits = (uint8_t)bits;
	if (out->family == FAM_INET6 && bits >= 96 && is_mapped(out->addr)) {
		memmove(out->addr, out->addr + 12, 4);
		memset(out->addr + 4, 0, 12);
		out->family = FAM_INET;
		out->bits = (uint8_t)(bits - 96);
	}
	return 1;
}

static int parse_name(struct host_rule *out, char *name, const char *text, struct err *e)
{
	size_t n = strlen(name);
	for (size_t i = 0; i < n; i++)
		name[i] = (char)tolower((unsigned char)name[i]);
	/* the root's dot; "*." must not become "*" */
	if (n > 1 && name[n - 1] == '.' && strcmp(name, "*.") != 0)
		name[--n] = '\0';
	out->name = name;
	if (!strcmp(name, "*"))
		return 0;
	const char *tail = name[0] == '.' ? name + 1 : !strncmp(name, "*.", 2) ? name + 2 : name;
	const char *trouble = name_trouble(tail);
	return trouble ? err_set(e, EINVAL, "host '%.80s' %s", text, trouble) : 0;
}

int host_rule_parse(struct host_rule *out, struct arena *a, const char *text, struct err *e)
{
	char *s = arena_str(a, text);
	*out = (struct host_rule){ .text = arena_str(a, text) };
	if (!s || !out->text)
		return err_set(e, ENOMEM, "out of memory");
	char *port = NULL;
	if (s[0] == '[') {
		char *end = strchr(s, ']');
		if (!end || (end[1] && end[1] != ':'))
			return err_set(e, EINVAL, "host '%.80s': expected \"[address]\" or \"[address]:port\"", text);
		port = end[1] ? end + 2 : NULL;
		*end = '\0';
		int r = parse_net(out, s + 1, e);
		if (r < 0)
			return r;
		if (!r || !strchr(s + 1, ':'))
			return err_set(e, EINVAL, "host '%.80s': no IPv6 address inside the brackets", text);
	} else if (strchr(s, ':') != strrchr(s, ':')) {
		int r = parse_net(out, s, e);
		if (r < 0)
			return r;
		if (!r)
			return err_set(e, EINVAL, "host '%.80s': an IPv6 address with a port stands in brackets: \"[::1]:443\"", text);
	} else {
		char *colon = strchr(s, ':');
		if (colon) {
			port = colon + 1;
			*colon = '\0';
		}
		int r = parse_net(out, s, e);
		if (!r)
			r = parse_name(out, s, text, e);
		if (r < 0)
			return r;
	}
	if (port && parse_port(port, &out->port))
		return err_set(e, EINVAL, "host '%.80s': a port is 1 to 65535 or '*'", text);
	return 0;
}

/* @name as asked: lower case, no trailing dot; false when it is no name at all. */
static bool clean_name(const char *host, char out[NAME_MAX_BYTES + 2])
{
	size_t n = strlen(host);
	if (n && host[n - 1] == '.')
		n--;
	if (!n || n > NAME_MAX_BYTES)
		return false;
	for (size_t i = 0; i < n; i++)
		out[i] = (char)tolower((unsigned char)host[i]);
	out[n] = '\0';
	return !name_trouble(out);
}

static bool match_name(const char *rule, const char *name)
{
	if (!strcmp(rule, "*"))
		return true;
	if (rule[0] != '.' && rule[0] != '*')
		return !strcmp(rule, name);
	const char *tail = strchr(rule, '.'); /* ".x" of "*.x" and ".x" */
	size_t n = strlen(name), t = strlen(tail);
	if (n > t && !strcmp(name + n - t, tail))
		return true;
	return rule[0] == '.' && !strcmp(name, tail + 1);
}

static bool is_zero(const uint8_t *addr, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (addr[i])
			return false;
	return true;
}

/* Linux connects the unspecified address to its loopback: one verdict for both. */
static void plain_addr(enum family *family, uint8_t addr[16])
{
	if (*family == FAM_INET6 && is_mapped(addr)) {
		*family = FAM_INET;
		memmove(addr, addr + 12, 4);
	}
	if (*family == FAM_INET && is_zero(addr, 4))
		memcpy(addr, (const uint8_t[]){ 127, 0, 0, 1 }, 4);
	else if (*family == FAM_INET6 && is_zero(addr, 16))
		addr[15] = 1;
}

static bool is_loopback(enum family family, const uint8_t addr[16])
{
	return family == FAM_INET ? addr[0] == 127 : is_zero(addr, 15) && addr[15] == 1;
}

bool host_rule_match(const struct host_rule *r, const char *host, uint16_t port)
{
	char name[NAME_MAX_BYTES + 2];
	enum family family;
	uint8_t addr[16];
	if (r->port == 0 ? port != 80 && port != 443 : r->port > 0 && port != r->port)
		return false;
	if (!read_addr(host, &family, addr))
		return r->name && clean_name(host, name) && match_name(r->name, name);
	plain_addr(&family, addr);
	if (r->name)
		return !strcmp(r->name, "*") || (!strcmp(r->name, "localhost") && is_loopback(family, addr));
	uint8_t mine[16];
	enum family as = r->family;
	memcpy(mine, r->addr, sizeof(mine));
	if (r->bits == (as == FAM_INET ? 32 : 128))
		plain_addr(&as, mine);
	return as == family && same_net(mine, addr, r->bits);
}

/* The IPv4 address that NAT64 (RFC 6052) or 6to4 (RFC 3056) carries in @host, as text; false when none. */
static bool embedded_v4(const char *host, char out[INET_ADDRSTRLEN])
{
	static const uint8_t nat64[12] = { 0, 0x64, 0xff, 0x9b };
	uint8_t addr[16];
	enum family family;
	if (!read_addr(host, &family, addr) || family != FAM_INET6)
		return false;
	const uint8_t *v4 = !memcmp(addr, nat64, sizeof(nat64)) ? addr + 12 :
	                    addr[0] == 0x20 && addr[1] == 0x02 ? addr + 2 : NULL;
	return v4 && inet_ntop(AF_INET, v4, out, INET_ADDRSTRLEN);
}

static const struct host_rule *find_rule(const struct host_rule *rules, size_t n, const char *host, uint16_t port)
{
	for (size_t i = 0; i < n; i++)
		if (host_rule_match(&rules[i], host, port))
			return &rules[i];
	return NULL;
}

/* The deny line for @host that @allow, the line which grants it, does not override. */
static const struct src *deny_line(const struct policy *pol, const char *host, uint16_t port, const struct host_rule *allow)
{
	char v4[INET_ADDRSTRLEN];
	const struct host_rule *deny = find_rule(pol->deny_hosts, pol->ndeny_hosts, host, port);
	if (!deny && embedded_v4(host, v4))
		deny = find_rule(pol->deny_hosts, pol->ndeny_hosts, v4, port);
	return deny && !(allow && allow->src.overrides) ? &deny->src : NULL;
}

const struct src *policy_host_denied(const struct policy *pol, const char *host, uint16_t port)
{
	return deny_line(pol, host, port, find_rule(pol->allow_hosts, pol->nallow_hosts, host, port));
}

enum verdict policy_ask_host(const struct policy *pol, const char *host, uint16_t port, const struct src **by)
{
	const struct src *mode = pol->network.src.origin ? &pol->network.src : NULL;
	if (by)
		*by = mode;
	if (pol->network.v == NET_HOST)
		return V_GRANTED;
	if (pol->network.v != NET_PROXY)
		return mode ? V_DENIED : V_MISSING;
	const struct host_rule *allow = find_rule(pol->allow_hosts, pol->nallow_hosts, host, port);
	const struct src *deny = deny_line(pol, host, port, allow);
	if (by)
		*by = deny ? deny : allow ? &allow->src : NULL;
	return deny ? V_DENIED : allow ? V_GRANTED : V_MISSING;
}

bool policy_names_loopback(const struct policy *pol)
{
	for (size_t i = 0; i < pol->nallow_hosts; i++) {
		const struct host_rule *r = &pol->allow_hosts[i];
		if (r->name ? !strcmp(r->name, "localhost")
		            : is_loopback(r->family, r->addr) && r->bits >= (r->family == FAM_INET ? 8 : 128))
			return true;
	}
	return false;
}

static const struct src *find_word(const struct wordlist *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (glob_match(l->items[i].text, name))
			return &l->items[i].src;
	return NULL;
}

enum verdict policy_ask_env(const struct policy *pol, const char *name, const struct src **by)
{
	static const struct src unsaid = { .origin = "default" };
	const struct src *allow = NULL, *deny = find_word(&pol->env_deny, name);
	for (size_t i = 0; i < pol->env_set.n && !allow; i++)
		if (!strcmp(pol->env_set.items[i].name, name))
			allow = &pol->env_set.items[i].src;
	if (!allow)
		allow = find_word(&pol->env_allow, name);
	if (!allow && pol->clear_env == TRI_NO)
		allow = &unsaid;
	if (!allow && pol->prepend_path.n && !strcmp(name, "PATH"))
		allow = &pol->prepend_path.items[0].src;
	bool denied = deny && !(allow && allow->overrides);
	if (by)
		*by = denied ? deny : allow;
	return denied ? V_DENIED : allow ? V_GRANTED : V_MISSING;
}
