/* ddmin.c - delta debugging, on complements only: large pieces are left out first, then ever smaller ones */
#include "learn/ddmin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t count(const bool *keep, size_t n)
{
	size_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += keep[i];
	return sum;
}

/* @try becomes @keep without the @size members that begin at the @from-th kept one. */
static void leave_out(bool *try, const bool *keep, size_t n, size_t from, size_t size)
{
	size_t at = 0;
	for (size_t i = 0; i < n; i++) {
		try[i] = keep[i] && (at < from || at >= from + size);
		at += keep[i];
	}
}

int ddmin(struct ddmin *d, bool *keep, size_t n)
{
	bool *try = malloc(n + 1);
	int r = try ? 0 : -ENOMEM;
	/* all at once first: what is not needed at all is known after one test */
	for (size_t size = n, left = n; r == 0 && size && left;) {
		bool smaller = false;
		for (size_t from = 0; r == 0 && from < left;) {
			if (d->used == d->budget) {
				free(try);
				return 0;
			}
			leave_out(try, keep, n, from, size);
			d->used++;
			int good = d->test(d->arg, try);
			r = MIN(good, 0);
			if (good > 0) {
				memcpy(keep, try, n);
				left = count(keep, n);
				smaller = true;
			} else {
				from += size;
			}
		}
		/* what could not be left out before may be now, once something else is gone */
		if (size > 1)
			size = MIN(size / 2 + size % 2, left);
		else if (!smaller)
			size = 0;
	}
	d->done = r == 0;
	free(try);
	return r;
}
