/* map.h - hash table from byte strings to pointers; keeps insertion order; pure */
#pragma once

#include "base/base.h"

#include <stddef.h>
#include <stdint.h>

/**
 * struct map_entry - one pair
 * @key: borrowed from the caller, who keeps it alive and unchanged while the map lives
 */
struct map_entry {
	const char *key;
	size_t len;
	uint64_t hash;
	void *value;
};

/**
 * struct map - zero is empty
 * @items: @n entries in the order of first insertion, for stable output; removed ones have key NULL
 */
struct map {
	struct map_entry *items;
	size_t n, cap;
	uint32_t *slots; /* index + 1 into items, open addressing */
	size_t nslots;
};

void map_drop(struct map *m);

/* The entry's value slot, or NULL when @key is absent. */
void **map_find(const struct map *m, const void *key, size_t len);
void *map_get(const struct map *m, const char *key);

/**
 * map_put() - the value slot of @key, inserted with value NULL when it was absent
 * @fresh: set to 1 when inserted, else 0; may be NULL
 *
 * The slot stays valid until the next map_put(). Return: slot, or NULL when memory is out.
 */
void **map_put(struct map *m, const void *key, size_t len, int *fresh);

/* Remove @key; its place in the order is left empty. Return: the value, NULL if absent. */
void *map_remove(struct map *m, const void *key, size_t len);

/* FNV-style mixing over bytes; same on every machine. */
uint64_t map_hash(const void *p, size_t len);
