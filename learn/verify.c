/* verify.c - the suggestion put to the judge */
#include "learn/verify.h"

#include "learn/replay.h"

#include "base/path.h"

#include <errno.h>
#include <string.h>

/* Lines are taken back one or two at a time; few ever are. */
enum { ROUNDS_MAX = 16 };

/* The world after the suggestion: composed profile, facts about the paths it names, policy. */
struct after {
	struct profile profile;
	struct host host;
	struct policy policy;
};

static void after_drop(struct after *a)
{
	policy_drop(&a->policy);
	host_drop(&a->host);
	profile_drop(&a->profile);
}

static int add_facts(struct after *w, const struct suggesting *s)
{
	const struct host *h = s->host;
	w->host = *h;
	w->host.arena = (struct arena){ 0 };
	w->host.by_path = (struct map){ 0 };
	w->host.files = NULL;
	w->host.nfiles = 0;
	int err = 0;
	for (size_t i = 0; !err && i < h->nfiles; i++)
		err = host_add_file(&w->host, &h->files[i]);
	for (size_t i = 0; !err && i < s->rules->n; i++) {
		const struct rule *r = &s->rules->items[i];
		const struct node *n = &s->facts->objects.nodes[r->node];
		bool there = n->uses & USE_PRE || !(n->uses & USE_CREATED);
		enum file_type t = there ? (enum file_type)n->type : FT_NONE;
		struct host_file f = { .path = r->path, .real = r->path, .type = t, .real_type = t, .mode = n->mode,
		                       .uid = n->uid, .gid = n->gid };
		err = host_add_file(&w->host, &f);
	}
	for (size_t i = 0; !err && i < s->empties.n; i++) {
		struct host_file f = { .path = s->empties.items[i], .real = s->empties.items[i], .type = FT_DIR, .real_type = FT_DIR };
		err = host_add_file(&w->host, &f);
	}
	for (size_t i = 0; !err && i < s->link_facts.n; i++)
		err = host_add_file(&w->host, &s->link_facts.items[i]);
	return err;
}

static int misfit(const struct suggesting *s, const struct err *e)
{
	struct lesson *l = s->lesson;
	struct { const char **items; size_t n; } v = { l->incomplete, l->nincomplete };
	const char *why = arena_fmt(&l->arena, "the suggestion does not fit the requested profiles: %s", e->msg);
	/* a copy: the array that came in has no room to grow by arena_push()'s rule */
	const char **more = why ? arena_array(&l->arena, v.n + 1, sizeof(*more)) : NULL;
	if (!more)
		return -ENOMEM;
	if (v.n)
		memcpy(more, v.items, v.n * sizeof(*more));
	more[v.n] = why;
	l->incomplete = more;
	l->nincomplete = v.n + 1;
	return 0;
}

/* Return: 1 when there is nothing to judge by, which is said. */
static int resolve(struct after *w, const struct suggesting *s)
{
	struct err e = { 0 };
	int err = profile_merge(&w->profile, s->base, false, false, &e);
	if (!err)
		err = profile_merge(&w->profile, &s->lesson->suggestion, false, false, &e);
	if (!err)
		err = add_facts(w, s);
	if (!err)
		err = policy_resolve(&w->policy, &w->profile, &w->host, false, &e);
	if (!err || err == -ENOMEM)
		return err;
	err = misfit(s, &e);
	return err ? err : 1;
}

/* The finding an access was told under: its own, or that of a directory above. */
static struct finding *finding_of(const struct findings *f, struct arena *a, const char *path)
{
	struct finding *to = findings_get(f, path);
	while (!to && path[0] == '/' && path[1]) {
		path = path_parent(a, path);
		if (!path)
			return NULL;
		to = findings_get(f, path);
	}
	return to;
}

static int doubt(struct suggesting *s, struct finding *f, const struct judgement *j, const struct access *a)
{
	if (f->note && !f->grant)
		return 0;
	/* made before the start by "create: dir": programs that keep things know that */
	if (a->op == OP_MKDIR && j->err == EEXIST)
		return 0;
	if (a->op == OP_RENAME || a->op == OP_LINK)
		if (f->note && j->err == EXDEV)
			return 0;
	f->grant = NULL;
	return finding_note(&s->facts->found, f, arena_fmt(s->facts->arena, "still fails confined: %s%s%s", strerror(j->err),
	                                                   j->why && *j->why ? ", " : "", j->why ? j->why : ""));
}

/* ---- lines that do harm ---- */

