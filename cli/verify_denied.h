/* verify_denied.h - what a confined run asked for and did not get */
#pragma once

#include "cli/setup.h"
#include "learn/lesson.h"

/*
 * Take out of @rec what says nothing about the policy: hosts that could not be reached in @audit either, and objects
 * that the audit made (@absent), which the host shows and a run from the state before does not, and changes in places for scratch files, which are its own.
 */
void denied_not_before(struct recording *rec, const struct recording *audit, const struct map *absent);

/**
 * denied_why() - "{project}/x is denied (read: would be ENOENT), and 2 more", in @a
 * @rec: of the confined run; @pol, @profile: what it ran under, not strict
 *
 * Only what counts as a finding does: what would have worked on the host and is required. *@why is NULL where nothing is.
 */
int denied_why(const char **why, struct arena *a, struct recording *rec, const struct policy *pol,
               const struct profile *profile, struct err *e) MUST;

/* Leave in @rec only what @pol denies, so that it can be learnt from beside the audit's own recording. */
void denied_only(struct recording *rec, const struct policy *pol);
