/* verify_stdin.h - what the command read, for the confined run to read again */
#pragma once

#include "base/err.h"
#include "base/fd.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct spool - zero is empty
 * @file: what came from standard input so far; none for a terminal or a device
 * @pid:  the process that hands a pipe's bytes on to the command and into @file; 0 none
 */
struct spool {
	struct fd file, saved;
	pid_t pid;
	uint64_t limit;
	bool piped;
};
/* Ends that process, and gives standard input back. */
void spool_drop(struct spool *s);

/**
 * spool_open() - keep what standard input will give
 * @path: a new file for it
 * @limit: of bytes to keep; the command gets all
 *
 * A file is copied from its position on, where a pipe or socket is, standard input becomes a pipe from a process that
 * keeps what goes through. A terminal's input cannot be had again and counts as none. -EFBIG.
 */
int spool_open(struct spool *s, const char *path, uint64_t limit, struct err *e) MUST;

/* The command has ended: no more is kept. -EFBIG: it was more than the limit. */
int spool_end(struct spool *s, struct err *e) MUST;

/* Make standard input read what was kept from its beginning; else /dev/null. For the child that runs confined. */
int spool_again(const struct spool *s, struct err *e) MUST;
