/* resolve.h - what the parts of the resolver share; private to profiles/; pure */
#pragma once

#include "profiles/policy.h"

struct placelist { struct place *items; size_t n; };

/**
 * struct resolver - one policy_resolve() at work
 * @based:   the built-in base is part
 * @rooted:  a bind shows the host's whole tree
 * @places:  grants first, guards later
 */
struct resolver {
	struct policy *pol;
	const struct profile *p;
	const struct host *h;
	bool strict, based, rooted;
	struct err *e;
	struct placelist places;
};

/**
 * struct spot - where a path leads on the host
 * @real:  canonical
 * @type:  of the final object; FT_UNKNOWN when no fact says
 * @link:  the last component itself is a symbolic link
 */
struct spot {
	const char *real;
	enum file_type type;
	bool link;
	const struct hop *hops;
	size_t nhops;
};

/* value_expand() - a variable's value: every known {word} replaced; as path_expand() */
int value_expand(const char **out, struct arena *a, const struct host *h, const char *text, const struct src *src,
                 struct err *e) MUST;

int resolve_memory(const struct resolver *r);
/* A line for explain. */
PRINTF(3, 4)
int resolve_note(const struct resolver *r, const struct src *src, const char *fmt, ...);
/* Trouble with a line: an error when strict, else a note. */
PRINTF(3, 4)
int resolve_trouble(const struct resolver *r, const struct src *src, const char *fmt, ...);
/* @path shortened for people. */
const char *resolve_show(const struct resolver *r, const char *path);
/* 0 and *@out NULL where an optional line, or any when not strict, names what has no value. */
int resolve_path(const struct resolver *r, const char **out, const char *text, const struct src *src, bool optional) MUST;

int spot_find(const struct resolver *r, struct spot *out, const char *path) MUST;

/* The grants of the profile, unordered, into @r->places. */
int grants_make(struct resolver *r) MUST;
/* Order, one place per path, what is shown twice left out; fills the policy's places and by_path. */
int grants_settle(struct resolver *r) MUST;
int place_push(struct resolver *r, const struct place *p) MUST;
/* The innermost place of the policy that shows @path or would (links do not), or NULL. */
const struct place *place_cover(const struct policy *pol, const char *path);
/* The host path that bind @b shows at @path, below its own; NULL when memory is out. */
const char *place_source(const struct resolver *r, const struct place *b, const char *path);
/* At the end: what is mounted inside a bind of the host needs a mount point there. */
int points_check(struct resolver *r) MUST;
/* Tree order: "/a", "/a/b", "/a-b". */
int path_order(const char *a, const char *b);

/* Masks and denies into the policy's bans; what they overrule is taken from @r->places. */
int bans_make(struct resolver *r) MUST;
/* Does @path (or @real, where its links lead) speak of the host's /proc, of which every run has its own? */
bool proc_bound(const char *path, const char *real);
/* A path in /proc that is of a process: each process has another there, and every run other processes. */
bool proc_of_process(const char *real);
/* Of which file system of the kernel is @path, a canonical one of the host? */
enum kernfs { KERNFS_NONE, KERNFS_PROC, KERNFS_KNOBS };
enum kernfs kernfs_at(const struct host *h, const char *path);
/* Hide or fence those that are mounted inside a bind; @n counts them up. */
int kernfs_guard(struct resolver *r, size_t *n) MUST;
/* After grants_settle(): masks, fences and pins, in order. */
int guards_make(struct resolver *r) MUST;
