/* landlock.h - Landlock's calls and what each of its versions can do; private to enforce/ */
#pragma once

#include "base/err.h"
#include "base/fd.h"
#include "profiles/policy.h"

#include <stdbool.h>
#include <stdint.h>

/* Version of this kernel's Landlock, landlock(7); 0 none, errno says why. */
int landlock_abi(void);

/* Every right over files that version @abi has. Rights that it has not are allowed by it, unseen. */
uint64_t landlock_rights(int abi);

/* What keeps signals (6.12) and abstract sockets inside, as far as version @abi has it. */
uint64_t landlock_scopes(int abi);

/* A ruleset that handles @rights and @scopes and grants nothing yet. Return: 0, -errno without @e set. */
int landlock_make(struct fd *out, uint64_t rights, uint64_t scopes) MUST;

/* Grant @rights at and below the object @at. Return: 0, -errno; -EBADFD where it has no name to be opened by (a pipe). */
int landlock_allow(int rules, int at, uint64_t rights) MUST;

int landlock_restrict(int rules) MUST;

/**
 * landlock_lacks() - what of this layer version @abi (landlock_abi(), and its errno @why) cannot keep for @pol
 *
 * Return: NULL nothing; else words, with the remedy where there is one.
 */
const char *landlock_lacks(const struct policy *pol, int abi, int why);
