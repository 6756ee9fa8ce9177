/* guards.c - masks and denies: what they take from the grants, and the places that hold the rest back */
#include "profiles/resolve.h"

#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>

/*
 * How this works: a read-only mount inside a writable tree is no fence, since its parent can be renamed away and made
 * anew. So each directory between the writable bind and the protected object is bound onto itself (PIN): a mount point
 * cannot be renamed. The price is EXDEV for renames across a pin, which a note tells.
 */

/* ---- bans ---- */

static bool is_bind(const struct place *p)
{
	return p->kind == PLACE_BIND || p->kind == PLACE_COPY;
}

/* 1 when a bind of the same path that may lift denies names it. */
static int lifted(struct resolver *r, const struct ban *ban)
{
	for (size_t i = 0; i < r->places.n; i++) {
		const struct place *p = &r->places.items[i];
		if (!is_bind(p) || !p->src.overrides || strcmp(p->source, ban->path) != 0)
			continue;
		OWN(str) by = { 0 };
		src_text(&by, &p->src);
		int x = resolve_note(r, &ban->src, "the deny of %s is lifted by %s", resolve_show(r, ban->path), str_c(&by));
		return x ? x : 1;
	}
	return 0;
}

static int overrule(struct resolver *r, const struct ban *ban, struct place *p, bool *drop)
{
	OWN(str) by = { 0 };
	src_text(&by, &ban->src);
	const char *shown = resolve_show(r, p->source);
	*drop = !ban->write_only;
	if (p->src.overrides)
		return resolve_trouble(r, &p->src, "%s lies in what %s denies: override by naming %s itself", shown, str_c(&by),
		                       resolve_show(r, ban->path));
	if (!ban->write_only) {
		return resolve_note(r, &p->src, "%s is not shown: denied by %s", shown, str_c(&by));
	}
	if (p->mode == BIND_RO)
		return 0;
	p->kind = PLACE_BIND;
	p->mode = BIND_RO;
	p->create = CREATE_NO;
	*drop = p->type == FT_NONE;
	return resolve_note(r, &p->src, "%s is read-only: write denied by %s", shown, str_c(&by));
}

static int apply(struct resolver *r, const struct ban *ban)
{
	size_t keep = 0;
	int x = 0;
	for (size_t i = 0; i < r->places.n && !x; i++) {
		struct place *p = &r->places.items[i];
		bool drop = false;
		if (is_bind(p) && (path_under(p->source, ban->path) || path_under(p->path, ban->path)))
			x = overrule(r, ban, p, &drop);
		if (!drop)
			r->places.items[keep++] = *p;
	}
	if (!x)
		r->places.n = keep;
	return x;
}

static int add_ban(struct resolver *r, const struct pathent *ent, bool write_only)
{
	const char *path;
	struct spot s;
	struct ban ban = { .write_only = write_only, .src = ent->src };
	ban.src.origin = arena_str(&r->pol->arena, ent->src.origin ? ent->src.origin : "default");
	int x = ban.src.origin ? resolve_path(r, &path, ent->path, &ban.src, ent->optional) : resolve_memory(r);
	if (!x && path)
		x = spot_find(r, &s, path);
	if (x || !path)
		return x;
	if ((r->p->proc.v == TRI_YES || r->rooted) && proc_of_process(s.real)) {
		const char *shown = resolve_show(r, path);
		return ent->optional ? resolve_note(r, &ban.src, "%s is each process's own: it is not held back", shown) :
		       resolve_trouble(r, &ban.src, "%s is each process's own, so the deny cannot be promised; give no /proc "
		                       "(special: { proc: false }), leave the line out, or say optional: true", shown);
	}
	ban.path = s.real;
	x = lifted(r, &ban);
	if (x)
		return x < 0 ? x : 0;
	struct { struct ban *items; size_t n; } l = { r->pol->bans, r->pol->nbans };
	struct ban *slot = ARENA_PUSH(&r->pol->arena, &l, items, n);
	if (!slot)
		return resolve_memory(r);
	*slot = ban;
	r->pol->bans = l.items;
	r->pol->nbans = l.n;
	return apply(r, &ban);
}

int bans_make(struct resolver *r)
{
	const struct { const struct pathlist *list; bool write_only; } rows[] = {
		{ &r->p->mask, false }, { &r->p->deny_read, false }, { &r->p->deny_write, true },
	};
	int x = 0;
	for (size_t i = 0; i < LEN(rows); i++)
		for (size_t j = 0; j < rows[i].list->n && !x; j++)
			x = add_ban(r, &rows[i].list->items[j], rows[i].write_only);
	return x;
}

