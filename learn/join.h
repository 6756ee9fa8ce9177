/* join.h - temporary files and dated logs of one granted directory are one finding; pure */
#pragma once

#include "learn/fold.h"
#include "learn/lesson.h"

/**
 * join_made() - findings that names which change from run to run were created or removed, below a directory that a
 * suggested line makes writable, become one finding about that directory
 *
 * The line to be added, and what a person has to decide, do not change with them. Return: 0; -ENOMEM.
 */
int join_made(struct lesson *l, const struct rules *rules, const struct objects *o,
              const struct host *h);
