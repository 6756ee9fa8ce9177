/* fold.c - the cheapest set of grants that meets a plan */
#include "learn/fold.h"

#include "base/path.h"
#include "base/vec.h"
#include "learn/shape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * How this works. Each node of the trie is solved bottom-up for two questions: what does it cost to meet all wants
 * at and below it, and what to meet only those that write (below a directory that is bound read-only already).
 * Three answers compete: bind this directory; grant inside it, child by child; bind it read-only and put writable
 * islands into it. A rule costs RULE; a directory costs more the more files it shows that nobody used (og, "open
 * ground"). Costs are integers in 1/1000 and ties have an order, so the same plan always gives the same rules.
 * Parents have lower indices than their children, so plain loops over the array are the two walks.
 */

enum { RULE = 3000, RO = 350, RW = 1000, GUARD = 3, TOP = 2, VOL = 8000, VERP = 4000, UNIT_DIV = 4 };
/* Nobody asked for the directory itself: then it may show this many files that were not used, unless the list would
 * be longer than a person reads (RULES_READ): a cache of 256 fan-out directories is one line, which says what else it shows. */
enum { EXPOSED_MAX = 50 };
enum { RULES_WANTED = 40, RULES_READ = 100, FILES_UNKNOWN = 64, SUBDIR_UNKNOWN = 16 };

enum choice { CHOICE_NONE, CHOICE_INSIDE, CHOICE_ISLANDS, CHOICE_BIND, CHOICE_LEAF };
enum question { ALL, WRITES, QUESTIONS };

struct cell {
	int64_t cost[QUESTIONS];     /* so far: sum over children; then the best */
	uint32_t rules[QUESTIONS];
	uint32_t files, touched, changed; /* at and below, before the run; files counts as far as known */
	uint8_t choice[QUESTIONS];
	uint8_t wants[QUESTIONS];    /* anything wanted at or below */
	bool writes_below, wild, version;
};

struct folding {
	struct plan *p;
	const struct tiers *t;
	struct objects *o;
	struct cell *cells;
	int64_t rule;
	uint32_t exposed_max;
	struct rules *out;
};

void rules_drop(struct rules *r)
{
	free(r->items);
	*r = (struct rules){ 0 };
}

int64_t log2_milli(uint64_t n)
{
	int whole = 63 - __builtin_clzll(n);
	/* mantissa in [1, 2) with 30 bits; each squaring yields one binary digit of the fraction */
	uint64_t m = whole > 30 ? n >> (whole - 30) : n << (30 - whole);
	uint64_t fraction = 0;
	for (int i = 0; i < 16; i++) {
		m = m * m >> 30;
		fraction <<= 1;
		if (m >= 2ULL << 30) {
			m >>= 1;
			fraction |= 1;
		}
	}
	return whole * 1000LL + (int64_t)(fraction * 1000 >> 16);
}

static bool in_home(const struct folding *w, const char *path)
{
	const char *home = w->t->host->home;
	return home && path_below(path, home);
}

/* Below (or at) a unit of home that is neither guarded nor protected. */
static bool in_unit(const struct folding *w, const char *path)
{
	size_t n = tier_unit(w->t, path);
	struct node *u = n ? objects_find(w->o, path, n) : NULL;
	return u && in_home(w, path) && !tier_forbidden(w->t, u->path) && !tier_guarded(w->t, u->path);
}

static uint32_t untouched(const struct cell *c, bool rw)
{
	uint32_t used = rw ? c->changed : c->touched;
	return c->files > used ? c->files - used : 0;
}

static int64_t open_ground(const struct folding *w, uint32_t at, bool rw)
{
	const struct node *n = &w->o->nodes[at];
	int64_t weight = rw ? RW : RO, k = untouched(&w->cells[at], rw);
	if (!k && !in_home(w, n->path))
		k = (int64_t)n->files + n->subdirs;
	int64_t cost = weight * log2_milli((uint64_t)k + 1) / 1000 * log2_milli((uint64_t)k + 2) / 2000;
	if (in_unit(w, n->path))
		cost /= UNIT_DIV;
	if (tier_guarded(w->t, n->path))
		cost *= GUARD;
	return cost + (tier_plain_child(w->t, n->path) ? TOP * weight : 0);
}

static int64_t penalty(const struct cell *c)
{
	return c->wild ? VOL : c->version ? VERP : 0;
}

/* May @at be bound as a directory, in this mode? */
static bool bindable(const struct folding *w, uint32_t at, bool rw)
{
	const struct node *n = &w->o->nodes[at];
	if (n->type != FT_DIR || tier_forbidden(w->t, n->path) || tier_protected(w->t, n->path, NULL))
		return false;
	return !rw || !tier_user_dir(w->t, n->path);
}

/* ---- down: what a path's names say; up: counts ---- */

static void name_shapes(struct folding *w)
{
	static const struct shape_hints read_only = { 0 };
	for (uint32_t i = 1; i < w->o->n; i++) {
		const struct node *n = &w->o->nodes[i];
		struct cell *c = &w->cells[i];
		enum shape s = n->uses & USE_CREATED ? (enum shape)n->shape : shape_of(path_base(n->path), &read_only);
		c->wild = w->cells[n->parent].wild || shape_volatile(s);
		c->version = w->cells[n->parent].version || s == SHAPE_VERSION || w->p->varies[i];
	}
}

static void own_counts(struct folding *w, uint32_t at)
{
	const struct node *n = &w->o->nodes[at];
	struct cell *c = &w->cells[at];
	bool fresh = n->uses & USE_MKDIR || n->uses & USE_BELOW;
	if (n->type == FT_DIR && n->has_files && !fresh) {
		uint32_t known = 0;
		for (uint32_t k = n->child; k; k = w->o->nodes[k].next)
			known += w->o->nodes[k].type == FT_DIR && !(w->o->nodes[k].uses & (USE_MKDIR | USE_BELOW));
		c->files += n->files + (n->subdirs > known ? (n->subdirs - known) * SUBDIR_UNKNOWN : 0);
	} else if (n->type == FT_DIR && !fresh && (n->uses || n->dirs || w->p->want[at])) {
		c->files += FILES_UNKNOWN;
	} else if (n->type != FT_DIR && n->uses & USE_PRE) {
		c->touched++;
		c->changed += (n->uses & USE_CHANGED) != 0;
	}
}

/* ---- up: the best answers ---- */

struct offer {
	int64_t cost;
	uint32_t rules;
	enum choice choice;
};

/* The first of equals stays: offers come deepest first. */
static void consider(struct offer *best, int64_t cost, uint32_t rules, enum choice choice)
{
	if (best->choice && (cost > best->cost || (cost == best->cost && rules >= best->rules)))
		return;
	*best = (struct offer){ cost, rules, choice };
}

static struct offer solve_dir(const struct folding *w, uint32_t at, enum question q)
{
	const struct cell *c = &w->cells[at];
	uint8_t want = w->p->want[at];
	bool must_rw = want & WANT_RW_DIR, must_ro = q == ALL && want & WANT_RO_DIR;
	struct offer best = { 0 };
	int64_t bind = w->rule + penalty(c);
	if (want & WANT_NEW_DIR) {
		consider(&best, bind, 1, CHOICE_BIND);
		return best;
	}
	if (!must_rw && !must_ro)
		consider(&best, c->cost[q], c->rules[q], CHOICE_INSIDE);
	if (must_ro && c->writes_below && !must_rw && bindable(w, at, false))
		consider(&best, bind + open_ground(w, at, false) + c->cost[WRITES], 1 + c->rules[WRITES], CHOICE_ISLANDS);
	bool rw = c->writes_below || must_rw;
	if (bindable(w, at, rw) && (must_rw || must_ro || untouched(c, false) <= w->exposed_max))
		consider(&best, bind + open_ground(w, at, rw), 1, CHOICE_BIND);
	if (!best.choice) /* wanted, but not to be had in that mode: what lies inside still is */
		consider(&best, c->cost[q], c->rules[q], CHOICE_INSIDE);
	return best;
}

static struct offer solve(const struct folding *w, uint32_t at, enum question q)
{
	const struct cell *c = &w->cells[at];
	uint8_t want = w->p->want[at];
	bool file = want & (WANT_RW_FILE | WANT_NEW_FILE | WANT_COPY) || (q == ALL && want & WANT_RO_FILE);
	if (!c->wants[q])
		return (struct offer){ 0 };
	if (file && w->o->nodes[at].type != FT_DIR)
		return (struct offer){ w->rule + penalty(c), 1, CHOICE_LEAF };
	return solve_dir(w, at, q);
}

static void climb(struct folding *w)
{
	for (uint32_t i = (uint32_t)w->o->n; i-- > 0;) {
		struct cell *c = &w->cells[i], *up = &w->cells[w->o->nodes[i].parent];
		uint8_t want = w->p->want[i];
		own_counts(w, i);
		c->wants[ALL] |= (want & (WANT_RO | WANT_RW | WANT_COPY)) != 0;
		c->wants[WRITES] |= (want & (WANT_RW | WANT_COPY)) != 0;
		c->writes_below |= (want & WANT_RW) != 0;
		for (int q = 0; q < QUESTIONS; q++) {
			struct offer o = solve(w, i, (enum question)q);
			c->choice[q] = (uint8_t)o.choice;
			c->cost[q] = o.cost;
			c->rules[q] = o.rules;
			if (i) {
				up->cost[q] += o.cost;
				up->rules[q] += o.rules;
				up->wants[q] |= c->wants[q];
			}
		}
		if (i) {
			up->files += c->files;
			up->touched += c->touched;
			up->changed += c->changed;
			up->writes_below |= c->writes_below;
		}
	}
}

/* ---- down again: emit ---- */

static int emit(struct folding *w, uint32_t at, bool rw, bool dir)
{
	struct node *n = &w->o->nodes[at];
	uint8_t want = w->p->want[at];
	struct rule r = { .node = at, .path = n->path, .mode = rw ? BIND_RW : BIND_RO, .dir = dir };
	if (want & WANT_COPY) {
		r.mode = BIND_COPY;
	} else if (dir && rw) {
		size_t unit = tier_unit(w->t, n->path);
		if (want & WANT_NEW_DIR || (unit && n->path[unit] == '\0'))
			r.create = CREATE_DIR;
	} else if (want & WANT_NEW_FILE) {
		r.create = CREATE_FILE;
	}
	r.exposed = dir ? untouched(&w->cells[at], rw) : 0;
	/* a name that changes every time: its directory instead */
	bool own = shape_volatile((enum shape)n->shape) || w->p->varies[at];
	if (own && r.mode != BIND_COPY && n->uses & USE_CREATED && !(n->uses & USE_PRE)) {
		uint32_t up = n->parent;
		if (!bindable(w, up, rw))
			return plan_remark(w->p, n->path,
			                   "a new name each time: only its whole directory could keep it, and that is refused");
		r = (struct rule){ .node = up, .path = w->o->nodes[up].path, .mode = r.mode, .dir = true,
		                   .exposed = untouched(&w->cells[up], rw) };
	}
	struct rule *slot = VEC_PUSH(w->out);
	if (!slot)
		return -ENOMEM;
	*slot = r;
	return 0;
}

static int descend(struct folding *w)
{
	enum { OPEN, ISLANDS, DONE };
	uint8_t *state = calloc(w->o->n, 1);
	int err = state ? 0 : -ENOMEM;
	for (uint32_t i = 0; !err && i < w->o->n; i++) {
		const struct cell *c = &w->cells[i];
		uint8_t s = i ? state[w->o->nodes[i].parent] : OPEN;
		enum question q = s == ISLANDS ? WRITES : ALL;
		if (s != DONE) {
			switch ((enum choice)c->choice[q]) {
			case CHOICE_LEAF:
				err = emit(w, i, w->p->want[i] & WANT_RW, false);
				s = DONE;
				break;
			case CHOICE_BIND:
				err = emit(w, i, c->writes_below || w->p->want[i] & WANT_RW, true);
				s = DONE;
				break;
			case CHOICE_ISLANDS:
				err = emit(w, i, false, true);
				s = ISLANDS;
				break;
			case CHOICE_INSIDE:
				break;
			case CHOICE_NONE:
				s = DONE;
				break;
			}
		}
		state[i] = s;
	}
	free(state);
	return err;
}

static int by_path(const void *a, const void *b)
{
	const struct rule *x = a, *y = b;
	int r = strcmp(x->path, y->path);
	/* of two at one path the stronger first */
	return r ? r : (int)y->mode - (int)x->mode;
}

static const struct rule *above(const struct rules *r, size_t n, const char *path)
{
	for (size_t i = n; i-- > 0;)
		if (r->items[i].dir && path_under(path, r->items[i].path))
			return &r->items[i];
	return NULL;
}

const struct rule *rules_cover(const struct rules *r, const char *path)
{
	/* sorted by bytes, a covering directory precedes; the deepest one is the last such */
	size_t low = 0, high = r->n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (strcmp(r->items[mid].path, path) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low && !strcmp(r->items[low - 1].path, path))
		return &r->items[low - 1];
	return above(r, low, path);
}

/* Sort; drop what an earlier rule covers as well. */
static void tidy(struct rules *r)
{
	size_t kept = 0;
	if (r->n)
		qsort(r->items, r->n, sizeof(*r->items), by_path);
	for (size_t i = 0; i < r->n; i++) {
		struct rule x = r->items[i];
		const struct rule *over = above(r, kept, x.path);
		bool same = over && !strcmp(over->path, x.path);
		if (over && (over->mode == x.mode || over->mode == BIND_RW) && x.mode != BIND_COPY) {
			if (same && x.create > over->create)
				r->items[over - r->items].create = x.create;
			continue;
		}
		r->items[kept++] = x;
	}
	r->n = kept;
}

int fold(struct rules *out, struct plan *p)
{
	struct folding w = { .p = p, .t = p->f->tiers, .o = &p->f->objects, .rule = RULE, .exposed_max = EXPOSED_MAX, .out = out };
	int err = 0;
	*out = (struct rules){ 0 };
	if (!w.o->n)
		return 0;
	for (int round = 0; !err && round < 16; round++, w.rule *= 2) {
		w.cells = calloc(w.o->n, sizeof(*w.cells));
		if (!w.cells)
			return -ENOMEM;
		name_shapes(&w);
		climb(&w);
		bool last = w.cells[0].rules[ALL] <= RULES_WANTED || round == 15;
		if (w.cells[0].rules[ALL] > RULES_READ)
			w.exposed_max = MIN(w.exposed_max * 4, 1U << 28);
		if (last)
			err = descend(&w);
		free(w.cells);
		if (last)
			break;
	}
	tidy(out);
	return err;
}
