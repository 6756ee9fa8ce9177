#include "trace/relayrows.h"

#include "enforce/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static void sum(struct recorder *r, const struct netfact *add)
{
	for (size_t i = 0; i < r->rec.nnets; i++) {
		struct netfact *n = &r->rec.nets[i];
		if (n->port != add->port || n->bypass != add->bypass || n->proc != add->proc ||
		    n->outcome != add->outcome || strcmp(n->host, add->host) != 0)
			continue;
		n->connections += add->connections;
		n->sent += add->sent;
		n->received += add->received;
		return;
	}
	struct netfact *more = arena_push(&r->rec.arena, r->rec.nets, r->rec.nnets, sizeof(*more));
	if (!more)
		return;
	r->rec.nets = more;
	more[r->rec.nnets] = *add;
	more[r->rec.nnets++].host = eventset_str(&r->set, add->host);
}

static void add_host(struct recorder *r, uint32_t proc, const char *host, const struct relay_row *w)
{
	char spelled[300];
	if (strchr(host, ':'))
		snprintf(spelled, sizeof(spelled), "[%s]:%u", host, w->port);
	else
		snprintf(spelled, sizeof(spelled), "%s:%u", host, w->port);
	struct access a = { .op = OP_HOST, .port = w->port, .uid = r->host->uid, .gid = r->host->gid };
	a.obj[0].spelled = spelled;
	if (eventset_add(&r->set, proc ? proc : r->rec.nprocs ? 1 : 0, &a, w->err > 0 ? w->err : 0, OUT_OBSERVED,
	                 recorder_now() - r->start_ns) < 0)
		recorder_reason(r, "memory ran out; accesses are missing");
}

static void row(struct recorder *r, const struct relay_row *w)
{
	uint32_t proc = sockports_get(&r->ports, w->client_port);
	if (!w->host[0])
		return; /* no request that could be read: nobody was asked for */
	add_host(r, proc, w->host, w);
	/* confined, a name that leads to a private address needs the address granted too (relay.h: private_ok) */
	if (w->private_addr && !w->by_proxy && w->addr[0] && strcmp(w->host, "localhost") != 0)
		add_host(r, proc, w->addr, w);
	struct netfact n = { .host = w->host, .port = w->port, .connections = 1, .sent = w->sent,
	                     .received = w->received, .outcome = w->err > 0 ? w->err : 0, .proc = proc };
	sum(r, &n);
}

int relayrows_read(struct recorder *r, int fd)
{
	for (;;) {
		struct relay_row w;
		ssize_t n = recv(fd, &w, sizeof(w), MSG_DONTWAIT);
		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		if (n != sizeof(w))
			return 0;
		if (w.last)
			return 2;
		w.host[sizeof(w.host) - 1] = 0;
		w.addr[sizeof(w.addr) - 1] = 0;
		row(r, &w);
	}
}

void relayrows_direct(struct recorder *r)
{
	for (size_t i = 0; i < r->set.n; i++) {
		const struct event *ev = &r->set.items[i];
		const char *text = ev->acc.obj[0].spelled;
		char host[64];
		if (ev->acc.op != OP_CONNECT || !(ev->acc.marks & MARK_BYPASS) || !text)
			continue;
		const char *colon = strrchr(text, ':');
		size_t n = colon ? (size_t)(colon - text) : strlen(text);
		bool six = text[0] == '[' && n > 2;
		snprintf(host, sizeof(host), "%.*s", (int)(six ? n - 2 : n), text + six);
		struct netfact f = { .host = host, .port = ev->acc.port, .bypass = true, .connections = ev->count,
		                     .outcome = ev->outcome, .proc = ev->proc };
		sum(r, &f);
	}
}
