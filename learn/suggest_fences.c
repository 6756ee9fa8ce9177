/*
 * suggest_fences.c - a directory that must be writable may hold programs that the user runs unconfined: those stay
 * read-only. By deny.write, not by a nested ro bind: the engine pins what could be renamed away above it.
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

static int fence(struct suggesting *s, const char *dir)
{
	static const char programs[] = "programs found through PATH, so it stays read-only";
	struct profile *p = &s->lesson->suggestion;
	const char *shown = host_shorten(s->host, &p->arena, dir);
	if (!shown)
		return -ENOMEM;
	for (size_t i = 0; i < p->deny_write.n; i++)
		if (!strcmp(p->deny_write.items[i].path, shown))
			return 0;
	struct pathent *e = ARENA_PUSH(&p->arena, &p->deny_write, items, n);
	if (!e)
		return -ENOMEM;
	*e = (struct pathent){ .path = shown, .optional = true, .src = { .origin = "suggested" } };
	return plan_remark(s->plan, dir, programs);
}

int suggest_fences(struct suggesting *s)
{
	struct profile *p = &s->lesson->suggestion;
	int err = 0;
	for (size_t i = 0; !err && i < s->facts->prepend.n; i++) {
		const char *dir = s->facts->prepend.items[i];
		const struct rule *r = rules_cover(s->rules, dir);
		/* what the command itself installs there it needs to write: the rule says so */
		if (r && r->mode == BIND_RW && path_below(dir, r->path) && !changed_below(&s->facts->objects, dir))
			err = fence(s, dir);
	}
	if (!err && p->deny_write.n)
		qsort(p->deny_write.items, p->deny_write.n, sizeof(*p->deny_write.items), by_path);
	return err;
}
