/* lesson.c - the pipe: runs, facts, plan, rules, suggestion, verification */
#include "learn/lesson.h"

#include "base/str.h"
#include "learn/fold.h"
#include "learn/join.h"
#include "learn/suggest.h"
#include "learn/unseen.h"
#include "learn/uses.h"
#include "learn/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void lesson_drop(struct lesson *l)
{
	if (l->cap_findings)
		free(l->findings);
	profile_drop(&l->suggestion);
	arena_drop(&l->arena);
	*l = (struct lesson){ 0 };
}

/* ---- which runs, in an order of their own ---- */

struct run {
	const struct recording *r;
	uint64_t hash;
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
	return h;
}

static uint64_t mix_text(uint64_t h, const char *s)
{
	return s ? mix(h, map_hash(s, strlen(s))) : mix(h, 1);
}

/* Of what was recorded, not of where it is kept: the same file given twice is one run. */
static uint64_t content_hash(const struct recording *r)
{
	uint64_t h = mix_text(mix(r->nevents, r->nprocs), r->id);
	for (size_t i = 0; i < r->nevents; i++) {
		const struct event *e = &r->events[i];
		h = mix(mix(mix(h, e->first_ns), e->count), (uint64_t)e->outcome << 32 | e->acc.op);
		h = mix_text(mix_text(mix(h, e->acc.flags), e->acc.obj[0].spelled), e->acc.obj[0].path);
		h = mix_text(mix(h, e->survives), e->acc.obj[1].path);
	}
	for (size_t i = 0; i < r->nnets; i++)
		h = mix(mix_text(h, r->nets[i].host), r->nets[i].connections);
	return h;
}

