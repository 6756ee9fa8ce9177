/* plan.c - constraints: what each path must be granted */
#include "learn/plan.h"

#include "base/path.h"
#include "base/vec.h"
#include "learn/shape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const dir_words[DIR_COUNT] = {
	"deletes files in it", "replaces files in it", "renames files away from it", "makes files in it with O_EXCL",
	"saves by rename", "keeps side-car files that the host will not see",
	"locks by a file that the host will not see", "makes nameless files in it", "changes its mode, owner or times",
	"renames between directories", "makes a socket in it",
};

void plan_drop(struct plan *p)
{
	free(p->want);
	free(p->varies);
	VEC_FREE(&p->remarks);
	VEC_FREE(&p->guarded);
	*p = (struct plan){ 0 };
}

int plan_remark(struct plan *p, const char *path, const char *text)
{
	if (!text)
		return -ENOMEM;
	/* the same remark comes from neighbouring facts, so a short look back finds it */
	size_t from = p->remarks.n > 32 ? p->remarks.n - 32 : 0;
	for (size_t i = p->remarks.n; i-- > from;)
		if (!strcmp(p->remarks.items[i].path, path) && !strcmp(p->remarks.items[i].text, text))
			return 0;
	struct remark *r = VEC_PUSH(&p->remarks);
	if (!r)
		return -ENOMEM;
	*r = (struct remark){ path, text };
	struct finding *to = findings_get(&p->f->found, path);
	return to && to->heading != HEAD_GRANTED && to->heading != HEAD_PROBE ? finding_note(&p->f->found, to, text) : 0;
}

static int guard(struct plan *p, const char *path, const char *why, bool rw, bool dir, bool fresh)
{
	for (size_t i = 0; dir && i < p->guarded.n; i++) { /* files come once each */
		struct guarded *g = &p->guarded.items[i];
		if (strcmp(g->path, path) != 0)
			continue;
		g->rw |= rw;
		g->fresh |= fresh;
		return 0;
	}
	struct guarded *g = VEC_PUSH(&p->guarded);
	if (!g)
		return -ENOMEM;
	*g = (struct guarded){ .path = path, .why = why, .rw = rw, .dir = dir, .fresh = fresh };
	return 0;
}

/* What a requested bind of @path forbids, a copy allows: a person may put that in its place. */
static int guard_copy(struct plan *p, const char *path, const struct src *over)
{
	const char *why = arena_fmt(p->f->arena, "instead of %s, with override: true", line_text(p->f->arena, over));
	struct guarded *g = why ? VEC_PUSH(&p->guarded) : NULL;
	if (!g)
		return -ENOMEM;
	*g = (struct guarded){ .path = path, .why = why, .copy = true, .over = over };
	return 0;
}

/* A look that confined would not come to, or without weight. */
static int not_needed(struct plan *p, const struct node *n, const char *why)
{
	struct finding *f = findings_get(&p->f->found, n->path);
	if (!f || f->heading != HEAD_NEEDS)
		return 0;
	f->counts = false;
	return finding_note(&p->f->found, f, why);
}

/* A credential store: read files one by one, anything else as a whole. Return: 1 it is one. */
static int protect(struct plan *p, uint32_t at)
{
	const struct node *n = &p->f->objects.nodes[at];
	const char *store = NULL, *why = tier_protected(p->f->tiers, n->path, &store);
	if (!why)
		return 0;
	uint32_t weighty = n->uses & (USE_READ | USE_EXEC | USE_LIST | USE_SOCKET | USE_LOOK | USE_CHANGED);
	if (!weighty && !n->dirs)
		return not_needed(p, n, "only looked at") ? -ENOMEM : 1;
	bool changes = n->uses & USE_CHANGED || n->dirs, list = n->uses & USE_LIST;
	bool whole = (changes || list) && (n->type == FT_DIR || strcmp(n->path, store) != 0);
	const struct node *top = objects_find(&p->f->objects, store, strlen(store));
	bool fresh = whole && top && top->uses & USE_MKDIR && !(top->uses & USE_PRE);
	int err = guard(p, whole ? store : n->path, why, changes, whole, fresh);
	return err ? err : 1;
}

