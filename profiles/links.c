/* links.c - where links led outside, on text: the judge walks the view with it; pure */
#include "profiles/judge.h"

#include "base/path.h"

#include <errno.h>
#include <string.h>

const char *links_shift(char *buf, const struct shift *s, const char *host)
{
	if (!s->to || !path_under(host, s->from))
		return host;
	const char *rest = host + (s->from[1] ? strlen(s->from) : 0);
	size_t n = strlen(s->to), m = strlen(rest);
	if (n == 1)
		n = 0;
	if (n + m + 1 > PATH_MAX)
		return host;
	memcpy(buf, s->to, n);
	memcpy(buf + n, rest, m + 1);
	if (!n && !m)
		memcpy(buf, "/", 2);
	return buf;
}

bool links_target(char *out, const char *link, const char *text, const char *tail)
{
	size_t n = 0;
	const char *parts[] = { text[0] == '/' ? "" : link, text, tail };
	for (size_t i = 0; i < LEN(parts); i++) {
		const char *p = parts[i];
		size_t all = i == 0 && p[0] ? path_parent_len(p) : strlen(p);
		for (size_t at = 0; at < all;) {
			at += strspn(p + at, "/");
			if (at >= all)
				break;
			size_t len = MIN(strcspn(p + at, "/"), all - at);
			if (len == 2 && p[at] == '.' && p[at + 1] == '.') {
				while (n && out[n - 1] != '/')
					n--;
				n = n ? n - 1 : 0;
			} else if (len != 1 || p[at] != '.') {
				if (n + len + 2 > PATH_MAX)
					return false;
				out[n++] = '/';
				memcpy(out + n, p + at, len);
				n += len;
			}
			at += len;
		}
	}
	if (!n)
		out[n++] = '/';
	out[n] = '\0';
	return true;
}

bool links_magic(const struct hop *hop, const struct object *o)
{
	bool own = !strncmp(hop->path, "/proc/self/", 11) || !strncmp(hop->path, "/proc/tree/", 11);
	return own && strstr(hop->path, "/fd/") && !strcmp(hop->text, o->path);
}

bool links_last(const struct object *o, size_t i)
{
	char at[PATH_MAX], next[PATH_MAX];
	if (!links_target(at, o->hops[i].path, o->hops[i].text, ""))
		return false;
	for (size_t k = i + 1; k < o->nhops; k++) {
		bool up = !strcmp(o->hops[k].text, "..");
		if (up && path_under(o->hops[k].path, at))
			return false; /* the way went on from there */
		if (up || !path_under(at, o->hops[k].path))
			continue;
		if (!links_target(next, o->hops[k].path, o->hops[k].text, at + strlen(o->hops[k].path)))
			return false;
		memcpy(at, next, strlen(next) + 1);
	}
	for (size_t k = i + 1; k < o->nhops && o->walk_err == ELOOP; k++)
		if (!strcmp(o->hops[k].path, o->hops[i].path))
			return true; /* one of the links that go round */
	return !strcmp(at, o->path);
}
