/* leak.h - one check of the leak suite: something that works unconfined and must not inside; see run.sh */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct check - object class x entry
 * @room: how the command is confined for it, see run.sh
 * @open: what it gives unconfined: "OK" or names of errno, "|" between them; "*" that it comes back; else it is skipped,
 *        it could not bite
 * @shut: what it must give inside
 * @run:  0 or an errno; SKIP() leaves with a reason
 * @arg, @nr: of @run
 */
struct check {
	char id[64];
	const char *room, *open, *shut;
	int (*run)(const struct check *c);
	char arg[256];
	long nr;
};

/* Where things are, written by run.sh and `leak outside` as NAME=VALUE. */
const char *conf(const char *name);
long conf_number(const char *name);

/* Called once for each check there is. */
void add(const struct check *c);
void add_files(void);
void add_proc(void);
void add_calls(void);
void add_sockets(void);
void add_descriptors(void);
void add_self(void);

/* Leave the check: it says nothing here, for this reason. */
_Noreturn void skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* 0, or errno after a call that returned less than 0. */
static inline int result(long r)
{
	return r < 0 ? errno : 0;
}

/* i386 entry; strings must be low(). Negative errno. */
long int80(long nr, long a, long b, long c, long d);
/* A copy of @s that 32 bits can point to. */
long low(const char *s);
/* Open @path by io_uring: descriptor or -errno. */
long uring_open(const char *path, int flags);

/* The processes that stand for the host: sockets, shared memory, a secret in memory; until TERM. */
int outside(const char *dir);
/* Stands in the process group of whoever starts snug: on USR1 makes @hit. */
int member(const char *hit);
/* Exchange @a and @b until killed. */
int swap(const char *a, const char *b);
