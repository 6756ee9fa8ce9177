#include "trace/predict.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool member(const struct creds *c, uint32_t gid)
{
	bool in = c->gid == gid;
	for (size_t i = 0; i < c->ngroups && !in; i++)
		in = c->groups[i] == gid;
	return in;
}

/* Plain mode bits and the two capabilities that overrule them (capabilities(7)). */
static int by_mode(const struct creds *c, uint32_t mode, uint32_t uid, uint32_t gid, bool dir, int want)
{
	uint32_t bits = uid == c->uid ? mode >> 6 : member(c, gid) ? mode >> 3 : mode;
	if ((bits & (uint32_t)want) == (uint32_t)want)
		return 0;
	if (c->dac && (dir || !(want & X_OK) || (mode & 0111)))
		return 0;
	if (c->search && !(want & W_OK) && (dir || want == R_OK))
		return 0;
	return EACCES;
}

static bool same_ids(const struct creds *a, const struct creds *b)
{
	return a->uid == b->uid && a->gid == b->gid && a->dac == b->dac && a->ngroups == b->ngroups &&
	       !memcmp(a->groups, b->groups, a->ngroups * sizeof(*a->groups));
}

struct ask {
	const struct predictor *p;
	const struct creds *c;
	bool kernel; /* the recorder's own answer is the caller's */
};

static int may(const struct ask *k, const char *path, uint32_t mode, uint32_t uid, uint32_t gid, bool dir, int want)
{
	int err = by_mode(k->c, mode, uid, gid, dir, want);
	/* reading what the mode allows needs no question; an ACL only shows as a group that is wider */
	/* the recorder's own /proc entries are not the caller's */
	if (!k->kernel || !path || !strncmp(path, "/proc/", 6) || strlen(path) >= PATH_MAX || (!err && !(want & W_OK) && uid == k->c->uid) || (!err && want == R_OK && k->c->dac))
		return err;
	return k->p->may(k->p->arg, path, want);
}

static int may_obj(const struct ask *k, const struct object *o, int want)
{
	return may(k, o->path, o->mode, o->uid, o->gid, o->type == FT_DIR, want);
}

/* Add or remove a name in the directory of @o. */
static int may_name(const struct ask *k, const struct object *o)
{
	return may(k, o->dir, o->dir_mode, o->dir_uid, o->dir_gid, true, W_OK | X_OK);
}

static int sticky(const struct ask *k, const struct object *o)
{
	if (!(o->dir_mode & S_ISVTX) || k->c->fowner || o->uid == k->c->uid || o->dir_uid == k->c->uid)
		return 0;
	return EPERM;
}

static int may_remove(const struct ask *k, const struct object *o)
{
	int err = may_name(k, o);
	return err ? err : sticky(k, o);
}

static int open_new(const struct ask *k, const struct access *a)
{
	if (!(a->flags & O_CREAT) || (a->flags & O_DIRECTORY))
		return ENOENT;
	if (a->marks & MARK_DIR_SLASH)
		return EISDIR;
	return may_name(k, &a->obj[0]);
}

static int open_old(const struct ask *k, const struct access *a, enum outcome_source *source)
{
	const struct object *o = &a->obj[0];
	uint32_t f = a->flags;
	int mode = (f & O_ACCMODE) == O_RDONLY ? R_OK : (f & O_ACCMODE) == O_WRONLY ? W_OK : R_OK | W_OK;
	if ((f & O_TMPFILE) == O_TMPFILE)
		return o->type != FT_DIR ? ENOTDIR : may(k, o->path, o->mode, o->uid, o->gid, true, W_OK | X_OK);
	if ((f & O_CREAT) && (f & O_EXCL))
		return EEXIST;
	if (o->type == FT_LINK)
		return f & O_DIRECTORY ? ENOTDIR : ELOOP;
	if ((f & O_DIRECTORY) && o->type != FT_DIR)
		return ENOTDIR;
	if (o->type == FT_DIR && (mode != R_OK || (f & (O_CREAT | O_TRUNC))))
		return EISDIR;
	if (o->type == FT_SOCK)
		return ENXIO;
	if (f & O_TRUNC)
		mode |= W_OK;
	int err = may_obj(k, o, mode);
	if (!err && (f & O_NOATIME) && o->uid != k->c->uid && !k->c->fowner)
		err = EPERM;
	/* a device may be absent, a FIFO without a partner */
	if (!err && (o->type == FT_FIFO || o->type == FT_CHR || o->type == FT_BLK))
		*source = OUT_UNKNOWN;
	return err;
}

/* More than "." and ".." in it; asked of the kernel, as link counts of directories mean nothing on some systems. */
static bool filled(const struct ask *k, const char *path)
{
	const struct hangpoint *slow = k->p->hangs && k->p->hangs->n ? hangs_at(k->p->hangs, path) : NULL;
	if (slow) {
		struct stat st;
		return !hangs_ask(k->p->hangs, slow, &(struct question){ .what = ASK_COUNT, .arg = 1 }, path, &st, NULL, 0) &&
		       (st.st_size || st.st_nlink);
	}
	char buf[PATH_MAX + 32];
	DIR *d = opendir(k->p->names ? resolver_place(k->p->names, path, buf, sizeof(buf)) : path);
	if (!d)
		return false;
	int n = 0;
	while (n < 3 && readdir(d))
		n++;
	closedir(d);
	return n > 2;
}

