/* join.c - see join.h; the order of findings does not matter to the result */
#include "learn/join.h"

#include "base/path.h"
#include "learn/shape.h"

#include <errno.h>
#include <string.h>

/* Does the name of what is at @path, made or removed, change from run to run by its form? */
static bool is_volatile(const struct objects *o, const char *path)
{
	static const struct shape_hints created = { .created = true };
	const struct node *n = objects_find(o, path, strlen(path));
	bool known = n && n->uses & USE_CREATED; /* with more to go by than the form */
	return shape_volatile(known ? (enum shape)n->shape : shape_of(path_base(path), &created));
}

/* Or that of a directory between it and @dir? */
static bool way_changes(const struct objects *o, const char *path, const char *dir)
{
	size_t top = strlen(dir);
	for (size_t len = strlen(path); len > top; len--) {
		const struct node *n = path[len] && path[len] != '/' ? NULL : objects_find(o, path, len);
		if (n && shape_volatile((enum shape)n->shape))
			return true;
	}
	return is_volatile(o, path);
}

/* In a private temporary place nothing is kept, whatever it is called; what was only looked for there has a name that tells. */
static bool passing(const struct finding *f)
{
	bool temp = path_below(f->path, "/tmp") || path_below(f->path, "/var/tmp");
	if (!temp || f->judgement.verdict != V_PRIVATE)
		return false;
	return f->heading == HEAD_PROBE ? shape_random_token(path_base(f->path)) :
	       f->heading == HEAD_FAILED || f->kind == NEED_CREATE || f->kind == NEED_REMOVE || f->kind == NEED_WRITE;
}

/*
 * The directory that stands for what @f is about, NULL where @f stands for itself. *@each is set where no line grants
 * that directory, so that it stands only for the names in it that change. The name of what was made and is gone
 * matters to nobody.
 */
static const char *made_in(const struct finding *f, const struct rules *rules, const struct objects *o, struct arena *a,
                           bool *each)
{
	*each = false;
	bool changes = f->kind == NEED_CREATE || f->kind == NEED_REMOVE;
	if (!f->path || *f->path != '/' || f->heading == HEAD_GRANTED)
		return NULL;
	if (f->heading == HEAD_SELF || f->heading == HEAD_FAILED || f->heading == HEAD_PROBE) {
		*each = passing(f) || (f->heading == HEAD_SELF && changes && is_volatile(o, f->path));
		return *each ? path_parent(a, f->path) : NULL;
	}
	if (!changes)
		return NULL;
	bool gone = f->kind == NEED_CREATE && !f->stays;
	const struct rule *r = f->grant ? rules_cover(rules, f->path) : NULL;
	if (r && r->dir && r->mode == BIND_RW && path_under(f->path, r->path))
		return gone || !strcmp(f->path, r->path) || way_changes(o, f->path, r->path) ? r->path : NULL;
	*each = !r && (gone || is_volatile(o, f->path));
	return *each ? path_parent(a, f->path) : NULL;
}

/* The lesser of two texts, where none is the greatest. */
static const char *lesser(const char *a, const char *b)
{
	if (!a || !b)
		return a ? a : b;
	return strcmp(a, b) <= 0 ? a : b;
}

/* Something missing stands for all: it is what a run without the line meets. */
static bool stands_before(const struct finding *a, const struct finding *b)
{
	if (a->judgement.verdict != b->judgement.verdict)
		return a->judgement.verdict > b->judgement.verdict;
	if (a->judgement.err != b->judgement.err)
		return a->judgement.err < b->judgement.err;
	return a->outcome < b->outcome;
}

static void absorb(struct finding *to, const struct finding *f)
{
	if (stands_before(f, to)) {
		to->judgement = f->judgement;
		to->outcome = f->outcome;
	}
	to->kind = MIN(to->kind, f->kind); /* created rather than removed */
	to->necessity = MIN(to->necessity, f->necessity);
	to->who = lesser(to->who, f->who);
	to->grant = lesser(to->grant, f->grant);
	to->note = lesser(to->note, f->note);
	to->count += f->count;
	to->seq = MIN(to->seq, f->seq);
	to->runs = MAX(to->runs, f->runs);
	to->at_least |= f->at_least;
	to->counts |= f->counts;
	to->counts_all |= f->counts_all;
	to->credential |= f->credential;
}

/* "~/.tool/" and a star: what is made there has a new name each time. */
static const char *each_name(struct arena *a, const struct host *h, const char *dir)
{
	const char *s = host_shorten(h, a, dir);
	return s ? arena_fmt(a, "%s/*", strcmp(s, "/") ? s : "") : NULL;
}

int join_made(struct lesson *l, const struct rules *rules, const struct objects *o, const struct host *h)
{
	OWN(map) lost = { 0 };
	OWN(map) needed = { 0 };
	OWN(map) self = { 0 };
	OWN(map) failed = { 0 };
	OWN(map) probed = { 0 };
	struct map *const maps[] = {
		[HEAD_NEEDS] = &needed, [HEAD_LOST] = &lost, [HEAD_SELF] = &self, [HEAD_FAILED] = &failed, [HEAD_PROBE] = &probed,
	};
	size_t n = 0;
	for (size_t i = 0; i < l->nfindings; i++) {
		bool each;
		struct finding f = l->findings[i];
		const char *dir = made_in(&f, rules, o, &l->arena, &each);
		const char *key = each && dir ? each_name(&l->arena, h, dir) : dir;
		void **slot = key ? map_put(maps[f.heading], key, strlen(key), NULL) : NULL;
		if ((key && !slot) || (each && !key))
			return -ENOMEM;
		if (slot && *slot) {
			absorb(&l->findings[(uintptr_t)*slot - 1], &f);
			continue;
		}
		if (slot) {
			f.path = arena_str(&l->arena, dir); /* the trie goes before the lesson does */
			if (!f.path)
				return -ENOMEM;
			f.what = each ? key : NULL; /* NULL: named later */
			f.judgement.at = NULL;
			*slot = (void *)(uintptr_t)(n + 1);
		}
		l->findings[n++] = f;
	}
	l->nfindings = n;
	return 0;
}
