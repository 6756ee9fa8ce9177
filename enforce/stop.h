/* stop.h - stopping a run without a terminal, as a whole */
#pragma once

struct box;

/**
 * box_stop() - @sig (SIGTSTP, SIGTTIN, SIGTTOU; blocked) has come: stop all of @b, then ourselves
 *
 * Returns when we have been continued; the box goes on as well then.
 * See: termios(3), credentials(7) on job control.
 */
void box_stop(const struct box *b, int sig);
