/* golden_ops.h - a small language of accesses, and the pretended file system that turns it into recordings */
#pragma once

#include "base/map.h"
#include "base/path.h"
#include "base/str.h"
#include "trace/recording.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/*
 * One line is one statement; "*N" in a path stands for the numbers 0 .. N-1, each a statement.
 *   pre PATH [-> TEXT]  was there before the run (a file; ending in "/" a directory; ending in "=" a socket)
 *   root                from here on it is root with capabilities
 *   own PATH UID MODE   of something that was there before
 *   size PATH BYTES     of something that was there before
 *   run [ID]            what follows is another run
 *   as PID WORDS        the program that does what follows; "as PID < PARENT WORDS" was started by that one
 *   package NAME SCRIPT of the program
 *   r w c x t           open: read, write in place, O_CREAT, O_CREAT|O_EXCL, O_TMPFILE
 *   u cut               open: O_RDWR|O_CREAT, O_CREAT|O_TRUNC
 *   st acc cd rl ls     look, access(W_OK), chdir, readlink, list
 *   md rm mv ln sl mk   mkdir, unlink or rmdir, rename, hard link, symlink TEXT PATH, mknod
 *   ch tr ex ld         chmod, truncate, exec, load; exp: exec by a bare name, found through the PATH of the start
 *   sock bind           unix sockets by path; "@name" abstract
 *   host tcp udp        NAME:PORT asked of the proxy; address connected to (tcp: stream, udp: datagram)
 *   listen PORT         on loopback
 *   env NAME, sys NAME  variable read; system call made
 *   !ERRNO in front: it failed so.  ?: the outcome is not known
 */
enum { OPS_STATEMENTS_MAX = 1 << 22 };

struct fake {
	struct recording *r;
	struct map files; /* path -> struct fake_file */
	uint64_t seq;
	uint32_t proc;
	int line;
	bool root;
	struct host *facts; /* where fake_end() puts what was there before, as a second look at the host would see it */
};

struct fake_file {
	const char *path, *text;
	enum file_type type, was;
	uint32_t uid, mode;
	uint64_t size;
	bool pre;
};

static const char fake_home[] = "/home/someone";
static const char fake_project[] = "/home/someone/work/web";

_Noreturn static void fake_die(const struct fake *f, const char *what, const char *word)
{
	fprintf(stderr, "ops line %d: %s: %s\n", f->line, what, word);
	exit(2);
}

static const char *fake_path(struct fake *f, const char *word)
{
	struct arena *a = &f->r->arena;
	OWN(str) s = { 0 };
	OWN(str) raw = { 0 };
	/* "\xHH" for bytes that are no text */
	for (const char *p = word; *p; p++) {
		if (p[0] == '\\' && p[1] == 'x' && isxdigit((unsigned char)p[2]) && isxdigit((unsigned char)p[3])) {
			char hex[3] = { p[2], p[3], 0 };
			str_add_char(&raw, (char)strtol(hex, NULL, 16));
			p += 3;
		} else {
			str_add_char(&raw, *p);
		}
	}
	word = str_c(&raw);
	if (word[0] == '~')
		str_fmt(&s, "%s%s", fake_home, word + 1);
	else if (!strncmp(word, "{project}", 9))
		str_fmt(&s, "%s%s", fake_project, word + 9);
	else if (!strncmp(word, "{runtime}", 9))
		str_fmt(&s, "/run/user/1000%s", word + 9);
	else
		str_add(&s, word);
	if (s.len > 1 && s.p[s.len - 1] == '/')
		str_cut(&s, s.len - 1);
	return arena_str(a, str_c(&s));
}

static struct fake_file *fake_find(struct fake *f, const char *path)
{
	struct fake_file *x = map_get(&f->files, path);
	return x && x->type != FT_NONE ? x : NULL;
}

