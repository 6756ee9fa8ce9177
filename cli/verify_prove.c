/* verify_prove.c - confined runs with the suggestion and without, and what is learnt from one that went badly */
#include "cli/verify_prove.h"

#include "cli/output.h"
#include "cli/verify_denied.h"
#include "cli/verify_min.h"

#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void prover_drop(struct prover *p)
{
	map_drop(&p->absent);
	arena_drop(&p->arena);
	*p = (struct prover){ 0 };
}

static int order(const void *a, const void *b)
{
	return strcmp(((const struct change *)a)->path, ((const struct change *)b)->path);
}

/* Is @path a directory that leads to something kept? Then that tells. */
static bool leads_to_kept(const struct keeper *k, const char *path)
{
	for (size_t i = 0; i < k->roots.n; i++)
		if (path_below(k->roots.items[i].path, path))
			return true;
	return false;
}

/* What an access left behind where nothing is kept counts as well, but for sockets and scratch files. */
static bool counts(const struct keeper *k, const struct host *h, const struct change *c)
{
	if (keeper_root(k, c->path) || persist_scratch(h, c->path) || leads_to_kept(k, c->path))
		return false;
	return c->type == FT_FILE || c->type == FT_DIR || c->type == FT_LINK;
}

/* What the audit left behind: in kept trees as it is there, elsewhere as it was recorded. */
static int find_want(struct prover *p, struct err *e)
{
	OWN(listing) before = { 0 };
	OWN(listing) now = { 0 };
	const struct keeper *k = p->t.keep;
	int r = keeper_list(&before, k, false, e);
	if (r == 0)
		r = keeper_list_host(&now, k, e);
	if (r < 0)
		return r;
	p->want = (struct changes){ 0 };
	if (changes_find(&p->want, &p->arena, &before, &now) < 0)
		return err_set(e, ENOMEM, "out of memory");
	for (size_t i = 0; i < p->want.n; i++) {
		p->want.items[i].path = arena_str(&p->arena, p->want.items[i].path); /* the listings go away */
		if (!p->want.items[i].path)
			return err_set(e, ENOMEM, "out of memory");
		const struct kept *in = keeper_root(k, p->want.items[i].path);
		p->want.items[i].any_mode = in && !in->there && strcmp(in->path, p->want.items[i].path) == 0;
	}
	for (size_t i = 0; i < p->recorded.n; i++) {
		struct change *slot = counts(k, p->t.before, &p->recorded.items[i]) ? ARENA_PUSH(&p->arena, &p->want, items, n) : NULL;
		if (slot)
			*slot = p->recorded.items[i];
		else if (counts(k, p->t.before, &p->recorded.items[i]))
			return err_set(e, ENOMEM, "out of memory");
	}
	p->found = k->roots.n;
	if (p->want.n)
		qsort(p->want.items, p->want.n, sizeof(*p->want.items), order);
	return 0;
}

/* Keep what @s makes writable, as it was before. */
static int keep_more(struct prover *p, const struct setup *s, struct err *e)
{
	struct wordlist paths = { 0 };
	if (keeper_wants(&paths, &p->arena, &s->policy) < 0)
		return err_set(e, ENOMEM, "out of memory");
	int r = 0;
	for (size_t i = 0; r == 0 && i < paths.n; i++)
		r = keeper_add_after(p->t.keep, paths.items[i].text, &p->absent, &p->recorded, e);
	if (r == 0 && (!p->t.want || p->found != p->t.keep->roots.n))
		r = find_want(p, e);
	p->t.want = &p->want;
	return r;
}

