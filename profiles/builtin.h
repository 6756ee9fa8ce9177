/* builtin.h - the shipped profiles, profiles/std/NAME.yaml as bytes and as the tree they make; pure */
#pragma once

#include "profiles/profile.h"

#include <stddef.h>
#include <stdint.h>

/**
 * struct builtin_node - a struct ynode without pointers, which would have to be relocated in every process
 * @text: offset into builtin.words
 * @n:    how many pairs follow; what they hold comes right behind, keys before values
 */
struct builtin_node {
	uint8_t kind, plain, flow;
	uint16_t text, n, line, col, end_line, end_col;
};

struct builtin {
	const char *name, *text;
	size_t len;
	const struct builtin_node *nodes;
	size_t nnodes;
	const char *words;
};

/* sorted by name; ends with a NULL name */
extern const struct builtin builtins[];

/* As profile_read() of its text, which was parsed when snug was built. */
int builtin_read(struct profile *out, const struct builtin *b, const char *origin, struct err *e) MUST;

/* NULL where there is none of that name. */
const struct builtin *builtin_named(const char *name);
