/* lines.h - the lines of a suggestion as a set of which some may be left out; pure */
#pragma once

#include "profiles/profile.h"

/* Lines that grant something, numbered from 0 in an order of their own; fences and comments are none. */
size_t lines_count(const struct profile *p);

/* Leave out each line for which @keep is false. */
void lines_drop(struct profile *p, const bool *keep);

/* @out: @from without those; it has lists of its own and borrows all else. -ENOMEM. */
int lines_some(struct profile *out, const struct profile *from, const bool *keep) MUST;

/* What of line @i a finding's grant shows, as text in @a: a quoted path, a name, "special.userns". NULL: memory is out. */
const char *lines_mark(const struct profile *p, size_t i, struct arena *a);
