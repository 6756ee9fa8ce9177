/* run_end.c - the end of a run: what survived, side-cars, what directories hold */
#include "learn/replay.h"

#include "base/path.h"
#include "learn/shape.h"
#include "profiles/judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	size_t above = path_parent_len(m->path);
	const char *home = p->r->host.home;
	struct node *of = companion(p, m->path);
	if (of) {
		struct node *log = names_log(m->path) ? replay_node(p, m->path) : of;
		if (!log)
			return -ENOMEM;
		log->uses |= log == of ? 0U : USE_LOG;
		of = companion(p, m->path); /* nodes may have moved */
		of->uses |= USE_SIDECAR;
		return replay_use_dir(p, m->path, DIR_SIDECAR);
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
	return shape_lock(name) && !in_home ? replay_use_dir(p, m->path, DIR_LOCK) : 0;
}

static int end_survivor(struct replay *p, const struct mine *m)
{
	struct mine *parent = NULL;
	size_t above = path_parent_len(m->path);
	struct node *n = replay_node(p, m->path);
	if (!n)
		return -ENOMEM;
	bool first = !(n->uses & USE_CREATED) || n->last_run != p->run;
	n->uses |= m->how | (mine_dir(p, m->path) ? USE_BELOW : 0U) | (m->how == USE_RENAMED && m->excl ? USE_EXCL : 0U) |
	           (m->probed ? USE_PROBED : 0U) | (m->strict ? USE_STRICT : 0U) | (m->lenient ? USE_LENIENT : 0U);
	n->type = m->type ? m->type : m->how == USE_MKDIR ? FT_DIR : m->how == USE_BOUND ? FT_SOCK : FT_FILE;
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
		return replay_use_dir(p, m->path, DIR_RENAME);
	}
	static const struct { uint32_t how, why; } rows[] = {
		{ USE_EXCL, DIR_EXCL }, { USE_LINKED, DIR_EXCL }, { USE_RENAMED, DIR_RENAME }, { USE_BOUND, DIR_BIND },
	};
	for (size_t i = 0; i < LEN(rows); i++)
		if (m->how == rows[i].how)
			return replay_use_dir(p, m->path, rows[i].why);
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
		n = replay_node(p, d->path);
	if (!n)
		return 0;
	n->has_files = true;
	n->type = FT_DIR;
	n->files = MAX(n->files, d->files);
	n->subdirs = MAX(n->subdirs, d->dirs);
	return 0;
}

/* Of a database with a log beside it all three files go together, whichever of them were there. */
static int end_logs(struct replay *p)
{
	struct objects *o = &p->f->objects;
	uint32_t seen = USE_READ | USE_WRITE | USE_MADE | USE_LOG;
	for (size_t i = 0, n = o->n; i < n; i++) {
		const char *path = o->nodes[i].path;
		struct node *db = !names_log(path) || !(o->nodes[i].uses & seen) ? NULL : objects_find(o, path, strlen(path) - 4);
		if (!db || !(db->uses & (USE_READ | USE_WRITE | USE_MADE)))
			continue;
		db->uses |= USE_WAL;
		const char *base = db->path;
		for (int k = 0; k < 2; k++) {
			const char *name = arena_fmt(p->f->arena, k ? "%s-shm" : "%s-wal", base);
			struct node *log = name ? replay_node(p, name) : NULL;
			if (!log)
				return -ENOMEM;
			log->uses |= USE_LOG;
		}
	}
	return 0;
}

/* A copy whose name holds no regular file at the end is not written back, which costs a run its status. */
static int end_copy(struct replay *p, const struct place *at)
{
	enum file_type left = made_type(&p->made, at->path, strlen(at->path));
	if (at->kind != PLACE_COPY || at->type == FT_NONE || left == FT_UNKNOWN || left == FT_FILE)
		return 0;
	const struct finding *told = findings_get(&p->f->found, at->path);
	struct finding new = {
		.path = at->path, .kind = NEED_REMOVE, .heading = HEAD_NEEDS, .necessity = NEC_REQUIRED, .count = 1,
		.judgement = { .verdict = V_MISSING, .by = &at->src,
		               .why = left == FT_NONE ? "gone at the end" : "no regular file at the end" },
		.who = told ? told->who : NULL, .proc = told ? told->proc : 0, .seq = told ? told->seq : 0,
		.counts = true, .counts_all = true,
	};
	struct finding *to = findings_add(&p->f->found, at->path, &new, p->run);
	const char *line = line_text(p->f->arena, &at->src);
	return to && line ? finding_note(&p->f->found, to, arena_fmt(p->f->arena, "%s, which mode copy (%s) does not write back",
	                                                                     new.judgement.why, line)) : -ENOMEM;
}

int run_end(struct replay *p)
{
	int err = 0;
	for (size_t i = 0; !err && i < p->f->pol->nplaces; i++)
		err = end_copy(p, &p->f->pol->places[i]);
	for (size_t i = 0; !err && i < p->mine.n; i++) {
		const struct mine *m = p->mine.items[i].value;
		if (m && m->counts && m->path[0] == '/' && (m->survives || m->alive) && m->survives)
			err = end_survivor(p, m);
	}
	/* after the survivors: a side-car is known by the file it belongs to */
	for (size_t i = 0; !err && i < p->mine.n; i++) {
		const struct mine *m = p->mine.items[i].value;
		if (m && m->counts && m->path[0] == '/' && !m->survives && !mine_dir(p, m->path))
			err = end_gone(p, m);
	}
	if (!err)
		err = end_logs(p);
	for (size_t i = 0; !err && i < p->r->ndirs; i++)
		err = count_dir(p, &p->r->dirs[i]);
	return err;
}
