/* relay_rows.c - rows on their way out: none is lost while the reader is slow */
#include "enforce/relay_rows.h"

#include "base/vec.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

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

void rows_add(struct rows *r, const struct relay_row *row)
{
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
