/* shape.h - names that change from run to run, told by their form; pure */
#pragma once

#include "base/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum shape {
	SHAPE_PLAIN,
	SHAPE_VERSION, /* "\d+.\d+": changes with the next release, not with the next run */
	SHAPE_HASH,    /* delimited hex of 16 or more with digit and letter, UUID: certain, also for names only read */
	SHAPE_TIME,    /* date and time, or epoch near the run */
	SHAPE_PID,     /* holds the writer's pid or an ancestor's */
	SHAPE_RANDOM,  /* made as mk*temp makes it, with a random-looking last token */
};

/**
 * struct shape_hints - how a name came to be
 * @created:   the run made, removed or renamed it; without it only SHAPE_HASH is told
 * @temp_like: made with O_EXCL or mkdir of mode 0700: what mkstemp(3) and mkdtemp(3) do
 * @pids:      of the writer and its ancestors
 * @now_s:     seconds since the epoch around which a number is a time; 0 unknown
 */
struct shape_hints {
	bool created, temp_like;
	const int32_t *pids;
	size_t npids;
	uint64_t now_s;
};

enum shape shape_of(const char *name, const struct shape_hints *h);
static inline bool shape_volatile(enum shape s) { return s > SHAPE_VERSION; }

/* Does the last token look drawn at random? Needs evidence of mk*temp beside it: D3DSCache does too. */
bool shape_random_token(const char *name);
/* A lock by its name: *.lock .#lk* *.pid LOCK */
bool shape_lock(const char *name);
