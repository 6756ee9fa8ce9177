/*
 * The recorder's loop: notifications, children, signals to forward, the proxy's rows, time limits.
 *
 * While notifications come one after the other it waits in the listener itself (drain), which costs a third less
 * than poll. Nothing else is looked at meanwhile, so a timer interrupts that wait every few milliseconds; a child's
 * end does so at once. The handlers do nothing: what they are for is that the wait ends with EINTR. A signal that
 * comes right before the wait begins is made up for by the next tick.
 */
#include "trace/recorder.h"

#include "trace/notify.h"
#include "trace/relayrows.h"
#include "trace/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000u

enum {
	KILL_AFTER_MS = 5000,  /* after the time limit's TERM */
	KILL_PATIENCE_MS = 2000,
	PORT_POLL_MS = 1,
	TICK_MS = 5,           /* how long the listener alone is looked at */
};

enum { AT_LISTENER, AT_CTL, AT_LOG, NPOLL };

/* Wait states of the tree. */
struct watch {
	struct pollfd fds[NPOLL];
	uint64_t limit_ns;  /* when the command gets TERM; 0 never */
	uint64_t daemon_ns; /* when waiting for daemons ends; 0: the command still runs */
	timer_t timer;
	sigset_t wake, awake; /* the two signals; the mask that lets them through */
	bool tree_gone, hung_up, stopped, timed, ticking;
};

static void reap(struct recorder *r, struct watch *w)
{
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED | __WALL);
		if (pid <= 0)
			return;
		if (pid != r->launch.pid)
			continue;
		/* the shell must see the job stop and go on, and what it watches is the supervisor */
		if (WIFSTOPPED(status))
			kill(getppid(), SIGSTOP);
		else if (w->stopped)
			kill(getppid(), SIGCONT);
		w->stopped = WIFSTOPPED(status);
		if (WIFEXITED(status) || WIFSIGNALED(status))
			r->status = status;
	}
}

/* The supervisor passes on what it was sent; when it is gone the tree must not go on unwatched. */
static void control(struct recorder *r, struct watch *w)
{
	char c;
	ssize_t n = read(r->ctl, &c, 1);
	if (n == 0) {
		w->hung_up = true;
		return;
	}
	if (n == 1 && r->status < 0)
		kill(r->launch.pid, c);
}

static int timeout_ms(const struct recorder *r, const struct watch *w, uint64_t now)
{
	if (r->ports.npending)
		return PORT_POLL_MS;
	uint64_t next = 0;
	uint64_t times[] = { w->limit_ns, w->daemon_ns, r->kill_ns };
	for (size_t i = 0; i < LEN(times); i++)
		if (times[i] && (!next || times[i] < next))
			next = times[i];
	if (!next)
		return -1;
	return next <= now ? 0 : (int)((next - now) / MS) + 1;
}

static void name_survivors(struct recorder *r)
{
	enum { MANY = 64 };
	pid_t pids[MANY];
	size_t n = tree_list(pids, MANY);
	for (size_t i = 0; i < n; i++) {
		char path[64], exe[256];
		snprintf(path, sizeof(path), "/proc/%d/exe", pids[i]);
		ssize_t len = readlink(path, exe, sizeof(exe) - 1);
		exe[len > 0 ? len : 0] = 0;
		recorder_reason(r, "%s still ran %d ms after the command had ended; it goes on unrecorded",
		                len > 0 ? exe : "a process", r->opts->daemon_wait_ms);
	}
}

static void limits(struct recorder *r, struct watch *w, uint64_t now)
{
	if (w->limit_ns && now >= w->limit_ns) {
		w->limit_ns = 0;
		r->timed_out = true;
		kill(r->launch.pid, SIGTERM);
		kill(r->launch.pid, SIGCONT);
		r->kill_ns = now + (uint64_t)KILL_AFTER_MS * MS;
	}
	if (r->kill_ns && now >= r->kill_ns) {
		tree_kill(r->launch.pid, &r->status);
		r->kill_ns = now + (uint64_t)KILL_PATIENCE_MS * MS;
	}
	if (r->status >= 0 && !w->daemon_ns) {
		int ms = r->opts->daemon_wait_ms > 0 ? r->opts->daemon_wait_ms : 0;
		w->daemon_ns = now + (uint64_t)ms * MS;
		if (r->timed_out) /* what the limit ends it ends whole */
			r->kill_ns = now;
	}
}

static void nothing(int s) { (void)s; }

