/* facts.c - from accesses to what was needed of each object */
#include "learn/replay.h"

#include "base/path.h"
#include "base/vec.h"
#include "learn/shape.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>

/*
 * How this works. Events come in the order of first sight. Each is judged in the confined world as the run has
 * made it so far. What is granted leaves no facts. What is missing, or lands in the private home, is noted at its
 * object: read, listed, written, made how, removed. Names the run made are kept in replay.mine until the run
 * ends: only then is it known which survived, which were mere side-cars, and which lie below a directory of its own.
 */

void facts_drop(struct facts *f)
{
	objects_drop(&f->objects);
	findings_drop(&f->found);
	VEC_FREE(&f->pairs);
	VEC_FREE(&f->links);
	VEC_FREE(&f->prepend);
	VEC_FREE(&f->given);
	hits_drop(&f->hits);
}

/* The line that makes the directory before the command starts: mkdir's EEXIST is its price, not a lack. */
static const struct src *made_before(const struct replay *p, const struct event *ev, const struct judgement *j)
{
	if (ev->acc.op != OP_MKDIR || j->verdict != V_MISSING || j->err != EEXIST || names_strict(p, ev->proc))
		return NULL;
	const struct place *at = policy_place(p->f->pol, ev->acc.obj[0].path);
	bool makes = at && (at->create == CREATE_DIR || at->kind == PLACE_TMPFS);
	return makes && !strcmp(at->path, ev->acc.obj[0].path) ? &at->src : NULL;
}

/*
 * Does its program copy where a name cannot be moved or linked across mounts? mv does, and git clone that was not told to
 * link. Then @part[0] is what it does with the old name, @part[1] with the new.
 */
static bool copies(const struct recording *r, const struct event *ev, struct event part[2])
{
	const struct access *a = &ev->acc;
	const struct proc *who = ev->proc && ev->proc <= r->nprocs ? &r->procs[ev->proc - 1] : NULL;
	const char *name = who && who->exe ? path_base(who->exe) : "";
	bool moves = a->op == OP_RENAME && !strcmp(name, "mv"), links = a->op == OP_LINK && !strcmp(name, "git");
	if (ev->outcome || !(moves || links) || a->obj[0].type == FT_DIR || a->obj[0].path[0] != '/')
		return false;
	for (size_t i = 1; links && who->argv && who->argv[0] && who->argv[i]; i++)
		if (!strcmp(who->argv[i], "--local") || !strcmp(who->argv[i], "-l"))
			return false;
	part[0] = part[1] = *ev;
	part[0].acc.op = moves ? OP_UNLINK : OP_OPEN;
	part[0].acc.flags = O_RDONLY;
	part[1].acc.op = OP_OPEN;
	part[1].acc.flags = O_WRONLY | O_CREAT;
	part[1].acc.obj[0] = a->obj[1];
	part[0].acc.obj[1] = part[1].acc.obj[1] = (struct object){ 0 };
	return true;
}

static bool works(const struct judgement *j)
{
	return !j->err && (j->verdict == V_GRANTED || j->verdict == V_PRIVATE);
}

bool facts_copied(const struct recording *r, const struct policy *pol, const struct made *made, const struct event *ev,
                  const struct judgement *j)
{
	struct event part[2];
	if (j->err != EXDEV || j->verdict != V_MISSING || !copies(r, ev, part))
		return false;
	struct judgement old = policy_judge(pol, &part[0].acc, &r->host, made);
	struct judgement new = policy_judge(pol, &part[1].acc, &r->host, made);
	return works(&old) && works(&new);
}

int facts_given(struct facts *f, const struct access *a)
{
	static const size_t n = sizeof(ACCESS_GIVEN_FD) - 1;
	const char *spelled = a->obj[0].spelled;
	if (!(a->marks & MARK_FD) || a->op != OP_OPEN || !spelled || strncmp(spelled, ACCESS_GIVEN_FD, n) != 0)
		return 0;
	/* a terminal or /dev/null strays into many programs; a directory is handed on to none */
	if (a->obj[0].type != FT_FILE && a->obj[0].type != FT_FIFO)
		return 0;
	uint32_t fd = (uint32_t)strtoul(spelled + n, NULL, 10);
	for (size_t i = 0; i < f->given.n; i++)
		if (f->given.items[i].fd == fd)
			return 0;
	struct given_fd *g = VEC_PUSH(&f->given);
	if (!g)
		return -ENOMEM;
	*g = (struct given_fd){ fd, a->obj[0].path };
	return 0;
}

/* sqlite removes -wal and -shm at the end; where they are mount points they stay, and nothing is amiss. */
static const struct src *log_stays(const struct replay *p, const struct event *ev, const struct judgement *j)
{
	const struct access *a = &ev->acc;
	if (a->op != OP_UNLINK || j->verdict != V_MISSING || j->err != EBUSY || !names_log(a->obj[0].path))
		return NULL;
	const struct place *at = policy_place(p->f->pol, a->obj[0].path);
	return at && at->create == CREATE_FILE && !strcmp(at->path, a->obj[0].path) ? &at->src : NULL;
}

