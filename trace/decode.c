#include "trace/decode.h"

#include "base/secret.h"
#include "base/str.h"

#include "trace/tmem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* O_LARGEFILE as the kernel has it on x86_64; libc's is 0 there */
#define LARGEFILE 0100000u

static uint64_t arg(const struct seccomp_data *in, uint8_t position) { return in->args[position - 1]; }

struct seen *call_add(struct call *c, const struct task *t, enum op op)
{
	if (c->n == SEEN_MAX)
		return NULL;
	struct seen *s = &c->seen[c->n++];
	*s = (struct seen){ .acc = { .op = op, .uid = t->creds.uid, .gid = t->creds.gid, .caps = t->creds.dac } };
	return s;
}

void call_incomplete(const struct decoder *d, const struct task *t, struct call *c, const char *what, int err)
{
	char text[512];
	const char *exe = t->group->exe ? t->group->exe : "a process";
	snprintf(text, sizeof(text), "%s of %s could not be read (%s), so what it named is unknown", what, exe,
	         strerror(err < 0 ? -err : err));
	c->incomplete = resolver_str(d->names, text, strlen(text));
}

const char *call_string(const struct decoder *d, const struct task *t, struct call *c, uint64_t addr)
{
	char buf[PATH_MAX];
	ssize_t n = tmem_str(t->tid, addr, buf, sizeof(buf));
	/* the kernel answers these two itself, and nothing is named */
	if (n == -EFAULT || n == -ENAMETOOLONG)
		return NULL;
	if (n < 0) {
		if (n != -ESRCH)
			call_incomplete(d, t, c, "memory", (int)n);
		return NULL;
	}
	return resolver_str(d->names, buf, (size_t)n);
}

/* A URL that was taken for a path: its login is not stored. NULL: out of memory. */
static const char *without_login(const struct decoder *d, const char *path)
{
	size_t len;
	const char *login = path ? secret_userinfo(path, &len) : NULL;
	if (!login)
		return path;
	OWN(str) s = { 0 };
	str_add_mem(&s, path, (size_t)(login - path));
	str_add(&s, "***");
	str_add(&s, login + len);
	return s.oom ? NULL : resolver_str(d->names, s.p, s.len);
}

/* Nothing is there under such a name, so that nobody needs it to find it again. */
static int hide_login(const struct decoder *d, struct object *o)
{
	const char *spelled = without_login(d, o->spelled), *path = without_login(d, o->path);
	if ((o->spelled && !spelled) || (o->path && !path))
		return -ENOMEM;
	o->spelled = spelled;
	o->path = path;
	return 0;
}

int call_object(const struct decoder *d, struct task *t, struct call *c, struct seen *s, int which, int dirfd,
                const char *name, unsigned how)
{
	int err = resolve_name(d->names, t, dirfd, name, how, &s->acc.obj[which], &s->acc.marks);
	if (err == -EBADF || err == -ENOENT || err == -ENOTDIR)
		return 1; /* the call fails without naming anything, or the object went meanwhile */
	if (err == -EACCES || err == -EPERM) {
		call_incomplete(d, t, c, "/proc entries", err);
		return 1;
	}
	if (err == -ENAMETOOLONG) {
		call_incomplete(d, t, c, "the long working directory", err);
		return 1;
	}
	struct object *o = &s->acc.obj[which];
	return err || o->type != FT_NONE ? err : hide_login(d, o);
}

/* AT_* flags of the call; one word of meaning for all of them. */
static unsigned follow_of(const struct sysdef *def, unsigned at)
{
	unsigned how = def->how == NOFOLLOW ? 0 : RES_FOLLOW;
	if (at & AT_SYMLINK_NOFOLLOW)
		how &= ~(unsigned)RES_FOLLOW;
	if (at & AT_SYMLINK_FOLLOW && (def->op == OP_LINK || def->how == NOFOLLOW))
		how |= RES_FOLLOW;
	if (at & AT_EMPTY_PATH)
		how |= RES_EMPTY;
	return how;
}

static unsigned at_of(const struct sysdef *def, const struct seccomp_data *in)
{
	return def->at ? (unsigned)arg(in, def->at) : 0;
}

static int dirfd_of(const struct seccomp_data *in, uint8_t position)
{
	return position ? (int)arg(in, position) : AT_FDCWD;
}

