/* wants.c - the accesses of one round */
#include "tests/difftest/draw.h"

#include "base/path.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATH(...) arena_fmt(&r->arena, __VA_ARGS__)
#define PICK(list) (list)[draw(r, LEN(list))]

static struct want *add(struct round *r, enum want_class class, const char *word, long flags, const char *path,
                        const char *second)
{
	struct { struct want *items; size_t n; } v = { r->wants, r->nwants };
	struct want *w = ARENA_PUSH(&r->arena, &v, items, n);
	*w = (struct want){ .class = class, .word = word, .flags = flags, .path = path, .second = second };
	r->wants = v.items;
	r->nwants = v.n;
	return w;
}

/* Another way to write @path, which lies in @a. */
static const char *spell(struct round *r, const struct area *a, const char *path)
{
	size_t n = strlen(a->path);
	const char *rest = path + n;
	for (size_t i = n + 3; i <= strlen(path); i++)
		if (path[i] == '/' || !path[i])
			use(r, PATH("%.*s", (int)i, path));
	use(r, PATH("%.*s/lD", (int)n + 2, path));
	if (r->home_as[strlen(r->home_as) - 1] == 'l' && path_under(path, r->home) && chance(r, 30))
		return PATH("%s%s", r->home_as, path + strlen(r->home));
	if (r->project_as != r->project && path_under(path, r->project) && chance(r, 30))
		return PATH("%s%s", r->project_as, path + strlen(r->project));
	switch (draw(r, 12)) {
	case 0: return PATH("%s/.%s", a->path, rest);
	case 1: return PATH("%s/%s", a->path, rest);
	case 2: return PATH("%s%s", a->link, rest);
	case 3: return PATH("%.*s/d/..%s", (int)n + 2, path, rest + 2);
	case 4: return PATH("%.*s/lD/../%s", (int)n + 2, path, rest + 2 + (rest[2] == '/'));
	case 5: {
		const char *up = "";
		for (const char *p = r->project; *p; p++)
			if (*p == '/')
				up = PATH("../%s", up);
		return PATH("%s%s", up, path + 1);
	}
	}
	return path;
}

static const char *new_slot(struct round *r, struct area *a)
{
	return a->next < SLOTS ? PATH("%s/%d", a->path, a->next++) : NULL;
}

/* An object of the slot; @root_too: also those that only root could make */
static const char *object(struct round *r)
{
	static const char *const plain[] = {
		"f", "f", "g", "r", "z", "n", "x", "d", "d/in", "e", "c", "v", "p", "k", "lr", "la", "lc", "ld", "lD", "lu", "lx",
		"lk", "lo", "l1", "lD/in", "c/in",
	};
	static const char *const theirs[] = { "q", "Q", "D", "D/in", "w", "w/q", "C", "C/in", "m", "m/in", "m/e", "M", "y", "y" };
	static const char *const absent[] = { "nope", "nope/x", "f/x", "made", "madef", "absent", "made/x", "e/nope", "lD/nope" };
	if (r->root && chance(r, 20))
		return PICK(theirs);
	return chance(r, 20) ? PICK(absent) : PICK(plain);
}

/* Everybody's names, only ever looked at. */
static const char *common(struct round *r)
{
	static const char *const names[] = {
		"/", "/etc", "/etc/passwd", "/etc/shadow", "/etc/group", "/etc/gshadow", "/dev", "/dev/null", "/dev/zero", "/dev/full",
		"/dev/urandom", "/dev/kmsg", "/dev/mem", "/dev/shm", "/dev/pts", "/dev/fd", "/dev/loop0", "/dev/kvm", "/dev/ptmx",
		"/proc", "/proc/self", "/proc/self/status", "/proc/self/exe", "/proc/meminfo", "/proc/cpuinfo",
		"/proc/sys/kernel/ostype", "/sys", "/sys/class", "/bin/sh", "/bin", "/usr/bin/env", "/lib", "/usr", "/usr/lib",
		"/home", "/root", "/tmp", "/run", "/var", "/var/tmp", "/opt", "/boot", "/etc/ssh", "/nonexistent",
		"/nonexistent/x", "/usr/nonexistent", "/etc/hostname",
	};
	switch (draw(r, 8)) {
	case 0: return chance(r, 50) ? r->home : r->home_as;
	case 1: return r->project;
	case 2: return chance(r, 50) ? r->data : r->base;
	case 3: return PATH("/proc/%d/%s", (int)getpid(), chance(r, 50) ? "status" : "");
	}
	return PICK(names);
}

