/* verify_min.c - suggested lines, taken away */
#include "cli/verify_min.h"

#include "base/path.h"
#include "learn/ddmin.h"
#include "learn/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Of the content of a file; 0 where there is none to read. */
static uint64_t hash_file(const char *path)
{
	char buf[65536];
	uint64_t h = 0x9e3779b97f4a7c15u;
	OWN(fd) f = fd_own(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	ssize_t n = f.plus1 ? 1 : -1;
	while (n > 0) {
		n = read(fd_no(f), buf, sizeof(buf));
		if (n > 0)
			h = (h << 7 | h >> 57) ^ map_hash(buf, (size_t)n);
	}
	return n < 0 ? 0 : h | 1;
}

/* Where the last confined run left what stands at @path on the host; NULL: nowhere. */
static const char *at_work(const struct prover *p, struct arena *a, const char *path)
{
	const struct kept *r = keeper_root(p->t.keep, path);
	if (!r)
		return NULL;
	const char *rest = path + strlen(r->path);
	return *rest ? path_join(a, r->work, rest + 1) : r->work;
}

/* Chunks are read whole but for the last, so a file's hash does not depend on how it was read. */
static uint64_t hash_left(const struct prover *p, const struct change *c)
{
	OWN(arena) a = { 0 };
	const char *at = c->type == FT_FILE && c->kind != CHANGE_REMOVED ? at_work(p, &a, c->path) : NULL;
	return at ? hash_file(at) : 0;
}

int sameness_take(struct sameness *s, struct prover *p, struct err *e)
{
	s->files = arena_array(&p->arena, p->want.n + 1, sizeof(*s->files));
	if (!s->files)
		return err_set(e, ENOMEM, "out of memory");
	for (size_t i = 0; i < p->want.n; i++) {
		uint64_t h = hash_left(p, &p->want.items[i]);
		s->files[i] = h && h == hash_file(p->want.items[i].path) ? h : 0;
	}
	s->printed = hash_file(p->t.out);
	return 0;
}

static bool same(const struct sameness *s, const struct prover *p)
{
	for (size_t i = 0; i < p->want.n; i++)
		if (s->files[i] && s->files[i] != hash_left(p, &p->want.items[i]))
			return false;
	return !s->steady || s->printed == hash_file(p->t.out);
}

struct search {
	struct prover *p;
	const struct sameness *s;
	struct err *e;
};

static int goes_well(void *arg, const bool *keep)
{
	const struct search *q = arg;
	OWN(profile) some = { 0 };
	OWN(ran) ran = { 0 };
	if (lines_some(&some, &q->p->lesson->suggestion, keep) < 0)
		return err_set(q->e, ENOMEM, "out of memory");
	int r = prover_try(q->p, lines_count(&some) ? &some : NULL, &ran, q->e);
	return r < 0 ? r : !ran.why && same(q->s, q->p);
}

/* Findings that a line was for, and that it does without. */
static int unsuggest(struct lesson *l, size_t line)
{
	OWN(arena) a = { 0 };
	const char *mark = lines_mark(&l->suggestion, line, &a);
	for (size_t i = 0; mark && *mark && i < l->nfindings; i++) {
		struct finding *f = &l->findings[i];
		if (!f->grant || !strstr(f->grant, mark))
			continue;
		f->grant = NULL;
		f->note = "it does without (--minimise)";
	}
	return mark ? 0 : -ENOMEM;
}

static int second_run(struct prover *p, struct sameness *s, struct err *e)
{
	OWN(ran) ran = { 0 };
	int r = prover_try(p, &p->lesson->suggestion, &ran, e);
	if (r < 0)
		return r;
	s->steady = s->printed == hash_file(p->t.out);
	for (size_t i = 0; i < p->want.n; i++)
		if (s->files[i] != hash_left(p, &p->want.items[i]))
			s->files[i] = 0;
	return 0;
}

int prover_minimise(struct prover *p, struct sameness *s, struct proof *out, struct err *e)
{
	struct lesson *l = p->lesson;
	size_t n = lines_count(&l->suggestion);
	bool *keep = arena_array(&p->arena, n + 1, sizeof(*keep));
	struct search q = { p, s, e };
	struct ddmin d = { .test = goes_well, .arg = &q, .budget = MIN_RUNS - 1 };
	if (!keep)
		return err_set(e, ENOMEM, "out of memory");
	memset(keep, true, n);
	p->tolerant = true;
	int r = second_run(p, s, e);
	if (r == 0)
		r = ddmin(&d, keep, n);
	if (r < 0)
		return e->code ? r : err_set(e, -r, "%s", strerror(-r));
	out->minimised = true;
	out->min_done = d.done;
	out->lines = (unsigned)n;
	for (size_t i = 0; r == 0 && i < n; i++)
		if (!keep[i])
			r = unsuggest(l, i);
	if (r < 0)
		return err_set(e, ENOMEM, "out of memory");
	lines_drop(&l->suggestion, keep);
	out->kept = (unsigned)lines_count(&l->suggestion);
	l->suggests = out->kept > 0 || l->suggestion.network.src.origin;
	return 0;
}
