#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/path.h"
#include "profiles/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* variables are another file's; weak, so that the library's own wins where it is linked */
__attribute__((weak)) enum verdict policy_ask_env(const struct policy *pol, const char *name, const struct src **by)
{
	(void)pol, (void)name;
	*by = NULL;
	return V_MISSING;
}

/* A hand-made view: the judge is tested without resolver and engine; tests/difftest compares with the engine. */
static const struct place places[] = {
	{ .kind = PLACE_BIND, .path = "/usr", .type = FT_DIR, .mode = BIND_RO, .src = { .origin = "builtin:base", .line = 1 } },
	{ .kind = PLACE_LINK, .path = "/bin", .text = "usr/bin" },
	{ .kind = PLACE_STUB, .path = "/etc/passwd", .type = FT_FILE },
	{ .kind = PLACE_TMPFS, .path = "/home/u", .type = FT_DIR },
	{ .kind = PLACE_BIND, .path = "/home/u/.npmrc", .type = FT_FILE, .mode = BIND_RO },
	{ .kind = PLACE_BIND, .path = "/home/u/.gone", .type = FT_NONE, .mode = BIND_RO, .optional = true },
	{ .kind = PLACE_BIND, .path = "/home/u/.cache/dep", .type = FT_NONE, .mode = BIND_RW, .create = CREATE_DIR },
	{ .kind = PLACE_COPY, .path = "/home/u/.gitconfig", .type = FT_FILE, .mode = BIND_COPY },
	{ .kind = PLACE_BIND, .path = "/home/u/p", .type = FT_DIR, .mode = BIND_RW, .src = { .origin = "--project" } },
	{ .kind = PLACE_FENCE, .path = "/home/u/p/.git", .type = FT_DIR, .src = { .origin = "user:web", .line = 7 } },
	{ .kind = PLACE_MASK, .path = "/home/u/p/.env", .type = FT_FILE },
	{ .kind = PLACE_PIN, .path = "/home/u/p/sub", .type = FT_DIR },
	{ .kind = PLACE_MASK, .path = "/home/u/p/sub/keys", .type = FT_DIR, .deny = true },
	{ .kind = PLACE_BIND, .path = "/home/u/link", .source = "/home/u/link", .type = FT_FILE, .mode = BIND_RO },
	{ .kind = PLACE_BIND, .path = "/opt/x/y", .type = FT_DIR, .mode = BIND_RO },
	{ .kind = PLACE_TMPFS, .path = "/tmp", .type = FT_DIR },
	{ .kind = PLACE_BIND, .path = "/run/agent", .type = FT_SOCK, .mode = BIND_RO },
	{ .kind = PLACE_PROC, .path = "/proc", .type = FT_DIR },
	{ .kind = PLACE_DEV, .path = "/dev", .type = FT_DIR },
};

static void policy_fill(struct policy *pol)
{
	*pol = (struct policy){ .uid = 1000, .gid = 1000 };
	pol->nplaces = LEN(places);
	pol->places = arena_array(&pol->arena, LEN(places), sizeof(places[0]));
	memcpy(pol->places, places, sizeof(places));
	for (size_t i = 0; i < LEN(places); i++)
		*map_put(&pol->by_path, places[i].path, strlen(places[i].path), NULL) = (void *)(uintptr_t)(i + 1);
}

static void policy_empty(struct policy *pol)
{
	map_drop(&pol->by_path);
	arena_drop(&pol->arena);
}

/* One object; type FT_NONE: its last @missing names are not there. */
struct thing {
	const char *path;
	enum file_type type;
	uint32_t missing;
	struct hop hops[2];
	uint32_t mode, uid;
};

struct row {
	const char *name;
	enum op op;
	uint32_t flags;
	struct thing a, b;
	enum verdict verdict;
	int err;
	uint32_t marks;
	bool caps;
	int walk_err;
};