static int run_order(const void *a, const void *b)
{
	const struct run *x = a, *y = b;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static struct run *sort_runs(struct recording *const *runs, size_t n, uint32_t *nruns)
{
	struct run *out = calloc(n + 1, sizeof(*out));
	if (!out)
		return NULL;
	for (size_t i = 0; i < n; i++)
		out[i] = (struct run){ runs[i], content_hash(runs[i]) };
	qsort(out, n, sizeof(*out), run_order);
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (!kept || out[kept - 1].hash != out[i].hash)
			out[kept++] = out[i];
	*nruns = (uint32_t)kept;
	return out;
}

/* ---- sums over the runs ---- */

static int reason_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int take_reasons(struct lesson *l, const struct run *runs, const struct policy *pol)
{
	size_t n = 0;
	for (uint32_t i = 0; i < l->nruns; i++)
		n += runs[i].r->nincomplete + pol->sys_deny.n;
	l->incomplete = arena_array(&l->arena, n, sizeof(*l->incomplete));
	if (!l->incomplete)
		return -ENOMEM;
	n = 0;
	for (uint32_t i = 0; i < l->nruns; i++) {
		for (size_t k = 0; k < runs[i].r->nincomplete; k++)
			l->incomplete[n++] = runs[i].r->incomplete[k];
		for (size_t k = 0; k < pol->sys_deny.n; k++) {
			const char *why;
			if (unseen_call(&why, &l->arena, runs[i].r, pol, &pol->sys_deny.items[k]))
				return -ENOMEM;
			if (why)
				l->incomplete[n++] = why;
		}
		l->status = MAX(l->status, runs[i].r->status);
	}
	if (n)
		qsort(l->incomplete, n, sizeof(*l->incomplete), reason_order);
	for (size_t i = 0; i < n; i++)
		if (!l->nincomplete || strcmp(l->incomplete[l->nincomplete - 1], l->incomplete[i]) != 0)
			l->incomplete[l->nincomplete++] = l->incomplete[i];
	return 0;
}

static int finding_order(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	int r = (int)x->heading - (int)y->heading;
	if (!r)
		r = (int)x->kind - (int)y->kind;
	return r ? r : strcmp(x->what, y->what);
}

static int name_findings(struct lesson *l, const struct host *h)
{
	for (size_t i = 0; i < l->nfindings; i++) {
		struct finding *f = &l->findings[i];
		if (!f->what)
			f->what = f->path[0] == '/' ? host_shorten(h, &l->arena, f->path) : f->path;
		if (!f->what)
			return -ENOMEM;
	}
	if (l->nfindings)
		qsort(l->findings, l->nfindings, sizeof(*l->findings), finding_order);
	return 0;
}

/* ---- the pipe ---- */

static int learn(struct lesson *l, struct facts *f, const struct run *runs, const struct profile *base, const char *name)
{
	struct plan plan = { 0 };
	struct rules rules = { 0 };
	int err = 0;
	for (uint32_t i = 0; !err && i < l->nruns; i++)
		err = facts_add_run(f, runs[i].r, i);
	for (size_t i = 0; !err && i < f->objects.n; i++)
		err = tiers_used(f->tiers, f->objects.nodes[i].path);
	if (!err)
		err = plan_make(&plan, f);
	if (!err)
		err = fold(&rules, &plan);
	l->findings = f->found.items;
	l->nfindings = f->found.n;
	struct suggesting s = {
		.lesson = l, .facts = f, .plan = &plan, .rules = &rules, .host = &runs[0].r->host, .base = base,
		.run = runs[0].r,
	};
	if (!err)
		err = suggest(&s, name);
	for (uint32_t i = 0; !err && i < l->nruns; i++)
		err = verify(&s, runs[i].r);
	if (!err)
		err = verify_said(&s);
	l->findings = f->found.items;
	l->nfindings = f->found.n;
	l->cap_findings = f->found.cap;
	if (!err)
		err = join_made(l, &rules, &f->objects, &runs[0].r->host);
	f->found.items = NULL;
	f->found.n = f->found.cap = 0;
	rules_drop(&rules);
	plan_drop(&plan);
	return err;
}

static int given_order(const void *a, const void *b)
{
	const struct given_fd *x = a, *y = b;
	return x->fd < y->fd ? -1 : x->fd > y->fd;
}

static int take_given(struct lesson *l, const struct facts *f)
{
	if (!f->given.n)
		return 0;
	l->given = arena_array(&l->arena, f->given.n, sizeof(*l->given));
	if (!l->given)
		return -ENOMEM;
	memcpy(l->given, f->given.items, f->given.n * sizeof(*l->given));
	l->ngiven = f->given.n;
	qsort(l->given, l->ngiven, sizeof(*l->given), given_order);
	return 0;
}

static int make(struct lesson *l, struct run *runs, const struct policy *pol, const struct profile *base, const char *name)
{
	struct tiers tiers = { 0 };
	struct facts f = { .arena = &l->arena, .pol = pol, .tiers = &tiers, .found = { .arena = &l->arena }, .nruns = l->nruns };
	int err = tiers_make(&tiers, &runs[0].r->host);
	for (size_t i = 0; !err && i < pol->nplaces; i++)
		if (pol->places[i].kind == PLACE_COPY)
			err = tiers_copy(&tiers, pol->places[i].path);
	if (!err)
		err = take_reasons(l, runs, pol);
	if (!err)
		err = learn(l, &f, runs, base, name);
	if (!err)
		err = take_given(l, &f);
	if (!err)
		err = uses_make(l, &f.hits, base);
	facts_drop(&f);
	tiers_drop(&tiers);
	return err ? err : name_findings(l, &runs[0].r->host);
}

int lesson_make(struct lesson *out, struct recording *const *runs, size_t n, const struct policy *pol,
                const struct profile *base, const char *name, struct err *e)
{
	*out = (struct lesson){ 0 };
	if (!n)
		return err_set(e, EINVAL, "no recording to learn from");
	struct run *sorted = sort_runs(runs, n, &out->nruns);
	int err = sorted ? make(out, sorted, pol, base, name) : -ENOMEM;
	free(sorted);
	if (!err)
		return 0;
	lesson_drop(out);
	return err_set(e, -err, "learning: %s", strerror(-err));
}
