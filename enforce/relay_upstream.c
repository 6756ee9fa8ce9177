/* relay_upstream.c - the user's own proxy, as its variable names it; pure */
#include "enforce/relay_upstream.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Undo percent codes; -1: too long, or a control character, which would split the header. */
static int undo_percent(char *out, size_t room, const char *p, size_t len)
{
	size_t n = 0;
	for (size_t i = 0; i < len; i++) {
		char c = p[i];
		if (c == '%' && i + 2 < len && hex(p[i + 1]) >= 0 && hex(p[i + 2]) >= 0) {
			c = (char)(hex(p[i + 1]) * 16 + hex(p[i + 2]));
			i += 2;
		}
		if (n >= room || (unsigned char)c < 0x20 || c == 0x7f)
			return -1;
		out[n++] = c;
	}
	return (int)n;
}

static void base64(char *out, const char *in, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)in;
	for (; len > 0; p += 3) {
		unsigned v = (unsigned)p[0] << 16 | (len > 1 ? (unsigned)p[1] << 8 : 0) | (len > 2 ? p[2] : 0u);
		*out++ = digits[v >> 18];
		*out++ = digits[v >> 12 & 63];
		*out++ = len > 1 ? digits[v >> 6 & 63] : '=';
		*out++ = len > 2 ? digits[v & 63] : '=';
		len -= len > 3 ? 3 : len;
	}
	*out = 0;
}

static bool set_auth(struct upstream *u, const char *p, size_t len)
{
	char plain[700];
	int n = undo_percent(plain, sizeof(plain) - 1, p, len);
	if (n < 0)
		return false;
	if (!memchr(plain, ':', (size_t)n))
		plain[n++] = ':'; /* a user without a password, RFC 7617 */
	memcpy(u->auth, "Basic ", 6);
	base64(u->auth + 6, plain, (size_t)n);
	explicit_bzero(plain, sizeof(plain));
	return true;
}

int upstream_parse(struct upstream *out, const char *url, struct err *e)
{
	struct upstream u = { 0 };
	const char *why = NULL;
	*out = u;
	if (!url || !*url)
		return 0;
	const char *sep = strstr(url, "://"), *p = sep ? sep + 3 : url;
	if (sep && (sep - url != 4 || strncasecmp(url, "http", 4) != 0))
		return err_set(e, EINVAL, "the proxy in the environment is of a kind snug cannot chain to (%.*s); "
		               "use an http:// one, or unset its variable", (int)(sep - url > 12 ? 12 : sep - url), url);
	size_t len = strcspn(p, "/?#");
	const char *at = memrchr(p, '@', len);
	if (at && at > p && !set_auth(&u, p, (size_t)(at - p)))
		return err_set(e, EINVAL, "the proxy in the environment has credentials that are too long or hold control characters");
	if (at) {
		len -= (size_t)(at + 1 - p);
		p = at + 1;
	}
	u.kind = name_authority(u.host, &u.port, p, len, 80, &why);
	if (u.kind == NAME_BAD)
		return err_set(e, EINVAL, "the proxy in the environment is not http://HOST:PORT: %s", why);
	u.set = true;
	*out = u;
	return 0;
}
