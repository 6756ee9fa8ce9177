/* tiers.h - which paths a suggestion may name: forbidden, protected, guarded, and the app unit a path belongs to; pure */
#pragma once

#include "profiles/host.h"

/**
 * struct tiers - the lists of learning.md section 3, with this host's home and XDG directories filled in
 *
 * Built once per lesson; strings live in @arena. Paths are absolute and clean.
 */
struct tiers {
	struct arena arena;
	const struct host *host;
	struct map dirs;       /* path -> bits of enum dir_tier */
	struct {
		struct store { const char *path, *why; } *items;
		size_t n;
	} stores;              /* protected, sorted as in the table */
};

void tiers_drop(struct tiers *t);
/* -ENOMEM */
int tiers_make(struct tiers *out, const struct host *h);

/* @path was used: where it is in a store, all above that is forbidden, and a GnuPG home found so is one. -ENOMEM */
int tiers_used(struct tiers *t, const char *path);

/* A requested copy stands at @path: what is above it has to stay private. -ENOMEM. */
int tiers_copy(struct tiers *t, const char *path);

/* May never be bound as a directory. */
bool tier_forbidden(const struct tiers *t, const char *path);
/* A directory whose children are units of their own: ~/.config, ~/.cache, ~/.local/share ... */
bool tier_container(const struct tiers *t, const char *path);
/* Inside a user directory (~/Documents ...), or such a directory itself. */
bool tier_user_dir(const struct tiers *t, const char *path);
/* Granted by exact file; a directory costs three times as much. */
bool tier_guarded(const struct tiers *t, const char *path);
/* A plain (not dotted) child of home, or a user directory. */
bool tier_plain_child(const struct tiers *t, const char *path);

/**
 * tier_protected() - why @path may only be suggested as a comment, NULL when it may be suggested
 * @store: set to the credential store it belongs to (the path itself for a single file); may be NULL
 */
const char *tier_protected(const struct tiers *t, const char *path, const char **store);

/* Length of the prefix of @path that is its app unit in home (~/.name, ~/.config/X ...); 0: it has none. */
size_t tier_unit(const struct tiers *t, const char *path);
