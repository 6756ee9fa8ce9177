/* hangs.h - mounts whose look-ups may never end: user space file systems that the recorded tree itself may serve */
#pragma once

#include "base/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct hangs - mount points; zero is empty
 * @points:  of FUSE mounts that were not there when the recording began
 * @before:  ids of all mounts that were
 * @epoch:   tasks.epoch when it was last read
 */
struct hangs {
	char **points;
	size_t n;
	int *before;
	size_t nbefore;
	uint64_t epoch;
	bool own; /* @points are those of the recorder's mount namespace */
};

void hangs_drop(struct hangs *h);

/* Remember the mounts that are there now. -ENOMEM, or -errno of reading @mountinfo. */
int hangs_open(struct hangs *h, const char *mountinfo) MUST;

/* Look again. */
int hangs_read(struct hangs *h, const char *mountinfo) MUST;

/* May a look-up of @path (canonical) wait for somebody who waits for us? */
bool hangs_at(const struct hangs *h, const char *path);
