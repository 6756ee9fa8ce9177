/* term.h - the caller's terminal, lent to the command */
#pragma once

#include "base/fd.h"

#include <termios.h>

struct box;

/**
 * struct term - the controlling terminal as it was found
 * @tty: empty: there is none, or another process group had it
 */
struct term {
	struct fd tty;
	struct termios modes;
};

/* Remember the modes, if the terminal is ours at the moment. */
void term_save(struct term *t);

/* Put the modes back, if the terminal is ours (still, or again). SIGTTOU must be blocked. */
void term_restore(const struct term *t);

void term_drop(struct term *t);

/**
 * term_stop() - @sig (SIGTSTP, SIGTTIN, SIGTTOU; blocked) has come: stop all of @b, then ourselves
 *
 * Returns when we have been continued; the box goes on as well then.
 * See: termios(3), credentials(7) on job control.
 */
void term_stop(const struct box *b, int sig);
