/* offer.c - starts the relay for an audit and tells the command about it */
#include "cli/offer.h"

#include "base/fd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *const offer_names[] = {
	"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy", "NODE_USE_ENV_PROXY", NULL,
};

void offer_drop(struct offer *o)
{
	relay_drop(&o->relay);
	arena_drop(&o->arena);
	*o = (struct offer){ 0 };
}

static const char *env_of(char *const *envp, const char *name)
{
	size_t len = strlen(name);
	for (; envp && *envp; envp++)
		if (!strncmp(*envp, name, len) && (*envp)[len] == '=')
			return *envp + len + 1;
	return NULL;
}

/* The first of @names that is set and not empty. */
static const char *first_of(char *const *envp, const char *const *names)
{
	for (; *names; names++) {
		const char *v = env_of(envp, *names);
		if (v && *v)
			return v;
	}
	return NULL;
}

static bool offered(const char *entry)
{
	for (const char *const *n = offer_names; *n; n++)
		if (!strncmp(entry, *n, strlen(*n)) && entry[strlen(*n)] == '=')
			return true;
	return false;
}

/* Everything else keeps its place and its bytes, also entries that are no NAME=VALUE. */
static char **environment(struct arena *a, char *const *envp, uint16_t port)
{
	size_t n = 0, at = 0;
	while (envp && envp[n])
		n++;
	char **env = arena_array(a, n + LEN(offer_names), sizeof(*env));
	for (size_t i = 0; env && i < n; i++)
		if (!offered(envp[i]))
			env[at++] = envp[i];
	for (const char *const *name = offer_names; env && *name; name++) {
		env[at] = strcmp(*name, "NODE_USE_ENV_PROXY") ?
		          arena_fmt(a, "%s=http://127.0.0.1:%u", *name, port) : arena_fmt(a, "%s=1", *name);
		if (!env[at++])
			return NULL;
	}
	return env;
}

static int allow(void *arg UNUSED, const struct relay_ask *q UNUSED)
{
	return 0;
}

int offer_start(struct offer *out, char *const *envp, struct err *e)
{
	static const char *const upstream[] = {
		"https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", NULL
	};
	static const char *const except[] = { "no_proxy", "NO_PROXY", NULL };
	OWN(offer) o = { 0 };
	OWN(fd) listener = { 0 };
	int r = relay_listen(&listener, &o.port, e);
	if (r < 0)
		return r;
	o.env = environment(&o.arena, envp, o.port);
	if (!o.env)
		return err_set(e, ENOMEM, "out of memory");
	const struct relay_opts opts = {
		.listen = { fd_no(listener) }, .nlisten = 1, .ask = allow, .private_ok = true,
		.upstream = first_of(envp, upstream), .no_proxy = first_of(envp, except),
	};
	r = relay_start(&o.relay, &opts, e);
	if (r < 0)
		return r;
	*out = TAKE(o);
	return 0;
}
