/* main.c - finds the verb in the table and runs it */
#include "base/esc.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/opts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static void say(const struct err *e)
{
	OWN(str) s = { 0 };
	str_add(&s, "snug: ");
	esc_term(&s, e->msg);
	str_add_char(&s, '\n');
	fputs(str_c(&s), stderr);
}

/*
 * A closed standard descriptor would be taken by the next file snug opens. What fills it here is closed again
 * when the command is executed, which so finds it as it was.
 */
static void fill_standard(void)
{
	int fd;
	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd < 3);
	if (fd > 2)
		close(fd);
}

/* What a verb printed has to arrive: a list that ends early would pass for a short one. A reader that left knows. */
static int finish(int code)
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
	say(&e);
	return EXIT_SNUG;
}

int main(int argc, char **argv, char **envp)
{
	OWN(cli_opts) o = { 0 };
	struct err e = { 0 };
	fill_standard();
	int r = opts_parse(&o, argc, argv, envp, &e);
	if (r == 1)
		return finish(0);
	if (r < 0) {
		say(&e);
		if (r != -EINVAL)
			return EXIT_SNUG;
		fprintf(stderr, "try: snug %s%s--help\n", o.verb ? o.verb->name : "", o.verb ? " " : "");
		return EXIT_USAGE;
	}
	log_set_level(o.verbose);
	r = o.verb->run(&o, &e);
	if (r < 0) {
		say(&e);
		r = EXIT_SNUG;
	}
	return finish(r);
}
