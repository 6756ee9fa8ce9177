/* relay_loop.c - the relay process' loop: accept, events, timers, the end */
#include "enforce/relay_loop.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS_MAX = 64, ACCEPTS_MAX = 16 };

static uint64_t clock_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void loop_timer(struct loop *lo, struct conn *c, uint64_t in_ms)
{
	c->due_ms = lo->now_ms + in_ms;
	lo->due_ms = MIN(lo->due_ms, c->due_ms);
}

/* The supervisor's end of the row socket speaks only to ask for a flush; it is always listened to. */
static void watch_log(struct loop *lo)
{
	uint32_t want = EPOLLIN | (lo->rows.n > lo->rows.first ? EPOLLOUT : 0u);
	if (!lo->rows.fd.plus1 || want == lo->log_events)
		return;
	struct epoll_event ev = { .events = want, .data.ptr = &lo->log_watch };
	epoll_ctl(lo->epoll, lo->log_events ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd_no(lo->rows.fd), &ev);
	lo->log_events = want;
}

/* Listeners are in epoll while there is room for one more connection and for its row. */
static void watch_listeners(struct loop *lo)
{
	bool open = !lo->stopping && lo->nconns < lo->max_conns && lo->rows.n - lo->rows.first < ROWS_MAX;
	if (open == lo->open)
		return;
	for (int i = 0; i < lo->o->nlisten; i++) {
		struct epoll_event ev = { .events = EPOLLIN, .data.ptr = &lo->listen_watch[i] };
		epoll_ctl(lo->epoll, open ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, lo->listen[i], &ev);
	}
	lo->open = open;
}

