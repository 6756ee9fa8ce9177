/* pty_job.c - stops, continues and signals between the caller's shell and the command on its private terminal */
#include "enforce/pty.h"

#include "enforce/box.h"
#include "enforce/job.h"

#include <errno.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { STOP_MS = 500 }; /* for a slow terminal to take what was printed before a stop */

void pty_say(const struct box *b, char word, int sig)
{
	if (word != JOB_SIGNAL)
		b->pty->serial++;
	const struct job_msg m = { word, (unsigned char)sig, b->pty->serial };
	send(fd_no(b->ctl), &m, sizeof(m), MSG_NOSIGNAL | MSG_DONTWAIT); /* where it cannot be had, pid 1 is gone */
}

static void only(sigset_t *set, int sig)
{
	sigemptyset(set);
	sigaddset(set, sig);
}

void pty_begin(struct box *b)
{
	struct pty *p = b->pty;
	sigset_t cont;
	only(&cont, SIGCONT);
	sigprocmask(SIG_BLOCK, &cont, NULL); /* being continued happens anyway */
	pty_guard(p);
	if (!p->front)
		return;
	p->front = false; /* so far it was a wish */
	if (pty_in_front(p))
		pty_take(p);
	else
		pty_say(b, JOB_BACK, 0);
}

void pty_resume(struct box *b)
{
	struct pty *p = b->pty;
	if (p->wants && pty_in_front(p)) {
		pty_take(p);
		pty_say(b, JOB_FRONT, 0);
	} else {
		p->front = false;
		pty_say(b, JOB_BACK, 0);
	}
}

/* Return: true when we were stopped and continued; false where the kernel does not stop us: ignored, or nobody could. */
static bool stop_self(int sig, bool whole_job)
{
	const struct timespec none = { 0 };
	sigset_t cont, one, old;
	only(&cont, SIGCONT);
	only(&one, sig);
	while (sigtimedwait(&cont, NULL, &none) > 0)
		; /* an old one */
	kill(whole_job ? 0 : getpid(), sig);
	sigprocmask(SIG_UNBLOCK, &one, &old); /* here we stop */
	sigprocmask(SIG_SETMASK, &old, NULL);
	return sigtimedwait(&cont, NULL, &none) > 0;
}

static bool wants_terminal(int sig)
{
	return sig == SIGTTIN || sig == SIGTTOU;
}

/*
 * The command has stopped. What was typed in raw mode stops the whole job, as the caller's terminal would have done, and so
 * does a try to use the terminal from the background; what came from outside has reached the others already.
 */
static void stopped(struct box *b, int sig)
{
	struct pty *p = b->pty;
	bool whole_job = sig != SIGSTOP && (p->front || wants_terminal(sig));
	if (wants_terminal(sig) && !p->front) {
		p->wants = true;
		if (pty_in_front(p)) {
			pty_resume(b);
			return;
		}
	}
	pty_flush(p, STOP_MS, -1);
	pty_leave(p);
	if (stop_self(sig == SIGSTOP ? SIGTSTP : sig, whole_job))
		pty_resume(b);
	else if (wants_terminal(sig) && !pty_in_front(p))
		pty_hangup(b); /* nobody will ever give us the terminal: a read would fail outside as well */
	else if (sig != SIGSTOP)
		pty_resume(b);
}

bool pty_heard(struct box *b)
{
	struct job_msg m;
	ssize_t n = recv(fd_no(b->ctl), &m, sizeof(m), MSG_DONTWAIT);
	if (n == sizeof(m) && m.word == JOB_STOPPED && m.serial == b->pty->serial)
		stopped(b, m.sig);
	b->lost = b->lost || (n == 1 && m.word == BOX_LOST);
	return n != 0;
}

static bool hung_up(const struct pty *p)
{
	struct pollfd f = { fd_no(p->tty), 0, 0 };
	return p->tty.plus1 && poll(&f, 1, 0) > 0;
}

void pty_signal(struct box *b, int sig, bool sent)
{
	switch (sig) {
	case SIGCONT:
		pty_resume(b);
		return;
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		pty_say(b, JOB_SIGNAL, sig); /* we stop if the command does */
		return;
	case SIGWINCH:
		pty_resize(b->pty);
	}
	if (sent)
		kill(b->init, sig);
	else if (sig == SIGHUP && hung_up(b->pty))
		pty_hangup(b);
	else if (sig == SIGHUP || sig == SIGINT || sig == SIGQUIT)
		pty_say(b, JOB_SIGNAL, sig);
}

void pty_end(struct box *b, int sigs)
{
	pty_flush(b->pty, -1, sigs);
	pty_leave(b->pty);
	pty_guard_end(b->pty);
}
