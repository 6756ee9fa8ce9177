/* view.h - what stands at a path in the confined view, and outside; the judge's eyes; pure */
#pragma once

#include "profiles/policy.h"

#include <limits.h>

/**
 * struct sight - one name of a world
 * @place:   innermost place that covers it; NULL is the empty root, or the world outside
 * @type:    FT_NONE when nothing is there
 * @ro:      the mount it lies on is read-only
 * @top:     a mount is attached to exactly this name: it cannot be moved or removed
 * @own:     made by snug or by the command inside: mode bits are the caller's
 * @shown:   a host object of a bind, so that the recorded facts speak of it
 * @shut:    masked: mode 000
 * @lost:    what is written here is thrown away at the end
 * @fresh:   begins empty: what is there is what the command made
 * @leads:   a place below this directory, which was made for it and thus is not empty; else NULL
 * @nodev:   device nodes cannot be opened here
 * @mnt, @sub: identity of the mount: the place that makes it, and the host's mount below it
 */
struct sight {
	const struct place *place;
	enum file_type type;
	bool ro, top, own, shown, shut, lost, fresh, nodev;
	uint32_t mode, uid, gid;
	const struct place *leads, *mnt;
	const struct host_mount *sub;
};

/**
 * struct seen - how the walk to one object went
 * @err:  errno of the walk, 0 when the parent directory was reached
 * @at:   link, ".." directory or ancestor where it failed, if that is not the object; else NULL
 * @why:  static words for @err
 * @place: place where it failed
 * @free: reached through a descriptor, without names: nothing of the view applies
 * @path: canonical in this world; "" when it does not fit
 */
struct seen {
	int err;
	const char *at, *why;
	const struct place *place;
	bool free;
	struct sight dir, obj;
	char path[PATH_MAX];
};

struct world {
	const struct policy *pol;
	const struct host *h;
	const struct made *made;
	const struct access *a;
	bool inside, caps;
};

/* Walk to @w->a->obj[@i] in the view of @w->pol (inside) or as recorded (outside). */
void view_walk(struct seen *out, const struct world *w, int i);

/* ---- sight.c ---- */

/**
 * struct goal - what a walk heads for
 * @host:    in the host's words
 * @path:    inside
 * @facts:   recorded of it; of a link on the way only blocked
 * @missing: names at its end that did not exist outside
 */
struct goal {
	const char *host, *path;
	const struct object *facts;
	uint32_t missing;
	enum file_type type;
};

/* Is the place there at all? An optional source that is known to be absent is not. */
bool place_present(const struct place *p);
/* Does a bind show another path of the host? Then the recorded facts do not speak of what is below it. */
bool place_moved(const struct place *p);
/* The place at exactly @path[@len], if it is there. */
const struct place *sight_place(const struct policy *pol, const char *path, size_t len);
/* The object at the top of place @p, mounted over a name of @dir. */
struct sight sight_top(const struct world *w, const struct sight *dir, const struct place *p);

/**
 * sight_step() - the name @g->path[@len] in the directory @dir
 * @rest: components of the path behind it
 */
struct sight sight_step(const struct world *w, const struct sight *dir, const struct goal *g, size_t len,
                        uint32_t rest);

/* Take in what was recorded of @o, met at @path (its directory, if @parent), and the host's mount that lies here. */
void sight_facts(const struct world *w, struct sight *s, const struct object *o, const char *path, bool parent);
/* The innermost mount of the host that holds @path, or NULL. */
const struct host_mount *sight_mount(const struct host *h, const char *path);

/* May the caller do @want (4 read, 2 write, 1 search or execute) by the mode bits of @s? */
bool sight_may(const struct world *w, const struct sight *s, unsigned want);
/* Is the caller its owner (or allowed to act so)? */
bool sight_owns(const struct world *w, const struct sight *s);

/* What the command made at @path: FT_UNKNOWN nothing known, FT_NONE removed. */
enum file_type made_type(const struct made *m, const char *path, size_t len);
/* Did the command make something in @dir that is still there? @m may be NULL. */
bool made_entries(const struct made *m, const char *dir);

/* ---- links.c ---- */

/**
 * struct shift - what the host calls @from and below is met inside as @to and below
 * @pending: @from may still pass links itself
 */
struct shift {
	char from[PATH_MAX];
	const char *to;
	bool pending;
};

/* @host as met inside, in @buf (PATH_MAX bytes) where that is another path. */
const char *links_shift(char *buf, const struct shift *s, const char *host);
/* @out (PATH_MAX bytes) = clean dirname(@link)/@text plus @tail; false where that is too long. */
bool links_target(char *out, const char *link, const char *text, const char *tail);
/* Does @hop lead to what a descriptor holds? That last step of the walk needs no names. */
bool links_magic(const struct hop *hop, const struct object *o);
/* Does the link @o->hops[@i] lead to @o itself, so that it is the last name of what was asked for? */
bool links_last(const struct object *o, size_t i);
