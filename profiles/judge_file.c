/* judge_file.c - file operations: the kernel's checks, in the kernel's order */
#include "profiles/judge.h"

#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Each rule follows fs/namei.c, fs/open.c or fs/attr.c of Linux 6.x: what fails first is answered first, since
 * programs tell EEXIST from EROFS and EXDEV from both. The same rules run on both worlds; judge.c compares.
 */

static const struct reply fine = { 0 };

static struct reply no(int err, const struct sight *sight, const char *why)
{
	return (struct reply){ err, sight, why };
}

static bool special(enum file_type t)
{
	return t == FT_FIFO || t == FT_CHR || t == FT_BLK || t == FT_SOCK;
}

static bool slash(const struct call *c)
{
	return c->w.a->marks & MARK_DIR_SLASH;
}

static struct reply gone(const struct sight *dir, const struct sight *obj)
{
	return no(ENOENT, obj, dir->shown || dir->lost ? "not there" : "not in the view");
}

/* the object exists, and is a directory where a slash says so */
static struct reply look(const struct call *c)
{
	const struct sight *obj = &c->seen[0].obj;
	if (obj->type == FT_NONE)
		return gone(&c->seen[0].dir, obj);
	if (slash(c) && obj->type != FT_DIR && obj->type != FT_UNKNOWN)
		return no(ENOTDIR, obj, "not a directory");
	return fine;
}

/* inode_permission() */
static struct reply may(const struct call *c, const struct sight *s, unsigned want)
{
	if (sight_may(&c->w, s, want))
		return fine;
	return no(EACCES, s, s->shut ? "masked" : "mode bits");
}

static struct reply writable_mount(const struct sight *s)
{
	return RULE(READ_ONLY, s->ro) ? no(EROFS, s, "read-only") : fine;
}

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

static struct reply rule_stat(const struct call *c)
{
	return look(c);
}

static struct reply rule_readlink(const struct call *c)
{
	struct reply r = look(c);
	const struct sight *obj = &c->seen[0].obj;
	if (!r.err && obj->type != FT_LINK && obj->type != FT_UNKNOWN)
		return no(EINVAL, obj, "not a link");
	return r;
}

static struct reply rule_access(const struct call *c)
{
	struct reply r = look(c);
	const struct sight *obj = &c->seen[0].obj;
	unsigned want = c->w.a->flags & 7;
	if (!r.err && obj->type != FT_LINK && want)
		r = may(c, obj, want);
	if (!r.err && want & 2 && !special(obj->type))
		r = writable_mount(obj);
	return r;
}

static struct reply rule_chdir(const struct call *c)
{
	struct reply r = look(c);
	const struct sight *obj = &c->seen[0].obj;
	if (!r.err && obj->type != FT_DIR && obj->type != FT_UNKNOWN)
		return no(ENOTDIR, obj, "not a directory");
	return r.err ? r : may(c, obj, 1);
}

static struct reply open_tmpfile(const struct call *c)
{
	struct reply r = look(c);
	const struct sight *obj = &c->seen[0].obj;
	if (!r.err && obj->type != FT_DIR)
		return no(ENOTDIR, obj, "not a directory");
	if (!r.err)
		r = writable_mount(obj);
	return r.err ? r : may(c, obj, 3);
}

/* a name that is not there, with O_CREAT: lookup_open() */
static struct reply open_create(const struct call *c)
{
	struct reply r = writable_mount(&c->seen[0].dir);
	return r.err ? r : may(c, &c->seen[0].dir, 3);
}

static struct reply open_mode(const struct call *c, bool writes)
{
	const struct sight *obj = &c->seen[0].obj;
	uint32_t f = c->w.a->flags;
	unsigned want = ((f & O_ACCMODE) != O_WRONLY ? 4U : 0U) | (writes ? 2U : 0U);
	if (obj->type == FT_DIR && writes)
		return no(EISDIR, obj, "a directory");
	if ((obj->type == FT_CHR || obj->type == FT_BLK) && obj->nodev)
		return no(EACCES, obj, "device nodes are shut off");
	struct reply r = may(c, obj, want);
	if (!r.err && f & O_NOATIME && !sight_owns(&c->w, obj))
		return no(EPERM, obj, "not the owner");
	return r;
}

