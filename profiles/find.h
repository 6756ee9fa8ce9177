/* find.h - from a name to a profile: search order, trust, composition with `use`; reads files, asks nothing else */
#pragma once

#include "profiles/host.h"
#include "profiles/profile.h"

#include <stdio.h>

enum find_purpose {
	FIND_READ,  /* audit, learn, report, explain: a checkout's profiles are taken as they are */
	FIND_APPLY, /* run, --verify, --shadow: a checkout's profile must be trusted */
};

/**
 * struct finder - where profiles are looked for
 * @host:    home, config dir, cwd and uid; borrowed
 * @purpose: whether trust matters
 * @diff:    where find_compose() shows how an untrusted profile has changed; NULL nowhere
 * @notes:   filled: "user:node shadows builtin:node", ... each once; strings in @arena
 */
struct finder {
	struct arena arena;
	const struct host *host;
	enum find_purpose purpose;
	FILE *diff;
	struct wordlist notes;
};
void finder_drop(struct finder *f);

/**
 * find_profile() - load one profile, without what it uses
 * @name: "node", "builtin:node", "user:node", "repo:node", "system:node", or a path (has '/' or ends in .yaml)
 *
 * Order: .snug/profiles/ from cwd up to the directory that holds .git, $XDG_CONFIG_HOME/snug/profiles/,
 * /etc/snug/profiles/, built in. Return: 0; -ENOENT with the nearest known names; -EACCES untrusted, @e says the
 * command to type and the diff goes to @diff if not NULL; -EINVAL bad file.
 */
int find_profile(struct profile *out, struct finder *f, const char *name, FILE *diff, struct err *e) MUST;

/**
 * find_text() - the profile as its author wrote it
 * @origin, @path: of the one found, in @f->arena; path NULL for a built-in
 *
 * As find_profile() with FIND_READ, which it must also pass.
 */
struct str;
int find_text(struct str *out, const char **origin, const char **path, struct finder *f, const char *name,
              struct err *e) MUST;

/**
 * find_compose() - base (unless @no_base), then @names in order, each after what it uses, then @grants inline
 * @grants: from the command line, or NULL
 * @force:  --override
 */
int find_compose(struct profile *out, struct finder *f, const struct wordlist *names,
                 const struct profile *grants, bool no_base, bool force, struct err *e) MUST;

/* One row of `snug profile list`. */
struct find_row {
	const char *name, *origin, *path, *description;
	bool shadowed, untrusted;
	const char *broken; /* message, when it does not load */
};
/* All profiles there are, sorted by name then search order; rows live in @f->arena. */
int find_list(struct finder *f, struct find_row **rows, size_t *n, struct err *e) MUST;

/**
 * find_trust() - store the SHA-256 of each profile of the checkout at @dir (default: cwd upward)
 * @out: says what was trusted. Return: number of files, -ENOENT when there are none.
 */
int find_trust(struct finder *f, const char *dir, FILE *out, struct err *e) MUST;
/* Keep a file that snug itself has just changed trusted, if it was. */
int find_retrust(struct finder *f, const char *path, const char *old_text, size_t old_len, struct err *e) MUST;
