/* text.c - a report for people: one line per finding, grouped by who did it */
#include "report/text.h"

#include "base/esc.h"
#include "base/path.h"
#include "base/str.h"
#include "report/group.h"

#include <errno.h>
#include <string.h>

/* Widths of the columns of one heading. */
struct columns {
	size_t kind, what, verdict;
};

static const struct { const char *begin, *end; } BOLD = { "\033[1m", "\033[0m" }, RED = { "\033[31m", "\033[0m" };

/* Columns a terminal shows: code points, near enough. */
static size_t columns_of(const char *s)
{
	size_t n = 0;
	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* @s in a column of @width, and the two blanks between columns. */
static void pad(struct str *out, const char *s, size_t width)
{
	str_add(out, s);
	for (size_t n = columns_of(s); n < width; n++)
		str_add_char(out, ' ');
	str_add(out, "  ");
}

static const char *escaped(struct arena *a, const char *s)
{
	OWN(str) t = { 0 };
	esc_term(&t, s ? s : "");
	const char *got = t.oom ? NULL : arena_str(a, str_c(&t));
	return got ? got : "";
}

/* Shell text as it is, so that it works when pasted: a backslash harms no terminal. Anything else is escaped. */
static const char *pasteable(struct arena *a, const char *s)
{
	const char *safe = escaped(a, s);
	size_t backslashes = 0;
	for (const char *p = strchr(s, '\\'); p; p = strchr(p + 1, '\\'))
		backslashes++;
	return strlen(safe) == strlen(s) + backslashes ? s : safe;
}

static const char *by_text(struct arena *a, const struct src *by)
{
	if (!by || !by->origin)
		return "nothing grants it";
	const char *s = by->line ? arena_fmt(a, "%s:%u", by->origin, by->line) : by->origin;
	return s ? s : "";
}

/* The verdict, in words that say what a confined run would meet. */
static const char *verdict_text(struct arena *a, const struct finding *f)
{
	const struct judgement *j = &f->judgement;
	const char *s = NULL;
	switch (j->verdict) {
	case V_GRANTED:
		s = arena_fmt(a, "granted by %s", by_text(a, j->by));
		break;
	case V_PRIVATE:
		s = f->heading == HEAD_LOST ? "works, thrown away at the end" : "private, nothing to grant";
		break;
	case V_DENIED:
		s = arena_fmt(a, "denied by %s%s%s", by_text(a, j->by), j->err ? ": would be " : "",
		              j->err ? errno_word(a, j->err) : "");
		break;
	case V_MISSING:
		if (j->http)
			s = arena_fmt(a, "missing: the proxy would say %d", j->http);
		else if (f->kind == NEED_ENV)
			s = "missing: would be unset";
		else if (j->err)
			s = arena_fmt(a, "missing: would be %s", errno_word(a, j->err));
		else
			s = "missing";
		break;
	}
	return s ? s : "";
}

static const char *kinds_text(struct arena *a, const struct group *g)
{
	OWN(str) s = { 0 };
	for (unsigned k = 0; k <= NEED_ENV; k++)
		if (g->kinds & 1u << k)
			str_fmt(&s, "%s%s", s.len ? ", " : "", kind_word((enum need_kind)k));
	const char *got = arena_str(a, str_c(&s));
	return got ? got : "";
}

static const char *what_text(struct arena *a, const struct group *g)
{
	OWN(str) s = { 0 };
	if (g->n == 1)
		return escaped(a, g->f->what);
	if (g->common)
		str_fmt(&s, "%s (%zu paths)", escaped(a, arena_mem(a, g->f->what, g->common)), g->n);
	else
		str_fmt(&s, "%s (and %zu more)", escaped(a, g->f->what), g->n - 1);
	const char *got = arena_str(a, str_c(&s));
	return got ? got : "";
}

/* What stands behind the verdict: the line that would cover it, and remarks. */
static void row_tail(struct str *out, struct arena *a, const struct group *g, const struct report *r)
{
	uint32_t nruns = r->lesson->nruns;
	enum risk risk = finding_risk(g->f, &r->recs[0]->host);
	const struct finding *f = g->f;
	const char *lead = "";
	if (f->grant) {
		str_fmt(out, "grant: %s", escaped(a, f->grant));
		lead = "; ";
	}
	if (g->note) {
		str_fmt(out, "%s%s", lead, escaped(a, g->note));
		lead = "; ";
	}
	if (f->judgement.at && f->heading == HEAD_NEEDS && f->path && strcmp(f->judgement.at, f->path) != 0 &&
	    !f->grant && !g->note) {
		str_fmt(out, "%sbecause of %s", lead, escaped(a, f->judgement.at));
		lead = "; ";
	}
	if (risk != RISK_NONE && g->f->heading <= HEAD_LOST) {
		str_fmt(out, "%srisk: %s", lead, risk_word(risk));
		lead = "; ";
	}
	if (g->whos > 1) {
		str_fmt(out, "%sby %zu programs", lead, g->whos);
		lead = "; ";
	}
	if (nruns > 1 && f->runs < nruns)
		str_fmt(out, "%sin %u of %u runs", lead, f->runs, nruns);
}

static size_t widened(size_t have, const char *s, size_t limit)
{
	size_t n = columns_of(s);
	return MAX(have, n < limit ? n : limit);
}

static void measure(struct columns *c, struct arena *a, const struct group *g)
{
	c->kind = widened(c->kind, kinds_text(a, g), 24);
	c->what = widened(c->what, what_text(a, g), 44);
	c->verdict = widened(c->verdict, verdict_text(a, g->f), 40);
}

static void row(struct str *out, struct arena *a, const struct group *g, const struct columns *c,
                const struct report *r, const struct term *t)
{
	OWN(str) line = { 0 };
	OWN(str) tail = { 0 };
	const char *verdict = verdict_text(a, g->f), *what = what_text(a, g);
	bool red = t->colour && g->f->heading == HEAD_NEEDS;
	str_add(&line, "    ");
	pad(&line, kinds_text(a, g), c->kind);
	pad(&line, what, c->what);
	size_t used = 4 + c->kind + 2 + MAX(c->what, columns_of(what)) + 2;
	row_tail(&tail, a, g, r);
	if (red)
		str_add(&line, RED.begin);
	bool wraps = tail.len && used + MAX(c->verdict, columns_of(verdict)) + 2 + columns_of(str_c(&tail)) > t->width;
	if (tail.len && !wraps)
		pad(&line, verdict, c->verdict);
	else
		str_add(&line, verdict);
	if (red)
		str_add(&line, RED.end);
	if (wraps) {
		str_add(&line, "\n    ");
		pad(&line, "", c->kind + 2);
	}
	str_fmt(out, "%s%s\n", str_c(&line), str_c(&tail));
}

static void heading_line(struct str *out, const char *title, const struct term *t)
{
	str_fmt(out, "\n%s%s%s\n", t->colour ? BOLD.begin : "", title, t->colour ? BOLD.end : "");
}

/* Rows of one heading from @from on, at most @room; *@hidden gets what did not fit. Returns how many were shown. */
static size_t section(struct str *out, struct arena *a, const struct view *v, size_t from, size_t room, bool remarks,
                      size_t *hidden, const struct report *r, const struct term *t)
{
	struct columns c = { 0 };
	const char *who = NULL;
	size_t all, n;
	const struct group *groups = group_all(a, v, from, remarks, &all);
	if (!groups) {
		out->oom = 1;
		return 0;
	}
	n = MIN(all, room);
	*hidden += all - n;
	if (n)
		heading_line(out, heading_word(v->rows[from]->heading), t);
	for (size_t i = 0; i < n; i++)
		measure(&c, a, &groups[i]);
	for (size_t i = 0; i < n; i++) {
		const char *now = finding_who(groups[i].f);
		if (!who || strcmp(who, now) != 0)
			str_fmt(out, "  by %s\n", escaped(a, now));
		who = now;
		row(out, a, &groups[i], &c, r, t);
	}
	return n;
}

static bool is_base(const struct src *s)
{
	return s && s->origin && !strcmp(s->origin, "builtin:base");
}

/*
 * --show-granted: lines of the requested profiles that were used, those that nobody used, and then base's that were.
 * Of base's unused ones nobody wants to hear.
 */
static const struct { const char *title; bool used, base; } use_lists[] = {
	{ "already granted by", true, false }, { "granted, but not used", false, false },
	{ "already granted by base", true, true },
};

/* Prints what there is @room for; *@hidden gets the number of lines that did not fit. */
static void uses(struct str *out, struct arena *a, const struct report *r, size_t room, size_t *hidden,
                 const struct term *t)
{
	const struct lesson *l = r->lesson;
	size_t shown = 0;
	for (size_t k = 0; k < LEN(use_lists); k++) {
		bool begun = false;
		for (size_t i = 0; i < l->nuses; i++) {
			const struct grant_use *u = &l->uses[i];
			if ((u->count != 0) != use_lists[k].used || is_base(u->src) != use_lists[k].base)
				continue;
			if (shown == room) {
				++*hidden;
				continue;
			}
			if (!begun)
				heading_line(out, use_lists[k].title, t);
			begun = true;
			shown++;
			str_add(out, "    ");
			pad(out, by_text(a, u->src), 22);
			if (u->count) {
				pad(out, escaped(a, u->text), 40);
				str_fmt(out, "%llu time%s\n", (unsigned long long)u->count, u->count == 1 ? "" : "s");
			} else {
				str_fmt(out, "%s\n", escaped(a, u->text));
			}
		}
	}
}

/* "base, node": what it was judged under. */
static void profiles_text(struct str *out, const struct report *r, struct arena *a)
{
	const struct wordlist *w = &r->pol->profiles;
	for (size_t i = 0; i < w->n; i++) {
		const char *name = w->items[i].text;
		if (!strncmp(name, "builtin:", 8))
			name += 8;
		str_fmt(out, "%s%s", i ? ", " : "", escaped(a, name));
	}
	if (!w->n)
		str_add(out, "no profile");
}

/* Clean says nothing about what was not looked at. */
static const char *clean_text(const struct report *r)
{
	const char *scope = report_scope(r);
	return !strcmp(scope, "hosts") ? "no host outside; files were not looked at" :
	       !strcmp(scope, "files") ? "nothing outside among files; hosts were not looked at" : "all that it needed is granted";
}

static void summary(struct str *out, struct arena *a, const struct view *v, const struct report *r)
{
	const struct lesson *l = r->lesson;
	OWN(str) under = { 0 };
	OWN(str) findings = { 0 };
	profiles_text(&under, r, a);
	if (findings_text(&findings, l, r->check_all))
		str_fmt(out, "snug: under %s: %s", str_c(&under), str_c(&findings));
	else if (l->nincomplete)
		str_fmt(out, "snug: under %s: no finding, but not everything was seen", str_c(&under));
	else if (v->counts[HEAD_LOST])
		str_fmt(out, "snug: under %s: it would work, but what it wrote would be lost", str_c(&under));
	else if (v->counts[HEAD_NEEDS])
		str_fmt(out, "snug: under %s: no finding that counts, but not all that it looked at is granted", str_c(&under));
	else
		str_fmt(out, "snug: under %s: clean, %s", str_c(&under), clean_text(r));
	if (r->timed_out)
		str_add(out, "; the command was ended by --timeout");
	else if (l->status > 128)
		str_fmt(out, "; the command was killed by signal %d", l->status - 128);
	else if (l->status > 0)
		str_fmt(out, "; the command failed with %d", l->status);
	if (l->nruns > 1)
		str_fmt(out, "; %u runs", l->nruns);
	str_add_char(out, '\n');
	for (size_t i = 0; i < l->nincomplete; i++)
		str_fmt(out, "snug: incomplete: %s\n", escaped(a, l->incomplete[i]));
}

/* One line for headings that are no findings and were not listed. */
static void rest(struct str *out, const struct view *v, const bool *listed, size_t max_rows, const struct report *r)
{
	const char *lead = "snug: not counted: ";
	for (enum heading h = HEAD_PROBE; h < HEAD_GRANTED; h++) {
		if (!v->counts[h] || listed[h])
			continue;
		str_fmt(out, "%s%zu %s", lead, v->counts[h], heading_word(h));
		lead = ", ";
	}
	if (max_rows && v->nremarks) {
		str_fmt(out, "%s%zu private directories listed", lead, v->nremarks);
		lead = ", ";
	}
	if (*lead == ',')
		str_fmt(out, "%s%s%s\n", r->more ? " (" : "", r->more ? r->more : "", r->more ? ")" : "");
}

/* There are findings, and nothing that one could write into a profile. */
static bool no_line_helps(const struct report *r)
{
	const struct lesson *l = r->lesson;
	return report_findings(l, false) && !l->suggests && !l->suggestion.comments.n &&
	       !(l->network_none_by && l->needs_network);
}

static const char *suggestion_remark(const struct report *r)
{
	if (r->lesson->suggests)
		return "";
	if (r->lesson->suggestion.comments.n)
		return " (commented lines only: take the \"# \" off those you want)";
	return no_line_helps(r) ? " (grants nothing: no line is known that would)" : " (grants nothing: nothing is missing)";
}

/* What the next command will still meet. */
static void left(struct str *out, const struct lesson *l)
{
	size_t n = report_left(l), all = report_findings(l, false);
	str_fmt(out, "snug: left out of that: %zu of %zu accesses, for what is said there\n", n, all);
}

/* Descriptors are handed on only when named: whether the command uses them, nobody saw. */
static void given(struct str *out, struct arena *a, const struct report *r)
{
	for (size_t i = 0; i < r->lesson->ngiven; i++) {
		const struct given_fd *g = &r->lesson->given[i];
		bool nameless = path_under(g->path, "/proc/self/fd");
		str_fmt(out, "%s%u (%s)", i ? ", " : "snug: hint: confined it gets no descriptor ", g->fd,
		        nameless ? "a pipe" : escaped(a, host_shorten(&r->recs[0]->host, a, g->path)));
	}
	for (size_t i = 0; i < r->lesson->ngiven; i++)
		str_fmt(out, "%s--keep-fd=%u", i ? " " : "; if it uses that: ", r->lesson->given[i].fd);
	if (r->lesson->ngiven)
		str_add_char(out, '\n');
}

static void ending(struct str *out, struct arena *a, const struct report *r)
{
	const struct src *none = r->lesson->network_none_by;
	if (none && r->lesson->needs_network)
		str_fmt(out, "snug: %s says no network; --network proxy lifts it\n", by_text(a, none));
	if (r->hint)
		str_fmt(out, "snug: hint: +%s would grant %zu of %zu accesses\n", r->hint, r->hint_covers,
		        report_findings(r->lesson, false));
	if (r->suggestion)
		str_fmt(out, "snug: suggested: %s%s\n", pasteable(a, r->suggestion), suggestion_remark(r));
	if (r->proof.asked) {
		OWN(str) line = { 0 };
		proof_text(&line, &r->proof);
		str_fmt(out, "snug: %s\n", escaped(a, str_c(&line)));
		str_clear(&line);
		if (r->proof.minimised) {
			proof_min_text(&line, &r->proof);
			str_fmt(out, "snug: %s\n", str_c(&line));
		}
	}
	if (no_line_helps(r))
		str_add(out, "snug: nothing is suggested for what is listed: a confined run meets it as said there\n");
	else if (r->next && report_left(r->lesson))
		left(out, r->lesson);
	if (r->next)
		given(out, a, r);
	if (r->next)
		str_fmt(out, "snug: next: %s\n", pasteable(a, r->next));
	else if (r->no_next)
		str_fmt(out, "snug: no next command: %s\n", escaped(a, r->no_next));
}

/* Does a row of the heading that begins at @from make --check=all fail, as was asked? */
static bool counted(const struct view *v, size_t from, const struct report *r)
{
	for (size_t i = from; r->check_all && i < from + v->counts[v->rows[from]->heading]; i++)
		if (v->rows[i]->counts_all)
			return true;
	return false;
}

int text_write(struct str *out, const struct report *r, const struct term *t, size_t max_rows, struct err *e)
{
	OWN(arena) a = { 0 };
	OWN(view) v = { 0 };
	bool listed[HEAD_GRANTED + 1] = { 0 }, any = false;
	size_t room = max_rows ? max_rows : SIZE_MAX, hidden = 0;
	int rc = view_make(&v, r->lesson, r->show_granted || r->check_all, e);
	if (rc < 0)
		return rc;
	summary(out, &a, &v, r);
	for (size_t i = 0; i < v.nrows; i += v.counts[v.rows[i]->heading]) {
		enum heading h = v.rows[i]->heading;
		bool wanted = h == HEAD_GRANTED ? r->network_only : h <= HEAD_LOST || !max_rows || counted(&v, i, r);
		if (!wanted)
			continue;
		size_t n = section(out, &a, &v, i, room, !max_rows, &hidden, r, t);
		room -= n;
		listed[h] = n > 0;
		any |= listed[h];
	}
	if (r->show_granted)
		uses(out, &a, r, room, &hidden, t);
	if (hidden)
		str_fmt(out, "%zu more%s%s\n", hidden, r->more ? ": " : "", r->more ? r->more : "");
	if (any || r->show_granted)
		str_add_char(out, '\n');
	rest(out, &v, listed, max_rows, r);
	ending(out, &a, r);
	return out->oom ? err_set(e, ENOMEM, "out of memory") : 0;
}
