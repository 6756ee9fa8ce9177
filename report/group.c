/* group.c - which findings share a row */
#include "report/group.h"

#include "base/map.h"
#include "base/str.h"

#include <string.h>

const char *finding_who(const struct finding *f)
{
	return f->who ? f->who : "the command";
}

/* Length of the longest directory that holds both: "/a/b/c" and "/a/b/d" have "/a/b". */
static size_t common_dir(const char *a, size_t len, const char *b)
{
	size_t at = 0, dir = 0;
	for (; at < len && a[at] == b[at]; at++)
		if (a[at] == '/')
			dir = at;
	bool whole = at == len && (!b[at] || b[at] == '/');
	bool inside = at < len && a[at] == '/' && !b[at];
	return whole || inside ? at : dir;
}

static void group_add(struct group *g, const struct finding *f)
{
	if (!g->n) {
		*g = (struct group){ .f = f, .common = f->path ? strlen(f->what) : 0 };
	} else if (g->common) {
		g->common = f->path ? common_dir(g->f->what, g->common, f->what) : 0;
	}
	g->n++;
	g->whos += !g->last_who || strcmp(g->last_who, finding_who(f)) != 0;
	g->last_who = finding_who(f);
	g->kinds |= 1u << f->kind;
	if (!g->note)
		g->note = f->note;
}

/* What the same line would grant is one row; what only some of several runs had stands by itself. */
static void **row_slot(struct map *rows, struct arena *a, const struct finding *f)
{
	const char *key = arena_fmt(a, "%u %u %s", (unsigned)f->heading, f->runs, f->grant);
	return key ? map_put(rows, key, strlen(key), NULL) : NULL;
}

bool findings_text(struct str *out, const struct lesson *l, bool all)
{
	OWN(map) rows = { 0 };
	OWN(arena) a = { 0 };
	size_t n = 0, accesses = 0;
	for (size_t i = 0; i < l->nfindings; i++) {
		const struct finding *f = &l->findings[i];
		if (!f->counts && !(all && f->counts_all))
			continue;
		void **slot = f->grant ? row_slot(&rows, &a, f) : NULL;
		accesses++;
		n += !slot || !*slot; /* without memory each for itself */
		if (slot)
			*slot = &rows;
	}
	if (!n)
		return false;
	str_fmt(out, "%zu finding%s", n, n == 1 ? "" : "s");
	if (accesses > n)
		str_fmt(out, " (%zu accesses)", accesses);
	return true;
}

struct group *group_all(struct arena *a, const struct view *v, size_t from, bool remarks, size_t *n)
{
	OWN(map) by_grant = { 0 };
	enum heading h = v->rows[from]->heading;
	size_t all = v->counts[h] - (!remarks && h == HEAD_NEEDS ? v->nremarks : 0);
	struct group *groups = arena_array(a, all, sizeof(*groups));
	*n = 0;
	for (size_t i = from; groups && i < from + all; i++) {
		const struct finding *f = v->rows[i];
		struct group *g = NULL;
		if (f->grant) {
			void **slot = row_slot(&by_grant, a, f);
			if (!slot)
				return NULL;
			if (!*slot)
				*slot = &groups[(*n)++];
			g = *slot;
		}
		group_add(g ? g : &groups[(*n)++], f);
	}
	return groups;
}
