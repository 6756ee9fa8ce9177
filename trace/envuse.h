/* envuse.h - which environment variables show signs of use: by name in what was run, by value in what was used; pure */
#pragma once

#include "base/map.h"

#include <stdbool.h>
#include <stdint.h>

enum { ENV_VARS = 512, ENV_VALUE_MIN = 4, ENV_SCAN_MAX = 1 << 20 };

struct envvar {
	char *name;
	const char *value; /* borrowed from the environment */
	uint32_t proc;     /* image that showed the evidence, 0 none yet */
	bool by_value;     /* value is telling enough to be looked for */
	bool shared;       /* others have the same value: only the one named like the program counts */
};

/**
 * struct envuse - the user's variables; zero is empty
 */
struct envuse {
	struct envvar vars[ENV_VARS];
	size_t n;
	struct map by_name;
};

void envuse_drop(struct envuse *u);

/* Variables that every confined run gets anyway are left out. @env is borrowed. -ENOMEM. */
int envuse_open(struct envuse *u, const char *const *env);

/* Names read by @text: $NAME, ${NAME}, process.env.NAME, os.environ["NAME"], getenv("NAME") and the like. */
void envuse_scan(struct envuse *u, uint32_t proc, const char *text, size_t len);

/* Values that stand in a path (as its beginning), host or argument that @program (its path, or NULL) used. */
void envuse_path(struct envuse *u, uint32_t proc, const char *program, const char *path);
void envuse_word(struct envuse *u, uint32_t proc, const char *program, const char *word);
