/* task.h - what the recorder knows of each thread: identity, process, ids, working directory */
#pragma once

#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { TASK_SLOTS = 256, CREDS_GROUPS = 64 };

/* Ids that file permissions are judged by; @dac: CAP_DAC_OVERRIDE in the host's user namespace. */
struct creds {
	uint32_t uid, gid;
	uint32_t groups[CREDS_GROUPS];
	size_t ngroups;
	bool dac, search, admin, fowner;
	uint64_t caps; /* effective ones in the host's user namespace */
};

/**
 * struct group - one process (thread group)
 * @start:  start time in clock ticks; with @tgid an identity that survives the reuse of numbers
 * @proc:   its program image
 * @before: the image to go back to when a pending execve turns out to have failed, else 0
 * @exec_event: that execve's event, as eventset.last
 * @own:    it has executed a program itself; else it is a fork that shares its parent's image
 * @exe:    /proc/PID/exe when it was last read
 * @cwd:    cached; only while no thread is on its way to change it
 * @mover:  the thread whose chdir was let go and has not been heard of since
 */
struct group {
	pid_t tgid;
	uint64_t start;
	uint32_t proc, before;
	size_t exec_event;
	bool own;
	char *exe, *cwd;
	uint64_t cwd_epoch;
	pid_t mover;
};

/**
 * struct task - one thread that made a call
 * @dir:     /proc/TID; stays bound to that thread, so a reused number is noticed
 * @stale:   ids must be read again
 * @other_user: in a user namespace of its own, where the host's other ids do not exist
 */
struct task {
	pid_t tid;
	struct group *group;
	struct fd dir;
	uint64_t checked_ns;
	struct creds creds;
	bool stale, other_root, other_mnt, other_user;
	uint64_t root_epoch;
};

/**
 * struct tasks - threads seen lately, processes seen ever; zero is empty
 * @nslots:     in use of slots, less than TASK_SLOTS where few descriptors are allowed
 * @epoch:      counts what may move a cached directory
 * @purge_at:   number of known processes at which the dead ones are dropped
 * @quiet_ns:   until then directories are on the move: a call that was let go may not have happened yet
 * @vary_root:  somebody changed root or mount namespace: look each time
 * @as_host:    root and mounts of the tree are taken for the host's, whatever they are (watch.h)
 * @shared_fs:  two processes share a working directory: no caching
 */
struct tasks {
	struct task slots[TASK_SLOTS];
	size_t nslots;
	struct map groups;
	uint64_t epoch;
	uint64_t ns_mnt, ns_user;
	uint64_t quiet_ns;
	bool vary_root, shared_fs, as_host;
	size_t purge_at;
	pid_t self;
};

void tasks_drop(struct tasks *ts);
int tasks_open(struct tasks *ts, struct err *e) MUST;

/**
 * tasks_get() - the thread @tid
 * @now: nanoseconds, monotonic
 * Return: NULL when it is gone or hidden; errno says which.
 */
struct task *tasks_get(struct tasks *ts, pid_t tid, uint64_t now);

/* The process @tgid, made with its parents' image where it was never seen; NULL when it is gone. */
struct group *tasks_group(struct tasks *ts, pid_t tgid);
/* The process if it was seen and still is the same, else NULL. */
struct group *tasks_known(const struct tasks *ts, pid_t tgid);

/* Text of a link below /proc/TID, NUL-terminated. Return: length or -errno (-ENAMETOOLONG: longer than @size). */
ssize_t task_link(const struct task *t, const char *name, char *buf, size_t size) MUST;

/* Working directory as the link says; same return. */
ssize_t task_cwd(struct tasks *ts, struct task *t, char *buf, size_t size) MUST;

/* The recorder's own ids. -errno. */
int tasks_own_creds(struct tasks *ts, struct creds *out) MUST;

/* A notified call that changes later ones (enum call_after) by @t. */
void tasks_after(struct tasks *ts, struct task *t, int after);

/* Is process @pid a descendant of the recorder? */
bool tasks_in_tree(const struct tasks *ts, pid_t pid);
