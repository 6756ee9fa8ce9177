#include "learn/uses.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *line_key(struct arena *a, const struct src *s)
{
	return arena_fmt(a, "%s:%" PRIu32 ":%" PRIu32, s->origin ? s->origin : "", s->line, s->col);
}

struct counting {
	struct lesson *l;
	struct arena arena;
	struct map by_line; /* line -> count */
};

static int count_findings(struct counting *c)
{
	for (size_t i = 0; i < c->l->nfindings; i++) {
		const struct finding *f = &c->l->findings[i];
		const struct src *by = f->judgement.by;
		if (!by || !by->origin || (f->heading != HEAD_GRANTED && f->judgement.verdict != V_PRIVATE))
			continue;
		const char *key = line_key(&c->arena, by);
		int fresh = 0;
		void **slot = key ? map_put(&c->by_line, key, strlen(key), &fresh) : NULL;
		uint64_t *n = !slot ? NULL : fresh ? arena_alloc(&c->arena, sizeof(*n)) : *slot;
		if (!n)
			return -ENOMEM;
		*slot = n;
		*n += f->count;
	}
	return 0;
}

static int row(struct counting *c, const struct src *s, const char *text)
{
	if (!s->origin)
		return 0;
	const char *key = line_key(&c->arena, s);
	const uint64_t *n = key ? map_get(&c->by_line, key) : NULL;
	if (!key)
		return -ENOMEM;
	if (!n && !strcmp(s->origin, "builtin:base"))
		return 0;
	struct { struct grant_use *items; size_t n; } v = { c->l->uses, c->l->nuses };
	struct grant_use *u = ARENA_PUSH(&c->l->arena, &v, items, n);
	if (!u)
		return -ENOMEM;
	*u = (struct grant_use){ .src = s, .text = text, .count = n ? *n : 0 };
	c->l->uses = v.items;
	c->l->nuses = v.n;
	return 0;
}

static int words(struct counting *c, const struct wordlist *l)
{
	int err = 0;
	for (size_t i = 0; !err && i < l->n; i++)
		err = row(c, &l->items[i].src, l->items[i].text);
	return err;
}

static int rows(struct counting *c, const struct profile *p)
{
	const struct wordlist *const lists[] = { &p->allow_hosts, &p->env_allow, &p->sys_allow, &p->prepend_path };
	int err = 0;
	for (size_t i = 0; !err && i < p->binds.n; i++)
		err = row(c, &p->binds.items[i].src, p->binds.items[i].target ? p->binds.items[i].target : p->binds.items[i].source);
	for (size_t i = 0; !err && i < p->tmpfs.n; i++)
		err = row(c, &p->tmpfs.items[i].src, p->tmpfs.items[i].path);
	for (size_t i = 0; !err && i < LEN(lists); i++)
		err = words(c, lists[i]);
	if (!err && p->userns.v == TRI_YES)
		err = row(c, &p->userns.src, "userns");
	if (!err && p->ptrace.v == TRI_YES)
		err = row(c, &p->ptrace.src, "ptrace");
	return err;
}

int uses_make(struct lesson *l, const struct profile *base)
{
	struct counting c = { .l = l };
	int err = count_findings(&c);
	if (!err)
		err = rows(&c, base);
	map_drop(&c.by_line);
	arena_drop(&c.arena);
	return err;
}
