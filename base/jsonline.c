#include "base/jsonline.h"

#include "base/esc.h"
#include "base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void jsonline_drop(struct jsonline *j)
{
	free(j->items);
	*j = (struct jsonline){ 0 };
}

static int bad(struct jsonline *j, const char *what)
{
	j->bad = what;
	return -EINVAL;
}

static int ended(struct jsonline *j) { return bad(j, "the line ends inside a value"); }

static int unexpected(struct jsonline *j) { return j->at == j->stop ? ended(j) : bad(j, "unexpected character"); }

static void skip_space(struct jsonline *j)
{
	while (j->at < j->stop && (*j->at == ' ' || *j->at == '\t' || *j->at == '\r' || *j->at == '\n'))
		j->at++;
}

static bool take(struct jsonline *j, char c)
{
	bool is = j->at < j->stop && *j->at == c;
	j->at += is;
	return is;
}

static bool digit(const struct jsonline *j) { return j->at < j->stop && *j->at >= '0' && *j->at <= '9'; }

/* Four hexadecimal digits; -1 where they are not. */
static int32_t four(struct jsonline *j)
{
	int32_t v = 0;
	for (int i = 0; i < 4; i++, j->at++) {
		char c = j->at < j->stop ? *j->at : 0;
		int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
		if (d < 0)
			return -1;
		v = v << 4 | d;
	}
	return v;
}

static char *utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const unsigned char first[] = { 0, 0xc0, 0xe0, 0xf0 };
	*to++ = (char)(first[more] | c >> (6 * more));
	while (more--)
		*to++ = (char)(0x80 | (c >> (6 * more) & 0x3f));
	return to;
}

/* What follows a backslash, to @to; NULL when it is no escape. */
static char *escape(struct jsonline *j, char *to)
{
	static const char from[] = "\"\\/bfnrt", as[] = "\"\\/\b\f\n\r\t";
	char c = j->at < j->stop ? *j->at++ : 0;
	const char *p = c ? strchr(from, c) : NULL;
	if (p) {
		*to = as[p - from];
		return to + 1;
	}
	int32_t v = c == 'u' ? four(j) : -1;
	if (v >= 0xd800 && v < 0xdc00) {
		int32_t low = take(j, '\\') && take(j, 'u') ? four(j) : -1;
		return low >= 0xdc00 && low < 0xe000 ? utf8(to, 0x10000 + ((uint32_t)v - 0xd800) * 0x400 + (uint32_t)low - 0xdc00) : NULL;
	}
	return v < 0 || (v >= 0xdc00 && v < 0xe000) ? NULL : utf8(to, (uint32_t)v);
}

/* The rest of a string; it is shortened in place, and a NUL written at its end. */
static int string(struct jsonline *j, const char **text, uint64_t *len)
{
	char *to = (char *)(uintptr_t)j->at, *begin = to;
	*text = begin;
	while (j->at < j->stop) {
		unsigned char c = (unsigned char)*j->at;
		unsigned cp;
		if (c == '"') {
			j->at++;
			*to = '\0';
			*len = (uint64_t)(to - begin);
			return 0;
		}
		if (c < 0x20)
			return bad(j, "a control character in a string");
		if (c == '\\') {
			j->at++;
			to = escape(j, to);
			if (!to)
				return j->at >= j->stop ? ended(j) : bad(j, "a bad escape in a string");
			continue;
		}
		size_t n = c < 0x80 ? 1 : esc_utf8(j->at, (size_t)(j->stop - j->at), &cp);
		if (!n)
			return bad(j, "not UTF-8");
		do
			*to++ = *j->at++;
		while (--n);
	}
	return ended(j);
}

static int number(struct jsonline *j, struct json_value *v)
{
	v->minus = take(j, '-');
	v->kind = JSON_WHOLE;
	if (!digit(j))
		return unexpected(j);
	bool zero = *j->at == '0';
	for (; digit(j); j->at++) {
		if (__builtin_mul_overflow(v->n, (uint64_t)10, &v->n) || __builtin_add_overflow(v->n, (uint64_t)(*j->at - '0'), &v->n))
			v->kind = JSON_BIG;
		if (zero) {
			j->at++;
			break;
		}
	}
	if (take(j, '.')) {
		v->kind = JSON_REAL;
		if (!digit(j))
			return unexpected(j);
		while (digit(j))
			j->at++;
	}
	if (take(j, 'e') || take(j, 'E')) {
		v->kind = JSON_REAL;
		if (!take(j, '+'))
			(void)take(j, '-');
		if (!digit(j))
			return unexpected(j);
		while (digit(j))
			j->at++;
	}
	return 0;
}