static void want_read(struct round *r, const struct area *a, const char *at)
{
	static const long flags[] = { 0, 0, 0, O_DIRECTORY, O_NOFOLLOW, O_PATH, O_PATH | O_NOFOLLOW, O_NOATIME, O_CREAT };
	static const char *const words[] = { "stat", "lstat", "access", "readlink", "chdir", "open", "open" };
	const char *word = PICK(words);
	bool shared = chance(r, 30);
	const char *path = shared ? common(r) : spell(r, a, PATH("%s/%s", at, object(r)));
	long f = !strcmp(word, "access") ? (long)draw(r, 8) : !strcmp(word, "open") ? PICK(flags) : 0;
	if (shared)
		f &= strncmp(path, "/proc/", 6) != 0 || !strcmp(word, "open") ? ~(long)O_CREAT : R_OK;
	if (!shared && chance(r, 6))
		path = PATH("%s/", path);
	if (chance(r, 8)) {
		static const char *const names[] = { "f", "g", "z", "x", "d", "lr", "la", "k", "nope" };
		const char *name = PICK(names);
		path = PATH("%s/%s", at, name);
		spell(r, a, path);
		add(r, C_READ, "openat", chance(r, 20) ? O_RDWR : O_RDONLY, path, name);
		return;
	}
	add(r, C_READ, word, f, path, "");
}

static void want_write(struct round *r, const struct area *a, const char *at)
{
	static const long flags[] = {
		O_WRONLY, O_RDWR, O_WRONLY | O_TRUNC, O_RDWR | O_APPEND, O_WRONLY | O_CREAT, O_RDWR | O_CREAT | O_TRUNC,
		O_WRONLY | O_CREAT | O_TRUNC, O_TRUNC,
	};
	static const char *const devices[] = { "/dev/null", "/dev/full", "/dev/zero", "/proc/self/comm", "/dev/kmsg" };
	if (chance(r, 10))
		add(r, C_WRITE, "open", chance(r, 50) ? O_WRONLY : O_RDWR, PICK(devices), "");
	else if (chance(r, 20))
		add(r, C_WRITE, "truncate", 0, spell(r, a, PATH("%s/%s", at, object(r))), "");
	else {
		const char *o = chance(r, 8) ? "p" : object(r);
		long f = PICK(flags);
		if (!strcmp(o, "p") && f & O_WRONLY) /* waits for a reader */
			f = (f & ~(long)O_ACCMODE) | O_RDWR;
		add(r, C_WRITE, "open", f, spell(r, a, PATH("%s/%s", at, o)), "");
	}
}

static const char *new_name(struct round *r, const struct area *a, const char *at, const char **makes)
{
	static const char *const names[] = { "new", "new", "new", "d/new", "e/new", "c/new", "v/new", "nope/new", "lD/new", "f/new",
	                                     "w/new", "D/new", "m/new", "M/new" };
	const char *const dirs[] = { r->home, r->project, r->data, r->tmp, a->path };
	size_t k = draw(r, LEN(names));
	if (!r->root && k >= 10)
		k = 0;
	*makes = PATH("%s/%s", at, k == 8 ? "d/new" : names[k]);
	if (chance(r, 20))
		return *makes = PATH("%s/new%zu", PICK(dirs), r->nwants);
	if (chance(r, 5))
		return *makes = PATH("%s%zu", r->loose, r->nwants);
	return spell(r, a, PATH("%s/%s", at, names[k]));
}

