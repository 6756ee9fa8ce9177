#include "learn/facts.h"

#include "base/path.h"
#include "base/vec.h"
#include "learn/shape.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/*
 * How this works. Events come in the order of first sight. Each is judged in the confined world as the run has
 * made it so far. What is granted leaves no facts. What is missing, or lands in the private home, is noted at its
 * object: read, listed, written, made how, removed. Names the run made are kept in replay.mine until the run
 * ends: only then is it known which survived, which were mere side-cars, and which lie below a directory of its own.
 */

/* A name the run made. */
struct mine {
	const char *path;
	uint32_t how;      /* USE_MADE .. USE_MKDIR */
	uint32_t proc;
	bool alive, survives;
	bool temp_like;    /* O_EXCL or a private mkdir */
	bool counts;       /* outside what is granted: facts follow from it */
	bool excl;         /* made with O_EXCL under an earlier name */
	bool moved;        /* a directory renamed to where it is */
	bool missing;      /* its directory is not in the view */
	bool probed;       /* looked for, and absent, before */
};

void facts_drop(struct facts *f)
{
	objects_drop(&f->objects);
	findings_drop(&f->found);
	VEC_FREE(&f->pairs);
	VEC_FREE(&f->links);
	VEC_FREE(&f->prepend);
	hits_drop(&f->hits);
}

static struct mine *mine_at(const struct replay *p, const char *path, size_t len)
{
	void **slot = map_find(&p->mine, path, len);
	struct mine *m = slot ? *slot : NULL;
	return m && m->alive ? m : NULL;
}

/* The topmost directory of the run's own making that holds @path, NULL if none does; containers are looked through. */
static struct mine *own_dir(const struct replay *p, const char *path)
{
	struct mine *top = NULL;
	if (!p->mine.n || path[0] != '/')
		return NULL;
	for (size_t n = path_parent_len(path); n > 1;) {
		struct mine *m = mine_at(p, path, n);
		if (m && m->how == USE_MKDIR && !tier_container(p->f->tiers, m->path))
			top = m;
		while (n > 1 && path[n - 1] != '/')
			n--;
		n = n > 1 ? n - 1 : 1;
	}
	return top;
}

static bool is_own(const struct replay *p, const struct object *o)
{
	return mine_at(p, o->path, strlen(o->path)) || own_dir(p, o->path);
}

static struct node *node_at(struct replay *p, const char *path)
{
	uint32_t at = objects_at(&p->f->objects, path);
	return at == UINT32_MAX ? NULL : &p->f->objects.nodes[at];
}

static int use(struct replay *p, const struct object *o, uint32_t uses)
{
	struct node *n = node_at(p, o->path);
	if (!n)
		return -ENOMEM;
	n->uses |= uses | USE_PRE;
	if (o->type == FT_NONE)
		return 0;
	n->type = (uint8_t)o->type;
	n->mode = (uint16_t)o->mode;
	n->uid = o->uid;
	n->gid = o->gid;
	return 0;
}

static int use_dir(struct replay *p, const char *path, uint32_t why)
{
	uint32_t at = objects_above(&p->f->objects, path);
	if (at == UINT32_MAX)
		return -ENOMEM;
	p->f->objects.nodes[at].dirs |= why;
	p->f->objects.nodes[at].type = FT_DIR;
	return 0;
}

/* ---- what one operation does to names ---- */

static int make(struct replay *p, const struct event *ev, const struct object *o, uint32_t how, bool counts)
{
	struct mine *m = map_get(&p->mine, o->path);
	if (!m) {
		m = arena_alloc(&p->arena, sizeof(*m));
		void **slot = m ? map_put(&p->mine, o->path, strlen(o->path), NULL) : NULL;
		if (!slot)
			return -ENOMEM;
		*slot = m;
	}
	uint32_t flags = ev->acc.flags;
	*m = (struct mine){
		.path = o->path, .how = how, .proc = ev->proc, .alive = true, .survives = ev->survives, .counts = counts,
		.excl = how == USE_EXCL,
		.temp_like = how == USE_MKDIR ? (flags & 07777) == 0 || (flags & 0777) == 0700 : how == USE_EXCL,
	};
	return 0;
}

static int unmake(struct replay *p, const struct object *o, bool counts)
{
	struct mine *m = mine_at(p, o->path, strlen(o->path));
	if (m) {
		m->alive = m->survives = false;
		return 0;
	}
	if (!counts || own_dir(p, o->path))
		return 0;
	int err = use(p, o, USE_REMOVED);
	return err ? err : use_dir(p, o->path, DIR_DELETE);
}

