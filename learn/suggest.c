/* suggest.c - rules and findings to the profile a person reviews */
#include "learn/suggest.h"

#include "base/esc.h"
#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const mode_words[] = { [BIND_RO] = "ro", [BIND_RW] = "rw", [BIND_COPY] = "copy" };

/* What the findings under one rule say about it. */
struct reason {
	const char *who;
	size_t who_len;
	bool others, read, run, listed, written, made, removed, connected;
};

/* The program without its arguments, which may hold names that change: "left-pad@1.3.0 install: node". */
static size_t short_who(const char *who)
{
	const char *at = who, *sep;
	while ((sep = strstr(at, ": ")))
		at = sep + 2;
	return (size_t)(at - who) + strcspn(at, " ");
}

static void add_reason(struct reason *r, const struct finding *f)
{
	bool *const verbs[] = {
		[NEED_READ] = &r->read, [NEED_LIST] = &r->listed, [NEED_WRITE] = &r->written, [NEED_CREATE] = &r->made,
		[NEED_REMOVE] = &r->removed, [NEED_EXEC] = &r->run, [NEED_SOCKET] = &r->connected,
	};
	if (f->kind <= NEED_SOCKET)
		*verbs[f->kind] = true;
	if (!f->who || !*f->who)
		return;
	size_t n = short_who(f->who);
	int order = r->who ? strncmp(f->who, r->who, MAX(n, r->who_len)) : -1;
	bool same = r->who && n == r->who_len && !memcmp(f->who, r->who, n);
	r->others |= r->who && !same;
	if (!same && order < 0) {
		r->who = f->who;
		r->who_len = n;
	}
}

static const char *reason_text(struct arena *a, const struct reason *r, const struct host *h, uint32_t exposed)
{
	const struct { bool is; const char *word; } verbs[] = {
		{ r->read, "read" }, { r->run, "run" }, { r->listed, "listed" }, { r->connected, "connected to" },
		{ r->made, "made" }, { r->written, "written" }, { r->removed, "removed" },
	};
	OWN(str) s = { 0 };
	for (size_t i = 0; i < LEN(verbs); i++)
		if (verbs[i].is)
			str_fmt(&s, "%s%s", s.len ? ", " : "", verbs[i].word);
	if (r->who) {
		char *who = arena_mem(a, r->who, r->who_len);
		/* a program may be called by a person's name */
		bool names_user = who && h->user && *h->user && strstr(who, h->user);
		if (who && !names_user)
			str_fmt(&s, " by %s%s", who, r->others ? " and others" : "");
	}
	if (exposed)
		str_fmt(&s, "%sshows %u other file%s", s.len ? "; " : "", exposed, exposed == 1 ? "" : "s");
	return s.oom ? NULL : arena_str(a, str_c(&s));
}

/* As the writer of profiles writes a bind. */
static const char *bind_text(struct arena *a, const struct bind *b)
{
	OWN(str) s = { 0 };
	str_add(&s, "{ source: ");
	profile_quote_path(&s, b->source);
	str_fmt(&s, ", mode: %s", mode_words[b->mode]);
	if (b->create)
		str_fmt(&s, ", create: %s", b->create == CREATE_DIR ? "dir" : "file");
	if (b->optional)
		str_add(&s, ", optional: true");
	str_add(&s, " }");
	return s.oom ? NULL : arena_str(a, str_c(&s));
}

static int add_bind(struct suggesting *s, const struct rule *r, const char *why, const char **text)
{
	struct profile *p = &s->lesson->suggestion;
	struct bind *b = ARENA_PUSH(&p->arena, &p->binds, items, n);
	if (!b)
		return -ENOMEM;
	*b = (struct bind){ .source = host_shorten(s->host, &p->arena, r->path), .mode = r->mode, .create = r->create,
	                    .optional = r->create == CREATE_NO, .comment = why, .src = { .origin = "suggested" } };
	if (b->source == r->path)
		b->source = arena_str(&p->arena, r->path);
	*text = b->source ? bind_text(&p->arena, b) : NULL;
	return *text ? 0 : -ENOMEM;
}

/* ---- binds ---- */

