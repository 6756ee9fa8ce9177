/* execve: the file, every interpreter the kernel will open without a call, and what the new program gets. */
#include "trace/decode.h"
#include "trace/procfs.h"
#include "trace/program.h"
#include "trace/redact.h"
#include "trace/tmem.h"

#include "base/path.h"
#include "base/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum {
	HEAD_MAX = 4096,   /* ELF program headers lie in the first page in practice */
	ARG_MAX_KEPT = 2048,
	ARGS_BYTES = 48 * 1024,
	ENV_MAX = 4096,
	ENV_AT_ONCE = 64,
	ENV_NAME = 64, /* no name that is looked for is longer */
	ENV_VALUES = 64,
};

/* A program file as the recorder gets at it: opened, or by its name through the helper. */
struct image {
	struct fd f;
	struct hangs *hangs;
	const struct hangpoint *slow;
	char path[PATH_MAX + 64];
};

static void image_drop(struct image *i) { fd_drop(&i->f); }

static ssize_t image_read(struct image *i, void *buf, size_t size, uint64_t off)
{
	const struct question q = { .what = ASK_READ, .off = off };
	if (i->slow)
		return hangs_ask(i->hangs, i->slow, &q, i->path, NULL, buf, size);
	ssize_t n = pread(fd_no(i->f), buf, size, (off_t)off);
	return n < 0 ? -errno : n;
}

