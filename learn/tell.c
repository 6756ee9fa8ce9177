/* tell.c - one access to a file as a finding: necessity, heading, who */
#include "learn/replay.h"

#include "base/path.h"
#include "profiles/judge.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* In the private home itself, where a file that is made is thrown away although nobody asked for that. */
bool tell_lost_in_home(const struct facts *f, const char *path)
{
	const struct place *at = policy_place(f->pol, path);
	return at && at->kind == PLACE_TMPFS && f->pol->home && !strcmp(at->path, f->pol->home) &&
	       path_below(path, f->pol->home);
}

static bool in_cache(const struct host *h, const char *path)
{
	size_t n = h->home ? strlen(h->home) : 0;
	return (h->cache && path_under(path, h->cache)) ||
	       (n > 1 && path_below(path, h->home) && !strncmp(path + n, "/.cache/", 8));
}

/* Does an argument of @proc hold @path, or a directory above it, as a word of its own? */
static bool argued(const struct recording *r, uint32_t proc, const char *path)
{
	static const char ends[] = " \t\n\"'`;|&<>(),=:";
	const struct proc *who = proc && proc <= r->nprocs ? &r->procs[proc - 1] : NULL;
	for (size_t i = 1; who && who->argv && who->argv[0] && who->argv[i]; i++) {
		const char *word = who->argv[i];
		for (const char *at = word; (at = strchr(at, '/')); at += strcspn(at, ends)) {
			size_t n = strcspn(at, ends);
			while (n > 1 && at[n - 1] == '/')
				n--;
			if (n > 1 && !strncmp(path, at, n) && (!path[n] || path[n] == '/'))
				return true;
		}
	}
	return false;
}

/* What base answers or runtimes shrug off: limits, processors, memory. Who was told to look there is no runtime. */
static bool runtime_probe(const struct replay *p, const struct event *ev)
{
	static const char *const trees[] = {
		"/sys/fs/cgroup", "/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/kernel/mm", "/proc/meminfo",
		"/proc/cpuinfo", "/proc/stat", "/proc/loadavg", "/proc/version", "/proc/sys", "/proc/filesystems", "/proc/mounts",
	};
	const struct object *o = &ev->acc.obj[0];
	for (size_t i = 0; i < LEN(trees); i++)
		if (path_under(o->path, trees[i]))
			return !argued(p->r, ev->proc, o->path) && !argued(p->r, ev->proc, o->spelled ? o->spelled : o->path);
	return false;
}

static bool tell_looks_only(const struct access *a)
{
	return a->op == OP_STAT || a->op == OP_ACCESS || a->op == OP_READLINK || a->op == OP_CHDIR ||
	       (a->op == OP_OPEN && a->flags & O_PATH);
}

static const char *listing_key(struct replay *p, const struct event *ev, const char *dir, size_t len)
{
	return arena_fmt(&p->arena, "%u %.*s", ev->proc, (int)len, dir);
}

/* A directory of the view was opened to be listed; it shows what was granted in it. */
int tell_listing(struct replay *p, const struct event *ev, const struct judgement *j)
{
	const struct access *a = &ev->acc;
	bool lists = a->op == OP_OPEN && !(a->flags & O_PATH) && a->obj[0].type == FT_DIR;
	if (!lists || (j->verdict != V_GRANTED && j->verdict != V_PRIVATE))
		return 0;
	const char *key = listing_key(p, ev, a->obj[0].path, strlen(a->obj[0].path));
	return key && map_put(&p->listed, key, strlen(key), NULL) ? 0 : -ENOMEM;
}

/* A mere look at a name that the program had from a listing: confined, the listing does not give that name. */
static bool look_after_listing(struct replay *p, const struct event *ev)
{
	const struct access *a = &ev->acc;
	if ((a->op != OP_STAT && a->op != OP_READLINK && a->op != OP_ACCESS) || a->obj[0].path[0] != '/' || !p->listed.n)
		return false;
	const char *name = a->obj[0].nhops ? a->obj[0].hops[0].path : a->obj[0].path; /* the listed name, not its target */
	const char *key = listing_key(p, ev, name, path_parent_len(name));
	return key && map_find(&p->listed, key, strlen(key));
}

/*
 * Leftovers of earlier runs in a private temporary place, found by listing its directory: tidied up outside, and never
 * heard of confined. What is read there is another matter.
 */
static bool tidies(struct replay *p, const struct event *ev)
{
	const struct access *a = &ev->acc;
	bool makes = a->obj[0].type == FT_NONE && a->flags & O_CREAT; /* a lock */
	bool reads = a->op == OP_OPEN ? a->obj[0].type != FT_DIR && !makes : a->op >= OP_EXEC || a->op == OP_LINK;
	const char *path = a->obj[0].path;
	const struct place *at = reads || path[0] != '/' ? NULL : policy_place(p->f->pol, path);
	if (!at || at->kind != PLACE_TMPFS || tell_lost_in_home(p->f, path) || !p->listed.n)
		return false;
	for (size_t n = strlen(path), root = strlen(at->path); n > root;) {
		while (n > 1 && path[n - 1] != '/')
			n--;
		n = n > 1 ? n - 1 : 1;
		const char *key = listing_key(p, ev, path, n);
		if (key && map_find(&p->listed, key, strlen(key)))
			return true;
	}
	return false;
}