/* Names of @s are done: predict, keep. */
static void finish(const struct decoder *d, const struct task *t, struct seen *s)
{
	s->outcome = predict(&d->predictor, &s->acc, &t->creds, &s->source);
}

static bool moved(const struct access *a)
{
	for (int i = 0; i < op_objects(a->op); i++)
		if (a->obj[i].type == FT_DIR || a->obj[i].type == FT_LINK || a->obj[i].type == FT_UNKNOWN)
			return true;
	return false;
}

/* Object @i is a name to be made or taken away: the last component is itself, also before a slash. */
static unsigned last_of(enum op op, int i)
{
	switch ((int)op) {
	case OP_MKDIR: case OP_RMDIR: case OP_UNLINK: case OP_SYMLINK: case OP_MKNOD: case OP_RENAME:
		return RES_NAME;
	case OP_LINK:
		return i ? RES_NAME : 0;
	}
	return 0;
}

static int decode_path(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c,
                       enum op op, uint32_t flags, unsigned how)
{
	const struct sysdef *def = c->def;
	uint64_t addr = arg(in, def->path);
	/* a null name means the descriptor: opening it has said all */
	if (!addr)
		return 0;
	const char *name = call_string(d, t, c, addr);
	if (!name || (!name[0] && op != OP_LINK))
		return 0;
	struct seen *s = call_add(c, t, op);
	s->acc.flags = flags;
	if (!(how & RES_FOLLOW))
		s->acc.marks |= MARK_NOFOLLOW;
	if (def->text && !(s->acc.text = call_string(d, t, c, arg(in, def->text))))
		return c->n--, 0;
	int err = call_object(d, t, c, s, 0, dirfd_of(in, def->dir), name, how | last_of(op, 0));
	if (!err && def->path2) {
		name = call_string(d, t, c, arg(in, def->path2));
		err = name ? call_object(d, t, c, s, 1, dirfd_of(in, def->dir2), name, last_of(op, 1)) : 1;
	}
	if (err) {
		c->n--;
		return err > 0 ? 0 : err;
	}
	finish(d, t, s);
	c->moves = moved(&s->acc);
	return 0;
}