static void fill(struct object *o, struct thing *t, char *dir, size_t size)
{
	uint32_t missing = t->type == FT_NONE && !t->missing ? 1 : t->missing;
	size_t n = strlen(t->path);
	for (uint32_t up = missing ? missing : 1; up; up--) {
		while (n && t->path[n - 1] != '/')
			n--;
		n = n > 1 ? n - 1 : 1;
	}
	snprintf(dir, size, "%.*s", (int)n, t->path);
	*o = (struct object){ .spelled = t->path, .path = t->path, .type = t->type, .missing = missing, .dir = dir,
	                      .mode = t->mode ? t->mode : 0755, .uid = t->uid ? t->uid : 1000, .gid = 1000,
	                      .dir_mode = 0755, .dir_uid = 1000, .dir_gid = 1000, .hops = t->hops };
	while (o->nhops < 2 && t->hops[o->nhops].path)
		o->nhops++;
}

static struct judgement ask(const struct policy *pol, const struct row *r, struct made *m, bool apply)
{
	struct row copy = *r;
	char dirs[2][256];
	struct access a = { .op = r->op, .flags = r->flags, .marks = r->marks, .uid = 1000, .gid = 1000, .caps = r->caps };
	fill(&a.obj[0], &copy.a, dirs[0], sizeof(dirs[0]));
	a.obj[0].walk_err = r->walk_err;
	if (r->b.path)
		fill(&a.obj[1], &copy.b, dirs[1], sizeof(dirs[1]));
	if (r->op == OP_CONNECT || r->op == OP_BIND)
		a.family = FAM_UNIX;
	struct judgement j = policy_judge(pol, &a, NULL, m);
	if (apply)
		assert_int_equal(made_apply(m, pol, &a, &j), 0);
	return j;
}

static void check(const struct row *rows, size_t n, bool sequence)
{
	struct policy pol;
	OWN(made) m = { 0 };
	policy_fill(&pol);
	for (size_t i = 0; i < n; i++) {
		struct judgement j = ask(&pol, &rows[i], &m, sequence);
		if (j.verdict != rows[i].verdict || j.err != rows[i].err)
			fail_msg("%s: %s %s (%s), wanted %s %s", rows[i].name, verdict_word(j.verdict), strerror(j.err), j.why,
			         verdict_word(rows[i].verdict), strerror(rows[i].err));
	}
	policy_empty(&pol);
}

#define F(p)       { p, FT_FILE, 0, { { 0 } }, 0, 0 }
#define D(p)       { p, FT_DIR, 0, { { 0 } }, 0, 0 }
#define N(p, n)    { p, FT_NONE, n, { { 0 } }, 0, 0 }
#define L(p)       { p, FT_LINK, 0, { { 0 } }, 0, 0 }
#define S(p)       { p, FT_SOCK, 0, { { 0 } }, 0, 0 }
#define C(p)       { p, FT_CHR, 0, { { 0 } }, 0666, 0 }
#define P(p)       { p, FT_FIFO, 0, { { 0 } }, 0, 0 }
#define VIA(p, l, t) { p, FT_FILE, 0, { { l, t } }, 0, 0 }
#define OLD(p, m, u) { p, FT_FILE, 0, { { 0 } }, m, u }
#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define NONE { NULL, 0, 0, { { 0 } }, 0, 0 }
#define ONE(name, op, flags, a, v, e) { name, op, flags, a, NONE, v, e, 0, false, 0 }
#define TWO(name, op, flags, a, b, v, e) { name, op, flags, a, b, v, e, 0, false, 0 }

