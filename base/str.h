/* str.h - an owned byte string that grows, always NUL-terminated; pure */
#pragma once

#include "base/base.h"

#include <stdarg.h>
#include <stddef.h>

/**
 * struct str - owned bytes; zero is the empty string
 * @p:   bytes plus a NUL, or NULL while nothing was added; str_c() is never NULL
 * @len: without the NUL
 * @oom: an addition failed; further ones do nothing, so a writer checks once at the end
 */
struct str {
	char *p;
	size_t len, cap;
	int oom;
};

void str_drop(struct str *s);

/* The text so far, "" when empty; valid until the next addition. */
const char *str_c(const struct str *s);

void str_add(struct str *s, const char *text);
void str_add_mem(struct str *s, const void *p, size_t len);
void str_add_char(struct str *s, char c);
void str_fmt(struct str *s, const char *fmt, ...) PRINTF(2, 3);
void str_vfmt(struct str *s, const char *fmt, va_list ap) PRINTF(2, 0);

/*
 * Room for @more bytes behind the text: the caller writes there, then counts them with str_end(). NULL when memory is
 * out, which is noted.
 */
char *str_room(struct str *s, size_t more);
/* Count @len bytes that were written into the room, and end the text. */
void str_end(struct str *s, size_t len);

/* Forget the text, keep the memory. */
void str_clear(struct str *s);
/* Cut to @len bytes (no-op when shorter). */
void str_cut(struct str *s, size_t len);