static int file_event(struct replay *p, const struct event *ev, const struct judgement *judged)
{
	const struct access *a = &ev->acc;
	const struct src *made = made_before(p, ev, judged);
	if (!made)
		made = log_stays(p, ev, judged);
	struct judgement by_line = { .verdict = V_GRANTED, .by = made };
	static const struct judgement empty = { .verdict = V_MISSING, .why = "what it held is not there" };
	const struct judgement *j = made || facts_copied(p->r, p->f->pol, &p->made, ev, judged) ? &by_line : judged;
	int emptied = tell_emptied(p, ev, j);
	if (emptied)
		j = &empty;
	if (emptied < 0 || tell_listing(p, ev, j) < 0)
		return -ENOMEM;
	enum necessity n = tell_necessity(p, ev, j);
	const struct finding *before = findings_get(&p->f->found, a->obj[0].path);
	bool probed = before && before->heading == HEAD_PROBE && p->f->found.last_run[before - p->f->found.items] == p->run;
	int err = tell_access(p, ev, j, n);
	bool worked = n != NEC_PROBE && n != NEC_FAILED_ANYWAY;
	if (err || !worked || a->obj[0].path[0] != '/')
		return err;
	int counts = asks_grant(p, ev, j);
	if (counts < 0)
		return counts;
	bool link_only = counts && asks_link_only(p, a, j);
	if (counts && j->verdict == V_MISSING)
		for (int i = 0; !err && i < op_objects(a->op); i++)
			err = asks_hops(p, &a->obj[i], link_only);
	if (!err && a->op == OP_EXEC && (counts || j->verdict == V_GRANTED))
		err = asks_path(p, ev, j);
	if (link_only)
		counts = 0;
	if (!err)
		err = names_apply(p, ev, counts);
	struct mine *m = err ? NULL : mine_at(p, a->obj[0].path, strlen(a->obj[0].path));
	if (m && a->obj[0].type == FT_NONE) {
		m->probed = probed;
		m->missing = j->verdict == V_MISSING && j->err == ENOENT;
	}
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

int facts_apply(struct made *made, const struct policy *pol, const struct recording *r, const struct event *ev,
                const struct judgement *j)
{
	const struct access *a = &ev->acc;
	struct judgement done = { .verdict = V_PRIVATE };
	/* mv tries so first, and then replaces what is there: told by its next call, inside by this one */
	if (a->op == OP_RENAME && a->flags & RENAME_NOREPLACE && ev->outcome == EEXIST)
		return 0;
	if (facts_copied(r, pol, made, ev, j)) {
		struct event part[2];
		(void)copies(r, ev, part);
		int err = made_apply(made, pol, &part[0].acc, &done);
		return err ? err : made_apply(made, pol, &part[1].acc, &done);
	}
	int err = made_apply(made, pol, a, j);
	const struct place *from = a->op == OP_RENAME && j->err == EXDEV ? policy_place(pol, a->obj[0].path) : NULL;
	if (err || !from || from->kind != PLACE_TMPFS || ev->outcome)
		return err;
	/* who survives EXDEV has copied and removed; who does not asks for nothing more */
	struct access gone = *a;
	gone.op = OP_UNLINK;
	return made_apply(made, pol, &gone, &done);
}

static int replay_one(struct replay *p, const struct event *ev, const struct judgement *j)
{
	int err = 0;
	if ((j->verdict == V_GRANTED || j->verdict == V_PRIVATE) && j->by)
		err = uses_hit(&p->f->hits, j->by, ev->count);
	if (!err)
		err = access_is_file(&ev->acc) ? file_event(p, ev, j) : facts_other(p, ev, j);
	if (!err)
		err = facts_given(p->f, &ev->acc);
	/* also where it failed outside: a mkdir of what is absent inside does make it there */
	return err ? err : facts_apply(&p->made, p->f->pol, p->r, ev, j);
}

static int replay(struct replay *p)
{
	int err = 0;
	for (size_t i = 0; !err && i < p->r->nevents; i++) {
		const struct event *ev = &p->r->events[i];
		struct event part[2];
		struct judgement j = policy_judge(p->f->pol, &ev->acc, &p->r->host, &p->made);
		/* the link itself could be had nowhere: what is needed is what the copy needs */
		bool apart = ev->acc.op == OP_LINK && j.verdict == V_MISSING && copies(p->r, ev, part);
		if (!apart)
			err = replay_one(p, ev, &j);
		for (int k = 0; apart && !err && k < 2; k++) {
			j = policy_judge(p->f->pol, &part[k].acc, &p->r->host, &p->made);
			err = replay_one(p, &part[k], &j);
		}
	}
	if (!err)
		err = run_end(p);
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
	map_drop(&p.lenient);
	map_drop(&p.anew);
	arena_drop(&p.arena);
	return err;
}
