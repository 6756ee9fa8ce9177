/* finish.c - how snug ends: what was printed has arrived, and what went wrong is told */
#include "cli/finish.h"

#include "base/err.h"
#include "base/esc.h"
#include "base/str.h"
#include "cli/cmd.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void finish_say(const struct err *e)
{
	OWN(str) s = { 0 };
	str_add(&s, "snug: ");
	esc_term(&s, e->msg);
	str_add_char(&s, '\n');
	fputs(str_c(&s), stderr);
}

/* What a verb printed has to arrive: a list that ends early would pass for a short one. A reader that left knows. */
int finish(int code)
{
	struct err e = { 0 };
	bool before = ferror(stdout);
	errno = 0;
	bool now = fflush(stdout) != 0;
	if ((!before && !now) || errno == EPIPE)
		return code;
	if (errno)
		(void)err_sys(&e, "writing to standard output"); /* said below */
	else
		(void)err_set(&e, EIO, "writing to standard output failed: is the disk full?"); /* said below */
	finish_say(&e);
	return EXIT_SNUG;
}

_Noreturn void leave(int code)
{
	code = finish(code);
#ifdef SNUG_SLOW_EXIT /* sanitizers and coverage write at exit */
	exit(code);
#else
	_exit(code);
#endif
}