static struct fake_file *fake_put(struct fake *f, const char *path, enum file_type type)
{
	struct fake_file *x = map_get(&f->files, path);
	if (!x) {
		x = arena_alloc(&f->r->arena, sizeof(*x));
		*map_put(&f->files, path, strlen(path), NULL) = x;
		x->path = path;
	}
	x->type = type;
	return x;
}

static void fake_pre(struct fake *f, const char *path, enum file_type type, const char *text)
{
	size_t n = path_parent_len(path);
	if (strcmp(path, "/") != 0 && !fake_find(f, arena_mem(&f->r->arena, path, n)))
		fake_pre(f, arena_mem(&f->r->arena, path, n), FT_DIR, NULL);
	if (fake_find(f, path))
		return;
	struct fake_file *x = fake_put(f, path, type);
	x->pre = true;
	x->was = type;
	x->text = text;
}

static void fake_hop(struct fake *f, struct object *o, const char *path, const char *text)
{
	struct { struct hop *items; size_t n; } v = { o->hops, o->nhops };
	struct hop *h = ARENA_PUSH(&f->r->arena, &v, items, n);
	*h = (struct hop){ path, text };
	o->hops = v.items;
	o->nhops = v.n;
}

/* Walk @spelled as the kernel would, noting links; the last one only where @follow. */
static void fake_walk(struct fake *f, struct object *o, const char *spelled, bool follow, int depth)
{
	struct arena *a = &f->r->arena;
	const char *at = "/", *rest = spelled + 1;
	if (depth > 8)
		fake_die(f, "too many links", spelled);
	while (*rest) {
		size_t n = strcspn(rest, "/");
		const char *name = arena_mem(a, rest, n), *tail = rest[n] ? rest + n + 1 : rest + n;
		const char *next = path_join(a, at, name);
		struct fake_file *x = fake_find(f, next);
		if (x && x->type == FT_LINK && (*tail || follow)) {
			fake_hop(f, o, next, x->text);
			const char *to = path_join(a, at, x->text);
			fake_walk(f, o, *tail ? path_join(a, to, tail) : to, follow, depth + 1);
			return;
		}
		at = next;
		rest = tail;
	}
	o->path = at;
}

static void fake_object(struct fake *f, struct object *o, const char *spelled, bool follow)
{
	struct arena *a = &f->r->arena;
	o->spelled = spelled;
	fake_walk(f, o, spelled, follow, 0);
	struct fake_file *x = fake_find(f, o->path);
	const char *dir = path_parent(a, o->path);
	o->type = x ? x->type : FT_NONE;
	o->mode = x && x->type == FT_DIR ? 0755 : x ? 0644 : 0;
	o->uid = o->gid = o->dir_uid = o->dir_gid = 1000;
	o->nlink = x ? 1 : 0;
	o->size = x ? x->size : 0;
	o->dev = 1;
	o->dir_mode = 0755;
	o->missing = x ? 0 : 1;
	while (!x && !fake_find(f, dir)) {
		dir = path_parent(a, dir);
		o->missing++;
	}
	o->dir = dir;
	if (x && x->mode) {
		o->uid = o->gid = x->uid;
		o->mode = x->mode;
		return;
	}
	if (!path_under(dir, fake_home) && !path_under(dir, "/tmp") && !path_under(dir, "/run/user"))
		o->uid = o->gid = o->dir_uid = o->dir_gid = 0;
	if (!strcmp(dir, "/tmp"))
		o->dir_mode = 01777;
}

struct fake_verb {
	const char *word;
	enum op op;
	uint32_t flags;
	bool nofollow;
};

