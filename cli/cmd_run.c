/* cmd_run.c - snug run: a command inside its policy */
#include "base/esc.h"
#include "base/str.h"
#include "cli/absent.h"
#include "cli/cmd.h"
#include "cli/setup.h"
#include "enforce/box.h"
#include "enforce/relay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>


static int ask_host(void *arg, const struct relay_ask *q)
{
	return policy_ask_host(arg, q->host, q->port, NULL) == V_GRANTED ? 0 : 403;
}

/* A name that leads to a private address is refused unless the address itself stands in a list. */
static int ask_addr(void *arg, const char *ip, uint16_t port)
{
	const struct policy *pol = arg;
	for (size_t i = 0; i < pol->ndeny_hosts; i++) {
		if (pol->deny_hosts[i].family != FAM_NONE && host_rule_match(&pol->deny_hosts[i], ip, port))
			return -1;
	}
	for (size_t i = 0; i < pol->nallow_hosts; i++) {
		if (pol->allow_hosts[i].family != FAM_NONE && host_rule_match(&pol->allow_hosts[i], ip, port))
			return 1;
	}
	return 0;
}

static const char *first_of(char *const *envp, const char *const *names)
{
	for (; *names; names++) {
		const char *v = env_get(envp, *names);
		if (v && *v)
			return v;
	}
	return NULL;
}

static int start_relay(struct relay *out, struct policy *pol, const struct box *b, char *const *envp, struct err *e)
{
	static const char *const plain[] = { "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", NULL };
	static const char *const tunnel[] = { "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", NULL };
	static const char *const except[] = { "no_proxy", "NO_PROXY", NULL };
	const struct relay_opts opts = {
		.listen = { fd_no(b->proxy) }, .nlisten = 1, .ask = ask_host, .addr = ask_addr, .arg = pol,
		.upstream = first_of(envp, plain), .upstream_connect = first_of(envp, tunnel),
		.no_proxy = first_of(envp, except), .no_rows = true,
	};
	int r = relay_start(out, &opts, e);
	return r < 0 ? err_wrap(e, "starting the proxy") : 0;
}

static void say_notes(const struct str *notes)
{
	for (const char *line = str_c(notes); *line;) {
		size_t len = strcspn(line, "\n");
		fprintf(stderr, "snug: %.*s\n", (int)len, line);
		line += len + (line[len] != 0);
	}
}

static int refuse_no_project(const struct host *h, struct err *e)
{
	return err_set(e, EPERM, "the working directory %s is / or holds the home directory, which would be handed over "
	               "whole: change to the project's directory, name it with --project DIR, or insist with "
	               "--project-anyway", h->cwd);
}

static int run(struct cli_opts *o, struct setup *s, struct err *e)
{
	OWN(arena) mem = { 0 };
	OWN(box) box = { 0 };
	OWN(relay) relay = { 0 };
	bool proxy = s->policy.network.v == NET_PROXY;
	struct box_opts opts = {
		.argv = o->cmd, .keep_fd = o->keep_fd, .nkeep_fd = o->nkeep_fd,
		.proxy_port = proxy ? BOX_PROXY_PORT : 0,
		.env = env_build(&mem, &s->policy, o->envp, proxy ? BOX_PROXY_PORT : 0),
	};
	if (!opts.env)
		return err_set(e, ENOMEM, "out of memory");
	absent_hint(o, s);
	int r = box_start(&box, &s->policy, &opts, e);
	if (r == 0 && proxy)
		r = start_relay(&relay, &s->policy, &box, o->envp, e);
	if (r == 0 && proxy) {
		fd_drop(&box.proxy); /* the relay has its own */
		r = box_go(&box, e);
	}
	if (r < 0)
		return r;
	int code = box_wait(&box, o->timeout_s ? o->timeout_s * 1000 : -1, e);
	if (code < 0)
		return code;
	say_notes(&box.notes);
	if (box.exec_err)
		absent_command(o, s, opts.env, box.exec_err, box.exec_interp);
	return code;
}

int cmd_run(struct cli_opts *o, struct err *e)
{
	OWN(setup) s = { 0 };
	int r = setup_make(&s, o, FIND_APPLY, true, e);
	if (s.host.cwd && !s.host.project)
		return refuse_no_project(&s.host, e); /* whatever else is wrong follows from it */
	return r < 0 ? r : run(o, &s, e);
}