/* Does a requested line show it already? (It came here with another object that is not.) */
static bool shown(const struct plan *p, const char *path, bool rw)
{
	const struct place *at = policy_place(p->f->pol, path);
	return at && at->kind == PLACE_BIND && (!rw || at->mode == BIND_RW);
}

/* A requested copy of just this file stands, and no line adds to it. */
static bool copied(const struct plan *p, const char *path)
{
	const struct place *at = policy_place(p->f->pol, path);
	return at && at->kind == PLACE_COPY && !strcmp(at->path, path);
}

/* A requested line that shows another path of the host here: what it holds was not recorded. */
static const char *elsewhere(const struct plan *p, const char *path)
{
	const struct place *at = policy_place(p->f->pol, path);
	if (!at || at->kind != PLACE_BIND || at->kept || !at->source || !strcmp(at->source, at->path))
		return NULL;
	return arena_fmt(p->f->arena, "%s shows %s here: what that holds was not recorded", line_text(p->f->arena, &at->src),
	                 at->source);
}

/* A requested line that keeps @path read-only: it stands, and is named. home: host is no such line. */
static const char *held(const struct plan *p, const char *path)
{
	const struct policy *pol = p->f->pol;
	const struct place *at = policy_place(pol, path);
	if (!at || at->kind != PLACE_BIND || at->mode != BIND_RO || (pol->home && !strcmp(at->path, pol->home)))
		return NULL;
	return arena_fmt(p->f->arena, "%s says read-only", line_text(p->f->arena, &at->src));
}

/* ---- the directory itself must be writable ---- */

static int refuse_dir(struct plan *p, const struct node *n)
{
	int err = 0;
	for (int i = 0; !err && i < DIR_COUNT; i++) {
		uint32_t bit = 1U << i;
		/* a copy keeps these; and what is saved is told at its name */
		if (n->dirs & bit && bit & ~(uint32_t)(DIR_RENAME | DIR_REPLACE | DIR_EXCL | DIR_SIDECAR | DIR_BIND))
			err = plan_remark(p, n->path, dir_words[i]);
	}
	return err;
}

/* Somebody else's socket lies in it: a server of the user's, which would run what it is told outside. */
static bool serves_user(const struct plan *p, const struct node *dir)
{
	const struct objects *o = &p->f->objects;
	for (uint32_t k = dir->child; k; k = o->nodes[k].next)
		if (o->nodes[k].type == FT_SOCK && o->nodes[k].uses & USE_PRE)
			return true;
	return false;
}

static int want_dir(struct plan *p, uint32_t at)
{
	struct node *n = &p->f->objects.nodes[at];
	if (!n->dirs || n->uses & USE_BELOW || (n->uses & USE_MKDIR && !(n->uses & USE_PRE)))
		return 0;
	if (tier_forbidden(p->f->tiers, n->path))
		return refuse_dir(p, n);
	if (tier_user_dir(p->f->tiers, n->path))
		return guard(p, n->path, "opens all documents in it to writing", true, true, false);
	const char *line = held(p, n->path);
	if (line)
		return plan_remark(p, n->path, line);
	if (serves_user(p, n))
		return guard(p, n->path, "opens sockets of your other programs", true, true, false);
	if (!shown(p, n->path, true))
		p->want[at] |= WANT_RW_DIR;
	return 0;
}

static size_t common(const char *a, const char *b)
{
	size_t n = 0, last = 1;
	for (; a[n] && a[n] == b[n]; n++)
		if (a[n] == '/' && n)
			last = n;
	if ((!a[n] && b[n] == '/') || (!b[n] && a[n] == '/') || (!a[n] && !b[n]))
		last = MAX(n, (size_t)1);
	return last;
}

