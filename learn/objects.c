/* objects.c - the trie of paths */
#include "learn/objects.h"

#include "base/path.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

void objects_drop(struct objects *o)
{
	free(o->nodes);
	map_drop(&o->by_path);
	arena_drop(&o->arena);
	*o = (struct objects){ 0 };
}

static struct node *push(struct objects *o)
{
	struct node *p = vec_grow(o->nodes, o->n, &o->cap, sizeof(*p));
	if (!p)
		return NULL;
	o->nodes = p;
	return &p[o->n++];
}

/* Make @path (of @len bytes) below node @parent. */
static uint32_t add(struct objects *o, const char *path, size_t len, uint32_t parent)
{
	void **slot = map_put(&o->by_path, path, len, NULL);
	struct node *node = slot ? push(o) : NULL;
	if (!node)
		return UINT32_MAX;
	uint32_t at = (uint32_t)o->n - 1;
	*slot = (void *)(uintptr_t)o->n;
	node->path = path;
	if (at) {
		node->parent = parent;
		node->next = o->nodes[parent].child;
		o->nodes[parent].child = at;
		o->nodes[parent].type = FT_DIR;
	}
	return at;
}

struct node *objects_find(const struct objects *o, const char *path, size_t len)
{
	void **slot = map_find(&o->by_path, path, len);
	return slot ? &o->nodes[(uintptr_t)*slot - 1] : NULL;
}

uint32_t objects_at(struct objects *o, const char *path)
{
	if (!o->n && add(o, "/", 1, 0) == UINT32_MAX)
		return UINT32_MAX;
	size_t len = strlen(path), known = len;
	void **slot;
	while (!(slot = map_find(&o->by_path, path, known))) {
		/* path_parent_len() wants a terminated path: step back by hand */
		while (known > 1 && path[known - 1] != '/')
			known--;
		known = known > 1 ? known - 1 : 1;
	}
	uint32_t at = (uint32_t)(uintptr_t)*slot - 1;
	while (known < len) {
		size_t end = known == 1 && path[0] == '/' ? 1 : known + 1;
		while (end < len && path[end] == '/') /* paths are clean; should one not be, this still ends */
			end++;
		while (end < len && path[end] != '/')
			end++;
		const char *name = end == len ? path : arena_mem(&o->arena, path, end);
		at = name ? add(o, name, end, at) : UINT32_MAX;
		if (at == UINT32_MAX)
			return at;
		known = end;
	}
	return at;
}

uint32_t objects_above(struct objects *o, const char *path)
{
	size_t n = path_parent_len(path);
	struct node *node = objects_find(o, path, n);
	if (node)
		return (uint32_t)(node - o->nodes);
	const char *dir = arena_mem(&o->arena, path, n);
	return dir ? objects_at(o, dir) : UINT32_MAX;
}
