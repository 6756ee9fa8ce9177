/* view.h - what stands at a path in the confined view, and outside; the judge's eyes; pure */
#pragma once

#include "profiles/policy.h"

#include <limits.h>

/**
 * struct spot - one name of a world
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
struct spot {
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
	struct spot dir, obj;
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

/* Is the place there at all? An optional source that is known to be absent is not. */
bool place_present(const struct place *p);

/* May the caller do @want (4 read, 2 write, 1 search or execute) by the mode bits of @s? */
bool view_may(const struct world *w, const struct spot *s, unsigned want);
/* Is the caller its owner (or allowed to act so)? */
bool view_owns(const struct world *w, const struct spot *s);

/* What the command made at @path: FT_UNKNOWN nothing known, FT_NONE removed. */
enum file_type made_type(const struct made *m, const char *path, size_t len);
/* Did the command make something in @dir that is still there? @m may be NULL. */
bool made_entries(const struct made *m, const char *dir);
