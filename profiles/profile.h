/* profile.h - what a person writes, as values in one arena; see snug-profile(5); pure */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;

/**
 * struct src - which line said it, for explain, reports and conflict messages
 * @origin: "builtin:base", "user:node", "repo:web", "system:x", "./p.yaml", "--allow-read", "--network"
 * @line:   1-based; 0 for flags and what the engine adds itself
 * @inlined:   said by a flag: wins over profiles for values and modes
 * @overrides: may lift a deny and loosen: a profile with override: true, or a flag under --override
 */
struct src {
	const char *origin;
	uint32_t line, col;
	bool inlined, overrides;
};

/* src.origin of lines that snug adds by itself, to protect what a later run relies on */
#define PROFILE_SNUG "snug"

enum bind_mode { BIND_RO, BIND_RW, BIND_COPY };
enum bind_create { CREATE_NO, CREATE_DIR, CREATE_FILE };
enum home_mode { HOME_UNSET, HOME_EMPTY, HOME_HOST, HOME_PERSIST };
enum net_mode { NET_UNSET, NET_NONE, NET_PROXY, NET_HOST }; /* more restrictive first */
enum project_mode { PROJECT_UNSET, PROJECT_RO, PROJECT_RW };
enum sys_action { ACT_UNSET, ACT_ERRNO, ACT_KILL, ACT_LOG };
enum tri { TRI_UNSET, TRI_NO, TRI_YES };

/*
 * Paths in a profile are raw bytes. "~", "~/..." and "{word}" as the first component are placeholders until
 * policy_resolve() expands them; everywhere else those characters stand for themselves. In files, paths are in the
 * form of base/esc.h (see profile_quote_path()). @target NULL: same path
 */
struct bind {
	const char *source, *target;
	enum bind_mode mode;
	enum bind_create create;
	bool optional;
	bool apart; /* never parsed: stands also where a bind around it seems to show the same, since it is mounted by itself */
	struct src src;
	const char *comment; /* written behind the line by profile_write(), "why"; NULL when parsed */
};

/* an entry of tmpfs, mask, deny.read, deny.write */
struct pathent {
	const char *path;
	bool optional;
	struct src src;
	const char *comment; /* as bind.comment */
};

/* a name, glob or host with its source */
struct word {
	const char *text;
	struct src src;
	const char *comment; /* as bind.comment */
};

struct envset {
	const char *name, *value;
	struct src src;
	const char *comment; /* as bind.comment */
};

struct bindlist { struct bind *items; size_t n; };
struct pathlist { struct pathent *items; size_t n; };
struct wordlist { struct word *items; size_t n; };
struct envlist { struct envset *items; size_t n; };

/* Append "user:node:12", or "--allow-read" where there is no line. */
void src_text(struct str *out, const struct src *s);
/* How strongly a line speaks: -1 the built-in base, 0 profiles, 1 with override, 2 flags. */
int src_class(const struct src *s);

/* A scalar that may be unsaid (src.origin NULL). */
#define SAID(type) struct { type v; struct src src; }

/**
 * struct profile - one profile, or several composed into one
 *
 * All strings live in @arena. "Said" scalars keep who said them. Lists keep order of appearance.
 * @shm, @tmp_size: bytes
 */
struct profile {
	struct arena arena;
	const char *origin; /* of every line, as given to profile_read(); NULL for composed ones */
	const char *name, *description;
	struct wordlist use;
	bool override;
	struct src override_src;
	SAID(enum project_mode) project;
	SAID(enum home_mode) home;
	const char *home_persist;
	struct bindlist binds;
	struct pathlist tmpfs, mask, deny_read, deny_write;
	struct wordlist env_allow, env_deny, prepend_path;
	struct envlist env_set;
	SAID(enum net_mode) network;
	struct wordlist allow_hosts, deny_hosts;
	bool has_allow_hosts; /* listed, even if empty: empty is none, not "no restriction" */
	struct src allow_hosts_src; /* of that list */
	SAID(enum sys_action) action;
	struct wordlist sys_deny, sys_allow;
	SAID(enum tri) proc, dev, userns, ptrace;
	SAID(enum tri) sys; /* "sys: ro" */
	SAID(uint64_t) shm, tmp_size;
	SAID(const char *) cwd;
	SAID(enum tri) clear_env;
	struct wordlist header;   /* comment lines on top of a written profile, without "# " */
	struct wordlist comments; /* commented grants: @text the item as it would stand in its list, without "- ";
	                             @src.origin the list's key ("binds", "env.allow"), NULL: end of the file; @comment why */
	struct wordlist warnings; /* things worth saying once: keys of another tool's format that have no use here */
	struct wordlist parts;    /* composed: the profiles it is made of, in order, as origins */
};

void profile_drop(struct profile *p);

/* Limits of one profile file; beyond them: error with line. */
enum { PROFILE_BYTES_MAX = 1 << 20, PROFILE_DEPTH_MAX = 16, PROFILE_ITEMS_MAX = 10000 };

/* Length of a known "{word}" at @s, as paths begin with, 0 if there is none. */
size_t key_placeholder_len(const char *s);

/**
 * profile_read() - parse one YAML document
 * @text, @len: bytes of the file; hostile
 * @file:   name used in messages and as default origin
 * @origin: what src.origin of every line becomes, copied ("user:node"); NULL: @file
 *
 * Strict: unknown or duplicate key, wrong type, alias or anchor, tag, second document, too deep, too long
 * and not-UTF-8 are "file:line:col: message" with the nearest known key. Keys of hozo's format load.
 * Return: 0; -EINVAL with @e filled; -ENOMEM. @out is empty on failure.
 */
int profile_read(struct profile *out, const char *text, size_t len, const char *file,
                 const char *origin, struct err *e) MUST;

/* Canonical YAML; read(write(p)) equals p. Appends to @out; of comments only control characters are changed. */
void profile_write(struct str *out, const struct profile *p);

/* A path as profile_write() writes it: a double-quoted scalar that profile_read() reads back as @path. */
void profile_quote_path(struct str *out, const char *path);
/* Likewise for any other text. */
void profile_quote_text(struct str *out, const char *text);

/* Same grants and texts, whatever the sources and comments? For round trips and `profile diff`. */
bool profile_equal(const struct profile *a, const struct profile *b);

/* Append the JSON Schema (2020-12) of a profile. */
void profile_schema(struct str *out);

/**
 * profile_merge() - compose @add into @into by product.md's rules
 * @inlined: @add holds command-line grants: they win over profiles for values and modes
 * @force:   --override: conflicts go to the later line, and flags may lift denies
 *
 * Lists are unions. Of scalars the strongest class of src_class() wins, in it the most restrictive value (for
 * cwd the last). A list of allow_hosts without a mode says proxy. env.set of base gives way to any other.
 * Strings are copied, @add may be dropped. Return: 0; -EINVAL naming both lines of a conflict.
 */
int profile_merge(struct profile *into, const struct profile *add, bool inlined, bool force,
                  struct err *e) MUST;