static int open_watch(struct recorder *r, struct watch *w, struct err *e)
{
	struct sigevent tick = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	struct sigaction act = { .sa_handler = nothing };
	sigemptyset(&w->wake);
	sigaddset(&w->wake, SIGCHLD);
	sigaddset(&w->wake, SIGALRM);
	/* under a limit of no pending signals (ulimit -i 0) there is no timer: then each call is polled for */
	w->timed = timer_create(CLOCK_MONOTONIC, &tick, &w->timer) == 0;
	if (sigaction(SIGALRM, &act, NULL) < 0 || sigaction(SIGCHLD, &act, NULL) < 0 ||
	    sigprocmask(SIG_BLOCK, &w->wake, &w->awake) < 0)
		return err_sys(e, "sigaction");
	sigdelset(&w->awake, SIGCHLD);
	sigdelset(&w->awake, SIGALRM);
	w->fds[AT_LISTENER] = (struct pollfd){ fd_no(r->launch.listener), POLLIN, 0 };
	w->fds[AT_CTL] = (struct pollfd){ r->ctl, POLLIN, 0 };
	w->fds[AT_LOG] = (struct pollfd){ r->opts->log_fd, POLLIN, 0 };
	return 0;
}

/* With ticks the two signals get through; without they are kept for ppoll. */
static void ticks(struct watch *w, bool on)
{
	struct itimerspec t = { .it_interval.tv_nsec = on ? TICK_MS * 1000000L : 0 };
	t.it_value = t.it_interval;
	if (!w->timed || w->ticking == on || timer_settime(w->timer, 0, &t, NULL) < 0)
		return;
	w->ticking = on;
	(void)sigprocmask(on ? SIG_UNBLOCK : SIG_BLOCK, &w->wake, NULL);
}

/* Notification after notification, until the next tick. */
static int drain(struct recorder *r, struct watch *w)
{
	int got = 0;
	ticks(w, true);
	/* without ticks nothing would end the wait */
	if (!w->ticking) {
		got = recorder_call(r);
		return got < 0 ? got : 0;
	}
	uint64_t end = recorder_now() + (uint64_t)TICK_MS * MS;
	do
		got = recorder_call(r);
	while (!got && r->last_ns < end && !r->ports.npending);
	return got < 0 ? got : 0;
}

/* Wait for anything; the ticks would end that wait too, for nothing. */
static int look(struct recorder *r, struct watch *w, uint64_t now)
{
	int n = poll(w->fds, NPOLL, 0);
	if (n)
		return n;
	ticks(w, false);
	reap(r, w);
	/* a child that ended just now brings new limits: no wait */
	int ms = r->status >= 0 && !w->daemon_ns ? 0 : timeout_ms(r, w, now);
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
	return ppoll(w->fds, NPOLL, ms < 0 ? NULL : &t, &w->awake);
}

static int turn(struct recorder *r, struct watch *w, uint64_t now)
{
	int n = look(r, w, now);
	if (n < 0 && errno != EINTR)
		return -errno;
	if (n > 0 && w->fds[AT_LISTENER].revents & POLLIN) {
		int err = drain(r, w);
		if (err)
			return err;
	} else if (n > 0 && w->fds[AT_LISTENER].revents & (POLLHUP | POLLERR)) {
		w->tree_gone = true;
		w->fds[AT_LISTENER].fd = -1;
	}
	if (r->ports.npending)
		sockports_poll(&r->ports, recorder_now());
	reap(r, w);
	if (n <= 0)
		return 0;
	if (w->fds[AT_CTL].revents)
		control(r, w);
	if (w->fds[AT_LOG].revents && !relayrows_read(r, r->opts->log_fd))
		w->fds[AT_LOG].fd = -1;
	return 0;
}

int recorder_run(struct recorder *r, struct err *e)
{
	struct watch w = { 0 };
	int err = open_watch(r, &w, e);
	if (err)
		return err;
	r->start_ns = recorder_now();
	if (r->opts->timeout_ms >= 0)
		w.limit_ns = r->start_ns + (uint64_t)r->opts->timeout_ms * MS;
	fd_drop(&r->launch.go);
	while (!err) {
		/* the time is only needed now and then: a busy tree is not slowed by it */
		uint64_t now = recorder_now();
		limits(r, &w, now);
		if (r->status >= 0 && w.tree_gone)
			break;
		if (w.daemon_ns && now >= w.daemon_ns && !r->timed_out) {
			name_survivors(r);
			break;
		}
		err = turn(r, &w, now);
		if (w.hung_up) {
			tree_kill(r->launch.pid, &r->status);
			break;
		}
	}
	if (w.timed)
		timer_delete(w.timer);
	return err < 0 ? err_set(e, -err, "the listener failed: %s", strerror(-err)) : 0;
}

void recorder_linger(struct recorder *r)
{
	struct pollfd p = { fd_no(r->launch.listener), POLLIN, 0 };
	for (;;) {
		struct seccomp_notif n;
		int got = poll(&p, 1, 1000);
		while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
			;
		if (got > 0 && !(p.revents & POLLIN))
			return;
		if (got <= 0)
			continue;
		int err = notify_recv(p.fd, &n);
		if (!err)
			err = sysdef_is_uring(n.data.nr & ~0x40000000) ? notify_refuse(p.fd, n.id, ENOSYS) : notify_continue(p.fd, n.id);
		if (err && err != -ENOENT && err != -EINTR)
			return;
	}
}
