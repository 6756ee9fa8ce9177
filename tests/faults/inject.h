/* inject.h - runs a program under ptrace, lists the system calls of its start, and lets one of them fail */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { WHO_MAX = 24 };

/**
 * struct fault - one system call of the start
 * @who: its process: "0" the program, "0.1" its first child, "0.1.2" the second of that
 * @nth: counted from 1, of this number in this process
 */
struct fault {
	char who[WHO_MAX];
	int nr;
	unsigned nth;
};

/**
 * struct trial - one run
 * @fail:   the call that answers @err instead of being made; NULL: none
 * @first:  calls of the program itself before this one are the dynamic loader's and not counted
 * @input:  becomes descriptor 0; -1: /dev/null
 * @list, @n: filled where @want_list: every call, in the order of their coming
 * @hit:    @fail came
 * @code:   exit status, 128+N; @hung: it had to be killed
 * @left:   processes that were there a second after the program's end
 */
struct trial {
	const char *const *argv, *const *env;
	const char *dir, *out;
	const struct fault *fail;
	int err, input, limit_ms;
	bool want_list;
	struct fault *list;
	size_t n;
	bool hit, hung;
	int code;
	size_t left;
};

/* Run it to its end, with standard output and error into @out. Return: 0, -errno when it could not be tried. */
int inject_run(struct trial *t);
