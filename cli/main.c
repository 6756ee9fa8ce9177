/* main.c - finds the verb in the table and runs it */
#include "base/esc.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/opts.h"

#include <errno.h>
#include <stdio.h>

static void say(const struct err *e)
{
	OWN(str) s = { 0 };
	str_add(&s, "snug: ");
	esc_term(&s, e->msg);
	str_add_char(&s, '\n');
	fputs(str_c(&s), stderr);
}

int main(int argc, char **argv, char **envp)
{
	OWN(cli_opts) o = { 0 };
	struct err e = { 0 };
	int r = opts_parse(&o, argc, argv, envp, &e);
	if (r == 1)
		return fflush(stdout) ? EXIT_SNUG : 0;
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
		return EXIT_SNUG;
	}
	return r;
}
