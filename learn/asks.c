/* asks.c - which accesses ask for a grant, and through which links */
#include "learn/replay.h"

#include "base/path.h"
#include "base/str.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

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
	enum need_kind k = tell_kind(a);
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

static int asks_note(struct replay *p, const char *path, const char *note)
{
	struct finding *to = findings_get(&p->f->found, path);
	if (!note)
		return -ENOMEM;
	return to ? finding_note(&p->f->found, to, note) : 0;
}

/* A private place lets the command make anew what it changes outside: a read-only bind of that would not. */
static int remade(struct replay *p, const struct access *a, const struct judgement *j, const struct object *o)
{
	enum need_kind k = tell_kind(a);
	bool changes = k == NEED_WRITE || k == NEED_CREATE;
	if (j->err || !changes || o->type == FT_NONE || o->path[0] != '/' || mine_is(p, o))
		return 0;
	struct node *n = replay_node(p, o->path);
	if (!n)
		return -ENOMEM;
	n->uses |= USE_REMADE | (a->op == OP_RENAME || a->op == OP_LINK ? USE_RENAMED : USE_WRITE);
	return 0;
}

/* 1: facts follow, 0: none, with a note where a person wants to know why. */
int asks_grant(struct replay *p, const struct event *ev, const struct judgement *j)
{
	struct facts *f = p->f;
	const struct access *a = &ev->acc;
	const struct object *o = &a->obj[op_objects(a->op) - 1];
	if (j->verdict == V_PRIVATE)
		return tell_lost_in_home(f, o->path) ? 1 : remade(p, a, j, o);
	if (j->verdict != V_MISSING || o->path[0] != '/' || path_under(o->path, "/proc") || path_under(o->path, "/sys"))
		return 0;
	if (a->marks & (MARK_OTHER_MNT | MARK_FD))
		return 0;
	const struct ban *ban = banned(f, a, o->path);
	if (ban)
		return asks_note(p, tell_object(p, ev), arena_fmt(f->arena, "%s denies it", line_text(f->arena, &ban->src)));
	const struct place *line = overruling(f, j, o->path);
	if (line)
		return asks_note(p, tell_object(p, ev), arena_fmt(f->arena, "%s says read-only", line_text(f->arena, &line->src)));
	if (only_with_capabilities(&p->r->host, a, o))
		return asks_note(p, tell_object(p, ev), "only root's capabilities open it, and a confined command has none");
	return 1;
}

/* Links passed on the way to a needed object; a directory left by ".." must exist. */
int asks_hops(struct replay *p, const struct object *o, bool granted)
{
	for (size_t i = 0; i < o->nhops; i++) {
		const struct hop *h = &o->hops[i];
		bool up = !strcmp(h->text, "..");
		const struct place *at = policy_place(p->f->pol, h->path);
		if (h->path[0] != '/' || mine_at(p, h->path, strlen(h->path)) || mine_dir(p, h->path))
			continue;
		/* the kernel makes those of a process; a bind shows it already; a link on top of the tree is base's */
		if (path_under(h->path, "/proc") || (at && (at->kind == PLACE_BIND || at->kind == PLACE_LINK)))
			continue;
		struct node *n = replay_node(p, h->path);
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
bool asks_link_only(const struct replay *p, const struct access *a, const struct judgement *j)
{
	if (j->verdict != V_MISSING || op_objects(a->op) != 1 || !a->obj[0].nhops)
		return false;
	struct access plain = *a;
	plain.obj[0].nhops = 0;
	struct judgement k = policy_judge(p->f->pol, &plain, &p->r->host, &p->made);
	return k.verdict == V_GRANTED;
}

/* A program that is granted where it lies, and still not found by its name: a finding of its own. */
static int path_row(struct replay *p, const struct event *ev, const char *dir)
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

/* A program called by a bare name: its directory was searched through the user's PATH. */
int asks_path(struct replay *p, const struct event *ev, const struct judgement *j)
{
	static const char *const usual[] = {
		"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin",
	};
	const struct object *o = &ev->acc.obj[0];
	/* a relative directory of PATH is meant where it was found */
	const char *spelled = o->spelled[0] == '/' ? o->spelled : o->path;
	size_t n = path_parent_len(spelled);
	bool bare = ev->acc.marks & MARK_PATH && spelled[0] == '/' && (spelled == o->spelled || !o->nhops);
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
	return j->verdict == V_GRANTED ? path_row(p, ev, dir) : 0;
}
