/* relay_dial.c - from checked addresses to one connected socket, a late answer of one not holding up the next */
#include "enforce/relay_dial.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

void dial_drop(struct dial *d)
{
	for (unsigned i = 0; i < d->next; i++)
		fd_drop(&d->tries[i].fd);
	*d = (struct dial){ 0 };
}

void dial_order(struct dial *d)
{
	union addr in[ANSWER_ADDRS];
	bool used[ANSWER_ADDRS] = { false };
	memcpy(in, d->a, sizeof(in));
	sa_family_t want = d->n ? in[0].sa.sa_family : AF_INET;
	for (unsigned k = 0; k < d->n; k++) {
		unsigned pick = d->n;
		for (unsigned i = 0; i < d->n; i++) {
			if (used[i])
				continue;
			if (pick == d->n)
				pick = i;
			if (in[i].sa.sa_family == want) {
				pick = i;
				break;
			}
		}
		used[pick] = true;
		d->a[k] = in[pick];
		want = in[pick].sa.sa_family == AF_INET ? AF_INET6 : AF_INET;
	}
}

static int take(struct dial *d, unsigned i, struct fd *fd, unsigned *won)
{
	*fd = TAKE(d->tries[i].fd);
	*won = i;
	return 1;
}

/* Start one try. Return: 1 connected at once, 0 connecting, -errno. */
static int try_next(struct dial *d, struct conn *c, int epoll)
{
	unsigned i = d->next++;
	const union addr *a = &d->a[i];
	OWN(fd) s = fd_own(socket(a->sa.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
	if (!s.plus1)
		return -errno;
	int r = connect(fd_no(s), &a->sa, addr_len(a));
	if (r < 0 && errno != EINPROGRESS)
		return -errno;
	d->tries[i].watch = (struct watch){ WATCH_TRY, c, i };
	struct epoll_event ev = { .events = EPOLLOUT, .data.ptr = &d->tries[i].watch };
	if (r < 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, fd_no(s), &ev) < 0)
		return -errno;
	d->tries[i].fd = TAKE(s);
	return r == 0;
}

int dial_go(struct dial *d, struct conn *c, int epoll, uint64_t now_ms, struct fd *fd, unsigned *won)
{
	while (d->next < d->n && (d->open == 0 || now_ms >= d->next_ms)) {
		int r = try_next(d, c, epoll);
		if (r > 0)
			return take(d, d->next - 1, fd, won);
		if (r < 0) {
			d->err = -r;
			continue;
		}
		d->open++;
		d->next_ms = now_ms + DIAL_STAGGER_MS;
	}
	if (d->open > 0)
		return 0;
	return d->err ? -d->err : -EHOSTUNREACH;
}

int dial_news(struct dial *d, unsigned i, struct conn *c, int epoll, uint64_t now_ms, struct fd *fd,
              unsigned *won)
{
	int code = 0;
	socklen_t len = sizeof(code);
	if (!d->tries[i].fd.plus1)
		return 0;
	if (getsockopt(fd_no(d->tries[i].fd), SOL_SOCKET, SO_ERROR, &code, &len) < 0)
		code = errno;
	if (code == 0) {
		epoll_ctl(epoll, EPOLL_CTL_DEL, fd_no(d->tries[i].fd), NULL);
		return take(d, i, fd, won);
	}
	d->err = code;
	fd_drop(&d->tries[i].fd);
	d->open--;
	d->next_ms = now_ms; /* the next one is due at once */
	return dial_go(d, c, epoll, now_ms, fd, won);
}
