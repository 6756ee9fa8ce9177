/* relay_reach.c - from a request to a connected socket: ask, resolve, check each address, dial */
#include "enforce/relay_loop.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* What --allow-net takes for the host of @c; @plain: the port goes without saying. */
static void grant_text(const struct conn *c, struct str *out)
{
	bool plain = c->row.port == 80 || c->row.port == 443;
	http_write_authority(out, c->row.host, c->kind, c->row.port, plain ? c->row.port : 0);
}

static void refuse_host(struct conn *c, int status, const char *denied)
{
	if (denied[0]) {
		conn_refuse(c, status, "%s port %u is denied by %s, which beats every grant", c->row.host, c->row.port, denied);
		return;
	}
	OWN(str) grant = { 0 };
	grant_text(c, &grant);
	conn_refuse(c, status, "%s port %u is not granted; grant it with --allow-net=%s or under proxy.allow_hosts of a profile",
	            c->row.host, c->row.port, str_c(&grant));
}

/* Is @a the relay itself? Then it would talk to itself for ever. */
static bool is_own(const struct loop *lo, const union addr *a)
{
	const char *block = addr_private(a);
	for (int i = 0; i < lo->o->nlisten; i++)
		if (lo->o->private_ok && addr_port(&lo->own[i]) == addr_port(a) && block)
			return true;
	return false;
}

/* localhost is loopback by definition (RFC 6761 6.3): who grants the one grants the other. */
static bool is_localhost(const struct conn *c, const union addr *a)
{
	union addr v4;
	bool loopback = a->sa.sa_family == AF_INET ? ntohl(a->in.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET
	              : !addr_embedded(a, &v4) && IN6_IS_ADDR_LOOPBACK(&a->in6.sin6_addr);
	return loopback && strcmp(c->row.host, "localhost") == 0;
}

static const char denied_addr[] = "denied by address";

/* Words that say why @a is not dialled; NULL: it may be. */
static const char *address_refused(const struct conn *c, const union addr *a)
{
	const struct loop *lo = c->lo;
	const struct relay_opts *o = lo->o;
	char text[ADDR_TEXT];
	union addr v4;
	bool inner = addr_embedded(a, &v4);
	int said = 0;
	if (o->addr) {
		addr_text(a, text);
		said = o->addr(o->arg, text, addr_port(a));
		if (inner && said >= 0) {
			addr_text(&v4, text);
			int by_v4 = o->addr(o->arg, text, addr_port(a));
			said = by_v4 < 0 ? by_v4 : said + by_v4;
		}
	}
	if (said < 0)
		return denied_addr;
	if (is_own(lo, a))
		return "snug's own proxy";
	return said > 0 || o->private_ok || is_localhost(c, a) ? NULL : addr_private(a);
}

/* Put what may be dialled of @all into the race; when nothing is left, say why and return false. */
static bool take_addresses(struct conn *c, const union addr *all, unsigned n)
{
	const char *why = "no address";
	char text[ADDR_TEXT] = "";
	c->dial = (struct dial){ 0 };
	for (unsigned i = 0; i < n; i++) {
		/* the user's own proxy is where the user says it is */
		const char *no = c->via ? NULL : address_refused(c, &all[i]);
		if (!no) {
			c->dial.a[c->dial.n++] = all[i];
		} else if (!text[0]) {
			why = no;
			addr_text(&all[i], text);
		}
	}
	dial_order(&c->dial);
	if (c->dial.n > 0)
		return true;
	c->row.allowed = false;
	c->row.private_addr = true;
	snprintf(c->row.addr, sizeof(c->row.addr), "%s", text);
	if (strcmp(why, denied_addr) == 0) {
		conn_refuse(c, 403, "%s is at %s, which a deny of the policy covers; it beats every grant", c->row.host, text);
		return false;
	}
	conn_refuse(c, 403, "%s is at %s (%s), which a name does not grant; grant the address itself: --allow-net=%s%s%s:%u",
	            c->row.host, text, why, strchr(text, ':') ? "[" : "", text, strchr(text, ':') ? "]" : "", c->row.port);
	return false;
}

static void say_failed(struct conn *c, int code)
{
	c->row.err = code;
	conn_refuse(c, 502, "cannot connect to %s%s port %u: %s", c->via ? "the upstream proxy " : "",
	            c->via ? c->via->host : c->row.host, c->via ? c->via->port : c->row.port, strerror(code));
}

static void tune(int fd)
{
	int on = 1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

/* The race is over: @r as dial_go() returned it. */
static void dialled(struct conn *c, int r, struct fd fd, unsigned won)
{
	static const char yes[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	if (r == 0) {
		if (c->dial.next < c->dial.n)
			loop_timer(c->lo, c, c->dial.next_ms > c->lo->now_ms ? c->dial.next_ms - c->lo->now_ms : 1);
		else
			c->due_ms = 0;
		return;
	}
	if (r < 0) {
		say_failed(c, -r);
		return;
	}
	addr_text(&c->dial.a[won], c->row.addr);
	c->row.private_addr = addr_private(&c->dial.a[won]) != NULL;
	dial_drop(&c->dial);
	c->due_ms = 0;
	c->up.fd = fd;
	tune(fd_no(fd));
	bool direct = c->connect && !c->via;
	const char *first = direct ? yes : str_c(&c->pending);
	size_t len = direct ? sizeof(yes) - 1 : c->pending.len;
	if (c->pending.oom || !buf_add(direct ? &c->cl.out : &c->up.out, first, len)) {
		conn_end(c);
		return;
	}
	str_drop(&c->pending);
	c->phase = c->connect ? PHASE_CHAIN : PHASE_REPLY;
	if (direct)
		conn_tunnel(c);
}

static void dial(struct conn *c, const union addr *all, unsigned n)
{
	struct fd fd = { 0 };
	unsigned won = 0;
	if (!take_addresses(c, all, n))
		return;
	c->phase = PHASE_DIAL;
	int r = dial_go(&c->dial, c, c->lo->epoll, c->lo->now_ms, &fd, &won);
	dialled(c, r, fd, won);
}

void conn_try(struct conn *c, unsigned i)
{
	struct fd fd = { 0 };
	unsigned won = 0;
	if (c->phase != PHASE_DIAL)
		return;
	int r = dial_news(&c->dial, i, c, c->lo->epoll, c->lo->now_ms, &fd, &won);
	dialled(c, r, fd, won);
}

void conn_timeout(struct conn *c)
{
	struct fd fd = { 0 };
	unsigned won = 0;
	switch (c->phase) {
	case PHASE_NAMES:
		c->row.err = EAGAIN;
		conn_refuse(c, 504, "no answer to the look-up of %s", c->via ? c->via->host : c->row.host);
		break;
	case PHASE_DIAL:
		dialled(c, dial_go(&c->dial, c, c->lo->epoll, c->lo->now_ms, &fd, &won), fd, won);
		break;
	case PHASE_LINGER:
		conn_end(c);
		break;
	case PHASE_HEAD:
	case PHASE_CHAIN:
	case PHASE_REPLY:
	case PHASE_TUNNEL:
		break;
	}
}

void conn_names(struct conn *c, const struct lookup *l)
{
	const struct resolve_answer *a = &l->answer;
	const char *host = c->via ? c->via->host : c->row.host;
	uint16_t port = c->via ? c->via->port : c->row.port;
	union addr all[ANSWER_ADDRS] = { 0 };
	c->due_ms = 0;
	if (a->code) {
		c->row.err = a->code;
		conn_refuse(c, 502, "%s: %s", host, a->code == EHOSTUNREACH ? "no such name, or it has no address"
		            : a->code == EAGAIN ? "no name server answered" : strerror(a->code));
		return;
	}
	unsigned n = 0;
	for (uint32_t i = 0; i < a->n && i < ANSWER_ADDRS; i++) {
		bool v4 = a->a[i].family == AF_INET;
		if (v4) {
			all[n].in = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port) };
			memcpy(&all[n].in.sin_addr, a->a[i].bytes, 4);
		} else {
			all[n].in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(port),
			                                    .sin6_scope_id = a->a[i].scope };
			memcpy(&all[n].in6.sin6_addr, a->a[i].bytes, 16);
		}
		n++;
	}
	if (n == 0) {
		c->row.err = EHOSTUNREACH;
		conn_refuse(c, 502, "%s: no such name, or it has no address", host);
		return;
	}
	dial(c, all, n);
}

