#include "base/vec.h"

#include <string.h>

void *vec_grow(void *items, size_t n, size_t *cap, size_t size)
{
	if (n == *cap) {
		size_t more = *cap ? *cap * 2 : 8;
		void *p = reallocarray(items, more, size);
		if (!p)
			return NULL;
		items = p;
		*cap = more;
	}
	memset((char *)items + n * size, 0, size);
	return items;
}