/* Names below a directory that is moved go with it. */
static int move_below(struct replay *p, const char *from, const char *to)
{
	size_t n = p->mine.n, cut = strlen(from);
	for (size_t i = 0; i < n; i++) {
		struct mine *m = p->mine.items[i].value;
		if (!m || !m->alive || !path_below(m->path, from))
			continue;
		char *path = arena_fmt(p->f->arena, "%s%s", to, m->path + cut);
		struct mine *copy = path ? arena_alloc(&p->arena, sizeof(*copy)) : NULL;
		void **slot = copy ? map_put(&p->mine, path, strlen(path), NULL) : NULL;
		if (!slot)
			return -ENOMEM;
		*copy = *m;
		copy->path = path;
		m->alive = false;
		m->counts = false; /* not gone: elsewhere */
		*slot = copy;
	}
	return 0;
}

static int pair(struct replay *p, const struct object *a, const struct object *b)
{
	uint32_t ia = objects_at(&p->f->objects, a->path), ib = objects_at(&p->f->objects, b->path);
	struct pair *slot = ia != UINT32_MAX && ib != UINT32_MAX ? VEC_PUSH(&p->f->pairs) : NULL;
	if (!slot)
		return -ENOMEM;
	*slot = (struct pair){ ia, ib };
	return 0;
}

static int do_rename(struct replay *p, const struct event *ev, bool counts)
{
	const struct object *a = &ev->acc.obj[0], *b = &ev->acc.obj[1];
	struct mine *from = mine_at(p, a->path, strlen(a->path)), *to = mine_at(p, b->path, strlen(b->path));
	bool own_from = from || own_dir(p, a->path), own_to = to || own_dir(p, b->path);
	bool excl = from && from->excl, temp = from && from->temp_like, was_dir = from ? from->how == USE_MKDIR : a->type == FT_DIR;
	bool replaced = b->type != FT_NONE && !own_to;
	int err = 0;
	if (from) {
		from->alive = false;
		from->counts = false; /* renamed, not gone */
	} else if (counts && !own_from) {
		err = use(p, a, USE_REMOVED);
		if (!err)
			err = use_dir(p, a->path, DIR_AWAY);
	}
	if (!err && was_dir)
		err = move_below(p, a->path, b->path);
	if (!err && replaced && counts)
		err = use(p, b, USE_REPLACED | USE_RENAMED);
	if (!err && replaced && counts)
		err = use_dir(p, b->path, DIR_REPLACE);
	if (!err && !replaced)
		err = make(p, ev, b, was_dir ? USE_MKDIR : USE_RENAMED, counts);
	if (!err && !replaced) {
		struct mine *m = map_get(&p->mine, b->path);
		m->excl = excl;
		m->moved = was_dir;
		m->temp_like = temp && !strcmp(path_base(a->path), path_base(b->path));
	}
	bool lasting = replaced || ev->survives;
	return !err && counts && lasting && !own_dir(p, b->path) ? pair(p, a, b) : err;
}

static int do_link(struct replay *p, const struct event *ev, bool counts)
{
	const struct object *a = &ev->acc.obj[0], *b = &ev->acc.obj[1];
	int err = 0;
	bool own = is_own(p, a);
	if (counts && !own && a->type != FT_NONE)
		err = use(p, a, USE_READ);
	if (!err)
		err = make(p, ev, b, own ? USE_EXCL : USE_LINKED, counts);
	return !err && counts && ev->survives ? pair(p, a, b) : err;
}

static int do_open(struct replay *p, const struct event *ev, bool counts)
{
	const struct object *o = &ev->acc.obj[0];
	uint32_t f = ev->acc.flags;
	bool writes = (f & O_ACCMODE) != O_RDONLY || f & O_TRUNC;
	if (!(f & O_PATH) && (f & O_TMPFILE) == O_TMPFILE) {
		struct node *n = counts && !is_own(p, o) ? node_at(p, o->path) : NULL;
		if (n)
			n->dirs |= DIR_TMPFILE;
		return 0;
	}
	if (o->type == FT_NONE)
		return f & O_CREAT ? make(p, ev, o, f & O_EXCL ? USE_EXCL : USE_MADE, counts) : 0;
	if (!counts || is_own(p, o))
		return 0;
	if (o->type == FT_DIR)
		return use(p, o, f & O_PATH ? USE_ENTER : USE_LIST);
	return use(p, o, f & O_PATH ? USE_LOOK : writes ? USE_WRITE : USE_READ);
}

