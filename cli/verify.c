/* verify.c - the order of a verification, and what is said of it */
#include "cli/verify.h"

#include "base/path.h"

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
	for (size_t i = 0; i < LEN(v->more); i++)
		recording_drop(&v->more[i]);
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

void verify_end(struct verify *v, struct cli_opts *o, const struct setup *s, struct record *rec, struct lesson *l,
                struct proof *out)
{
	struct err e = { 0 };
	OWN(prover) p = { 0 };
	*out = (struct proof){ .asked = true, .reason = hopeless(v, rec, l) };
	if (out->reason)
		return;
	hold_signals(v);
	const char *place = o->no_keep ? v->dir : path_parent(&v->arena, v->dir);
	p = (struct prover){
		.policy = &s->policy, .profile = &s->profile, .rec = &rec->rec, .lesson = l, .more = v->more, .keep_text = &v->arena,
		.minimise = o->minimise,
		.file = path_join(&v->arena, v->dir, "suggested.yaml"),
		.t = { .o = o, .before = &s->host, .absent = &p.absent, .keep = &v->keep, .in = &v->in,
		       .out = place ? path_join(&v->arena, place, "verify.out") : NULL,
		       .err = place ? path_join(&v->arena, place, "verify.err") : NULL,
		       .status = rec->rec.status, .timeout_ms = timeout_of(v, o) },
	};
	int r = p.file && p.t.out && p.t.err && absent_before(&p.absent, &rec->rec) == 0 &&
	        changes_recorded(&p.recorded, &p.arena, &rec->rec) == 0 ? 0 : err_set(&e, ENOMEM, "out of memory");
	v->keep.copy.stop = keeper_stop;
	if (r == 0)
		r = keeper_originals(&v->keep, &e);
	if (r == 0)
		r = prover_prove(&p, out, &e);
	if (r < 0)
		out->reason = keeper_stop() ? "interrupted" : limited(v, "", &e);
}
