/* cmd_explain.c - snug explain: the resolved policy, every line with the profile or flag it came from */
#include "cli/cmd.h"
#include "cli/risk.h"
#include "cli/setup.h"

#include "base/esc.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { SRC_COLUMN = 60 };

struct page {
	struct str out;
	struct arena *a;
	const struct host *h;
	const struct policy *pol;
};

/* Columns of a terminal that UTF-8 text takes, near enough. */
static size_t width(const char *s)
{
	size_t n = 0;
	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

static void line(struct page *p, const struct src *src, const char *text)
{
	OWN(str) by = { 0 };
	str_add(&p->out, "  ");
	str_add(&p->out, text);
	if (src) {
		OWN(str) raw = { 0 };
		src_text(&raw, src);
		esc_term(&by, str_c(&raw));
		size_t w = width(text) + 2;
		str_fmt(&p->out, "%*s%s", (int)(w < SRC_COLUMN ? SRC_COLUMN - w : 2), "", str_c(&by));
	}
	str_add_char(&p->out, '\n');
}

PRINTF(3, 4)
static void put(struct page *p, const struct src *src, const char *fmt, ...)
{
	OWN(str) raw = { 0 };
	OWN(str) text = { 0 };
	va_list ap;
	va_start(ap, fmt);
	str_vfmt(&raw, fmt, ap);
	va_end(ap);
	esc_term(&text, str_c(&raw));
	line(p, src, str_c(&text));
}

static void head(struct page *p, const char *text)
{
	str_fmt(&p->out, "%s%s\n", p->out.len ? "\n" : "", text);
}

static const char *show(const struct page *p, const char *path)
{
	const char *s = path ? host_shorten(p->h, p->a, path) : NULL;
	return s ? s : path ? path : "?";
}

/* ---- sections ---- */

static void put_who(struct page *p, const struct cli_opts *o)
{
	const struct policy *pol = p->pol;
	OWN(str) parts = { 0 };
	for (size_t i = 0; i < pol->profiles.n; i++)
		str_fmt(&parts, "%s%s", i ? " " : "", pol->profiles.items[i].text);
	head(p, "profiles");
	put(p, NULL, "%s", parts.len ? str_c(&parts) : "none");
	if (o->ncmd) {
		OWN(str) cmd = { 0 };
		for (size_t i = 0; i < o->ncmd; i++) {
			str_add(&cmd, i ? " " : "");
			esc_shell(&cmd, o->cmd[i]);
		}
		head(p, "command");
		put(p, NULL, "%s", str_c(&cmd));
	}
	head(p, "runs");
	put(p, NULL, "in %s as uid %u gid %u%s", pol->cwd, pol->uid, pol->gid,
	    pol->privileged ? ", root without capabilities" : ", in a user namespace");
}

static void put_network(struct page *p)
{
	static const char *const words[] = {
		[NET_UNSET] = "none", [NET_NONE] = "none", [NET_PROXY] = "proxy", [NET_HOST] = "host",
	};
	static const struct src unsaid = { .origin = "default" };
	const struct policy *pol = p->pol;
	head(p, "network");
	put(p, pol->network.src.origin ? &pol->network.src : &unsaid, "mode %s", words[pol->network.v]);
	for (size_t i = 0; i < pol->nallow_hosts; i++)
		put(p, &pol->allow_hosts[i].src, "allow %s%s", pol->allow_hosts[i].text,
		    pol->network.v == NET_NONE ? " (no effect: mode none)" : "");
	for (size_t i = 0; i < pol->ndeny_hosts; i++)
		put(p, &pol->deny_hosts[i].src, "deny %s", pol->deny_hosts[i].text);
	if (pol->network.v == NET_PROXY && !pol->nallow_hosts)
		put(p, NULL, "no host is allowed");
}

static const char *place_text(struct page *p, const struct place *pl)
{
	struct arena *a = p->a;
	const char *path = show(p, pl->path);
	const char *from = pl->source && strcmp(pl->source, pl->path) != 0 ?
	                   arena_fmt(a, " (host: %s)", show(p, pl->source)) : "";
	const char *make = pl->create == CREATE_DIR ? " (directory, made if absent)" :
	                   pl->create == CREATE_FILE ? " (file, made if absent)" : "";
	switch (pl->kind) {
	case PLACE_BIND:  return arena_fmt(a, "%s    %s%s%s", pl->mode == BIND_RW ? "rw" : "ro", path, from, make);
	case PLACE_COPY:  return arena_fmt(a, "copy  %s%s", path, from);
	case PLACE_TMPFS: return arena_fmt(a, "empty %s", path);
	case PLACE_LINK:  return arena_fmt(a, "link  %s -> %s", path, pl->text);
	case PLACE_PROC: case PLACE_DEV: case PLACE_SHM:
		return arena_fmt(a, "own   %s", path);
	case PLACE_SYS:   return arena_fmt(a, "ro    %s", path);
	case PLACE_STUB:  return arena_fmt(a, "made  %s", path);
	case PLACE_MASK:  return arena_fmt(a, "hide  %s", path);
	case PLACE_FENCE: return arena_fmt(a, "fence %s (read-only)", path);
	case PLACE_PIN:   return arena_fmt(a, "pin   %s (cannot be renamed)", path);
	}
	return NULL;
}

static void put_places(struct page *p)
{
	head(p, "view (all else is absent)");
	for (size_t i = 0; i < p->pol->nplaces; i++) {
		const char *text = place_text(p, &p->pol->places[i]);
		put(p, &p->pol->places[i].src, "%s", text ? text : "?");
	}
}

static void put_writable(struct page *p)
{
	size_t n = 0;
	head(p, "writable on the host");
	for (size_t i = 0; i < p->pol->nplaces; i++) {
		const struct place *pl = &p->pol->places[i];
		if ((pl->kind != PLACE_BIND || pl->mode != BIND_RW) && pl->kind != PLACE_COPY)
			continue;
		if (!strcmp(pl->source, "/"))
			put(p, &pl->src, "the whole host tree");
		else
			put(p, &pl->src, "%s%s", show(p, pl->source), pl->kind == PLACE_COPY ? " (written back at the end)" : "");
		n++;
	}
	if (!n)
		put(p, NULL, "nothing");
}

static void put_env(struct page *p)
{
	const struct policy *pol = p->pol;
	head(p, "environment (names only)");
	if (pol->clear_env == TRI_NO)
		put(p, NULL, "pass  all");
	for (size_t i = 0; i < pol->env_allow.n; i++)
		put(p, &pol->env_allow.items[i].src, "pass  %s", pol->env_allow.items[i].text);
	for (size_t i = 0; i < pol->env_set.n; i++)
		put(p, &pol->env_set.items[i].src, "set   %s", pol->env_set.items[i].name);
	for (size_t i = 0; i < pol->env_deny.n; i++)
		put(p, &pol->env_deny.items[i].src, "deny  %s", pol->env_deny.items[i].text);
	for (size_t i = 0; i < pol->prepend_path.n; i++)
		put(p, &pol->prepend_path.items[i].src, "PATH  %s", show(p, pol->prepend_path.items[i].text));
}

/* Calls of one source share a line or more. */
static void put_syscalls(struct page *p)
{
	static const char *const actions[] = { [ACT_UNSET] = "errno", [ACT_ERRNO] = "errno", [ACT_KILL] = "kill", [ACT_LOG] = "log" };
	const struct policy *pol = p->pol;
	head(p, "system calls denied");
	put(p, pol->action.src.origin ? &pol->action.src : NULL, "action %s", actions[pol->action.v]);
	for (size_t i = 0; i < pol->sys_deny.n;) {
		OWN(str) names = { 0 };
		const struct src *src = &pol->sys_deny.items[i].src;
		for (; i < pol->sys_deny.n && !strcmp(pol->sys_deny.items[i].src.origin, src->origin) &&
		       names.len + strlen(pol->sys_deny.items[i].text) < SRC_COLUMN - 6; i++)
			str_fmt(&names, "%s%s", names.len ? " " : "", pol->sys_deny.items[i].text);
		if (!names.len)
			str_add(&names, pol->sys_deny.items[i++].text);
		const struct src whole = { .origin = src->origin };
		put(p, &whole, "%s", str_c(&names));
	}
}

static void put_words(struct page *p, const char *title, const struct wordlist *l)
{
	if (l->n)
		head(p, title);
	for (size_t i = 0; i < l->n; i++)
		put(p, l->items[i].src.origin ? &l->items[i].src : NULL, "%s", l->items[i].text);
}

/* The view is told also where run would not start in it; the same check decides. */
static void put_refusal(struct page *p, const struct cli_opts *o, const struct setup *s)
{
	OWN(policy) strict = { 0 };
	struct err why = { 0 };
	if (setup_refused(o, &s->host, &why) == 0 &&
	    policy_resolve(&strict, &s->profile, &s->host, true, &why) == 0)
		return;
	head(p, "run refuses");
	put(p, NULL, "%s", why.msg);
}

int cmd_explain(struct cli_opts *o, struct err *e)
{
	OWN(setup) s = { 0 };
	OWN(arena) a = { 0 };
	struct wordlist risks = { 0 };
	int r = setup_make(&s, o, FIND_READ, false, e);
	if (r)
		return r;
	struct page p = { .a = &a, .h = &s.host, .pol = &s.policy };
	put_who(&p, o);
	put_network(&p);
	put_writable(&p);
	put_places(&p);
	put_env(&p);
	put_syscalls(&p);
	put_words(&p, "notes", &s.policy.notes);
	put_words(&p, "profiles say", &s.profile.warnings);
	put_words(&p, "found", &s.finder.notes);
	r = risk_find(&risks, &a, &s.policy);
	if (!r)
		put_words(&p, "look twice", &risks);
	put_refusal(&p, o, &s);
	if (r || p.out.oom)
		r = err_set(e, ENOMEM, "out of memory");
	else
		fputs(str_c(&p.out), stdout);
	str_drop(&p.out);
	return r;
}
