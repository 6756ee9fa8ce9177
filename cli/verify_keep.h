/* verify_keep.h - the state before an audit, kept aside, and copies of it that confined runs may change */
#pragma once

#include "cli/copytree.h"
#include "profiles/policy.h"

/**
 * struct kept - one tree or file that a confined run may change
 * @path: canonical, on the host; @at: its copy; @work: where the copy for the present run lies
 * @there: it existed; else neither copy does
 */
struct kept {
	const char *path, *at, *work;
	bool there;
};

/**
 * struct keeper - zero is empty; keeper_drop() removes everything again
 * @dir: canonical directory that holds it all
 * @host: tells which places hold scratch files; set by who wants keeper_original()
 */
struct keeper {
	struct arena arena;
	const char *dir;
	struct copytree copy;
	struct { struct kept *items; size_t n; } roots;
	const struct host *host;
	struct map originals; /* path -> copy of what was there before it was changed */
};
void keeper_drop(struct keeper *k);

/* Is a signal pending that asks to stop? They are blocked while states are copied and confined runs are waited for. */
int keeper_stop(void);

/**
 * keeper_open() - make @dir, which is absent
 * @limit: bytes that copies may take; @store: a directory that no copy holds (where runs are kept), or NULL
 */
int keeper_open(struct keeper *k, const char *dir, uint64_t limit, const char *store, struct err *e) MUST;

/* Keep @path as it is. Sockets, devices and pipes are no state and are left out. As copytree_make() else. */
int keeper_add(struct keeper *k, const char *path, struct err *e) MUST;

/**
 * keeper_original() - keep @path, which is about to be changed, unless it lies in a kept tree or holds scratch files
 *
 * For the recorder's process; what it kept is known here after keeper_originals(). What cannot be kept is not.
 */
void keeper_original(void *keeper, const char *path);

/* After the audit: read which originals were kept. */
int keeper_originals(struct keeper *k, struct err *e) MUST;

/**
 * keeper_add_after() - keep @path as it was before the run that @absent (see absent_before()) tells of
 * @changed: what that run changed (see changes_recorded()); what of it had been there before, and is no original that
 *            was kept, is -ESTALE
 */
int keeper_add_after(struct keeper *k, const char *path, const struct map *absent, const struct changes *changed,
                     struct err *e) MUST;

/* Sources of @pol that a run under it may change, on the host, in @a: each canonical, once. -ENOMEM. */
int keeper_wants(struct wordlist *out, struct arena *a, const struct policy *pol);

/* The innermost kept tree that holds @path, or NULL. */
const struct kept *keeper_root(const struct keeper *k, const char *path);

/* Fresh copies of all that is kept, at kept.work; those of an earlier run go away. */
int keeper_work(struct keeper *k, struct err *e) MUST;

/* Let @pol's places show the work copies instead of what the host has. -ENOMEM. */
int keeper_redirect(const struct keeper *k, struct policy *pol);

/* What is in all roots: as kept (@work: in the work copies), under the host's names. */
int keeper_list(struct listing *out, const struct keeper *k, bool work, struct err *e) MUST;
/* Likewise what the host has now. */
int keeper_list_host(struct listing *out, const struct keeper *k, struct err *e) MUST;
