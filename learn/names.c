/* names.c - the names a run makes itself, and what each operation does to names */
#include "learn/replay.h"

#include "base/path.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

struct mine *mine_at(const struct replay *p, const char *path, size_t len)
{
	void **slot = map_find(&p->mine, path, len);
	struct mine *m = slot ? *slot : NULL;
	return m && m->alive ? m : NULL;
}

/* The topmost directory of the run's own making that holds @path, NULL if none does; containers are looked through. */
struct mine *mine_dir(const struct replay *p, const char *path)
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

bool mine_is(const struct replay *p, const struct object *o)
{
	return mine_at(p, o->path, strlen(o->path)) || mine_dir(p, o->path);
}

struct node *replay_node(struct replay *p, const char *path)
{
	uint32_t at = objects_at(&p->f->objects, path);
	return at == UINT32_MAX ? NULL : &p->f->objects.nodes[at];
}

int replay_use(struct replay *p, const struct object *o, uint32_t uses)
{
	struct node *n = replay_node(p, o->path);
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

int replay_use_dir(struct replay *p, const char *path, uint32_t why)
{
	uint32_t at = objects_above(&p->f->objects, path);
	if (at == UINT32_MAX)
		return -ENOMEM;
	p->f->objects.nodes[at].dirs |= why;
	p->f->objects.nodes[at].type = FT_DIR;
	return 0;
}

/* ---- what one operation does to names ---- */

/* Of mkdir(1): 1 without -p, 2 with it; 0 it is another program. */
static int mkdir_words(const struct replay *p, uint32_t proc)
{
	const char *const *argv = proc && proc <= p->r->nprocs ? (const char *const *)p->r->procs[proc - 1].argv : NULL;
	if (!argv || !argv[0] || strcmp(path_base(argv[0]), "mkdir") != 0)
		return 0;
	for (size_t i = 1; argv[i] && strcmp(argv[i], "--") != 0; i++)
		if (argv[i][0] == '-' && (!strncmp(argv[i], "--p", 3) || (argv[i][1] != '-' && strchr(argv[i], 'p'))))
			return 2;
	return 1;
}

bool names_strict(const struct replay *p, uint32_t proc)
{
	return mkdir_words(p, proc) == 1;
}

bool names_log(const char *path)
{
	size_t n = strlen(path_base(path));
	const char *end = path + strlen(path);
	return n > 4 && (!strcmp(end - 4, "-wal") || !strcmp(end - 4, "-shm"));
}

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
		.excl = how == USE_EXCL, .type = ev->acc.op == OP_SYMLINK ? FT_LINK : FT_UNKNOWN,
		.strict = how == USE_MKDIR && names_strict(p, ev->proc),
		.lenient = map_find(&p->lenient, &ev->proc, sizeof(ev->proc)) || mkdir_words(p, ev->proc) == 2,
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
	if (!counts || mine_dir(p, o->path))
		return 0;
	int err = replay_use(p, o, USE_REMOVED);
	return err ? err : replay_use_dir(p, o->path, DIR_DELETE);
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
	bool own_from = from || mine_dir(p, a->path), own_to = to || mine_dir(p, b->path);
	bool excl = from && from->excl, temp = from && from->temp_like;
	uint8_t special = from ? from->type : a->type == FT_LINK ? FT_LINK : FT_UNKNOWN;
	bool was_dir = from ? from->how == USE_MKDIR : a->type == FT_DIR;
	bool replaced = b->type != FT_NONE && !own_to;
	int err = 0;
	if (from) {
		from->alive = false;
		from->counts = false; /* renamed, not gone */
	} else if (counts && !own_from) {
		err = replay_use(p, a, USE_REMOVED);
		if (!err)
			err = replay_use_dir(p, a->path, DIR_AWAY);
	}
	if (!err && was_dir)
		err = move_below(p, a->path, b->path);
	if (!err && replaced && counts)
		err = replay_use(p, b, USE_REPLACED | USE_RENAMED);
	if (!err && replaced && counts)
		err = replay_use_dir(p, b->path, DIR_REPLACE);
	if (!err && !replaced)
		err = make(p, ev, b, was_dir ? USE_MKDIR : USE_RENAMED, counts);
	if (!err && !replaced) {
		struct mine *m = map_get(&p->mine, b->path);
		m->excl = excl;
		m->type = special;
		m->moved = was_dir;
		m->temp_like = temp && !strcmp(path_base(a->path), path_base(b->path));
	}
	bool lasting = replaced || ev->survives;
	return !err && counts && lasting && !mine_dir(p, b->path) ? pair(p, a, b) : err;
}

static int do_link(struct replay *p, const struct event *ev, bool counts)
{
	const struct object *a = &ev->acc.obj[0], *b = &ev->acc.obj[1];
	int err = 0;
	bool own = mine_is(p, a);
	if (counts && !own && a->type != FT_NONE)
		err = replay_use(p, a, USE_READ);
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
		struct node *n = counts && !mine_is(p, o) ? replay_node(p, o->path) : NULL;
		if (n)
			n->dirs |= DIR_TMPFILE;
		return 0;
	}
	if (o->type == FT_NONE)
		return f & O_CREAT ? make(p, ev, o, f & O_EXCL ? USE_EXCL : USE_MADE, counts) : 0;
	if (!counts || mine_is(p, o))
		return 0;
	if (o->type == FT_DIR)
		return replay_use(p, o, f & O_PATH ? USE_ENTER : USE_LIST);
	return replay_use(p, o, f & O_PATH ? USE_LOOK : writes ? USE_WRITE : USE_READ);
}

static int do_meta(struct replay *p, const struct event *ev)
{
	const struct object *o = &ev->acc.obj[0];
	if (o->type != FT_DIR)
		return replay_use(p, o, USE_WRITE);
	struct node *n = replay_node(p, o->path);
	if (!n)
		return -ENOMEM;
	n->dirs |= DIR_META;
	return replay_use(p, o, 0);
}

/* What the operation asks of an object that was there and is not the run's own. */
static int do_existing(struct replay *p, const struct event *ev)
{
	const struct object *o = &ev->acc.obj[0];
	switch ((int)ev->acc.op) {
	case OP_CHDIR:
		return replay_use(p, o, USE_ENTER | USE_CHDIR);
	case OP_ACCESS:
		if (access_told_to_write(p->r, ev))
			return replay_use(p, o, USE_WRITE);
		return replay_use(p, o, o->type == FT_DIR ? USE_ENTER : USE_LOOK);
	case OP_STAT:
	case OP_READLINK:
		return replay_use(p, o, o->type == FT_DIR ? USE_ENTER : USE_LOOK);
	case OP_TRUNCATE:
	case OP_CHMOD:
	case OP_CHOWN:
	case OP_UTIME:
	case OP_SETXATTR:
		return do_meta(p, ev);
	case OP_EXEC:
	case OP_LOAD:
		return replay_use(p, o, USE_EXEC);
	case OP_CONNECT:
	case OP_SEND:
		return replay_use(p, o, USE_SOCKET);
	}
	return 0;
}

int names_apply(struct replay *p, const struct event *ev, bool counts)
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
	return counts && o->type != FT_NONE && !mine_is(p, o) ? do_existing(p, ev) : 0;
}
