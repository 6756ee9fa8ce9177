/* audit.h - what is kept and told after a command was recorded: by an audit, and by run --denials */
#pragma once

#include "cli/runs.h"
#include "cli/shadow.h"
#include "cli/verify.h"

/**
 * struct audit - zero and options is a start
 * @root:   of the store, NULL where nothing is kept
 * @refused: why run would not start under this request, as it was before the command; NULL where it would
 * @failed: an output could not be written after the command had run
 */
struct audit {
	struct cli_opts *o;
	struct arena arena;
	struct setup setup;
	struct run run;
	const char *root;
	struct record rec;
	struct lesson lesson;
	struct verify verify;
	struct proof proof;
	struct shadow shadow;
	const char *refused;
	bool failed;
};
void audit_drop(struct audit *a);

/* A directory for this run, unless none is to be kept. One that cannot be made costs the record, not the audit. */
void audit_open(struct audit *a);

/* Nothing ran: nothing to keep. */
void audit_forget(struct audit *a);

/*
 * The command has run: keep its recording, learn, verify where that was asked for, tell. Its status is kept whatever else
 * fails. Return: exit code, or -errno where nothing could be learnt.
 */
int audit_after(struct audit *a, struct err *e) MUST;
