/* relay_sni.c - the name inside a tunnel's TLS has to be granted like the tunnel's own */
#include "enforce/relay_hello.h"
#include "enforce/relay_loop.h"

#include <stdio.h>
#include <string.h>

/*
 * A server of many hosts hands a connection to whichever the ClientHello names, so a tunnel to a granted host reaches
 * all of them. Held are only the client's first bytes; what the server says first goes on at once. An audit reports
 * the other name, a run refuses it: what the one suggests is what the other wants.
 */

/* A row for @host, beside the tunnel's own. */
static void report(struct conn *c, const char *host, bool refused)
{
	struct relay_row row = c->row;
	snprintf(row.host, sizeof(row.host), "%s", host);
	row.sent = row.received = 0;
	row.allowed = !refused;
	row.status = refused ? 403 : 0;
	rows_add(&c->lo->rows, &row);
}

static bool refuse(struct conn *c)
{
	/* alert record: fatal, unrecognized_name; RFC 8446 6, RFC 6066 3 */
	static const char alert[] = { 21, 3, 1, 0, 2, 2, 112 };
	side_drop(&c->up);
	c->hello_due = false;
	c->phase = PHASE_LINGER;
	conn_report(c);
	if (!buf_add(&c->cl.out, alert, sizeof(alert)))
		conn_end(c);
	return true;
}

static bool pass(struct conn *c)
{
	c->hello_due = false;
	return true;
}

static bool other_name(struct conn *c, const char *name)
{
	const struct relay_opts *o = c->lo->o;
	const struct relay_ask q = { name, c->row.port, true, c->client_port, NULL };
	bool refused = o->sni == SNI_CHECK && o->ask(o->arg, &q) != 0;
	report(c, name, refused);
	return refused ? refuse(c) : pass(c);
}

/* The server chooses by its address, so that is what has to be granted. */
static bool no_name(struct conn *c)
{
	const struct relay_opts *o = c->lo->o;
	bool by_addr = !c->row.by_proxy && o->addr && o->addr(o->arg, c->row.addr, c->row.port) > 0;
	bool refused = o->sni == SNI_CHECK && !by_addr;
	if (!c->row.by_proxy)
		report(c, c->row.addr, refused);
	return refused ? refuse(c) : pass(c);
}

static bool malformed(struct conn *c)
{
	if (c->lo->o->sni != SNI_CHECK)
		return pass(c);
	c->row.status = 403;
	return refuse(c);
}

bool conn_hello(struct conn *c)
{
	const struct buf *in = &c->cl.in;
	char name[NAME_MAX_BYTES];
	if (in->len == 0)
		return c->cl.eof ? pass(c) : false;
	switch (hello_read(buf_at(in), in->len, name)) {
	case HELLO_MORE:
		return in->len < BUF_SIZE && !c->cl.eof ? false : malformed(c);
	case HELLO_NO_TLS:
		return pass(c);
	case HELLO_BAD:
		return malformed(c);
	case HELLO_NO_NAME:
		return no_name(c);
	case HELLO_NAME:
		return strcmp(name, c->row.host) == 0 ? pass(c) : other_name(c, name);
	}
	return pass(c);
}
