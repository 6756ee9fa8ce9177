/*
 * watch.c - the recorder beside a confined command
 *
 * How this works: the recorder is a process of its own, outside of the sandbox, started before it. The command's process
 * installs the filter as its last step and hands the listener over on a socket; from then on each call waits for the
 * recorder, the execve of the command first. Calls are let go: what the command may is decided by its view, by Landlock
 * and by the engine's filter, whose refusal outranks a notification, seccomp(2). But for those that the filter leaves to
 * us so that we see them (trace_opts.refuse): these are refused by number, whatever can be made of them.
 */
#include "trace/watch.h"

#include "trace/notify.h"
#include "trace/recorder.h"
#include "trace/relayrows.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PORT_POLL_MS = 1 };

/* What comes on the hand socket with a descriptor. */
enum { HAND_LISTENER = 'n', HAND_ROWS = 'l' };

struct result {
	int rc;
	struct err err;
};

void watch_drop(struct watch *w)
{
	fd_drop(&w->ctl);
	fd_drop(&w->hand);
	fd_drop(&w->memory);
	if (w->pid > 0) {
		kill(w->pid, SIGKILL);
		waitpid(w->pid, NULL, 0);
	}
	*w = (struct watch){ 0 };
}

/* Return: what came, with a descriptor in @fd; 0 nobody is left. */
static char receive(int hand, struct fd *fd)
{
	char what = 0;
	union { char buf[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } u = { 0 };
	struct iovec iov = { &what, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = u.buf, .msg_controllen = sizeof(u.buf) };
	if (recvmsg(hand, &m, MSG_CMSG_CLOEXEC) != 1)
		return 0;
	const struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int n = -1;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&n, CMSG_DATA(c), sizeof(n));
	*fd = fd_own(n);
	return n < 0 ? 0 : what;
}

/* Until the sandbox has ended. */
static int loop(struct recorder *r)
{
	struct pollfd p[] = { { fd_no(r->launch.listener), POLLIN, 0 }, { r->ctl, POLLIN, 0 }, { r->opts->log_fd, POLLIN, 0 } };
	int err = 0;
	while (!err) {
		int n = poll(p, LEN(p), r->ports.npending ? PORT_POLL_MS : -1);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (r->ports.npending)
			sockports_poll(&r->ports, recorder_now());
		if (n <= 0)
			continue;
		if (p[2].revents && !relayrows_read(r, p[2].fd))
			p[2].fd = -1;
		if (p[0].revents & POLLIN)
			err = recorder_call(r);
		else if (p[0].revents || p[1].revents)
			break;
		err = MIN(err, 0); /* 1: there was none */
	}
	return err;
}

static int record(struct recorder *r, int hand, struct trace_opts *o, FILE *to, struct err *e)
{
	OWN(fd) rows = { 0 };
	o->log_fd = -1;
	for (char what = 1; what && !r->launch.listener.plus1;) {
		OWN(fd) fd = { 0 };
		what = receive(hand, &fd);
		if (what == HAND_LISTENER) {
			r->launch.listener = TAKE(fd);
		} else if (what == HAND_ROWS) {
			rows = TAKE(fd);
			o->log_fd = fd_no(rows);
		}
	}
	int err = 0;
	r->start_ns = recorder_now();
	if (r->launch.listener.plus1) {
		notify_sync(fd_no(r->launch.listener));
		err = loop(r);
		if (err)
			return err_set(e, -err, "the listener failed: %s", strerror(-err));
	}
	r->status = 0; /* watch_end() knows it */
	if (o->in_view && !r->names.view.plus1 && r->set.n)
		recorder_reason(r, "what the command was shown could not be looked into; names are the host's");
	err = recorder_finish(r, e);
	if (!err)
		err = recording_write(&r->rec, to, e);
	return !err && fflush(to) ? err_sys(e, "writing the recording") : err;
}

_Noreturn static void watch_main(const struct host *host, const struct trace_opts *given, int ctl, int hand, int memory)
{
	static const int ignored[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ };
	struct recorder *r = calloc(1, sizeof(*r));
	struct trace_opts o = *given;
	struct result res = { 0 };
	FILE *to = fdopen(memory, "w");
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	for (size_t i = 0; i < LEN(ignored); i++)
		signal(ignored[i], SIG_IGN); /* it ends with what it watches */
	close(0);
	close(1);
	if (!r || !to)
		res.rc = err_set(&res.err, ENOMEM, "starting the recorder: out of memory");
	if (!res.rc)
		res.rc = recorder_attach(r, host, &o, ctl, &res.err);
	if (!res.rc)
		res.rc = record(r, hand, &o, to, &res.err);
	(void)!send(ctl, &res, sizeof(res), MSG_NOSIGNAL);
	_exit(0);
}

int watch_start(struct watch *out, const struct host *host, const struct trace_opts *o, struct err *e)
{
	OWN(watch) w = { 0 };
	struct sysdefs defs = { 0 };
	int ctl[2], hand[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ctl) < 0)
		return err_sys(e, "socketpair");
	w.ctl = fd_own(ctl[0]);
	OWN(fd) their_ctl = fd_own(ctl[1]);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, hand) < 0)
		return err_sys(e, "socketpair");
	w.hand = fd_own(hand[0]);
	OWN(fd) their_hand = fd_own(hand[1]);
	w.memory = fd_own(memfd_create("recording", MFD_CLOEXEC));
	if (!w.memory.plus1)
		return err_sys(e, "memfd_create");
	int err = sysdefs_load(&defs);
	if (err)
		return err_set(e, ENOMEM, "starting the recorder: out of memory");
	err = callfilter_build(&w.filter, &defs, false, e);
	sysdefs_drop(&defs);
	if (err)
		return err;
	fflush(NULL);
	w.pid = fork();
	if (w.pid < 0)
		return err_sys(e, "fork");
	if (w.pid == 0) {
		fd_drop(&w.ctl);
		fd_drop(&w.hand); /* so that the end of the last sender is seen */
		watch_main(host, o, fd_no(their_ctl), fd_no(their_hand), fd_no(w.memory));
	}
	*out = TAKE(w);
	return 0;
}

int watch_rows(const struct watch *w, int log_fd, struct err *e)
{
	char what = HAND_ROWS;
	union { char buf[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } u = { 0 };
	struct iovec iov = { &what, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = u.buf, .msg_controllen = sizeof(u.buf) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	*c = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int)) };
	memcpy(CMSG_DATA(c), &log_fd, sizeof(log_fd));
	return sendmsg(fd_no(w->hand), &m, MSG_NOSIGNAL) < 0 ? err_sys(e, "handing the proxy's rows to the recorder") : 0;
}

int watch_end(struct watch *w, struct recording *out, int status, struct err *e)
{
	struct result res = { 0 };
	fd_drop(&w->hand);
	if (shutdown(fd_no(w->ctl), SHUT_WR) < 0 || recv(fd_no(w->ctl), &res, sizeof(res), MSG_WAITALL) != sizeof(res))
		return err_set(e, EIO, "the recorder died");
	waitpid(w->pid, NULL, 0);
	w->pid = 0;
	if (res.rc) {
		*e = res.err;
		return res.rc;
	}
	FILE *f = fdopen(fd_no(w->memory), "r");
	if (!f)
		return err_sys(e, "reading the recording");
	w->memory.plus1 = 0;
	rewind(f);
	int err = recording_read(out, f, "recording", e);
	fclose(f);
	out->status = status;
	out->ended = true;
	return err;
}