static const struct fake_verb fake_verbs[] = {
	{ "r", OP_OPEN, O_RDONLY, false }, { "w", OP_OPEN, O_WRONLY, false }, { "c", OP_OPEN, O_WRONLY | O_CREAT, false },
	{ "x", OP_OPEN, O_RDWR | O_CREAT | O_EXCL, true }, { "t", OP_OPEN, O_RDWR | O_TMPFILE, false },
	{ "u", OP_OPEN, O_RDWR | O_CREAT, false }, { "cut", OP_OPEN, O_WRONLY | O_CREAT | O_TRUNC, false },
	{ "ls", OP_OPEN, O_RDONLY | O_DIRECTORY, false }, { "st", OP_STAT, 0, false }, { "acc", OP_ACCESS, 2, false },
	{ "cd", OP_CHDIR, 0, false }, { "rl", OP_READLINK, 0, true }, { "md", OP_MKDIR, 0777, true },
	{ "md700", OP_MKDIR, 0700, true },
	{ "rm", OP_UNLINK, 0, true }, { "mv", OP_RENAME, 0, true }, { "ln", OP_LINK, 0, true },
	{ "sl", OP_SYMLINK, 0, true }, { "mk", OP_MKNOD, 0010644, true }, { "ch", OP_CHMOD, 0, false },
	{ "tr", OP_TRUNCATE, 0, false }, { "ex", OP_EXEC, 0, false },
	{ "exp", OP_EXEC, 0, false }, { "ld", OP_LOAD, 0, false },
	{ "sock", OP_CONNECT, SOCK_STREAM, false }, { "bind", OP_BIND, 0, true }, { "host", OP_HOST, 0, false },
	{ "tcp", OP_CONNECT, SOCK_STREAM, false }, { "udp", OP_CONNECT, SOCK_DGRAM, false },
	{ "listen", OP_LISTEN, 0, false }, { "env", OP_ENV, 0, false }, { "sys", OP_SYSCALL, 0, false },
};

/* Change the pretended file system as the call does. */
static void fake_effect(struct fake *f, const struct access *a)
{
	const struct object *o = &a->obj[0], *b = &a->obj[1];
	struct fake_file *x = o->path ? fake_find(f, o->path) : NULL;
	switch ((int)a->op) {
	case OP_OPEN:
		if (!x && a->flags & O_CREAT)
			fake_put(f, o->path, FT_FILE);
		break;
	case OP_MKDIR: fake_put(f, o->path, FT_DIR); break;
	case OP_MKNOD: fake_put(f, o->path, FT_FIFO); break;
	case OP_SYMLINK: fake_put(f, o->path, FT_LINK)->text = a->text; break;
	case OP_BIND:
		if (a->family == FAM_UNIX)
			fake_put(f, o->path, FT_SOCK);
		break;
	case OP_UNLINK: case OP_RMDIR: fake_put(f, o->path, FT_NONE); break;
	case OP_LINK: fake_put(f, b->path, o->type); break;
	case OP_RENAME: {
		size_t n = f->files.n;
		for (size_t i = 0; i < n; i++) {
			struct fake_file *c = f->files.items[i].value;
			if (c->type == FT_NONE || !path_below(c->path, o->path))
				continue;
			fake_put(f, arena_fmt(&f->r->arena, "%s%s", b->path, c->path + strlen(o->path)), c->type);
			c->type = FT_NONE;
		}
		fake_put(f, b->path, o->type);
		fake_put(f, o->path, FT_NONE);
		break;
	}
	}
}

static void fake_socket(struct fake *f, struct access *a, const char *verb, const char *word)
{
	const char *colon = strrchr(word, ':');
	a->obj[0].spelled = arena_str(&f->r->arena, word);
	if (!strcmp(verb, "env") || !strcmp(verb, "sys"))
		return;
	if (word[0] == '@') {
		a->family = FAM_ABSTRACT;
		return;
	}
	if (!colon)
		fake_die(f, "no port", word);
	a->port = (uint16_t)atoi(colon + 1);
	if (a->op != OP_HOST) {
		a->family = word[0] == '[' ? FAM_INET6 : FAM_INET;
		a->marks = a->op == OP_CONNECT ? MARK_BYPASS : 0;
	}
}