/* fs/namei.c: open_last_lookups(), do_open(), may_open(); fs/open.c: do_dentry_open() */
static struct reply rule_open(const struct call *c)
{
	const struct sight *obj = &c->seen[0].obj;
	uint32_t f = c->w.a->flags;
	bool there = obj->type != FT_NONE, must_dir = f & O_DIRECTORY || slash(c);
	bool writes = (f & O_ACCMODE) != O_RDONLY || f & O_TRUNC;
	if (!(f & O_PATH) && (f & O_TMPFILE) == O_TMPFILE)
		return open_tmpfile(c);
	if (f & O_PATH || !(f & O_CREAT)) {
		struct reply r = look(c);
		if (r.err)
			return r;
	} else if (slash(c)) {
		return no(EISDIR, obj, "a directory");
	} else if (!there) {
		return open_create(c);
	} else if (f & O_EXCL) {
		return RULE(EXISTS_FIRST, true) || !obj->ro ? no(EEXIST, obj, "exists") : no(EROFS, obj, "read-only");
	} else if (obj->type == FT_DIR) {
		return no(EISDIR, obj, "a directory");
	}
	if (must_dir && obj->type != FT_DIR && obj->type != FT_UNKNOWN)
		return no(ENOTDIR, obj, "not a directory");
	if (f & O_PATH)
		return fine;
	if (obj->type == FT_LINK)
		return no(ELOOP, obj, "a link");
	if (obj->type == FT_FILE && f & O_TRUNC && RULE(READ_ONLY, obj->ro))
		return no(EROFS, obj, "read-only");
	struct reply r = open_mode(c, writes);
	if (!r.err && obj->type == FT_SOCK)
		return no(ENXIO, obj, "a socket");
	/* a read-only mount lets fifos and devices be written, Landlock does not */
	if (!r.err && c->w.inside && (f & O_ACCMODE) != O_RDONLY && special(obj->type) &&
	    !policy_lets_write(c->w.pol, c->seen[0].path))
		return no(EACCES, obj, "read-only");
	if (!r.err && (f & O_ACCMODE) != O_RDONLY && (!special(obj->type) || !RULE(SPECIAL_WRITE, true)))
		return writable_mount(obj);
	return r;
}

static struct reply rule_truncate(const struct call *c)
{
	struct reply r = look(c);
	const struct sight *obj = &c->seen[0].obj;
	if (!r.err && obj->type == FT_DIR)
		return no(EISDIR, obj, "a directory");
	if (!r.err && obj->type != FT_FILE && obj->type != FT_UNKNOWN)
		return no(EINVAL, obj, "not a file");
	if (!r.err) /* this order since 6.14, before it EROFS came first */
		r = may(c, obj, 2);
	return r.err ? r : writable_mount(obj);
}

/* chmod, chown, utime: the mount first, then the owner */
static struct reply rule_attr(const struct call *c)
{
	struct reply r = look(c);
	const struct sight *obj = &c->seen[0].obj;
	if (!r.err)
		r = writable_mount(obj);
	if (!r.err && RULE(MODE_BITS, !sight_owns(&c->w, obj)))
		return no(EPERM, obj, "not the owner");
	return r;
}

/* ids: all of the host are there for root, and for others only their own user and group */
static struct reply rule_chown(const struct call *c)
{
	struct reply r = rule_attr(c);
	uint32_t f = c->w.a->flags;
	bool root = c->w.a->caps;
	if (r.err || c->w.caps)
		return r;
	if (root || !c->w.inside)
		return f & (CHOWN_OWNER | CHOWN_GROUP) ? no(EPERM, NULL, "no capabilities") : r;
	return f ? no(EINVAL, NULL, "no other users and groups") : r;
}

