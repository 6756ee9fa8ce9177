/* recording.h - a recording as values: what trace leaves and learn reads; format in docs/formats/recording.md; pure */
#pragma once

#include "profiles/access.h"

#include "base/err.h"

#include <stdio.h>

enum outcome_source { OUT_UNKNOWN, OUT_OBSERVED, OUT_PREDICTED };

/**
 * struct proc - one program image: a process from one exec to the next
 * @id:     index + 1 in recording.procs, 0 is none
 * @parent: the image that forked it, or the image it replaced (then @replaces is set)
 * @argv:   redacted, NULL-terminated; first 64 words
 * @package, @script: npm_package_name@npm_package_version and npm_lifecycle_event where set
 */
struct proc {
	uint32_t id, parent;
	int32_t pid;
	bool replaces;
	const char *exe, *cwd;
	const char **argv;
	const char *package, *script;
};

/**
 * struct event - one member of the set (process, operation, object, outcome)
 * @seq:      order of first sight, 1-based
 * @first_ns: nanoseconds since the command started
 * @count:    times seen; at_least: not exact
 * @outcome:  0 or errno; EINPROGRESS is 0
 * @survives: a created or renamed-to object still exists when the command ends
 */
struct event {
	uint64_t seq, first_ns, count;
	uint32_t proc;
	bool at_least, survives;
	int outcome;
	enum outcome_source source;
	struct access acc;
};

/* Regular files directly in a directory before the run (what a directory grant would expose). */
struct dirfact {
	const char *path;
	uint32_t files, dirs;
	bool at_least;
};

/**
 * struct netfact - one destination of the proxy or a direct connect, summed
 * @outcome: 0 or errno of the dial
 */
struct netfact {
	const char *host;
	uint16_t port;
	bool bypass;
	uint64_t connections, sent, received;
	int outcome;
	uint32_t proc;
};

struct recording {
	struct arena arena;
	struct host host;
	const char *id;       /* run id, NULL for a bare file */
	const char **argv;    /* the command, redacted */
	size_t nargv;
	struct proc *procs;
	size_t nprocs;
	struct event *events; /* by seq */
	size_t nevents;
	size_t cap_events;    /* not 0: events is heap memory made by recording_add_event(), freed by drop */
	struct dirfact *dirs;
	size_t ndirs;
	struct netfact *nets;
	size_t nnets;
	const char **incomplete; /* reasons, sorted, unique; none: complete */
	size_t nincomplete;
	int status;              /* exit code as snug returns it (128+N for a signal); -1 not ended */
	bool ended;
};

void recording_drop(struct recording *r);

/*
 * Append a zeroed event. The array is heap memory that grows in place, so a big recording is held once; do not mix
 * with events from the arena. NULL when memory is out.
 */
struct event *recording_add_event(struct recording *r);

/* Add @why to the sorted, unique reasons (copied). -ENOMEM. */
int recording_add_incomplete(struct recording *r, const char *why);

/**
 * recording_read() - parse NDJSON; every byte is hostile
 *
 * Bounded in line length (1 MiB), depth and fields; a version this program does not know, or a first record
 * that is no host, is an error with "file:line: message". A file that stops in the middle of a line or
 * without its end record reads as far as it goes and is marked incomplete.
 */
int recording_read(struct recording *out, FILE *f, const char *name, struct err *e) MUST;

/**
 * recording_write() - the inverse: read(write(r)) == r
 *
 * An event that would not fit in a line is left out and counted as a reason for incomplete; argv of a process is
 * cut at 256 KiB. Return: 0; -EIO, -ENOSPC, -ENOMEM with @e.
 */
int recording_write(const struct recording *r, FILE *f, struct err *e) MUST;

/* Chain of programs that led to @proc: "npm install > sh -c ... > node install.js", into @out. */
struct str;
void recording_chain(const struct recording *r, uint32_t proc, struct str *out);
/* "left-pad@1.3.0 install: node install.js", or the program alone where no package is known; "" for none. */
void recording_who(const struct recording *r, uint32_t proc, struct str *out);
