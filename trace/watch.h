/* watch.h - record a command that somebody else starts and confines: what it asked for, as if it were on the host */
#pragma once

#include "base/fd.h"
#include "trace/callfilter.h"
#include "trace/trace.h"

#include <sys/types.h>

/**
 * struct watch - a recorder that waits; zero is empty; watch_drop() ends it
 * @hand:   socket on which the listener of @filter is handed over, by the command's process (box_opts.watch_fd)
 * @filter: what that process installs
 */
struct watch {
	struct fd ctl, hand, memory;
	pid_t pid;
	struct callfilter filter;
};
void watch_drop(struct watch *w);

/**
 * watch_start() - start the recorder
 * @host: facts; what the command names is looked up in the host's tree, whatever its own shows: names are the same in
 *        both, so a recording tells what would have been there. With @o->in_view in the command's own tree, as soon as
 *        its program has started
 * @o:    argv, real_env, proxy_port; both must stay until watch_end()
 */
int watch_start(struct watch *out, const struct host *host, const struct trace_opts *o, struct err *e) MUST;

/* Before the command runs: also record the rows that come on @log_fd. */
int watch_rows(const struct watch *w, int log_fd, struct err *e) MUST;

/* The command has ended with @status: take the recording. */
int watch_end(struct watch *w, struct recording *out, int status, struct err *e) MUST;