int prover_try(struct prover *p, const struct profile *add, struct ran *ran, struct err *e)
{
	OWN(setup) s = { 0 };
	OWN(policy) judge = { 0 };
	OWN(str) yaml = { 0 };
	struct err why = { 0 };
	int r = 0;
	if (add) {
		profile_write(&yaml, add);
		r = output_write(p->file, true, 0600, str_c(&yaml), yaml.len, e);
	}
	if (r < 0)
		return r;
	p->runs++;
	r = trial_setup(&s, &p->t, add ? p->file : NULL, &why);
	if (r == 0)
		r = policy_resolve(&judge, &s.profile, &s.host, false, &why);
	if (r < 0) {
		ran->why = arena_fmt(&ran->arena, "it could not be confined: %s", why.msg);
		return ran->why ? 0 : err_set(e, ENOMEM, "out of memory");
	}
	r = keep_more(p, &s, e);
	if (r == 0)
		r = trial_run(ran, &p->t, &s, e);
	denied_not_before(&ran->rec, p->rec, &p->absent);
	if (r == 0 && ran->tried && !ran->why && !p->tolerant)
		r = denied_why(&ran->why, &ran->arena, &ran->rec, &judge, &s.profile, e);
	if (r == 0 && ran->tried)
		denied_only(&ran->rec, &judge);
	return r;
}

/*
 * Learn once more, from the audit and what @ran was denied. Return: 1 the suggestion has become another, 0 it has not.
 */
static int learn_more(struct prover *p, struct ran *ran, struct err *e)
{
	struct recording *recs[TRIES_MAX + 1] = { p->rec };
	OWN(lesson) l = { 0 };
	size_t n = p->nmore;
	if (!ran->tried || !ran->rec.nevents || n == TRIES_MAX)
		return 0;
	p->more[n] = TAKE(ran->rec);
	p->more[n].status = p->rec->status; /* how this one ended is no news about the command */
	p->more[n].nincomplete = 0;
	p->nmore++;
	for (size_t i = 0; i < p->nmore; i++)
		recs[i + 1] = &p->more[i];
	int r = lesson_make(&l, recs, p->nmore + 1, p->policy, p->profile, p->lesson->suggestion.name, e);
	if (r < 0 || profile_equal(&l.suggestion, &p->lesson->suggestion))
		return r;
	lesson_drop(p->lesson);
	*p->lesson = TAKE(l);
	return 1;
}

/* Until nothing is denied any more, or nothing more is learnt. @with: the last run. */
static int settle(struct prover *p, struct ran *with, struct err *e)
{
	for (int again = 1; again > 0;) {
		ran_drop(with);
		int r = prover_try(p, p->lesson->suggests ? &p->lesson->suggestion : NULL, with, e);
		again = r < 0 || !with->why ? r : learn_more(p, with, e);
		if (again < 0)
			return again;
	}
	return 0;
}

/* Without the suggestion it must go worse. */
static int prove_need(struct prover *p, struct proof *out, struct err *e)
{
	OWN(ran) without = { 0 };
	int r = prover_try(p, NULL, &without, e);
	if (r == 0 && !without.why)
		out->reason = "it goes as well without the suggestion";
	else if (r == 0)
		out->without = arena_str(p->keep_text, without.why);
	return r;
}

int prover_prove(struct prover *p, struct proof *out, struct err *e)
{
	OWN(ran) with = { 0 };
	struct sameness same = { 0 };
	int r = settle(p, &with, e);
	const char *why = with.why;
	if (r == 0 && !why && with.rec.nincomplete)
		why = arena_fmt(&with.arena, "not everything was seen of it: %s", with.rec.incomplete[0]);
	if (r == 0 && why)
		out->reason = arena_fmt(p->keep_text, "confined, %s", why);
	bool goes_on = r == 0 && !why && p->lesson->suggests;
	if (goes_on && p->minimise)
		r = sameness_take(&same, p, e);
	if (goes_on && r == 0)
		r = prove_need(p, out, e);
	if (goes_on && r == 0 && p->minimise)
		r = prover_minimise(p, &same, out, e);
	out->runs = p->runs;
	out->holds = r == 0 && !why && !out->reason;
	return r;
}