static void what_is_granted_stays_and_what_is_not_is_absent(void **state)
{
	(void)state;
	static const struct row rows[] = {
		ONE("read below a bind", OP_OPEN, O_RDONLY, F("/usr/lib/x.so"), V_GRANTED, 0),
		ONE("missing below a bind as outside", OP_STAT, 0, N("/usr/lib/no", 1), V_GRANTED, ENOENT),
		ONE("two missing below a bind", OP_OPEN, O_CREAT | O_WRONLY, N("/home/u/p/a/b", 2), V_GRANTED, ENOENT),
		ONE("outside every place", OP_OPEN, O_RDONLY, F("/etc/shadow"), V_MISSING, ENOENT),
		ONE("no parent at all", OP_STAT, 0, F("/srv/x/y"), V_MISSING, ENOENT),
		ONE("stub", OP_OPEN, O_RDONLY, F("/etc/passwd"), V_GRANTED, 0),
		ONE("auto-made directory", OP_STAT, 0, D("/opt/x"), V_GRANTED, 0),
		ONE("beside a bind", OP_STAT, 0, D("/opt/x/z"), V_MISSING, ENOENT),
		ONE("home is empty", OP_OPEN, O_RDONLY, F("/home/u/.bashrc"), V_MISSING, ENOENT),
		ONE("granted file in home", OP_OPEN, O_RDONLY, F("/home/u/.npmrc"), V_GRANTED, 0),
		ONE("optional and absent", OP_OPEN, O_RDONLY, N("/home/u/.gone", 1), V_PRIVATE, ENOENT),
		ONE("copy", OP_OPEN, O_RDWR, F("/home/u/.gitconfig"), V_PRIVATE, 0),
		ONE("created before the run", OP_MKDIR, 0755, N("/home/u/.cache/dep", 1), V_MISSING, EEXIST),
		ONE("write below what is created", OP_OPEN, O_CREAT | O_WRONLY, N("/home/u/.cache/dep/f", 2), V_GRANTED, 0),
		ONE("device", OP_OPEN, O_RDWR, C("/dev/null"), V_GRANTED, 0),
		ONE("no such device inside", OP_OPEN, O_RDWR, C("/dev/kvm"), V_MISSING, ENOENT),
		ONE("own process", OP_OPEN, O_RDONLY, F("/proc/self/maps"), V_GRANTED, 0),
		ONE("foreign process", OP_OPEN, O_RDONLY, F("/proc/other/maps"), V_MISSING, ENOENT),
		ONE("socket on a read-only bind", OP_CONNECT, 0, S("/run/agent"), V_GRANTED, 0),
		ONE("other socket", OP_CONNECT, 0, S("/run/other"), V_MISSING, ENOENT),
	};
	check(rows, LEN(rows), false);
}

static void every_link_on_the_way_must_be_there(void **state)
{
	(void)state;
	static const struct row rows[] = {
		ONE("link of the root", OP_EXEC, 0, VIA("/usr/bin/sh", "/bin", "usr/bin"), V_GRANTED, 0),
		ONE("link that is not there", OP_EXEC, 0, VIA("/usr/bin/sh", "/sbin", "usr/sbin"), V_MISSING, ENOENT),
		ONE("link in home", OP_OPEN, O_RDONLY, VIA("/usr/x", "/home/u/l", "/usr/x"), V_MISSING, ENOENT),
		ONE("link in the project", OP_OPEN, O_RDONLY, VIA("/usr/x", "/home/u/p/l", "/usr/x"), V_GRANTED, 0),
		ONE("target is not there", OP_OPEN, O_RDONLY, VIA("/srv/x", "/home/u/p/l", "/srv/x"), V_MISSING, ENOENT),
		ONE("something is mounted at the link", OP_OPEN, O_RDONLY, VIA("/srv/x", "/home/u/link", "/srv/x"), V_GRANTED, 0),
		ONE("up from what exists", OP_STAT, 0, VIA("/usr/x", "/usr/lib", ".."), V_GRANTED, 0),
		ONE("up from what does not", OP_STAT, 0, VIA("/usr/x", "/srv", ".."), V_MISSING, ENOENT),
		ONE("a descriptor of mine", OP_OPEN, O_RDONLY, VIA("/srv/x", "/proc/self/fd/3", "/srv/x"), V_GRANTED, 0),
	};
	check(rows, LEN(rows), false);
}

