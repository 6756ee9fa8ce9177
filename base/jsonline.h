/* jsonline.h - one line of JSON as a flat list of values, parsed in place; every byte is hostile; pure */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_kind {
	JSON_NULL, JSON_FALSE, JSON_TRUE,
	JSON_WHOLE, /* a whole number that fits; @minus: below zero */
	JSON_BIG,   /* a whole number that does not */
	JSON_REAL,  /* any other number */
	JSON_TEXT, JSON_LIST, JSON_OBJECT
};

enum { JSONLINE_DEPTH = 8, JSONLINE_MEMBERS = 64 };

/**
 * struct json_value - one value
 * @key:  name of the member, @klen bytes; NULL in a list
 * @text: of JSON_TEXT: UTF-8 without its escapes, NUL-terminated; a \u0000 makes it shorter than @n
 * @n:    JSON_WHOLE: the number; JSON_TEXT: bytes; JSON_LIST, JSON_OBJECT: items in it
 * @end:  index behind the value and all that is in it; the next value of the same list or object
 */
struct json_value {
	enum json_kind kind;
	bool minus;
	uint32_t klen, end;
	const char *key, *text;
	uint64_t n;
};

/**
 * struct jsonline - zero is empty; reused from line to line
 * @items: values in the order of the text, the outermost first
 * @bad:   what is wrong, after -EINVAL
 */
struct jsonline {
	struct json_value *items;
	size_t n, cap;
	const char *bad, *at, *stop;
	uint32_t hint_of, hint;
};

void jsonline_drop(struct jsonline *j);

/**
 * jsonline_read() - parse @text[0..@len), which is changed in place and must outlive what is read from it
 *
 * Exactly JSON (RFC 8259), of valid UTF-8, nested at most JSONLINE_DEPTH deep, with at most JSONLINE_MEMBERS members
 * in an object, each name once, and no surrogate alone. Return: 0, -EINVAL, -ENOMEM.
 */
int jsonline_read(struct jsonline *j, char *text, size_t len);

/* Member @name of the object items[@of], NULL when absent. Quick when members are asked for in the order they stand. */
const struct json_value *jsonline_get(struct jsonline *j, uint32_t of, const char *name);