static void fake_op(struct fake *f, const struct fake_verb *v, char **words, int n, int err, bool unknown)
{
	struct event *ev = recording_add_event(f->r);
	struct access *a = &ev->acc;
	*ev = (struct event){ .seq = ++f->seq, .first_ns = f->seq * 1000, .count = 1, .proc = f->proc, .outcome = err,
	                      .source = unknown ? OUT_UNKNOWN : OUT_OBSERVED,
	                      .acc = { .op = v->op, .flags = v->flags, .uid = f->root ? 0 : 1000, .gid = f->root ? 0 : 1000,
	                               .caps = f->root } };
	bool file = v->op < OP_CONNECT || ((!strcmp(v->word, "sock") || !strcmp(v->word, "bind")) && words[0][0] != '@');
	if (!file) {
		fake_socket(f, a, v->word, words[0]);
		return;
	}
	a->family = v->op >= OP_CONNECT ? FAM_UNIX : FAM_NONE;
	if (!strcmp(v->word, "exp"))
		a->marks = MARK_PATH;
	if (v->op == OP_SYMLINK) {
		a->text = arena_str(&f->r->arena, words[0]);
		words++;
		n--;
	}
	if (n != op_objects(v->op))
		fake_die(f, "wrong number of paths for", v->word);
	for (int i = 0; i < n; i++)
		fake_object(f, &a->obj[i], fake_path(f, words[i]), !v->nofollow);
	if (v->op == OP_UNLINK && a->obj[0].type == FT_DIR)
		a->op = OP_RMDIR;
	if (!err)
		fake_effect(f, a);
}

static int fake_errno(struct fake *f, const char *word)
{
	static const struct { const char *word; int code; } rows[] = {
		{ "ENOENT", ENOENT }, { "EEXIST", EEXIST }, { "EACCES", EACCES }, { "ENOTDIR", ENOTDIR }, { "EROFS", EROFS },
		{ "ENOSYS", ENOSYS }, { "EAGAIN", EAGAIN }, { "ECONNREFUSED", ECONNREFUSED }, { "EPERM", EPERM },
	};
	for (size_t i = 0; i < LEN(rows); i++)
		if (!strcmp(rows[i].word, word))
			return rows[i].code;
	fake_die(f, "no such errno", word);
}

static void fake_program(struct fake *f, char **words, int n)
{
	struct recording *r = f->r;
	struct { struct proc *items; size_t n; } v = { r->procs, r->nprocs };
	struct proc *p = ARENA_PUSH(&r->arena, &v, items, n);
	r->procs = v.items;
	r->nprocs = v.n;
	*p = (struct proc){ .id = (uint32_t)v.n, .pid = atoi(words[0]), .cwd = fake_project };
	int from = 1;
	if (n > 2 && !strcmp(words[1], "<")) {
		for (size_t i = 0; i < v.n - 1; i++)
			if (r->procs[i].pid == atoi(words[2]))
				p->parent = (uint32_t)i + 1;
		/* the same pid again: it has executed something else */
		p->replaces = atoi(words[0]) == atoi(words[2]);
		from = 3;
	}
	p->argv = arena_array(&r->arena, (size_t)(n - from) + 1, sizeof(char *));
	for (int i = from; i < n; i++)
		p->argv[i - from] = arena_str(&r->arena, words[i]);
	p->exe = arena_fmt(&r->arena, "/usr/bin/%s", path_base(p->argv[0]));
	f->proc = p->id;
	if (r->nargv)
		return;
	r->nargv = (size_t)(n - from);
	r->argv = p->argv;
}

