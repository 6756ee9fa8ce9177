/* facts.h - from accesses to what was needed of each object: replay of each run against the requested policy; pure */
#pragma once

#include "learn/findings.h"
#include "learn/objects.h"
#include "learn/tiers.h"
#include "learn/uses.h"

/* A rename or link from node @a to node @b. */
struct pair {
	uint32_t a, b;
};

/* A symbolic link passed as hop @at of @o, the object it led to in the end. */
struct passed {
	const char *link, *text, *path;
	const struct object *o;
	size_t at;
	bool granted; /* the object itself is: only links are missing */
};

/**
 * struct facts - the union over runs
 * @objects:  with what was done to each, outside what is granted already
 * @pairs:    renames and links whose new name survives or was there before
 * @links:    symbolic links passed on the way to a needed object
 * @given:    descriptors that the command was given at its start
 * @prepend:  directories of programs that were found through PATH, which the confined PATH lacks
 */
struct facts {
	struct arena *arena; /* the lesson's */
	const struct policy *pol;
	struct tiers *tiers;
	struct objects objects;
	struct findings found;
	struct { struct pair *items; size_t n, cap; } pairs;
	struct { struct passed *items; size_t n, cap; } links;
	struct { const char **items; size_t n, cap; } prepend;
	struct { struct given_fd *items; size_t n, cap; } given;
	struct hits hits;
	uint32_t nruns;
	bool userns; /* a process made a user namespace, and has capabilities in that */
};

/* made_apply(), and what a program that survives a rename across mounts has done after it: copied and removed. */
int facts_apply(struct made *made, const struct policy *pol, const struct recording *r, const struct event *ev,
                const struct judgement *j);
/* Is it a rename or link across mounts whose program copies then, which works? */
bool facts_copied(const struct recording *r, const struct policy *pol, const struct made *made, const struct event *ev,
                  const struct judgement *j);

void facts_drop(struct facts *f);
/* Run number @run (from 0, in the canonical order). -ENOMEM. */
int facts_add_run(struct facts *f, const struct recording *r, uint32_t run);

/* Asked whether it may write what it sees: "no" is an answer, and whoever asks lives with it. */
bool access_asks_only(const struct recording *r, const struct event *ev, const struct judgement *j);
/* Was its program told to ask whether this file may be written, as test -w is? Then the answer is what it is for. */
bool access_told_to_write(const struct recording *r, const struct event *ev);
/* How a row names the object of an access that is no file: "example.org:443", "mount", "socket AF_VSOCK". In @a. */
const char *access_name(struct arena *a, const struct access *acc);
/* Note a descriptor that the command was given. -ENOMEM. */
int facts_given(struct facts *f, const struct access *a);

/* Part of NEC_REQUIRED that depends on the outcome alone. */
enum necessity outcome_necessity(const struct event *ev);
/* "user:node:12", "--deny-read"; "snug itself" where no line says it. In @a. */
const char *line_text(struct arena *a, const struct src *s);