static int decode_open(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c)
{
	const struct sysdef *def = c->def;
	uint32_t flags = def->fix | (def->flags ? (uint32_t)arg(in, def->flags) : 0);
	unsigned how = RES_FOLLOW;
	uint64_t resolve = 0;
	if (def->kind == CALL_OPENAT2) {
		struct open_how h;
		int err = tmem_read(t->tid, arg(in, def->flags), &h, sizeof(h));
		if (err == -EPERM)
			call_incomplete(d, t, c, "memory", err);
		if (err)
			return 0;
		flags = (uint32_t)h.flags;
		resolve = h.resolve;
		if (resolve & RESOLVE_IN_ROOT)
			how |= RES_IN_ROOT;
	}
	flags &= ~LARGEFILE;
	/* fs/open.c, build_open_flags(): these do not follow the last link */
	if (flags & O_NOFOLLOW || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		how &= ~(unsigned)RES_FOLLOW;
	bool look = flags & O_PATH;
	int err = decode_path(d, t, in, c, look ? OP_STAT : OP_OPEN, look ? flags & O_DIRECTORY : flags, how);
	/* the other RESOLVE_ flags can only make it fail, and then another look-up is made in practice */
	if (!err && c->n && resolve & ~(uint64_t)(RESOLVE_IN_ROOT | RESOLVE_CACHED))
		c->seen[c->n - 1].source = OUT_UNKNOWN;
	return err;
}

static int decode_access(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c)
{
	uint32_t mode = (uint32_t)arg(in, c->def->flags) & 7;
	return decode_path(d, t, in, c, mode ? OP_ACCESS : OP_STAT, mode, follow_of(c->def, at_of(c->def, in)));
}

int decode_name(const struct decoder *d, const struct task *t, struct call *c, const char *name, uint32_t flags)
{
	struct seen *s = call_add(c, t, OP_SYSCALL);
	s->acc.flags = flags;
	s->acc.obj[0].spelled = resolver_str(d->names, name, strlen(name));
	s->source = OUT_UNKNOWN;
	return s->acc.obj[0].spelled ? 0 : -ENOMEM;
}

static int decode_clone(const struct decoder *d, struct task *t, uint64_t flags, struct call *c)
{
	uint64_t ns = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
	              CLONE_NEWNET;
	if ((flags & CLONE_FS) && !(flags & CLONE_THREAD))
		d->names->tasks->shared_fs = true;
	if (!(flags & ns))
		return 0;
	d->names->tasks->vary_root = true;
	return decode_name(d, t, c, c->def->name, (uint32_t)(flags & ns));
}

static int decode_clone3(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c)
{
	uint64_t flags;
	int err = tmem_read(t->tid, in->args[0], &flags, sizeof(flags));
	if (err == -EPERM)
		call_incomplete(d, t, c, "memory", err);
	return err ? 0 : decode_clone(d, t, flags, c);
}

static int decode_seccomp(const struct decoder *d, struct task *t, struct call *c)
{
	/* there can be one listener in a tree, and it is ours */
	int err = decode_name(d, t, c, "seccomp", 8 /* SECCOMP_FILTER_FLAG_NEW_LISTENER */);
	if (err)
		return err;
	c->seen[0].outcome = EBUSY;
	c->seen[0].source = OUT_PREDICTED;
	char text[300];
	snprintf(text, sizeof(text), "%s wanted a seccomp listener of its own and got EBUSY: only one fits, and the "
	         "audit holds it", t->group->exe ? t->group->exe : "a process");
	c->incomplete = resolver_str(d->names, text, strlen(text));
	return 0;
}

static int decode_uring(const struct decoder *d, struct task *t, struct call *c)
{
	int err = decode_name(d, t, c, c->def->name, 0);
	if (err)
		return err;
	c->seen[0].acc.marks |= MARK_EMULATED;
	c->seen[0].outcome = c->refuse = ENOSYS;
	c->seen[0].source = OUT_OBSERVED;
	return 0;
}

static int decode_unknown(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c)
{
	char name[48], text[300];
	snprintf(name, sizeof(name), "syscall_%u", (unsigned)in->nr);
	snprintf(text, sizeof(text), "%s made system call %u, which this version does not know",
	         t->group->exe ? t->group->exe : "a process", (unsigned)in->nr);
	c->incomplete = resolver_str(d->names, text, strlen(text));
	return decode_name(d, t, c, name, 0);
}

int decode_call(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c)
{
	const struct sysdef *def = sysdefs_get(d->defs, in->nr);
	/* what was seen and the program are large, and cleared by those who fill them */
	c->def = def;
	c->n = 0;
	c->refuse = 0;
	c->incomplete = NULL;
	c->moves = c->starts = false;
	c->sockfd = -1;
	if (!def)
		return decode_unknown(d, t, in, c);
	uint32_t flags = def->flags ? (uint32_t)arg(in, def->flags) : 0;
	switch (def->kind) {
	case CALL_PATH:
		if (def->also_name && decode_name(d, t, c, def->name, 0) < 0)
			return -ENOMEM;
		return decode_path(d, t, in, c, def->op, flags | def->fix, follow_of(def, at_of(def, in)));
	case CALL_CHOWN:
		return decode_path(d, t, in, c, OP_CHOWN, decode_owners(t, in, def), follow_of(def, at_of(def, in)));
	case CALL_UNLINKAT:
		return decode_path(d, t, in, c, arg(in, 3) & AT_REMOVEDIR ? OP_RMDIR : OP_UNLINK, 0, 0);
	case CALL_OPEN:
	case CALL_OPENAT2:
		return decode_open(d, t, in, c);
	case CALL_ACCESS:
		return decode_access(d, t, in, c);
	case CALL_EXEC:
		return decode_exec(d, t, in, c);
	case CALL_SOCK:
	case CALL_SENDMSG:
	case CALL_SENDMMSG:
	case CALL_LISTEN:
		return decode_socket(d, t, in, c);
	case CALL_CLONE:
		return decode_clone(d, t, flags, c);
	case CALL_CLONE3:
		return decode_clone3(d, t, in, c);
	case CALL_SECCOMP:
		return decode_seccomp(d, t, c);
	case CALL_URING:
		return decode_uring(d, t, c);
	case CALL_NAME:
		return decode_name(d, t, c, def->name, flags);
	case CALL_FCHOWN:
	case CALL_UIDS:
	case CALL_GIDS:
	case CALL_PRIO:
	case CALL_LIMIT:
	case CALL_LOCK:
	case CALL_SOCKET:
		return decode_privileged(d, t, in, c);
	case CALL_QUIET:
		break;
	}
	return 0;
}