static void errno_comes_in_the_kernels_order(void **state)
{
	(void)state;
	static const struct row rows[] = {
		ONE("write to ro", OP_OPEN, O_WRONLY, F("/usr/x"), V_MISSING, EROFS),
		ONE("O_RDWR to ro", OP_OPEN, O_RDWR, F("/usr/x"), V_MISSING, EROFS),
		ONE("create in ro", OP_OPEN, O_CREAT | O_WRONLY, N("/usr/x", 1), V_MISSING, EROFS),
		ONE("O_CREAT of what exists, to read", OP_OPEN, O_CREAT | O_RDONLY, F("/usr/x"), V_GRANTED, 0),
		ONE("O_EXCL of what exists", OP_OPEN, O_CREAT | O_EXCL | O_WRONLY, F("/usr/x"), V_GRANTED, EEXIST),
		ONE("a directory before EROFS", OP_OPEN, O_WRONLY, D("/usr/lib"), V_GRANTED, EISDIR),
		ONE("mkdir of what exists in ro", OP_MKDIR, 0755, D("/usr/lib"), V_GRANTED, EEXIST),
		ONE("mkdir in ro", OP_MKDIR, 0755, N("/usr/new", 1), V_MISSING, EROFS),
		ONE("mkdir at the root", OP_MKDIR, 0755, N("/new", 1), V_MISSING, EROFS),
		ONE("mkdir of an auto-made", OP_MKDIR, 0755, D("/opt/x"), V_GRANTED, EEXIST),
		ONE("unlink in ro", OP_UNLINK, 0, F("/usr/x"), V_MISSING, EROFS),
		ONE("unlink of nothing in ro", OP_UNLINK, 0, N("/usr/no", 1), V_MISSING, EROFS),
		ONE("unlink of a mount point", OP_UNLINK, 0, F("/home/u/.npmrc"), V_MISSING, EBUSY),
		ONE("rmdir of the project", OP_RMDIR, 0, D("/home/u/p"), V_MISSING, EBUSY),
		ONE("rmdir of an auto-made", OP_RMDIR, 0, D("/home/u/.cache"), V_MISSING, ENOTEMPTY),
		ONE("access W_OK on ro", OP_ACCESS, W_OK, F("/usr/x"), V_MISSING, EROFS),
		ONE("access R_OK", OP_ACCESS, R_OK, F("/usr/x"), V_GRANTED, 0),
		ONE("chmod on ro", OP_CHMOD, 0, F("/usr/x"), V_MISSING, EROFS),
		ONE("truncate on ro", OP_TRUNCATE, 0, F("/usr/x"), V_MISSING, EROFS),
		ONE("fifo on ro", OP_OPEN, O_WRONLY, P("/usr/f"), V_MISSING, EACCES),
		ONE("bind a socket in ro", OP_BIND, 0, N("/usr/s", 1), V_MISSING, EROFS),
		ONE("bind a socket that exists", OP_BIND, 0, S("/run/agent"), V_GRANTED, EADDRINUSE),
		ONE("device node", OP_MKNOD, S_IFCHR | 0600, N("/home/u/p/n", 1), V_GRANTED, EPERM),
		TWO("rename within the project", OP_RENAME, 0, F("/home/u/p/a"), N("/home/u/p/b", 1), V_GRANTED, 0),
		TWO("rename from tmp to the project", OP_RENAME, 0, N("/tmp/a", 1), N("/home/u/p/b", 1), V_MISSING, EXDEV),
		TWO("rename over a mount point", OP_RENAME, 0, F("/home/u/p/.env"), F("/home/u/p/b"), V_DENIED, EBUSY),
		TWO("rename of nothing over a mount", OP_RENAME, 0, N("/home/u/a", 1), F("/home/u/.npmrc"), V_PRIVATE, ENOENT),
		TWO("rename within ro", OP_RENAME, 0, F("/usr/a"), N("/usr/b", 1), V_MISSING, EROFS),
		TWO("no replace", OP_RENAME, RENAME_NOREPLACE, F("/home/u/p/a"), F("/home/u/p/b"), V_GRANTED, EEXIST),
		TWO("link out of ro", OP_LINK, 0, F("/usr/a"), N("/home/u/p/b", 1), V_MISSING, EXDEV),
		TWO("link within ro", OP_LINK, 0, F("/usr/a"), N("/usr/b", 1), V_MISSING, EROFS),
		TWO("link to what exists", OP_LINK, 0, F("/usr/a"), F("/usr/b"), V_GRANTED, EEXIST),
	};
	check(rows, LEN(rows), false);
}

