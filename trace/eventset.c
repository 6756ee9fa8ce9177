#include "trace/eventset.h"

#include "base/str.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

void eventset_drop(struct eventset *s)
{
	free(s->items);
	map_drop(&s->index);
	map_drop(&s->strings);
	*s = (struct eventset){ 0 };
}

const char *eventset_str(struct eventset *s, const char *text)
{
	if (!text)
		return NULL;
	size_t len = strlen(text);
	void **slot = map_find(&s->strings, text, len);
	if (slot)
		return *slot;
	char *copy = arena_mem(s->arena, text, len);
	slot = copy ? map_put(&s->strings, copy, len, NULL) : NULL;
	if (!slot)
		return NULL;
	return *slot = copy;
}

/* What makes two accesses the same one; flags that change nothing about the object are left out. */
static uint32_t key_flags(const struct access *a)
{
	return a->op == OP_OPEN ? a->flags & ~(uint32_t)(O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : a->flags;
}

static void key_object(struct str *k, const struct object *o)
{
	const char *name = o->path ? o->path : o->spelled ? o->spelled : "";
	/* the links that led there are part of what is needed */
	uint64_t hops = o->nhops;
	for (size_t i = 0; i < o->nhops; i++)
		hops = hops * 31 + map_hash(o->hops[i].path, strlen(o->hops[i].path));
	uint32_t absent = o->type == FT_NONE;
	str_add_mem(k, &hops, sizeof(hops));
	str_add_mem(k, &absent, sizeof(absent));
	str_add_mem(k, name, strlen(name) + 1);
}

static int make_key(struct str *k, uint32_t proc, const struct access *a, int outcome, enum outcome_source source)
{
	uint32_t head[] = { proc, a->op, a->family, key_flags(a), a->marks, a->uid, a->port,
	                    (uint32_t)outcome, source };
	str_add_mem(k, head, sizeof(head));
	for (int i = 0; i < op_objects(a->op); i++)
		key_object(k, &a->obj[i]);
	if (a->text)
		str_add(k, a->text);
	return k->oom ? -ENOMEM : 0;
}

static int keep_object(struct eventset *s, struct object *to, const struct object *from)
{
	*to = *from;
	to->spelled = eventset_str(s, from->spelled);
	to->path = eventset_str(s, from->path);
	to->dir = eventset_str(s, from->dir);
	to->blocked = eventset_str(s, from->blocked);
	to->hops = arena_array(s->arena, from->nhops, sizeof(*to->hops));
	if (!to->hops || (from->path && !to->path) || (from->spelled && !to->spelled))
		return -ENOMEM;
	for (size_t i = 0; i < from->nhops; i++) {
		to->hops[i].path = eventset_str(s, from->hops[i].path);
		to->hops[i].text = eventset_str(s, from->hops[i].text);
		if (!to->hops[i].path || !to->hops[i].text)
			return -ENOMEM;
	}
	if (!from->nhops)
		to->hops = NULL;
	return 0;
}

int eventset_add(struct eventset *s, uint32_t proc, const struct access *acc, int outcome,
                 enum outcome_source source, uint64_t ns)
{
	OWN(str) key = { 0 };
	if (make_key(&key, proc, acc, outcome, source) < 0)
		return -ENOMEM;
	/* two independent hashes stand for the whole: 16 bytes instead of some hundred for each event */
	uint64_t id[2] = { map_hash(key.p, key.len) };
	str_add_mem(&key, id, sizeof(*id));
	id[1] = map_hash(key.p + sizeof(*id), key.len - sizeof(*id));
	void **slot = map_find(&s->index, id, sizeof(id));
	s->last = slot ? (uintptr_t)*slot : 0;
	if (slot) {
		s->items[s->last - 1].count++;
		return 0;
	}
	if (s->n >= s->limit) {
		s->lost++;
		return 0;
	}
	struct event ev = { .seq = s->n + 1, .first_ns = ns, .count = 1, .proc = proc,
	                    .outcome = outcome, .source = source, .acc = *acc };
	ev.acc.text = eventset_str(s, acc->text);
	for (int i = 0; i < 2; i++)
		if (keep_object(s, &ev.acc.obj[i], &acc->obj[i]) < 0)
			return -ENOMEM;
	struct event *e = VEC_PUSH(s);
	char *kept = e ? arena_mem(s->arena, id, sizeof(id)) : NULL;
	slot = kept ? map_put(&s->index, kept, sizeof(id), NULL) : NULL;
	if (!slot)
		return -ENOMEM;
	*e = ev;
	*slot = (void *)(uintptr_t)s->n;
	s->last = s->n;
	return 1;
}
