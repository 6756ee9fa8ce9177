/* hangs.h - mounts whose look-ups may never end: file systems that are served by a process or over a network */
#pragma once

#include "base/base.h"
#include "trace/asker.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct hangpoint - one such mount
 * @dev:   its file system's device number, the same in every mount namespace
 * @never: not to be looked up at all: the recorded tree serves it itself and would wait for us
 */
struct hangpoint {
	char *path;
	uint64_t dev;
	bool never;
};

/**
 * struct hangs - mount points; zero is empty
 * @before:  devices of all mounts that were there when the recording began, until it ends
 * @hung:    devices of those that did not answer in time: never asked again
 * @epoch:   tasks.epoch when it was last read
 * @news:    a mount point that did not answer, not told yet (hangs_news)
 */
struct hangs {
	struct hangpoint *points;
	size_t n;
	uint64_t *before, *hung;
	size_t nbefore, nhung;
	uint64_t epoch;
	bool own; /* @points are those of the recorder's mount namespace */
	struct asker asker;
	char *news;
};

void hangs_drop(struct hangs *h);

/* Remember the mounts that are there now. -ENOMEM, or -errno of reading @mountinfo. */
int hangs_open(struct hangs *h, const char *mountinfo) MUST;

/* Look again. */
int hangs_read(struct hangs *h, const char *mountinfo) MUST;

/* The mount that a look-up of @path (canonical) may have to wait for, or NULL: it can be made at once. */
const struct hangpoint *hangs_at(const struct hangs *h, const char *path);

/**
 * hangs_ask() - a look-up at or below @at, by the helper; see asker_ask()
 * @path: as seen by the recorder
 *
 * Return: as asker_ask(); -ETIMEDOUT also where nobody is asked. A mount that once did not answer is not asked again.
 */
ssize_t hangs_ask(struct hangs *h, const struct hangpoint *at, const struct question *q, const char *path,
                  struct stat *st, void *buf, size_t size) MUST;

/* Bytes of a regular file, however its name leads there; with the helper where any mount may hang. -errno. */
ssize_t hangs_read_file(struct hangs *h, const char *path, void *buf, size_t size, uint64_t off) MUST;

/* A mount point (or a name that leads to one) that has not answered since this was asked last, to be freed by the caller; else NULL. */
char *hangs_news(struct hangs *h);
