/* step.h - what happens between clone and execve, as an ordered table; private to enforce/ */
#pragma once

#include "base/err.h"
#include "base/fd.h"
#include "enforce/box.h"
#include "enforce/filter.h"
#include "profiles/policy.h"

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

enum { COPIES_MAX = 128 }; /* each travels as a descriptor in one message: SCM_MAX_FD is 253 */

/**
 * struct build - state of the half-built sandbox; lives in the child only
 * @uid, @gid: before the user namespace
 * @userns:  who-runs-it (a): namespaces come with a user namespace
 * @host:    the host's root, O_PATH, until the pivot
 * @root:    root of the view; @root_dev its device
 * @own:     devices of the tmpfs that belong to the view: the only places where a directory may be made
 * @from:    directory of the host that something was last bound from, and its path
 * @parent: directory of the view's own that something was last made in, and its path
 * @aside:   the tmpfs that the view's own directories are parts of, with what masks and stubs show; never visible as such
 * @spare:   the root has VIEW_SPARE
 * @dev:     the view's /dev, sealed at the end
 * @net_pid: process that makes network, ipc, uts and cgroup namespaces meanwhile; a byte on @net_answer says that @net_err
 *           is set, and @net_step where it was not the namespaces
 * @listener: the proxy's listening socket
 * @copies:  one per PLACE_COPY: descriptor of the private place it lies in
 * @stdio:   of 0 to 2 and those kept (handed_no()) what was opened anew, to bring the caller's position up to date afterwards
 * @rules:   Landlock's, with the rights and scopes they handle; empty where the host has it not
 * @pts:     devpts of the view, not attached yet; @master, @slave: the private terminal; @sigs: a signalfd for job_main()
 * @ctl:     to the supervisor: descriptors out, "go" in
 * @errs:    to the supervisor: struct failure; closes on exec
 */
struct build {
	const struct policy *pol;
	const struct box_opts *opts;
	uid_t uid;
	gid_t gid;
	bool userns, bound_root, spare;
	struct fd host, root, aside, dev;
	dev_t *own;
	size_t nown, naside;
	struct fd parent, from;
	char *parent_path, *from_path;
	struct filter filter, front; /* @front: of the watcher's program, filter_make_watched() */
	struct fd rules;
	uint64_t handled, scopes;
	struct fd listener, net_answer, net_pidfd;
	struct fd net_tell;
	int net_tell_no; /* the helper's copy of the same, when ours is closed */
	pid_t net_pid;
	int net_err;
	const char *net_step;
	uint16_t port;
	const struct copy *copy; /* one per PLACE_COPY, in order, made by the supervisor */
	struct fd stdio[HANDED_MAX];
	const struct pty *pty; /* a private terminal is wanted */
	struct fd pts, master, slave, sigs;
	bool report; /* the supervisor waits for struct ready */
	struct fd copies[COPIES_MAX];
	size_t ncopies;
	int ctl, errs;
	mode_t umask;
	sigset_t mask;      /* the command's */
	bool chld_ignored;  /* the command's */
	struct arena mem;   /* of what before_steps make */
	char **argv;        /* the command's, copied */
	char *title;        /* the argument area that ps shows */
	size_t title_len;
};

/**
 * struct failure - what a failed step sends up; plain data
 * @exec: the command's execve failed, e.code says why
 * @interp: it failed with ENOENT although the file is there
 */
struct failure {
	struct err e;
	int exec, interp;
};

/**
 * struct step - one thing done on the way
 * @takes:  what is gone afterwards
 * @leaves: what later steps rely on
 */
struct step {
	const char *name;
	int (*run)(struct build *b, struct err *e);
	const char *takes, *leaves;
};

/* In the supervisor, before there is a pid 1: what is made by reading the policy alone. */
extern const struct step before_steps[];
/* In pid 1, in this order; ends with a NULL name. */
extern const struct step box_steps[];
/* Then in the command's own process. */
extern const struct step command_steps[];

/* Run @steps; the first failure is wrapped with the step's name. */
int steps_run(const struct step *steps, struct build *b, struct err *e) MUST;

/* pid 1 after the steps: start the command, reap, leave with its status. Never returns. */
_Noreturn void init_main(struct build *b);

/* What pid 1 says to snug when it cannot learn how the command ended, and leaves with 125. */
enum { BOX_LOST = 'w' };
_Noreturn void init_lost(int ctl);

/* Exit code for the wait status of a command that has ended. */
int status_code(int status);

/*
 * Did a signal of this si_code come from outside the sandbox, and from a person or program? What the caller's terminal
 * sends to the group that pid 1 was started in comes once more, through snug.
 */
bool from_outside(int code, pid_t sender);

/* The value of a signal to pid 1 that is for the command's whole process group, as a terminal sends it. */
enum { FOR_GROUP = 1 };

/* @sig for the process group of @command. */
void tell_group(pid_t command, int sig);

int st_filter(struct build *b, struct err *e) MUST;
int st_title(struct build *b, struct err *e) MUST;
int st_userns(struct build *b, struct err *e) MUST;
int st_open_host(struct build *b, struct err *e) MUST;
/* Number of the @i-th descriptor that the command gets, -1 after the last: 0 to 2, then those of --keep-fd. */
int handed_no(const struct box_opts *o, size_t i);

/* Is one of them a file that st_stdio() will open anew? */
bool stdio_anew(const struct box_opts *o);
int st_stdio(struct build *b, struct err *e) MUST;
int st_pty(struct build *b, struct err *e) MUST;
int st_root(struct build *b, struct err *e) MUST;
int st_places(struct build *b, struct err *e) MUST;
int st_seal(struct build *b, struct err *e) MUST;
int st_pivot(struct build *b, struct err *e) MUST;
int st_cwd(struct build *b, struct err *e) MUST;
int st_net_begin(struct build *b, struct err *e) MUST;
/* Wait for the helper, which st_net() has killed. */
void st_net_end(struct build *b);
int st_net(struct build *b, struct err *e) MUST;
int st_names(struct build *b, struct err *e) MUST;
int st_report(struct build *b, struct err *e) MUST;
int st_caps(struct build *b, struct err *e) MUST;
int st_session(struct build *b, struct err *e) MUST;
int st_nnp(struct build *b, struct err *e) MUST;
int st_signals(struct build *b, struct err *e) MUST;
int st_rules(struct build *b, struct err *e) MUST;
int st_landlock(struct build *b, struct err *e) MUST;
int st_fds(struct build *b, struct err *e) MUST;
int st_seccomp(struct build *b, struct err *e) MUST;
int st_watch(struct build *b, struct err *e) MUST;

/**
 * struct ready - what st_report() sends, with the descriptors: the private terminal and the listener if any, those of stdio, one per copy
 */
struct ready {
	uint16_t port;
	uint16_t listener;
	uint16_t pty; /* the private terminal's outer side comes first */
	uint32_t stdio; /* bit N: descriptor handed_no(N) was opened anew */
};

/* Why namespaces that need no user namespace could not be made: the remedy, into @e. */
int spaces_refused(int err, struct err *e);

/* Is this inside a run of snug? Then -@err and the remedy in @e, else 0. */
int refused_nested(int err, struct err *e);

/* Why clone3 with @flags failed with @err: the host's setting and the remedy, into @e. */
int userns_refused(int err, const struct policy *pol, struct err *e);
