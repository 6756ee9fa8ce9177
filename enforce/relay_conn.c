/* relay_conn.c - one client's connection: request after request, each asked anew, or a tunnel */
#include "enforce/relay_loop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/*
 * How this works. conn_pump() reads each side at most once per event, lets the phase's step move bytes from
 * one side's in to the other's out, writes, and repeats until nothing moves. A full out stops the moving, a
 * full in stops the reading: that is the back-pressure. Each plain request gets an upstream connection of its own
 * ("Connection: close"), so that a reply can never be taken for that of another request.
 */

struct conn *conn_make(struct loop *lo, struct fd fd, uint16_t client_port)
{
	struct conn *c = calloc(1, sizeof(*c));
	if (!c) {
		fd_drop(&fd);
		return NULL;
	}
	c->lo = lo;
	c->cl.fd = fd;
	c->cl.watch = (struct watch){ WATCH_CLIENT, c, 0 };
	c->up.watch = (struct watch){ WATCH_UP, c, 0 };
	c->client_port = client_port;
	c->next = lo->conns;
	c->link = &lo->conns;
	if (c->next)
		c->next->link = &c->next;
	lo->conns = c;
	lo->nconns++;
	return c;
}

void conn_free(struct conn *c)
{
	side_drop(&c->cl);
	side_drop(&c->up);
	dial_drop(&c->dial);
	str_drop(&c->pending);
	free(c);
}

/* Close everything now and report; freed when no event of this round can name it any more. */
void conn_end(struct conn *c)
{
	conn_report(c);
	side_drop(&c->cl);
	side_drop(&c->up);
	dial_drop(&c->dial);
	c->dead = true;
}

