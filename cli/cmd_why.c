/* cmd_why.c - snug why: which process needed it, through which programs; which profile grants it */
#include "cli/cmd.h"
#include "cli/hint.h"
#include "cli/load.h"

#include "base/esc.h"
#include "base/map.h"
#include "base/path.h"
#include "base/str.h"
#include "learn/facts.h"
#include "report/view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINES_MAX = 100, TRIES_MAX = 8 };

/* Accesses of one process, operation and answer: said once, with their number. */
struct why_line {
	const struct event *ev;
	struct judgement j;
	uint64_t count;
	bool below;
};

struct why {
	struct arena arena;
	const struct cli_opts *o;
	const char *word, *path;
	struct map seen; /* of line keys -> index + 1 */
	struct { struct why_line *items; size_t n; } lines;
	bool exact;
};

static void why_drop(struct why *w)
{
	map_drop(&w->seen);
	arena_drop(&w->arena);
}

/* @word as an absolute path under the host that recorded, NULL where it is none. */
static const char *as_path(struct arena *a, const char *word, const struct host *h)
{
	static const char project[] = "{project}";
	char cwd[4096];
	if (*word == '~' && (word[1] == '/' || !word[1]) && h->home)
		return path_join(a, h->home, word[1] ? word + 2 : ".");
	if (!strncmp(word, project, sizeof(project) - 1) && h->project) {
		const char *rest = word + sizeof(project) - 1;
		return path_join(a, h->project, *rest == '/' ? rest + 1 : ".");
	}
	if (*word == '/')
		return path_join(a, "/", word);
	if (!strchr(word, '/') && access(word, F_OK) < 0)
		return NULL; /* a host or a variable */
	return getcwd(cwd, sizeof(cwd)) && *cwd == '/' ? path_join(a, cwd, word) : NULL;
}

/* "example.org" is example.org at any port. */
static bool names_host(const char *spelled, const char *word)
{
	size_t len = strlen(word);
	return !strncmp(spelled, word, len) && (!spelled[len] || spelled[len] == ':');
}

/* 0 not this, 1 below it, 2 itself */
static int matches(struct why *w, const struct access *a)
{
	int best = 0;
	const char *name = access_is_file(a) ? NULL : access_name(&w->arena, a);
	if (name && !strcmp(name, w->word))
		return 2;
	for (int i = 0; i < op_objects(a->op); i++) {
		const struct object *o = &a->obj[i];
		if (o->spelled && (!strcmp(o->spelled, w->word) ||
		                   (!access_is_file(a) && names_host(o->spelled, w->word))))
			return 2;
		if (!w->path)
			continue;
		if (o->path && !strcmp(o->path, w->path))
			return 2;
		for (size_t k = 0; k < o->nhops; k++)
			if (!strcmp(o->hops[k].path, w->path))
				return 2;
		if (o->path && path_below(o->path, w->path))
			best = 1;
	}
	return best;
}

static int add_line(struct why *w, const struct event *ev, const struct judgement *j, bool below, struct err *e)
{
	int fresh;
	const char *key = arena_fmt(&w->arena, "%u %d %d %d %d %p %d", ev->proc, (int)ev->acc.op, ev->outcome,
	                            (int)j->verdict, j->err, (const void *)j->by, below);
	void **slot = key ? map_put(&w->seen, key, strlen(key), &fresh) : NULL;
	struct why_line *line = !slot ? NULL : fresh ? ARENA_PUSH(&w->arena, &w->lines, items, n) :
	                        &w->lines.items[(uintptr_t)*slot - 1];
	if (!line)
		return err_set(e, ENOMEM, "out of memory");
	if (fresh) {
		*slot = (void *)(uintptr_t)w->lines.n;
		*line = (struct why_line){ .ev = ev, .j = *j, .below = below };
	}
	line->count += ev->count;
	w->exact |= !below;
	return 0;
}