static int want_pair(struct plan *p, const struct pair *x)
{
	struct objects *o = &p->f->objects;
	const char *a = o->nodes[o->nodes[x->a].parent].path, *b = o->nodes[o->nodes[x->b].parent].path;
	if (!strcmp(a, b))
		return 0;
	if (tier_protected(p->f->tiers, a, NULL) || tier_protected(p->f->tiers, b, NULL))
		return 0;
	struct node *l = objects_find(o, a, common(a, b));
	if (!l)
		return -ENOMEM;
	if (tier_forbidden(p->f->tiers, l->path) || tier_user_dir(p->f->tiers, l->path)) {
		const char *project = p->f->pol->project;
		bool temp = (path_under(a, "/tmp") || path_under(a, "/var/tmp")) && project && path_under(b, project) &&
		            p->f->pol->project_mode != PROJECT_RO;
		p->tmpdir |= temp;
		return plan_remark(p, o->nodes[x->b].path, temp ?
		                   "renamed out of a temporary directory: confined that is EXDEV, which mv and cp survive by copying; "
		                   "TMPDIR in the project avoids it: a commented line" :
		                   "renamed or linked between directories: confined that is EXDEV, which mv and cp survive by copying");
	}
	l->dirs |= DIR_CROSS;
	return 0;
}

/* ---- files ---- */

static bool forbidden_parent(const struct plan *p, const struct node *n)
{
	const char *dir = p->f->objects.nodes[n->parent].path;
	return tier_forbidden(p->f->tiers, dir) && !tier_protected(p->f->tiers, dir, NULL);
}

/* A name of its own in a directory that may not be granted, which cannot be a bind: a copy, or nothing. */
static int want_saved(struct plan *p, uint32_t at)
{
	struct node *n = &p->f->objects.nodes[at];
	if (shape_volatile((enum shape)n->shape) || p->varies[at])
		return plan_remark(p, n->path, "a new name each time: only its whole directory could keep it, and that is refused");
	const struct place *at_place = policy_place(p->f->pol, n->path);
	bool private = at_place && at_place->kind == PLACE_TMPFS;
	if (at_place && at_place->kind == PLACE_BIND && !strcmp(at_place->path, n->path))
	{
		const char *home = p->f->tiers->host->home;
		bool copies = n->type != FT_LINK && p->f->pol->home_mode != HOME_HOST && home && path_below(n->path, home);
		int err = plan_remark(p, n->path, arena_fmt(p->f->arena, "saved anew, which the bind of %s forbids: mode copy would do",
		                                            line_text(p->f->arena, &at_place->src)));
		return err || !copies ? err : guard_copy(p, n->path, &at_place->src);
	}
	if (!private || n->uses & (USE_BOUND | USE_LINKED) || n->type == FT_LINK || n->type == FT_DIR)
		return plan_remark(p, n->path, "made in a directory that is never granted: lost at the end");
	p->want[at] = WANT_COPY;
	struct finding *to = findings_get(&p->f->found, n->path);
	const char *how = n->uses & USE_RENAMED ? "saved by rename; a copy keeps it" : "made with O_EXCL; a copy keeps it";
	return to ? finding_note(&p->f->found, to, how) : 0;
}

/* Nothing of {runtime} is kept: an empty private one serves what the run makes there. */
static bool in_runtime(const struct plan *p, const struct node *n)
{
	const char *dir = p->f->objects.nodes[n->parent].path, *runtime = p->f->tiers->host->runtime;
	return runtime && !strcmp(dir, runtime) && n->uses & USE_CREATED && !(n->uses & USE_PRE);
}

/* Will the directory above be granted as a whole? */
static bool in_unit(const struct plan *p, const char *path)
{
	size_t n = tier_unit(p->f->tiers, path);
	const struct node *unit = n && n < strlen(path) ? objects_find(&p->f->objects, path, n) : NULL;
	return unit && !tier_forbidden(p->f->tiers, unit->path) && !tier_guarded(p->f->tiers, unit->path);
}