static void want_create(struct round *r, const struct area *a, const char *at)
{
	static const long flags[] = { O_CREAT | O_WRONLY, O_CREAT | O_EXCL | O_RDWR, O_CREAT | O_RDONLY,
	                              O_CREAT | O_EXCL | O_WRONLY | O_TRUNC, O_CREAT | O_WRONLY | O_NOFOLLOW };
	static const long kinds[] = { S_IFIFO | 0600, S_IFSOCK | 0600, S_IFREG | 0600, S_IFCHR | 0600, S_IFIFO | 0644 };
	static const char *const words[] = { "open", "open", "mkdir", "symlink", "mknod" };
	static const char *const there[] = { "/usr", "/etc", "/tmp", "/dev", "/proc", "/usr/bin", "/home" };
	static const char *const dirs[] = { "d", "e", "c", "v", "nope", "f", "lD" };
	const char *word = PICK(words), *makes = NULL;
	bool fresh = chance(r, 75);
	if (chance(r, 6)) {
		add(r, C_CREATE, "open", O_TMPFILE | O_RDWR, spell(r, a, PATH("%s/%s", at, PICK(dirs))), "");
		return;
	}
	const char *o = object(r);
	if (!strcmp(o, "p"))
		o = "f";
	const char *path = fresh ? new_name(r, a, at, &makes) : spell(r, a, PATH("%s/%s", at, o));
	long f = !strcmp(word, "open") ? PICK(flags) : !strcmp(word, "mknod") ? PICK(kinds) : 0;
	if (!strcmp(word, "mkdir") && chance(r, 10)) {
		path = PICK(there);
		makes = NULL;
	}
	if (chance(r, 5))
		path = PATH("%s/", path);
	if (f == (O_CREAT | O_RDONLY) && !fresh)
		f |= O_EXCL;
	struct want *w = add(r, C_CREATE, word, f, path, !strcmp(word, "symlink") ? "target" : "");
	w->makes = makes;
}

static void want_remove(struct round *r, const struct area *a, const char *at)
{
	static const char *const empty[] = { "e", "e", "v", "f", "lD", "nope", "made", "k", "madef", "nope/x", "c/in", "f/x" };
	if (chance(r, 40))
		add(r, C_REMOVE, "rmdir", 0, spell(r, a, PATH("%s/%s", at, PICK(empty))), "");
	else
		add(r, C_REMOVE, "unlink", 0, spell(r, a, PATH("%s/%s", at, object(r))), "");
}

static void want_two(struct round *r, struct area *areas, const struct area *a, const char *at)
{
	static const char *const from[] = { "f", "f", "f", "g", "d", "e", "z", "x", "k", "p", "lr", "d/in", "nope", "c/in", "v", "ld",
	                                    "q", "w/q", "Q", "m/in", "m" };
	static const char *const to[] = { "new", "new", "new", "d/new", "g", "e", "nope/new", "f", "c/new", "lr", "x", "made",
	                                  "madef", "v/new", "w/new", "m/new", "M/new" };
	size_t nfrom = r->root ? LEN(from) : LEN(from) - 5, nto = r->root ? LEN(to) : LEN(to) - 3;
	const struct area *other = a;
	const char *there = at;
	if (chance(r, 40)) {
		struct area *b = &areas[draw(r, AREAS)];
		const char *s = new_slot(r, b);
		other = s ? b : a;
		there = s ? s : at;
	}
	const char *x = PATH("%s/%s", at, from[draw(r, nfrom)]), *y = PATH("%s/%s", there, to[draw(r, nto)]);
	const char *makes = strstr(y, "new") ? y : NULL;
	if (chance(r, 12)) {
		const char *const dirs[] = { r->home, r->project, r->data, r->tmp };
		y = makes = PATH("%s/new%zu", PICK(dirs), r->nwants);
		other = NULL;
	}
	x = spell(r, a, x);
	y = other ? spell(r, other, y) : y;
	bool link = chance(r, 35);
	long f = link ? 0 : chance(r, 15) ? RENAME_NOREPLACE : chance(r, 12) ? RENAME_EXCHANGE : 0;
	struct want *w = add(r, C_TWO, link ? "link" : "rename", f, x, y);
	w->makes = makes;
}

static void want_meta(struct round *r, const struct area *a, const char *at)
{
	static const char *const words[] = { "chmod", "chown", "utime", "setxattr" };
	add(r, C_META, PICK(words), 0, spell(r, a, PATH("%s/%s", at, object(r))), "");
}

static void want_exec(struct round *r, const struct area *a, const char *at)
{
	static const char *const names[] = { "x", "x", "x", "lx", "n", "d", "k", "p", "nope", "z", "f/x", "c/in", "x/" };
	static const char *const programs[] = { "/bin/true", "/usr/bin/true", "/nonexistent/true", "/etc/passwd", "/usr" };
	if (chance(r, 10))
		add(r, C_EXEC, "exec", 0, PICK(programs), "");
	else
		add(r, C_EXEC, "exec", 0, spell(r, a, PATH("%s/%s", at, PICK(names))), "");
}