static void masks_fences_and_pins_hold(void **state)
{
	(void)state;
	static const struct row rows[] = {
		ONE("read a masked file", OP_OPEN, O_RDONLY, F("/home/u/p/.env"), V_DENIED, EACCES),
		ONE("stat a masked file", OP_STAT, 0, F("/home/u/p/.env"), V_GRANTED, 0),
		ONE("list a masked directory", OP_OPEN, O_RDONLY | O_DIRECTORY, D("/home/u/p/sub/keys"), V_DENIED, EACCES),
		ONE("below a masked directory", OP_STAT, 0, F("/home/u/p/sub/keys/k"), V_DENIED, EACCES),
		ONE("create below it", OP_OPEN, O_CREAT | O_WRONLY, N("/home/u/p/sub/keys/n", 1), V_DENIED, EACCES),
		ONE("remove it", OP_UNLINK, 0, F("/home/u/p/.env"), V_DENIED, EBUSY),
		ONE("chmod it", OP_CHMOD, 0, F("/home/u/p/.env"), V_DENIED, EROFS),
		ONE("write behind a fence", OP_OPEN, O_WRONLY, F("/home/u/p/.git/config"), V_DENIED, EROFS),
		ONE("read behind a fence", OP_OPEN, O_RDONLY, F("/home/u/p/.git/config"), V_GRANTED, 0),
		ONE("remove a fence", OP_RMDIR, 0, D("/home/u/p/.git"), V_DENIED, EBUSY),
		ONE("write beside a mask", OP_OPEN, O_CREAT | O_WRONLY, N("/home/u/p/sub/n", 1), V_GRANTED, 0),
		TWO("move a pinned directory", OP_RENAME, 0, D("/home/u/p/sub"), N("/home/u/p/sub2", 1), V_DENIED, EBUSY),
		TWO("rename into a pinned directory", OP_RENAME, 0, F("/home/u/p/a"), N("/home/u/p/sub/b", 1), V_DENIED, EXDEV),
		TWO("rename into a fence", OP_RENAME, 0, F("/home/u/p/a"), N("/home/u/p/.git/b", 1), V_DENIED, EXDEV),
		TWO("rename inside a fence", OP_RENAME, 0, F("/home/u/p/.git/a"), N("/home/u/p/.git/b", 1), V_DENIED, EROFS),
	};
	check(rows, LEN(rows), false);
}

static void private_places_remember_what_was_made(void **state)
{
	(void)state;
	static const struct row rows[] = {
		ONE("nothing there yet", OP_OPEN, O_CREAT | O_WRONLY, N("/home/u/.d/f", 1), V_MISSING, ENOENT),
		ONE("mkdir of what exists outside", OP_MKDIR, 0755, D("/home/u/.d"), V_PRIVATE, 0),
		ONE("create in it", OP_OPEN, O_CREAT | O_WRONLY, N("/home/u/.d/f", 1), V_PRIVATE, 0),
		ONE("read it back", OP_OPEN, O_RDONLY, F("/home/u/.d/f"), V_PRIVATE, 0),
		TWO("move the directory", OP_RENAME, 0, D("/home/u/.d"), N("/home/u/.e", 1), V_PRIVATE, 0),
		ONE("gone from the old place", OP_STAT, 0, N("/home/u/.d/f", 2), V_PRIVATE, ENOENT),
		ONE("found at the new place", OP_STAT, 0, F("/home/u/.e/f"), V_PRIVATE, 0),
		ONE("remove it", OP_UNLINK, 0, F("/home/u/.e/f"), V_PRIVATE, 0),
		ONE("removed", OP_STAT, 0, N("/home/u/.e/f", 1), V_PRIVATE, ENOENT),
		ONE("link", OP_SYMLINK, 0, N("/tmp/l", 1), V_PRIVATE, 0),
		ONE("through the link", OP_OPEN, O_RDONLY, VIA("/usr/x", "/tmp/l", "/usr/x"), V_GRANTED, 0),
		ONE("socket", OP_BIND, 0, N("/tmp/s", 1), V_PRIVATE, 0),
		ONE("reach it", OP_CONNECT, 0, S("/tmp/s"), V_PRIVATE, 0),
		TWO("replace the copy", OP_RENAME, 0, F("/home/u/.gitconfig.lock"), F("/home/u/.gitconfig"), V_MISSING, ENOENT),
		ONE("lock", OP_OPEN, O_CREAT | O_EXCL | O_RDWR, N("/home/u/.gitconfig.lock", 1), V_PRIVATE, 0),
		TWO("rename over the copy", OP_RENAME, 0, F("/home/u/.gitconfig.lock"), F("/home/u/.gitconfig"), V_PRIVATE, 0),
		ONE("auto-made parent is private", OP_OPEN, O_CREAT | O_WRONLY, N("/home/u/.cache/x", 1), V_PRIVATE, 0),
	};
	check(rows, LEN(rows), true);
}

