/* trace.h - run a command as it is and record its whole tree */
#pragma once

#include "base/err.h"
#include "trace/recording.h"

#include <stdbool.h>

/* A call that the recorder refuses itself, with @err: the engine's filter has left it to the recorder. */
struct refusal {
	int nr, err;
	const char *name;
};

/**
 * struct trace_opts
 * @argv, @env: the command; env already carries the proxy variables where a proxy is offered
 * @real_env:   the user's own environment, for value evidence
 * @cwd: where the command starts, NULL: where the caller is
 * @network_only: connect-class calls only, no file tracing
 * @proxy_port: of the offered proxy on loopback, 0 none: connects to it are no findings
 * @timeout_ms: -1 none
 * @before_change: told, in the recorder and before the call goes on, of each existing object that is about to be written
 *           to, renamed, removed or changed otherwise; @change_arg is its first argument. NULL: nobody wants to know.
 *           Not of what lies on a mount that may not answer: the recorder must not wait for that
 * @refuse:     calls that must never go on (watch.h)
 * @in_view:    names are looked up in the tree that the command is shown, not in the host's (watch.h)
 * @log_fd:     relay's rows (struct relay_row messages), or -1
 */
struct trace_opts {
	char *const *argv, *const *env, *const *real_env;
	const char *cwd;
	bool network_only;
	uint16_t proxy_port;
	int timeout_ms;
	void (*before_change)(void *arg, const char *path);
	void *change_arg;
	const struct refusal *refuse;
	size_t nrefuse;
	bool in_view;
	int log_fd;
	int daemon_wait_ms;
};

/**
 * trace_run() - start, record, wait for the tree (and for daemons a bounded time)
 * @host: facts; copied into the recording
 * @out:  filled also when the command failed, was killed or timed out
 * @exec_err: errno of a failed execve, else 0
 *
 * Return: 0 when the command ran (its status is in @out); -errno when snug could not do it: nothing was run
 * (notify missing, taken by an outer audit, ...), with the remedy in @e.
 */
int trace_run(struct recording *out, const struct host *host, const struct trace_opts *o,
              int *exec_err, struct err *e) MUST;
