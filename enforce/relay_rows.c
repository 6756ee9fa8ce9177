/* relay_rows.c - rows on their way out: none is lost while the reader is slow */
#include "enforce/relay_rows.h"

#include "base/vec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void rows_drop(struct rows *r)
{
	VEC_FREE(r);
	fd_drop(&r->fd); /* leaves epoll with it */
	r->first = 0;
}

void rows_flush(struct rows *r)
{
	while (r->fd.plus1 && r->first < r->n) {
		const struct relay_row *row = &r->items[r->first];
		if (send(fd_no(r->fd), row, sizeof(*row), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
			if (errno == EINTR)
				continue;
			if (errno != EAGAIN && errno != ENOBUFS)
				rows_drop(r); /* the reader is gone */
			return;
		}
		r->first++;
	}
	if (r->first == r->n)
		r->first = r->n = 0;
}

/* Names and addresses are checked ASCII, so nothing has to be escaped for a terminal. */
static void say(int fd, const struct relay_row *row)
{
	char line[512], end[128];
	if (row->status)
		snprintf(end, sizeof(end), "%s, answered %u", row->allowed ? "failed" : "refused", row->status);
	else
		snprintf(end, sizeof(end), "%llu bytes sent, %llu received", (unsigned long long)row->sent,
		         (unsigned long long)row->received);
	int n = snprintf(line, sizeof(line), "snug: net: %s %s port %u%s%s%s: %s\n", row->connect ? "tunnel" : "http",
	                 row->host[0] ? row->host : "(unreadable request)", row->port, row->addr[0] ? " at " : "",
	                 row->addr, row->by_proxy ? " (upstream proxy)" : "", end);
	if (write(fd, line, (size_t)n) < 0)
		return; /* then nobody reads it */
}

void rows_add(struct rows *r, const struct relay_row *row)
{
	if (r->say >= 0 && !row->last)
		say(r->say, row);
	if (!r->fd.plus1)
		return;
	if (r->first > 0 && r->n == r->cap) {
		memmove(r->items, r->items + r->first, (r->n - r->first) * sizeof(*r->items));
		r->n -= r->first;
		r->first = 0;
	}
	struct relay_row *slot = VEC_PUSH(r);
	if (slot)
		*slot = *row;
	rows_flush(r);
}
