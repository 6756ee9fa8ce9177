/* env.c - the command's environment from policy and caller */
#include "enforce/box.h"

#include "base/glob.h"
#include "enforce/relay.h"

#include <string.h>
#include <strings.h>

/* Both cases: programs read the one or the other. */
static const struct { const char *name, *value; } proxy_vars[] = {
	{ "http_proxy", NULL },  { "https_proxy", NULL }, { "all_proxy", NULL },
	{ "HTTP_PROXY", NULL },  { "HTTPS_PROXY", NULL }, { "ALL_PROXY", NULL },
	{ "no_proxy", RELAY_NO_PROXY }, { "NO_PROXY", RELAY_NO_PROXY },
	{ "NODE_USE_ENV_PROXY", "1" },
};

const char *env_get(char *const *envp, const char *name)
{
	size_t len = strlen(name);
	for (; envp && *envp; envp++) {
		if (strncmp(*envp, name, len) == 0 && (*envp)[len] == '=')
			return *envp + len + 1;
	}
	return NULL;
}

/**
 * struct env - being built
 * @by_name: which names it has, so that the first one said stays
 */
struct env {
	char **items;
	size_t n;
	struct map by_name;
	struct arena *a;
};

static void env_drop(struct env *v)
{
	map_drop(&v->by_name);
}

/* Add NAME=VALUE unless NAME is there. @name lives in v->a. Return: 0, -1 when memory is out. */
static int add(struct env *v, const char *name, char *entry)
{
	int fresh;
	if (!name || !entry || !map_put(&v->by_name, name, strlen(name), &fresh))
		return -1;
	if (!fresh)
		return 0;
	char **slot = ARENA_PUSH(v->a, v, items, n);
	if (!slot)
		return -1;
	*slot = entry;
	return 0;
}

static int add_value(struct env *v, const char *name, const char *value)
{
	return add(v, arena_str(v->a, name), arena_fmt(v->a, "%s=%s", name, value));
}

static bool denied(const struct policy *pol, const char *name)
{
	return policy_ask_env(pol, name, NULL) == V_DENIED;
}

/* Only the command's own loopback is reachable without the proxy. */
static int add_proxy(struct env *v, const struct policy *pol, uint16_t port)
{
	bool through = policy_names_loopback(pol);
	for (size_t i = 0; i < LEN(proxy_vars); i++) {
		const char *name = proxy_vars[i].name;
		if (denied(pol, name) || (through && strcasecmp(name, "no_proxy") == 0))
			continue;
		char *entry = proxy_vars[i].value ? arena_fmt(v->a, "%s=%s", name, proxy_vars[i].value)
		                                  : arena_fmt(v->a, "%s=http://127.0.0.1:%u", name, port);
		if (add(v, arena_str(v->a, name), entry) < 0)
			return -1;
	}
	return 0;
}

static const struct word *listed(const struct policy *pol, const char *name)
{
	const struct word *found = NULL;
	for (size_t i = 0; i < pol->env_allow.n; i++) {
		const struct word *w = &pol->env_allow.items[i];
		if (glob_match(w->text, name) && (!found || w->src.overrides))
			found = w;
	}
	return found;
}

/*
 * Does a line allow the caller's own value of @s? One that overrides beats what a profile sets, any one beats what only
 * the defaults set. Not where the view decides the value.
 */
static bool yields(const struct policy *pol, const struct envset *s)
{
	static const char *const views[] = { "HOME", "PWD", "TMPDIR" };
	for (size_t i = 0; i < LEN(views); i++) {
		if (strcmp(s->name, views[i]) == 0)
			return false;
	}
	const struct word *w = listed(pol, s->name);
	bool unsaid = !s->src.origin || strcmp(s->src.origin, "default") == 0;
	return w && (unsaid || (w->src.overrides && !s->src.overrides));
}

static int add_set(struct env *v, const struct policy *pol, char *const *envp)
{
	for (size_t i = 0; i < pol->env_set.n; i++) {
		const struct envset *s = &pol->env_set.items[i];
		const char *own = yields(pol, s) ? env_get(envp, s->name) : NULL;
		if (!denied(pol, s->name) && add_value(v, s->name, own ? own : s->value) < 0)
			return -1;
	}
	return 0;
}

static int add_allowed(struct env *v, const struct policy *pol, char *const *envp)
{
	for (; envp && *envp; envp++) {
		const char *eq = strchr(*envp, '=');
		if (!eq || eq == *envp)
			continue;
		const char *name = arena_mem(v->a, *envp, (size_t)(eq - *envp));
		if (!name)
			return -1;
		/* prepend_path grants a PATH, not the caller's */
		if (strcmp(name, "PATH") == 0 && pol->clear_env != TRI_NO && !listed(pol, name))
			continue;
		if (policy_ask_env(pol, name, NULL) == V_GRANTED && add(v, name, *envp) < 0)
			return -1;
	}
	return 0;
}

static int prepend(struct env *v, const struct policy *pol)
{
	const char *dirs = "";
	for (size_t i = 0; dirs && i < pol->prepend_path.n; i++)
		dirs = arena_fmt(v->a, "%s%s%s", dirs, i ? ":" : "", pol->prepend_path.items[i].text);
	if (!dirs)
		return -1;
	for (size_t i = 0; *dirs && i < v->n; i++) {
		if (strncmp(v->items[i], "PATH=", 5) != 0)
			continue;
		const char *rest = v->items[i] + 5;
		v->items[i] = arena_fmt(v->a, "PATH=%s%s%s", dirs, *rest ? ":" : "", rest);
		return v->items[i] ? 0 : -1;
	}
	return *dirs && !denied(pol, "PATH") ? add_value(v, "PATH", dirs) : 0;
}

char **env_build(struct arena *a, const struct policy *pol, char *const *envp, uint16_t proxy_port)
{
	OWN(env) v = { .a = a };
	if ((proxy_port && add_proxy(&v, pol, proxy_port) < 0) || add_set(&v, pol, envp) < 0 ||
	    add_allowed(&v, pol, envp) < 0 || prepend(&v, pol) < 0)
		return NULL;
	return ARENA_PUSH(a, &v, items, n) ? v.items : NULL; /* the NULL at the end */
}
