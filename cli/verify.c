/* verify.c - the order of a verification, and what is said of it */
#include "cli/verify.h"

#include "cli/output.h"

#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * Before the audit: profiles must be ones that may be applied; the project and whatever the requested profiles make
 * writable are copied. After it: what the suggestion makes writable is copied and put back to what it was before, as
 * far as the recording tells. Then the command runs confined in copies, with the suggestion and, where that went well,
 * without: only if that goes worse the suggestion was what it needed.
 */

enum { LIMIT_MIB = 1024, SLOWER = 10, PATIENCE_MS = 60000 };

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void hold_signals(struct verify *v)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < LEN(signals); i++)
		sigaddset(&set, signals[i]);
	v->masked = sigprocmask(SIG_BLOCK, &set, &v->mask) == 0;
}

static void let_signals(struct verify *v)
{
	if (v->masked)
		sigprocmask(SIG_SETMASK, &v->mask, NULL);
	v->masked = false;
}

void verify_clean(struct verify *v)
{
	spool_drop(&v->in);
	keeper_drop(&v->keep);
}

void verify_drop(struct verify *v)
{
	verify_clean(v);
	let_signals(v); /* last: one that was waiting may end us */
	arena_drop(&v->arena);
	*v = (struct verify){ 0 };
}

/* Also where memory is out there must be a reason. */
static const char *PRINTF(2, 3) said(struct verify *v, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	const char *s = arena_str(&v->arena, text);
	return s ? s : "memory ran out";
}

/* What went beyond the limit names the option that raises it. */
static const char *limited(struct verify *v, const char *lead, const struct err *e)
{
	return said(v, "%s%s%s", lead, e->msg, e->code == EFBIG ? " (--verify-limit)" : "");
}

/* ---- before ---- */

