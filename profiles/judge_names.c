/* judge_names.c - names made, removed and moved: the kernel's checks, in the kernel's order */
#include "profiles/judge_rule.h"

#include "base/path.h"

#include <errno.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/stat.h>

/* As in judge_file.c: what fails first is answered first. */

static const struct reply fine = { 0 };

/* vfs level of making a name in @dir: filename_create() has looked it up already */
static struct reply make_name(const struct call *c, int i, bool dir_ok)
{
	const struct seen *s = &c->seen[i];
	bool there = s->obj.type != FT_NONE;
	if (!RULE(EXISTS_FIRST, true) && s->dir.ro)
		return no(EROFS, &s->dir, "read-only");
	if (there)
		return no(EEXIST, &s->obj, "exists");
	if (slash(c) && !dir_ok)
		return no(ENOENT, &s->obj, "not there");
	return writable_mount(&s->dir);
}

struct reply rule_mkdir(const struct call *c)
{
	struct reply r = make_name(c, 0, true);
	return r.err ? r : may(c, &c->seen[0].dir, 3);
}

struct reply rule_symlink(const struct call *c)
{
	struct reply r = make_name(c, 0, false);
	return r.err ? r : may(c, &c->seen[0].dir, 3);
}

struct reply rule_mknod(const struct call *c)
{
	uint32_t type = c->w.a->flags & S_IFMT;
	if (type == S_IFDIR)
		return no(EPERM, NULL, "not for directories");
	struct reply r = make_name(c, 0, false);
	if (!r.err)
		r = may(c, &c->seen[0].dir, 3);
	if (!r.err && (type == S_IFCHR || type == S_IFBLK) && !c->w.caps)
		return no(EPERM, NULL, "no capabilities");
	return r;
}

/* bind(2) of a unix socket: the name is made as by mknod, EEXIST is told as EADDRINUSE */
struct reply rule_bind(const struct call *c)
{
	struct reply r = make_name(c, 0, false);
	if (r.err == EEXIST)
		r.err = EADDRINUSE;
	return r.err ? r : may(c, &c->seen[0].dir, 3);
}

/* may_delete(): write permission, sticky bit, type */
static struct reply may_delete(const struct call *c, int i, bool as_dir)
{
	const struct seen *s = &c->seen[i];
	struct reply r = may(c, &s->dir, 3);
	if (r.err)
		return r;
	if (s->dir.mode & S_ISVTX && !s->dir.own && !sight_owns(&c->w, &s->dir) && !sight_owns(&c->w, &s->obj))
		return no(EPERM, &s->dir, "sticky directory");
	if (as_dir && s->obj.type != FT_DIR)
		return no(ENOTDIR, &s->obj, "not a directory");
	if (!as_dir && s->obj.type == FT_DIR)
		return no(EISDIR, &s->obj, "a directory");
	return fine;
}

static struct reply busy(const struct sight *s)
{
	return RULE(MOUNT_BUSY, s->top) ? no(EBUSY, s, "a mount point") : fine;
}

/* As far as it is known: what a directory of the host holds is not recorded. */
static struct reply empty_dir(const struct call *c, const struct seen *s)
{
	if (s->obj.leads)
		return no(ENOTEMPTY, &s->obj, "leads to another place");
	return RULE(NOT_EMPTY, made_entries(c->w.made, s->path)) ? no(ENOTEMPTY, &s->obj, "not empty") : fine;
}

static struct reply rule_remove(const struct call *c, bool as_dir)
{
	const struct seen *s = &c->seen[0];
	if (!strcmp(s->path, "/"))
		return no(as_dir ? EBUSY : EISDIR, &s->obj, "the root");
	struct reply r = writable_mount(&s->dir);
	if (!r.err && s->obj.type == FT_NONE)
		return gone(&s->dir, &s->obj);
	if (!r.err && !as_dir && slash(c))
		return no(s->obj.type == FT_DIR ? EISDIR : ENOTDIR, &s->obj, "not a directory");
	if (!r.err)
		r = may_delete(c, 0, as_dir);
	if (!r.err)
		r = busy(&s->obj);
	return r.err || !as_dir ? r : empty_dir(c, s);
}

struct reply rule_unlink(const struct call *c)
{
	return rule_remove(c, false);
}

struct reply rule_rmdir(const struct call *c)
{
	return rule_remove(c, true);
}

