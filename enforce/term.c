/* term.c - the terminal is given back: modes at the end, and nobody inside reads while snug is stopped */
#include "enforce/box.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * The shell that started snug takes the terminal back as soon as snug has stopped. A command that ignores ^Z, or that has
 * a read pending, would then take what is typed to the shell. So snug does not stop before everything inside has: pid 1
 * sends SIGSTOP to all of its namespace at once, which also breaks off pending reads, and answers.
 */

enum {
	GRACE_MS = 100,  /* what a command does on ^Z by itself, as putting the screen in order */
	ANSWER_MS = 2000,
};

void term_save(struct term *t)
{
	OWN(fd) tty = fd_own(open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
	if (!tty.plus1 || tcgetpgrp(fd_no(tty)) != getpgrp() || tcgetattr(fd_no(tty), &t->modes) != 0)
		return; /* somebody else has the terminal, so its modes are not ours to put back */
	t->tty = TAKE(tty);
}

/* Is the terminal ours? A group from inside that was put in front of us and is gone counts as nobody. */
static bool in_front(const struct term *t)
{
	pid_t front = t->tty.plus1 ? tcgetpgrp(fd_no(t->tty)) : -1;
	if (front > 1 && front != getpgrp() && kill(-front, 0) != 0 && errno == ESRCH &&
	    tcsetpgrp(fd_no(t->tty), getpgrp()) == 0)
		return true;
	return front > 0 && front == getpgrp();
}

/* SIGTTOU is blocked while a box runs, so none of these can stop us. */
static void set_modes(const struct term *t, const struct termios *to)
{
	struct termios now;
	if (in_front(t) && tcgetattr(fd_no(t->tty), &now) == 0 && memcmp(&now, to, sizeof(now)) != 0)
		tcsetattr(fd_no(t->tty), TCSANOW, to);
}

void term_restore(const struct term *t)
{
	set_modes(t, &t->modes);
}

void term_drop(struct term *t)
{
	fd_drop(&t->tty);
}

/* Have pid 1 stop everything. Return: false when the box has ended instead, or some of it may still run. */
static bool freeze(const struct box *b)
{
	char answer;
	struct pollfd p[] = { { fd_no(b->pidfd), POLLIN, 0 }, { fd_no(b->ctl), POLLIN, 0 } };
	if (poll(p, 1, GRACE_MS) != 0)
		return false;
	while (recv(fd_no(b->ctl), &answer, 1, MSG_DONTWAIT) > 0)
		; /* late answers to an earlier question */
	kill(b->init, SIGTSTP);
	return poll(p, LEN(p), ANSWER_MS) > 0 && !p[0].revents && recv(fd_no(b->ctl), &answer, 1, MSG_DONTWAIT) == 1;
}

void term_stop(const struct box *b, int sig)
{
	struct termios inside;
	sigset_t one, old;
	if (!freeze(b))
		return;
	bool known = in_front(&b->term) && tcgetattr(fd_no(b->term.tty), &inside) == 0;
	term_restore(&b->term);
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
	if (known)
		set_modes(&b->term, &inside);
	kill(b->init, SIGCONT);
}
