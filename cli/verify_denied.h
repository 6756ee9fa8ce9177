/* verify_denied.h - what a confined run asked for and did not get */
#pragma once

#include "cli/setup.h"
#include "learn/lesson.h"

/* Take hosts out of @rec that could not be reached in @audit either: refused confined, they are no worse than before. */
void denied_not_before(struct recording *rec, const struct recording *audit);

/**
 * denied_why() - "{project}/x is denied (read: would be ENOENT), and 2 more", in @a
 * @rec: of the confined run; @pol, @profile: what it ran under, not strict
 *
 * Only what counts as a finding does: what would have worked on the host and is required. *@why is NULL where nothing is.
 */
int denied_why(const char **why, struct arena *a, struct recording *rec, const struct policy *pol,
               const struct profile *profile, struct err *e) MUST;

/*
 * Leave in @rec only what @pol denies and what had been there before the audit that @absent tells of, so that it can be
 * learnt from beside the audit's own recording.
 */
void denied_only(struct recording *rec, const struct policy *pol, const struct map *absent);
