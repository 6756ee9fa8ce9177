/* box.h - start a command inside a policy and wait for it */
#pragma once

#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "enforce/pty.h"
#include "profiles/policy.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct sock_fprog;

enum { HANDED_MAX = 32 }; /* descriptors that the command gets, 0 to 2 included */

/**
 * struct box_opts - how to start
 * @argv:    NULL-terminated, borrowed
 * @env:     the command's whole environment, NULL-terminated (see env_build())
 * @keep_fd: descriptors above 2 that stay open, ascending, at most HANDED_MAX - 3
 * @proxy_port: in network mode proxy: the loopback port to listen on inside, 0 for BOX_PROXY_PORT; the
 *           listener comes back in box.proxy
 * @best_effort: do without what box_lacks() names
 * @area:    where the kernel put the caller's arguments, @area_len bytes: wiped in the sandbox's pid 1; NULL: looked up
 * @watch:   a program for seccomp(2) that the command's process installs with a listener, which it hands over on the
 *           SOCK_SEQPACKET socket @watch_fd as one byte 'n'; somebody must answer there before the execve. NULL: none
 * @hold:    build everything, then wait for box_go() before the command is executed; network mode proxy always does
 */
struct box_opts {
	char *const *argv;
	char *const *env;
	const int *keep_fd;
	size_t nkeep_fd;
	uint16_t proxy_port;
	char *area;
	size_t area_len;
	const struct sock_fprog *watch;
	int watch_fd;
	bool hold, best_effort;
};

/* Below 1024, so that it is no port the command could have wanted for itself. */
enum { BOX_PROXY_PORT = 998 };

/**
 * struct box - a running command; zero is empty; box_drop() kills and reaps whatever is left
 * @init:  pid 1 of the sandbox as seen here
 * @proxy: TCP listener inside the sandbox's network namespace (mode proxy), for relay_start()
 * @exec_err: errno of a failed execve, else 0; @exec_interp: the file is there, its interpreter is not
 * @notes: after box_wait(): one line for each copy that was not written back
 * @unwritten: how many copies that were
 * @mounts: after box_wait(): the view's mount table, for box_lost()
 */
struct box {
	pid_t init;
	struct fd pidfd, proxy, ctl, errs;
	uint16_t proxy_port;
	int exec_err;
	bool exec_interp;
	struct str notes;
	size_t unwritten;
	struct fd mounts;
	/* private */
	struct copy *copies;
	size_t ncopies;
	struct fd stdio[HANDED_MAX]; /* what was opened anew, to bring the caller's position up to date; @stdio_no: of which */
	int stdio_no[HANDED_MAX];
	struct pty *pty; /* a terminal is handed over, and the command gets a private one for it */
	sigset_t mask; /* the caller's, put back by box_drop() */
	bool masked;
	bool lost; /* pid 1 said that it cannot wait for the command */
};

void box_drop(struct box *b);

/**
 * box_start() - build the view of @pol in new namespaces and start @opts->argv in it
 * @pol, @opts: borrowed until box_start() or, where it holds, box_go() returns
 *
 * Signals that box_wait() forwards are blocked from here until box_drop().
 *
 * Return: 0 when execve has succeeded or failed with box.exec_err, or when the box holds; else -errno with the step and
 * the remedy in @e. Never a run without a layer.
 * Needs: a single-threaded caller, /proc mounted. Linux >= 5.12. Leaves: nothing on failure.
 * See: clone3(2), mount_setattr(2), pivot_root(2), user_namespaces(7).
 */
int box_start(struct box *out, const struct policy *pol, const struct box_opts *opts, struct err *e) MUST;

/* What a run of @pol on this host has to do without, in words with the remedy; NULL nothing. box_start() refuses then. */
const char *box_lacks(const struct policy *pol);

/* Let a box that holds execute its command. Return: as box_start(). */
int box_go(struct box *b, struct err *e) MUST;

/**
 * box_wait() - forward signals, wait for the end, write copies back
 * @timeout_ms: TERM after it, KILL 5 s later; -1 none
 *
 * Return: exit code as product.md's table has it (128+N for signals, 124 timed out, 126/127 after exec_err), or -errno.
 */
int box_wait(struct box *b, int timeout_ms, struct err *e) MUST;

/*
 * After box_wait(): which masks and fences of @pol are gone since what they were mounted on was replaced on the host, a
 * line of @notes each. Return: how many.
 */
size_t box_lost(const struct box *b, const struct policy *pol, struct str *notes);

/**
 * env_build() - the command's environment under @pol from @envp
 * @proxy_port: 0: no proxy variables
 *
 * Return: NULL-terminated array in @a, or NULL when memory is out.
 */
char **env_build(struct arena *a, const struct policy *pol, char *const *envp, uint16_t proxy_port);

/* Value of @name in @envp, or NULL. */
const char *env_get(char *const *envp, const char *name);

/**
 * host_probe() - ask kernel and environment who and where we are; the only place that does
 * @cwd:     -C, or NULL
 * @project: --project, or NULL: the working directory, none where that is or holds home
 */
int host_probe(struct host *out, const char *cwd, const char *project, char *const *envp, struct err *e) MUST;

/* Is @path the user's home, by HOME or by /etc/passwd, or a directory above it? */
bool host_holds_home(const struct host *h, const char *path);

/* As host_probe() without the mount table: what is mounted inside of a grant is as the grant then. */
int host_probe_self(struct host *out, const char *cwd, const char *project, char *const *envp, struct err *e) MUST;

/* Read the mount table into @h; host_probe() does it. */
int host_mounts(struct host *h, struct err *e) MUST;

/* Look @paths up and add their facts to @h. */
int host_look(struct host *h, const struct wordlist *paths, struct err *e) MUST;
