/* relay_opts.c - ready-made answers for the relay: from the policy, and from the environment */
#include "enforce/relay.h"

#include "base/base.h"
#include "profiles/policy.h"

#include <stdio.h>
#include <string.h>

/* Where a line stands, as a client may read it. */
static void say_line(char *out, const struct src *by)
{
	if (!by || !by->origin)
		snprintf(out, RELAY_DENIED, "the policy");
	else if (by->line)
		snprintf(out, RELAY_DENIED, "%s:%d", by->origin, (int)by->line);
	else
		snprintf(out, RELAY_DENIED, "%s", by->origin);
	for (; *out; out++) {
		if (*out < ' ' || *out > '~') /* a file may be called anything */
			*out = '?';
	}
}

int relay_policy_ask(void *arg, const struct relay_ask *q)
{
	const struct src *by = NULL;
	enum verdict v = policy_ask_host(arg, q->host, q->port, &by);
	/* a client that says localhost means what was granted as an address */
	static const char *const loopback[] = { "127.0.0.1", "::1" };
	for (size_t i = 0; i < LEN(loopback) && v == V_MISSING && strcmp(q->host, "localhost") == 0; i++)
		v = policy_ask_host(arg, loopback[i], q->port, &by);
	if (v == V_DENIED && q->denied)
		say_line(q->denied, by);
	return v == V_GRANTED ? 0 : 403;
}

int relay_policy_addr(void *arg, const char *ip, uint16_t port)
{
	const struct src *by = NULL;
	switch (policy_ask_host(arg, ip, port, &by)) {
	case V_GRANTED:
		return 1;
	case V_DENIED:
		return -1;
	case V_MISSING:
	case V_PRIVATE:
		break;
	}
	return 0;
}

int relay_allow_all(void *arg, const struct relay_ask *q)
{
	(void)arg;
	(void)q;
	return 0;
}

/* Value of the first name of @names that is set and not empty. */
static const char *find(char *const *envp, const char *const *names)
{
	for (; *names; names++) {
		size_t n = strlen(*names);
		for (char *const *v = envp; *v; v++)
			if (strncmp(*v, *names, n) == 0 && (*v)[n] == '=' && (*v)[n + 1])
				return *v + n + 1;
	}
	return NULL;
}

void relay_upstream_env(struct relay_opts *o, char *const *envp)
{
	static const char *const plain[] = { "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", NULL };
	static const char *const tunnel[] = { "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", NULL };
	static const char *const except[] = { "no_proxy", "NO_PROXY", NULL };
	o->upstream = find(envp, plain);
	o->upstream_connect = find(envp, tunnel);
	o->no_proxy = find(envp, except);
}
