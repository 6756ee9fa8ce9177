/* relay_say.c - what the relay itself answers, and the row it reports */
#include "enforce/relay_loop.h"

#include <errno.h>
#include <stdarg.h>

static const struct { int status; const char *reason; } reasons[] = {
	{ 400, "Bad Request" }, { 403, "Forbidden" }, { 501, "Not Implemented" },
	{ 502, "Bad Gateway" }, { 504, "Gateway Timeout" }, { 505, "HTTP Version Not Supported" },
};

static const char *reason_of(int status)
{
	for (size_t i = 0; i < LEN(reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "Refused";
}

void conn_report(struct conn *c)
{
	if (c->asked)
		rows_add(&c->lo->rows, &c->row);
	c->asked = false;
}

/*
 * Whether the next request on the connection can be told from the rest of this one: yes when this one had no body.
 * After a CONNECT the client may have gone on talking to the tunnel that it did not get.
 */
static bool framing_kept(const struct conn *c, int status)
{
	return status == 403 && !c->close && c->req.done && !(c->connect && c->cl.in.len > 0);
}

void conn_refuse(struct conn *c, int status, const char *fmt, ...)
{
	OWN(str) body = { 0 };
	OWN(str) head = { 0 };
	va_list ap;
	va_start(ap, fmt);
	str_add(&body, "snug: ");
	str_vfmt(&body, fmt, ap);
	str_add_char(&body, '\n');
	va_end(ap);
	bool keep = framing_kept(c, status);
	str_fmt(&head, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %zu\r\n%s\r\n",
	        status, reason_of(status), body.len, keep ? "" : "Connection: close\r\n");
	if (!c->head_only)
		str_add(&head, str_c(&body));
	side_drop(&c->up);
	dial_drop(&c->dial);
	str_drop(&c->pending);
	c->row.status = (uint16_t)status;
	conn_report(c);
	if (head.oom || !buf_add(&c->cl.out, str_c(&head), head.len)) {
		c->dead = true;
		return;
	}
	c->refused_connect = c->connect;
	c->due_ms = 0;
	c->seen = 0;
	c->phase = keep ? PHASE_HEAD : PHASE_LINGER;
}
