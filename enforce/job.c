/* job.c - pid 1 as the shell of one job: the command on its private terminal */
#include "enforce/job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * How this works: pid 1 leads the session of the private terminal and stays its background; the command leads a process
 * group of its own below it. So that group is never an orphaned one, whose stops the kernel leaves out, and ^Z, reading in
 * the background and the like stop the command as they do below any shell. pid 1 sees that and tells the supervisor, which
 * stops itself for the caller's shell to see, and sends word how to go on.
 */

enum { TTY, CTL, SIGS, KEPT, ABOVE = 10 };

int job_prepare(struct build *b, struct err *e)
{
	sigset_t all;
	sigfillset(&all);
	b->sigs = fd_own(signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
	return b->sigs.plus1 ? 0 : err_sys(e, "signalfd");
}

int job_lead(const struct build *b, struct err *e)
{
	if (setpgid(0, 0) != 0)
		return err_sys(e, "process group");
	/* SIGTTOU is blocked still, so a group in the background may do that */
	if (b->pty->front && tcsetpgrp(fd_no(b->slave), getpid()) != 0)
		return err_sys(e, "take the private terminal");
	return 0;
}

/* Exactly three descriptors are left, at known numbers: nobody's pipe stays open here. */
static void keep_three(const struct build *b)
{
	const int from[KEPT] = { [TTY] = fd_no(b->slave), [CTL] = b->ctl, [SIGS] = fd_no(b->sigs) };
	int up[KEPT];
	for (int i = 0; i < KEPT; i++)
		up[i] = fcntl(from[i], F_DUPFD_CLOEXEC, ABOVE);
	for (int i = 0; i < KEPT; i++) {
		if (up[i] < 0 || dup2(up[i], i) < 0)
			init_lost(b->ctl);
	}
	close_range(KEPT, ~0U, 0);
}

static void reap(pid_t command, unsigned char serial)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		if (pid != command)
			continue;
		if (!WIFSTOPPED(status))
			_exit(status_code(status));
		const struct job_msg m = { JOB_STOPPED, (unsigned char)WSTOPSIG(status), serial };
		send(CTL, &m, sizeof(m), MSG_NOSIGNAL | MSG_DONTWAIT);
	}
	if (pid < 0)
		init_lost(CTL);
}

/* A job of a shell inside keeps the foreground that the shell gave it. */
static void go_on(pid_t command, bool front)
{
	pid_t group = getpgid(command), now = tcgetpgrp(TTY);
	if (front && (now == getpgrp() || (now > 1 && kill(-now, 0) != 0 && errno == ESRCH)))
		tcsetpgrp(TTY, group);
	else if (!front && now == group)
		tcsetpgrp(TTY, getpgrp());
	tell_group(command, SIGCONT);
}

static void hear(pid_t command, unsigned char *serial)
{
	struct job_msg m;
	ssize_t n = recv(CTL, &m, sizeof(m), MSG_DONTWAIT);
	if (n == 0)
		_exit(125); /* snug is gone, and the kernel is about to kill us */
	if (n != sizeof(m))
		return;
	if (m.word == JOB_SIGNAL) {
		tell_group(command, m.sig);
		return;
	}
	reap(command, *serial); /* what has stopped so far goes on now */
	*serial = m.serial;
	go_on(command, m.word == JOB_FRONT);
}

/* Also those that the terminal sends to our own group, while that is its foreground: nobody's business. */
static void take_signals(pid_t command, unsigned char serial)
{
	struct signalfd_siginfo si;
	while (read(SIGS, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGCHLD)
			reap(command, serial);
		else if (from_outside(si.ssi_code, (pid_t)si.ssi_pid))
			kill(command, (int)si.ssi_signo);
	}
}

_Noreturn void job_main(struct build *b, pid_t command)
{
	keep_three(b);
	unsigned char serial = 0;
	struct pollfd p[] = { { SIGS, POLLIN, 0 }, { CTL, POLLIN, 0 } };
	for (;;) {
		if (poll(p, LEN(p), -1) <= 0)
			continue;
		if (p[0].revents)
			take_signals(command, serial);
		if (p[1].revents)
			hear(command, &serial);
	}
}
