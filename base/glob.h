/* glob.h - '*' and '?' against a whole name, for variables and hosts; pure, linear time */
#pragma once

#include <stdbool.h>

/* '*' any bytes, '?' one byte, everything else itself. */
bool glob_match(const char *pattern, const char *text);
