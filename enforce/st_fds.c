/* st_fds.c - descriptors and signals as the caller meant them for the command */
#include "enforce/job.h"
#include "enforce/step.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2) /* linux/close_range.h */
#endif

int st_fds(struct build *b, struct err *e)
{
	if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
		return err_sys(e, "close descriptors");
	for (size_t i = 0; i < b->opts->nkeep_fd; i++) {
		if (fcntl(b->opts->keep_fd[i], F_SETFD, 0) != 0)
			return err_sys(e, "keep descriptor %d", b->opts->keep_fd[i]);
	}
	return 0;
}

/*
 * kill(0, ..) reaches every member of the process group, also those outside of the sandbox, and /dev/tty is the terminal of
 * the session, whatever was handed over: reading it, and its foreground, would be the command's. With a private terminal
 * the command leads a job on that; without any it gets a session of its own, and what the caller's terminal sends comes
 * through snug.
 */
int st_session(struct build *b, struct err *e)
{
	if (b->slave.plus1)
		return job_lead(b, e);
	if (setsid() < 0)
		return err_sys(e, "new session");
	return 0;
}

int st_signals(struct build *b, struct err *e)
{
	if (b->chld_ignored && signal(SIGCHLD, SIG_IGN) == SIG_ERR)
		return err_sys(e, "SIGCHLD");
	if (sigprocmask(SIG_SETMASK, &b->mask, NULL) != 0)
		return err_sys(e, "signal mask");
	return 0;
}
