/* shadow.c - an upper layer's objects to changes, and changes to steps; pure */
#include "learn/shadow.h"

#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void shadow_list_drop(struct shadow_list *l)
{
	map_drop(&l->inodes);
	arena_drop(&l->arena);
	*l = (struct shadow_list){ 0 };
}

static bool same_content(const struct layer *a, const struct layer *b)
{
	if (a->mode != b->mode || a->uid != b->uid || a->gid != b->gid)
		return false;
	if (a->type == FT_FILE)
		return a->size == b->size && a->time_ns == b->time_ns;
	if (a->type == FT_LINK)
		return a->text && b->text && strcmp(a->text, b->text) == 0;
	return true;
}

enum shadow_what shadow_judge(const struct layer *up, const struct layer *low)
{
	if (up->whiteout)
		return low->type == FT_NONE ? SHADOW_SAME : SHADOW_REMOVED;
	if (low->type == FT_NONE)
		return SHADOW_NEW;
	if (up->type != low->type || (up->type == FT_DIR && up->opaque))
		return SHADOW_REPLACED;
	return same_content(up, low) ? SHADOW_SAME : SHADOW_CHANGED;
}

/* The key of @up's inode where it has several names, else NULL; @path is what they link to where it stays as it is. */
static int inode_key(struct shadow_list *l, const char *path, const struct layer *up, bool same, const char **key)
{
	char text[64];
	*key = NULL;
	if (up->whiteout || up->type != FT_FILE || up->nlink < 2)
		return 0;
	snprintf(text, sizeof(text), "%llx:%llx", (unsigned long long)up->dev, (unsigned long long)up->ino);
	*key = arena_str(&l->arena, text);
	void **slot = *key ? map_put(&l->inodes, *key, strlen(*key), NULL) : NULL;
	if (!slot)
		return -ENOMEM;
	if (same)
		*slot = (void *)(uintptr_t)path;
	return 0;
}

int shadow_add(struct shadow_list *l, const char *path, const struct layer *up, const struct layer *low, bool store)
{
	enum shadow_what what = shadow_judge(up, low);
	const char *key, *own = arena_str(&l->arena, path);
	if (!own || inode_key(l, own, up, what == SHADOW_SAME, &key) < 0)
		return -ENOMEM;
	if (what == SHADOW_SAME)
		return 0;
	struct shadow_item *item = ARENA_PUSH(&l->arena, l, items, n);
	if (!item)
		return -ENOMEM;
	*item = (struct shadow_item){
		.path = own, .inode = key, .what = what, .type = up->whiteout ? low->type : up->type, .below = low->type,
		.mode = up->mode, .size = up->whiteout ? low->size : up->size, .store = store,
		.torn = low->type == FT_FILE && low->nlink > 1 && what != SHADOW_REMOVED,
	};
	if (up->text && !(item->text = arena_str(&l->arena, up->text)))
		return -ENOMEM;
	return 0;
}

/* As names in a tree: '/' before every other byte, so that what is in a directory follows it. */
static int by_path(const void *x, const void *y)
{
	const unsigned char *a = (const void *)((const struct shadow_item *)x)->path;
	const unsigned char *b = (const void *)((const struct shadow_item *)y)->path;
	while (*a && *a == *b)
		a++, b++;
	int p = *a == '/' ? 1 : *a ? *a + 1 : 0, q = *b == '/' ? 1 : *b ? *b + 1 : 0;
	return p - q;
}

void shadow_sort(struct shadow_list *l)
{
	if (l->n)
		qsort(l->items, l->n, sizeof(*l->items), by_path);
	for (size_t i = 0; i < l->n; i++) {
		struct shadow_item *item = &l->items[i];
		void **slot = item->inode ? map_find(&l->inodes, item->inode, strlen(item->inode)) : NULL;
		if (slot && !*slot && !item->store)
			*slot = (void *)(uintptr_t)item->path;
		else if (slot)
			item->link = *slot;
	}
}

/* ---- plan ---- */

static int step(struct shadow_plan *p, struct arena *a, enum shadow_do what, const struct shadow_item *i, const char *why)
{
	struct shadow_step *s = ARENA_PUSH(a, p, items, n);
	if (!s)
		return -ENOMEM;
	*s = (struct shadow_step){ what, i, why };
	return 0;
}

/* How an object of a type is made. */
static const struct { enum shadow_do what; const char *why; } makes[] = {
	[FT_FILE] = { DO_FILE, NULL }, [FT_DIR] = { DO_DIR, NULL }, [FT_LINK] = { DO_SYMLINK, NULL }, [FT_FIFO] = { DO_FIFO, NULL },
	[FT_SOCK] = { DO_SKIP, "a socket nobody listens on" }, [FT_CHR] = { DO_SKIP, "a device" }, [FT_BLK] = { DO_SKIP, "a device" },
	[FT_NONE] = { DO_SKIP, "unknown" }, [FT_UNKNOWN] = { DO_SKIP, "unknown" },
};

static int plan_item(struct shadow_plan *p, struct arena *a, const struct shadow_item *i)
{
	if (i->store)
		return step(p, a, DO_SKIP, i, "a credential store, or masked");
	if (i->what == SHADOW_REMOVED)
		return step(p, a, DO_REMOVE, i, NULL);
	if (i->what == SHADOW_CHANGED && i->type == FT_DIR)
		return step(p, a, DO_MODE, i, NULL);
	if (makes[i->type].what == DO_SKIP)
		return step(p, a, DO_SKIP, i, makes[i->type].why);
	/* a file takes the place of what is no directory by rename, which is never half done */
	bool by_rename = i->type == FT_FILE && i->below != FT_DIR && !i->link;
	if (i->below != FT_NONE && !by_rename && step(p, a, DO_REMOVE, i, NULL) < 0)
		return -ENOMEM;
	return step(p, a, i->link ? DO_LINK : makes[i->type].what, i, NULL);
}

int shadow_plan(struct shadow_plan *out, struct arena *a, const struct shadow_list *l)
{
	for (size_t n = 0; n < l->n; n++)
		if (plan_item(out, a, &l->items[n]) < 0)
			return -ENOMEM;
	return 0;
}
