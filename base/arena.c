#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096, BLOCK_MAX = 1 << 20 };

struct arena_block {
	struct arena_block *next;
	size_t size, used;
	alignas(max_align_t) char mem[];
};

void arena_drop(struct arena *a)
{
	for (struct arena_block *b = a->head, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	*a = (struct arena){ 0 };
}

/* Texts need no alignment, and there are many of them. */
static void *take(struct arena *a, size_t size, size_t al)
{
	if (size > SIZE_MAX / 2)
		return NULL;
	struct arena_block *b = a->head;
	if (b)
		b->used = (b->used + al - 1) & ~(al - 1);
	if (!b || b->used > b->size || b->size - b->used < size) {
		size_t want = b ? MIN(b->size * 2, (size_t)BLOCK_MAX) : (size_t)BLOCK;
		if (want < size)
			want = size;
		b = malloc(sizeof(*b) + want);
		if (!b)
			return NULL;
		b->size = want;
		b->used = 0;
		b->next = a->head;
		a->head = b;
	}
	void *p = b->mem + b->used;
	b->used += size;
	a->bytes += size;
	return p;
}

void *arena_alloc(struct arena *a, size_t size)
{
	void *p = take(a, size, alignof(max_align_t));
	return p ? memset(p, 0, size) : NULL;
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	size_t all;
	if (__builtin_mul_overflow(n, size, &all))
		return NULL;
	return arena_alloc(a, all);
}

char *arena_mem(struct arena *a, const void *p, size_t len)
{
	if (len == SIZE_MAX)
		return NULL;
	char *s = take(a, len + 1, 1);
	if (s && len)
		memcpy(s, p, len);
	if (s)
		s[len] = '\0';
	return s;
}

char *arena_str(struct arena *a, const char *s)
{
	return arena_mem(a, s, strlen(s));
}

char *arena_fmt(struct arena *a, const char *fmt, ...)
{
	va_list ap, ap2;
	va_start(ap, fmt);
	va_copy(ap2, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	char *s = n < 0 ? NULL : take(a, (size_t)n + 1, 1);
	if (s)
		vsnprintf(s, (size_t)n + 1, fmt, ap2);
	va_end(ap2);
	va_end(ap);
	return s;
}

void *arena_push(struct arena *a, void *items, size_t n, size_t size)
{
	if (n && (n < 4 || (n & (n - 1))))
		return memset((char *)items + n * size, 0, size) ? items : NULL;
	/* @n is 0 or a full power of two: move to twice the room */
	void *more = arena_array(a, n ? n * 2 : 4, size);
	if (more && n)
		memcpy(more, items, n * size);
	return more;
}
