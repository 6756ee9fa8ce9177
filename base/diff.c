#include "base/diff.h"

#include "base/esc.h"
#include "base/str.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 3, CELLS_MAX = 4000000 };

struct line {
	const char *p;
	size_t len;
};
struct text {
	struct line *items;
	size_t n;
};

/* One step of the way from a to b: ' ' both, '-' only a, '+' only b. */
struct step {
	char what;
	const struct line *line;
	size_t at_a, at_b; /* lines of each before this step */
};
struct way {
	struct step *items;
	size_t n;
};

static int split(struct text *out, const char *p, size_t len)
{
	size_t n = len && p[len - 1] != '\n';
	for (size_t i = 0; i < len; i++)
		n += p[i] == '\n';
	out->items = calloc(n + 1, sizeof(*out->items));
	if (!out->items)
		return -ENOMEM;
	while (len) {
		const char *end = memchr(p, '\n', len);
		size_t got = end ? (size_t)(end - p) : len;
		out->items[out->n++] = (struct line){ p, got };
		p += got + (end != NULL);
		len -= got + (end != NULL);
	}
	return 0;
}

static bool same(const struct line *a, const struct line *b)
{
	return a->len == b->len && !memcmp(a->p, b->p, a->len);
}

static void step(struct way *w, char what, const struct line *line, size_t *i, size_t *j)
{
	w->items[w->n++] = (struct step){ what, line, *i, *j };
	*i += what != '+';
	*j += what != '-';
}

/* Longest common subsequence of the middle parts by the textbook table; @from and @tail lines agree at the ends. */
static int find_way(struct way *w, const struct text *a, const struct text *b)
{
	size_t from = 0, tail = 0, i = 0, j = 0;
	while (from < a->n && from < b->n && same(&a->items[from], &b->items[from]))
		from++;
	while (tail < a->n - from && tail < b->n - from && same(&a->items[a->n - 1 - tail], &b->items[b->n - 1 - tail]))
		tail++;
	size_t n = a->n - from - tail, m = b->n - from - tail;
	uint32_t *best = NULL; /* [x * (m + 1) + y]: common lines from x and y on */
	if (m && n && n < CELLS_MAX / m) {
		best = calloc((n + 1) * (m + 1), sizeof(*best));
		if (!best)
			return -ENOMEM;
		for (size_t x = n; x-- > 0;)
			for (size_t y = m; y-- > 0;)
				best[x * (m + 1) + y] = same(&a->items[from + x], &b->items[from + y]) ?
				        best[(x + 1) * (m + 1) + y + 1] + 1 :
				        MAX(best[(x + 1) * (m + 1) + y], best[x * (m + 1) + y + 1]);
	}
	while (i < from)
		step(w, ' ', &a->items[i], &i, &j);
	while (i < from + n || j < from + m) {
		size_t x = i - from, y = j - from;
		if (x < n && y < m && best && same(&a->items[i], &b->items[j]))
			step(w, ' ', &a->items[i], &i, &j);
		else if (x < n && (y == m || !best || best[(x + 1) * (m + 1) + y] >= best[x * (m + 1) + y + 1]))
			step(w, '-', &a->items[i], &i, &j);
		else
			step(w, '+', &b->items[j], &i, &j);
	}
	while (i < a->n)
		step(w, ' ', &a->items[i], &i, &j);
	free(best);
	return 0;
}

static void put_line(struct str *out, char mark, const struct line *l)
{
	OWN(str) text = { 0 };
	str_add_mem(&text, l->p, l->len);
	str_add_char(out, mark);
	/* hostile bytes of a checkout's file must not reach the terminal */
	esc_term(out, str_c(&text));
	str_add_char(out, '\n');
	out->oom |= text.oom;
}

/* The steps [@from, @to) as one hunk. */
static void put_hunk(struct str *out, const struct way *w, size_t from, size_t to)
{
	size_t na = 0, nb = 0;
	for (size_t i = from; i < to; i++) {
		na += w->items[i].what != '+';
		nb += w->items[i].what != '-';
	}
	str_fmt(out, "@@ -%zu,%zu +%zu,%zu @@\n", w->items[from].at_a + (na > 0), na, w->items[from].at_b + (nb > 0), nb);
	for (size_t i = from; i < to; i++)
		put_line(out, w->items[i].what, w->items[i].line);
}

static void put_hunks(struct str *out, const struct way *w)
{
	for (size_t i = 0; i < w->n;) {
		if (w->items[i].what == ' ') {
			i++;
			continue;
		}
		size_t from = i > CONTEXT ? i - CONTEXT : 0, last = i;
		/* changes closer than two contexts share a hunk */
		for (size_t j = i; j < w->n && j <= last + 2 * CONTEXT; j++)
			if (w->items[j].what != ' ')
				last = j;
		size_t to = MIN(last + 1 + CONTEXT, w->n);
		put_hunk(out, w, from, to);
		i = to;
	}
}

int diff_text(struct str *out, const char *a, size_t alen, const char *b, size_t blen, const char *name_a,
              const char *name_b)
{
	struct text ta = { 0 }, tb = { 0 };
	struct way w = { 0 };
	int r = 0;
	if (alen == blen && (!alen || !memcmp(a, b, alen)))
		return 0;
	if (split(&ta, a, alen) || split(&tb, b, blen))
		r = -ENOMEM;
	w.items = r ? NULL : calloc(ta.n + tb.n + 1, sizeof(*w.items));
	if (!w.items)
		r = -ENOMEM;
	if (!r)
		r = find_way(&w, &ta, &tb);
	if (!r) {
		str_add(out, "--- ");
		esc_term(out, name_a);
		str_add(out, "\n+++ ");
		esc_term(out, name_b);
		str_add_char(out, '\n');
		put_hunks(out, &w);
	}
	free(w.items);
	free(ta.items);
	free(tb.items);
	return r ? r : out->oom ? -ENOMEM : 1;
}