static void take_clients(struct loop *lo, int listener)
{
	for (int i = 0; i < ACCEPTS_MAX && lo->nconns < lo->max_conns; i++) {
		union addr peer = { 0 };
		socklen_t len = sizeof(peer);
		OWN(fd) s = fd_own(accept4(listener, &peer.sa, &len, SOCK_NONBLOCK | SOCK_CLOEXEC));
		if (!s.plus1) {
			if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
				lo->max_conns = MAX(lo->nconns, (size_t)1); /* what there is now is what the host can bear */
			return;
		}
		int on = 1;
		setsockopt(fd_no(s), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		struct conn *c = conn_make(lo, TAKE(s), addr_port(&peer));
		if (!c)
			return;
		c->cl.readable = true; /* most clients speak at once */
		conn_pump(c);
	}
}

static void take_order(struct loop *lo)
{
	int32_t grace_ms;
	ssize_t n = recv(lo->ctl, &grace_ms, sizeof(grace_ms), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n != sizeof(grace_ms))
		_exit(0); /* the supervisor is gone: nobody is left to relay for */
	lo->stopping = true;
	lo->stop_ms = lo->now_ms + (uint64_t)MAX(grace_ms, 0);
	watch_listeners(lo);
	for (int i = 0; i < lo->o->nlisten; i++)
		close(lo->listen[i]);
	for (struct conn *c = lo->conns; c; c = c->next)
		conn_pump(c); /* idle ones end here */
}

/* What clients have sent is read, what it asks for is reported; more bytes of it are not. */
static void flush(struct loop *lo)
{
	struct relay_row last = { .last = true };
	for (int i = 0; i < lo->o->nlisten && !lo->stopping; i++) {
		size_t before;
		do {
			before = lo->nconns;
			take_clients(lo, lo->listen[i]);
		} while (lo->nconns > before);
	}
	for (struct conn *c = lo->conns; c; c = c->next) {
		c->cl.readable = true;
		if (!c->dead)
			conn_pump(c);
		conn_report(c);
	}
	rows_add(&lo->rows, &last);
}

static void take_log(struct loop *lo, uint32_t events)
{
	char word;
	if (events & EPOLLOUT)
		rows_flush(&lo->rows);
	if (!(events & ~(uint32_t)EPOLLOUT) || !lo->rows.fd.plus1)
		return;
	ssize_t n = recv(fd_no(lo->rows.fd), &word, 1, MSG_DONTWAIT);
	if (n > 0)
		flush(lo);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		rows_drop(&lo->rows); /* nobody reads them any more */
}

static void take_names(struct loop *lo)
{
	const struct lookup *l;
	while ((l = lookups_next(&lo->names, lo->now_ms))) {
		for (struct conn *c = lo->conns; c; c = c->next) {
			if (c->phase != PHASE_NAMES || c->lookup != l->id)
				continue;
			conn_names(c, l);
			conn_pump(c);
		}
	}
	if (lo->names.sock.plus1)
		return;
	for (struct conn *c = lo->conns; c; c = c->next) {
		if (c->phase != PHASE_NAMES)
			continue;
		conn_timeout(c);
		conn_pump(c);
	}
}

static void take_event(struct loop *lo, const struct epoll_event *ev)
{
	const struct watch *w = ev->data.ptr;
	bool in = (ev->events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0;
	switch (w->kind) {
	case WATCH_LISTEN:
		take_clients(lo, lo->listen[w->index]);
		return;
	case WATCH_CTL:
		take_order(lo);
		return;
	case WATCH_LOG:
		take_log(lo, ev->events);
		return;
	case WATCH_NAMES:
		take_names(lo);
		return;
	case WATCH_CLIENT:
	case WATCH_UP:
	case WATCH_TRY:
		break;
	}
	struct conn *c = w->conn;
	if (!c || c->dead)
		return;
	if (w->kind == WATCH_CLIENT)
		c->cl.readable |= in;
	else if (w->kind == WATCH_UP)
		c->up.readable |= in;
	else
		conn_try(c, w->index);
	conn_pump(c);
}

/* Memory of ended connections, once no event of the round can point to it. */
static void bury(struct loop *lo)
{
	for (struct conn *c = lo->conns, *next; c; c = next) {
		next = c->next;
		if (!c->dead)
			continue;
		*c->link = c->next;
		if (c->next)
			c->next->link = c->link;
		conn_free(c);
		lo->nconns--;
	}
}

static void run_timers(struct loop *lo)
{
	lo->due_ms = UINT64_MAX;
	for (struct conn *c = lo->conns; c; c = c->next) {
		if (c->due_ms && c->due_ms <= lo->now_ms && !c->dead) {
			c->due_ms = 0;
			conn_timeout(c);
			conn_pump(c);
		}
		if (c->due_ms && !c->dead)
			lo->due_ms = MIN(lo->due_ms, c->due_ms);
	}
}

/* Stopping: cut what is left when its time is over, tell the supervisor, stay until the last row is read. */
static void wind_up(struct loop *lo)
{
	if (lo->now_ms >= lo->stop_ms)
		for (struct conn *c = lo->conns; c; c = c->next)
			if (!c->dead)
				conn_end(c);
	bury(lo);
	if (lo->nconns == 0 && !lo->told) {
		char done = 1;
		send(lo->ctl, &done, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
		lo->told = true;
	}
	if (lo->nconns == 0 && lo->rows.first == lo->rows.n)
		_exit(0);
}

static int wait_ms(const struct loop *lo)
{
	uint64_t due = lo->due_ms;
	if (lo->stopping && lo->nconns > 0)
		due = MIN(due, lo->stop_ms);
	if (due == UINT64_MAX)
		return -1;
	if (due <= lo->now_ms)
		return 0;
	return (int)MIN(due - lo->now_ms, (uint64_t)60000);
}

void loop_run(struct loop *lo)
{
	struct epoll_event ctl = { .events = EPOLLIN, .data.ptr = &lo->ctl_watch };
	struct epoll_event names = { .events = EPOLLIN, .data.ptr = &lo->names_watch };
	epoll_ctl(lo->epoll, EPOLL_CTL_ADD, lo->ctl, &ctl);
	epoll_ctl(lo->epoll, EPOLL_CTL_ADD, fd_no(lo->names.sock), &names);
	lo->due_ms = UINT64_MAX;
	lo->now_ms = clock_ms();
	for (;;) {
		struct epoll_event ev[EVENTS_MAX];
		watch_listeners(lo);
		watch_log(lo);
		int n = epoll_wait(lo->epoll, ev, EVENTS_MAX, wait_ms(lo));
		lo->now_ms = clock_ms();
		for (int i = 0; i < n; i++)
			take_event(lo, &ev[i]);
		if (lo->now_ms >= lo->due_ms)
			run_timers(lo);
		bury(lo);
		if (lo->stopping)
			wind_up(lo);
	}
}
