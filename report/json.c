/* json.c - a report for machines: sorted, no times, no absolute home, so that equal runs give equal bytes */
#include "report/json.h"

#include "base/esc.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>

#define SCHEMA "snug-report/v1"

/* One comma before every member but the first. */
static void key(struct str *out, const char *name)
{
	char last = out->len ? str_c(out)[out->len - 1] : '{';
	if (last != '{' && last != '[')
		str_add_char(out, ',');
	esc_json(out, name);
	str_add_char(out, ':');
}

static void item(struct str *out)
{
	if (str_c(out)[out->len - 1] != '[')
		str_add_char(out, ',');
}

static void text(struct str *out, const char *name, const char *value)
{
	if (!value)
		return;
	key(out, name);
	esc_json(out, value);
}

static void number(struct str *out, const char *name, unsigned long long n)
{
	key(out, name);
	str_fmt(out, "%llu", n);
}

static void truth(struct str *out, const char *name, bool b)
{
	key(out, name);
	str_add(out, b ? "true" : "false");
}

static void by(struct str *out, const struct src *s)
{
	if (!s || !s->origin)
		return;
	key(out, "by");
	str_add_char(out, '{');
	text(out, "origin", s->origin);
	if (s->line)
		number(out, "line", s->line);
	str_add_char(out, '}');
}

static void finding(struct str *out, struct arena *a, const struct finding *f, const struct report *r)
{
	const struct judgement *j = &f->judgement;
	const struct host *h = &r->recs[0]->host;
	item(out);
	str_add_char(out, '{');
	text(out, "heading", heading_word(f->heading));
	text(out, "kind", kind_word(f->kind));
	text(out, "what", f->what);
	if (f->path)
		text(out, "path", host_shorten(h, a, f->path));
	text(out, "verdict", verdict_word(j->verdict));
	if (j->err)
		text(out, "errno", errno_word(a, j->err));
	if (j->http)
		number(out, "http", (unsigned)j->http);
	by(out, j->by);
	if (j->at)
		text(out, "at", host_shorten(h, a, j->at));
	text(out, "why", j->why);
	text(out, "necessity", necessity_word(f->necessity));
	text(out, "outcome", f->outcome ? errno_word(a, f->outcome) : "ok");
	truth(out, "finding", f->counts);
	truth(out, "finding_all", f->counts || f->counts_all);
	truth(out, "credential", f->credential);
	if (finding_risk(f, h) != RISK_NONE)
		text(out, "risk", risk_word(finding_risk(f, h)));
	text(out, "who", f->who);
	text(out, "grant", f->grant);
	text(out, "note", f->note);
	if (r->nrecs > 1)
		number(out, "runs", f->runs);
	if (r->show_granted) {
		number(out, "count", f->count);
		truth(out, "at_least", f->at_least);
	}
	str_add_char(out, '}');
}

static void granted(struct str *out, const struct lesson *l)
{
	key(out, "granted");
	str_add_char(out, '[');
	for (size_t i = 0; i < l->nuses; i++) {
		item(out);
		str_add_char(out, '{');
		text(out, "grant", l->uses[i].text);
		by(out, l->uses[i].src);
		number(out, "count", l->uses[i].count);
		str_add_char(out, '}');
	}
	str_add_char(out, ']');
}

/* Sums per destination differ from run to run, so they come only with --show-granted. */
static void traffic(struct str *out, struct arena *a, const struct report *r)
{
	key(out, "traffic");
	str_add_char(out, '[');
	for (size_t k = 0; k < r->nrecs; k++) {
		for (size_t i = 0; i < r->recs[k]->nnets; i++) {
			const struct netfact *n = &r->recs[k]->nets[i];
			item(out);
			str_add_char(out, '{');
			text(out, "host", n->host);
			number(out, "port", n->port);
			truth(out, "bypass", n->bypass);
			number(out, "connections", n->connections);
			number(out, "sent", n->sent);
			number(out, "received", n->received);
			text(out, "outcome", n->outcome ? errno_word(a, n->outcome) : "ok");
			str_add_char(out, '}');
		}
	}
	str_add_char(out, ']');
}

static void texts(struct str *out, const char *name, const char *const *items, size_t n)
{
	key(out, name);
	str_add_char(out, '[');
	for (size_t i = 0; i < n; i++) {
		item(out);
		esc_json(out, items[i]);
	}
	str_add_char(out, ']');
}

/* Words of the command; those that are paths below home or the project in their short form. */
static void command(struct str *out, struct arena *a, const struct recording *rec)
{
	key(out, "command");
	str_add_char(out, '[');
	for (size_t i = 0; i < rec->nargv; i++) {
		const char *w = rec->argv[i];
		const char *s = *w == '/' ? host_shorten(&rec->host, a, w) : w;
		item(out);
		esc_json(out, s ? s : "");
	}
	str_add_char(out, ']');
}

