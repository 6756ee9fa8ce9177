/* uses.c - how often each line of the requested profiles was needed */
#include "learn/uses.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void hits_drop(struct hits *h)
{
	map_drop(&h->by_line);
	arena_drop(&h->arena);
	*h = (struct hits){ 0 };
}

static const char *line_key(struct arena *a, const struct src *s)
{
	return arena_fmt(a, "%s:%" PRIu32 ":%" PRIu32, s->origin ? s->origin : "", s->line, s->col);
}

int uses_hit(struct hits *h, const struct src *by, uint64_t count)
{
	/* accesses come in runs under one line, and its address is stable while the policy lives */
	if (by != h->last) {
		OWN(arena) tmp = { 0 };
		const char *key = line_key(&tmp, by);
		void **slot = key ? map_find(&h->by_line, key, strlen(key)) : NULL;
		if (key && !slot) {
			key = arena_str(&h->arena, key);
			uint64_t *n = arena_alloc(&h->arena, sizeof(*n));
			slot = key && n ? map_put(&h->by_line, key, strlen(key), NULL) : NULL;
			if (slot)
				*slot = n;
		}
		if (!slot)
			return -ENOMEM;
		h->count = *slot;
		h->last = by;
	}
	*h->count += count;
	return 0;
}

struct counting {
	struct lesson *l;
	struct hits *hits;
};

static int row(struct counting *c, const struct src *s, const char *text)
{
	if (!s->origin)
		return 0;
	OWN(arena) tmp = { 0 };
	const char *key = line_key(&tmp, s);
	const uint64_t *n = key ? map_get(&c->hits->by_line, key) : NULL;
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
	if (!err && p->sys.v == TRI_YES)
		err = row(c, &p->sys.src, "sys: ro");
	if (!err && p->shm.v)
		err = row(c, &p->shm.src, "shm");
	return err;
}

int uses_make(struct lesson *l, struct hits *h, const struct profile *base)
{
	struct counting c = { .l = l, .hits = h };
	return rows(&c, base);
}
