/* findings.c - findings while they are collected */
#include "learn/findings.h"

#include "base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void findings_drop(struct findings *f)
{
	free(f->items);
	free(f->last_run);
	map_drop(&f->by_key);
	*f = (struct findings){ 0 };
}

int findings_reserve(struct findings *f, size_t n)
{
	size_t want = f->n + n;
	if (want <= f->cap && want <= f->cap_runs)
		return 0;
	struct finding *items = reallocarray(f->items, want, sizeof(*items));
	if (items) {
		f->items = items;
		f->cap = want;
	}
	uint32_t *runs = items ? reallocarray(f->last_run, want, sizeof(*runs)) : NULL;
	if (runs) {
		f->last_run = runs;
		f->cap_runs = want;
	}
	return runs ? 0 : -ENOMEM;
}

static int text_order(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Greater hides smaller. */
static int strength(enum heading h)
{
	static const int order[] = {
		[HEAD_NEEDS] = 6, [HEAD_LOST] = 5, [HEAD_FAILED] = 4, [HEAD_SELF] = 3, [HEAD_GRANTED] = 2, [HEAD_PROBE] = 1,
	};
	return order[h];
}

/* Which of two accesses of one heading tells more? A total order, so that runs can come in any. */
static int telling(const struct finding *a, const struct finding *b)
{
	static const int kinds[NEED_ENV + 1] = {
		[NEED_READ] = 1, [NEED_LIST] = 2, [NEED_EXEC] = 3, [NEED_SOCKET] = 4, [NEED_REMOVE] = 5, [NEED_WRITE] = 6,
		[NEED_CREATE] = 7,
	};
	int r = kinds[a->kind] - kinds[b->kind];
	if (!r)
		r = (int)a->judgement.verdict - (int)b->judgement.verdict;
	if (!r)
		r = (b->necessity == NEC_UNKNOWN) - (a->necessity == NEC_UNKNOWN);
	if (!r)
		r = b->judgement.err - a->judgement.err;
	if (!r)
		r = text_order(b->judgement.at, a->judgement.at);
	if (!r)
		r = b->outcome - a->outcome;
	return r;
}

struct finding *findings_get(const struct findings *f, const char *key)
{
	void **slot = map_find(&f->by_key, key, strlen(key));
	return slot ? &f->items[(uintptr_t)*slot - 1] : NULL;
}

static struct finding *insert(struct findings *f, const char *key)
{
	void **slot = map_put(&f->by_key, key, strlen(key), NULL);
	struct finding *items = slot ? vec_grow(f->items, f->n, &f->cap, sizeof(*items)) : NULL;
	if (items)
		f->items = items;
	uint32_t *runs = items ? vec_grow(f->last_run, f->n, &f->cap_runs, sizeof(*runs)) : NULL;
	if (!runs)
		return NULL;
	f->last_run = runs;
	*slot = (void *)(uintptr_t)++f->n;
	return &items[f->n - 1];
}

/* What of @new is more telling replaces @to's; sums and extremes are kept. */
static void combine(struct finding *to, const struct finding *new)
{
	uint64_t count = to->count + new->count, seq = MIN(to->seq, new->seq);
	bool at_least = to->at_least || new->at_least, counts = to->counts || new->counts;
	bool all = to->counts_all || new->counts_all, credential = to->credential || new->credential;
	bool stays = to->stays || new->stays;
	uint32_t runs = to->runs;
	const char *note = to->note;
	bool other_who = text_order(new->who, to->who) < 0;
	const char *who = other_who ? new->who : to->who;
	uint32_t proc = other_who ? new->proc : to->proc;
	if (telling(new, to) > 0)
		*to = *new;
	to->count = count;
	to->seq = seq;
	to->at_least = at_least;
	to->counts = counts;
	to->counts_all = all;
	to->credential = credential;
	to->stays = stays;
	to->runs = runs;
	to->note = note;
	to->who = who;
	to->proc = proc;
}

struct finding *findings_add(struct findings *f, const char *key, const struct finding *new, uint32_t run)
{
	struct finding *to = findings_get(f, key);
	if (!to) {
		to = insert(f, key);
		if (!to)
			return NULL;
		*to = *new;
		to->runs = 1;
		f->last_run[to - f->items] = run;
		return to;
	}
	if (strength(new->heading) > strength(to->heading)) {
		/* runs counts those that had the object under this heading */
		*to = *new;
		to->runs = 0;
		f->last_run[to - f->items] = UINT32_MAX;
		to->count = 0;
		combine(to, new);
	} else if (new->heading == to->heading) {
		combine(to, new);
	} else {
		return to;
	}
	uint32_t *last = &f->last_run[to - f->items];
	if (*last != run)
		to->runs++;
	*last = run;
	return to;
}

int finding_note(struct findings *f, struct finding *to, const char *note)
{
	if (!note)
		return -ENOMEM;
	if (!to->note) {
		to->note = arena_str(f->arena, note);
	} else if (!strstr(to->note, note)) {
		/* in text order, so that the order of events does not show */
		const char *a = to->note, *b = note;
		to->note = strcmp(a, b) < 0 ? arena_fmt(f->arena, "%s; %s", a, b) : arena_fmt(f->arena, "%s; %s", b, a);
	}
	return to->note ? 0 : -ENOMEM;
}
