/* knobs.h - a build for tests alone (-DSNUG_TEST_KNOBS) can leave out one layer, to show which checks notice */
#pragma once

#include <stdbool.h>

#ifdef SNUG_TEST_KNOBS
#include <stdlib.h>
#include <string.h>

/* SNUG_TEST_LEAVE_OUT is "step:NAME" (enforce/step.c) or "filter:GROUP" (profiles/sysgroup.c). */
static inline bool knob_out(const char *kind, const char *name)
{
	const char *v = getenv("SNUG_TEST_LEAVE_OUT");
	size_t n = strlen(kind);
	return v && !strncmp(v, kind, n) && v[n] == ':' && !strcmp(v + n + 1, name);
}
#else
#define knob_out(kind, name) false
#endif
