/* shadow_tops.h - which directories of the host are shown through an overlay; part of shadow.c */
#pragma once

#include "cli/shadow.h"

/* Fill s->tops for s->asked, whose mounts are known: without layers yet, none inside another. */
int shadow_find_tops(struct shadow *s, struct err *e) MUST;

/* The one at @path, @len bytes, or NULL. */
struct shadow_top *shadow_top_at(const struct shadow *s, const char *path, size_t len);

/*
 * The overlay that shows @path, or NULL: the innermost of overlays, mounts of the host and private places decides.
 * @itself: an overlay at @path counts, too.
 */
const struct shadow_top *shadow_covering(const struct shadow *s, const struct host *h, const char *path, bool itself);