static void want_socket(struct round *r, const struct area *a, const char *at)
{
	static const char *const peers[] = { "k", "k", "k", "lk", "f", "nope", "d", "nope/k", "c/in" };
	static const char *const names[] = { "new", "new", "d/new", "nope/new", "k", "f", "v/new", "madef" };
	static const struct { const char *word, *host, *type; long port; } inet[] = {
		{ "cinet", "127.0.0.1", "stream", 9 },     { "cinet", "::1", "stream", 9 },      { "cinet", "192.0.2.1", "dgram", 53 },
		{ "cinet", "2001:db8::1", "dgram", 53 },   { "binet", "127.0.0.1", "stream", 40001 },
		{ "binet", "0.0.0.0", "stream", 40002 },   { "binet", "192.0.2.1", "stream", 40003 },
		{ "binet", "127.0.0.1", "stream", 80 },    { "binet", "::", "dgram", 40004 },     { "cinet", "127.0.0.1", "dgram", 53 },
	};
	size_t k = draw(r, LEN(inet));
	struct want *w;
	if (!r->net_host && chance(r, 12)) { /* of the host's own network nobody knows beforehand who listens */
		if (strchr(inet[k].host, ':') && access("/proc/net/if_inet6", F_OK))
			k = 0; /* no IPv6 here */
		w = add(r, C_SOCKET, inet[k].word, inet[k].port, inet[k].host, inet[k].type);
		w->inside = true;
		return;
	}
	if (chance(r, 8)) {
		add(r, C_SOCKET, "connect", 0, r->net_host || chance(r, 50) ? PATH("@difft-host-%d", (int)getpid()) : "@difft-nobody", "");
		return;
	}
	bool bind = chance(r, 45);
	const char *plain = PATH("%s/%s", at, bind ? PICK(names) : PICK(peers));
	const char *path = spell(r, a, plain);
	w = add(r, C_SOCKET, bind ? "bind" : "connect", 0, strlen(path) < 100 ? path : plain, "");
	w->makes = bind && strstr(plain, "new") ? plain : NULL;
}

/* Sequences on names of the command's own: made, used, moved, removed. */
static void chain(struct round *r, const char *dir)
{
	const char *n = PATH("%s%sc%zu", dir, dir[strlen(dir) - 1] == '-' ? "" : "/", r->nwants), *m = PATH("%sm", n);
#define STEP(class, word, flags, path, second) (add(r, class, word, flags, path, second)->chain = true)
	STEP(C_CREATE, "mkdir", 0, n, "");
	STEP(C_CREATE, "open", O_CREAT | O_EXCL | O_WRONLY, PATH("%s/f", n), "");
	STEP(C_READ, "stat", 0, PATH("%s/f", n), "");
	STEP(C_READ, "open", O_RDONLY, PATH("%s/f", n), "");
	STEP(C_WRITE, "open", O_RDWR, PATH("%s/f", n), "");
	STEP(C_WRITE, "truncate", 0, PATH("%s/f", n), "");
	STEP(C_META, "chmod", 0, PATH("%s/f", n), "");
	STEP(C_META, chance(r, 50) ? "utime" : "chown", 0, PATH("%s/f", n), "");
	STEP(C_CREATE, "symlink", 0, PATH("%s/l", n), "f");
	STEP(C_READ, "open", O_RDONLY, PATH("%s/l", n), "");
	STEP(C_READ, "readlink", 0, PATH("%s/l", n), "");
	STEP(C_TWO, "link", 0, PATH("%s/f", n), PATH("%s/h", n));
	STEP(C_TWO, "rename", 0, PATH("%s/h", n), PATH("%s/i", n));
	STEP(C_REMOVE, "unlink", 0, PATH("%s/h", n), "");
	STEP(C_EXEC, "exec", 0, PATH("%s/x", n), "");
	STEP(C_CREATE, "install", O_CREAT | O_EXCL | O_WRONLY, PATH("%s/x", n), "");
	STEP(C_EXEC, "exec", 0, PATH("%s/x", n), "");
	STEP(C_SOCKET, "bind", 0, PATH("%s/s", n), "");
	STEP(C_SOCKET, "connect", 0, PATH("%s/s", n), "");
	STEP(C_TWO, "rename", 0, n, m);
	STEP(C_READ, "stat", 0, PATH("%s/f", n), "");
	STEP(C_READ, "stat", 0, PATH("%s/f", m), "");
	STEP(C_REMOVE, "unlink", 0, PATH("%s/i", m), "");
	STEP(C_REMOVE, "unlink", 0, PATH("%s/i", m), "");
	STEP(C_CREATE, "mkdir", 0, PATH("%s/d", m), "");
	STEP(C_REMOVE, "rmdir", 0, PATH("%s/d", m), "");
	STEP(C_WRITE, "open", O_WRONLY, PATH("%s/f", m), "");
	STEP(C_META, "setxattr", 0, PATH("%s/f", m), "");
	const char *name = PATH("@difft-own-%zu", r->nwants);
	STEP(C_SOCKET, "bind", 0, name, "");
	STEP(C_SOCKET, "connect", 0, name, "");
#undef STEP
}

