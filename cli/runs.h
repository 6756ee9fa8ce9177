/* runs.h - stored runs: $XDG_STATE_HOME/snug/runs/<YYYYmmdd-HHMMSS>-<cmd>-<4 hex>/ */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"

#include <stdbool.h>
#include <stdint.h>

/* Beyond these the oldest runs are removed. */
enum { RUNS_KEEP = 20, RUNS_MIB = 512 };

/**
 * struct run - one directory of the store, mode 0700
 * @dir:  held locked while the run goes on, so that nobody prunes it
 * @path: absolute
 * @id:   its name
 */
struct run {
	struct arena arena;
	struct fd dir;
	const char *path, *id;
};
void run_drop(struct run *r);

/* $XDG_STATE_HOME/snug/runs of @envp, else under home; NULL with @e where no home is known. */
const char *runs_root(struct arena *a, char *const *envp, struct err *e);

/* A fresh directory for a run of the program @cmd. -errno with @e: the caller warns and goes on without. */
int run_create(struct run *out, const char *root, const char *cmd, struct err *e) MUST;

/* Point `last` at @r by rename, and remove the oldest runs beyond the limits. */
int run_finish(const struct run *r, const char *root, struct err *e) MUST;

/* Ids in the store, oldest first. -errno other than an absent store. */
int runs_list(struct arena *a, const char *root, const char ***ids, size_t *n, struct err *e) MUST;

/**
 * runs_find() - the directory of @word, "last" or an id
 * Return: path in @a; NULL with @e where there is none.
 */
const char *runs_find(struct arena *a, const char *root, const char *word, struct err *e);

/* Remove a run; where it was the last one, `last` goes to the newest that is left. */
int runs_remove(const char *root, const char *id, struct err *e) MUST;

/* Is @word of the form that run_create() gives? */
bool runs_is_id(const char *word);

/**
 * run_recording() - the recording file that RUN on a command line means: a file, a run id, or "last"
 * Return: path in @a; NULL with @e.
 */
const char *run_recording(struct arena *a, char *const *envp, const char *word, struct err *e);
