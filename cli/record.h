/* record.h - run a command and record it, as audit and trace do */
#pragma once

#include "cli/offer.h"
#include "cli/opts.h"
#include "trace/recording.h"

/**
 * struct record - zero is empty
 * @exec_err:  errno of a failed execve: nothing ran
 * @timed_out: --timeout ended the command
 * @cwd:       where the command starts, given before record_run(); NULL: where it was asked to
 * @before_change, @change_arg: as in struct trace_opts, given before record_run()
 */
struct record {
	struct offer offer;
	struct recording rec;
	int exec_err;
	bool timed_out;
	const char *cwd;
	void (*before_change)(void *arg, const char *path);
	void *change_arg;
};
void record_drop(struct record *r);

/* Offer a proxy unless --network-trace says otherwise, run and record. -errno: nothing ran, remedy in @e. */
int record_run(struct record *out, const struct cli_opts *o, struct host *h, struct err *e) MUST;

/* --network-trace=off: what the command did on the network is not kept. */
void record_forget_network(struct recording *r);

/* The command has ended: signals that were meant for it end nothing any more. */
void record_over(void);

/* Says why the command could not be executed. Return: 126 or 127. */
int record_no_command(const struct record *r, const struct cli_opts *o);

/* The recording as bytes, to be freed. */
int record_bytes(const struct recording *rec, char **text, size_t *len, struct err *e) MUST;

/* "snug: MESSAGE" on standard error. */
void record_warn(const struct err *e);
