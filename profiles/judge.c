/* judge.c - how a recorded access would go under a policy */
#include "profiles/judge.h"

#include "base/path.h"

#include <errno.h>
#include <string.h>

/*
 * How this works. The access is walked and checked twice by the same rules: in the confined view, and
 * outside as recorded. The confined answer is what counts; where both are the same errno in a place that
 * shows the host's objects the policy changed nothing, and the verdict is "granted" with that errno.
 */

const char *verdict_word(enum verdict v)
{
	static const char *const words[] = {
		[V_GRANTED] = "granted", [V_PRIVATE] = "private", [V_MISSING] = "missing", [V_DENIED] = "denied",
	};
	return words[v];
}

void call_walk(struct call *c)
{
	c->seen[1].err = 0; /* the rest of it is only looked at where there are two objects */
	view_walk(&c->seen[0], &c->w, 0);
	if (op_objects(c->w.a->op) == 2)
		view_walk(&c->seen[1], &c->w, 1);
}

/* Which sight tells whether the result is thrown away? The last object, or its directory. */
static const struct sight *landing(const struct call *c)
{
	const struct seen *s = &c->seen[op_objects(c->w.a->op) - 1];
	return s->obj.type != FT_NONE ? &s->obj : &s->dir;
}

static bool denies(const struct place *p)
{
	return p && (p->kind == PLACE_MASK || p->kind == PLACE_FENCE || p->kind == PLACE_PIN);
}

/* The mask or deny that keeps an object of the access out of the view, or read-only, although no place of its own tells. */
static const struct ban *banned(const struct policy *pol, const struct access *a, int err)
{
	for (int i = 0; i < op_objects(a->op); i++) {
		const char *path = a->obj[i].path;
		for (size_t j = 0; path && path[0] == '/' && j < pol->nbans; j++)
			if ((!pol->bans[j].write_only || err == EROFS) && path_under(path, pol->bans[j].path))
				return &pol->bans[j];
	}
	return NULL;
}

static size_t up(const char *path, size_t n)
{
	while (n > 1 && path[n - 1] != '/')
		n--;
	return n > 1 ? n - 1 : 1;
}

/* The optional line that would show @path if it, or what it lies in, were there. */
static const struct src *vacant(const struct policy *pol, const char *path)
{
	void **slot = NULL;
	for (size_t n = strlen(path); !slot && n > 1 && pol->vacant.n; n = up(path, n))
		slot = map_find(&pol->vacant, path, n);
	return slot ? *slot : NULL;
}

static struct judgement judge_path(const struct policy *pol, const struct access *a, const struct host *h,
                                   const struct made *m)
{
	struct call in, out;
	in.w = (struct world){ .pol = pol, .h = h, .made = m, .a = a, .inside = true };
	out.w = (struct world){ .pol = pol, .h = h, .a = a, .caps = a->caps };
	call_walk(&in);
	call_walk(&out);
	struct reply r = judge_file(&in), was = judge_file(&out);
	const struct seen *failed = in.seen[0].err ? &in.seen[0] : in.seen[1].err ? &in.seen[1] : NULL;
	const struct sight *sight = r.sight ? r.sight : landing(&in);
	const struct place *place = r.err && failed && (!r.sight || failed == &in.seen[1]) ? failed->place : sight->place;
	const struct place *leads = sight->leads;
	bool lost = r.err && failed ? place && (place->kind == PLACE_TMPFS || place->kind == PLACE_SHM) : sight->lost;
	struct judgement j = { .err = r.err, .why = r.err ? r.why : "", .by = place ? &place->src : NULL };
	if (!place && leads)
		j.by = &leads->src;
	if (in.seen[0].free && a->op != OP_LINK)
		return j;
	if (r.err && failed)
		j.at = failed->at;
	else if (place && (!in.seen[0].path[0] || strcmp(place->path, in.seen[0].path) != 0))
		j.at = place->path;
	if (!r.err)
		j.verdict = landing(&in)->lost ? V_PRIVATE : V_GRANTED;
	else if (denies(place))
		j.verdict = V_DENIED;
	else if (r.err == was.err && (place || leads))
		j.verdict = lost ? V_PRIVATE : V_GRANTED;
	else
		j.verdict = V_MISSING;
	const struct ban *ban = j.verdict == V_MISSING ? banned(pol, a, r.err) : NULL;
	if (ban) {
		j.verdict = V_DENIED;
		j.by = &ban->src;
	}
	const struct src *line = r.err == ENOENT && was.err == ENOENT && op_objects(a->op) == 1 ? vacant(pol, in.seen[0].path) : NULL;
	if (line && j.verdict != V_DENIED) {
		j.verdict = V_GRANTED;
		j.by = line;
	}
	if (j.verdict == V_PRIVATE && !r.err)
		j.why = "thrown away at the end";
	return j;
}

struct judgement policy_judge(const struct policy *pol, const struct access *a, const struct host *h,
                              const struct made *m)
{
	if (access_is_file(a))
		return judge_path(pol, a, h, m);
	return judge_other(pol, a, m);
}
