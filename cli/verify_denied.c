/* verify_denied.c - a confined run's recording, judged under its own policy */
#include "cli/verify_denied.h"

#include "learn/persist.h"
#include "report/view.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static bool failed_before(const struct recording *audit, const char *host)
{
	bool failed = false;
	for (size_t i = 0; i < audit->nevents; i++) {
		const struct event *ev = &audit->events[i];
		if (ev->acc.op != OP_HOST || strcmp(ev->acc.obj[0].spelled, host) != 0)
			continue;
		if (!ev->outcome)
			return false;
		failed = true;
	}
	return failed;
}

static bool was_there(const struct access *x, const struct map *absent)
{
	for (int k = 0; k < op_objects(x->op); k++) {
		const char *path = access_is_file(x) ? x->obj[k].path : NULL;
		if (path && map_find(absent, path, strlen(path)))
			return false;
	}
	return true;
}

/*
 * A change in a place for scratch files: the confined run has one of its own there, in which nothing is left over from
 * earlier runs. What it changes there it has made, whatever the host shows under that name.
 */
static bool own_scratch(const struct access *x, const struct host *h)
{
	static const bool looks[OP_COUNT] = {
		[OP_STAT] = true, [OP_ACCESS] = true, [OP_READLINK] = true, [OP_CHDIR] = true, [OP_EXEC] = true, [OP_LOAD] = true,
		[OP_CONNECT] = true, [OP_SEND] = true,
	};
	bool reads = looks[x->op] || (x->op == OP_OPEN && (x->flags & O_ACCMODE) == O_RDONLY && !(x->flags & O_TRUNC));
	if (!access_is_file(x) || reads)
		return false;
	for (int k = 0; k < op_objects(x->op); k++)
		if (!x->obj[k].path || !persist_scratch(h, x->obj[k].path))
			return false;
	return true;
}

void denied_not_before(struct recording *rec, const struct recording *audit, const struct map *absent)
{
	size_t kept = 0;
	for (size_t i = 0; i < rec->nevents; i++) {
		const struct access *x = &rec->events[i].acc;
		if (x->op == OP_HOST ? !failed_before(audit, x->obj[0].spelled) : was_there(x, absent) && !own_scratch(x, &rec->host))
			rec->events[kept++] = rec->events[i];
	}
	rec->nevents = kept;
}

static const char *one(struct arena *a, const struct finding *f)
{
	const struct judgement *j = &f->judgement;
	if (j->http)
		return arena_fmt(a, "%s is denied (%s: the proxy says %d)", f->what, kind_word(f->kind), j->http);
	return j->err ? arena_fmt(a, "%s is denied (%s: %s)", f->what, kind_word(f->kind), errno_word(a, j->err)) :
	                arena_fmt(a, "%s is denied (%s)", f->what, kind_word(f->kind));
}

int denied_why(const char **why, struct arena *a, struct recording *rec, const struct policy *pol,
               const struct profile *profile, struct err *e)
{
	OWN(lesson) l = { 0 };
	struct recording *recs[] = { rec };
	const struct finding *first = NULL;
	size_t n = 0;
	*why = NULL;
	int r = lesson_make(&l, recs, 1, pol, profile, "denied", e);
	for (size_t i = 0; r == 0 && i < l.nfindings; i++) {
		const struct finding *f = &l.findings[i];
		/* a variable is only ever guessed at, from signs of use */
		if (!f->counts || f->kind == NEED_ENV)
			continue;
		first = first ? first : f;
		n++;
	}
	if (r < 0 || !first)
		return r;
	*why = one(a, first);
	if (*why && n > 1)
		*why = arena_fmt(a, "%s, and %zu more", *why, n - 1);
	return *why ? 0 : err_set(e, ENOMEM, "out of memory");
}

void denied_only(struct recording *rec, const struct policy *pol)
{
	size_t kept = 0;
	for (size_t i = 0; i < rec->nevents; i++) {
		const struct event *ev = &rec->events[i];
		struct judgement j = policy_judge(pol, &ev->acc, &rec->host, NULL);
		bool denied = j.verdict == V_MISSING || j.verdict == V_DENIED;
		if (ev->outcome == 0 && denied)
			rec->events[kept++] = rec->events[i];
	}
	rec->nevents = kept;
	rec->nnets = 0;
}
