/* shadow.c - a shadow's layers and policy, and the run in it */
#include "cli/shadow.h"

#include "cli/cmd.h"
#include "cli/confine.h"
#include "cli/copytree.h"
#include "cli/shadow_tops.h"

#include "base/log.h"
#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * How this works. The engine that `run` uses shows the host read-only, /tmp and the like empty, and each directory that
 * the command could write on the host as an overlay at its own path; the recorder looks names up in that view, where
 * they are what the command meets. Credential stores below an overlay are whiteouts from the start: they are absent, and
 * the command may make its own. Elsewhere they are masked.
 */

static const char origin[] = "--shadow";

void shadow_drop(struct shadow *s)
{
	struct err ignored = { 0 };
	if (s->dir && copytree_remove(s->dir, &ignored) < 0)
		log_line(1, "%s", ignored.msg); /* what stays goes with its run */
	shadow_list_drop(&s->list);
	setup_drop(&s->set);
	setup_drop(&s->asked);
	arena_drop(&s->arena);
	*s = (struct shadow){ 0 };
}

static int no_memory(struct err *e)
{
	return err_set(e, ENOMEM, "out of memory");
}

/* ---- layers ---- */

static int make_dir(struct shadow *s, const char *run, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	const char *const places[] = { run, tmp && *tmp == '/' ? tmp : NULL, "/var/tmp", "/tmp" };
	struct err why = { 0 };
	for (size_t i = 0; i < LEN(places); i++) {
		char *name = places[i] ? arena_fmt(&s->arena, "%s/shadow-XXXXXX", places[i]) : NULL;
		char *real = name && mkdtemp(name) ? realpath(name, NULL) : NULL;
		if (real && upper_fits(real, &why) == 0)
			s->dir = arena_str(&s->arena, real);
		else if (real)
			(void)rmdir(real);
		else if (name)
			(void)err_sys(&why, "making a directory in %s", places[i]);
		free(real);
		if (s->dir)
			return 0;
	}
	*e = why;
	return err_wrap(e, "no place for what the command writes (name one with TMPDIR)");
}

static int make_layers(struct shadow *s, struct err *e)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < s->tops.n; i++) {
		s->tops.items[i].base = arena_fmt(&s->arena, "%s/%zu", s->dir, i);
		r = s->tops.items[i].base ? upper_make(&s->tops.items[i], e) : no_memory(e);
	}
	return r;
}

/* ---- policy ---- */

static int bind(struct profile *p, const char *path, enum bind_mode mode, struct err *e)
{
	struct bind *b = ARENA_PUSH(&p->arena, &p->binds, items, n);
	if (!b)
		return no_memory(e);
	*b = (struct bind){ .source = path, .mode = mode, .optional = mode == BIND_RO, .apart = true,
	                    .src = { .origin = origin, .inlined = true } };
	return 0;
}

/* What the requested profiles hide is hidden here, too, and the calls they ask for are there. */
static int add_asked(struct shadow *s, struct err *e)
{
	const struct profile *asked = &s->asked.profile;
	const struct pathlist *const lists[] = { &asked->mask, &asked->deny_read };
	struct profile *p = &s->set.profile;
	/* borrowed, all of it: both live as long as the shadow */
	p->userns.v = asked->userns.v;
	p->userns.src = asked->userns.src;
	p->ptrace.v = asked->ptrace.v;
	p->ptrace.src = asked->ptrace.src;
	p->sys_allow = asked->sys_allow;
	for (size_t i = 0; i < asked->sys_deny.n; i++) { /* base's stay, whatever --no-base says */
		struct word *w = ARENA_PUSH(&p->arena, &p->sys_deny, items, n);
		if (!w)
			return no_memory(e);
		*w = asked->sys_deny.items[i];
	}
	for (size_t i = 0; i < LEN(lists); i++) {
		for (size_t k = 0; k < lists[i]->n; k++) {
			struct pathent *m = ARENA_PUSH(&p->arena, &p->mask, items, n);
			if (!m)
				return no_memory(e);
			*m = lists[i]->items[k];
			m->optional = true;
		}
	}
	return 0;
}

