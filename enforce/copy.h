/* copy.h - mode: copy: a host file copied in, and written back by rename if the command changed it; private to enforce/ */
#pragma once

#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "profiles/policy.h"

#include <stdbool.h>
#include <sys/stat.h>

/**
 * struct copy - one of them
 * @source: on the host; owned
 * @name:   below the private place; owned
 * @src:    the host's file when it was copied in; empty where there was none
 * @st:     what it was then
 * @place:  the private place, which outlives its mount namespace through this descriptor
 */
struct copy {
	char *source, *name;
	struct fd src, place;
	struct stat st;
};

enum { COPY_BYTES_MAX = 64 << 20 };

/* Open the sources of @pol's copies. On failure nothing is left. */
int copies_open(struct copy **out, size_t *n, const struct policy *pol, struct err *e) MUST;
void copies_drop(struct copy *c, size_t n);

/* Bytes of @from into @to, from its start. -EFBIG beyond COPY_BYTES_MAX. */
int copy_bytes(int from, int to, const char *what, struct err *e) MUST;

/* After the end: write back what changed; each trouble is one line in @notes. Return: how many troubles. */
size_t copies_back(const struct copy *c, size_t n, struct str *notes);
