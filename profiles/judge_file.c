/* judge_file.c - operations on what is there: the kernel's checks, in the kernel's order */
#include "profiles/judge_rule.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/*
 * Each rule follows fs/namei.c, fs/open.c or fs/attr.c of Linux 6.x: what fails first is answered first, since
 * programs tell EEXIST from EROFS and EXDEV from both. The same rules run on both worlds; judge.c compares.
 */

static const struct reply fine = { 0 };

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
	if (obj->type == FT_DIR && RULE(DIR_WRITE, writes))
		return no(EISDIR, obj, "a directory");
	if ((obj->type == FT_CHR || obj->type == FT_BLK) && RULE(NO_DEVICES, obj->nodev))
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
	/* a read-only mount lets fifos and devices be written, Landlock does not */
	if (!r.err && c->w.inside && (f & O_ACCMODE) != O_RDONLY && special(obj->type) &&
	    RULE(SECOND_LAYER, !policy_lets_write(c->w.pol, c->seen[0].path)))
		return no(EACCES, obj, "read-only");
	if (!r.err && obj->type == FT_SOCK)
		return no(ENXIO, obj, "a socket");
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
