/* yaml_node.h - one YAML document as a small tree, refused where it is more than a profile may be; pure */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum ykind { Y_SCALAR, Y_LIST, Y_MAP };

struct ypair;

/**
 * struct ynode - a node and where it starts
 * @text:  of a scalar, NUL-terminated, holds no NUL
 * @plain: a scalar without quotes
 * @items: of a list (key NULL) or map
 * @flow:  a list or map written with brackets or braces
 * @line, @col: 1-based; columns count characters
 * @end_line, @end_col: behind the last byte of a scalar or of something in brackets; of a list or map in lines, where
 *         the parser noticed its end
 */
struct ynode {
	enum ykind kind;
	bool plain, flow;
	uint32_t line, col, end_line, end_col;
	const char *text;
	struct ypair *items;
	size_t n;
};

struct ypair {
	struct ynode *key, *value;
};

/**
 * ynode_read() - parse @text into a tree in @a
 *
 * Refuses, as "file:line:col: message": more than PROFILE_BYTES_MAX bytes, PROFILE_DEPTH_MAX levels or
 * PROFILE_ITEMS_MAX nodes, what is not UTF-8, NUL, anchors, aliases, tags, merge keys, duplicate keys, keys
 * that are no scalars, no or a second document. Types are not guessed: a scalar is its text.
 */
int ynode_read(struct ynode **root, struct arena *a, const char *text, size_t len, const char *file,
               struct err *e) MUST;

struct builtin_node;

/* The tree that a built-in profile was read into while snug was built; its texts stay in @words. NULL: out of memory. */
struct ynode *ynode_built(struct arena *a, const struct builtin_node *nodes, size_t n, const char *words);

/* An EINVAL "file:line:col: ..." at @n. */
PRINTF(4, 5)
int ynode_bad(struct err *e, const char *file, const struct ynode *n, const char *fmt, ...);

/* At most 40 bytes of @text, safe for a terminal, in @a. */
const char *ynode_show(struct arena *a, const char *text);