static void fake_statement(struct fake *f, char **words, int n)
{
	int err = 0;
	bool unknown = false;
	if (words[0][0] == '!' || words[0][0] == '?') {
		unknown = words[0][0] == '?';
		err = unknown ? 0 : fake_errno(f, words[0] + 1);
		words++;
		n--;
	}
	if (!strcmp(words[0], "pre")) {
		const char *w = words[1];
		size_t len = strlen(w);
		enum file_type t = n > 3 ? FT_LINK : w[len - 1] == '/' ? FT_DIR : w[len - 1] == '=' ? FT_SOCK : FT_FILE;
		char *path = arena_str(&f->r->arena, w);
		if (t == FT_SOCK)
			path[len - 1] = '\0';
		fake_pre(f, fake_path(f, path), t, n > 3 ? arena_str(&f->r->arena, words[3]) : NULL);
		return;
	}
	if (!strcmp(words[0], "root")) {
		f->root = f->r->host.privileged = true;
		f->r->host.uid = f->r->host.gid = 0;
		return;
	}
	if (!strcmp(words[0], "own")) {
		struct fake_file *x = n == 4 ? fake_find(f, fake_path(f, words[1])) : NULL;
		if (!x)
			fake_die(f, "owner of what", words[1]);
		x->uid = (uint32_t)atoi(words[2]);
		x->mode = (uint32_t)strtoul(words[3], NULL, 8);
		return;
	}
	if (!strcmp(words[0], "size")) {
		struct fake_file *x = n == 3 ? fake_find(f, fake_path(f, words[1])) : NULL;
		if (!x)
			fake_die(f, "size of what", words[1]);
		x->size = strtoull(words[2], NULL, 10);
		return;
	}
	if (!strcmp(words[0], "as")) {
		fake_program(f, words + 1, n - 1);
		return;
	}
	if (!strcmp(words[0], "package")) {
		f->r->procs[f->proc - 1].package = arena_str(&f->r->arena, words[1]);
		f->r->procs[f->proc - 1].script = arena_str(&f->r->arena, words[2]);
		return;
	}
	for (size_t i = 0; i < LEN(fake_verbs); i++) {
		if (!strcmp(fake_verbs[i].word, words[0])) {
			fake_op(f, &fake_verbs[i], words + 1, n - 1, err, unknown);
			return;
		}
	}
	fake_die(f, "no such word", words[0]);
}

/* Expand "*N" and split into words. */
static void fake_line(struct fake *f, const char *line)
{
	const char *star = strchr(line, '*');
	int times = star && isdigit((unsigned char)star[1]) ? atoi(star + 1) : 0;
	if (times) {
		const char *end = star + 1 + strspn(star + 1, "0123456789");
		for (int i = 0; i < times; i++) {
			OWN(str) s = { 0 };
			str_fmt(&s, "%.*s%d%s", (int)(star - line), line, i, end);
			fake_line(f, str_c(&s));
		}
		return;
	}
	char *copy = strdup(line), *words[32], *save = NULL;
	int n = 0;
	for (char *w = strtok_r(copy, " \t", &save); w && n < 31; w = strtok_r(NULL, " \t", &save))
		words[n++] = w;
	words[n] = NULL;
	if (n)
		fake_statement(f, words, n);
	free(copy);
}

static void fake_start(struct fake *f, struct recording *r, const char *id)
{
	static const char *const usual[] = {
		"~/Documents/doc*40.txt", "~/Downloads/d1.bin", "~/.bashrc", "~/.ssh/id_rsa", "~/.ssh/known_hosts",
		"~/.aws/credentials", "~/.config/Code/s", "~/.cache/pip/f", "~/.local/share/", "/tmp/other", "{project}/main.c",
		"/run/user/1000/", "/usr/bin/tool", "/etc/passwd", "/opt/", "/srv/",
	};
	*f = (struct fake){ .r = r };
	struct host *h = &r->host;
	h->cwd = h->project = fake_project;
	h->home = fake_home;
	h->tmp = "/tmp";
	h->runtime = "/run/user/1000";
	h->cache = "/home/someone/.cache";
	h->config = "/home/someone/.config";
	h->data = "/home/someone/.local/share";
	h->state = "/home/someone/.local/state";
	h->user = "someone";
	h->uid = h->gid = 1000;
	r->id = arena_str(&r->arena, id);
	for (size_t i = 0; i < LEN(usual); i++) {
		OWN(str) s = { 0 };
		str_fmt(&s, "pre %s", usual[i]);
		fake_line(f, str_c(&s));
	}
}

