/* arena.h - one owner, many small allocations, freed together; pure */
#pragma once

#include "base/base.h"

#include <stdarg.h>
#include <stddef.h>

struct arena_block;

/**
 * struct arena - memory of one graph; zero is empty
 * @head:  newest block
 * @bytes: handed out so far, for limits
 */
struct arena {
	struct arena_block *head;
	size_t bytes;
};

void arena_drop(struct arena *a);

/* Zeroed memory, aligned for any type; NULL when memory is out. Valid until arena_drop(). */
void *arena_alloc(struct arena *a, size_t size);

/* As arena_alloc() for @n items; NULL on overflow too. */
void *arena_array(struct arena *a, size_t n, size_t size);

/* Copy of @len bytes at @p plus a NUL. NULL when memory is out. */
char *arena_mem(struct arena *a, const void *p, size_t len);
char *arena_str(struct arena *a, const char *s);
char *arena_fmt(struct arena *a, const char *fmt, ...) PRINTF(2, 3);

/**
 * arena_push() - grow the array @items (of @n items of @size bytes) by one
 *
 * The array lives in @a; capacity is the power of two above @n, so old copies are garbage that is
 * freed with the arena. Return: the array, whose item [@n] is zeroed; NULL when memory is out.
 */
void *arena_push(struct arena *a, void *items, size_t n, size_t size);

/* Typed form: appends a zeroed item to (@v)->@items, counts it, yields its address or NULL. */
#define ARENA_PUSH(a, v, items, n)                                                            \
	__extension__({                                                                       \
		__typeof__((v)->items) got_ =                                                  \
			arena_push((a), (v)->items, (v)->n, sizeof(*(v)->items));              \
		if (got_)                                                                      \
			(v)->items = got_;                                                     \
		got_ ? &(v)->items[(v)->n++] : NULL;                                           \
	})
