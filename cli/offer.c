/* offer.c - starts the relay for an audit and tells the command about it */
#include "cli/offer.h"

#include "base/fd.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* What a program serves itself on loopback needs no proxy; the user's own exceptions are the relay's business. */
#define OWN_HOSTS "localhost,127.0.0.1,::1"

/* @value NULL: the proxy's address */
static const struct { const char *name, *value; } offered[] = {
	{ "http_proxy", NULL }, { "https_proxy", NULL }, { "HTTP_PROXY", NULL }, { "HTTPS_PROXY", NULL },
	{ "all_proxy", NULL }, { "ALL_PROXY", NULL }, { "no_proxy", OWN_HOSTS }, { "NO_PROXY", OWN_HOSTS },
	{ "NODE_USE_ENV_PROXY", "1" },
};

void offer_drop(struct offer *o)
{
	relay_drop(&o->relay);
	arena_drop(&o->arena);
	*o = (struct offer){ 0 };
}

static bool is_offered(const char *entry)
{
	for (size_t i = 0; i < LEN(offered); i++) {
		size_t len = strlen(offered[i].name);
		if (!strncmp(entry, offered[i].name, len) && entry[len] == '=')
			return true;
	}
	return false;
}

/* Everything else keeps its place and its bytes, also entries that are no NAME=VALUE. */
static char **environment(struct arena *a, char *const *envp, uint16_t port)
{
	size_t n = 0, at = 0;
	while (envp && envp[n])
		n++;
	char **env = arena_array(a, n + LEN(offered) + 1, sizeof(*env));
	for (size_t i = 0; env && i < n; i++)
		if (!is_offered(envp[i]))
			env[at++] = envp[i];
	for (size_t i = 0; env && i < LEN(offered); i++) {
		env[at] = offered[i].value ? arena_fmt(a, "%s=%s", offered[i].name, offered[i].value) :
		                             arena_fmt(a, "%s=http://127.0.0.1:%u", offered[i].name, port);
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
		.sni = SNI_REPORT,
	};
	relay_upstream_env(&opts, envp);
	r = relay_start(&o.relay, &opts, e);
	if (r < 0)
		return r;
	*out = TAKE(o);
	return 0;
}
