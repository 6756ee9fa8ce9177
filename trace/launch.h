/* launch.h - start the command under the filter, stopped just before its execve */
#pragma once

#include "base/err.h"
#include "base/fd.h"
#include "trace/callfilter.h"
#include "trace/trace.h"

#include <signal.h>
#include <sys/types.h>

/* Signals whose handling snug changes for itself and gives back to the command. */
#define LAUNCH_SIGNALS { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE, SIGXFSZ, SIGCHLD }
enum { LAUNCH_NSIGNALS = 10 };

struct sigstate {
	struct sigaction act[LAUNCH_NSIGNALS];
	sigset_t mask;
};

/* Remember how signals are handled, then ignore the terminal's and block those that are read as data. */
int sigstate_take(struct sigstate *old, struct err *e) MUST;
void sigstate_restore(const struct sigstate *old);

/**
 * struct launch - the command's first process; zero is empty
 * @go:   closing it lets the command execute
 * @fail: errno of a failed execve as an int, or end of file
 */
struct launch {
	pid_t pid;
	struct fd listener, go, fail;
	bool sync;
};
void launch_drop(struct launch *l);

/**
 * launch_start() - fork, install @f in the child and take its listener
 * @keep_privs: see notify_install()
 * @o:          says what to run, with which environment and where
 * Return: -EBUSY: an outer listener is there; other -errno with the remedy in @e. Nothing runs then.
 */
int launch_start(struct launch *out, const struct callfilter *f, bool keep_privs, const struct sigstate *sig,
                 const struct trace_opts *o, struct err *e) MUST;