int tell_emptied(struct replay *p, const struct event *ev, const struct judgement *j)
{
	const struct access *a = &ev->acc;
	const struct object *o = &a->obj[op_objects(a->op) - 1];
	bool replaces = a->op == OP_RENAME || a->op == OP_LINK;
	bool opens = a->op == OP_OPEN && !(a->flags & O_PATH) && o->type == FT_FILE && j->verdict == V_PRIVATE && !j->err;
	if (ev->outcome || !(opens || replaces) || mine_is(p, o))
		return 0;
	if (replaces || a->flags & O_TRUNC || !o->size)
		return map_put(&p->anew, o->path, strlen(o->path), NULL) ? 0 : -ENOMEM;
	if ((a->flags & O_ACCMODE) == O_WRONLY || map_find(&p->anew, o->path, strlen(o->path)) || in_cache(&p->r->host, o->path))
		return 0;
	const struct place *at = policy_place(p->f->pol, o->path);
	bool chosen = !at || !at->src.origin || strncmp(at->src.origin, "builtin:", 8) != 0;
	return at && at->kind == PLACE_TMPFS && (!chosen || tell_lost_in_home(p->f, o->path));
}

bool access_told_to_write(const struct recording *r, const struct event *ev)
{
	const struct access *a = &ev->acc;
	const struct object *o = &a->obj[0];
	return a->op == OP_ACCESS && a->flags & W_OK && o->type == FT_FILE &&
	       (argued(r, ev->proc, o->path) || argued(r, ev->proc, o->spelled ? o->spelled : o->path));
}

bool access_asks_only(const struct recording *r, const struct event *ev, const struct judgement *j)
{
	return ev->acc.op == OP_ACCESS && j->err == EROFS && !access_told_to_write(r, ev);
}

enum necessity tell_necessity(struct replay *p, const struct event *ev, const struct judgement *j)
{
	const struct access *a = &ev->acc;
	const struct object *o = &a->obj[op_objects(a->op) - 1];
	enum necessity n = outcome_necessity(ev);
	bool met = a->op == OP_MKDIR && (ev->outcome == EEXIST || ev->outcome == ENOENT);
	if (met) /* and went on, else its next mkdir would not be seen */
		(void)map_put(&p->lenient, &ev->proc, sizeof(ev->proc), NULL);
	if (n != NEC_REQUIRED && n != NEC_UNKNOWN)
		return n;
	if (j->verdict == V_MISSING && (runtime_probe(p, ev) || look_after_listing(p, ev) || tidies(p, ev) || a->marks & MARK_OLDPWD))
		return NEC_PROBE;
	if (access_asks_only(p->r, ev, j))
		return NEC_PROBE;
	if (j->verdict != V_PRIVATE)
		return n;
	bool changed = o->type == FT_NONE || mine_is(p, o) ? ev->survives : !tell_looks_only(a) && a->op != OP_OPEN;
	if (a->op == OP_OPEN && o->type != FT_NONE && !mine_is(p, o))
		changed = (a->flags & O_ACCMODE) != O_RDONLY || a->flags & O_TRUNC;
	return changed && tell_lost_in_home(p->f, o->path) && !in_cache(&p->r->host, o->path) ? NEC_CREATED : NEC_SELF_CREATED;
}

enum need_kind tell_kind(const struct access *a)
{
	const struct object *o = &a->obj[0];
	switch ((int)a->op) {
	case OP_OPEN:
		if (a->flags & O_PATH)
			return NEED_READ;
		if (o->type == FT_NONE && a->flags & O_CREAT)
			return NEED_CREATE;
		if ((a->flags & O_ACCMODE) != O_RDONLY || a->flags & O_TRUNC)
			return NEED_WRITE;
		return o->type == FT_DIR ? NEED_LIST : NEED_READ;
	case OP_TRUNCATE: case OP_CHMOD: case OP_CHOWN: case OP_UTIME: case OP_SETXATTR:
		return NEED_WRITE;
	case OP_MKDIR: case OP_SYMLINK: case OP_MKNOD: case OP_LINK: case OP_BIND:
		return NEED_CREATE;
	case OP_RENAME:
		return a->obj[1].type == FT_NONE ? NEED_CREATE : NEED_WRITE;
	case OP_RMDIR: case OP_UNLINK:
		return NEED_REMOVE;
	case OP_EXEC: case OP_LOAD:
		return NEED_EXEC;
	case OP_CONNECT: case OP_SEND:
		return NEED_SOCKET;
	}
	return NEED_READ;
}

