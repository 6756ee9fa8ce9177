#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void str_drop(struct str *s)
{
	free(s->p);
	*s = (struct str){ 0 };
}

const char *str_c(const struct str *s)
{
	return s->p ? s->p : "";
}

static int room(struct str *s, size_t more)
{
	if (s->oom)
		return 0;
	if (more < s->cap - s->len)
		return 1;
	size_t want = s->cap ? s->cap : 64;
	while (want - s->len <= more) {
		if (__builtin_mul_overflow(want, 2, &want)) {
			s->oom = 1;
			return 0;
		}
	}
	char *p = realloc(s->p, want);
	if (!p) {
		s->oom = 1;
		return 0;
	}
	s->p = p;
	s->cap = want;
	return 1;
}

void str_add_mem(struct str *s, const void *p, size_t len)
{
	if (!room(s, len))
		return;
	if (len)
		memcpy(s->p + s->len, p, len);
	s->len += len;
	s->p[s->len] = '\0';
}

char *str_room(struct str *s, size_t more)
{
	return room(s, more) ? s->p + s->len : NULL;
}

void str_end(struct str *s, size_t len)
{
	s->len += len;
	s->p[s->len] = '\0';
}

void str_add(struct str *s, const char *text)
{
	str_add_mem(s, text, strlen(text));
}

void str_add_char(struct str *s, char c)
{
	str_add_mem(s, &c, 1);
}

void str_vfmt(struct str *s, const char *fmt, va_list ap)
{
	va_list ap2;
	va_copy(ap2, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	if (n >= 0 && room(s, (size_t)n)) {
		vsnprintf(s->p + s->len, (size_t)n + 1, fmt, ap2);
		s->len += (size_t)n;
	}
	va_end(ap2);
}

void str_fmt(struct str *s, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	str_vfmt(s, fmt, ap);
	va_end(ap);
}

void str_clear(struct str *s)
{
	str_cut(s, 0);
}

void str_cut(struct str *s, size_t len)
{
	if (s->p && len <= s->len) {
		s->len = len;
		s->p[len] = '\0';
	}
}
