/* wait.c - wait for the end: signals handed on, deadline, exit code */
#include "enforce/box.h"
#include "enforce/copy.h"
#include "enforce/lean.h"
#include "enforce/step.h"
#include "enforce/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KILL_AFTER_MS = 5000 };

#ifndef P_PIDFD
#define P_PIDFD 3 /* linux/wait.h */
#endif

static long long now_ms(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* What a person or a program may send to snug and means for the command. SIGCONT only comes where it is blocked. */
static void forwarded(sigset_t *set)
{
	const int sigs[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGURG, SIGWINCH,
	                     SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT };
	sigemptyset(set);
	for (size_t i = 0; i < LEN(sigs); i++)
		sigaddset(set, sigs[i]);
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
		sigaddset(set, sig);
}

/* By a person or program. The terminal sends ^C to the whole foreground group, of which the command is none. */
static bool was_sent(const struct signalfd_siginfo *si)
{
	return si->ssi_code == SI_USER || si->ssi_code == SI_QUEUE || si->ssi_code == SI_TKILL;
}

static bool is_stop(int sig)
{
	return sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

static int forward(int sigfd, struct box *b, struct err *e)
{
	struct signalfd_siginfo si;
	ssize_t n;
	while ((n = read(sigfd, &si, sizeof(si))) == sizeof(si)) {
		if (b->pty)
			pty_signal(b, (int)si.ssi_signo, was_sent(&si));
		else if (is_stop((int)si.ssi_signo))
			box_stop(b, (int)si.ssi_signo);
		else if (was_sent(&si))
			kill(b->init, (int)si.ssi_signo);
		else
			sigqueue(b->init, (int)si.ssi_signo, (union sigval){ .sival_int = FOR_GROUP });
	}
	return n < 0 && errno != EAGAIN && errno != EINTR ? err_sys(e, "signalfd") : 0;
}

/**
 * struct clock - what is still to happen by time
 * @at: next deadline, -1 none
 * @stage: 0 TERM is due, 1 KILL is due, 2 nothing
 */
struct deadline {
	long long at;
	int stage;
};

static int due_in(const struct deadline *d)
{
	if (d->at < 0)
		return -1;
	long long left = d->at - now_ms();
	return left < 0 ? 0 : left > 1 << 30 ? 1 << 30 : (int)left;
}

static void strike(struct deadline *d, pid_t init)
{
	if (d->at < 0 || due_in(d) > 0)
		return;
	/* KILL ends pid 1 itself, and the kernel the rest; TERM is handed on to the command */
	kill(init, d->stage ? SIGKILL : SIGTERM);
	d->at = d->stage ? -1 : now_ms() + KILL_AFTER_MS;
	d->stage++;
}

/* Did pid 1 leave without the command's status? */
static bool said_lost(const struct box *b)
{
	char words[64];
	ssize_t n;
	while ((n = recv(fd_no(b->ctl), words, sizeof(words), MSG_DONTWAIT)) > 0) {
		if (n == 1 && words[0] == BOX_LOST)
			return true;
	}
	return false;
}

static int collect(struct box *b, int *status, struct err *e)
{
	siginfo_t si = { 0 };
	int r;
	do
		r = waitid(P_PIDFD, (id_t)fd_no(b->pidfd), &si, WEXITED);
	while (r != 0 && errno == EINTR);
	if (r != 0)
		return err_sys(e, "wait for the sandbox");
	b->init = 0;
	if (si.si_code == CLD_EXITED) {
		if (si.si_status == 125 && (b->lost || said_lost(b)))
			return err_set(e, EIO, "the sandbox's first process could not wait for the command, whose end is unknown");
		*status = si.si_status;
		return 0;
	}
	/* somebody killed pid 1; anything but KILL means that it broke */
	if (si.si_status != SIGKILL)
		return err_set(e, EIO, "the sandbox's first process died of signal %d", si.si_status);
	*status = 128 + SIGKILL;
	return 0;
}

static int watch(struct box *b, int timeout_ms, int *status, bool *timed_out, struct err *e)
{
	sigset_t set;
	forwarded(&set);
	OWN(fd) sigs = fd_own(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
	if (!sigs.plus1)
		return err_sys(e, "signalfd");
	lean();
	struct deadline d = { timeout_ms < 0 ? -1 : now_ms() + timeout_ms, 0 };
	enum { INIT, SIGS, CTL, TTY };
	struct pollfd p[TTY + PTY_POLLS] = { { fd_no(b->pidfd), POLLIN, 0 }, { fd_no(sigs), POLLIN, 0 }, { fd_no(b->ctl), POLLIN, 0 } };
	if (b->pty)
		pty_begin(b);
	for (;;) {
		if (b->pty)
			pty_polls(b->pty, p + TTY);
		int n = poll(p, b->pty ? LEN(p) : CTL, due_in(&d));
		if (n < 0 && errno != EINTR)
			return err_sys(e, "poll");
		if (n > 0 && p[INIT].revents) {
			if (b->pty)
				pty_end(b, fd_no(sigs));
			*timed_out = d.stage > 0;
			return collect(b, status, e);
		}
		int r = n > 0 && p[SIGS].revents ? forward(fd_no(sigs), b, e) : 0;
		if (r < 0)
			return r;
		if (n > 0 && b->pty) {
			pty_copy(b, p + TTY);
			if (p[CTL].revents && !pty_heard(b))
				p[CTL].fd = -1;
		}
		strike(&d, b->init);
	}
}

/* The view's mount table, which outlives the view. Empty where it cannot be had. */
static struct fd mounts_of(pid_t pid)
{
	char path[48];
	snprintf(path, sizeof(path), "/proc/%d/mountinfo", (int)pid);
	return fd_own(open(path, O_RDONLY | O_CLOEXEC));
}

int box_wait(struct box *b, int timeout_ms, struct err *e)
{
	b->mounts = mounts_of(b->init);
	int status = 0;
	bool timed_out = false;
	int r = watch(b, timeout_ms, &status, &timed_out, e);
	if (r < 0)
		return r;
	/* as if the command had read through the caller's own description */
	for (int i = 0; i < HANDED_MAX; i++) {
		off_t at = b->stdio[i].plus1 ? lseek(fd_no(b->stdio[i]), 0, SEEK_CUR) : -1;
		if (at >= 0)
			lseek(b->stdio_no[i], at, SEEK_SET);
	}
	b->unwritten = copies_back(b->copies, b->ncopies, &b->notes);
	if (b->exec_err)
		return b->exec_err == ENOENT && !b->exec_interp ? 127 : 126;
	return timed_out ? 124 : status;
}
