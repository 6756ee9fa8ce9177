/* lesson.h - what learning yields: findings and a suggestion; the record report and cli read; pure */
#pragma once

#include "profiles/policy.h"
#include "trace/recording.h"

enum necessity { NEC_REQUIRED, NEC_CREATED, NEC_PROBE, NEC_FAILED_ANYWAY, NEC_SELF_CREATED, NEC_UNKNOWN };

/* Where a report lists it; the user's words are in report/. */
enum heading { HEAD_NEEDS, HEAD_LOST, HEAD_PROBE, HEAD_FAILED, HEAD_SELF, HEAD_GRANTED };

enum need_kind {
	NEED_READ, NEED_LIST, NEED_WRITE, NEED_CREATE, NEED_REMOVE, NEED_EXEC,
	NEED_SOCKET, NEED_HOST, NEED_LISTEN, NEED_SYSCALL, NEED_ENV
};

/**
 * struct finding - one object (after folding accesses to it), with its verdict
 * @what:    for people: "~/.npmrc", "example.org:443", "SSH_AUTH_SOCK", "io_uring_setup"
 * @path:    absolute path for files, else NULL
 * @who:     "left-pad@1.3.0 install: node install.js" or the chain's last program
 * @grant:   text of the suggested line that covers it, NULL where none does
 * @note:    marks in words: "did not use the proxy", "saved by rename; copy keeps it", the overruling line
 * @direct:  a connection by address, which avoids the proxy
 * @counts:  makes --check fail; @counts_all: makes --check=all fail
 * @stays:   what was made still exists when the command ends
 * @runs:    of @nruns merged recordings how many had it
 */
struct finding {
	enum need_kind kind;
	enum heading heading;
	enum necessity necessity;
	uint32_t runs;
	struct judgement judgement;
	const char *what, *path, *who, *grant, *note;
	uint32_t proc;
	int outcome;
	uint64_t count, seq;
	bool at_least, counts, counts_all, credential, direct, stays;
};

/* One line of the requested profiles and how often it was needed; for --show-granted and unused ones. */
struct grant_use {
	const struct src *src; /* borrowed from the policy */
	const char *text;
	uint64_t count;
};

/* A descriptor above 2 that the command was given at its start: a file. */
struct given_fd {
	uint32_t fd;
	const char *path;
};

/**
 * struct lesson - borrowed: recordings, policy and profile it was made from must outlive it
 * @findings:   sorted by heading, kind, what: same input, same bytes; heap memory where cap_findings is not 0
 * @nruns:      different recordings; the same one given twice counts once
 * @suggestion: the profile that covers the difference; suggests says whether it grants anything
 * @given: by number; what came from the first recording that had any
 * @network_none_by: a requested profile that says no network although hosts were contacted, or NULL
 */
struct lesson {
	struct arena arena;
	struct finding *findings;
	size_t nfindings, cap_findings;
	struct grant_use *uses;
	size_t nuses;
	struct profile suggestion;
	bool suggests;
	const struct src *network_none_by;
	bool needs_network;
	struct given_fd *given;
	size_t ngiven;
	const char **incomplete;
	size_t nincomplete;
	uint32_t nruns;
	int status;
};

void lesson_drop(struct lesson *l);

/**
 * lesson_make() - judge, fold and suggest
 * @runs, @n: one or more recordings; several merge as the union with N-of-M counts; order does not matter
 * @pol:      requested profiles resolved with the first recording's host, not strict
 * @base:     the composed requested profile (to name overruling lines), borrowed
 * @name:     of the suggested profile
 *
 * Linear in accesses. Return: 0; -ENOMEM; -EINVAL.
 */
int lesson_make(struct lesson *out, struct recording *const *runs, size_t n,
                const struct policy *pol, const struct profile *base, const char *name,
                struct err *e) MUST;