/* The closed list of docs/differences.md: what the command could notice of the audit. */
static void differences(struct str *out, const struct report *r)
{
	const struct recording *rec = r->recs[0];
	const char *view = rec->host.network_view;
	const struct { const char *text; bool applies; } rows[] = {
		{ "proxy variables are set", view && !strcmp(view, "names") },
		{ "requests through the proxy are written afresh", view && !strcmp(view, "names") },
		{ "io_uring_setup fails with ENOSYS", true },
		{ "no_new_privs is set", rec->host.uid != 0 },
		{ "a seccomp filter is in force", true },
		{ "a second filter with a listener is refused with EBUSY", true },
		{ "the parent process is snug, also of orphans", true },
		{ "a signal may interrupt a call that names a file", true },
		{ "calls that name files take longer", true },
		{ "standard input passes through a pipe", r->proof.asked },
		{ "files outside the project are copied before they are changed", r->proof.asked },
	};
	key(out, "differences");
	str_add_char(out, '[');
	for (size_t i = 0; i < LEN(rows); i++) {
		if (!rows[i].applies)
			continue;
		item(out);
		esc_json(out, rows[i].text);
	}
	str_add_char(out, ']');
}

static void counts(struct str *out, const struct view *v, const struct lesson *l)
{
	key(out, "counts");
	str_add_char(out, '{');
	number(out, "findings", report_findings(l, false));
	number(out, "findings_all", report_findings(l, true));
	for (enum heading h = HEAD_NEEDS; h < HEAD_GRANTED; h++)
		number(out, heading_word(h), v->counts[h]);
	str_add_char(out, '}');
}

static void profiles(struct str *out, const struct policy *pol)
{
	key(out, "profiles");
	str_add_char(out, '[');
	for (size_t i = 0; i < pol->profiles.n; i++) {
		item(out);
		esc_json(out, pol->profiles.items[i].text);
	}
	str_add_char(out, ']');
}

static void suggestion(struct str *out, const struct lesson *l)
{
	OWN(str) yaml = { 0 };
	profile_write(&yaml, &l->suggestion);
	key(out, "suggestion");
	str_add_char(out, '{');
	truth(out, "grants", l->suggests);
	text(out, "yaml", str_c(&yaml));
	str_add_char(out, '}');
}

/* Descriptors above 2 that the command was given. */
static void inherited(struct str *out, struct arena *a, const struct report *r)
{
	const struct lesson *l = r->lesson;
	if (!l->ngiven)
		return;
	key(out, "inherited");
	str_add_char(out, '[');
	for (size_t i = 0; i < l->ngiven; i++) {
		item(out);
		str_add_char(out, '{');
		number(out, "fd", l->given[i].fd);
		text(out, "path", host_shorten(&r->recs[0]->host, a, l->given[i].path));
		str_add_char(out, '}');
	}
	str_add_char(out, ']');
}

static void proof(struct str *out, const struct proof *p)
{
	if (!p->asked)
		return;
	key(out, "verification");
	str_add_char(out, '{');
	text(out, "result", p->holds ? "verified" : "unverified");
	text(out, "reason", p->reason);
	text(out, "without", p->without);
	number(out, "runs", p->runs);
	if (p->minimised) {
		number(out, "lines", p->lines);
		number(out, "lines_kept", p->kept);
		truth(out, "minimal", p->min_done);
	}
	str_add_char(out, '}');
}

int json_write(struct str *out, const struct report *r, struct err *e)
{
	OWN(arena) a = { 0 };
	OWN(view) v = { 0 };
	const struct lesson *l = r->lesson;
	int rc = view_make(&v, l, r->show_granted, e);
	if (rc < 0)
		return rc;
	str_add_char(out, '{');
	text(out, "schema", SCHEMA);
	text(out, "outcome", outcome_word(report_outcome(r)));
	number(out, "status", l->status < 0 ? 125 : (unsigned)l->status);
	command(out, &a, r->recs[0]);
	profiles(out, r->pol);
	number(out, "runs", l->nruns);
	text(out, "recorder", r->recs[0]->host.recorder);
	text(out, "network_view", r->recs[0]->host.network_view);
	differences(out, r);
	text(out, "scope", report_scope(r));
	texts(out, "incomplete", l->incomplete, l->nincomplete);
	counts(out, &v, l);
	key(out, "findings");
	str_add_char(out, '[');
	for (size_t i = 0; i < v.nrows; i++)
		if (v.rows[i]->heading != HEAD_GRANTED || r->show_granted)
			finding(out, &a, v.rows[i], r);
	str_add_char(out, ']');
	if (r->show_granted) {
		granted(out, l);
		traffic(out, &a, r);
	}
	suggestion(out, l);
	proof(out, &r->proof);
	if (r->shadow) {
		key(out, "shadow");
		str_add(out, r->shadow);
	}
	text(out, "next", r->next);
	if (r->next)
		number(out, "left", report_left(l));
	inherited(out, &a, r);
	str_add(out, "}\n");
	return out->oom ? err_set(e, ENOMEM, "out of memory") : 0;
}

void json_failed(struct str *out, char *const *cmd, const char *message)
{
	str_add_char(out, '{');
	text(out, "schema", SCHEMA);
	text(out, "outcome", outcome_word(OUTCOME_SNUG_FAILED));
	number(out, "status", 125);
	text(out, "program", cmd && *cmd ? *cmd : NULL);
	text(out, "message", message);
	str_add(out, "}\n");
}
