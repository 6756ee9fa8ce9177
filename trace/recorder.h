/* recorder.h - the recorder process: holds the listener, answers every notified call, fills the recording */
#pragma once

#include "trace/decode.h"
#include "trace/envuse.h"
#include "trace/eventset.h"
#include "trace/launch.h"
#include "trace/redact.h"
#include "trace/sockports.h"
#include "trace/trace.h"

/* A pipe that the command was given as descriptor @fd. */
struct given_pipe {
	int fd;
	uint64_t ino;
};

/**
 * struct recorder - zero is empty
 * @status:  of the command, as waitpid(2) gives it; -1 while it runs
 * @last_ns: when the last notification came
 * @reasons: why the recording is incomplete, each once
 * @path, @pwd, @oldpwd: the user's variables of these names, or NULL
 */
struct recorder {
	const struct trace_opts *opts;
	const struct host *host;
	struct recording rec;
	struct eventset set;
	struct tasks tasks;
	struct resolver names;
	struct sysdefs defs;
	struct redactor secrets;
	struct decoder decoder;
	struct launch launch;
	struct sockports ports;
	struct envuse env;
	struct map reasons;
	struct given_pipe pipes[16];
	size_t npipes;
	const char *path, *pwd, *oldpwd;
	uint64_t start_ns, last_ns, kill_ns;
	int ctl, status;
	bool timed_out, foreign_said, failed;
};

void recorder_drop(struct recorder *r);

/**
 * recorder_open() - build the filter and start the command under it, up to its execve
 * @ctl: socket to the supervisor; a byte is a signal to forward, its end means to end everything
 */
int recorder_open(struct recorder *r, const struct host *host, const struct trace_opts *o, int ctl,
                  const struct sigstate *sig, struct err *e) MUST;

/* As recorder_open() for a command that is started elsewhere (watch.h): launch.listener is set later, launch.pid never. */
int recorder_attach(struct recorder *r, const struct host *host, const struct trace_opts *o, int ctl, struct err *e) MUST;

/* Let the command run and record until it has ended, and its daemons too or their time is over. */
int recorder_run(struct recorder *r, struct err *e) MUST;

/* Keep answering, recording nothing, until the last process of the tree is gone. */
void recorder_linger(struct recorder *r);

/*
 * Wait for one notification, answer it, record it. Return: 0; 1 there was none (a signal came, or its caller
 * died meanwhile); -errno: the listener is useless.
 */
int recorder_call(struct recorder *r);

/* A reason that makes the recording incomplete; said once. */
void recorder_reason(struct recorder *r, const char *fmt, ...) PRINTF(2, 3);

/* Say which mounts did not answer in time. */
void recorder_hangs(struct recorder *r);

/* Path of image @proc's program, or NULL. */
const char *recorder_exe(const struct recorder *r, uint32_t proc);

/* Look for signs of use of variables in the arguments and scripts of a program that was started as image @proc. */
void recorder_scan_program(struct recorder *r, uint32_t proc, const struct program *p);

/* Record the files behind descriptors above 2 that the command @t gets at its start, marked MARK_FD; remember pipes. */
void recorder_inherited(struct recorder *r, struct task *t, uint32_t proc, uint64_t now);

/* @by opens what may be one of those pipes by its name: then it is recorded as well. */
void recorder_given_pipe(struct recorder *r, uint32_t proc, const struct access *by, uint64_t now);

/* What can only be known at the end: survivors, listings, variables, the proxy's last rows. */
int recorder_finish(struct recorder *r, struct err *e) MUST;

/*
 * Where the execve of the first program could not be read (watch.h): an image for it, once it runs. @t makes its first
 * call, or is still snug's own process. Return: its image, or 0.
 */
uint32_t recorder_first(struct recorder *r, struct task *t);

/* The image @g runs now, or will once its execve is through. */
uint32_t recorder_image(struct recorder *r, struct task *t, const struct program *p);
uint64_t recorder_now(void);
