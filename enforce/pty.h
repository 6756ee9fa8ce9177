/* pty.h - the supervisor's side of the command's private terminal */
#pragma once

#include "base/err.h"
#include "base/fd.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <termios.h>

struct box;

/**
 * struct chunk - bytes on their way; nothing is read while some are left, which is the back-pressure
 */
struct chunk {
	size_t at, len;
	char bytes[4096]; /* what a terminal gives at once, N_TTY_BUF_SIZE */
};

/**
 * struct pty - the caller's terminal, and the private one that the command gets for it
 * @tty:    the caller's, opened once more: our own flags, nobody else's. Empty after a hang-up
 * @master: outer side of the private one
 * @dev:    device number of the caller's
 * @job:    it is our controlling terminal, so there is a foreground to be in, and a shell that sees us stop
 * @wants:  the command is to be in front whenever we are. Not from the start in a pipeline: the other end of the
 *          pipe may be using the terminal, so the command has to try first, which stops it if SIGTTIN does
 * @piped:  stdin or stdout is something else: others of our job may print to the terminal
 * @front:  the command has the terminal: the caller's is in raw mode and is read
 * @outer, @raw: modes of the caller's as they were found, and as they were set
 * @guard:  a process that puts @outer back should we be killed; told by @guard_tell, pty_guard.c
 * @given:  modes of the private one as we set them last; where they still are the same, nobody inside has his own
 */
struct pty {
	struct fd tty, master;
	unsigned dev;
	bool job, wants, piped, front;
	unsigned char serial; /* of the last word to go on, job.h */
	struct termios outer, raw, given;
	struct winsize size;
	struct chunk in, out;
	struct fd guard_tell;
	pid_t guard;
};

enum { PTY_POLLS = 2 };

/*
 * Is the controlling terminal among @handed (-1 ends it), or else standard input another one? Then *@out, else NULL.
 * @mask: signals that the command will have blocked.
 */
int pty_open(struct pty **out, const int *handed, const sigset_t *mask, struct err *e) MUST;

/* Put the modes back, and free. */
void pty_free(struct pty *p);

/* Is @fd the caller's terminal, by whatever name it was opened? */
bool pty_is(const struct pty *p, int fd);

/* The command runs: from now on the terminal is served. Blocks SIGCONT, which @sigs of pty_signal() must tell of. */
void pty_begin(struct box *b);

/* What to wait for, and what to do then. */
void pty_polls(const struct pty *p, struct pollfd *polls);
void pty_copy(struct box *b, const struct pollfd *polls);

/* @sig has come to snug; @sent: from a person or program, not from the terminal */
void pty_signal(struct box *b, int sig, bool sent);

/* pid 1 has sent word: the command stopped. Stops ourselves; returns when both go on. Return: false: it will say no more. */
bool pty_heard(struct box *b);

/* The command's tree is gone: print what is left. @sigs: a signalfd; TERM, HUP, INT or QUIT gives up on the rest. */
void pty_end(struct box *b, int sigs);

/* Between pty.c and pty_job.c */

/* Start it, tell it of @outer and @front, end it. Without it all but a KILL of snug is as with it. */
void pty_guard(struct pty *p);
void pty_guard_tell(const struct pty *p);
void pty_guard_end(struct pty *p);

/* Are we in front of the caller's terminal? */
bool pty_in_front(const struct pty *p);
/* Take the caller's terminal for the command; give it back as it was. */
void pty_take(struct pty *p);
void pty_leave(struct pty *p);
/* The private terminal gets the size of the caller's, and its processes are told. */
void pty_resize(struct pty *p);
/* Print what has been written inside, at most for @ms; @sigs as in pty_end(), or -1. */
void pty_flush(struct pty *p, int ms, int sigs);
/* The caller's terminal is hung up: so is the private one. */
void pty_hangup(struct box *b);
/* Word to pid 1. */
void pty_say(const struct box *b, char word, int sig);
/* Have the command go on, in front where it can be. */
void pty_resume(struct box *b);