/* ---- masks, fences, pins ---- */

struct guards {
	struct resolver *r;
	struct placelist made;
	struct map by_path; /* path -> index + 1 into made */
};

static struct place *guard_at(const struct guards *g, const char *path)
{
	uintptr_t i = (uintptr_t)map_get(&g->by_path, path);
	return i ? &g->made.items[i - 1] : NULL;
}

/* Does a mask hide the directory of @path? Then there is nothing to guard, nor to mount on. */
static bool is_hidden(const struct guards *g, const char *path)
{
	for (size_t i = 0; i < g->made.n; i++)
		if (g->made.items[i].kind == PLACE_MASK && path_below(path, g->made.items[i].path))
			return true;
	return false;
}

/* Is @path or a directory above it behind a guard of @kind? */
static bool behind(const struct guards *g, const char *path, enum place_kind kind)
{
	for (size_t i = 0; i < g->made.n; i++)
		if (g->made.items[i].kind == kind && path_under(path, g->made.items[i].path))
			return true;
	return false;
}

static int put_guard(struct guards *g, const struct place *p)
{
	struct place *was = guard_at(g, p->path);
	if (was) {
		/* a mask hides more than a fence holds, a fence holds more than a pin */
		if (p->kind < was->kind)
			*was = *p;
		return 0;
	}
	struct place *slot = ARENA_PUSH(&g->r->pol->arena, &g->made, items, n);
	void **index = slot ? map_put(&g->by_path, p->path, strlen(p->path), NULL) : NULL;
	if (!index)
		return resolve_memory(g->r);
	*slot = *p;
	*index = (void *)(uintptr_t)g->made.n;
	return 0;
}

const char *place_source(const struct resolver *r, const struct place *b, const char *path)
{
	const char *rest = path + (strcmp(b->path, "/") ? strlen(b->path) : 0);
	return *rest ? path_join(&r->pol->arena, b->source, rest + 1) : b->source;
}

/* Pin every directory above @path that a writable bind shows. */
static int pin_above(struct guards *g, const char *path, const char *what, const struct src *src)
{
	struct resolver *r = g->r;
	const char *top = NULL;
	for (const char *dir = path_parent(&r->pol->arena, path); dir && strcmp(dir, "/") != 0;
	     dir = path_parent(&r->pol->arena, dir)) {
		const struct place *c = place_cover(r->pol, dir);
		if (!c || c->kind != PLACE_BIND || c->mode != BIND_RW || !strcmp(c->path, dir))
			continue;
		/* what is read-only cannot be renamed: a pin would make it writable */
		if (behind(g, dir, PLACE_FENCE) || behind(g, dir, PLACE_MASK))
			continue;
		const struct place pin = { .kind = PLACE_PIN, .path = dir, .source = place_source(r, c, dir), .mode = BIND_RW,
		                           .type = FT_DIR, .src = *src };
		int x = pin.source ? put_guard(g, &pin) : resolve_memory(r);
		if (x)
			return x;
		top = dir;
	}
	return top ? resolve_note(r, src, "renames and links into or out of %s fail (EXDEV), the price of %s",
	                          resolve_show(r, top), what) : 0;
}

static int put_mask(struct guards *g, const struct ban *ban, const char *path, const char *source, enum file_type type,
                    bool deny)
{
	struct resolver *r = g->r;
	const struct place mask = { .kind = PLACE_MASK, .path = path, .source = source, .type = type, .deny = deny,
	                            .mode = BIND_RO, .src = ban->src };
	if (behind(g, path, PLACE_MASK))
		return 0;
	int x = pin_above(g, path, arena_fmt(&r->pol->arena, "hiding %s", resolve_show(r, path)), &ban->src);
	return x ? x : put_guard(g, &mask);
}

/* What @path is, shown by @c: facts are about host paths. */
static enum file_type type_shown(struct resolver *r, const struct place *c, const char *path, const char **source)
{
	struct spot s = { 0 };
	*source = c->kind == PLACE_BIND ? place_source(r, c, path) : path;
	if (!*source || spot_find(r, &s, *source))
		return FT_UNKNOWN;
	return s.type;
}

