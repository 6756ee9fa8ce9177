/* places.h - the directories profiles are looked for in, and their files as bytes; private to profiles/ */
#pragma once

#include "profiles/find.h"

#include "base/str.h"

/* Where a profile came from; in search order. */
enum origin { ORIGIN_REPO, ORIGIN_USER, ORIGIN_SYSTEM, ORIGIN_BUILTIN, ORIGIN_FILE, ORIGIN_COUNT };
const char *origin_word(enum origin o);

/* One directory that may hold NAME.yaml. */
struct profdir {
	enum origin origin;
	const char *path;
};
/* @foreign: "DIR is not yours": a directory of the checkout that was passed over, and why; or NULL */
struct profdirs { struct profdir *items; size_t n; const char *foreign; };

/**
 * profdirs_find() - existing profile directories of @start (a working directory) in search order
 *
 * A checkout is the nearest directory upward that holds .git; it counts when the user owns it. Without one only
 * @start itself counts. Return: 0 or -ENOMEM.
 */
int profdirs_find(struct profdirs *out, struct finder *f, const char *start, struct err *e) MUST;

/* NAME.yaml files of @dir as names, sorted. Unreadable: none. */
int profdir_names(struct wordlist *out, struct arena *a, const struct profdir *dir, struct err *e) MUST;

/**
 * proffile_read() - the bytes of a profile, at most one more than PROFILE_BYTES_MAX
 * @follow: a symbolic link as last component is followed
 *
 * Regular files only. Return: 0; -ENOENT without @e; -errno with @e.
 */
int proffile_read(struct str *out, const char *path, bool follow, struct err *e) MUST;

/* Is @name one a profile may have? */
bool profname_ok(const char *name);

/* @known: there is a record for the path; @same: of these bytes */
struct trust_state { bool known, same; };

/**
 * trust_check() - is @text at @path what the user trusted?
 * @old: filled with the text that was trusted when it is known; may be NULL
 */
int trust_check(struct trust_state *out, struct finder *f, const char *path, const struct str *text, struct str *old,
                struct err *e) MUST;
int trust_store(struct finder *f, const char *path, const struct str *text, struct err *e) MUST;