/* Of those that are let through only what answers here. */
static void hosts(struct round *r)
{
	static const char *const shut[] = { "nobody.example", "a.denied.example", "shut.granted.example", "192.0.2.7", "granted.example" };
	const char *const open[] = { "127.0.0.1", "localhost" };
	for (int n = 0; r->net_proxy && n < 4; n++) {
		bool opened = chance(r, 50);
		const char *name = opened ? PICK(open) : PICK(shut);
		long port = opened && chance(r, 70) ? (long)r->port : !strcmp(name, "granted.example") ? 81 : chance(r, 50) ? 80 : 8443;
		add(r, C_OTHER, "host", port, name, "")->inside = true;
	}
}

/* What is no file: variables, system calls, hosts by name. */
static void others(struct round *r)
{
	hosts(r);
	static const char *const names[] = { "PATH", "HOME", "DIFFT_AA", "DIFFT_AB", "DIFFT_B", "DIFFT_SET", "TERM", "LC_ALL",
	                                     "SSH_AUTH_SOCK" };
#define CALL(name) { #name, SYS_##name }
	static const struct { const char *name; long nr; } calls[] = {
		CALL(mount), CALL(umount2), CALL(ptrace), CALL(bpf), CALL(keyctl), CALL(add_key), CALL(io_uring_setup), CALL(unshare),
		CALL(setns), CALL(clone3), CALL(process_vm_readv), CALL(userfaultfd), CALL(perf_event_open),
		CALL(open_by_handle_at), CALL(pidfd_getfd), CALL(sethostname), CALL(settimeofday), CALL(getpid),
		CALL(swapon), CALL(fsopen), CALL(open_tree), CALL(syslog), CALL(sched_setaffinity),
	};
#undef CALL
	for (size_t i = 0; i < LEN(names); i++)
		if (chance(r, 40))
			add(r, C_OTHER, "env", 0, names[i], "")->inside = true;
	for (int n = 0; n < 5; n++) {
		size_t i = draw(r, LEN(calls));
		/* what is allowed fails with an errno of its own */
		if (r->userns && (!strcmp(calls[i].name, "setns") || !strcmp(calls[i].name, "clone3")))
			continue;
		if (r->ptrace && !strncmp(calls[i].name, "process_vm", 10))
			continue;
		if (strcmp(calls[i].name, "sched_setaffinity") != 0 || strstr(str_c(&r->yaml), calls[i].name))
			add(r, C_OTHER, "syscall", calls[i].nr, calls[i].name, "")->inside = true;
	}
}

void draw_wants(struct round *r, struct area *areas)
{
	const char *const dirs[] = { r->home, r->loose, r->home_as, r->project, r->project_as, r->data, r->shm };
	for (int left = AREAS * SLOTS; left; left--) {
		struct area *a = &areas[draw(r, AREAS)];
		const char *at = new_slot(r, a);
		if (!at)
			continue;
		switch ((enum want_class)draw(r, C_OTHER)) {
		case C_READ: want_read(r, a, at); break;
		case C_WRITE: want_write(r, a, at); break;
		case C_CREATE: want_create(r, a, at); break;
		case C_REMOVE: want_remove(r, a, at); break;
		case C_TWO: want_two(r, areas, a, at); break;
		case C_META: want_meta(r, a, at); break;
		case C_EXEC: want_exec(r, a, at); break;
		case C_SOCKET: want_socket(r, a, at); break;
		case C_OTHER: case C_COUNT: break;
		}
	}
	chain(r, PICK(dirs));
	others(r);
}