static struct reply rule_setxattr(const struct call *c)
{
	struct reply r = look(c);
	const struct sight *obj = &c->seen[0].obj;
	if (!r.err)
		r = writable_mount(obj);
	if (!r.err && obj->type != FT_FILE && obj->type != FT_DIR && obj->type != FT_UNKNOWN)
		return no(EPERM, obj, "neither file nor directory");
	if (!r.err && obj->type == FT_DIR && obj->mode & S_ISVTX && !sight_owns(&c->w, obj))
		return no(EPERM, obj, "sticky directory");
	return r.err ? r : may(c, obj, 2);
}

static struct reply rule_mkdir(const struct call *c)
{
	struct reply r = make_name(c, 0, true);
	return r.err ? r : may(c, &c->seen[0].dir, 3);
}

static struct reply rule_symlink(const struct call *c)
{
	struct reply r = make_name(c, 0, false);
	return r.err ? r : may(c, &c->seen[0].dir, 3);
}

static struct reply rule_mknod(const struct call *c)
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
static struct reply rule_bind(const struct call *c)
{
	struct reply r = make_name(c, 0, false);
	if (r.err == EEXIST)
		r.err = EADDRINUSE;
	return r.err ? r : may(c, &c->seen[0].dir, 3);
}

static struct reply rule_connect(const struct call *c)
{
	struct reply r = look(c);
	const struct sight *obj = &c->seen[0].obj;
	if (!r.err)
		r = may(c, obj, 2);
	if (!r.err && obj->type != FT_SOCK && obj->type != FT_UNKNOWN)
		return no(ECONNREFUSED, obj, "not a socket");
	return r;
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
	return made_entries(c->w.made, s->path) ? no(ENOTEMPTY, &s->obj, "not empty") : fine;
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

static struct reply rule_unlink(const struct call *c)
{
	return rule_remove(c, false);
}

static struct reply rule_rmdir(const struct call *c)
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
static struct reply rule_link(const struct call *c)
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
static struct reply rule_rename(const struct call *c)
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

/* exec and what the kernel opens for it: do_open_execat() */
static struct reply rule_exec(const struct call *c)
{
	struct reply r = look(c);
	const struct sight *obj = &c->seen[0].obj;
	if (r.err)
		return r;
	if (obj->type == FT_LINK)
		return no(ELOOP, obj, "a link");
	if (obj->type != FT_FILE && obj->type != FT_UNKNOWN)
		return no(EACCES, obj, "not a file");
	return may(c, obj, 1);
}

static struct reply (*const rules[OP_COUNT])(const struct call *) = {
	[OP_STAT] = rule_stat,         [OP_ACCESS] = rule_access, [OP_READLINK] = rule_readlink,
	[OP_CHDIR] = rule_chdir,       [OP_OPEN] = rule_open,     [OP_TRUNCATE] = rule_truncate,
	[OP_CHMOD] = rule_attr,        [OP_CHOWN] = rule_chown,   [OP_UTIME] = rule_attr,
	[OP_SETXATTR] = rule_setxattr, [OP_MKDIR] = rule_mkdir,   [OP_RMDIR] = rule_rmdir,
	[OP_UNLINK] = rule_unlink,     [OP_SYMLINK] = rule_symlink, [OP_MKNOD] = rule_mknod,
	[OP_RENAME] = rule_rename,     [OP_LINK] = rule_link,     [OP_EXEC] = rule_exec,
	[OP_LOAD] = rule_exec,         [OP_CONNECT] = rule_connect, [OP_SEND] = rule_connect,
	[OP_BIND] = rule_bind,
};

struct reply judge_file(const struct call *c)
{
	const struct seen *s = &c->seen[0];
	if ((s->free && c->w.a->op != OP_LINK) || !rules[c->w.a->op])
		return fine;
	if (s->err)
		return no(s->err, NULL, s->why);
	return rules[c->w.a->op](c);
}