static int word(struct jsonline *j, struct json_value *v)
{
	static const struct { const char *text; enum json_kind kind; } words[] = {
		{ "null", JSON_NULL }, { "false", JSON_FALSE }, { "true", JSON_TRUE },
	};
	size_t left = (size_t)(j->stop - j->at);
	for (size_t i = 0; i < LEN(words); i++) {
		size_t n = strlen(words[i].text);
		if (left >= n && !memcmp(j->at, words[i].text, n)) {
			j->at += n;
			v->kind = words[i].kind;
			return 0;
		}
		if (left < n && !memcmp(j->at, words[i].text, left))
			return ended(j);
	}
	return unexpected(j);
}

static bool same_key(const struct json_value *v, const char *name, size_t len)
{
	return v->klen == len && (!len || (v->key[0] == name[0] && !memcmp(v->key, name, len)));
}

/* Was there a member of this name before the last one of object @of? @seen: one bit for some names each. */
static bool twice(const struct jsonline *j, uint32_t of, uint32_t last, uint64_t *seen)
{
	const struct json_value *v = &j->items[last];
	unsigned h = v->klen * 7u;
	for (size_t i = 0; i < v->klen; i++)
		h = h * 31u + (unsigned char)v->key[i];
	uint64_t bit = UINT64_C(1) << ((h ^ h >> 6) & 63);
	bool maybe = *seen & bit;
	*seen |= bit;
	for (uint32_t i = of + 1; maybe && i < last; i = j->items[i].end)
		if (same_key(&j->items[i], v->key, v->klen))
			return true;
	return false;
}

static int value(struct jsonline *j, const char *key, uint64_t klen, int depth);

static int object(struct jsonline *j, uint32_t self, int depth)
{
	uint64_t seen = 0;
	skip_space(j);
	if (take(j, '}'))
		return 0;
	for (;;) {
		const char *key;
		uint64_t klen;
		skip_space(j);
		if (!take(j, '"'))
			return unexpected(j);
		int err = string(j, &key, &klen);
		if (err)
			return err;
		skip_space(j);
		if (!take(j, ':'))
			return unexpected(j);
		uint32_t at = (uint32_t)j->n;
		err = value(j, key, klen, depth);
		if (err)
			return err;
		if (twice(j, self, at, &seen))
			return bad(j, "a name stands twice in an object");
		if (++j->items[self].n > JSONLINE_MEMBERS)
			return bad(j, "too many members in an object");
		if (take(j, '}'))
			return 0;
		if (!take(j, ','))
			return unexpected(j);
	}
}

static int list(struct jsonline *j, uint32_t self, int depth)
{
	skip_space(j);
	if (take(j, ']'))
		return 0;
	for (;;) {
		int err = value(j, NULL, 0, depth);
		if (err)
			return err;
		j->items[self].n++;
		if (take(j, ']'))
			return 0;
		if (!take(j, ','))
			return unexpected(j);
	}
}

/* A value with the space around it. */
static int value(struct jsonline *j, const char *key, uint64_t klen, int depth)
{
	struct json_value v = { .key = key, .klen = (uint32_t)klen };
	uint32_t self = (uint32_t)j->n;
	int err = 0;
	skip_space(j);
	if (!VEC_PUSH(j))
		return -ENOMEM;
	char c = j->at < j->stop ? *j->at : 0;
	if (c == '{' || c == '[') {
		if (depth == JSONLINE_DEPTH)
			return bad(j, "nested too deep");
		v.kind = c == '{' ? JSON_OBJECT : JSON_LIST;
		j->items[self] = v;
		j->at++;
		err = c == '{' ? object(j, self, depth + 1) : list(j, self, depth + 1);
	} else {
		if (c == '"') {
			v.kind = JSON_TEXT;
			j->at++;
			err = string(j, &v.text, &v.n);
		} else {
			err = c == '-' || (c >= '0' && c <= '9') ? number(j, &v) : word(j, &v);
		}
		j->items[self] = v;
	}
	j->items[self].end = (uint32_t)j->n;
	skip_space(j);
	return err;
}

/* @text is written to through j->at: strings are unescaped in place */
int jsonline_read(struct jsonline *j, char *text, size_t len) // NOLINT(readability-non-const-parameter)
{
	j->n = 0;
	j->hint_of = j->hint = 0;
	j->bad = NULL;
	if (len >= UINT32_MAX)
		return bad(j, "too long");
	j->at = text;
	j->stop = text + len;
	int err = value(j, NULL, 0, 0);
	return err ? err : j->at < j->stop ? bad(j, "unexpected character") : 0;
}

const struct json_value *jsonline_get(struct jsonline *j, uint32_t of, const char *name)
{
	size_t len = strlen(name);
	uint32_t end = j->items[of].end, first = of + 1, from = j->hint_of == of && j->hint < end && j->hint > of ? j->hint : first;
	if (first == end)
		return NULL;
	uint32_t i = from;
	do {
		const struct json_value *v = &j->items[i];
		uint32_t next = v->end < end ? v->end : first;
		if (same_key(v, name, len)) {
			j->hint_of = of;
			j->hint = next;
			return v;
		}
		i = next;
	} while (i != from);
	return NULL;
}
