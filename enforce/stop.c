/* stop.c - snug does not stop before everything inside has */
#include "enforce/stop.h"

#include "enforce/box.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

/*
 * The command has a session of its own, so that ^Z does not reach it, and the stop of an orphaned group is left out by the
 * kernel. So pid 1 sends SIGSTOP to all of its namespace at once, and answers. With a private terminal there is job
 * control inside instead, pty_job.c.
 */

enum { ANSWER_MS = 2000 };

/* Have pid 1 stop everything. Return: false when the box has ended instead, or some of it may still run. */
static bool freeze(const struct box *b)
{
	char answer;
	struct pollfd p[] = { { fd_no(b->pidfd), POLLIN, 0 }, { fd_no(b->ctl), POLLIN, 0 } };
	while (recv(fd_no(b->ctl), &answer, 1, MSG_DONTWAIT) > 0)
		; /* late answers to an earlier question */
	kill(b->init, SIGTSTP);
	return poll(p, LEN(p), ANSWER_MS) > 0 && !p[0].revents && recv(fd_no(b->ctl), &answer, 1, MSG_DONTWAIT) == 1;
}

void box_stop(const struct box *b, int sig)
{
	sigset_t one, old;
	if (!freeze(b))
		return;
	/*
	 * Stopping wants the signal unblocked, and the shell's SIGCONT lets everything inside run before we do: another ^Z could
	 * come just then, and stop us alone. So ^Z itself stays blocked, for forward() to find, and SIGTTIN is what stops us;
	 * nobody reads the terminal where that comes from the kernel.
	 */
	sig = sig == SIGTSTP ? SIGTTIN : sig;
	sigemptyset(&one);
	sigaddset(&one, sig);
	/* its default action, which the kernel leaves out where nobody could continue us; we go on here after SIGCONT */
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &one, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
	kill(b->init, SIGCONT);
}