static int do_meta(struct replay *p, const struct event *ev)
{
	const struct object *o = &ev->acc.obj[0];
	if (o->type != FT_DIR)
		return use(p, o, USE_WRITE);
	struct node *n = node_at(p, o->path);
	if (!n)
		return -ENOMEM;
	n->dirs |= DIR_META;
	return use(p, o, 0);
}

/* What the operation asks of an object that was there and is not the run's own. */
static int do_existing(struct replay *p, const struct event *ev)
{
	const struct object *o = &ev->acc.obj[0];
	switch ((int)ev->acc.op) {
	case OP_CHDIR:
		return use(p, o, USE_ENTER | USE_CHDIR);
	case OP_STAT:
	case OP_ACCESS:
	case OP_READLINK:
		return use(p, o, o->type == FT_DIR ? USE_ENTER : USE_LOOK);
	case OP_TRUNCATE:
	case OP_CHMOD:
	case OP_CHOWN:
	case OP_UTIME:
	case OP_SETXATTR:
		return do_meta(p, ev);
	case OP_EXEC:
	case OP_LOAD:
		return use(p, o, USE_EXEC);
	case OP_CONNECT:
	case OP_SEND:
		return use(p, o, USE_SOCKET);
	}
	return 0;
}

static int do_names(struct replay *p, const struct event *ev, bool counts)
{
	const struct object *o = &ev->acc.obj[0];
	switch ((int)ev->acc.op) {
	case OP_OPEN:
		return do_open(p, ev, counts);
	case OP_MKDIR:
		return make(p, ev, o, USE_MKDIR, counts);
	case OP_SYMLINK:
	case OP_MKNOD:
		return make(p, ev, o, USE_EXCL, counts);
	case OP_BIND:
		return make(p, ev, o, USE_BOUND, counts);
	case OP_UNLINK:
	case OP_RMDIR:
		return unmake(p, o, counts);
	case OP_RENAME:
		return do_rename(p, ev, counts);
	case OP_LINK:
		return do_link(p, ev, counts);
	}
	return counts && o->type != FT_NONE && !is_own(p, o) ? do_existing(p, ev) : 0;
}

/* ---- what one access says ---- */

/* In the private home itself, where a file that is made is thrown away although nobody asked for that. */
static bool lost_in_home(const struct facts *f, const char *path)
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

/* What base answers or programs shrug off: limits, processors, memory. */
static bool runtime_probe(const struct access *a)
{
	static const char *const trees[] = {
		"/sys/fs/cgroup", "/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/kernel/mm", "/proc/meminfo",
		"/proc/cpuinfo", "/proc/stat", "/proc/loadavg", "/proc/version", "/proc/sys", "/proc/filesystems", "/proc/mounts",
	};
	const char *path = a->obj[0].path;
	for (size_t i = 0; i < LEN(trees); i++)
		if (path_under(path, trees[i]))
			return true;
	return false;
}

static bool looks_only(const struct access *a)
{
	return a->op == OP_STAT || a->op == OP_ACCESS || a->op == OP_READLINK || a->op == OP_CHDIR ||
	       (a->op == OP_OPEN && a->flags & O_PATH);
}

static const char *listing_key(struct replay *p, const struct event *ev, const char *dir, size_t len)
{
	return arena_fmt(&p->arena, "%u %.*s", ev->proc, (int)len, dir);
}

/* A directory of the view was opened to be listed; it shows what was granted in it. */
static int note_listing(struct replay *p, const struct event *ev, const struct judgement *j)
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

static enum necessity file_necessity(struct replay *p, const struct event *ev, const struct judgement *j)
{
	const struct access *a = &ev->acc;
	const struct object *o = &a->obj[op_objects(a->op) - 1];
	enum necessity n = outcome_necessity(ev);
	if (n != NEC_REQUIRED && n != NEC_UNKNOWN)
		return n;
	if (j->verdict == V_MISSING && (runtime_probe(a) || look_after_listing(p, ev)))
		return NEC_PROBE;
	/* asked whether it may write what it sees: "no" is an answer */
	if (a->op == OP_ACCESS && j->err == EROFS)
		return NEC_PROBE;
	if (j->verdict != V_PRIVATE)
		return n;
	bool changed = o->type == FT_NONE || is_own(p, o) ? ev->survives : !looks_only(a) && a->op != OP_OPEN;
	if (a->op == OP_OPEN && o->type != FT_NONE && !is_own(p, o))
		changed = (a->flags & O_ACCMODE) != O_RDONLY || a->flags & O_TRUNC;
	return changed && lost_in_home(p->f, o->path) && !in_cache(&p->r->host, o->path) ? NEC_CREATED : NEC_SELF_CREATED;
}