/* of two names in different mounts the one to blame: a fence, else the one that is not private */
static const struct sight *edge(const struct sight *a, const struct sight *b)
{
	bool fence = b->place && (b->place->kind == PLACE_PIN || b->place->kind == PLACE_FENCE ||
	                          b->place->kind == PLACE_MASK);
	return fence || a->lost ? b : a;
}

static bool same_mount(const struct sight *a, const struct sight *b)
{
	return a->mnt == b->mnt && a->sub == b->sub;
}

static bool same_parent(const char *a, const char *b)
{
	size_t n = path_parent_len(a);
	return n == path_parent_len(b) && !memcmp(a, b, n);
}

/* linkat(): old looked up, new name made, then mounts compared, then vfs_link() */
struct reply rule_link(const struct call *c)
{
	const struct seen *from = &c->seen[0], *to = &c->seen[1];
	if (from->obj.type == FT_NONE && !from->free)
		return gone(&from->dir, &from->obj);
	if (to->err)
		return no(to->err, &to->dir, to->why);
	struct reply r = make_name(c, 1, false);
	if (r.err)
		return r;
	if (from->free) /* a file without a name, made in the same directory as a rule */
		return may(c, &to->dir, 3);
	if (RULE(CROSS_MOUNT, !same_mount(&from->obj, &to->dir)))
		return no(EXDEV, edge(&from->obj, &to->dir), "crosses a mount");
	/* fs.protected_hardlinks: somebody else's file only where it can be read and written */
	if (!sight_owns(&c->w, &from->obj) &&
	    (from->obj.type != FT_FILE || from->obj.mode & S_ISUID ||
	     (from->obj.mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) || !sight_may(&c->w, &from->obj, 6)))
		return no(EPERM, &from->obj, "not the owner");
	r = may(c, &to->dir, 3);
	if (!r.err && from->obj.type == FT_DIR)
		return no(EPERM, &from->obj, "a directory");
	return r;
}

/* lookups and flags of renameat2(), after the mount was found writable */
static struct reply rename_names(const struct call *c)
{
	const struct seen *from = &c->seen[0], *to = &c->seen[1];
	uint32_t f = c->w.a->flags;
	bool there = to->obj.type != FT_NONE;
	if (from->obj.type == FT_NONE)
		return gone(&from->dir, &from->obj);
	if (f & RENAME_NOREPLACE && there)
		return no(EEXIST, &to->obj, "exists");
	if (f & RENAME_EXCHANGE && !there)
		return gone(&to->dir, &to->obj);
	if (slash(c) && from->obj.type != FT_DIR)
		return no(ENOTDIR, &from->obj, "not a directory");
	size_t n = strlen(from->path);
	if (n && !strncmp(to->path, from->path, n) && to->path[n] == '/')
		return no(EINVAL, &from->obj, "into itself");
	return fine;
}

/* do_renameat2(), vfs_rename() */
struct reply rule_rename(const struct call *c)
{
	const struct seen *from = &c->seen[0], *to = &c->seen[1];
	uint32_t f = c->w.a->flags;
	bool dir = from->obj.type == FT_DIR, swap = f & RENAME_EXCHANGE;
	if (to->err)
		return no(to->err, &to->dir, to->why);
	if (RULE(CROSS_MOUNT, !same_mount(&from->dir, &to->dir)))
		return no(EXDEV, edge(&from->dir, &to->dir), "crosses a mount");
	struct reply r = writable_mount(&from->dir);
	if (!r.err)
		r = rename_names(c);
	if (r.err || !strcmp(from->path, to->path))
		return r;
	r = may_delete(c, 0, dir);
	if (!r.err && to->obj.type == FT_NONE)
		r = may(c, &to->dir, 3);
	else if (!r.err)
		r = may_delete(c, 1, swap ? to->obj.type == FT_DIR : dir);
	/* ".." of the directory changes; of a mount point it is what lies below the mount */
	if (!r.err && dir && !same_parent(from->path, to->path) && !from->obj.shut && from->dir.shown == from->obj.shown)
		r = may(c, &from->obj, 2);
	if (!r.err)
		r = busy(&from->obj);
	if (!r.err && to->obj.type != FT_NONE)
		r = busy(&to->obj);
	return r.err || swap ? r : empty_dir(c, to);
}
