/* confine.c - box and relay, started and waited for */
#include "cli/confine.h"

#include "base/log.h"
#include "enforce/relay.h"

#include <errno.h>

void confine_drop(struct confine *c)
{
	str_drop(&c->notes);
	arena_drop(&c->arena);
	*c = (struct confine){ 0 };
}

static int start_relay(struct relay *out, struct policy *pol, const struct box *b, char *const *envp, struct err *e)
{
	struct relay_opts opts = {
		.listen = { fd_no(b->proxy) }, .nlisten = 1, .ask = relay_policy_ask, .addr = relay_policy_addr, .arg = pol,
		.sni = SNI_CHECK, .no_rows = true, .say = log_level() > 0 ? 2 : 0,
	};
	relay_upstream_env(&opts, envp);
	int r = relay_start(out, &opts, e);
	return r < 0 ? err_wrap(e, "starting the proxy") : 0;
}

int confine_env(struct confine *c, const struct policy *pol, struct err *e)
{
	c->box.proxy_port = pol->network.v == NET_PROXY ? BOX_PROXY_PORT : 0;
	c->box.env = env_build(&c->arena, pol, c->envp, c->box.proxy_port);
	return c->box.env ? 0 : err_set(e, ENOMEM, "out of memory");
}

int confine_run(struct confine *c, struct policy *pol, struct err *e)
{
	OWN(box) box = { 0 };
	OWN(relay) relay = { 0 };
	bool proxy = pol->network.v == NET_PROXY;
	int r = box_start(&box, pol, &c->box, e);
	if (r == 0 && proxy)
		r = start_relay(&relay, pol, &box, c->envp, e);
	if (r == 0 && proxy) {
		fd_drop(&box.proxy); /* the relay has its own */
		r = box_go(&box, e);
	}
	if (r < 0)
		return r;
	int code = box_wait(&box, c->timeout_ms, e);
	if (code < 0)
		return code;
	c->unprotected = box_lost(&box, pol, &box.notes) > 0;
	c->notes = TAKE(box.notes);
	c->exec_err = box.exec_err;
	c->exec_interp = box.exec_interp;
	c->unwritten = box.unwritten;
	return code;
}