static enum need_kind file_kind(const struct access *a)
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
	return ev->survives && lost_in_home(p->f, o->path) ? HEAD_LOST : HEAD_SELF;
}

/* Entries of processes that are not the command's: inside there are none, and no line could show them. */
static const char others[] = "/proc/other";

/* The object a person would name: the directory the run made, not each file in it. */
static const char *told_path(const struct replay *p, const struct event *ev)
{
	const struct access *a = &ev->acc;
	const struct object *o = &a->obj[a->op == OP_RENAME || a->op == OP_LINK ? 1 : 0];
	if (path_under(o->path, others))
		return others;
	const struct mine *top = own_dir(p, o->path);
	return top ? top->path : o->path;
}

/* A place that is empty inside, as such: home, /tmp. It is there; a list of it shows only what was granted. */
static bool private_root(const struct replay *p, const struct event *ev, const struct judgement *j)
{
	const struct object *o = &ev->acc.obj[0];
	return j->verdict == V_PRIVATE && !j->err && o->type == FT_DIR && !is_own(p, o) &&
	       (looks_only(&ev->acc) || ev->acc.op == OP_OPEN);
}

static int tell(struct replay *p, const struct event *ev, const struct judgement *j, enum necessity n)
{
	struct facts *f = p->f;
	const char *path = told_path(p, ev);
	struct finding new = {
		.kind = file_kind(&ev->acc), .necessity = n, .judgement = *j, .path = path, .who = replay_who(p, ev->proc),
		.proc = ev->proc, .outcome = ev->outcome, .count = ev->count, .at_least = ev->at_least, .seq = ev->seq,
		.heading = file_heading(p, ev, n, j),
	};
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
	if (root && new.kind == NEED_LIST && to->heading == HEAD_NEEDS) {
		struct node *node = node_at(p, path);
		if (!node)
			return -ENOMEM;
		node->uses |= USE_LIST | USE_PRE;
		node->type = FT_DIR;
	}
	if (foreign && to->heading == HEAD_NEEDS)
		return finding_note(&f->found, to, "confined it sees only its own processes");
	if (to->heading == HEAD_NEEDS && j->verdict == V_DENIED)
		return finding_note(&f->found, to, arena_fmt(f->arena, "%s denies it", line_text(f->arena, j->by)));
	return 0;
}

/* ---- which accesses ask for a grant ---- */

/* A bind that a requested profile wants read-only: nothing below it is suggested writable. */
static const struct place *overruling(const struct facts *f, const struct judgement *j, const char *path)
{
	const struct place *at = policy_place(f->pol, path);
	if (j->err != EROFS || !at || at->kind != PLACE_BIND || at->mode != BIND_RO)
		return NULL;
	return f->pol->home && !strcmp(at->path, f->pol->home) ? NULL : at;
}

/* A mask or deny of a requested profile over an object that no place shows. */
static const struct ban *banned(const struct facts *f, const struct access *a, const char *path)
{
	enum need_kind k = file_kind(a);
	bool writes = k == NEED_WRITE || k == NEED_CREATE || k == NEED_REMOVE;
	for (size_t i = 0; i < f->pol->nbans; i++)
		if ((writes || !f->pol->bans[i].write_only) && path_under(path, f->pol->bans[i].path))
			return &f->pol->bans[i];
	return NULL;
}

/* Would mode bits stop the caller without root's capabilities? Then no bind helps. */
static bool only_with_capabilities(const struct host *h, const struct access *a, const struct object *o)
{
	if (!a->caps || o->type == FT_NONE)
		return false;
	if (o->blocked)
		return true;
	bool group = o->gid == a->gid;
	for (size_t i = 0; i < h->ngroups; i++)
		group = group || h->groups[i] == o->gid;
	uint32_t bits = o->uid == a->uid ? o->mode >> 6 : group ? o->mode >> 3 : o->mode;
	uint32_t want = 0;
	if (a->op == OP_OPEN && !(a->flags & O_PATH))
		want = ((a->flags & O_ACCMODE) != O_WRONLY ? 4U : 0U) | ((a->flags & O_ACCMODE) != O_RDONLY ? 2U : 0U);
	else if (a->op == OP_EXEC)
		want = 1;
	return (bits & want) != want;
}