/* Take the line for @path back. Return: 1 there was one. */
static int take_back(struct suggesting *s, const char *path, const char *why)
{
	struct profile *p = &s->lesson->suggestion;
	const struct rule *r = path[0] == '/' ? rules_cover(s->rules, path) : NULL;
	const char *source = r ? host_shorten(s->host, s->facts->arena, r->path) : NULL;
	size_t kept = 0, had = p->binds.n;
	if (!r)
		return 0;
	if (!source)
		return -ENOMEM;
	for (size_t i = 0; i < had; i++)
		if (strcmp(p->binds.items[i].source, source) != 0)
			p->binds.items[kept++] = p->binds.items[i];
	p->binds.n = kept;
	if (kept == had)
		return 0;
	for (size_t i = 0; i < s->lesson->nfindings; i++) {
		struct finding *f = &s->lesson->findings[i];
		if (!f->grant || !f->path || rules_cover(s->rules, f->path) != r)
			continue;
		f->grant = NULL;
		f->note = NULL; /* it said how the line helps */
		if (finding_note(&s->facts->found, f, why))
			return -ENOMEM;
	}
	return 1;
}

/* What works without the suggestion and fails with it: better without the lines that are in its way. */
static int harmed(struct suggesting *s, const struct event *ev, const struct judgement *without, const struct judgement *with)
{
	const struct access *x = &ev->acc;
	bool made_before = (x->op == OP_MKDIR && with->err == EEXIST) || /* the price of create: dir */
	                   (x->op == OP_UNLINK && with->err == EBUSY && names_log(x->obj[0].path)); /* sqlite leaves it, then */
	bool fails = with->err && with->err != ENOENT && with->err != EEXIST;
	if (ev->outcome || !access_is_file(x) || without->err || !fails || made_before)
		return 0;
	const char *why = arena_fmt(s->facts->arena, "lost at the end: a line for it would make it fail (%s)", strerror(with->err));
	int done = why ? 0 : -ENOMEM;
	for (int i = 0; done >= 0 && i < op_objects(x->op); i++) {
		int r = take_back(s, x->obj[i].path, why);
		done = r < 0 ? r : done | r;
	}
	return done;
}

static int check_event(struct suggesting *s, const struct event *ev, const struct judgement *j, struct arena *a)
{
	const struct access *x = &ev->acc;
	enum necessity n = outcome_necessity(ev);
	if ((n != NEC_REQUIRED && n != NEC_UNKNOWN) || !access_is_file(x) || !j->err)
		return 0;
	if (j->verdict != V_MISSING && j->verdict != V_DENIED)
		return 0;
	struct finding *f = finding_of(&s->facts->found, a, x->obj[op_objects(x->op) - 1].path);
	if (!f || !f->counts || f->heading != HEAD_NEEDS)
		return 0;
	return doubt(s, f, j, x);
}

/* Return: 1 a line was taken back, so that the rest is to be judged again. */
static int drop_harmful(struct suggesting *s, const struct after *w, const struct recording *r)
{
	struct made made = { 0 }, plain = { 0 };
	int got = 0;
	for (size_t i = 0; !got && i < r->nevents; i++) {
		const struct event *ev = &r->events[i];
		struct judgement with = policy_judge(&w->policy, &ev->acc, &w->host, &made);
		struct judgement without = policy_judge(s->facts->pol, &ev->acc, &r->host, &plain);
		bool copied = facts_copied(r, &w->policy, &made, ev, &with);
		got = copied ? 0 : harmed(s, ev, &without, &with);
		int err = facts_apply(&made, &w->policy, r, ev, &with);
		if (!err)
			err = facts_apply(&plain, s->facts->pol, r, ev, &without);
		got = err ? err : got;
	}
	made_drop(&made);
	made_drop(&plain);
	return got;
}

static int check_run(struct suggesting *s, const struct after *w, const struct recording *r)
{
	struct made made = { 0 };
	struct arena a = { 0 };
	int err = 0;
	for (size_t i = 0; !err && i < r->nevents; i++) {
		const struct event *ev = &r->events[i];
		struct judgement j = policy_judge(&w->policy, &ev->acc, &w->host, &made);
		if (!facts_copied(r, &w->policy, &made, ev, &j))
			err = check_event(s, ev, &j, &a);
		if (!err)
			err = facts_apply(&made, &w->policy, r, ev, &j);
	}
	made_drop(&made);
	arena_drop(&a);
	return err;
}

int verify(struct suggesting *s, const struct recording *r)
{
	struct after w = { 0 };
	int err = 0, again = 1;
	for (int round = 0; !err && again > 0 && round < ROUNDS_MAX; round++) {
		after_drop(&w);
		w = (struct after){ 0 };
		err = resolve(&w, s);
		again = err ? 0 : drop_harmful(s, &w, r);
		err = MIN(again, 0) ? again : err;
	}
	if (!err)
		err = check_run(s, &w, r);
	s->lesson->suggests = suggest_any(s);
	after_drop(&w);
	return MIN(err, 0);
}

int verify_said(struct suggesting *s)
{
	int err = 0;
	for (size_t i = 0; !err && i < s->lesson->nfindings; i++) {
		struct finding *f = &s->lesson->findings[i];
		if (f->counts && f->path && !f->grant && !f->note)
			err = finding_note(&s->facts->found, f, "no line of a profile can grant this");
	}
	return err;
}