static bool mode_serves(const struct rule *r, enum need_kind kind)
{
	bool changes = kind == NEED_WRITE || kind == NEED_CREATE || kind == NEED_REMOVE;
	return !changes || r->mode != BIND_RO;
}

static bool wants_grant(const struct finding *f)
{
	return f->path && (f->heading == HEAD_NEEDS || f->heading == HEAD_LOST) && f->judgement.verdict != V_DENIED;
}

static bool rule_below(const struct rules *r, const char *path)
{
	size_t low = 0, high = r->n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (strcmp(r->items[mid].path, path) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < r->n && !strncmp(r->items[low].path, path, strlen(path)); low++)
		if (path_under(r->items[low].path, path))
			return true;
	return false;
}

/* A directory that only has to be there, or was made: the view makes it on the way to a grant. */
static bool leads_down(const struct suggesting *s, const struct finding *f)
{
	const struct node *n = objects_find(&s->facts->objects, f->path, strlen(f->path));
	bool only = n && !(n->uses & (USE_LIST | USE_REMOVED | USE_REPLACED)) && !n->dirs;
	return only && n->type == FT_DIR && rule_below(s->rules, f->path);
}

static int add_rules(struct suggesting *s)
{
	struct lesson *l = s->lesson;
	struct arena *a = &l->suggestion.arena;
	struct reason *why = arena_array(a, s->rules->n, sizeof(*why));
	const char **texts = arena_array(a, s->rules->n, sizeof(*texts));
	if (!why || !texts)
		return -ENOMEM;
	for (size_t i = 0; i < l->nfindings; i++) {
		const struct finding *f = &l->findings[i];
		const struct rule *r = wants_grant(f) ? rules_cover(s->rules, f->path) : NULL;
		if (r && mode_serves(r, f->kind))
			add_reason(&why[r - s->rules->items], f);
	}
	for (size_t i = 0; i < s->rules->n; i++) {
		const struct rule *r = &s->rules->items[i];
		uint32_t exposed = tier_guarded(s->facts->tiers, r->path) ? r->exposed : 0;
		const char *text = reason_text(a, &why[i], s->host, exposed);
		/* "cp -r a new" makes new/a where new exists; a reader of settings may choke on an empty file */
		if (text && r->create && s->facts->objects.nodes[r->node].uses & USE_PROBED)
			text = arena_fmt(a, "%s%s%s before the start", text, *text ? "; " : "",
			                 r->create == CREATE_DIR ? "exists" : "exists, empty,");
		if (text && r->mode == BIND_COPY)
			text = arena_fmt(a, "%s%ssaved by %s", text, *text ? "; " : "",
			                 s->facts->objects.nodes[r->node].uses & USE_RENAMED ? "rename" : "making it anew");
		if (!text || add_bind(s, r, *text ? text : NULL, &texts[i]))
			return -ENOMEM;
	}
	for (size_t i = 0; i < l->nfindings; i++) {
		struct finding *f = &l->findings[i];
		const struct rule *r = wants_grant(f) ? rules_cover(s->rules, f->path) : NULL;
		if (r && mode_serves(r, f->kind))
			f->grant = texts[r - s->rules->items];
		else if (wants_grant(f) && leads_down(s, f))
			f->grant = "made for what is granted below it";
	}
	return 0;
}

/* ---- directories that need only be there ---- */

/* Is an empty directory suggested at or above @path, or (@below) below it? */
static const char *empty_at(const struct suggesting *s, const char *path, bool below)
{
	for (size_t i = 0; i < s->empties.n; i++) {
		const char *dir = s->empties.items[i];
		if (below ? path_below(dir, path) : path_under(path, dir))
			return dir;
	}
	return NULL;
}

static int add_tmpfs(struct suggesting *s, const char *path, const char **text)
{
	struct profile *p = &s->lesson->suggestion;
	const char *shown = host_shorten(s->host, &p->arena, path);
	struct pathent *e = shown ? ARENA_PUSH(&p->arena, &p->tmpfs, items, n) : NULL;
	if (!e)
		return -ENOMEM;
	e->path = arena_str(&p->arena, shown);
	e->src.origin = "suggested";
	*text = arena_fmt(&p->arena, "tmpfs: \"%s\"", shown);
	return e->path && *text ? 0 : -ENOMEM;
}

