/* relay_lookups.h - names on their way to and from the resolver, kept for seconds */
#pragma once

#include "base/fd.h"
#include "enforce/resolver.h"

#include <stdbool.h>

enum { LOOKUPS_MAX = 256, LOOKUP_KEEP_MS = 5000 };

/* @id: 0 free; @ready: @answer holds, until @until_ms */
struct lookup {
	char host[NAME_MAX_BYTES];
	uint32_t id;
	bool ready;
	uint64_t until_ms;
	struct resolve_answer answer;
};

struct lookups {
	struct fd sock; /* non-blocking; empty once the resolvers are gone */
	uint32_t last_id;
	struct lookup items[LOOKUPS_MAX];
};

/* The look-up of @host: ready, or asked for now or before. NULL: too many at once, or nobody to ask. */
const struct lookup *lookups_get(struct lookups *l, const char *host, uint64_t now_ms);
/* The next answer that came, or NULL; closes @sock when the resolvers are gone. */
const struct lookup *lookups_next(struct lookups *l, uint64_t now_ms);
