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

int suggest_bind(struct suggesting *s, const struct rule *r, const char *why, const char **text)
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

bool suggest_wants(const struct finding *f)
{
	return f->path && (f->heading == HEAD_NEEDS || f->heading == HEAD_LOST) && f->judgement.verdict != V_DENIED;
}

bool suggest_rule_below(const struct rules *r, const char *path)
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
	return only && n->type == FT_DIR && suggest_rule_below(s->rules, f->path);
}

const struct bind *suggest_conflict(struct suggesting *s, const struct rule *r)
{
	struct arena *a = &s->lesson->suggestion.arena;
	for (size_t i = 0; i < s->base->binds.n; i++) {
		const struct bind *b = &s->base->binds.items[i];
		const char *path = NULL;
		struct err e = { 0 };
		if (!b->target && b->mode != r->mode && !path_expand(&path, a, s->host, b->source, &b->src, &e) && path &&
		    !strcmp(path, r->path))
			return b;
	}
	return NULL;
}

/*
 * Programs that keep things in a directory of their own find it there from the second run on; what is made where the
 * user said need not be expected, unless the program looked, or had another mkdir fail before.
 */
static bool made_first(const struct suggesting *s, const struct rule *r)
{
	uint32_t u = s->facts->objects.nodes[r->node].uses;
	bool own = !strcmp(s->facts->objects.nodes[r->node].path, r->path);
	return r->create == CREATE_DIR && own && u & USE_MKDIR && !(u & (USE_PROBED | USE_LENIENT)) && !tier_unit(s->facts->tiers, r->path);
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
		const struct rule *r = suggest_wants(f) ? rules_cover(s->rules, f->path) : NULL;
		if (r && mode_serves(r, f->kind))
			add_reason(&why[r - s->rules->items], f);
	}
	for (size_t i = 0; i < s->rules->n; i++) {
		const struct rule *r = &s->rules->items[i];
		const struct bind *said = suggest_conflict(s, r);
		if (said) {
			const char *note = arena_fmt(s->facts->arena, "%s says mode %s", line_text(s->facts->arena, &said->src),
			                            mode_words[said->mode]);
			if (plan_remark(s->plan, r->path, note))
				return -ENOMEM;
			continue;
		}
		bool home = s->host->home && path_under(r->path, s->host->home);
		bool said_so = tier_guarded(s->facts->tiers, r->path) || (home && r->mode == BIND_RO);
		uint32_t exposed = said_so ? r->exposed : 0;
		const char *text = reason_text(a, &why[i], s->host, exposed);
		/* "cp -r a new" makes new/a where new exists; a reader of settings may choke on an empty file */
		if (text && r->create && s->facts->objects.nodes[r->node].uses & USE_PROBED)
			text = arena_fmt(a, "%s%s%s before the start", text, *text ? "; " : "",
			                 r->create == CREATE_DIR ? "exists" : "exists, empty,");
		else if (text && made_first(s, r)) {
			text = arena_fmt(a, "%s%sexists before the start", text, *text ? "; " : "");
			struct finding *to = findings_get(&s->facts->found, r->path);
			if (to && finding_note(&s->facts->found, to, "made before the start: a mkdir that does not bear EEXIST would fail"))
				return -ENOMEM;
		}
		if (text && r->mode == BIND_COPY)
			text = arena_fmt(a, "%s%ssaved by %s", text, *text ? "; " : "",
			                 s->facts->objects.nodes[r->node].uses & USE_RENAMED ? "rename" : "making it anew");
		if (!text || suggest_bind(s, r, *text ? text : NULL, &texts[i]))
			return -ENOMEM;
	}
	for (size_t i = 0; i < l->nfindings; i++) {
		struct finding *f = &l->findings[i];
		const struct rule *r = suggest_wants(f) ? rules_cover(s->rules, f->path) : NULL;
		if (r && mode_serves(r, f->kind))
			f->grant = texts[r - s->rules->items];
		else if (suggest_wants(f) && leads_down(s, f))
			f->grant = "made for what is granted below it";
	}
	return 0;
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
	bool over = false;
	if (plan->guarded.n)
		qsort(plan->guarded.items, plan->guarded.n, sizeof(*plan->guarded.items), comment_order);
	for (size_t i = 0; i < plan->guarded.n; i++) {
		const struct guarded *g = &plan->guarded.items[i];
		const char *shown = host_shorten(s->host, &p->arena, g->path);
		over |= g->over != NULL;
		struct bind b = { .source = shown, .mode = g->copy ? BIND_COPY : g->rw ? BIND_RW : BIND_RO,
		                  .create = g->fresh ? CREATE_DIR : CREATE_NO, .optional = !g->fresh };
		struct word *w = shown ? ARENA_PUSH(&p->arena, &p->comments, items, n) : NULL;
		if (!w)
			return -ENOMEM;
		*w = (struct word){ .text = bind_text(&p->arena, &b), .src = { .origin = "binds" }, .comment = g->why };
		if (!w->text)
			return -ENOMEM;
	}
	if (over && suggest_comment(s, "(the profile)", "override: true", "lets lines of this profile stand instead of those they name"))
		return -ENOMEM;
	/* what stands as a comment only: tell it at the findings */
	for (size_t i = 0; i < s->lesson->nfindings; i++) {
		struct finding *f = &s->lesson->findings[i];
		const char *why = suggest_wants(f) && !f->grant && !(f->note && !f->counts) ? guarding(s, f->path) : NULL;
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

bool suggest_any(const struct suggesting *s)
{
	const struct profile *p = &s->lesson->suggestion;
	return p->binds.n || p->tmpfs.n || p->allow_hosts.n || p->env_allow.n || p->prepend_path.n || p->sys_allow.n ||
	       p->userns.src.origin || p->ptrace.src.origin || p->sys.src.origin || p->shm.src.origin || p->network.src.origin;
}

int suggest(struct suggesting *s, const char *name)
{
	struct profile *p = &s->lesson->suggestion;
	p->name = arena_str(&p->arena, name);
	int err = p->name ? add_rules(s) : -ENOMEM;
	if (!err)
		err = add_guarded(s);
	if (!err)
		err = suggest_looks(s);
	if (!err)
		err = suggest_links(s);
	if (!err)
		err = suggest_other(s);
	if (!err)
		err = suggest_fences(s);
	if (!err)
		err = add_words(s);
	s->lesson->suggests = suggest_any(s);
	return err;
}
