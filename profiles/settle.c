/* settle.c - places in tree order, one per path, without what is shown twice */
#include "profiles/resolve.h"

#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char unsaid[] = "default";

int path_order(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	/* the separator sorts before every other byte, the end before it */
	int x = *a == '/' ? 1 : *a ? 2 + (unsigned char)*a : 0;
	int y = *b == '/' ? 1 : *b ? 2 + (unsigned char)*b : 0;
	return x - y;
}

static bool is_bind(const struct place *p)
{
	return p->kind == PLACE_BIND || p->kind == PLACE_COPY;
}

/* Which of two places at one path stands; more wins. */
static int weight(const struct place *p)
{
	switch (p->kind) {
	case PLACE_MASK: return 9;
	case PLACE_BIND: case PLACE_COPY: return 8;
	case PLACE_STUB: return 7;
	case PLACE_SHM: return 6;
	case PLACE_PROC: case PLACE_DEV: case PLACE_SYS: return 5;
	case PLACE_TMPFS: return 4;
	case PLACE_FENCE: return 3;
	case PLACE_PIN: return 2;
	case PLACE_LINK: return 1;
	}
	return 0;
}

static int by_path(const void *x, const void *y)
{
	const struct place *a = x, *b = y;
	int d = path_order(a->path, b->path);
	if (d)
		return d;
	if (weight(a) != weight(b))
		return weight(b) - weight(a);
	/* qsort is not stable: the order of two binds at one path must not depend on it */
	d = src_class(&b->src) - src_class(&a->src);
	if (!d)
		d = strcmp(a->src.origin, b->src.origin);
	if (!d)
		d = (a->src.line > b->src.line) - (a->src.line < b->src.line);
	return d ? d : (int)a->mode - (int)b->mode;
}

static bool is_project(const struct resolver *r, const struct place *p)
{
	const struct src *s = &r->p->project.src;
	return r->pol->project && p->kind == PLACE_BIND && p->src.line == s->line &&
	       !strcmp(p->src.origin, s->origin ? s->origin : unsaid);
}

/* Two binds at one path: @a, which sorts first, takes in @b. */
static int unite(const struct resolver *r, struct place *a, const struct place *b)
{
	bool same = a->kind == b->kind && a->mode == b->mode && !strcmp(a->source, b->source);
	a->optional = a->optional && b->optional;
	const bool apart = a->apart || b->apart;
	a->apart = apart;
	if (same) {
		a->create = a->create ? a->create : b->create;
		return 0;
	}
	bool project_a = is_project(r, a), project_b = is_project(r, b);
	if (project_a || project_b) {
		/* a bind of the project directory grants more than `project` says only by a stronger line, less only by a flag */
		const struct place project = project_a ? *a : *b, other = project_a ? *b : *a;
		bool wins = src_class(&other.src) > src_class(&project.src) && (other.mode == BIND_RW || other.src.inlined);
		*a = wins || strcmp(other.source, project.source) != 0 ? other : project;
		a->apart = apart;
		return 0;
	}
	if (src_class(&a->src) != src_class(&b->src))
		return 0;
	OWN(str) by = { 0 };
	src_text(&by, &b->src);
	return resolve_trouble(r, &a->src, "%s is bound in two ways, the other by %s", resolve_show(r, a->path), str_c(&by));
}

/* Does @cover show at @p's path already what @p would? */
static bool is_shown(const struct place *p, const struct place *cover)
{
	bool plain = cover->kind == PLACE_BIND && !strcmp(cover->path, cover->source);
	if (p->kind == PLACE_LINK)
		return plain || cover->kind == PLACE_PROC || cover->kind == PLACE_DEV || cover->kind == PLACE_SYS;
	if (!plain || p->kind != PLACE_BIND || strcmp(p->path, p->source) != 0)
		return false;
	if (p->mode == cover->mode)
		return true;
	return cover->mode == BIND_RW && src_class(&cover->src) > src_class(&p->src);
}

/* What is mounted inside of @cover will be fenced, kernfs.c, and @p names something in it. */
static bool names_kernfs(const struct resolver *r, const struct place *p, const struct place *cover)
{
	return p->kind == PLACE_BIND && kernfs_at(r->h, p->source) && !kernfs_at(r->h, cover->source);
}

