/* vec.h - a growable typed array on the heap; pure */
#pragma once

#include <stddef.h>
#include <stdlib.h>

/*
 * struct { T *items; size_t n, cap; } v = { 0 };
 * T *slot = VEC_PUSH(&v);      zeroed new last item, NULL when memory is out
 * VEC_FREE(&v);
 */
void *vec_grow(void *items, size_t n, size_t *cap, size_t size);

#define VEC_PUSH(v)                                                                       \
	__extension__({                                                                   \
		void *got_ = vec_grow((v)->items, (v)->n, &(v)->cap, sizeof(*(v)->items)); \
		if (got_)                                                                  \
			(v)->items = got_;                                                 \
		got_ ? &(v)->items[(v)->n++] : NULL;                                       \
	})
#define VEC_FREE(v) (free((v)->items), (v)->items = NULL, (v)->n = (v)->cap = 0)