static bool is_runtime(const struct suggesting *s, const char *path)
{
	return s->host->runtime && !strcmp(path, s->host->runtime);
}

/* A directory that has to be there, and is not opened for what is in it. */
static int add_empty(struct suggesting *s, uint32_t at)
{
	const struct node *n = &s->facts->objects.nodes[at];
	struct profile *p = &s->lesson->suggestion;
	struct finding *f = findings_get(&s->facts->found, n->path);
	if ((f && (f->heading != HEAD_NEEDS || f->grant || f->note)) || rules_cover(s->rules, n->path) ||
	    rule_below(s->rules, n->path) || empty_at(s, n->path, false))
		return 0;
	if ((tier_forbidden(s->facts->tiers, n->path) && !is_runtime(s, n->path)) ||
	    tier_protected(s->facts->tiers, n->path, NULL))
		return 0;
	const char *text = NULL, **dir = ARENA_PUSH(&p->arena, &s->empties, items, n);
	if (!dir)
		return -ENOMEM;
	*dir = n->path;
	if (f && finding_note(&s->facts->found, f, "only looked at: an empty directory stands in"))
		return -ENOMEM;
	int err = add_tmpfs(s, n->path, &text);
	if (f)
		f->grant = text;
	return err;
}

/* What has no line of its own: it comes with another one, or a person must know. */
static int settle_looks(struct suggesting *s)
{
	int err = 0;
	for (uint32_t i = 1; !err && i < s->facts->objects.n; i++) {
		const struct node *n = &s->facts->objects.nodes[i];
		struct finding *f = s->plan->want[i] & WANT_EXIST ? findings_get(&s->facts->found, n->path) : NULL;
		if (!f || f->heading != HEAD_NEEDS || f->grant || f->note)
			continue;
		if (rules_cover(s->rules, n->path))
			continue;
		if (empty_at(s, n->path, false) || empty_at(s, n->path, true)) {
			f->grant = "made for what is granted below it";
			continue;
		}
		f->counts = n->uses & USE_CHDIR;
		err = finding_note(&s->facts->found, f, f->counts ? "entered, and never granted as a whole"
		                                                  : "only looked at, and never granted as a whole");
	}
	/* what the run makes below an empty directory works there */
	for (size_t i = 0; !err && i < s->lesson->nfindings; i++) {
		struct finding *f = &s->lesson->findings[i];
		bool open = wants_grant(f) && !f->grant && !f->note && f->kind == NEED_CREATE;
		const char *dir = open ? empty_at(s, f->path, false) : NULL;
		const struct node *up = open ? objects_find(&s->facts->objects, f->path, path_parent_len(f->path)) : NULL;
		if (!dir && up && s->plan->want[up - s->facts->objects.nodes] & WANT_EXIST && rule_below(s->rules, up->path))
			f->grant = "works where other lines make its directory";
		if (dir)
			f->grant = arena_fmt(&s->lesson->suggestion.arena, "tmpfs: \"%s\"",
			                     host_shorten(s->host, &s->lesson->suggestion.arena, dir));
	}
	return err;
}

static int path_order(const void *a, const void *b)
{
	return strcmp(((const struct pathent *)a)->path, ((const struct pathent *)b)->path);
}

static int add_empties(struct suggesting *s)
{
	int err = 0;
	for (uint32_t i = 1; !err && i < s->facts->objects.n; i++)
		if (s->plan->want[i] & WANT_EXIST)
			err = add_empty(s, i);
	return err ? err : settle_looks(s);
}

/* ---- symbolic links ---- */

/* Where @l's text leads, lexically. */
static char *link_target(struct arena *a, const struct passed *l)
{
	char *dir = path_parent(a, l->link);
	return dir ? path_join(a, dir, l->text) : NULL;
}

/* What a line for a link says: its source, where that leads, and how. */
struct link_line {
	const char *source, *real;
	enum bind_mode mode;
	bool whole, empty;
};

/*
 * A grant of a path that goes through a link makes the link inside too. So the line names the link itself where it
 * leads to a file or to a directory that is granted whole, else the granted thing as seen through the link.
 * Return: 1 and @out filled, 0 no line can be made.
 */
