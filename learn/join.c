/* join.c - see join.h; the order of findings does not matter to the result */
#include "learn/join.h"

#include "base/path.h"
#include "learn/shape.h"

#include <errno.h>
#include <string.h>

/* Does a name of @path below @dir change from run to run? */
static bool name_changes(const struct objects *o, const char *path, const char *dir)
{
	static const struct shape_hints created = { .created = true };
	size_t len = strlen(path), top = strlen(dir);
	while (len > top) {
		const struct node *n = objects_find(o, path, len);
		if (n && shape_volatile((enum shape)n->shape))
			return true;
		if (len == strlen(path) && shape_volatile(shape_of(path_base(path), &created)))
			return true;
		do
			len--;
		while (len > top && path[len] != '/');
	}
	return false;
}

/* The directory that stands for what @f is about, or NULL. */
static const char *made_in(const struct finding *f, const struct rules *rules, const struct objects *o)
{
	if (!f->path || !f->grant || (f->heading != HEAD_NEEDS && f->heading != HEAD_LOST) ||
	    (f->kind != NEED_CREATE && f->kind != NEED_REMOVE))
		return NULL;
	const struct rule *r = rules_cover(rules, f->path);
	bool serves = r && r->dir && r->mode == BIND_RW && path_under(f->path, r->path);
	return serves && (!strcmp(f->path, r->path) || name_changes(o, f->path, r->path)) ? r->path : NULL;
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

int join_made(struct lesson *l, const struct rules *rules, const struct objects *o)
{
	OWN(map) lost = { 0 };
	OWN(map) needed = { 0 };
	size_t n = 0;
	for (size_t i = 0; i < l->nfindings; i++) {
		struct finding f = l->findings[i];
		const char *dir = made_in(&f, rules, o);
		void **slot = dir ? map_put(f.heading == HEAD_LOST ? &lost : &needed, dir, strlen(dir), NULL) : NULL;
		if (dir && !slot)
			return -ENOMEM;
		if (slot && *slot) {
			absorb(&l->findings[(uintptr_t)*slot - 1], &f);
			continue;
		}
		if (slot) {
			f.path = dir;
			f.what = NULL; /* named later */
			f.judgement.at = NULL;
			*slot = (void *)(uintptr_t)(n + 1);
		}
		l->findings[n++] = f;
	}
	l->nfindings = n;
	return 0;
}