static int note_path(struct replay *p, const char *path, const char *note)
{
	struct finding *to = findings_get(&p->f->found, path);
	if (!note)
		return -ENOMEM;
	return to ? finding_note(&p->f->found, to, note) : 0;
}

/* 1: facts follow, 0: none, with a note where a person wants to know why. */
static int asks(struct replay *p, const struct event *ev, const struct judgement *j)
{
	struct facts *f = p->f;
	const struct access *a = &ev->acc;
	const struct object *o = &a->obj[op_objects(a->op) - 1];
	if (j->verdict == V_PRIVATE)
		return lost_in_home(f, o->path);
	if (j->verdict != V_MISSING || o->path[0] != '/' || path_under(o->path, "/proc") || path_under(o->path, "/sys"))
		return 0;
	if (a->marks & (MARK_OTHER_MNT | MARK_FD))
		return 0;
	const struct ban *ban = banned(f, a, o->path);
	if (ban)
		return note_path(p, told_path(p, ev), arena_fmt(f->arena, "%s denies it", line_text(f->arena, &ban->src)));
	const struct place *line = overruling(f, j, o->path);
	if (line)
		return note_path(p, told_path(p, ev), arena_fmt(f->arena, "%s says read-only", line_text(f->arena, &line->src)));
	if (only_with_capabilities(&p->r->host, a, o))
		return note_path(p, told_path(p, ev), "only root's capabilities open it, and a confined command has none");
	return 1;
}

/* Links passed on the way to a needed object; a directory left by ".." must exist. */
static int note_hops(struct replay *p, const struct object *o, bool granted)
{
	for (size_t i = 0; i < o->nhops; i++) {
		const struct hop *h = &o->hops[i];
		bool up = !strcmp(h->text, "..");
		const struct place *at = policy_place(p->f->pol, h->path);
		if (h->path[0] != '/' || mine_at(p, h->path, strlen(h->path)) || own_dir(p, h->path))
			continue;
		/* a bind shows it already; a link on top of the tree is base's */
		if (at && (at->kind == PLACE_BIND || at->kind == PLACE_LINK))
			continue;
		struct node *n = node_at(p, h->path);
		if (!n)
			return -ENOMEM;
		n->uses |= up ? USE_ENTER | USE_PRE : USE_LINK | USE_PRE;
		if (up) {
			n->type = FT_DIR;
			continue;
		}
		n->type = FT_LINK;
		struct passed *l = VEC_PUSH(&p->f->links);
		if (!l)
			return -ENOMEM;
		*l = (struct passed){ h->path, h->text, o->path, o, i, granted };
	}
	return 0;
}

/* Only a link on the way is missing: the object itself would be had without it. */
static bool object_granted(const struct replay *p, const struct access *a, const struct judgement *j)
{
	if (j->verdict != V_MISSING || op_objects(a->op) != 1 || !a->obj[0].nhops)
		return false;
	struct access plain = *a;
	plain.obj[0].nhops = 0;
	struct judgement k = policy_judge(p->f->pol, &plain, &p->r->host, &p->made);
	return k.verdict == V_GRANTED;
}

/* A program that is granted where it lies, and still not found by its name: a finding of its own. */
static int tell_path(struct replay *p, const struct event *ev, const char *dir)
{
	struct facts *f = p->f;
	const char *key = arena_fmt(f->arena, "PATH %s", dir);
	const char *name = arena_str(f->arena, path_base(ev->acc.obj[0].spelled));
	const char *at = host_shorten(&p->r->host, f->arena, dir);
	const char *what = name && at ? arena_fmt(f->arena, "%s in %s", name, at) : NULL;
	const char *grant = at ? arena_fmt(f->arena, "env.prepend_path: %s", at) : NULL;
	struct finding new = {
		.kind = NEED_EXEC, .heading = HEAD_NEEDS, .necessity = NEC_REQUIRED, .what = what, .grant = grant,
		.judgement = { .verdict = V_MISSING, .err = ENOENT, .why = "its directory is not in the confined PATH" },
		.who = replay_who(p, ev->proc), .proc = ev->proc, .count = ev->count, .at_least = ev->at_least,
		.seq = ev->seq, .counts = true, .counts_all = true,
	};
	return key && what && grant && findings_add(&f->found, key, &new, p->run) ? 0 : -ENOMEM;
}