static void fake_end(struct fake *f)
{
	struct recording *r = f->r;
	for (size_t i = 0; i < r->nevents; i++) {
		struct event *ev = &r->events[i];
		const struct object *o = &ev->acc.obj[op_objects(ev->acc.op) - 1];
		ev->survives = !ev->outcome && o->path && fake_find(f, o->path);
	}
	/* counts of what was there before the run */
	OWN(map) dirs = { 0 };
	for (size_t i = 0; i < f->files.n; i++) {
		struct fake_file *x = f->files.items[i].value;
		if (!x->pre || !strcmp(x->path, "/"))
			continue;
		const char *dir = path_parent(&r->arena, x->path);
		void **slot = map_put(&dirs, dir, strlen(dir), NULL);
		struct dirfact *d = *slot;
		if (!d) {
			struct { struct dirfact *items; size_t n; } v = { r->dirs, r->ndirs };
			d = ARENA_PUSH(&r->arena, &v, items, n);
			r->dirs = v.items;
			r->ndirs = v.n;
			d->path = dir;
			*slot = (void *)(uintptr_t)v.n;
		} else {
			d = &r->dirs[(uintptr_t)d - 1];
		}
		/* what the run removed has no type any more, but was a file: directories are told by their children */
		d->dirs += x->type == FT_DIR;
		d->files += x->type != FT_DIR && x->type != FT_LINK;
	}
	for (size_t i = 0; f->facts && i < f->files.n; i++) {
		struct fake_file *x = f->files.items[i].value;
		if (!x->pre)
			continue;
		struct object o = { 0 };
		struct host_file h = { .path = x->path, .type = x->was, .real = x->path, .real_type = x->was, .mode = 0644,
		                       .uid = 1000, .gid = 1000 };
		if (x->was == FT_LINK) {
			fake_walk(f, &o, x->path, true, 0);
			struct fake_file *end = map_get(&f->files, o.path);
			h.real = o.path;
			h.real_type = end && end->pre ? end->was : FT_NONE;
			h.hops = o.hops;
			h.nhops = o.nhops;
		}
		if (x->was == FT_DIR)
			h.mode = 0755;
		if (!host_file(f->facts, x->path) && host_add_file(f->facts, &h))
			exit(2);
		/* and what is seen through a link to a directory */
		for (size_t k = 0; x->was == FT_LINK && k < f->files.n; k++) {
			struct fake_file *y = f->files.items[k].value;
			if (!y->pre || y->was == FT_LINK || !path_below(y->path, h.real))
				continue;
			struct host_file via = h;
			via.path = arena_fmt(&r->arena, "%s%s", x->path, y->path + strlen(h.real));
			via.type = via.real_type = y->was;
			via.real = y->path;
			if (host_add_file(f->facts, &via))
				exit(2);
		}
	}
	r->ended = true;
	map_drop(&f->files);
}

/* The recordings that @text describes; at most @max. */
UNUSED static size_t fake_recordings(struct recording *out, size_t max, const char *text)
{
	struct fake f;
	size_t n = 0;
	int line_no = 0;
	char *copy = strdup(text), *save = NULL;
	fake_start(&f, &out[n++], "20261129-202829-tool-0001");
	fake_line(&f, "as 4711 tool");
	/* empty lines count for messages only when strtok keeps them; it does not, so messages count statements */
	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		f.line = ++line_no;
		if (line[0] == '#')
			continue;
		if (!strncmp(line, "run", 3) && (!line[3] || line[3] == ' ')) {
			fake_end(&f);
			if (n == max)
				fake_die(&f, "too many runs", line);
			fake_start(&f, &out[n], line[3] ? line + 4 : arena_fmt(&out[n].arena, "20261129-202829-tool-000%zu", n + 1));
			n++;
			f.line = line_no;
			fake_line(&f, "as 4711 tool");
			continue;
		}
		fake_line(&f, line);
	}
	fake_end(&f);
	free(copy);
	return n;
}
