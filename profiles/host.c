#include "profiles/host.h"

#include "base/path.h"

#include <errno.h>
#include <string.h>

void host_drop(struct host *h)
{
	map_drop(&h->by_path);
	arena_drop(&h->arena);
	*h = (struct host){ 0 };
}

const struct host_file *host_file(const struct host *h, const char *path)
{
	uintptr_t i = (uintptr_t)map_get(&h->by_path, path);
	return i ? &h->files[i - 1] : NULL;
}

int host_add_file(struct host *h, const struct host_file *f)
{
	struct host_file n = *f;
	n.path = arena_str(&h->arena, f->path);
	n.real = f->real ? arena_str(&h->arena, f->real) : NULL;
	n.hops = arena_array(&h->arena, f->nhops, sizeof(*n.hops));
	if (!n.path || (f->real && !n.real) || !n.hops)
		return -ENOMEM;
	for (size_t i = 0; i < f->nhops; i++) {
		n.hops[i].path = arena_str(&h->arena, f->hops[i].path);
		n.hops[i].text = arena_str(&h->arena, f->hops[i].text);
		if (!n.hops[i].path || !n.hops[i].text)
			return -ENOMEM;
	}
	void **slot = map_find(&h->by_path, n.path, strlen(n.path));
	if (slot) {
		h->files[(uintptr_t)*slot - 1] = n;
		return 0;
	}
	struct { struct host_file *items; size_t n; } v = { h->files, h->nfiles };
	struct host_file *item = ARENA_PUSH(&h->arena, &v, items, n);
	slot = item ? map_put(&h->by_path, n.path, strlen(n.path), NULL) : NULL;
	if (!slot)
		return -ENOMEM;
	*item = n;
	*slot = (void *)(uintptr_t)v.n;
	h->files = v.items;
	h->nfiles = v.n;
	return 0;
}

const char *host_shorten(const struct host *h, struct arena *a, const char *path)
{
	const struct { const char *dir, *word; } rows[] = {
		{ h->project, "{project}" }, { h->runtime, "{runtime}" }, { h->home, "~" },
	};
	size_t best = 0;
	const char *word = NULL;
	for (size_t i = 0; i < LEN(rows); i++) {
		const char *dir = rows[i].dir;
		if (dir && dir[0] == '/' && dir[1] && path_under(path, dir) && strlen(dir) > best) {
			best = strlen(dir);
			word = rows[i].word;
		}
	}
	return word ? arena_fmt(a, "%s%s", word, path + best) : path;
}
