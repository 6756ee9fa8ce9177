/* builtin.h - the shipped profiles, profiles/std/NAME.yaml as bytes; pure */
#pragma once

#include <stddef.h>

struct builtin {
	const char *name, *text;
	size_t len;
};

/* sorted by name; ends with a NULL name */
extern const struct builtin builtins[];
