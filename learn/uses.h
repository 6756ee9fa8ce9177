/* uses.h - how often each line of the requested profiles was needed; pure */
#pragma once

#include "learn/lesson.h"

/**
 * uses_make() - one row per granting line: binds, empty directories, hosts, variables, system calls, PATH directories
 *
 * Lines of base appear only when they were used. Fills lesson.uses from its findings. -ENOMEM.
 */
int uses_make(struct lesson *l, const struct profile *base);