static void mode_bits_count_without_capabilities(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ "root reads a private file of another", OP_OPEN, O_RDONLY, OLD("/usr/x", 0600, 7), NONE, V_MISSING, EACCES, 0, true, 0 },
		{ "as outside for a user", OP_OPEN, O_RDONLY, OLD("/usr/x", 0600, 7), NONE, V_GRANTED, EACCES, 0, false, 0 },
		{ "EACCES before EROFS", OP_OPEN, O_WRONLY, OLD("/usr/x", 0444, 7), NONE, V_GRANTED, EACCES, 0, false, 0 },
		{ "EROFS first when truncating", OP_OPEN, O_WRONLY | O_TRUNC, OLD("/usr/x", 0444, 7), NONE, V_MISSING, EROFS, 0, false, 0 },
		{ "chmod of another's file", OP_CHMOD, 0, OLD("/home/u/p/x", 0644, 7), NONE, V_MISSING, EPERM, 0, true, 0 },
		{ "exec without x", OP_EXEC, 0, OLD("/usr/x", 0644, 1000), NONE, V_GRANTED, EACCES, 0, false, 0 },
		{ "given away", OP_CHOWN, CHOWN_OWNER, F("/home/u/p/x"), NONE, V_MISSING, EPERM, 0, true, 0 },
		{ "given to another group", OP_CHOWN, CHOWN_GROUP, F("/home/u/p/x"), NONE, V_MISSING, EPERM, 0, true, 0 },
		{ "kept", OP_CHOWN, 0, F("/home/u/p/x"), NONE, V_GRANTED, 0, 0, true, 0 },
		{ "of an ordinary user", OP_CHOWN, CHOWN_OWNER, F("/home/u/p/x"), NONE, V_MISSING, EINVAL, 0, false, 0 },
		{ "a further group of a user", OP_CHOWN, CHOWN_MEMBER, F("/home/u/p/x"), NONE, V_MISSING, EINVAL, 0, false, 0 },
		{ "a descriptor needs no names", OP_CHMOD, 0, F("/srv/x"), NONE, V_GRANTED, 0, MARK_FD, false, 0 },
		{ "trailing slash", OP_STAT, 0, F("/usr/x"), NONE, V_GRANTED, ENOTDIR, MARK_DIR_SLASH, false, 0 },
		{ "name too long for any directory", OP_STAT, 0, N("/home/u/" A64 A64 A64 A64, 1), NONE, V_PRIVATE, ENAMETOOLONG,
		  0, false, ENAMETOOLONG },
		{ "file as directory", OP_STAT, 0, N("/usr/x/y", 2), NONE, V_GRANTED, ENOTDIR, 0, false, ENOTDIR },
		{ "loop of links", OP_STAT, 0, N("/usr/loop", 1), NONE, V_GRANTED, ELOOP, 0, false, ELOOP },
		{ "link itself", OP_OPEN, O_RDONLY | O_NOFOLLOW, L("/usr/l"), NONE, V_GRANTED, ELOOP, MARK_NOFOLLOW, false, 0 },
	};
	check(rows, LEN(rows), false);
}

static void the_innermost_place_is_found(void **state)
{
	(void)state;
	static const struct { const char *path, *place; } rows[] = {
		{ "/usr/lib/x", "/usr" }, { "/home/u/p/.git/x", "/home/u/p/.git" }, { "/home/u/.npmrc", "/home/u/.npmrc" },
		{ "/home/u/.npmrc2", "/home/u" }, { "/", NULL }, { "/srv", NULL }, { "/home/u/.gone", "/home/u" },
	};
	struct policy pol;
	policy_fill(&pol);
	for (size_t i = 0; i < LEN(rows); i++) {
		const struct place *p = policy_place(&pol, rows[i].path);
		if (!rows[i].place)
			assert_null(p);
		else
			assert_string_equal(p->path, rows[i].place);
	}
	policy_empty(&pol);
}