/* @known: what is at the path of @ban; @hidden: it is hidden elsewhere in the view, so that its absence here is no news */
static int mask_at(struct guards *g, const struct ban *ban, const char *path, bool deny, enum file_type known, bool hidden)
{
	struct resolver *r = g->r;
	const struct place *c = place_cover(r->pol, path);
	const char *source;
	if (!c || c->kind == PLACE_TMPFS || c->kind == PLACE_STUB || c->kind == PLACE_SHM || c->kind == PLACE_COPY)
		return hidden ? 0 : resolve_note(r, &ban->src, c ? "what the view has at %s is the run's own, not the host's: nothing to "
		                                 "hide" : "%s is not in the view: nothing to hide", resolve_show(r, path));
	enum file_type type = type_shown(r, c, path, &source);
	if (type == FT_UNKNOWN) /* where a dangling link leads nobody has looked by that name */
		type = known;
	if (type == FT_NONE)
		return resolve_note(r, &ban->src, "%s is absent: nothing to hide", resolve_show(r, path));
	return put_mask(g, ban, path, source, type, deny);
}

/* From place *@i on: where a bind with another target shows the path of @ban; NULL where none is left, or for want of memory (*@x). */
static const char *moved_to(const struct guards *g, const struct ban *ban, size_t *i, int *x)
{
	struct resolver *r = g->r;
	while (*i < r->pol->nplaces) {
		const struct place *b = &r->pol->places[(*i)++];
		if (b->kind != PLACE_BIND || !strcmp(b->source, b->path) || !path_below(ban->path, b->source))
			continue;
		const char *path = path_join(&r->pol->arena, b->path, ban->path + strlen(b->source) + (b->source[1] != '\0'));
		if (!path)
			*x = resolve_memory(r);
		return path;
	}
	return NULL;
}

/* A bind with another target shows the host path elsewhere: hide it there too. */
static int mask_moved(struct guards *g, const struct ban *ban, bool deny)
{
	const char *path;
	size_t i = 0;
	int x = 0;
	while (!x && (path = moved_to(g, ban, &i, &x)))
		x = mask_at(g, ban, path, deny, FT_UNKNOWN, false);
	return x;
}

/* A read-only mount does not keep a fifo or socket from being written to. Landlock does the former in what is read-only as a whole. */
static int no_fence(struct resolver *r, const struct ban *ban, const char *shown, const char *is, bool optional)
{
	for (size_t i = 0; i < r->pol->nbans; i++)
		if (!r->pol->bans[i].write_only && path_under(ban->path, r->pol->bans[i].path))
			return 0; /* it is hidden */
	return optional ? resolve_note(r, &ban->src, "%s is %s: writes there are not held back", shown, is) :
	       resolve_trouble(r, &ban->src, "%s is %s, which no mount keeps from being written to, so the deny cannot be promised; "
	                       "hide it (mask, deny read), or say optional: true", shown, is);
}

/* @held: a fence stands elsewhere in the view */
static int fence_at(struct guards *g, const struct ban *ban, const char *path, bool optional, bool held)
{
	struct resolver *r = g->r;
	const struct place *c = place_cover(r->pol, path);
	const char *source, *shown = resolve_show(r, path);
	if (behind(g, path, PLACE_FENCE))
		return 0;
	if (!c || c->kind != PLACE_BIND) /* a guard that nobody asked for is no news */
		return held || !strcmp(ban->src.origin, PROFILE_SNUG) ? 0 :
		       resolve_note(r, &ban->src, "%s is not shown from the host: no write reaches it", shown);
	const char *what = arena_fmt(&r->pol->arena, "protecting %s from writes", shown);
	enum file_type type = type_shown(r, c, path, &source);
	if (type == FT_SOCK || (type == FT_FIFO && c->mode != BIND_RO))
		return no_fence(r, ban, shown, type == FT_SOCK ? "a socket" : "a fifo", optional);
	if (c->mode == BIND_RO)
		return pin_above(g, c->path, what, &ban->src);
	if (type == FT_NONE) {
		static const char why[] = "does not exist in a writable tree";
		return optional ? resolve_note(r, &ban->src, "%s %s: writes there are not held back", shown, why) :
		       resolve_trouble(r, &ban->src, "%s %s, so the deny cannot be promised; create it first, or deny write to its "
		                       "directory, or say optional: true", shown, why);
	}
	const struct place fence = { .kind = PLACE_FENCE, .path = path, .source = source, .type = type, .mode = BIND_RO,
	                             .src = ban->src };
	int x = put_guard(g, &fence);
	return x ? x : pin_above(g, path, what, &ban->src);
}

static int fence_moved(struct guards *g, const struct ban *ban, bool optional)
{
	const char *path;
	size_t i = 0;
	int x = 0;
	while (!x && (path = moved_to(g, ban, &i, &x)))
		x = fence_at(g, ban, path, optional, false);
	return x;
}