static int link_line(struct suggesting *s, const struct passed *l, struct link_line *out)
{
	struct arena *a = &s->lesson->suggestion.arena;
	const struct rule *r = rules_cover(s->rules, l->path);
	const char *empty = r ? NULL : empty_at(s, l->path, false);
	const struct node *end = objects_find(&s->facts->objects, l->path, strlen(l->path));
	char *to = link_target(a, l);
	if (!to)
		return -ENOMEM;
	if (!r && !empty && !l->granted)
		return 0;
	const char *granted = r ? r->path : empty ? empty : l->path;
	bool file = !strcmp(to, l->path) && (!end || end->type != FT_DIR);
	*out = (struct link_line){ .source = l->link, .real = file ? l->path : to, .empty = empty,
	                           .mode = r && r->mode != BIND_COPY ? r->mode : BIND_RO };
	out->whole = !strcmp(granted, to) || path_below(to, granted) || file;
	if (out->whole)
		return 1;
	if (path_below(granted, to)) {
		out->source = arena_fmt(a, "%s%s", l->link, granted + strlen(to));
		out->real = granted;
		return out->source ? 1 : -ENOMEM;
	}
	/* the text leads through further links, which have lines of their own */
	out->real = l->path;
	return l->at + 1 < l->o->nhops ? 1 : 0;
}

static int add_link(struct suggesting *s, const struct passed *l, struct map *done)
{
	struct profile *p = &s->lesson->suggestion;
	struct link_line line;
	if (rules_cover(s->rules, l->link) || map_find(done, l->link, strlen(l->link)))
		return 0;
	int got = link_line(s, l, &line);
	if (got <= 0)
		return got;
	/* the engine makes every link on the way from here */
	size_t to = line.source == l->link ? l->o->nhops : l->at + 1;
	for (size_t i = l->at; i < to; i++)
		if (!map_put(done, l->o->hops[i].path, strlen(l->o->hops[i].path), NULL))
			return -ENOMEM;
	struct host_file *fact = ARENA_PUSH(&p->arena, &s->link_facts, items, n);
	if (!fact)
		return -ENOMEM;
	const struct node *real = objects_find(&s->facts->objects, line.real, strlen(line.real));
	*fact = (struct host_file){
		.path = line.source, .type = line.source == l->link ? FT_LINK : FT_UNKNOWN, .real = line.real,
		.hops = l->o->hops + l->at, .nhops = l->o->nhops - l->at,
		.real_type = real ? (enum file_type)real->type : FT_UNKNOWN,
	};
	const char *text = NULL, *why = arena_fmt(&p->arena, "link to %s", l->text);
	struct rule rule = { .path = line.source, .mode = line.mode };
	int err = !why ? -ENOMEM : line.empty ? add_tmpfs(s, line.source, &text) : add_bind(s, &rule, why, &text);
	struct finding *f = findings_get(&s->facts->found, l->path);
	if (f && !f->grant && f->heading == HEAD_NEEDS)
		f->grant = text;
	return err;
}

static int bind_order(const void *a, const void *b)
{
	return strcmp(((const struct bind *)a)->source, ((const struct bind *)b)->source);
}

static int add_links(struct suggesting *s)
{
	struct profile *p = &s->lesson->suggestion;
	OWN(map) done = { 0 };
	int err = 0;
	for (size_t i = 0; !err && i < s->facts->links.n; i++)
		err = add_link(s, &s->facts->links.items[i], &done);
	if (p->tmpfs.n)
		qsort(p->tmpfs.items, p->tmpfs.n, sizeof(*p->tmpfs.items), path_order);
	if (p->binds.n)
		qsort(p->binds.items, p->binds.n, sizeof(*p->binds.items), bind_order);
	return err;
}

/* ---- what only a person may grant ---- */

static int comment_order(const void *a, const void *b)
{
	return strcmp(((const struct guarded *)a)->path, ((const struct guarded *)b)->path);
}

/* Why @path is only had by a line that stands as a comment. */
static const char *guarding(const struct suggesting *s, const char *path)
{
	for (size_t i = 0; i < s->plan->guarded.n; i++)
		if (path_under(path, s->plan->guarded.items[i].path))
			return s->plan->guarded.items[i].why;
	return NULL;
}