static void sockets_see_their_own_network(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum net_mode mode;
		enum op op;
		enum family family;
		const char *peer;
		uint16_t port;
		enum verdict verdict;
		int err;
		uint32_t flags;
	} rows[] = {
		{ "far away", NET_NONE, OP_CONNECT, FAM_INET, "192.0.2.1:443", 443, V_MISSING, ENETUNREACH, 0 },
		{ "far away, 6", NET_PROXY, OP_CONNECT, FAM_INET6, "[2001:db8::1]:443", 443, V_MISSING, ENETUNREACH, 0 },
		{ "raw network", NET_HOST, OP_CONNECT, FAM_INET, "192.0.2.1:443", 443, V_GRANTED, 0, 0 },
		{ "nobody listens", NET_NONE, OP_CONNECT, FAM_INET, "127.0.0.1:5432", 5432, V_MISSING, ECONNREFUSED, 0 },
		{ "bind", NET_NONE, OP_BIND, FAM_INET, "0.0.0.0:5432", 5432, V_PRIVATE, 0, 0 },
		{ "bind low", NET_NONE, OP_BIND, FAM_INET, "0.0.0.0:80", 80, V_GRANTED, EACCES, 0 },
		{ "bind elsewhere", NET_NONE, OP_BIND, FAM_INET, "192.0.2.7:8080", 8080, V_MISSING, EADDRNOTAVAIL, 0 },
		{ "listen", NET_NONE, OP_LISTEN, FAM_INET, "0.0.0.0:5432", 5432, V_PRIVATE, 0, 0 },
		{ "own listener", NET_NONE, OP_CONNECT, FAM_INET, "127.0.0.1:5432", 5432, V_PRIVATE, 0, 0 },
		{ "datagram to nobody", NET_NONE, OP_SEND, FAM_INET6, "[::1]:53", 53, V_MISSING, 0, 0 },
		{ "datagram to who listens to a stream", NET_NONE, OP_SEND, FAM_INET, "127.0.0.1:5432", 5432, V_MISSING, 0, 0 },
		{ "bind for datagrams", NET_NONE, OP_BIND, FAM_INET6, "[::1]:5353", 5353, V_PRIVATE, 0, SOCK_DGRAM },
		{ "datagram to itself", NET_NONE, OP_SEND, FAM_INET6, "[::1]:5353", 5353, V_PRIVATE, 0, 0 },
		{ "answer", NET_NONE, OP_SEND, FAM_INET6, "[::1]:40000", 40000, V_PRIVATE, 0, 0 },
		{ "datagram to somebody else still", NET_NONE, OP_SEND, FAM_INET6, "[::1]:53", 53, V_MISSING, 0, 0 },
		{ "bind to any port", NET_NONE, OP_BIND, FAM_INET, "127.0.0.1:0", 0, V_PRIVATE, 0, SOCK_DGRAM },
		{ "datagram to which port it may be", NET_NONE, OP_SEND, FAM_INET, "127.0.0.1:53", 53, V_PRIVATE, 0, 0 },
		{ "abstract of the host", NET_NONE, OP_CONNECT, FAM_ABSTRACT, "@bus", 0, V_MISSING, ECONNREFUSED, 0 },
		{ "abstract of the host's network", NET_HOST, OP_CONNECT, FAM_ABSTRACT, "@bus", 0, V_MISSING, EPERM, 0 },
		{ "own abstract there", NET_HOST, OP_BIND, FAM_ABSTRACT, "@bus", 0, V_GRANTED, 0, 0 },
		{ "own abstract", NET_NONE, OP_BIND, FAM_ABSTRACT, "@bus", 0, V_PRIVATE, 0, 0 },
		{ "reached", NET_NONE, OP_CONNECT, FAM_ABSTRACT, "@bus", 0, V_PRIVATE, 0, 0 },
		{ "netlink", NET_NONE, OP_BIND, FAM_NETLINK, "", 0, V_GRANTED, 0, 0 },
	};
	struct policy pol;
	OWN(made) m = { 0 };
	policy_fill(&pol);
	for (size_t i = 0; i < LEN(rows); i++) {
		struct access a = { .op = rows[i].op, .family = rows[i].family, .port = rows[i].port, .flags = rows[i].flags };
		a.obj[0].spelled = rows[i].peer;
		pol.network.v = rows[i].mode;
		struct judgement j = policy_judge(&pol, &a, NULL, &m);
		if (j.verdict != rows[i].verdict || j.err != rows[i].err)
			fail_msg("%s: %s %s", rows[i].name, verdict_word(j.verdict), strerror(j.err));
		assert_int_equal(made_apply(&m, &pol, &a, &j), 0);
	}
	policy_empty(&pol);
}