static bool dot(const char *name)
{
	size_t n = name ? strlen(name) : 0;
	return n && name[n - 1] == '.' && (n == 1 || name[n - 2] == '/');
}

static int rmdir_old(const struct ask *k, const struct access *a)
{
	const struct object *o = &a->obj[0];
	if (o->type != FT_DIR)
		return ENOTDIR;
	if (dot(o->spelled))
		return EINVAL;
	int err = may_remove(k, o);
	if (!err && o->path && filled(k, o->path))
		err = ENOTEMPTY;
	return err;
}

static bool below(const char *path, const char *dir)
{
	size_t n = strlen(dir);
	return !strncmp(path, dir, n) && path[n] == '/';
}

static int rename_two(const struct ask *k, const struct access *a, enum outcome_source *source)
{
	const struct object *from = &a->obj[0], *to = &a->obj[1];
	if (from->dev && to->dev && from->dev != to->dev) {
		/* the directories that hold them count; a directory's own device may be that of what is mounted there */
		if (from->type == FT_DIR || to->type == FT_DIR)
			*source = OUT_UNKNOWN;
		return EXDEV;
	}
	if (to->type != FT_NONE && a->flags & RENAME_NOREPLACE)
		return EEXIST;
	bool into = from->type == FT_DIR && from->path && to->path && below(to->path, from->path);
	if (into)
		*source = OUT_UNKNOWN; /* EXDEV where something is mounted there */
	if (to->type == FT_NONE && a->flags & RENAME_EXCHANGE)
		return ENOENT;
	if (into)
		return EINVAL;
	int err = may_remove(k, from);
	if (!err && to->type == FT_NONE)
		err = may_name(k, to);
	if (err)
		return err;
	bool swap = a->flags & RENAME_EXCHANGE, there = to->type != FT_NONE;
	if (there && !swap && from->type == FT_DIR && to->type != FT_DIR)
		return ENOTDIR;
	if (there && !swap && from->type != FT_DIR && to->type == FT_DIR)
		return EISDIR;
	if (there)
		err = may_remove(k, to);
	if (!err && from->type == FT_DIR && from->dir && to->dir && strcmp(from->dir, to->dir) != 0)
		err = may_obj(k, from, W_OK); /* its ".." is written */
	bool same = from->dev == to->dev && from->ino == to->ino;
	if (!err && to->type == FT_DIR && !same && !swap && to->path && filled(k, to->path))
		err = ENOTEMPTY;
	return err;
}

/* fs/namei.c, may_linkat(): others' files only where they may be read and written, and are nothing special */
static bool may_link_source(const struct ask *k, const struct object *o)
{
	if (!k->p->protected_links || o->uid == k->c->uid || k->c->fowner)
		return true;
	return o->type == FT_FILE && !(o->mode & S_ISUID) && (o->mode & (S_ISGID | S_IXGRP)) != (S_ISGID | S_IXGRP) &&
	       !may_obj(k, o, R_OK | W_OK);
}

static int link_two(const struct ask *k, const struct access *a)
{
	const struct object *from = &a->obj[0], *to = &a->obj[1];
	if (to->type != FT_NONE)
		return EEXIST;
	int err = may_name(k, to);
	if (err == EROFS) /* the mount is asked first, the directory last */
		return err;
	if (from->dev && to->dev && from->dev != to->dev)
		return EXDEV;
	if (!may_link_source(k, from) || (!err && from->type == FT_DIR))
		return EPERM;
	return err;
}

static int exec_old(const struct ask *k, const struct object *o)
{
	if (o->type != FT_FILE)
		return o->type == FT_LINK ? ELOOP : EACCES;
	return may_obj(k, o, X_OK);
}

static int access_old(const struct ask *k, const struct access *a)
{
	const struct object *o = &a->obj[0];
	return o->type == FT_LINK ? 0 : may_obj(k, o, (int)(a->flags & 7));
}

static int owner_only(const struct ask *k, const struct object *o)
{
	if (o->uid != k->c->uid && !k->c->fowner)
		return EPERM;
	if (!k->kernel || !k->c->dac)
		return 0;
	/* root owns or overrules: only a read-only mount is left to ask about */
	int err = o->type == FT_LINK ? 0 : k->p->may(k->p->arg, o->path, W_OK);
	return err == EROFS ? EROFS : 0;
}