/* Keep the items of the sorted list that add something. @create of what is shown already still has to happen. */
static int drop_shown(struct resolver *r)
{
	struct placelist *l = &r->places;
	size_t keep = 0, depth = 0;
	/* kept places above the one at hand, the innermost last: a subtree is in one piece */
	size_t *above = arena_array(&r->pol->arena, l->n + 1, sizeof(*above));
	if (!above)
		return resolve_memory(r);
	for (size_t i = 0; i < l->n; i++) {
		const struct place *p = &l->items[i];
		while (depth && !path_below(p->path, l->items[above[depth - 1]].path))
			depth--;
		const struct place *cover = depth ? &l->items[above[depth - 1]] : NULL;
		if (cover && is_shown(p, cover) && p->create == CREATE_NO && !p->apart && !names_kernfs(r, p, cover))
			continue;
		l->items[keep] = *p;
		if (p->kind != PLACE_LINK)
			above[depth++] = keep;
		keep++;
	}
	l->n = keep;
	return 0;
}

static int index_places(struct resolver *r)
{
	struct policy *pol = r->pol;
	map_drop(&pol->by_path);
	pol->places = r->places.items;
	pol->nplaces = r->places.n;
	for (size_t i = 0; i < pol->nplaces; i++) {
		void **slot = map_put(&pol->by_path, pol->places[i].path, strlen(pol->places[i].path), NULL);
		if (!slot)
			return resolve_memory(r);
		*slot = (void *)(uintptr_t)(i + 1);
	}
	return 0;
}

/* A link to nothing in the view is left out: /bin where nobody shows /usr/bin. */
static bool leads_somewhere(const struct resolver *r, const struct place *link)
{
	const char *dir = path_parent(&r->pol->arena, link->path);
	const char *to = dir ? path_join(&r->pol->arena, dir, link->text) : NULL;
	if (!to || link->src.line || strcmp(link->src.origin, unsaid) != 0)
		return true;
	for (size_t i = 0; i < r->places.n; i++) {
		const struct place *p = &r->places.items[i];
		if (p->kind != PLACE_LINK && (path_under(p->path, to) || path_under(to, p->path)))
			return true;
	}
	return false;
}

static int check_copies(const struct resolver *r)
{
	int x = 0;
	for (size_t i = 0; i < r->places.n && !x; i++) {
		const struct place *p = &r->places.items[i];
		if (p->kind != PLACE_COPY)
			continue;
		const char *parent = path_parent(&r->pol->arena, p->path);
		const struct place *cover = parent ? place_cover(r->pol, parent) : NULL;
		if (!cover || (cover->kind != PLACE_TMPFS && cover->kind != PLACE_SHM))
			x = resolve_trouble(r, &p->src, "mode copy needs a private place, and %s is %s: use mode %s",
			                    resolve_show(r, parent ? parent : p->path), cover ? "shown from the host" : "not in the view",
			                    cover && cover->mode == BIND_RW ? "rw" : "rw, or a tmpfs above it");
	}
	return x;
}

int grants_settle(struct resolver *r)
{
	struct placelist *l = &r->places;
	size_t keep = 0;
	if (l->n)
		qsort(l->items, l->n, sizeof(*l->items), by_path);
	for (size_t i = 0; i < l->n; i++) {
		struct place *p = &l->items[i], *last = keep ? &l->items[keep - 1] : NULL;
		int two = 0;
		if (last && !strcmp(last->path, p->path)) {
			if (is_bind(last) && is_bind(p))
				two = unite(r, last, p);
		} else {
			l->items[keep++] = *p;
		}
		if (two)
			return two;
	}
	l->n = keep;
	int x = drop_shown(r);
	if (x)
		return x;
	keep = 0;
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].kind != PLACE_LINK || leads_somewhere(r, &l->items[i]))
			l->items[keep++] = l->items[i];
	l->n = keep;
	x = index_places(r);
	return x ? x : check_copies(r);
}

const struct place *place_cover(const struct policy *pol, const char *path)
{
	size_t n = strlen(path);
	for (;;) {
		void **slot = n ? map_find(&pol->by_path, path, n) : NULL;
		const struct place *p = slot ? &pol->places[(uintptr_t)*slot - 1] : NULL;
		if (p && p->kind != PLACE_LINK)
			return p;
		if (n <= 1)
			return NULL;
		while (n > 1 && path[n - 1] != '/')
			n--;
		n -= n > 1;
	}
}