static void denied_calls_answer_what_programs_can_bear(void **state)
{
	(void)state;
	static const char *const soft[] = { "clone3", "io_uring_setup", "openat2", "pidfd_open", "rseq", "statx", "cachestat",
	                                    "userfaultfd" };
	static const char *const hard[] = { "mount", "ptrace", "bpf", "keyctl", "add_key", "unshare" };
	for (size_t i = 0; i < LEN(soft); i++)
		assert_int_equal(sys_deny_errno(soft[i]), ENOSYS);
	for (size_t i = 0; i < LEN(hard); i++)
		assert_int_equal(sys_deny_errno(hard[i]), EPERM);
	struct policy pol;
	policy_fill(&pol);
	struct word denied[] = {
		{ .text = "ptrace", .src = { .origin = "builtin:base", .line = 3 } },
		{ .text = "perf_event_open", .src = { .origin = "user:x", .line = 4 } },
	};
	pol.sys_deny = (struct wordlist){ denied, 2 };
	static const struct { const char *call; bool caps; enum verdict verdict; int err; uint32_t flags; } rows[] = {
		{ "ptrace", false, V_MISSING, EPERM, 0 },         { "perf_event_open", false, V_DENIED, EPERM, 0 },
		{ "sethostname", true, V_MISSING, EPERM, 0 },     { "sethostname", false, V_GRANTED, EPERM, 0 },
		{ "getpid", false, V_GRANTED, 0, 0 },
		{ "setuid", true, V_MISSING, EPERM, 0 },          { "setuid", false, V_GRANTED, 0, 0 },
		{ "setgroups", true, V_MISSING, EPERM, 0 },       { "setpriority", true, V_MISSING, EACCES, 0 },
		{ "mlock", true, V_MISSING, ENOMEM, 0 },          { "mlockall", true, V_MISSING, EPERM, 1 },
		{ "mlock2", false, V_GRANTED, 0, 0 },             { "prlimit64", true, V_MISSING, EPERM, 0 },
		{ "setrlimit", false, V_GRANTED, 0, 0 },
		{ "mq_open", false, V_MISSING, EACCES, 0 },
		{ "setpriority", false, V_MISSING, EPERM, 1 },    { "ioprio_set", true, V_MISSING, EPERM, 0 },
		{ "fanotify_init", true, V_MISSING, EPERM, 0 },   { "fanotify_init", true, V_GRANTED, 0, 0x200 },
		{ "socket", true, V_MISSING, EPERM, 2 },          { "socket", false, V_GRANTED, 0, 2 },
		{ "socket", false, V_MISSING, EAFNOSUPPORT, 40 }, { "socket", true, V_MISSING, EAFNOSUPPORT, 17 },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		struct access a = { .op = OP_SYSCALL, .caps = rows[i].caps, .flags = rows[i].flags };
		a.obj[0].spelled = rows[i].call;
		struct judgement j = policy_judge(&pol, &a, NULL, NULL);
		assert_int_equal(j.verdict, rows[i].verdict);
		assert_int_equal(j.err, rows[i].err);
	}
	policy_empty(&pol);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_granted_stays_and_what_is_not_is_absent),
		cmocka_unit_test(every_link_on_the_way_must_be_there),
		cmocka_unit_test(errno_comes_in_the_kernels_order),
		cmocka_unit_test(masks_fences_and_pins_hold),
		cmocka_unit_test(private_places_remember_what_was_made),
		cmocka_unit_test(mode_bits_count_without_capabilities),
		cmocka_unit_test(the_innermost_place_is_found),
		cmocka_unit_test(sockets_see_their_own_network),
		cmocka_unit_test(denied_calls_answer_what_programs_can_bear),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