static enum heading file_heading(const struct replay *p, const struct event *ev, enum necessity n,
                                 const struct judgement *j)
{
	const struct object *o = &ev->acc.obj[op_objects(ev->acc.op) - 1];
	if (j->verdict == V_GRANTED)
		return HEAD_GRANTED;
	switch (n) {
	case NEC_PROBE:         return HEAD_PROBE;
	case NEC_FAILED_ANYWAY: return HEAD_FAILED;
	case NEC_CREATED:       return HEAD_LOST;
	case NEC_SELF_CREATED:  break;
	case NEC_REQUIRED:
	case NEC_UNKNOWN:       return HEAD_NEEDS;
	}
	/* a cache is lost too, and suggested, but nobody has to act on it */
	return ev->survives && tell_lost_in_home(p->f, o->path) ? HEAD_LOST : HEAD_SELF;
}

/* Entries of processes that are not the command's: inside there are none, and no line could show them. */
static const char others[] = "/proc/other";

/* The object a person would name: the directory the run made, not each file in it. */
const char *tell_object(const struct replay *p, const struct event *ev)
{
	const struct access *a = &ev->acc;
	const struct object *o = &a->obj[a->op == OP_RENAME || a->op == OP_LINK ? 1 : 0];
	if (path_under(o->path, others))
		return others;
	const struct mine *top = mine_dir(p, o->path);
	return top ? top->path : o->path;
}

/* A place that is empty inside, as such: home, /tmp. It is there; a list of it shows only what was granted. */
static bool private_root(const struct replay *p, const struct event *ev, const struct judgement *j)
{
	const struct object *o = &ev->acc.obj[0];
	return j->verdict == V_PRIVATE && !j->err && o->type == FT_DIR && !mine_is(p, o) &&
	       (tell_looks_only(&ev->acc) || ev->acc.op == OP_OPEN);
}

int tell_access(struct replay *p, const struct event *ev, const struct judgement *j, enum necessity n)
{
	struct facts *f = p->f;
	const char *path = tell_object(p, ev);
	struct finding new = {
		.kind = tell_kind(&ev->acc), .necessity = n, .judgement = *j, .path = path, .who = replay_who(p, ev->proc),
		.proc = ev->proc, .outcome = ev->outcome, .count = ev->count, .at_least = ev->at_least, .seq = ev->seq,
		.heading = file_heading(p, ev, n, j), .stays = ev->survives,
	};
	if (access_told_to_write(p->r, ev) && j->verdict == V_MISSING)
		new.kind = NEED_WRITE;
	bool root = private_root(p, ev, j);
	if (root)
		new.heading = new.kind == NEED_LIST ? HEAD_NEEDS : HEAD_GRANTED;
	bool foreign = path == others && j->verdict == V_MISSING;
	new.what = path == others ? "other processes" : NULL;
	new.counts = new.heading == HEAD_NEEDS && !root && !foreign;
	new.counts_all = new.heading != HEAD_GRANTED;
	new.credential = new.counts_all && new.heading != HEAD_PROBE && tier_protected(f->tiers, path, NULL);
	/* a file's name for people is made at the end: many findings, and much else to hold until then */
	if (!findings_add(&f->found, path, &new, p->run))
		return -ENOMEM;
	struct finding *to = findings_get(&f->found, path);
	/* what its own mkdir has made anew inside needs nobody's files */
	bool anew = made_type(&p->made, path, strlen(path)) == FT_DIR;
	if (root && new.kind == NEED_LIST && to->heading == HEAD_NEEDS && !anew) {
		struct node *node = replay_node(p, path);
		if (!node)
			return -ENOMEM;
		node->uses |= USE_LIST | USE_PRE;
		node->type = FT_DIR;
	}
	if (to->heading == HEAD_PROBE && !ev->outcome && access_asks_only(p->r, ev, j))
		return finding_note(&f->found, to, "only asked whether it may be written: the answer is no");
	if (new.heading == HEAD_NEEDS && j->verdict == V_MISSING && ev->acc.op == OP_MKDIR && j->err == EEXIST && j->by)
		return finding_note(&f->found, to, arena_fmt(f->arena, "%s makes it before the start; mkdir -p would bear that",
		                                             line_text(f->arena, j->by)));
	if (to->heading == HEAD_NEEDS && j->verdict == V_MISSING && !j->err && j->why)
		return finding_note(&f->found, to, "confined it begins empty: what it held is not there");
	if (foreign && to->heading == HEAD_NEEDS)
		return finding_note(&f->found, to, "confined it sees only its own processes");
	if (to->heading == HEAD_NEEDS && j->verdict == V_DENIED)
		return finding_note(&f->found, to, arena_fmt(f->arena, "%s denies it", line_text(f->arena, j->by)));
	return 0;
}