static void reach(struct conn *c)
{
	const char *host = c->via ? c->via->host : c->row.host;
	union addr one;
	if (addr_parse(&one, host, c->via ? c->via->port : c->row.port)) {
		dial(c, &one, 1);
		return;
	}
	const struct lookup *l = lookups_get(&c->lo->names, host, c->lo->now_ms);
	if (!l) {
		c->row.err = EAGAIN;
		conn_refuse(c, 502, "cannot look up %s: too many look-ups at once, or the resolver has died", host);
	} else if (l->ready) {
		conn_names(c, l);
	} else {
		c->phase = PHASE_NAMES;
		c->lookup = l->id;
		loop_timer(c->lo, c, LOOKUP_WAIT_MS);
	}
}

/* The user's proxy for this request, or NULL. */
static const struct upstream *choose_via(const struct conn *c)
{
	const struct upstream *u = c->connect ? &c->lo->tunnel : &c->lo->plain;
	if (!u->set || no_proxy_match(c->lo->o->no_proxy, c->row.host, c->row.port))
		return NULL;
	return u;
}

static void write_pending(struct conn *c, const struct http_head *h)
{
	const char *auth = c->via && c->via->auth[0] ? c->via->auth : NULL;
	if (!c->connect) {
		http_write_request(&c->pending, h, c->via != NULL, auth);
		return;
	}
	str_add(&c->pending, "CONNECT ");
	http_write_authority(&c->pending, h->host, h->kind, h->port, 0);
	str_add(&c->pending, " HTTP/1.1\r\nHost: ");
	http_write_authority(&c->pending, h->host, h->kind, h->port, 0);
	if (auth)
		str_fmt(&c->pending, "\r\nProxy-Authorization: %s", auth);
	str_add(&c->pending, "\r\n\r\n");
}

void conn_begin(struct conn *c, const struct http_head *h)
{
	const struct relay_opts *o = c->lo->o;
	c->connect = h->connect;
	c->kind = h->kind;
	c->row = (struct relay_row){ .port = h->port, .client_port = c->client_port, .connect = h->connect };
	memcpy(c->row.host, h->host, sizeof(c->row.host));
	c->asked = true;
	char denied[RELAY_DENIED] = "";
	struct relay_ask q = { c->row.host, c->row.port, c->connect, c->client_port, denied };
	int status = o->ask(o->arg, &q);
	if (status != 0) {
		refuse_host(c, status, denied);
		return;
	}
	c->row.allowed = true;
	c->via = choose_via(c);
	c->row.by_proxy = c->via != NULL;
	union addr asked;
	if (c->via && addr_parse(&asked, c->row.host, c->row.port) && address_refused(c, &asked)) {
		/* the upstream must not reach for us what we would not reach ourselves */
		c->via = NULL;
		(void)take_addresses(c, &asked, 1);
		return;
	}
	write_pending(c, h);
	reach(c);
}