/* Does a mask or deny hold the directory of @link? All of them are known by now, whatever their order. */
static bool is_held(const struct resolver *r, const char *link)
{
	for (size_t i = 0; i < r->pol->nbans; i++)
		if (path_below(link, r->pol->bans[i].path))
			return true;
	return false;
}

/* A link below a writable bind can be replaced: the deny of the path that was written would not hold. */
static int check_spelled(struct resolver *r, const struct ban *ban, const char *path, bool optional)
{
	static const char why[] = "which can be replaced";
	const struct host_file *f = host_file(r->h, path);
	for (size_t i = 0; f && i < f->nhops; i++) {
		const char *link = f->hops[i].path;
		const struct place *c = place_cover(r->pol, link);
		if (!strcmp(f->hops[i].text, "..") || !c || c->kind != PLACE_BIND || c->mode != BIND_RW || is_held(r, link))
			continue;
		const char *shown = resolve_show(r, path), *by = resolve_show(r, link);
		return optional ?
		       resolve_note(r, &ban->src, "%s is reached through the link %s, %s: writes there are not held back", shown, by,
		                    why) :
		       resolve_trouble(r, &ban->src, "%s is reached through the link %s, %s, so the deny cannot be promised; deny "
		                       "write to the directory that holds the link, or say optional: true", shown, by, why);
	}
	return 0;
}

static int guard_list(struct guards *g, const struct pathlist *l, bool write_only, bool deny)
{
	struct resolver *r = g->r;
	int x = 0;
	for (size_t i = 0; i < l->n && !x; i++) {
		const char *path;
		struct spot s;
		const struct ban *ban = NULL;
		x = resolve_path(r, &path, l->items[i].path, &l->items[i].src, l->items[i].optional);
		if (!x && path)
			x = spot_find(r, &s, path);
		if (x || !path)
			continue;
		/* lifted ones are no bans any more */
		for (size_t j = 0; j < r->pol->nbans && !ban; j++)
			if (!strcmp(r->pol->bans[j].path, s.real) && r->pol->bans[j].write_only == write_only)
				ban = &r->pol->bans[j];
		if (!ban)
			continue;
		if (write_only) {
			x = check_spelled(r, ban, path, l->items[i].optional);
			size_t before = g->made.n;
			x = x ? x : fence_moved(g, ban, l->items[i].optional);
			x = x ? x : fence_at(g, ban, s.real, l->items[i].optional, g->made.n > before);
		} else {
			size_t before = g->made.n;
			x = mask_moved(g, ban, deny);
			x = x ? x : mask_at(g, ban, s.real, deny, s.type, g->made.n > before);
		}
	}
	return x;
}

/* Is the host path @path shown writable, anywhere in the view, by a place other than @but? */
static bool shown_writable(const struct resolver *r, const char *path, const struct place *but)
{
	for (size_t i = 0; i < r->pol->nplaces; i++) {
		const struct place *c = &r->pol->places[i];
		if (c != but && c->kind == PLACE_BIND && c->mode == BIND_RW && path_below(path, c->source))
			return true;
	}
	return false;
}

/* A grant that leads through a link in a tree which is writable inside: the next run would be led elsewhere. */
static int check_links(struct resolver *r)
{
	int x = 0;
	for (size_t i = 0; i < r->pol->nplaces && !x; i++) {
		const struct place *p = &r->pol->places[i];
		for (size_t k = 0; k < p->nhops && !x; k++) {
			if (!strcmp(p->hops[k].text, "..") || !shown_writable(r, p->hops[k].path, p))
				continue;
			if (!(p->src.overrides && !p->src.inlined))
				x = resolve_trouble(r, &p->src, "the source %s is reached through the link %s, which the command can "
				                    "replace, so that its next run would be given something else: name what the link "
				                    "leads to, or say override: true", resolve_show(r, p->source),
				                    resolve_show(r, p->hops[k].path));
		}
	}
	return x;
}

int guards_make(struct resolver *r)
{
	struct guards g = { .r = r };
	int links = check_links(r);
	if (links)
		return links;
	/* fences first: pins of a mask must not reopen them */
	int x = guard_list(&g, &r->p->deny_write, true, true);
	if (!x)
		x = guard_list(&g, &r->p->mask, false, false);
	if (!x)
		x = guard_list(&g, &r->p->deny_read, false, true);
	for (size_t i = 0; i < g.made.n && !x; i++)
		if (!is_hidden(&g, g.made.items[i].path))
			x = place_push(r, &g.made.items[i]);
	map_drop(&g.by_path);
	if (!x)
		x = kernfs_guard(r, &g.made.n);
	return x || !g.made.n ? x : grants_settle(r); /* without guards the places are settled already */
}
