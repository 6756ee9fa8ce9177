#include "profiles/near.h"

#include <ctype.h>
#include <string.h>

enum { WORD_MAX = 48 };

static int lower(char c)
{
	return tolower((unsigned char)c);
}

unsigned near_distance(const char *a, const char *b, unsigned max)
{
	size_t na = strlen(a), nb = strlen(b);
	if (na > WORD_MAX || nb > WORD_MAX || (na > nb ? na - nb : nb - na) > max)
		return max + 1;
	unsigned rows[3][WORD_MAX + 1];
	unsigned *before = rows[0], *last = rows[1], *now = rows[2];
	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned same = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
			unsigned d = MIN(last[j], now[j - 1]) + 1;
			d = MIN(d, last[j - 1] + same);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]))
				d = MIN(d, before[j - 2] + 1);
			now[j] = d;
		}
		unsigned *spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return MIN(last[nb], max + 1);
}

void near_try(struct near *n, const char *typed, const char *known)
{
	/* one edit for each three letters typed, at least one: "bnds" is binds, "x" is nothing */
	unsigned max = (unsigned)MIN(strlen(typed) / 3, (size_t)3);
	unsigned d = near_distance(typed, known, MAX(max, 1u));
	if (d > MAX(max, 1u) || (n->best && d >= n->distance))
		return;
	n->best = known;
	n->distance = d;
}