/* Judge the whole recording in order, since what the command made itself decides about what it uses later. */
static int collect(struct why *w, const struct recording *rec, const struct policy *pol, struct err *e)
{
	OWN(made) made = { 0 };
	for (size_t i = 0; i < rec->nevents; i++) {
		const struct event *ev = &rec->events[i];
		struct judgement j = policy_judge(pol, &ev->acc, &rec->host, &made);
		if (ev->outcome == 0 && made_apply(&made, pol, &ev->acc, &j) < 0)
			return err_set(e, ENOMEM, "out of memory");
		int m = matches(w, &ev->acc);
		int r = m ? add_line(w, ev, &j, m == 1, e) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

/* "missing: would be ENOENT, nothing grants it"; "granted by builtin:node:5" */
static void print_verdict(struct str *out, struct why *w, const struct recording *rec, const struct event *ev,
                          const struct judgement *j)
{
	bool said = j->by && j->by->origin && strcmp(j->by->origin, "default") != 0;
	str_add(out, verdict_word(j->verdict));
	if (j->verdict == V_MISSING) {
		if (ev->acc.op == OP_ENV)
			str_add(out, ": would be unset");
		else if (j->err)
			str_fmt(out, ": would be %s", errno_word(&w->arena, j->err));
		str_add(out, said ? ", " : ", nothing grants it");
	}
	if (said) {
		str_add(out, j->verdict == V_MISSING ? "decided by " : " by ");
		esc_term(out, j->by->origin);
		if (j->by->line)
			str_fmt(out, ":%u", j->by->line);
	}
	if (j->verdict != V_MISSING && j->err)
		str_fmt(out, ", %s there too", errno_word(&w->arena, j->err));
	if (j->why && *j->why && j->verdict != V_GRANTED)
		str_fmt(out, " (%s)", j->why);
	if (access_asks_only(rec, ev, j))
		str_add(out, "; only asked whether it may be written, so no finding");
}

static void print_line(struct str *out, struct why *w, const struct recording *rec, const struct why_line *line,
                       size_t shown)
{
	const struct access *a = &line->ev->acc;
	const struct judgement *j = &line->j;
	OWN(str) chain = { 0 };
	const struct proc *p = line->ev->proc && line->ev->proc <= rec->nprocs ? &rec->procs[line->ev->proc - 1] : NULL;
	recording_chain(rec, line->ev->proc, &chain);
	str_fmt(out, "  %s", op_word(a->op));
	if (line->below && a->obj[0].path) {
		const char *s = host_shorten(&rec->host, &w->arena, a->obj[0].path);
		str_add(out, line->count > 1 ? " below it, first " : " below it: ");
		esc_term(out, s ? s : "");
	}
	if (line->ev->outcome)
		str_fmt(out, ", failed with %s", errno_word(&w->arena, line->ev->outcome));
	if (line->count > 1)
		str_fmt(out, ", %llu times", (unsigned long long)line->count);
	str_add(out, "\n    by ");
	esc_term(out, str_c(&chain));
	if (p && p->package) {
		str_add(out, "\n    for ");
		esc_term(out, p->package);
		str_add(out, p->script ? " " : "");
		esc_term(out, p->script ? p->script : "");
	}
	str_add(out, "\n    ");
	print_verdict(out, w, rec, line->ev, j);
	if (j->verdict == V_MISSING && shown < TRIES_MAX) {
		const char *name = hint_event(&w->arena, w->o, rec, line->ev);
		if (name)
			str_fmt(out, "; +%s would grant it", name);
	}
	str_add_char(out, '\n');
}

static void print(struct why *w, const struct recording *rec)
{
	OWN(str) out = { 0 };
	size_t shown = 0, hidden = 0;
	esc_term(&out, w->word);
	str_add_char(&out, '\n');
	for (size_t i = 0; i < w->lines.n; i++) {
		if (w->exact && w->lines.items[i].below)
			continue;
		if (shown++ < LINES_MAX)
			print_line(&out, w, rec, &w->lines.items[i], shown);
		else
			hidden++;
	}
	if (hidden)
		str_fmt(&out, "  %zu more\n", hidden);
	fputs(str_c(&out), stdout);
}

int cmd_why(struct cli_opts *o, struct err *e)
{
	OWN(load) l = { 0 };
	OWN(why) w = { 0 };
	if (o->nargs < 1 || o->nargs > 2) {
		fprintf(stderr, "snug: usage: snug why [+P..] PATH|HOST|VAR [RUN]\n");
		return EXIT_USAGE;
	}
	int r = load_runs(&l, o, o->args + 1, o->nargs - 1, e);
	if (r == 0)
		r = load_policy(&l, o, e);
	if (r < 0)
		return r;
	w.o = o;
	w.word = o->args[0];
	w.path = as_path(&w.arena, w.word, &l.recs[0]->host);
	r = collect(&w, l.recs[0], &l.setup.policy, e);
	if (r < 0)
		return r;
	if (!w.lines.n) {
		OWN(str) s = { 0 };
		esc_term(&s, w.word);
		printf("nothing in this run used %s\n", str_c(&s));
		return 1;
	}
	print(&w, l.recs[0]);
	return 0;
}
