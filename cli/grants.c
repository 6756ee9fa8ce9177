/* grants.c - grants typed on the command line, as lines of a profile */
#include "cli/optdef.h"

#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static struct src said_by(struct cli_opts *o, const struct optdef *d)
{
	const char *origin = arena_fmt(&o->arena, "--%s", d->name);
	return (struct src){ .origin = origin ? origin : "--", .inlined = true };
}

/*
 * The next item of the comma list @*text, or NULL at its end with *@bad set where an item is empty or memory
 * is out. A backslash takes the comma after it literally.
 */
static const char *item_next(struct arena *a, const char **text, bool *bad)
{
	const char *p = *text;
	if (!p)
		return NULL;
	OWN(str) s = { 0 };
	for (; *p && *p != ','; p++) {
		if (p[0] == '\\' && p[1] == ',')
			p++;
		str_add_char(&s, *p);
	}
	*text = *p ? p + 1 : NULL;
	char *got = s.len && !s.oom ? arena_str(a, str_c(&s)) : NULL;
	if (!got)
		*bad = true;
	return got;
}

static int bad_list(const struct optdef *d, const char *all, struct err *e)
{
	return err_set(e, EINVAL, "--%s=%s: an item of the list is empty", d->name, all);
}

/* Absolute, or with a placeholder; what is relative was meant from where it was typed. */
static const char *typed_path(struct cli_opts *o, const char *path, struct err *e)
{
	size_t n = key_placeholder_len(path);
	if (*path == '{' && (!n || (path[n] && path[n] != '/'))) {
		(void)err_set(e, EINVAL, "unknown placeholder in '%s'; known are {project}, {home}, {tmp}, {cache}, {config}, {data}, "
		              "{state}, {runtime}, {scratch}; a file of that name is ./%s", path, path);
		return NULL;
	}
	if (*path == '/' || *path == '{' || !strcmp(path, "~") || !strncmp(path, "~/", 2))
		return path;
	char cwd[4096];
	if (!getcwd(cwd, sizeof(cwd)) || cwd[0] != '/') {
		(void)err_set(e, EINVAL, "%s: relative, and the working directory is gone or out of reach; "
		              "give the full path", path);
		return NULL;
	}
	const char *full = path_join(&o->arena, cwd, path);
	if (!full)
		(void)err_set(e, ENOMEM, "out of memory");
	return full;
}

/* The next path of the list @all; NULL at its end and on trouble, which *@x has then. */
static const char *path_next(struct cli_opts *o, const struct optdef *d, const char *all, const char **rest, int *x,
                             struct err *e)
{
	bool bad = false;
	const char *it = item_next(&o->arena, rest, &bad);
	const char *path = it ? typed_path(o, it, e) : NULL;
	if (it && !path)
		*x = -e->code;
	else if (bad)
		*x = bad_list(d, all, e);
	return path;
}

static int add_binds(struct cli_opts *o, const struct optdef *d, const char *text, enum bind_mode mode,
                     struct err *e)
{
	const char *rest = text, *path;
	int x = 0;
	while ((path = path_next(o, d, text, &rest, &x, e))) {
		struct bind *b = ARENA_PUSH(&o->arena, &o->grants.binds, items, n);
		if (!b)
			return err_set(e, ENOMEM, "out of memory");
		*b = (struct bind){ .source = path, .mode = mode, .src = said_by(o, d) };
	}
	return x;
}

static int add_paths(struct cli_opts *o, const struct optdef *d, const char *text, struct pathlist *list,
                     struct err *e)
{
	const char *rest = text, *path;
	int x = 0;
	while ((path = path_next(o, d, text, &rest, &x, e))) {
		struct pathent *p = ARENA_PUSH(&o->arena, list, items, n);
		if (!p)
			return err_set(e, ENOMEM, "out of memory");
		*p = (struct pathent){ .path = path, .src = said_by(o, d) };
	}
	return x;
}

static int add_words(struct cli_opts *o, const struct optdef *d, const char *text, struct wordlist *list,
                     struct err *e)
{
	const char *all = text, *it;
	bool bad = false;
	while ((it = item_next(&o->arena, &text, &bad))) {
		struct word *w = ARENA_PUSH(&o->arena, list, items, n);
		if (!w)
			return err_set(e, ENOMEM, "out of memory");
		*w = (struct word){ .text = it, .src = said_by(o, d) };
	}
	return bad ? bad_list(d, all, e) : 0;
}

int grant_read(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	return add_binds(o, d, text, BIND_RO, e);
}

int grant_write(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	return add_binds(o, d, text ? text : "/", BIND_RW, e);
}

int grant_deny_read(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	return add_paths(o, d, text, &o->grants.deny_read, e);
}

int grant_deny_write(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	return add_paths(o, d, text, &o->grants.deny_write, e);
}

int grant_net(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	o->grants.has_allow_hosts = true;
	return add_words(o, d, text ? text : "*:*", &o->grants.allow_hosts, e);
}

int grant_deny_net(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	return add_words(o, d, text, &o->grants.deny_hosts, e);
}

int grant_env(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	return add_words(o, d, text ? text : "*", &o->grants.env_allow, e);
}

int grant_deny_env(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	return add_words(o, d, text, &o->grants.env_deny, e);
}

int grant_env_set(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	const char *eq = strchr(text, '=');
	if (!eq || eq == text)
		return err_set(e, EINVAL, "--env=%s: NAME=VALUE is wanted; --allow-env=NAME passes yours on", text);
	struct envset *s = ARENA_PUSH(&o->arena, &o->grants.env_set, items, n);
	char *name = arena_mem(&o->arena, text, (size_t)(eq - text));
	if (!s || !name)
		return err_set(e, ENOMEM, "out of memory");
	*s = (struct envset){ .name = name, .value = eq + 1, .src = said_by(o, d) };
	return 0;
}

int grant_network(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e UNUSED)
{
	o->grants.network.v = !strcmp(text, "none") ? NET_NONE : !strcmp(text, "proxy") ? NET_PROXY : NET_HOST;
	o->grants.network.src = said_by(o, d);
	return 0;
}

static void mark_words(struct wordlist *l)
{
	for (size_t i = 0; i < l->n; i++)
		l->items[i].src.overrides = true;
}

static void mark_paths(struct pathlist *l)
{
	for (size_t i = 0; i < l->n; i++)
		l->items[i].src.overrides = true;
}

static void mark_overrides(struct profile *g)
{
	for (size_t i = 0; i < g->binds.n; i++)
		g->binds.items[i].src.overrides = true;
	for (size_t i = 0; i < g->env_set.n; i++)
		g->env_set.items[i].src.overrides = true;
	mark_paths(&g->deny_read);
	mark_paths(&g->deny_write);
	mark_words(&g->env_allow);
	mark_words(&g->env_deny);
	mark_words(&g->allow_hosts);
	mark_words(&g->deny_hosts);
	g->network.src.overrides = g->network.src.origin != NULL;
}

int grants_finish(struct cli_opts *o, struct err *e)
{
	struct profile *g = &o->grants;
	if (g->has_allow_hosts && g->network.src.origin && g->network.v == NET_HOST)
		return err_set(e, EINVAL, "--network host contradicts --allow-net: on the raw network nobody asks which "
		               "hosts were granted; leave one of them out");
	if (g->has_allow_hosts && !g->network.src.origin) {
		g->network.v = NET_PROXY;
		g->network.src = g->allow_hosts.items[0].src;
	}
	if (o->override)
		mark_overrides(g);
	return 0;
}