static int add_guarded(struct suggesting *s)
{
	struct profile *p = &s->lesson->suggestion;
	struct plan *plan = s->plan;
	if (plan->guarded.n)
		qsort(plan->guarded.items, plan->guarded.n, sizeof(*plan->guarded.items), comment_order);
	for (size_t i = 0; i < plan->guarded.n; i++) {
		const struct guarded *g = &plan->guarded.items[i];
		const char *shown = host_shorten(s->host, &p->arena, g->path);
		struct bind b = { .source = shown, .mode = g->rw ? BIND_RW : BIND_RO,
		                  .create = g->fresh ? CREATE_DIR : CREATE_NO, .optional = !g->fresh };
		struct word *w = shown ? ARENA_PUSH(&p->arena, &p->comments, items, n) : NULL;
		if (!w)
			return -ENOMEM;
		*w = (struct word){ .text = bind_text(&p->arena, &b), .src = { .origin = "binds" }, .comment = g->why };
		if (!w->text)
			return -ENOMEM;
	}
	/* what stands as a comment only: tell it at the findings */
	for (size_t i = 0; i < s->lesson->nfindings; i++) {
		struct finding *f = &s->lesson->findings[i];
		const char *why = wants_grant(f) && !f->grant && !(f->note && !f->counts) ? guarding(s, f->path) : NULL;
		const char *note = why ? arena_fmt(s->facts->arena, "%s: a commented line, for you to decide", why) : NULL;
		if (why && (!note || finding_note(&s->facts->found, f, note)))
			return -ENOMEM;
	}
	return 0;
}

/* ---- words on top ---- */

static int add_header(struct suggesting *s, const char *text)
{
	struct profile *p = &s->lesson->suggestion;
	struct word *w = text ? ARENA_PUSH(&p->arena, &p->header, items, n) : NULL;
	if (w)
		w->text = text;
	return w ? 0 : -ENOMEM;
}

static int add_words(struct suggesting *s)
{
	struct profile *p = &s->lesson->suggestion;
	OWN(str) with = { 0 };
	for (size_t i = 0; i < s->base->parts.n; i++) {
		const char *origin = s->base->parts.items[i].text, *colon = strchr(origin, ':');
		if (strcmp(origin, "builtin:base") != 0)
			str_fmt(&with, " +%s", colon ? colon + 1 : path_base(origin));
	}
	const char *program = s->run->nargv ? path_base(s->run->argv[0]) : "a command";
	int err = add_header(s, arena_fmt(&p->arena, "what %s needed beyond%s; suggested by snug, for you to review", program,
	                                  with.len ? str_c(&with) : " base"));
	if (!err && s->lesson->nruns > 1)
		err = add_header(s, arena_fmt(&p->arena, "learnt from %u runs", s->lesson->nruns));
	for (size_t i = 0; !err && i < s->plan->remarks.n; i++) {
		const struct remark *r = &s->plan->remarks.items[i];
		const char *shown = host_shorten(s->host, &p->arena, r->path);
		OWN(str) line = { 0 };
		str_add(&line, "note: ");
		esc_term(&line, shown ? shown : "?");
		str_fmt(&line, ": %s", r->text);
		err = line.oom || !shown ? -ENOMEM : add_header(s, arena_str(&p->arena, line.p));
	}
	return err;
}

int suggest(struct suggesting *s, const char *name)
{
	struct profile *p = &s->lesson->suggestion;
	p->name = arena_str(&p->arena, name);
	int err = p->name ? add_rules(s) : -ENOMEM;
	if (!err)
		err = add_guarded(s);
	if (!err)
		err = add_empties(s);
	if (!err)
		err = add_links(s);
	if (!err)
		err = suggest_other(s);
	if (!err)
		err = add_words(s);
	s->lesson->suggests = p->binds.n || p->tmpfs.n || p->allow_hosts.n || p->env_allow.n || p->prepend_path.n ||
	                      p->sys_allow.n || p->userns.src.origin || p->ptrace.src.origin || p->network.src.origin;
	return err;
}
