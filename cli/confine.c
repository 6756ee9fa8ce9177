/* confine.c - box and relay, started and waited for */
#include "cli/confine.h"

#include "base/log.h"
#include "enforce/filter.h"
#include "enforce/relay.h"
#include "trace/watch.h"

#include <errno.h>

void confine_drop(struct confine *c)
{
	recording_drop(&c->rec);
	str_drop(&c->notes);
	arena_drop(&c->arena);
	*c = (struct confine){ 0 };
}

static int start_relay(struct relay *out, struct policy *pol, const struct box *b, char *const *envp,
                       bool no_rows, struct err *e)
{
	struct relay_opts opts = {
		.listen = { fd_no(b->proxy) }, .nlisten = 1, .ask = relay_policy_ask, .addr = relay_policy_addr, .arg = pol,
		.sni = SNI_CHECK, .no_rows = no_rows, .say = log_level() > 0 ? 2 : 0,
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

/* What the filter leaves to the recorder to refuse. */
static int refusals(struct confine *c, const struct policy *pol, struct trace_opts *t, struct err *e)
{
	struct refusal *list = arena_array(&c->arena, pol->sys_deny.n + 1, sizeof(*list));
	if (!list)
		return err_set(e, ENOMEM, "out of memory");
	t->refuse = list;
	for (size_t i = 0; i < pol->sys_deny.n; i++) {
		const char *name = pol->sys_deny.items[i].text;
		int nr;
		if (filter_handed(pol, i, &nr))
			list[t->nrefuse++] = (struct refusal){ nr, sys_deny_errno(name), name };
	}
	return 0;
}

static int watch(struct watch *w, struct confine *c, const struct policy *pol, struct err *e)
{
	struct trace_opts t = {
		.argv = c->box.argv, .env = c->box.env, .real_env = c->envp, .timeout_ms = -1, .log_fd = -1,
		.proxy_port = c->offered ? c->offered : c->box.proxy_port, .in_view = c->in_view,
	};
	int r = refusals(c, pol, &t, e);
	if (r == 0)
		r = watch_start(w, c->host, &t, e);
	if (r < 0)
		return err_wrap(e, "starting the recorder");
	c->program = (struct sock_fprog){ .len = (unsigned short)w->filter.n, .filter = w->filter.code };
	c->box.watch = &c->program;
	c->box.watch_fd = fd_no(w->hand);
	return 0;
}

int confine_run(struct confine *c, struct policy *pol, struct err *e)
{
	OWN(box) box = { 0 };
	OWN(relay) relay = { 0 };
	OWN(watch) w = { 0 };
	bool proxy = pol->network.v == NET_PROXY;
	int r = c->host ? watch(&w, c, pol, e) : 0;
	if (r == 0 && c->host && c->offered)
		r = watch_rows(&w, c->rows, e);
	if (r == 0)
		r = box_start(&box, pol, &c->box, e);
	if (r == 0 && proxy)
		r = start_relay(&relay, pol, &box, c->envp, !c->host, e);
	if (r == 0 && proxy && c->host)
		r = watch_rows(&w, fd_no(relay.log), e);
	if (r == 0 && proxy) {
		fd_drop(&box.proxy); /* the relay has its own */
		r = box_go(&box, e);
	}
	if (r == 0 && c->host && box.exec_err == ENOSYS) /* what a call answers whose listener is gone */
		r = err_set(e, EIO, "the recorder did not take over the command's calls, so it was not executed: try again, or run it without "
		                    "being watched");
	if (r < 0)
		return r;
	int code = box_wait(&box, c->timeout_ms, e);
	if (code >= 0 && c->host && (r = watch_end(&w, &c->rec, code, e)) < 0) /* while the relay can still tell */
		return r;
	if (code < 0)
		return code;
	c->unprotected = box_lost(&box, pol, &box.notes) > 0;
	c->notes = TAKE(box.notes);
	c->exec_err = box.exec_err;
	c->exec_interp = box.exec_interp;
	c->unwritten = box.unwritten;
	return code;
}
