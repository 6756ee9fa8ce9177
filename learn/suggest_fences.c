/*
 * suggest_fences.c - a directory that must be writable may hold programs that the user runs unconfined: those stay
 * read-only. By deny.write, not by a nested ro bind: the engine pins what could be renamed away above it. And whatever
 * directory is granted may hold a credential store that nobody used: that is masked.
 */
#include "learn/suggest.h"

#include "learn/facts.h"

#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool changed_below(const struct objects *o, const char *dir)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->nodes[i].uses & USE_CHANGED && path_under(o->nodes[i].path, dir))
			return true;
	return false;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct pathent *)a)->path, ((const struct pathent *)b)->path);
}

/* Is there a line for @path, or for a directory above it? */
static bool fenced(const struct suggesting *s, const char *path)
{
	const struct profile *p = &s->lesson->suggestion;
	OWN(arena) a = { 0 };
	const char *shown = host_shorten(s->host, &a, path);
	for (size_t i = 0; shown && i < p->deny_write.n; i++)
		if (path_under(shown, p->deny_write.items[i].path))
			return true;
	return false;
}

static int fence(struct suggesting *s, const char *path, const char *why)
{
	struct profile *p = &s->lesson->suggestion;
	const char *shown = host_shorten(s->host, &p->arena, path);
	if (!shown)
		return -ENOMEM;
	struct pathent *e = ARENA_PUSH(&p->arena, &p->deny_write, items, n);
	const char *kept = e ? arena_str(&p->arena, shown) : NULL;
	if (!kept)
		return -ENOMEM;
	*e = (struct pathent){ .path = kept, .optional = true, .src = { .origin = "suggested" } };
	return plan_remark(s->plan, path, why);
}

/*
 * A program that was run and lies below a directory that is to be writable: the directory it lies in, or itself where
 * that is the writable one, or changes. What the command itself installs it needs to write: the rule says so.
 */
static int fence_program(struct suggesting *s, const struct node *n)
{
	const struct objects *o = &s->facts->objects;
	const char *dir = o->nodes[n->parent].path;
	const struct rule *r = rules_cover(s->rules, n->path);
	if (!r || !r->dir || r->mode != BIND_RW || n->uses & (USE_CHANGED | USE_BELOW) || fenced(s, n->path))
		return 0;
	if (path_below(dir, r->path) && !changed_below(o, dir))
		return fence(s, dir, "a program in it was run, so it stays read-only");
	return fence(s, n->path, "a program that was run, so it stays read-only");
}

static int mask(struct suggesting *s, const struct store *t)
{
	struct profile *p = &s->lesson->suggestion;
	const struct rule *r = rules_cover(s->rules, t->path);
	const struct place *said = policy_place(s->facts->pol, t->path);
	if (!r || !r->dir || !path_below(t->path, r->path) || (said && said->kind == PLACE_BIND))
		return 0;
	const char *shown = host_shorten(s->host, &p->arena, t->path);
	struct pathent *e = shown ? ARENA_PUSH(&p->arena, &p->mask, items, n) : NULL;
	const char *kept = e ? arena_str(&p->arena, shown) : NULL;
	if (!kept)
		return -ENOMEM;
	*e = (struct pathent){ .path = kept, .optional = true, .src = { .origin = "suggested" }, .comment = t->why };
	return 0;
}

int suggest_fences(struct suggesting *s)
{
	struct profile *p = &s->lesson->suggestion;
	const struct objects *o = &s->facts->objects;
	int err = 0;
	for (size_t i = 0; !err && i < s->facts->prepend.n; i++) {
		const char *dir = s->facts->prepend.items[i];
		const struct rule *r = rules_cover(s->rules, dir);
		if (r && r->mode == BIND_RW && path_below(dir, r->path) && !fenced(s, dir) && !changed_below(o, dir))
			err = fence(s, dir, "programs found through PATH, so it stays read-only");
	}
	for (size_t i = 0; !err && i < o->n; i++)
		if (o->nodes[i].uses & USE_EXEC && o->nodes[i].type != FT_DIR)
			err = fence_program(s, &o->nodes[i]);
	for (size_t i = 0; !err && i < s->facts->tiers->stores.n; i++)
		err = mask(s, &s->facts->tiers->stores.items[i]);
	if (!err && p->mask.n)
		qsort(p->mask.items, p->mask.n, sizeof(*p->mask.items), by_path);
	if (!err && p->deny_write.n)
		qsort(p->deny_write.items, p->deny_write.n, sizeof(*p->deny_write.items), by_path);
	return err;
}
