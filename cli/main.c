/* main.c - finds the verb in the table and runs it */
#include "base/log.h"
#include "cli/cmd.h"
#include "cli/finish.h"
#include "cli/opts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

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

int main(int argc, char **argv, char **envp)
{
	OWN(cli_opts) o = { 0 };
	struct err e = { 0 };
	fill_standard();
	int r = opts_parse(&o, argc, argv, envp, &e);
	if (r == 1)
		return finish(0);
	if (r < 0) {
		finish_say(&e);
		if (r != -EINVAL)
			return EXIT_SNUG;
		fprintf(stderr, "try: snug %s%s--help\n", o.verb ? o.verb->name : "", o.verb ? " " : "");
		return EXIT_USAGE;
	}
	log_set_level(o.verbose);
	r = o.verb->run(&o, &e);
	if (r < 0) {
		finish_say(&e);
		r = EXIT_SNUG;
	}
	return finish(r);
}
