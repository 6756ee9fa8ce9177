/* yaml_reader.h - what the parts of the profile reader share; private to profiles/; pure */
#pragma once

#include "profiles/keys.h"
#include "profiles/yaml_node.h"

struct reader {
	struct profile *p;
	const char *file, *origin;
	struct err *e;
};

/* "WHAT, not 'TEXT'" at @n. */
int reader_bad(const struct reader *r, const struct ynode *n, const char *what, const char *text);
int reader_memory(const struct reader *r);
/* "'KEY' wants WHAT, not a list" at @n. */
int reader_want(const struct reader *r, const struct ynode *n, const char *key, const char *what);
/* "a list", "a map", "a text", "nothing" */
const char *reader_kind(const struct ynode *n);
/* "key:" with nothing behind it: an empty list or map. */
bool reader_null(const struct ynode *n);
struct src reader_src(const struct reader *r, const struct ynode *n);

/* A text that is there: no list, no map, and not the nothing of "key:". */
int reader_text(const struct reader *r, const struct ynode *n, const char *key, const char **out) MUST;
/* The value of @kind that scalar @n says. */
int reader_word(const struct reader *r, const struct ynode *n, const char *key, enum key_kind kind, int *out) MUST;
/* A path's bytes in the arena; what a person may have hoped to be expanded is refused. */
int reader_path(const struct reader *r, const struct ynode *n, const char *key, const char **out) MUST;
/* Lists of every kind, and env.set, into their member. */
int reader_items(const struct reader *r, const struct key *k, const struct ynode *n) MUST;
int reader_envset(const struct reader *r, const struct key *k, const struct ynode *n) MUST;
int reader_profile_name(const struct reader *r, const struct ynode *n, const char *s) MUST;

int reader_unknown(const struct reader *r, const struct ynode *key, const char *const *known, size_t n,
                   const char *where);

/* One value of an item's map by its name; the rest is an error. */
struct field {
	const char *name;
	const struct ynode *value;
};
int reader_fields(const struct reader *r, const struct ynode *n, struct field *fields, size_t nfields) MUST;