static int want_file(struct plan *p, uint32_t at)
{
	struct node *n = &p->f->objects.nodes[at];
	uint32_t u = n->uses;
	const char *other = u & USE_BELOW ? NULL : elsewhere(p, n->path);
	if (other)
		return plan_remark(p, n->path, other);
	if (u & USE_BELOW || shown(p, n->path, u & USE_CHANGED) || copied(p, n->path))
		return 0;
	if (u & USE_LOG && forbidden_parent(p, n)) {
		p->want[at] |= WANT_NEW_FILE;
		return 0;
	}
	bool saved = u & (USE_EXCL | USE_RENAMED | USE_BOUND | USE_LINKED);
	const char *line = u & USE_CHANGED && !(saved && forbidden_parent(p, n)) ? held(p, n->path) : NULL;
	if (line)
		return plan_remark(p, n->path, line);
	/* only made anew: that works in the private place, as it did the first time */
	if (u & USE_REMADE && !(u & (USE_READ | USE_EXEC | USE_REMOVED)))
		return not_needed(p, n, "made anew; what was there is not needed");
	if (in_runtime(p, n)) {
		p->want[n->parent] |= WANT_EXIST;
		return 0;
	}
	if (u & USE_MKDIR && !(u & USE_PRE && u & USE_LIST) && !saved) {
		/* made before the start it would fail, made in the private place it works, and is lost */
		if (u & USE_STRICT && !in_unit(p, n->path))
			return guard(p, n->path, "exists before the start, so that a mkdir without -p fails", true, true, true);
		if (!tier_container(p->f->tiers, n->path))
			p->want[at] |= WANT_NEW_DIR;
		return 0;
	}
	if (saved && forbidden_parent(p, n))
		return want_saved(p, at);
	if (u & USE_REMOVED && forbidden_parent(p, n)) {
		/* a mount point cannot be removed; rm -f and its like do without what is not there */
		bool looks = !(u & (USE_READ | USE_EXEC | USE_SOCKET | USE_WRITE | USE_CREATED));
		struct finding *gone = findings_get(&p->f->found, n->path);
		const char *why = looks ? "removed from a directory that is never granted; a line for it would make that fail (EBUSY)"
		                        : "removed from a directory that is never granted: with a line for it that fails (EBUSY)";
		if (gone && finding_note(&p->f->found, gone, why))
			return -ENOMEM;
		if (looks)
			return 0;
	}
	if (u & USE_WAL && forbidden_parent(p, n)) {
		struct finding *to = findings_get(&p->f->found, n->path);
		p->want[at] |= u & USE_MADE ? WANT_NEW_FILE : WANT_RW_FILE;
		return to ? finding_note(&p->f->found, to, "with its -wal and -shm files: alone it would look empty or break") : 0;
	}
	const struct node *dir = &p->f->objects.nodes[n->parent];
	uint32_t only = u & ~(uint32_t)(USE_PRE | USE_LOOK | USE_ENTER | USE_LINK);
	if (!only && u & (USE_LOOK | USE_ENTER) && dir->uses & USE_LIST && tier_forbidden(p->f->tiers, dir->path))
		return not_needed(p, n, "seen in the list of its directory, which confined does not show it");
	if (!only && u & USE_LOOK && n->type == FT_LINK)
		return not_needed(p, n, "a link that was only looked at");
	/* shown read-only it could be connected to */
	if (!only && u & USE_LOOK && n->type == FT_SOCK)
		return not_needed(p, n, "a socket that was only looked at");
	if (u & USE_SIDECAR && forbidden_parent(p, n) &&
	    plan_remark(p, n->path, "keeps a side-car file beside it, which the host will not see while it runs"))
		return -ENOMEM;
	if (u & (n->type == FT_SOCK ? USE_SOCKET : USE_READ | USE_EXEC | USE_LOOK | USE_SOCKET) && u & USE_PRE &&
	    n->type != FT_DIR)
		p->want[at] |= WANT_RO_FILE;
	if (u & USE_WRITE)
		p->want[at] |= WANT_RW_FILE;
	if (u & USE_MADE && !(saved && u & USE_PRE))
		p->want[at] |= WANT_NEW_FILE;
	if (u & USE_LIST && !tier_forbidden(p->f->tiers, n->path))
		p->want[at] |= WANT_RO_DIR;
	else if (u & USE_LIST)
		return plan_remark(p, n->path, "listed: confined it shows only what is granted");
	if (u & USE_ENTER)
		p->want[at] |= WANT_EXIST;
	return 0;
}

/* ---- names that differ between runs ---- */

