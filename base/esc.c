#include "base/esc.h"

#include "base/str.h"

#include <stdbool.h>
#include <string.h>

size_t esc_utf8(const char *text, size_t len, unsigned *cp)
{
	const unsigned char *p = (const unsigned char *)text;
	static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	if (!len)
		return 0;
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
	if (!n || n > len)
		return 0;
	unsigned c = n == 1 ? p[0] : p[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*cp = c;
	return n;
}

void esc_bytes(struct str *out, const void *ptr, size_t len)
{
	const char *p = ptr;
	for (size_t i = 0, n; i < len; i += n) {
		unsigned cp;
		n = esc_utf8(p + i, len - i, &cp);
		if (!n) {
			str_fmt(out, "\\x%02x", (unsigned char)p[i]);
			n = 1;
		} else if (cp == '\\') {
			str_add(out, "\\\\");
		} else {
			str_add_mem(out, p + i, n);
		}
	}
}

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void esc_undo(struct str *out, const char *s)
{
	while (*s) {
		if (s[0] == '\\' && s[1] == '\\') {
			str_add_char(out, '\\');
			s += 2;
		} else if (s[0] == '\\' && s[1] == 'x' && hex(s[2]) >= 0 && hex(s[3]) >= 0) {
			str_add_char(out, (char)(hex(s[2]) << 4 | hex(s[3])));
			s += 4;
		} else {
			str_add_char(out, *s++);
		}
	}
}

/* Characters that move the cursor, hide or reorder text. */
static int is_control(unsigned c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff ||
	       (c >= 0x200e && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
	       c == 0x061c;
}

/* @text is well-formed UTF-8. */
static void quoted_text(struct str *out, const char *text, size_t len, void (*control)(struct str *, unsigned))
{
	str_add_char(out, '"');
	for (size_t i = 0, n; i < len; i += n) {
		unsigned cp = 0;
		n = esc_utf8(text + i, len - i, &cp);
		if (!n)
			n = 1; /* cannot happen */
		if (cp == '"' || cp == '\\') {
			str_add_char(out, '\\');
			str_add_char(out, (char)cp);
		} else if (is_control(cp)) {
			control(out, cp);
		} else {
			str_add_mem(out, text + i, n);
		}
	}
	str_add_char(out, '"');
}

/* ASCII that stands for itself in any quotes. */
static bool plain(const char *s, size_t len)
{
	bool odd = false;
	for (size_t i = 0; i < len; i++)
		odd |= (unsigned char)(s[i] - 0x20) >= 0x7f - 0x20 || s[i] == '"' || s[i] == '\\';
	return !odd;
}

static void quoted(struct str *out, const char *s, void (*control)(struct str *, unsigned))
{
	size_t len = strlen(s);
	char *p = plain(s, len) ? str_room(out, len + 2) : NULL;
	if (p) { /* nearly every name */
		*p++ = '"';
		memcpy(p, s, len);
		p[len] = '"';
		str_end(out, len + 2);
		return;
	}
	OWN(str) text = { 0 };
	esc_bytes(&text, s, len);
	quoted_text(out, str_c(&text), text.len, control);
	out->oom |= text.oom;
}

static void json_control(struct str *out, unsigned c)
{
	if (c == '\n')
		str_add(out, "\\n");
	else if (c == '\t')
		str_add(out, "\\t");
	else
		str_fmt(out, "\\u%04x", c);
}

static void yaml_control(struct str *out, unsigned c)
{
	if (c == '\n')
		str_add(out, "\\n");
	else if (c == '\t')
		str_add(out, "\\t");
	else if (c < 0x100)
		str_fmt(out, "\\x%02x", c);
	else
		str_fmt(out, "\\u%04x", c);
}

void esc_json(struct str *out, const char *s)
{
	quoted(out, s, json_control);
}

void esc_yaml(struct str *out, const char *s)
{
	quoted(out, s, yaml_control);
}

void esc_yaml_text(struct str *out, const char *s)
{
	size_t len = strlen(s);
	for (size_t i = 0, n; i < len; i += n) {
		unsigned cp;
		n = esc_utf8(s + i, len - i, &cp);
		if (!n) {
			quoted(out, s, yaml_control);
			return;
		}
	}
	quoted_text(out, s, len, yaml_control);
}

void esc_term(struct str *out, const char *s)
{
	size_t len = strlen(s);
	for (size_t i = 0, n; i < len; i += n) {
		unsigned cp;
		n = esc_utf8(s + i, len - i, &cp);
		if (!n) {
			str_fmt(out, "\\x%02x", (unsigned char)s[i]);
			n = 1;
		} else if (is_control(cp)) {
			if (cp < 0x80) /* above, \xHH stands for a byte */
				str_fmt(out, "\\x%02x", cp);
			else
				str_fmt(out, "\\u{%x}", cp);
		} else if (cp == '\\') {
			str_add(out, "\\\\"); /* else "\\xff" could be five characters or one byte */
		} else {
			str_add_mem(out, s + i, n);
		}
	}
}

void esc_shell(struct str *out, const char *s)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
	if (*s && strspn(s, safe) == strlen(s)) {
		str_add(out, s);
		return;
	}
	str_add_char(out, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			str_add(out, "'\\''");
		else
			str_add_char(out, *s);
	}
	str_add_char(out, '\'');
}
