#include "trace/eventset.h"

#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

void eventset_drop(struct eventset *s)
{
	free(s->items);
	free(s->index);
	str_drop(&s->key);
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

/* The name as spelled is often the end of the path, or all of it. */
static const char *keep_spelled(struct eventset *s, const char *spelled, const char *path)
{
	size_t n = spelled ? strlen(spelled) : 0, m = path && n ? strlen(path) : 0;
	if (m >= n && m && !memcmp(path + m - n, spelled, n))
		return path + m - n;
	return eventset_str(s, spelled);
}

static const char *keep_dir(struct eventset *s, const char *dir)
{
	if (!dir || !s->dir || strcmp(dir, s->dir) != 0)
		s->dir = eventset_str(s, dir);
	return s->dir;
}

static int keep_object(struct eventset *s, struct object *to, const struct object *from)
{
	*to = *from;
	to->path = eventset_str(s, from->path);
	to->spelled = keep_spelled(s, from->spelled, to->path);
	to->dir = keep_dir(s, from->dir);
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

/* The slot of @id, or the free one where it belongs. */
static struct eventslot *slot_of(const struct eventset *s, const uint64_t id[2])
{
	for (size_t i = id[0];; i++) {
		struct eventslot *slot = &s->index[i & (s->nslots - 1)];
		if (!slot->at || (slot->id[0] == id[0] && slot->id[1] == id[1]))
			return slot;
	}
}

static int grow(struct eventset *s)
{
	struct eventset more = { .nslots = s->nslots ? s->nslots * 2 : 1024 };
	more.index = calloc(more.nslots, sizeof(*more.index));
	if (!more.index)
		return -ENOMEM;
	for (size_t i = 0; i < s->nslots; i++)
		if (s->index[i].at)
			*slot_of(&more, s->index[i].id) = s->index[i];
	free(s->index);
	s->index = more.index;
	s->nslots = more.nslots;
	return 0;
}

int eventset_add(struct eventset *s, uint32_t proc, const struct access *acc, int outcome,
                 enum outcome_source source, uint64_t ns)
{
	str_clear(&s->key);
	if (make_key(&s->key, proc, acc, outcome, source) < 0 || (s->n * 2 >= s->nslots && grow(s) < 0)) {
		str_drop(&s->key); /* the next one may fit */
		return -ENOMEM;
	}
	uint64_t id[2] = { map_hash(s->key.p, s->key.len) };
	str_add_mem(&s->key, id, sizeof(*id));
	if (s->key.oom)
		return str_drop(&s->key), -ENOMEM;
	id[1] = map_hash(s->key.p + sizeof(*id), s->key.len - sizeof(*id));
	struct eventslot *slot = slot_of(s, id);
	s->last = slot->at;
	if (slot->at) {
		s->items[slot->at - 1].count++;
		return 0;
	}
	if (s->n >= s->limit) {
		s->lost++;
		return 0;
	}
	struct event *e = vec_grow(s->items, s->n, &s->cap, sizeof(*e));
	if (!e)
		return -ENOMEM;
	s->items = e;
	e += s->n;
	*e = (struct event){ .seq = s->n + 1, .first_ns = ns, .count = 1, .proc = proc,
	                     .outcome = outcome, .source = source, .acc = *acc };
	e->acc.text = eventset_str(s, acc->text);
	e->acc.obj[1] = (struct object){ 0 };
	for (int i = 0; i < op_objects(acc->op); i++)
		if (keep_object(s, &e->acc.obj[i], &acc->obj[i]) < 0)
			return -ENOMEM;
	s->last = ++s->n;
	*slot = (struct eventslot){ { id[0], id[1] }, s->n };
	return 1;
}