/* Overlays, and what the host has mounted inside them, which they cannot show. */
static int add_binds(struct shadow *s, struct err *e)
{
	struct profile *p = &s->set.profile;
	const struct host *h = &s->asked.host;
	int r = 0;
	for (size_t i = 0; r == 0 && i < s->tops.n; i++)
		r = bind(p, s->tops.items[i].path, BIND_RW, e);
	for (size_t i = 0; r == 0 && i < h->nmounts; i++) {
		const char *at = h->mounts[i].point;
		if (!shadow_top_at(s, at, strlen(at)) && shadow_covering(s, h, at, false))
			r = bind(p, at, BIND_RO, e);
	}
	return r;
}

/* Turn the resolved places into those of a shadow: nothing of the host may be left writable. */
static int convert(struct shadow *s, struct err *e)
{
	struct policy *pol = &s->set.policy;
	for (size_t i = 0; i < pol->nplaces; i++) {
		struct place *p = &pol->places[i];
		const struct shadow_top *t = shadow_top_at(s, p->path, strlen(p->path));
		if (p->kind == PLACE_COPY || p->kept || p->create != CREATE_NO)
			return err_set(e, EPROTO, "%s would be written on the host", p->path);
		if (p->kind != PLACE_BIND || p->mode != BIND_RW)
			continue;
		if (!t || strcmp(p->source, p->path) != 0)
			return err_set(e, EPROTO, "%s cannot be shadowed: name a project elsewhere with --project", p->path);
		p->overlay = t->base;
	}
	return 0;
}

/* Below an overlay nothing needs to be mounted: a whiteout hides, and nothing is fenced in since nothing is written. */
static int hide(struct shadow *s, struct err *e)
{
	struct policy *pol = &s->set.policy;
	size_t keep = 0;
	int r = 0;
	for (size_t i = 0; r == 0 && i < pol->nplaces; i++) {
		const struct place p = pol->places[i];
		bool guard = p.kind == PLACE_MASK || p.kind == PLACE_FENCE || p.kind == PLACE_PIN || p.kind == PLACE_STUB;
		const struct shadow_top *t = guard ? shadow_covering(s, &s->asked.host, p.path, true) : NULL;
		if (t && p.kind == PLACE_MASK && strcmp(t->path, p.path) != 0) {
			struct word *w = ARENA_PUSH(&s->arena, &s->hidden, items, n);
			r = w ? upper_hide(t, p.path, e) : no_memory(e);
			if (w)
				w->text = p.path;
		}
		if ((!t || (p.kind == PLACE_MASK && strcmp(t->path, p.path) == 0)) && p.kind != PLACE_STUB)
			pol->places[keep++] = p;
	}
	if (r < 0)
		return r;
	pol->nplaces = keep;
	map_drop(&pol->by_path);
	pol->by_path = (struct map){ 0 };
	for (size_t i = 0; i < keep; i++) {
		void **slot = map_put(&pol->by_path, pol->places[i].path, strlen(pol->places[i].path), NULL);
		if (!slot)
			return no_memory(e);
		*slot = (void *)(uintptr_t)(i + 1);
	}
	return 0;
}

/* Nor are the layers themselves to be seen, unless what hides them does so already. */
static int hide_layers(struct shadow *s, struct err *e)
{
	const struct shadow_top *t = shadow_covering(s, &s->asked.host, s->dir, false);
	for (size_t i = 0; t && i < s->hidden.n; i++)
		if (path_under(s->dir, s->hidden.items[i].text))
			return 0;
	struct word *w = t ? ARENA_PUSH(&s->arena, &s->hidden, items, n) : NULL;
	if (w)
		w->text = s->dir;
	return !t ? 0 : w ? upper_hide(t, s->dir, e) : no_memory(e);
}

