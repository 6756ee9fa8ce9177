/* risk.h - what about a policy deserves a second look, in words; pure */
#pragma once

#include "profiles/policy.h"

/* Append a line for each risk of @pol to @out, in @a. -ENOMEM. */
int risk_find(struct wordlist *out, struct arena *a, const struct policy *pol);