static int make_dir(struct verify *v, const char *dir, struct err *e)
{
	if (dir) {
		v->dir = path_join(&v->arena, dir, "verify");
	} else {
		const char *tmp = getenv("TMPDIR");
		char *name = arena_fmt(&v->arena, "%s/snug-verify-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
		if (name && !mkdtemp(name))
			return err_sys(e, "making %s", name);
		if (name && rmdir(name) < 0) /* keeper_open() makes it */
			return err_sys(e, "%s", name);
		v->dir = name;
	}
	return v->dir ? 0 : err_set(e, ENOMEM, "out of memory");
}

static int keep_all(struct verify *v, const struct setup *s, struct err *e)
{
	struct wordlist paths = { 0 };
	if (keeper_wants(&paths, &v->arena, &s->policy) < 0)
		return err_set(e, ENOMEM, "out of memory");
	int r = s->host.project ? keeper_add(&v->keep, s->host.project, e) : 0;
	for (size_t i = 0; r == 0 && i < paths.n; i++)
		r = keeper_add(&v->keep, paths.items[i].text, e);
	return r;
}

/* An untrusted profile is refused before anything runs; what else is wrong with them the confined run will tell. */
static int check_trust(struct cli_opts *o, struct err *e)
{
	OWN(setup) s = { 0 };
	struct err why = { 0 };
	int r = setup_compose(&s, o, FIND_APPLY, &why);
	if (r != -EACCES)
		return 0;
	*e = why;
	return err_wrap(e, "--verify");
}

int verify_begin(struct verify *v, struct cli_opts *o, const struct setup *s, const char *dir, const char *store,
                 struct err *e)
{
	uint64_t limit = o->verify_limit ? o->verify_limit : (uint64_t)LIMIT_MIB << 20;
	struct err why = { 0 };
	int r = check_trust(o, e);
	if (r < 0)
		return r;
	hold_signals(v);
	if (setup_refused(o, &s->host, &why) < 0) {
		v->reason = said(v, "run refuses: %s", why.msg);
		r = 0;
	} else {
		r = make_dir(v, dir, &why);
		if (r == 0)
			r = keeper_open(&v->keep, v->dir, limit, store, &why);
		v->keep.host = &s->host;
		if (r == 0)
			r = keep_all(v, s, &why);
		const char *in = r == 0 ? path_join(&v->arena, v->dir, "stdin") : NULL;
		if (in)
			r = spool_open(&v->in, in, limit, &why);
	}
	if (r < 0 && keeper_stop()) {
		*e = why;
		return -EINTR;
	}
	if (r < 0)
		v->reason = limited(v, "the state before could not be kept: ", &why);
	let_signals(v);
	v->began_ms = now_ms();
	return 0;
}

/* ---- after ---- */

/* What the proof needs beyond struct trial. */
struct after {
	struct map absent;
	struct changes recorded, want;
	struct listing kept, now;
	struct trial t;
};

static void after_drop(struct after *a)
{
	map_drop(&a->absent);
	listing_drop(&a->kept);
	listing_drop(&a->now);
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
static int find_want(struct after *a, struct verify *v, const struct host *h, struct err *e)
{
	int r = keeper_list(&a->kept, &v->keep, false, e);
	if (r == 0)
		r = keeper_list_host(&a->now, &v->keep, e);
	if (r < 0)
		return r;
	if (changes_find(&a->want, &v->arena, &a->kept, &a->now) < 0)
		return err_set(e, ENOMEM, "out of memory");
	for (size_t i = 0; i < a->want.n; i++) {
		const struct kept *in = keeper_root(&v->keep, a->want.items[i].path);
		a->want.items[i].any_mode = in && !in->there && strcmp(in->path, a->want.items[i].path) == 0;
	}
	for (size_t i = 0; i < a->recorded.n; i++) {
		struct change *slot = counts(&v->keep, h, &a->recorded.items[i]) ? ARENA_PUSH(&v->arena, &a->want, items, n) : NULL;
		if (slot)
			*slot = a->recorded.items[i];
		else if (counts(&v->keep, h, &a->recorded.items[i]))
			return err_set(e, ENOMEM, "out of memory");
	}
	if (a->want.n)
		qsort(a->want.items, a->want.n, sizeof(*a->want.items), order);
	return 0;
}

/* Keep what @s makes writable, as it was before. */
static int keep_more(struct verify *v, const struct after *a, const struct setup *s, struct err *e)
{
	struct wordlist paths = { 0 };
	if (keeper_wants(&paths, &v->arena, &s->policy) < 0)
		return err_set(e, ENOMEM, "out of memory");
	int r = 0;
	for (size_t i = 0; r == 0 && i < paths.n; i++)
		r = keeper_add_after(&v->keep, paths.items[i].text, &a->absent, &a->recorded, e);
	return r;
}

static int write_suggestion(const char *path, const struct lesson *l, struct err *e)
{
	OWN(str) yaml = { 0 };
	profile_write(&yaml, &l->suggestion);
	return yaml.oom ? err_set(e, ENOMEM, "out of memory") : output_write(path, true, 0600, str_c(&yaml), yaml.len, e);
}

/* One confined run; a set-up that fails is a run that went badly. */
static int attempt(struct verify *v, struct after *a, const char *suggestion, struct ran *ran, struct proof *out, struct err *e)
{
	OWN(setup) s = { 0 };
	struct err why = { 0 };
	out->runs++;
	if (trial_setup(&s, &a->t, suggestion, &why) < 0) {
		ran->why = arena_fmt(&ran->arena, "it could not be confined: %s", why.msg);
		return ran->why ? 0 : err_set(e, ENOMEM, "out of memory");
	}
	int r = suggestion ? keep_more(v, a, &s, e) : 0;
	if (r == 0 && !a->want.items)
		r = find_want(a, v, a->t.before, e);
	a->t.want = &a->want;
	return r < 0 ? r : trial_run(ran, &a->t, &s, e);
}

static int prove(struct verify *v, struct after *a, const struct lesson *l, struct proof *out, struct err *e)
{
	OWN(ran) with = { 0 };
	OWN(ran) without = { 0 };
	const char *file = l->suggests ? path_join(&v->arena, v->dir, "suggested.yaml") : NULL;
	int r = file ? write_suggestion(file, l, e) : 0;
	if (r == 0)
		r = attempt(v, a, file, &with, out, e);
	if (r < 0)
		return r;
	if (with.why) {
		out->reason = said(v, "confined, %s", with.why);
		return 0;
	}
	if (l->suggests) {
		r = attempt(v, a, NULL, &without, out, e);
		if (r < 0)
			return r;
		if (!without.why) {
			out->reason = "it goes as well without the suggestion";
			return 0;
		}
		out->without = said(v, "%s", without.why);
	}
	out->holds = true;
	return 0;
}

static int timeout_of(const struct verify *v, const struct cli_opts *o)
{
	uint64_t took = now_ms() - v->began_ms;
	return o->timeout_s ? o->timeout_s * 1000 : (int)MIN(took * SLOWER + PATIENCE_MS, (uint64_t)INT32_MAX);
}

/* Why there is nothing to try, NULL where there is. */
static const char *hopeless(struct verify *v, const struct record *rec, const struct lesson *l)
{
	struct err why = { 0 };
	if (v->reason)
		return v->reason;
	if (rec->timed_out)
		return "the command was ended by --timeout";
	if (l->nincomplete)
		return said(v, "not everything was seen: %s", l->incomplete[0]);
	return spool_end(&v->in, &why) < 0 ? limited(v, "", &why) : NULL;
}

void verify_end(struct verify *v, struct cli_opts *o, const struct setup *s, const struct record *rec,
                const struct lesson *l, struct proof *out)
{
	struct err e = { 0 };
	struct after a = { 0 };
	*out = (struct proof){ .asked = true, .reason = hopeless(v, rec, l) };
	if (out->reason)
		return;
	hold_signals(v);
	const char *dir = path_parent(&v->arena, v->dir);
	const char *place = o->no_keep ? v->dir : dir;
	const char *const files[] = { place ? path_join(&v->arena, place, "verify.out") : NULL,
	                              place ? path_join(&v->arena, place, "verify.err") : NULL };
	a.t = (struct trial){ .o = o, .before = &s->host, .absent = &a.absent, .keep = &v->keep, .in = &v->in, .out = files[0],
	                      .err = files[1], .status = rec->rec.status, .timeout_ms = timeout_of(v, o) };
	int r = files[0] && files[1] && absent_before(&a.absent, &rec->rec) == 0 &&
	        changes_recorded(&a.recorded, &v->arena, &rec->rec) == 0 ? 0 : err_set(&e, ENOMEM, "out of memory");
	v->keep.copy.stop = keeper_stop;
	if (r == 0)
		r = keeper_originals(&v->keep, &e);
	if (r == 0)
		r = prove(v, &a, l, out, &e);
	if (r < 0)
		out->reason = keeper_stop() ? "interrupted" : limited(v, "", &e);
	after_drop(&a);
}
