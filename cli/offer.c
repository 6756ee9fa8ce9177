/* offer.c - starts the relay for an audit and tells the command about it */
#include "cli/offer.h"

#include "base/fd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const offer_names[] = {
	"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy",
	"NODE_USE_ENV_PROXY", NULL,
};

void offer_drop(struct offer *o)
{
	relay_drop(&o->relay);
	arena_drop(&o->arena);
	*o = (struct offer){ 0 };
}

static bool offered(const char *entry)
{
	for (const char *const *n = offer_names; *n; n++)
		if (!strncmp(entry, *n, strlen(*n)) && entry[strlen(*n)] == '=')
			return true;
	return false;
}

/* What the offer sets @name to; loopback is the command's own, the user's exceptions are the relay's to keep. */
static const char *value_of(struct arena *a, const char *name, uint16_t port)
{
	if (!strcasecmp(name, "no_proxy"))
		return RELAY_NO_PROXY;
	return strcmp(name, "NODE_USE_ENV_PROXY") ? arena_fmt(a, "http://127.0.0.1:%u", port) : "1";
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
		const char *value = value_of(a, *name, port);
		env[at] = value ? arena_fmt(a, "%s=%s", *name, value) : NULL;
		if (!env[at++])
			return NULL;
	}
	return env;
}

int offer_start(struct offer *out, char *const *envp, struct err *e)
{
	OWN(offer) o = { 0 };
	OWN(fd) listener = { 0 };
	int r = relay_listen(&listener, &o.port, e);
	if (r < 0)
		return r;
	o.env = environment(&o.arena, envp, o.port);
	if (!o.env)
		return err_set(e, ENOMEM, "out of memory");
	struct relay_opts opts = {
		.listen = { fd_no(listener) }, .nlisten = 1, .ask = relay_allow_all, .private_ok = true,
	};
	relay_upstream_env(&opts, envp);
	r = relay_start(&o.relay, &opts, e);
	if (r < 0)
		return r;
	*out = TAKE(o);
	return 0;
}