/* A way to open the object of @s without the caller's help; @fd is its descriptor for an empty name. */
static int open_object(const struct decoder *d, const struct task *t, const struct object *o, uint32_t marks, int fd,
                       struct image *out)
{
	char *path = out->path;
	size_t size = sizeof(out->path);
	char place[WALK_MAX];
	if (o->type != FT_FILE)
		return -ENOEXEC;
	if (marks & MARK_FD)
		snprintf(path, size, "/proc/%d/fd/%d", t->tid, fd);
	else if (marks & MARK_OTHER_MNT)
		snprintf(path, size, "/proc/%d/root%s", t->tid, o->path);
	else
		snprintf(path, size, "%s", resolver_place(d->names, o->path, place, sizeof(place)));
	out->hangs = &d->names->hangs;
	out->slow = out->hangs->n && o->path ? hangs_at(out->hangs, o->path) : NULL;
	if (!out->slow)
		out->f = fd_own(open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
	return out->slow || out->f.plus1 ? 0 : -errno;
}

static bool loses_ids(const struct decoder *d, const struct task *t, const struct object *o, int fd)
{
	/* in a user namespace set-id bits of ids that it does not map do nothing anyway (namespaces(7)) */
	if (d->keep_privs || t->other_user)
		return false;
	if ((o->mode & S_ISUID) && o->uid != t->creds.uid)
		return true;
	if ((o->mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && o->gid != t->creds.gid)
		return true;
	return fd >= 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

/* The kernel opens @name on the way to running something. */
static struct seen *load(const struct decoder *d, struct task *t, struct call *c, const char *name, int *err)
{
	struct seen *s = call_add(c, t, OP_LOAD);
	*err = s ? call_object(d, t, c, s, 0, AT_FDCWD, name, RES_FOLLOW) : 1;
	if (!s || *err) {
		c->n -= s != NULL;
		return NULL;
	}
	s->outcome = predict(&d->predictor, &s->acc, &t->creds, &s->source);
	if (!s->outcome && s->acc.obj[0].type != FT_FILE)
		s->outcome = EACCES;
	return s;
}

static int shift_argv(const struct decoder *d, struct program *p, const struct shebang *line, const char *script)
{
	size_t extra = line->argument[0] ? 2 : 1;
	const char *interp = resolver_str(d->names, line->interpreter, strlen(line->interpreter));
	const char *arg = resolver_str(d->names, line->argument, strlen(line->argument));
	if (!interp || !arg)
		return -ENOMEM;
	size_t rest = p->argc ? p->argc - 1 : 0;
	rest = MIN(rest, (size_t)ARGV_MAX - extra - 1);
	memmove(p->argv + extra + 1, p->argv + 1, rest * sizeof(*p->argv));
	p->argv[0] = interp;
	if (extra == 2)
		p->argv[1] = arg;
	p->argv[extra] = script;
	p->argc = extra + 1 + rest;
	p->argv[p->argc] = NULL;
	return 0;
}

/* Follow "#!" lines and PT_INTERP from the object of c->seen[first]; its outcome is set. */
static int chain(const struct decoder *d, struct task *t, struct call *c, size_t first, int fd)
{
	const char *script = c->seen[first].acc.obj[0].spelled;
	size_t at = first;
	for (int level = 0;; level++) {
		const struct object *o = &c->seen[at].acc.obj[0];
		char head[HEAD_MAX];
		struct shebang line;
		struct elf_note elf;
		OWN(image) f = { 0 };
		int err = open_object(d, t, o, c->seen[at].acc.marks, fd, &f);
		c->program.exe = o->path;
		if (err == -EACCES || err == -EPERM) /* executable, not readable */
			return 0;
		ssize_t n = err ? err : image_read(&f, head, sizeof(head), 0);
		if (n == -ETIMEDOUT)
			c->seen[first].source = OUT_UNKNOWN;
		if (n < 0)
			return 0;
		/* without a descriptor only the mode is known; such file systems are mounted nosuid but by root */
		if (at == first && loses_ids(d, t, o, f.slow ? -1 : fd_no(f.f)))
			c->program.setid = true;
		int is = program_script(&line, head, (size_t)n);
		if (is > 0 && level < PROGRAM_LEVELS) {
			if (c->program.nfiles < LEN(c->program.files) && o->path && o->path[0] == '/')
				c->program.files[c->program.nfiles++] = o->path;
			if (shift_argv(d, &c->program, &line, script) < 0)
				return -ENOMEM;
			script = c->program.argv[0];
			struct seen *s = load(d, t, c, line.interpreter, &err);
			if (err < 0)
				return err;
			c->seen[first].outcome = s ? s->outcome : ENOENT;
			if (!s || s->outcome)
				return 0;
			at = c->n - 1;
			continue;
		}
		if (is > 0) {
			c->seen[first].outcome = ELOOP;
			return 0;
		}
		is = program_elf(&elf, head, (size_t)n);
		if (is < 0) {
			/* unless binfmt_misc knows the format; then the next notification shows it */
			c->seen[first].outcome = ENOEXEC;
			c->seen[first].source = OUT_UNKNOWN;
			return 0;
		}
		if (!is || elf.size < 2 || elf.size > PATH_MAX)
			return 0;
		char name[PATH_MAX + 1];
		n = image_read(&f, name, elf.size, elf.offset);
		if (n != (ssize_t)elf.size)
			return 0;
		name[n - 1] = 0;
		struct seen *s = load(d, t, c, name, &err);
		if (err < 0)
			return err;
		if (!s || s->outcome)
			c->seen[first].outcome = s ? s->outcome : ENOENT;
		return 0;
	}
}

/* A string of the caller, cut where it is long; NULL when it cannot be read. */
static char *word(const struct decoder *d, const struct task *t, uint64_t addr)
{
	char buf[ARG_MAX_KEPT + 4];
	ssize_t n = tmem_some(t->tid, addr, buf, ARG_MAX_KEPT);
	if (n < 0)
		return NULL;
	size_t len = strnlen(buf, (size_t)n);
	if (len == ARG_MAX_KEPT) {
		memcpy(buf + len, "...", 3);
		len += 3;
	}
	return resolver_str(d->names, buf, len);
}

static void read_argv(const struct decoder *d, const struct task *t, uint64_t addr, struct program *p)
{
	uint64_t ptr[ARGV_MAX];
	size_t bytes = 0;
	ssize_t n = tmem_some(t->tid, addr, ptr, sizeof(ptr));
	size_t have = n > 0 ? (size_t)n / sizeof(*ptr) : 0;
	for (size_t i = 0; i < have && ptr[i] && bytes < ARGS_BYTES; i++) {
		char *w = word(d, t, ptr[i]);
		if (!w)
			break;
		bytes += strlen(w) + 1;
		p->argv[p->argc++] = w;
	}
	p->argv[p->argc] = NULL;
}

static const char *const package_vars[] = { "npm_package_name=", "npm_package_version=", "npm_lifecycle_event=" };

/* One variable of the new program, @name its first @len bytes. */
static int read_var(const struct decoder *d, const struct task *t, uint64_t addr, const char *name, size_t len,
                    const char **value, struct redactor *r)
{
	const char *eq = memchr(name, '=', len);
	for (size_t k = 0; k < LEN(package_vars); k++) {
		size_t n = strlen(package_vars[k]);
		if (len >= n && !memcmp(name, package_vars[k], n)) {
			const char *all = word(d, t, addr);
			value[k] = all ? all + n : NULL;
		}
	}
	if (!eq || r->n >= ENV_VALUES || !secret_name(name, (size_t)(eq - name)))
		return 0;
	const char *all = word(d, t, addr);
	return all && redactor_add(r, all) < 0 ? -ENOMEM : 0;
}

/* Variables that say which package is at work, and values that must not stand in argv. */
static int read_env(const struct decoder *d, const struct task *t, uint64_t addr, struct program *p, struct redactor *r)
{
	const char *value[LEN(package_vars)] = { 0 };
	uint64_t ptr[ENV_AT_ONCE];
	char names[ENV_AT_ONCE][ENV_NAME];
	size_t lens[ENV_AT_ONCE], have = LEN(ptr);
	for (size_t got = 0; addr && got < ENV_MAX && have == LEN(ptr); addr += sizeof(ptr), got += have) {
		ssize_t n = tmem_some(t->tid, addr, ptr, sizeof(ptr));
		size_t mapped = n > 0 ? (size_t)n / sizeof(*ptr) : 0;
		for (have = 0; have < mapped && ptr[have]; have++)
			;
		tmem_gather(t->tid, ptr, have, ENV_NAME, names[0], lens);
		for (size_t i = 0; i < have; i++) {
			int err = read_var(d, t, ptr[i], names[i], strnlen(names[i], lens[i]), value, r);
			if (err)
				return err;
		}
	}
	if (value[0] && value[0][0]) {
		char text[512];
		int n = snprintf(text, sizeof(text), "%.300s%s%.100s", value[0], value[1] ? "@" : "", value[1] ? value[1] : "");
		p->package = resolver_str(d->names, text, (size_t)n);
	}
	p->script = value[2];
	return 0;
}

static int redact_all(const struct decoder *d, struct program *p, const struct redactor *r)
{
	const char *clean[ARGV_MAX + 1] = { 0 };
	for (size_t i = 0; i < p->argc; i++) {
		OWN(str) s = { 0 };
		redact_arg(r, &s, p->argv[i], i ? p->argv[i - 1] : NULL);
		clean[i] = s.oom ? NULL : resolver_str(d->names, str_c(&s), s.len);
		if (!clean[i])
			return -ENOMEM;
	}
	memcpy(p->argv, clean, sizeof(clean));
	return 0;
}

int decode_exec(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c)
{
	const struct sysdef *def = c->def;
	unsigned at = def->at ? (unsigned)in->args[def->at - 1] : 0;
	int dirfd = def->dir ? (int)in->args[def->dir - 1] : AT_FDCWD;
	const char *name = call_string(d, t, c, in->args[def->path - 1]);
	c->program = (struct program){ 0 };
	if (!name || (!name[0] && !(at & AT_EMPTY_PATH)))
		return 0;
	struct seen *s = call_add(c, t, OP_EXEC);
	unsigned how = (at & AT_SYMLINK_NOFOLLOW ? 0 : RES_FOLLOW) | (at & AT_EMPTY_PATH ? RES_EMPTY : 0);
	int err = call_object(d, t, c, s, 0, dirfd, name, how);
	if (err) {
		c->n--;
		return err > 0 ? 0 : err;
	}
	s->outcome = predict(&d->predictor, &s->acc, &t->creds, &s->source);
	if (!s->outcome) {
		struct redactor r = { 0 };
		for (size_t i = 0; i < d->redactor->n && !err; i++) {
			const char **more = reallocarray(r.values, r.n + 1, sizeof(*more));
			if (!more)
				err = -ENOMEM;
			else
				(r.values = more)[r.n++] = d->redactor->values[i];
		}
		read_argv(d, t, in->args[def->argv - 1], &c->program);
		c->program.bare = c->program.argc && !strcmp(c->program.argv[0], path_base(name));
		if (!err)
			err = read_env(d, t, in->args[def->argv], &c->program, &r);
		if (!err)
			err = chain(d, t, c, c->n - 1, dirfd);
		if (!err)
			err = redact_all(d, &c->program, &r);
		redactor_drop(&r);
	}
	if (err)
		return err;
	c->starts = !s->outcome || s->source == OUT_UNKNOWN;
	if (d->quiet_files)
		c->n = 0;
	return 0;
}
