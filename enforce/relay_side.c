/* relay_side.c - one peer of a relayed connection: a non-blocking socket with a buffer each way */
#include "enforce/relay_side.h"

#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

void buf_drop(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ 0 };
}

void buf_trim(struct buf *b)
{
	if (b->len == 0)
		buf_drop(b);
}

void buf_eat(struct buf *b, size_t n)
{
	b->off += n;
	b->len -= n;
	if (b->len == 0)
		b->off = 0;
}

/* Make room for @n bytes behind what is there. */
static bool buf_fit(struct buf *b, size_t n)
{
	if (b->off + b->len + n <= b->cap)
		return true;
	if (b->len + n <= b->cap) {
		memmove(b->p, buf_at(b), b->len);
		b->off = 0;
		return true;
	}
	size_t cap = MAX(b->len + n, (size_t)BUF_SIZE);
	char *p = malloc(cap);
	if (!p)
		return false;
	if (b->len > 0)
		memcpy(p, buf_at(b), b->len);
	free(b->p);
	b->p = p;
	b->off = 0;
	b->cap = cap;
	return true;
}

bool buf_add(struct buf *b, const void *p, size_t n)
{
	if (n == 0)
		return true;
	if (!buf_fit(b, n))
		return false;
	memcpy(b->p + b->off + b->len, p, n);
	b->len += n;
	return true;
}

char *buf_room(struct buf *b, size_t *room)
{
	if (b->len >= BUF_SIZE || !buf_fit(b, BUF_SIZE - b->len))
		return NULL;
	*room = BUF_SIZE - b->len;
	return b->p + b->off + b->len;
}

size_t buf_move(struct buf *to, struct buf *from, uint64_t most)
{
	if (to->len == 0 && from->len <= most) {
		struct buf old = *to;
		*to = *from;
		*from = old;
		from->off = 0;
		return to->len;
	}
	size_t room = to->len < BUF_SIZE ? BUF_SIZE - to->len : 0;
	size_t n = MIN(from->len, room);
	n = (size_t)MIN((uint64_t)n, most);
	if (n == 0 || !buf_add(to, buf_at(from), n))
		return 0;
	buf_eat(from, n);
	return n;
}

void side_drop(struct side *s)
{
	struct watch w = s->watch;
	fd_drop(&s->fd); /* leaves epoll with it */
	buf_drop(&s->in);
	buf_drop(&s->out);
	*s = (struct side){ .watch = w };
}

static bool is_later(int code)
{
	return code == EAGAIN || code == EWOULDBLOCK || code == EINTR;
}

bool side_read(struct side *s, uint64_t *count)
{
	size_t room;
	if (!s->fd.plus1 || !s->readable || s->eof)
		return false;
	char *at = buf_room(&s->in, &room);
	if (!at)
		return false;
	s->readable = false;
	ssize_t n = recv(fd_no(s->fd), at, room, 0);
	if (n > 0) {
		s->in.len += (size_t)n;
		*count += (uint64_t)n;
		return true;
	}
	if (n < 0 && is_later(errno))
		return false;
	s->eof = true;
	s->reset = n < 0;
	return true;
}

bool side_write(struct side *s, uint64_t *count)
{
	if (!s->fd.plus1 || s->out.len == 0)
		return false;
	if (s->deaf) {
		buf_drop(&s->out);
		return true;
	}
	ssize_t n = send(fd_no(s->fd), buf_at(&s->out), s->out.len, MSG_NOSIGNAL);
	if (n >= 0) {
		buf_eat(&s->out, (size_t)n);
		*count += (uint64_t)n;
		return n > 0;
	}
	if (is_later(errno))
		return false;
	s->deaf = s->shut = true;
	buf_drop(&s->out);
	return true;
}

void side_shut(struct side *s)
{
	if (s->fd.plus1 && !s->shut && s->out.len == 0) {
		shutdown(fd_no(s->fd), SHUT_WR);
		s->shut = true;
	}
}

void side_watch(struct side *s, int epoll, bool want_read)
{
	if (!s->fd.plus1)
		return;
	uint32_t want = 0;
	if (want_read && !s->eof && s->in.len < BUF_SIZE)
		want |= EPOLLIN;
	if (s->out.len > 0)
		want |= EPOLLOUT;
	if (want == s->events)
		return;
	struct epoll_event ev = { .events = want, .data.ptr = &s->watch };
	int op = !want ? EPOLL_CTL_DEL : s->events ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
	if (epoll_ctl(epoll, op, fd_no(s->fd), &ev) < 0 && want) {
		s->eof = s->reset = s->deaf = s->shut = true; /* cannot be served: the connection ends */
		return;
	}
	s->events = want;
}
