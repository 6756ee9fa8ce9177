/* asker.h - look-ups that may never come back, made by a helper process and given up after a limit */
#pragma once

#include "base/fd.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

enum ask_what {
	ASK_LSTAT,    /* facts of the path itself */
	ASK_STAT,     /* of what it leads to */
	ASK_READLINK, /* its text, into the buffer */
	ASK_MAY,      /* may the recorder access it with mode @arg? */
	ASK_READ,     /* bytes of a regular file from @off on, into the buffer */
	ASK_COUNT,    /* entries of a directory: files to st_size, directories to st_nlink; at most @arg of them */
};

/**
 * struct asker - the helper; zero is empty: it is started by the first question
 * @overran: questions that were given up so far; after ASK_PATIENCE of them every question is
 */
struct asker {
	struct fd sock;
	pid_t pid;
	unsigned overran;
};

enum { ASK_LIMIT_MS = 1000, ASK_PATIENCE = 16, ASK_BYTES = 1024 * 1024 };

struct question {
	enum ask_what what;
	int arg;
	uint64_t off;
};

/* ASK_COUNT without the helper: where the directory cannot hang. -errno. */
int ask_count(const char *path, int max, struct stat *st) MUST;

void asker_drop(struct asker *a);

/**
 * asker_ask() - ask about @path (absolute)
 * @st:  for ASK_LSTAT, ASK_STAT, ASK_COUNT, else may be NULL
 * @buf: for ASK_READLINK and ASK_READ: at most @size bytes, which is ASK_BYTES at most
 *
 * A helper that does not answer within ASK_LIMIT_MS is killed and left alone: it may be in a wait that nothing ends.
 * Return: bytes in @buf, else 0; -errno of the look-up; -ETIMEDOUT: no answer in time, or no helper to be had.
 */
ssize_t asker_ask(struct asker *a, const struct question *q, const char *path, struct stat *st, void *buf,
                  size_t size) MUST;