/* The object is there. */
static int old(const struct ask *k, const struct access *a, enum outcome_source *source)
{
	const struct object *o = &a->obj[0];
	switch (a->op) {
	case OP_STAT:
		/* open(O_PATH | O_DIRECTORY) */
		return a->flags & O_DIRECTORY && o->type != FT_DIR ? ENOTDIR : 0;
	case OP_LOAD:
		return 0;
	case OP_READLINK:
		/* links of other processes are read under ptrace(2)'s rules */
		if (!strncmp(o->path, "/proc/", 6) && strncmp(o->path, "/proc/self/", 11))
			*source = OUT_UNKNOWN;
		return o->type == FT_LINK ? 0 : EINVAL;
	case OP_ACCESS:
		return access_old(k, a);
	case OP_CHDIR:
		return o->type == FT_DIR ? may_obj(k, o, X_OK) : ENOTDIR;
	case OP_OPEN:
		return open_old(k, a, source);
	case OP_TRUNCATE:
		return o->type == FT_DIR ? EISDIR : o->type != FT_FILE ? EINVAL : may_obj(k, o, W_OK);
	case OP_CHMOD:
		return owner_only(k, o);
	case OP_CHOWN:
		if (!k->c->dac && a->flags & (CHOWN_OWNER | CHOWN_GROUP))
			return EPERM;
		*source = k->c->dac ? *source : OUT_UNKNOWN;
		return owner_only(k, o);
	case OP_UTIME:
		*source = k->c->dac ? *source : OUT_UNKNOWN;
		return owner_only(k, o);
	case OP_SETXATTR:
		*source = OUT_UNKNOWN;
		return owner_only(k, o);
	case OP_MKDIR:
	case OP_SYMLINK:
	case OP_MKNOD:
		return EEXIST;
	case OP_RMDIR:
		return rmdir_old(k, a);
	case OP_UNLINK:
		return a->marks & MARK_DIR_SLASH && o->type != FT_DIR ? ENOTDIR
		       : o->type == FT_DIR                           ? EISDIR
		                                                     : may_remove(k, o);
	case OP_RENAME:
		return rename_two(k, a, source);
	case OP_LINK:
		return link_two(k, a);
	case OP_EXEC:
		return exec_old(k, o);
	case OP_CONNECT:
	case OP_SEND:
		*source = OUT_UNKNOWN;
		return o->type != FT_SOCK ? ECONNREFUSED : may_obj(k, o, W_OK);
	case OP_BIND:
		return EADDRINUSE;
	case OP_LISTEN:
	case OP_HOST:
	case OP_SYSCALL:
	case OP_ENV:
	case OP_COUNT:
		break;
	}
	return 0;
}

/* Only the last name is missing. */
static int fresh(const struct ask *k, const struct access *a, enum outcome_source *source)
{
	const struct object *o = &a->obj[0];
	switch (a->op) {
	case OP_OPEN:
		return open_new(k, a);
	case OP_MKNOD:
		*source = (a->flags & S_IFMT) == S_IFCHR || (a->flags & S_IFMT) == S_IFBLK ? OUT_UNKNOWN : *source;
		return a->marks & MARK_DIR_SLASH ? ENOENT : may_name(k, o);
	case OP_SYMLINK:
	case OP_BIND:
		return a->marks & MARK_DIR_SLASH ? ENOENT : may_name(k, o);
	case OP_MKDIR:
		return may_name(k, o);
	default:
		return ENOENT;
	}
}

static int object_trouble(const struct object *o, const struct creds *c, const struct access *a)
{
	/* open(2): a name to create must not end in a slash, whatever is there */
	if (a->op == OP_OPEN && a->flags & O_CREAT && a->marks & MARK_DIR_SLASH && !(a->flags & O_PATH) &&
	    (o->type != FT_NONE || (!o->walk_err && o->missing == 1)) && (!o->blocked || c->search))
		return EISDIR;
	bool makes = a->op == OP_MKDIR || a->op == OP_SYMLINK || a->op == OP_MKNOD || a->op == OP_BIND ||
	             (a->op == OP_LINK && o != &a->obj[0]);
	if (o->walk_err && !(makes && o->walk_err == ENOTDIR && o->type != FT_NONE))
		return o->walk_err;
	if (o->blocked && !c->search)
		return EACCES;
	return o->type == FT_NONE && o->missing > 1 ? ENOENT : 0;
}

int predict(const struct predictor *p, const struct access *acc, const struct creds *c, enum outcome_source *source)
{
	bool other = acc->marks & (MARK_OTHER_MNT | MARK_OTHER_ROOT);
	struct ask k = { p, c, p->may && !other && same_ids(&p->self, c) };
	*source = OUT_PREDICTED;
	if (!access_is_file(acc)) {
		*source = OUT_UNKNOWN;
		return 0;
	}
	int n = op_objects(acc->op);
	for (int i = 0; i < n; i++) {
		const struct object *o = &acc->obj[i];
		int err = object_trouble(o, c, acc);
		if (err)
			return err;
		if (o->type == FT_UNKNOWN || !o->path || o->path[0] != '/') {
			*source = OUT_UNKNOWN;
			return 0;
		}
		if (i == 0 && acc->op == OP_LINK && o->type == FT_NONE)
			return ENOENT; /* rename looks at both directories first */
	}
	if (n == 2 && acc->obj[0].type == FT_NONE) {
		const struct object *o = acc->obj;
		return o[0].dev && o[1].dev && o[0].dev != o[1].dev ? EXDEV : ENOENT;
	}
	return acc->obj[0].type == FT_NONE ? fresh(&k, acc, source) : old(&k, acc, source);
}