static const char *extension(const char *name)
{
	const char *dot = strrchr(name, '.');
	return dot && dot != name ? dot : "";
}

/* Names of one parent and extension. */
struct group {
	bool steady, mixed;
	uint16_t first, last;
};

/* Two ways to be alike: by extension; and, where made as mk*temp makes names, by length. */
enum alike { ALIKE_EXTENSION, ALIKE_TEMP, ALIKE_WAYS };

static struct group *group_of(struct map *m, struct arena *a, const struct node *n, enum alike way)
{
	const char *name = path_base(n->path);
	const char *key = way == ALIKE_TEMP ? arena_fmt(a, "%u:%zu", n->parent, strlen(name))
	                                    : arena_fmt(a, "%u%s", n->parent, extension(name));
	int fresh = 0;
	void **slot = key ? map_put(m, key, strlen(key), &fresh) : NULL;
	if (slot && fresh) {
		struct group *g = arena_alloc(a, sizeof(*g));
		if (g)
			*g = (struct group){ .first = n->first_run, .last = n->last_run };
		*slot = g;
	}
	return slot ? *slot : NULL;
}

/* Same parent and extension, no name in all runs, and not all by the same runs. */
static int find_varying(struct plan *p)
{
	struct objects *o = &p->f->objects;
	OWN(arena) a = { 0 };
	OWN(map) groups = { 0 };
	for (int pass = 0; pass < 2 * ALIKE_WAYS && p->f->nruns > 1; pass++) {
		enum alike way = (enum alike)(pass / 2);
		for (uint32_t i = 1; i < o->n; i++) {
			const struct node *n = &o->nodes[i];
			bool temp = n->uses & (USE_EXCL | USE_MKDIR) && !(n->uses & USE_RENAMED);
			if (!n->runs || (way == ALIKE_TEMP && !temp))
				continue;
			struct group *g = group_of(&groups, &a, n, way);
			if (!g)
				return -ENOMEM;
			if (pass % 2 == 0) {
				g->steady |= n->runs == p->f->nruns || n->uses & USE_PRE;
				g->mixed |= n->first_run != g->first || n->last_run != g->last;
			} else {
				p->varies[i] |= g->mixed && !g->steady;
			}
		}
	}
	return 0;
}

/* ---- the app unit ---- */

static int lift(struct plan *p, uint32_t at)
{
	struct objects *o = &p->f->objects;
	const char *path = o->nodes[at].path;
	size_t n = tier_unit(p->f->tiers, path);
	struct node *unit = n ? objects_find(o, path, n) : NULL;
	if (!unit || tier_forbidden(p->f->tiers, unit->path) || tier_protected(p->f->tiers, unit->path, NULL) ||
	    tier_guarded(p->f->tiers, unit->path))
		return 0;
	uint32_t u = (uint32_t)(unit - o->nodes);
	p->want[at] &= (uint8_t)~(WANT_RW_DIR | WANT_NEW_DIR);
	p->want[u] |= unit->uses & USE_MKDIR ? WANT_NEW_DIR : WANT_RW_DIR;
	return 0;
}

int plan_make(struct plan *out, struct facts *f)
{
	struct plan *p = out;
	struct objects *o = &f->objects;
	*p = (struct plan){ .f = f, .want = calloc(o->n + 1, 1), .varies = calloc(o->n + 1, sizeof(bool)) };
	int err = p->want && p->varies ? 0 : -ENOMEM;
	if (err)
		return err;
	err = find_varying(p);
	for (size_t i = 0; !err && i < f->pairs.n; i++)
		err = want_pair(p, &f->pairs.items[i]);
	for (uint32_t i = 0; !err && i < o->n; i++) {
		if (!o->nodes[i].uses && !o->nodes[i].dirs)
			continue;
		err = protect(p, i);
		if (err) {
			err = MIN(err, 0);
			continue;
		}
		err = want_dir(p, i);
		if (!err)
			err = want_file(p, i);
	}
	for (uint32_t i = 0; !err && i < o->n; i++)
		if (p->want[i] & (WANT_RW_DIR | WANT_NEW_DIR))
			err = lift(p, i);
	return err;
}
