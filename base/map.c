#include "base/map.h"

#include <stdlib.h>
#include <string.h>

static const char gone[1]; /* key of a removed entry while it still occupies a slot */

uint64_t map_hash(const void *p, size_t len)
{
	const unsigned char *c = p;
	uint64_t h = 0xcbf29ce484222325u ^ len;
	while (len >= 8) {
		uint64_t w;
		memcpy(&w, c, 8);
		h = (h ^ w) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
		c += 8;
		len -= 8;
	}
	for (size_t i = 0; i < len; i++)
		h = (h ^ c[i]) * 0x100000001b3u;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	return h ^ (h >> 32);
}

void map_drop(struct map *m)
{
	free(m->items);
	free(m->slots);
	*m = (struct map){ 0 };
}

static size_t probe(const struct map *m, const void *key, size_t len, uint64_t h)
{
	size_t mask = m->nslots - 1;
	size_t i = (size_t)h & mask;
	for (;; i = (i + 1) & mask) {
		uint32_t s = m->slots[i];
		if (!s)
			return i;
		const struct map_entry *e = &m->items[s - 1];
		if (e->key && e->hash == h && e->len == len && !memcmp(e->key, key, len))
			return i;
	}
}

void **map_find(const struct map *m, const void *key, size_t len)
{
	if (!m->nslots)
		return NULL;
	uint32_t s = m->slots[probe(m, key, len, map_hash(key, len))];
	return s ? &m->items[s - 1].value : NULL;
}

void *map_get(const struct map *m, const char *key)
{
	void **v = map_find(m, key, strlen(key));
	return v ? *v : NULL;
}

static int grow(struct map *m)
{
	if (m->n == m->cap) {
		size_t cap = m->cap ? m->cap * 2 : 16;
		struct map_entry *items = realloc(m->items, cap * sizeof(*items));
		if (!items)
			return -1;
		m->items = items;
		m->cap = cap;
	}
	if (m->nslots && (m->n + 1) * 4 < m->nslots * 3)
		return 0;
	size_t nslots = m->nslots ? m->nslots * 2 : 32;
	uint32_t *slots = calloc(nslots, sizeof(*slots));
	if (!slots)
		return -1;
	for (size_t k = 0; k < m->n; k++) {
		if (!m->items[k].key)
			continue;
		size_t i = (size_t)m->items[k].hash & (nslots - 1);
		while (slots[i])
			i = (i + 1) & (nslots - 1);
		slots[i] = (uint32_t)k + 1;
	}
	free(m->slots);
	m->slots = slots;
	m->nslots = nslots;
	return 0;
}

void **map_put(struct map *m, const void *key, size_t len, int *fresh)
{
	if (fresh)
		*fresh = 0;
	uint64_t h = map_hash(key, len);
	if (m->nslots) {
		uint32_t s = m->slots[probe(m, key, len, h)];
		if (s)
			return &m->items[s - 1].value;
	}
	if (grow(m))
		return NULL;
	m->items[m->n] = (struct map_entry){ .key = key ? key : gone, .len = len, .hash = h };
	m->slots[probe(m, key, len, h)] = (uint32_t)++m->n;
	if (fresh)
		*fresh = 1;
	return &m->items[m->n - 1].value;
}

void *map_remove(struct map *m, const void *key, size_t len)
{
	void **v = map_find(m, key, len);
	if (!v)
		return NULL;
	void *old = *v;
	/* the slot keeps pointing at the dead entry, so later probes walk past it */
	struct map_entry *e = (struct map_entry *)(void *)((char *)v - offsetof(struct map_entry, value));
	e->key = NULL;
	e->value = NULL;
	return old;
}
