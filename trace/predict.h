/* predict.h - what the kernel will answer, from the facts on the objects; pure but for one question */
#pragma once

#include "profiles/access.h"
#include "trace/hangs.h"
#include "trace/recording.h"
#include "trace/resolve.h"
#include "trace/task.h"

/**
 * struct predictor
 * @may: does the kernel let the recorder itself access @path with R_OK/W_OK/X_OK bits? 0 or errno. Asked only
 *       for callers whose ids are the recorder's, so that ACLs and read-only mounts count. May be NULL.
 * @self: the recorder's own ids
 * @hangs: mounts whose directories are listed by the helper only; may be NULL
 * @names: tells where the recorder finds a path (resolver_place()); may be NULL: at itself
 * @protected_links: /proc/sys/fs/protected_hardlinks is on
 */
struct predictor {
	int (*may)(void *arg, const char *path, int mode);
	void *arg;
	struct creds self;
	struct hangs *hangs;
	const struct resolver *names;
	bool protected_links;
};

/**
 * predict() - outcome of @acc for a caller with @c
 * @source: OUT_PREDICTED, or OUT_UNKNOWN where the facts do not tell (the outcome is then the likely one)
 * Return: 0 or an errno value.
 */
int predict(const struct predictor *p, const struct access *acc, const struct creds *c, enum outcome_source *source);
