/* unseen.h - denied system calls that a recording cannot tell of; pure */
#pragma once

#include "profiles/policy.h"
#include "trace/recording.h"

/**
 * unseen_call() - why nobody knows whether the command of @r made the call that @deny denies
 *
 * Return: 0 and *@why, NULL where it is known: recorded by its name, or nothing recorded could be it; -ENOMEM.
 */
int unseen_call(const char **why, struct arena *a, const struct recording *r, const struct policy *pol,
                const struct word *deny);
