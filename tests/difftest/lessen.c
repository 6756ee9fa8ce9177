/* lessen.c - makes a round that shows a mismatch as small as it gets while it still shows it */
#include "tests/difftest/lessen.h"

#include "base/base.h"

#include <string.h>

enum { PASSES = 3 };

struct work {
	struct round *r;
	const struct want *wants;
	const struct node *nodes;
	char **lines; /* of the profile */
	size_t nwants, nnodes, nlines;
	bool *want, *node, *line; /* which are kept */
	shows_fn shows;
	void *arg;
};

static size_t indent(const char *line)
{
	return strspn(line, " ") + 2 * (strstr(line, "- ") == line + strspn(line, " "));
}

/* The lines that are kept; a heading without anything below it goes too. */
static void put_lines(struct work *w)
{
	bool *keep = arena_array(&w->r->arena, w->nlines, sizeof(*keep));
	size_t below = 0; /* indent of the kept line behind */
	for (size_t i = w->nlines; keep && i-- > 0;) {
		size_t n = strlen(w->lines[i]);
		bool heading = n && w->lines[i][n - 1] == ':';
		keep[i] = w->line[i] && (!heading || below > indent(w->lines[i]));
		if (keep[i])
			below = indent(w->lines[i]);
	}
	str_drop(&w->r->yaml);
	for (size_t i = 0; keep && i < w->nlines; i++)
		if (keep[i])
			str_fmt(&w->r->yaml, "%s\n", w->lines[i]);
}

static void put(struct work *w)
{
	struct round *r = w->r;
	r->nwants = r->nnodes = 0;
	for (size_t i = 0; i < w->nwants; i++)
		if (w->want[i])
			r->wants[r->nwants++] = w->wants[i];
	for (size_t i = 0; i < w->nnodes; i++)
		if (w->node[i])
			r->nodes[r->nnodes++] = w->nodes[i];
	put_lines(w);
}

/* Take out @n flags from @at on; put back what is needed. Return: was something taken out? */
static bool without(struct work *w, bool *keep, size_t at, size_t n)
{
	bool *was = arena_array(&w->r->arena, n, sizeof(*was)), any = false;
	if (!was)
		return false;
	memcpy(was, keep + at, n * sizeof(*was));
	for (size_t i = 0; i < n; i++) {
		any = any || keep[at + i];
		keep[at + i] = false;
	}
	if (!any)
		return false;
	put(w);
	if (w->shows(w->arg, w->r))
		return true;
	memcpy(keep + at, was, n * sizeof(*was));
	return false;
}

static void lessen(struct work *w, bool *keep, size_t n)
{
	for (size_t size = (n + 1) / 2; size > 1; size = (size + 1) / 2)
		for (size_t at = 0; at < n; at += size)
			without(w, keep, at, MIN(size, n - at));
	bool some = true;
	for (int pass = 0; some && pass < PASSES; pass++) {
		some = false;
		for (size_t at = n; at-- > 0;) /* what stands behind needs what stands before */
			some = without(w, keep, at, 1) || some;
	}
}

static bool *all(struct round *r, size_t n)
{
	bool *keep = arena_array(&r->arena, n + 1, sizeof(*keep));
	if (keep)
		memset(keep, true, n);
	return keep;
}

static void split(struct work *w)
{
	char *text = arena_mem(&w->r->arena, str_c(&w->r->yaml), w->r->yaml.len), *save = NULL;
	struct { char **items; size_t n; } v = { 0 };
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char **slot = ARENA_PUSH(&w->r->arena, &v, items, n);
		if (slot)
			*slot = line;
	}
	w->lines = v.items;
	w->nlines = v.n;
}

static void *copied(struct arena *a, const void *from, size_t n, size_t size)
{
	void *to = arena_array(a, n + 1, size);
	if (to && n)
		memcpy(to, from, n * size);
	return to;
}

void round_lessen(struct round *r, shows_fn shows, void *arg)
{
	struct work w = { .r = r, .nwants = r->nwants, .nnodes = r->nnodes, .shows = shows, .arg = arg };
	split(&w);
	w.wants = copied(&r->arena, r->wants, r->nwants, sizeof(*r->wants));
	w.nodes = copied(&r->arena, r->nodes, r->nnodes, sizeof(*r->nodes));
	w.want = all(r, w.nwants);
	w.node = all(r, w.nnodes);
	w.line = all(r, w.nlines);
	if (!w.wants || !w.nodes || !w.want || !w.node || !w.line)
		return;
	lessen(&w, w.want, w.nwants);
	lessen(&w, w.line, w.nlines);
	lessen(&w, w.node, w.nnodes);
	put(&w);
}
