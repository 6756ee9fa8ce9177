/* log.h - what -v prints; the level is snug's only static variable */
#pragma once

#include "base/base.h"

/* 0 silent, 1 -v, 2 -vv */
void log_set_level(int level);
int log_level(void);

/* One line "snug: ..." on stderr when the level is at least @level. Keeps errno. */
void log_line(int level, const char *fmt, ...) PRINTF(2, 3);
