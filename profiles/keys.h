/* keys.h - the keys of profile.def as a table; private to profiles/; pure */
#pragma once

#include "profiles/profile.h"

enum key_kind {
	KIND_SCHEMA, KIND_NAME, KIND_TEXT, KIND_FLAG,
	KIND_PROFILES, KIND_ENVNAMES, KIND_HOSTS, KIND_SYSCALLS, KIND_DIRS, /* wordlist */
	KIND_PATHS, KIND_BINDS, KIND_ENVSET,
	KIND_PROJECT, KIND_HOME, KIND_NET, KIND_ACTION, KIND_TRI, KIND_SYS, /* SAID(enum) */
	KIND_SIZE, /* SAID(uint64_t) */
	KIND_CWD,  /* SAID(const char *) */
};

/**
 * struct key - one row
 * @section: "" for the top level
 * @at, @src: offsets in struct profile of the value and, for SAID() members, of its source (else 0)
 */
struct key {
	const char *section, *key;
	enum key_kind kind;
	size_t at, src;
	const char *doc;
};

extern const struct key profile_keys[];
extern const size_t nprofile_keys;

/* A word of an enumerated value. */
struct key_word {
	const char *word;
	int value;
};
/* The words of @kind, ended by a NULL word; NULL when it has none. First the most restrictive. */
const struct key_word *key_words(enum key_kind kind);

static inline void *key_at(const struct profile *p, size_t offset)
{
	return (char *)(uintptr_t)p + offset;
}

/* Text of the key as a person names it: "env.allow", "binds". */
const char *key_path(struct arena *a, const struct key *k);

struct str;
bool key_is_list(const struct key *k);
/* Item @i of list @k as canonical YAML, and its comment; false behind the last one. */
bool key_write_item(struct str *out, const struct profile *p, const struct key *k, size_t i, const char **comment);

/* The words that stand in braces at the start of a path; ends with NULL. */
extern const char *const key_placeholders[];

#define PROFILE_SCHEMA "snug-profile/v1"