/* The image that this exec made was called by a bare name, so its directory was searched through PATH. */
static int found_through_path(struct replay *p, const struct event *ev, const struct judgement *j)
{
	static const char *const usual[] = {
		"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin",
	};
	const char *spelled = ev->acc.obj[0].spelled;
	size_t n = spelled[0] == '/' ? path_parent_len(spelled) : 0;
	/* the command itself is the first image: nobody recorded had called for it */
	const struct proc *first = ev->proc && ev->proc <= p->r->nprocs ? &p->r->procs[ev->proc - 1] : NULL;
	bool bare = first && !first->parent && first->argv && first->argv[0] && !strcmp(first->argv[0], path_base(spelled));
	for (uint32_t i = ev->proc; n && i < p->r->nprocs && !bare; i++) {
		const struct proc *q = &p->r->procs[i];
		bare = q->parent == ev->proc && q->replaces && q->argv && q->argv[0] && !strcmp(q->argv[0], path_base(spelled));
	}
	bare = bare && n;
	for (size_t i = 0; i < LEN(usual); i++)
		bare = bare && !(strlen(usual[i]) == n && !memcmp(usual[i], spelled, n));
	if (!bare)
		return 0;
	const char *dir = arena_mem(p->f->arena, spelled, n);
	if (!dir)
		return -ENOMEM;
	for (size_t i = 0; i < p->f->pol->prepend_path.n; i++)
		if (!strcmp(p->f->pol->prepend_path.items[i].text, dir))
			return 0;
	const char **slot = VEC_PUSH(&p->f->prepend);
	if (!slot)
		return -ENOMEM;
	*slot = dir;
	return j->verdict == V_GRANTED ? tell_path(p, ev, dir) : 0;
}

/* The line that makes the directory before the command starts: mkdir's EEXIST is its price, not a lack. */
static const struct src *made_before(const struct replay *p, const struct event *ev, const struct judgement *j)
{
	if (ev->acc.op != OP_MKDIR || j->verdict != V_MISSING || j->err != EEXIST)
		return NULL;
	const struct place *at = policy_place(p->f->pol, ev->acc.obj[0].path);
	bool makes = at && (at->create == CREATE_DIR || at->kind == PLACE_TMPFS);
	return makes && !strcmp(at->path, ev->acc.obj[0].path) ? &at->src : NULL;
}

static int file_event(struct replay *p, const struct event *ev, const struct judgement *judged)
{
	const struct access *a = &ev->acc;
	const struct src *made = made_before(p, ev, judged);
	struct judgement by_line = { .verdict = V_GRANTED, .by = made };
	const struct judgement *j = made ? &by_line : judged;
	if (note_listing(p, ev, j) < 0)
		return -ENOMEM;
	enum necessity n = file_necessity(p, ev, j);
	const struct finding *before = findings_get(&p->f->found, a->obj[0].path);
	bool probed = before && before->heading == HEAD_PROBE && p->f->found.last_run[before - p->f->found.items] == p->run;
	int err = tell(p, ev, j, n);
	bool worked = n != NEC_PROBE && n != NEC_FAILED_ANYWAY;
	if (err || !worked || a->obj[0].path[0] != '/')
		return err;
	int counts = asks(p, ev, j);
	if (counts < 0)
		return counts;
	bool link_only = counts && object_granted(p, a, j);
	if (counts && j->verdict == V_MISSING)
		for (int i = 0; !err && i < op_objects(a->op); i++)
			err = note_hops(p, &a->obj[i], link_only);
	if (!err && a->op == OP_EXEC && (counts || j->verdict == V_GRANTED))
		err = found_through_path(p, ev, j);
	if (link_only)
		counts = 0;
	if (!err)
		err = do_names(p, ev, counts);
	struct mine *m = err ? NULL : mine_at(p, a->obj[0].path, strlen(a->obj[0].path));
	if (m && a->obj[0].type == FT_NONE) {
		m->probed = probed;
		m->missing = j->verdict == V_MISSING && j->err == ENOENT;
	}
	return err;
}

/* ---- the end of a run ---- */

static size_t writer_pids(const struct recording *r, uint32_t proc, int32_t *pids, size_t max)
{
	size_t n = 0;
	for (; proc && proc <= r->nprocs && n < max; proc = r->procs[proc - 1].parent)
		pids[n++] = r->procs[proc - 1].pid;
	return n;
}

