/* box.h - start a command inside a policy, or as it is, and wait for it */
#pragma once

#include "base/err.h"
#include "base/fd.h"
#include "profiles/policy.h"

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct box_opts - how to start
 * @argv:    NULL-terminated, borrowed
 * @env:     the command's whole environment, NULL-terminated (see env_build())
 * @keep_fd: descriptors above 2 that stay open, ascending
 * @proxy_port: in network mode proxy: the loopback port to listen on inside, 0 chooses; the listener comes back in
 *           box.proxy
 * @best_effort: go on without a layer the host lacks, naming it in box.without
 */
struct box_opts {
	char *const *argv;
	char *const *env;
	const int *keep_fd;
	size_t nkeep_fd;
	uint16_t proxy_port;
	bool best_effort;
};

/**
 * struct box - a running command; zero is empty; box_drop() kills and reaps whatever is left
 * @init:  pid 1 of the sandbox as seen here
 * @proxy: TCP listener inside the sandbox's network namespace (mode proxy), for relay_start()
 * @exec_err: errno of a failed execve (the command was not executable or not found), else 0
 */
struct box {
	pid_t init;
	struct fd pidfd, proxy, status, copies;
	uint16_t proxy_port;
	int exec_err;
	struct copyback *copy; /* private: mode: copy files to write back */
	size_t ncopy;
};

void box_drop(struct box *b);

/**
 * box_start() - build the view of @pol in new namespaces and start @opts->argv in it
 *
 * Return: 0 when execve has succeeded or failed with box.exec_err; else -errno with the step and the remedy in @e.
 * Never a run without a layer, unless best_effort. Needs a single-threaded caller.
 */
int box_start(struct box *out, const struct policy *pol, const struct box_opts *opts, struct err *e) MUST;

/* box_go() - let a box started in mode proxy execute its command, once the relay is listening. */

/**
 * box_wait() - forward signals, wait for the end, write copies back
 * @timeout_ms: TERM after it, KILL 5 s later; -1 none
 * Return: exit code as product.md's table has it (128+N for signals, 124 timed out), or -errno.
 */
int box_wait(struct box *b, int timeout_ms, struct err *e) MUST;

/**
 * env_build() - the command's environment under @pol from @envp
 * @proxy_port: 0: no proxy variables
 * Return: NULL-terminated array in @a, or NULL when memory is out.
 */
char **env_build(struct arena *a, const struct policy *pol, char *const *envp, uint16_t proxy_port);

/**
 * host_probe() - ask kernel and environment who and where we are; the only place that does
 * @cwd:     -C, or NULL
 * @project: --project, or NULL: the working directory, none where that is / or home
 */
int host_probe(struct host *out, const char *cwd, const char *project, char *const *envp, struct err *e) MUST;

/* Look @paths up and add their facts to @h. */
int host_look(struct host *h, const struct wordlist *paths, struct err *e) MUST;