/* As the other side was reset, so is this one: its program shall not take a cut for the end. */
static void end_reset(struct conn *c, struct side *s)
{
	struct linger now = { 1, 0 };
	if (s->fd.plus1)
		setsockopt(fd_no(s->fd), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	conn_end(c);
}

static void body_begin(struct body *b, enum http_body kind, uint64_t length, bool rechunk)
{
	*b = (struct body){ .kind = kind, .left = length, .rechunk = rechunk };
	b->done = kind == BODY_NONE || (kind == BODY_LENGTH && length == 0);
}

/* Return: 1 moved, 0 nothing to move or no room, -1 malformed or out of memory. */
static int move_chunks(struct body *b, struct buf *from, struct buf *to)
{
	int moved = 0;
	while (!b->done && to->len < BUF_SIZE) {
		struct http_span data;
		ssize_t n = http_chunks_next(&b->chunks, buf_at(from), from->len, &data);
		if (n <= 0)
			return n < 0 ? -1 : moved;
		char line[24];
		int len = snprintf(line, sizeof(line), "%zx\r\n", data.len);
		bool ok = true;
		if (data.len > 0 && b->rechunk)
			ok = buf_add(to, line, (size_t)len);
		ok = ok && buf_add(to, data.p, data.len);
		if (data.len > 0 && b->rechunk)
			ok = ok && buf_add(to, "\r\n", 2);
		b->done = b->chunks.at == CHUNK_DONE;
		if (b->done && b->rechunk)
			ok = ok && buf_add(to, "0\r\n\r\n", 5);
		if (!ok)
			return -1;
		buf_eat(from, (size_t)n);
		moved = 1;
	}
	return moved;
}

static int body_move(struct body *b, struct side *from, struct side *to)
{
	if (b->done)
		return 0;
	if (b->kind == BODY_CHUNKED)
		return move_chunks(b, &from->in, &to->out);
	size_t n = buf_move(&to->out, &from->in, b->kind == BODY_EOF ? UINT64_MAX : b->left);
	if (b->kind == BODY_LENGTH) {
		b->left -= n;
		b->done = b->left == 0;
	} else {
		b->done = from->eof && from->in.len == 0;
	}
	return n > 0 || b->done;
}

static bool step_head(struct conn *c)
{
	struct buf *in = &c->cl.in;
	struct http_head h;
	const char *why = "control character or bare line end in the head, or more than 64 KiB of it";
	if (c->seen == 0 && in->len >= 2 && memcmp(buf_at(in), "\r\n", 2) == 0)
		buf_eat(in, 2); /* RFC 9112 2.2: left over from a body */
	if (c->cl.out.len >= BUF_SIZE)
		return false;
	ssize_t size = in->len ? http_head_end(buf_at(in), in->len, &c->seen) : 0;
	if (size == 0) {
		if (c->cl.eof || c->lo->stopping)
			c->phase = PHASE_LINGER;
		return c->phase == PHASE_LINGER;
	}
	bool after_no = c->refused_connect;
	c->refused_connect = c->connect = c->head_only = c->replied = c->asked = false;
	c->row = (struct relay_row){ .client_port = c->client_port };
	c->req.done = true;
	int status = size < 0 ? 400 : http_request(&h, buf_at(in), (size_t)size, &why);
	if (status != 0 && after_no) {
		c->phase = PHASE_LINGER; /* bytes for the tunnel that was refused: one answer is enough */
		return true;
	}
	if (status != 0) {
		c->close = true;
		c->asked = true;
		conn_refuse(c, status, "%s", why);
		return true;
	}
	c->minor = h.minor;
	c->head_only = h.method.len == 4 && memcmp(h.method.p, "HEAD", 4) == 0;
	c->upgrade = h.upgrade.len > 0;
	c->close = h.close;
	body_begin(&c->req, h.body, h.length, true);
	buf_eat(in, (size_t)size);
	c->seen = 0;
	conn_begin(c, &h);
	return true;
}

static void end_reply(struct conn *c)
{
	conn_report(c);
	side_drop(&c->up);
	c->seen = 0;
	c->phase = c->close || !c->req.done ? PHASE_LINGER : PHASE_HEAD;
}

void conn_tunnel(struct conn *c)
{
	c->phase = PHASE_TUNNEL;
	c->req.done = c->res.done = true;
	/* an address that was asked for was granted itself; an upgraded request has told its host */
	c->hello_due = c->connect && c->kind == NAME_HOST && c->lo->o->sni != SNI_IGNORE;
}

/* A head of the upstream side in *@h. Return: 1 yes, 0 not yet, -1 never (refused). */
static int up_head(struct conn *c, struct http_head *h, bool bodyless)
{
	struct buf *in = &c->up.in;
	const char *why = "control character, bare line end, or more than 64 KiB";
	ssize_t size = in->len ? http_head_end(buf_at(in), in->len, &c->seen) : 0;
	const char *who = c->via ? c->via->host : c->row.host;
	if (size == 0 && !c->up.eof)
		return 0;
	if (size == 0) {
		c->row.err = c->up.reset ? ECONNRESET : EPIPE;
		conn_refuse(c, 502, "%s closed the connection %s", who,
		            in->len ? "in the middle of its reply's head" : "before it replied");
		return -1;
	}
	if (size < 0 || http_response(h, buf_at(in), (size_t)size, bodyless, &why) != 0) {
		c->row.err = EPROTO;
		conn_refuse(c, 502, "%s sent a reply that is not HTTP/1: %s", who, why);
		return -1;
	}
	c->seen = 0;
	return 1;
}

static bool step_chain(struct conn *c)
{
	static const char yes[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	struct http_head h;
	int r = up_head(c, &h, true);
	if (r <= 0)
		return r < 0;
	if (h.status >= 100 && h.status < 200) {
		buf_eat(&c->up.in, h.size);
		return true;
	}
	if (h.status < 200 || h.status > 299) {
		c->row.err = EACCES;
		conn_refuse(c, 502, "the upstream proxy %s answered %d to CONNECT %s:%u%s", c->via->host, h.status,
		            c->row.host, c->row.port, h.status == 407 ? "; its variable needs USER:PASSWORD@" : "");
		return true;
	}
	buf_eat(&c->up.in, h.size); /* Connection, lengths and codings of a 2xx mean nothing: RFC 9110 9.3.6 */
	c->row.sent = 0;
	c->row.received = c->up.in.len;
	conn_tunnel(c);
	if (!buf_add(&c->cl.out, yes, sizeof(yes) - 1))
		conn_end(c);
	return true;
}

static bool step_reply_head(struct conn *c)
{
	struct http_head h;
	OWN(str) head = { 0 };
	int r = up_head(c, &h, c->head_only);
	if (r <= 0)
		return r < 0;
	if (h.status == 407 && c->via) {
		c->row.err = EACCES;
		conn_refuse(c, 502, "the upstream proxy %s wants credentials; its variable needs USER:PASSWORD@", c->via->host);
		return true;
	}
	if (h.status == 101 && !(c->upgrade && h.upgrade.len)) {
		c->row.err = EPROTO;
		conn_refuse(c, 502, "%s switched to a protocol that was not asked for", c->row.host);
		return true;
	}
	bool final = h.status >= 200;
	if (final) {
		/* a client that is still sending may stop at once or go on; what it sends then cannot be told apart */
		c->close |= !c->req.done || h.body == BODY_EOF || (h.body == BODY_CHUNKED && c->minor == 0);
		body_begin(&c->res, h.body, h.length, c->minor == 1);
		c->replied = true;
	}
	if (final || c->minor == 1)
		http_write_response(&head, &h, c->minor, c->close);
	if (head.oom || !buf_add(&c->cl.out, str_c(&head), head.len)) {
		conn_end(c);
		return true;
	}
	buf_eat(&c->up.in, h.size);
	if (h.status == 101)
		conn_tunnel(c);
	return true;
}

/* The reply's body; when it was cut, so is the client. */
static bool step_reply_body(struct conn *c)
{
	int r = body_move(&c->res, &c->up, &c->cl);
	if (c->res.done && !(c->res.kind == BODY_EOF && c->up.reset)) {
		end_reply(c);
		return true;
	}
	if (r > 0 && !c->res.done)
		return true;
	bool cut = r < 0 || (c->up.eof && c->cl.out.len < BUF_SIZE);
	if (!cut || c->cl.out.len > 0)
		return false;
	end_reset(c, &c->cl);
	return true;
}

static bool step_reply(struct conn *c)
{
	int r = body_move(&c->req, &c->cl, &c->up);
	if (r < 0) {
		if (c->replied) {
			conn_end(c);
		} else {
			c->close = true;
			conn_refuse(c, 400, "malformed chunk in the request's body");
		}
		return true;
	}
	bool gone = !c->req.done && r == 0 && c->cl.eof && c->up.out.len < BUF_SIZE;
	if (gone || (c->cl.deaf && c->cl.eof)) {
		conn_end(c); /* the client gave up; the origin learns it by the end of its connection */
		return true;
	}
	bool moved = r > 0;
	return (c->replied ? step_reply_body(c) : step_reply_head(c)) || moved;
}

/* One direction of a tunnel: bytes, then the end of them. */
static bool tunnel_way(struct side *from, struct side *to)
{
	if (to->deaf && from->in.len > 0) {
		buf_drop(&from->in);
		return true;
	}
	bool moved = from->in.len > 0 && buf_move(&to->out, &from->in, UINT64_MAX) > 0;
	if (from->eof && !from->reset && from->in.len == 0 && to->out.len == 0 && !to->shut) {
		side_shut(to);
		moved = true;
	}
	return moved;
}

static bool step_tunnel(struct conn *c)
{
	bool moved = c->hello_due ? conn_hello(c) : tunnel_way(&c->cl, &c->up);
	if (c->phase != PHASE_TUNNEL)
		return true;
	moved |= tunnel_way(&c->up, &c->cl);
	if (moved)
		return true;
	struct side *sides[2] = { &c->cl, &c->up };
	for (int i = 0; i < 2; i++) {
		struct side *from = sides[i], *to = sides[!i];
		if (from->reset && from->in.len == 0 && to->out.len == 0) {
			end_reset(c, to);
			return true;
		}
	}
	bool over = c->cl.eof && c->up.eof && c->cl.out.len == 0 && c->up.out.len == 0;
	if (over)
		conn_end(c);
	return over;
}

static bool step_linger(struct conn *c)
{
	bool moved = c->cl.in.len > 0;
	buf_drop(&c->cl.in);
	if (c->cl.out.len == 0 && !c->cl.shut) {
		side_shut(&c->cl);
		loop_timer(c->lo, c, LINGER_MS);
		moved = true;
	}
	if (c->cl.out.len == 0 && c->cl.eof)
		conn_end(c);
	return moved && !c->dead;
}

static bool step(struct conn *c)
{
	switch (c->phase) {
	case PHASE_HEAD:   return step_head(c);
	case PHASE_CHAIN:  return step_chain(c);
	case PHASE_REPLY:  return step_reply(c);
	case PHASE_TUNNEL: return step_tunnel(c);
	case PHASE_LINGER: return step_linger(c);
	case PHASE_NAMES:
	case PHASE_DIAL:
		/* a client that was reset waits for nothing; a half-closed one may */
		if (c->cl.reset)
			conn_end(c);
		return false;
	}
	return false;
}

void conn_pump(struct conn *c)
{
	uint64_t other = 0;
	for (bool moved = true; moved && !c->dead; ) {
		moved = side_read(&c->cl, &other);
		moved |= side_read(&c->up, &c->row.received);
		moved |= step(c);
		if (c->dead)
			break;
		moved |= side_write(&c->cl, &other);
		moved |= side_write(&c->up, &c->row.sent);
	}
	if (c->dead)
		return;
	buf_trim(&c->cl.in);
	buf_trim(&c->cl.out);
	buf_trim(&c->up.in);
	buf_trim(&c->up.out);
	side_watch(&c->cl, c->lo->epoll, true);
	side_watch(&c->up, c->lo->epoll, true);
}