static int make_policy(struct shadow *s, const struct cli_opts *given, struct err *e)
{
	struct word name = { .text = "builtin:shadow", .src = { .origin = "+" } };
	struct cli_opts o = *given;
	struct wordlist paths = { 0 };
	o.profiles = (struct wordlist){ &name, 1 };
	o.grants = (struct profile){ .name = "command line" };
	o.no_base = o.override = false;
	int r = setup_compose(&s->set, &o, FIND_APPLY, e);
	if (r == 0)
		r = add_asked(s, e);
	if (r == 0)
		r = add_binds(s, e);
	if (r == 0)
		r = profile_paths(&s->set.profile, &s->set.host, &s->arena, &paths, e);
	if (r == 0)
		r = host_look(&s->set.host, &paths, e);
	if (r == 0)
		r = policy_resolve(&s->set.policy, &s->set.profile, &s->set.host, false, e);
	return r;
}

int shadow_begin(struct shadow *s, struct cli_opts *o, const char *run, struct err *e)
{
	int r = setup_make(&s->asked, o, FIND_APPLY, false, e);
	if (r == 0)
		r = host_mounts(&s->asked.host, e);
	if (r == 0)
		r = shadow_find_tops(s, e);
	if (r == 0)
		r = make_policy(s, o, e);
	if (r == 0)
		r = make_dir(s, run, e);
	if (r == 0)
		r = make_layers(s, e);
	if (r == 0)
		r = hide(s, e);
	if (r == 0)
		r = hide_layers(s, e);
	if (r == 0)
		r = convert(s, e);
	return r < 0 ? err_wrap(e, "--shadow") : 0;
}

/* ---- the run ---- */

/* The environment of a confined run, but for the user's PATH: every program is in the view. */
static int environment(struct shadow *s, struct confine *c, const struct cli_opts *o, uint16_t port, struct err *e)
{
	const char *path = env_get(o->envp, "PATH");
	c->box.env = env_build(&c->arena, &s->asked.policy, o->envp, port);
	char *const *env = c->box.env;
	for (size_t i = 0; env && path && env[i]; i++) {
		char *entry = strncmp(env[i], "PATH=", 5) ? NULL : arena_fmt(&c->arena, "PATH=%s", path);
		if (entry)
			((char **)(uintptr_t)c->box.env)[i] = entry;
	}
	return env ? 0 : no_memory(e);
}

int shadow_run(struct shadow *s, struct record *out, const struct cli_opts *o, struct host *h, struct err *e)
{
	const char *view = o->network_trace ? o->network_trace : "names";
	bool names = strcmp(view, "names") == 0;
	OWN(confine) c = {
		.box = { .argv = o->cmd, .area = o->area, .area_len = o->area_len, .best_effort = o->best_effort }, .envp = o->envp, .host = h, .in_view = true,
		.timeout_ms = o->timeout_s ? o->timeout_s * 1000 : -1,
	};
	const char *lacks = o->best_effort ? box_lacks(&s->set.policy) : NULL;
	if (lacks)
		fprintf(stderr, "snug: --best-effort: doing without: %s\n", lacks);
	int r = names ? offer_start(&out->offer, o->envp, e) : 0;
	if (r < 0)
		return err_wrap(e, "offering a proxy (--network-trace=addresses does without)");
	if (names) {
		c.offered = out->offer.port;
		c.rows = fd_no(out->offer.relay.log);
	}
	h->network_view = view;
	r = environment(s, &c, o, out->offer.port, e);
	if (r == 0)
		r = confine_run(&c, &s->set.policy, e);
	if (r < 0)
		return r;
	record_over();
	out->rec = TAKE(c.rec);
	out->exec_err = c.exec_err;
	out->timed_out = o->timeout_s && r == EXIT_TIMED_OUT;
	if (strcmp(view, "off") == 0)
		record_forget_network(&out->rec);
	return 0;
}
