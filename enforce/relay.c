/* relay.c - starting and ending the relay process, as its supervisor sees it */
#include "enforce/relay.h"

#include "enforce/relay_loop.h"
#include "enforce/self.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

void relay_drop(struct relay *r)
{
	fd_drop(&r->log);
	fd_drop(&r->ctl);
	if (r->pid > 0) {
		kill(r->pid, SIGKILL);
		while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	*r = (struct relay){ 0 };
}

int relay_listen(struct fd *out, uint16_t *port, struct err *e)
{
	union addr a = { .in = { .sin_family = AF_INET, .sin_port = htons(*port),
	                         .sin_addr.s_addr = htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(a.in);
	OWN(fd) s = fd_own(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
	if (!s.plus1)
		return err_sys(e, "socket for the proxy");
	if (bind(fd_no(s), &a.sa, len) < 0 || listen(fd_no(s), SOMAXCONN) < 0 ||
	    getsockname(fd_no(s), &a.sa, &len) < 0)
		return err_sys(e, "proxy on 127.0.0.1 port %u", *port);
	*port = ntohs(a.in.sin_port);
	*out = TAKE(s);
	return 0;
}

/* The terminal's signals are for the command; SIGPIPE is told by send(2). */
static void reset_signals(void)
{
	sigset_t none;
	sigemptyset(&none);
	for (int s = 1; s < 32; s++)
		signal(s, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
}

/* Descriptors are the bound on connections: ask for all we may have, and use two thirds of them. */
static size_t connections_max(void)
{
	struct rlimit lim = { 0 };
	getrlimit(RLIMIT_NOFILE, &lim);
	lim.rlim_cur = MIN(lim.rlim_max, (rlim_t)65536);
	setrlimit(RLIMIT_NOFILE, &lim);
	return lim.rlim_cur > 160 ? (size_t)(lim.rlim_cur - 64) / 3 : 32;
}

static int set_up(struct loop *lo, int *fds, struct err *e)
{
	const struct relay_opts *o = lo->o;
	size_t n = 2 + (size_t)o->nlisten + (o->say > 0);
	int r = self_keep_fds(fds, n, e);
	if (r < 0)
		return r;
	lo->ctl = fds[0];
	lo->rows.say = o->say > 0 ? fds[n - 1] : -1;
	if (!o->no_rows)
		lo->rows.fd = fd_own(fds[1]);
	lo->ctl_watch = (struct watch){ WATCH_CTL, NULL, 0 };
	lo->log_watch = (struct watch){ WATCH_LOG, NULL, 0 };
	lo->names_watch = (struct watch){ WATCH_NAMES, NULL, 0 };
	for (int i = 0; i < o->nlisten; i++) {
		lo->listen[i] = fds[2 + i];
		lo->listen_watch[i] = (struct watch){ WATCH_LISTEN, NULL, (unsigned)i };
		socklen_t len = sizeof(lo->own[i]);
		if (getsockname(fds[2 + i], &lo->own[i].sa, &len) < 0 ||
		    fcntl(fds[2 + i], F_SETFL, O_NONBLOCK) < 0)
			return err_sys(e, "the proxy's listener");
	}
	lo->max_conns = connections_max();
	r = resolver_start(&lo->names.sock, e);
	if (r < 0)
		return r;
	lo->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (lo->epoll < 0)
		return err_sys(e, "epoll");
	prctl(PR_SET_NAME, "snug-relay");
	return self_confine(SELF_RELAY, e);
}

/* The child: sets up, says so on its control socket, serves. */
static _Noreturn void child(struct loop *lo, int ctl, int log)
{
	struct err e = { 0 };
	int fds[5] = { ctl, log, lo->o->listen[0], lo->o->listen[1] };
	fds[2 + lo->o->nlisten] = lo->o->say;
	reset_signals();
	if (set_up(lo, fds, &e) < 0) {
		e.file = NULL;
		send(fds[0], &e, sizeof(e), MSG_NOSIGNAL);
		_exit(1);
	}
	if (send(lo->ctl, &e, sizeof(e), MSG_NOSIGNAL) < 0)
		_exit(1);
	loop_run(lo);
	_exit(0);
}

static int pair(struct fd *ours, struct fd *theirs, struct err *e)
{
	int sv[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) < 0)
		return err_sys(e, "socketpair for the proxy");
	*ours = fd_own(sv[0]);
	*theirs = fd_own(sv[1]);
	return 0;
}

/* The child's first message: what went wrong, or code 0. */
static int await_ready(int ctl, struct err *e)
{
	struct err said = { 0 };
	ssize_t n;
	do
		n = recv(ctl, &said, sizeof(said), 0);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(said))
		return err_set(e, ESRCH, "the proxy process died while it started");
	said.msg[sizeof(said.msg) - 1] = 0;
	if (said.code)
		return err_set(e, said.code, "the proxy process: %s", said.msg);
	return 0;
}

int relay_start(struct relay *out, const struct relay_opts *o, struct err *e)
{
	OWN(relay) r = { 0 };
	OWN(fd) ctl = { 0 };
	OWN(fd) log = { 0 };
	if (o->nlisten < 1 || o->nlisten > 2)
		return err_set(e, EINVAL, "the proxy wants one or two listeners, not %d", o->nlisten);
	struct loop *lo = calloc(1, sizeof(*lo));
	if (!lo)
		return err_set(e, ENOMEM, "the proxy: out of memory");
	lo->o = o;
	int ret = upstream_parse(&lo->plain, o->upstream, e);
	if (ret == 0)
		ret = upstream_parse(&lo->tunnel, o->upstream_connect, e);
	if (ret == 0)
		ret = pair(&r.ctl, &ctl, e);
	if (ret == 0)
		ret = pair(&r.log, &log, e);
	if (ret == 0) {
		r.pid = fork();
		if (r.pid == 0)
			child(lo, fd_no(ctl), fd_no(log));
		if (r.pid < 0)
			ret = err_sys(e, "fork the proxy process");
	}
	explicit_bzero(lo, sizeof(*lo)); /* the upstream's credentials are in it */
	free(lo);
	fd_drop(&ctl);
	fd_drop(&log);
	if (ret == 0)
		ret = await_ready(fd_no(r.ctl), e);
	if (ret < 0)
		return ret;
	*out = TAKE(r);
	return 0;
}

int relay_flush(int log)
{
	return send(log, "f", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? 0 : -errno;
}

int relay_stop(struct relay *r, int grace_ms, struct err *e)
{
	int32_t grace = grace_ms;
	char done;
	if (!r->ctl.plus1)
		return 0;
	if (send(fd_no(r->ctl), &grace, sizeof(grace), MSG_NOSIGNAL) < 0)
		return err_sys(e, "the proxy process is gone");
	struct pollfd p = { .fd = fd_no(r->ctl), .events = POLLIN };
	int n;
	do
		n = poll(&p, 1, grace_ms + 5000);
	while (n < 0 && errno == EINTR);
	if (n <= 0 || recv(fd_no(r->ctl), &done, 1, 0) != 1)
		return err_set(e, ESRCH, "the proxy process did not end well; its last rows may be lost");
	return 0;
}