static bool said_in_argv(const struct recording *r, const char *name)
{
	for (size_t i = 0; i < r->nargv; i++)
		if (strstr(r->argv[i], name))
			return true;
	for (size_t i = 0; i < r->nprocs; i++)
		for (size_t k = 0; r->procs[i].argv && r->procs[i].argv[k]; k++)
			if (strstr(r->procs[i].argv[k], name))
				return true;
	return false;
}

static enum shape own_shape(const struct replay *p, const struct mine *m)
{
	int32_t pids[16];
	struct shape_hints h = {
		.created = true, .temp_like = m->temp_like, .pids = pids, .now_s = p->now_s,
		.npids = writer_pids(p->r, m->proc, pids, LEN(pids)),
	};
	enum shape s = shape_of(path_base(m->path), &h);
	return shape_volatile(s) && said_in_argv(p->r, path_base(m->path)) ? SHAPE_PLAIN : s;
}

/* Does @dir hold a file the run wrote or made whose name is part of @name? ("x-journal", ".x.swp", "x.lock") */
static struct node *companion(const struct replay *p, const char *path)
{
	const char *name = path_base(path);
	size_t dir = (size_t)(name - path), len = strlen(name);
	char *buf = strdup(path);
	struct node *found = NULL;
	for (size_t from = 0; buf && !found && from < len && from < 4; from++) {
		if (from && !strchr(".#~", name[from - 1]))
			break;
		for (size_t end = len; !found && end > from; end--) {
			if (end < len && !strchr("-.~_#", name[end]))
				continue;
			memcpy(buf + dir, name + from, end - from);
			size_t n = dir + end - from;
			struct node *c = n == strlen(path) && !from ? NULL : objects_find(&p->f->objects, buf, n);
			if (c && c->uses & (USE_WRITE | USE_MADE))
				found = c;
		}
	}
	free(buf);
	return found;
}

static int end_gone(struct replay *p, const struct mine *m)
{
	const char *name = path_base(m->path);
	size_t n = strlen(name), above = path_parent_len(m->path);
	const char *home = p->r->host.home;
	struct node *of = companion(p, m->path);
	if (of) {
		if (n > 4 && (!strcmp(name + n - 4, "-wal") || !strcmp(name + n - 4, "-shm")))
			of->uses |= USE_WAL;
		of->uses |= USE_SIDECAR;
		return use_dir(p, m->path, DIR_SIDECAR);
	}
	/* private it may be, but the directory must be there */
	if (m->missing && !mine_at(p, m->path, above)) {
		uint32_t at = objects_above(&p->f->objects, m->path);
		if (at == UINT32_MAX)
			return -ENOMEM;
		struct node *dir = &p->f->objects.nodes[at];
		dir->uses |= USE_ENTER | USE_PRE;
		dir->type = FT_DIR;
	}
	bool in_home = home && strlen(home) == above && !memcmp(home, m->path, above);
	return shape_lock(name) && !in_home ? use_dir(p, m->path, DIR_LOCK) : 0;
}

static int end_survivor(struct replay *p, const struct mine *m)
{
	struct mine *parent = NULL;
	size_t above = path_parent_len(m->path);
	struct node *n = node_at(p, m->path);
	if (!n)
		return -ENOMEM;
	bool first = !(n->uses & USE_CREATED) || n->last_run != p->run;
	n->uses |= m->how | (own_dir(p, m->path) ? USE_BELOW : 0U) | (m->how == USE_RENAMED && m->excl ? USE_EXCL : 0U) |
	           (m->probed ? USE_PROBED : 0U);
	n->type = m->how == USE_MKDIR ? FT_DIR : m->how == USE_BOUND ? FT_SOCK : FT_FILE;
	n->shape = MAX(n->shape, (uint8_t)own_shape(p, m));
	if (first && !n->runs)
		n->first_run = (uint16_t)p->run;
	n->runs = (uint16_t)(n->runs + first);
	n->last_run = (uint16_t)p->run;
	parent = mine_at(p, m->path, above);
	if (parent || n->uses & USE_BELOW)
		return 0;
	if (m->moved) {
		n->uses |= USE_RENAMED;
		return use_dir(p, m->path, DIR_RENAME);
	}
	static const struct { uint32_t how, why; } rows[] = {
		{ USE_EXCL, DIR_EXCL }, { USE_LINKED, DIR_EXCL }, { USE_RENAMED, DIR_RENAME }, { USE_BOUND, DIR_BIND },
	};
	for (size_t i = 0; i < LEN(rows); i++)
		if (m->how == rows[i].how)
			return use_dir(p, m->path, rows[i].why);
	return 0;
}

