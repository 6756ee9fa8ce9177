/* diff.h - the unified difference of two texts, line by line; pure */
#pragma once

#include "base/base.h"

#include <stddef.h>

struct str;

/**
 * diff_text() - append what turns @a into @b, with three lines of context, safe for a terminal
 * @name_a, @name_b: for the two header lines
 *
 * Return: 0 the same (nothing appended), 1 different, -ENOMEM. Where both have thousands of different lines, they
 * are shown as one block removed and one added.
 */
int diff_text(struct str *out, const char *a, size_t alen, const char *b, size_t blen, const char *name_a,
              const char *name_b);