/* What a grant of a directory would expose; directories in trees nobody asked for do not matter. */
static int count_dir(struct replay *p, const struct dirfact *d)
{
	struct node *n = NULL;
	size_t len = strlen(d->path);
	if (d->path[0] != '/')
		return 0;
	while (!(n = objects_find(&p->f->objects, d->path, len)) && len > 1) {
		while (len > 1 && d->path[len - 1] != '/')
			len--;
		len = len > 1 ? len - 1 : 1;
	}
	if (!n || tier_forbidden(p->f->tiers, n->path))
		n = n && strlen(n->path) == strlen(d->path) ? n : NULL;
	else
		n = node_at(p, d->path);
	if (!n)
		return 0;
	n->has_files = true;
	n->type = FT_DIR;
	n->files = MAX(n->files, d->files);
	n->subdirs = MAX(n->subdirs, d->dirs);
	return 0;
}

static int end_run(struct replay *p)
{
	int err = 0;
	for (size_t i = 0; !err && i < p->mine.n; i++) {
		const struct mine *m = p->mine.items[i].value;
		if (m && m->counts && m->path[0] == '/' && (m->survives || m->alive) && m->survives)
			err = end_survivor(p, m);
	}
	/* after the survivors: a side-car is known by the file it belongs to */
	for (size_t i = 0; !err && i < p->mine.n; i++) {
		const struct mine *m = p->mine.items[i].value;
		if (m && m->counts && m->path[0] == '/' && !m->survives && !own_dir(p, m->path))
			err = end_gone(p, m);
	}
	for (size_t i = 0; !err && i < p->r->ndirs; i++)
		err = count_dir(p, &p->r->dirs[i]);
	return err;
}

/* "20261129-213747-npm-1a2b" says when, to a second; a day more or less does not matter. */
static uint64_t run_time(const char *id)
{
	static const uint16_t before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
	uint64_t v = 0;
	for (int i = 0; i < 8; i++) {
		if (!id || id[i] < '0' || id[i] > '9')
			return 0;
		v = v * 10 + (uint64_t)(id[i] - '0');
	}
	uint64_t year = v / 10000, month = v / 100 % 100, day = v % 100;
	if (year < 1970 || month < 1 || month > 12)
		return 0;
	return ((year - 1970) * 365 + (year - 1969) / 4 + before[month - 1] + day) * 86400;
}

int facts_apply(struct made *made, const struct policy *pol, const struct event *ev, const struct judgement *j)
{
	const struct access *a = &ev->acc;
	int err = made_apply(made, pol, a, j);
	const struct place *from = a->op == OP_RENAME && j->err == EXDEV ? policy_place(pol, a->obj[0].path) : NULL;
	if (err || !from || from->kind != PLACE_TMPFS || ev->outcome)
		return err;
	/* who survives EXDEV has copied and removed; who does not asks for nothing more */
	struct access gone = *a;
	gone.op = OP_UNLINK;
	struct judgement done = { .verdict = V_PRIVATE };
	return made_apply(made, pol, &gone, &done);
}

static int replay(struct replay *p)
{
	int err = 0;
	for (size_t i = 0; !err && i < p->r->nevents; i++) {
		const struct event *ev = &p->r->events[i];
		struct judgement j = policy_judge(p->f->pol, &ev->acc, &p->r->host, &p->made);
		if ((j.verdict == V_GRANTED || j.verdict == V_PRIVATE) && j.by)
			err = uses_hit(&p->f->hits, j.by, ev->count);
		if (!err)
			err = access_is_file(&ev->acc) ? file_event(p, ev, &j) : facts_other(p, ev, &j);
		/* also where it failed outside: a mkdir of what is absent inside does make it there */
		if (!err)
			err = facts_apply(&p->made, p->f->pol, ev, &j);
	}
	if (!err)
		err = end_run(p);
	return err ? err : facts_nets(p);
}

int facts_add_run(struct facts *f, const struct recording *r, uint32_t run)
{
	struct replay p = { .f = f, .r = r, .run = run, .now_s = run_time(r->id) };
	p.who = arena_array(&p.arena, r->nprocs + 1, sizeof(*p.who));
	int err = p.who ? findings_reserve(&f->found, r->nevents + r->nnets + 1) : -ENOMEM;
	if (!err)
		err = replay(&p);
	made_drop(&p.made);
	map_drop(&p.mine);
	map_drop(&p.listed);
	arena_drop(&p.arena);
	return err;
}
