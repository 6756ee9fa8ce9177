/* sight.c - what one name of the confined view is, given its directory; pure */
#include "profiles/judge.h"

#include "base/path.h"

#include <string.h>

bool place_present(const struct place *p)
{
	if (p->kind != PLACE_BIND && p->kind != PLACE_COPY)
		return true;
	return p->type != FT_NONE || p->create != CREATE_NO;
}

const struct place *sight_place(const struct policy *pol, const char *path, size_t len)
{
	void **slot = map_find(&pol->by_path, path, len);
	if (!slot || !*slot)
		return NULL;
	const struct place *p = &pol->places[(uintptr_t)*slot - 1];
	return place_present(p) ? p : NULL;
}

/* A place below the directory @path[@len], or NULL. */
static const struct place *place_below(const struct policy *pol, const char *path, size_t len)
{
	if (len == 1)
		len = 0; /* "/" */
	for (size_t i = 0; i < pol->nplaces; i++) {
		const char *p = pol->places[i].path;
		/* most lie somewhere else altogether */
		if (len && p[0] && p[1] != path[1])
			continue;
		/* the directory of a copy is made also while there is nothing to copy */
		bool there = place_present(&pol->places[i]) || pol->places[i].kind == PLACE_COPY;
		if (there && !strncmp(p, path, len) && p[len] == '/' && p[len + 1])
			return &pol->places[i];
	}
	return NULL;
}

const struct place *policy_place(const struct policy *pol, const char *path)
{
	const struct place *best = sight_place(pol, "/", 1);
	for (size_t n = 1; path[0] == '/' && path[n - 1]; n++) {
		if (n > 1 && (path[n] == '/' || !path[n])) {
			const struct place *p = sight_place(pol, path, n);
			if (p)
				best = p;
		}
	}
	return best;
}

enum place_reach place_reach(const struct place *p)
{
	switch (p->kind) {
	case PLACE_BIND:
		return p->mode == BIND_RW ? REACH_ALL : REACH_LOOK;
	case PLACE_TMPFS:
	case PLACE_SHM:
	case PLACE_PIN: /* below a bind that may be written */
		return REACH_ALL;
	case PLACE_PROC:
	case PLACE_DEV:
		return REACH_CHANGE;
	case PLACE_COPY: /* of the private place it lies in */
	case PLACE_LINK:
	case PLACE_SYS:
	case PLACE_STUB:
	case PLACE_MASK:
	case PLACE_FENCE:
		break;
	}
	return REACH_LOOK;
}

bool policy_lets_write(const struct policy *pol, const char *path)
{
	for (size_t n = 1; path[0] == '/' && path[n - 1]; n++) {
		if (n > 1 && path[n] && path[n] != '/')
			continue;
		const struct place *p = sight_place(pol, path, n);
		if (p && place_reach(p) != REACH_LOOK)
			return true;
	}
	return false;
}

const struct host_mount *sight_mount(const struct host *h, const char *path)
{
	const struct host_mount *best = NULL;
	char first = path[0] ? path[1] : '\0';
	for (size_t i = 0; h && i < h->nmounts; i++) {
		const char *point = h->mounts[i].point;
		/* most lie somewhere else altogether */
		if (point[0] && point[1] && point[1] != first)
			continue;
		if (path_under(path, point) && (!best || strlen(point) >= strlen(best->point)))
			best = &h->mounts[i];
	}
	return best;
}

static bool bind_like(const struct place *p)
{
	return p && (p->kind == PLACE_BIND || p->kind == PLACE_FENCE || p->kind == PLACE_PIN ||
	             p->kind == PLACE_PROC || p->kind == PLACE_SYS);
}

/* the small /dev: names that PLACE_DEV shows */
static enum file_type dev_node(const struct policy *pol, const char *name)
{
	static const struct { const char *name; enum file_type type; } nodes[] = {
		{ "null", FT_CHR }, { "zero", FT_CHR },    { "full", FT_CHR },   { "random", FT_CHR },
		{ "tty", FT_CHR },  { "urandom", FT_CHR }, { "ptmx", FT_CHR },   { "pts", FT_DIR },
		{ "fd", FT_LINK },  { "stdin", FT_LINK },  { "stdout", FT_LINK }, { "stderr", FT_LINK },
	};
	for (size_t i = 0; i < LEN(nodes); i++)
		if (!strcmp(nodes[i].name, name))
			return nodes[i].type;
	return pol->shm && !strcmp(name, "shm") ? FT_DIR : FT_NONE;
}

enum file_type made_type(const struct made *m, const char *path, size_t len)
{
	void **slot = m ? map_find(&m->by_path, path, len) : NULL;
	return slot ? (enum file_type)(uintptr_t)*slot : FT_UNKNOWN;
}

static bool known(const struct host_file *f)
{
	return f && f->real_type != FT_NONE && f->real_type != FT_UNKNOWN;
}

/* Another directory of the host stands here: what was recorded of the names in it speaks of the one that it covers. */
bool place_moved(const struct place *p)
{
	return p->kind == PLACE_BIND && p->source && strcmp(p->source, p->path) != 0;
}

static struct sight top_bind(const struct world *w, const struct place *p, const struct host_file *f)
{
	struct sight s = { .place = p, .mnt = p, .top = true, .type = p->type, .ro = p->mode == BIND_RO };
	s.fresh = p->kept || place_moved(p);
	s.shown = !s.fresh;
	if ((p->type == FT_NONE || p->type == FT_UNKNOWN) && p->create != CREATE_NO)
		s.type = p->create == CREATE_DIR ? FT_DIR : FT_FILE;
	s.own = p->create != CREATE_FILE; /* made for the run, or nobody looked */
	s.mode = 0600;
	s.uid = w->a->uid;
	if (known(f)) {
		s.type = f->real_type;
		s.mode = f->mode;
		s.uid = f->uid;
		s.gid = f->gid;
		s.own = p->kept;
	}
	s.nodev = s.type != FT_CHR && s.type != FT_BLK; /* one bound by itself stays what it is */
	return s;
}

/* Links, copies and stubs are names in the directory's own tmpfs; a stub over what a bind shows is a mount. */
static struct sight top_name(const struct world *w, const struct sight *dir, const struct place *p,
                             const struct host_file *f)
{
	struct sight s = *dir;
	s.place = p;
	s.top = false;
	s.leads = NULL;
	s.type = p->kind == PLACE_LINK ? FT_LINK : FT_FILE;
	s.own = p->kind == PLACE_LINK || (p->kind == PLACE_COPY && !f);
	s.mode = f ? f->mode : 0644;
	s.uid = w->a->uid;
	if (p->kind == PLACE_STUB && dir->shown) {
		s.shown = false;
		s.top = s.ro = true;
		s.mnt = p;
	}
	return s;
}

/* A part of what @dir shows, mounted once more. */
static struct sight top_again(const struct sight *dir, const struct place *p, const struct host_file *f)
{
	struct sight s = { .place = p, .mnt = p, .top = true, .type = FT_DIR, .shown = dir->shown, .fresh = dir->fresh,
	                   .ro = dir->ro, .nodev = dir->nodev, .own = !dir->shown && !known(f) };
	if (!dir->shown && known(f)) {
		s.mode = f->mode;
		s.uid = f->uid;
		s.gid = f->gid;
	}
	return s;
}

struct sight sight_top(const struct world *w, const struct sight *dir, const struct place *p)
{
	const struct host_file *f = w->h && p->source ? host_file(w->h, p->source) : NULL;
	struct sight s = { .place = p, .mnt = p, .top = true, .type = FT_DIR };
	switch (p->kind) {
	case PLACE_BIND:
		return top_bind(w, p, f);
	case PLACE_LINK:
	case PLACE_COPY:
	case PLACE_STUB:
		return top_name(w, dir, p, f);
	case PLACE_FENCE:
		s = top_again(dir, p, f);
		s.type = p->type;
		s.ro = true;
		break;
	case PLACE_PIN:
		return top_again(dir, p, f);
	case PLACE_MASK:
		s.ro = s.own = s.shut = true;
		s.type = p->type == FT_DIR || p->type == FT_UNKNOWN || p->type == FT_NONE ? p->type : FT_FILE;
		break;
	case PLACE_TMPFS:
	case PLACE_SHM:
		s.own = s.lost = s.fresh = true;
		break;
	case PLACE_DEV:
		s.own = s.ro = true;
		break;
	case PLACE_SYS:
		s.shown = s.ro = true;
		break;
	case PLACE_PROC:
		s.shown = true;
		break;
	}
	return s;
}

/* Is the last of @path[@len] a process of somebody else? */
static bool proc_hidden(const struct place *p, const char *path, size_t len, const struct goal *g)
{
	const char *spelled = g->facts && g->facts->spelled ? g->facts->spelled : "";
	if (!strncmp(spelled, "/proc/1", 7) && (!spelled[7] || spelled[7] == '/'))
		return false; /* there is a first process inside, too */
	size_t n = strlen(p->path);
	return len >= n + 6 && !strncmp(path + n, "/other", 6) && (len == n + 6 || path[n + 6] == '/');
}

/* Entries directly below /proc that the engine covers. */
static void proc_covered(const struct world *w, struct sight *s, const char *path, size_t len)
{
	size_t n = strlen(s->place->path) + 1;
	for (const struct proc_cover *c = proc_covers; c->name; c++) {
		if (len != n + strlen(c->name) || strncmp(path + n, c->name, len - n) != 0)
			continue;
		if (c->root_only && !w->pol->privileged)
			return;
		s->ro = s->top = true;
		s->shut = c->mask;
	}
}

/* A place whose type nobody looked up: as recorded, but never a link. */
static enum file_type guess_type(const struct place *p, const struct goal *g, uint32_t rest)
{
	enum file_type as = rest ? FT_DIR : g->type == FT_LINK ? FT_UNKNOWN : g->type;
	if (rest && rest < g->missing)
		as = FT_FILE; /* what stopped the walk outside */
	if (p->kind == PLACE_MASK)
		return as == FT_DIR ? FT_DIR : FT_FILE;
	return rest < g->missing ? FT_NONE : as;
}

/* A name in a place that shows the host's objects: the facts tell. */
static void step_shown(const struct world *w, struct sight *s, const struct sight *dir, const struct goal *g, size_t len,
                       uint32_t rest)
{
	bool proc = dir->place && dir->place->kind == PLACE_PROC;
	s->type = rest < g->missing ? FT_NONE : rest ? FT_DIR : g->type;
	if (proc && dir->top)
		proc_covered(w, s, g->path, len);
	if (proc && proc_hidden(dir->place, g->path, len, g))
		s->type = FT_NONE;
}

/* The path @path (its directory, if @parent) of a bind as the host has it, into @buf. */
static const char *host_path(char *buf, const struct place *p, const char *path, size_t len, bool parent)
{
	bool moved = p->source && path_under(path, p->path) && len >= strlen(p->path);
	const char *from = moved ? p->source : "";
	size_t skip = moved && p->path[1] ? strlen(p->path) : 0, n = from[0] && from[1] ? strlen(from) : 0, m = len - skip;
	if (n + m + 2 > PATH_MAX)
		return NULL;
	memcpy(buf, from, n);
	memcpy(buf + n, path + skip, m);
	buf[n + m] = '\0';
	if (parent)
		buf[path_parent_len(buf)] = '\0';
	return buf[0] ? buf : NULL;
}

/* A name in a bind that stands elsewhere: known are only the paths that profiles name. */
static bool step_moved(const struct world *w, struct sight *s, const struct sight *dir, const char *path, size_t len)
{
	char buf[PATH_MAX];
	const struct place *p = dir->place;
	bool bound = p && p->source && (p->kind == PLACE_BIND || p->kind == PLACE_PIN || p->kind == PLACE_FENCE);
	const char *host = bound && w->h ? host_path(buf, p, path, len, false) : NULL;
	const struct host_file *f = host ? host_file(w->h, host) : NULL;
	if (!known(f))
		return false;
	s->type = f->real_type;
	s->mode = f->mode;
	s->uid = f->uid;
	s->gid = f->gid;
	s->own = false;
	return true;
}

/* A name directly in the small /dev. */
static void step_dev(const struct world *w, struct sight *s, const struct sight *dir, const char *path, size_t len)
{
	char name[16] = "";
	size_t n = strlen(dir->place->path) + 1;
	if (len > n && len - n < sizeof(name))
		memcpy(name, path + n, len - n);
	s->type = dev_node(w->pol, name);
	if (!strcmp(name, "ptmx") && w->a->marks & MARK_NOFOLLOW)
		s->type = FT_LINK; /* to pts/ptmx; hosts have a node there */
	s->top = s->type == FT_CHR || !strcmp(name, "pts");
	s->own = s->type != FT_CHR;
	s->mode = 0666;
	s->shown = s->type == FT_DIR;
}

struct sight sight_step(const struct world *w, const struct sight *dir, const struct goal *g, size_t len,
                        uint32_t rest)
{
	const struct place *p = sight_place(w->pol, g->path, len);
	enum file_type made = made_type(w->made, g->path, len);
	if (p && p->kind == PLACE_LINK && bind_like(dir->place) && dir->place->kind != PLACE_PROC && !dir->place->kept)
		p = NULL; /* a place already shows it */
	bool in_dir = p && (p->kind == PLACE_LINK || p->kind == PLACE_COPY || p->kind == PLACE_STUB);
	if (p && (made == FT_UNKNOWN || !in_dir)) { /* a mount stays whatever happens */
		struct sight s = sight_top(w, dir, p);
		if (s.type == FT_UNKNOWN || s.type == FT_NONE)
			s.type = guess_type(p, g, rest);
		return s;
	}
	struct sight s = *dir;
	s.top = false;
	s.leads = NULL;
	s.mode = s.uid = s.gid = 0;
	s.type = FT_NONE;
	if (RULE(MADE_SEEN, made != FT_UNKNOWN)) {
		s.type = made;
		s.own = true;
		return s;
	}
	if (dir->shown) {
		step_shown(w, &s, dir, g, len, rest);
		return s;
	}
	if (dir->top && dir->place && dir->place->kind == PLACE_DEV) {
		step_dev(w, &s, dir, g->path, len);
		return s;
	}
	if (step_moved(w, &s, dir, g->path, len))
		return s;
	const struct place *below = place_below(w->pol, g->path, len);
	if (RULE(AUTO_DIR, below != NULL)) {
		s.type = FT_DIR;
		s.leads = below && place_present(below) ? below : dir->leads;
		s.own = true;
	} else if (!RULE(PRIVATE_EMPTY, true) && dir->fresh) {
		s.type = rest ? FT_DIR : g->type;
	}
	return s;
}

void sight_facts(const struct world *w, struct sight *s, const struct object *o, const char *path, bool parent)
{
	char buf[PATH_MAX];
	if (!s->shown)
		return;
	if (parent ? o->missing <= 1 : o->missing == 0 && o->type != FT_NONE) {
		s->mode = parent ? o->dir_mode : o->mode;
		s->uid = parent ? o->dir_uid : o->uid;
		s->gid = parent ? o->dir_gid : o->gid;
		s->own = false;
	}
	const struct place *p = s->place;
	if (p && p->kind == PLACE_PROC && !strcmp(path_base(path), "fd"))
		s->own = true; /* fs/proc/fd.c: a process may search its own, whatever the mode says */
	const char *host = p ? host_path(buf, p, path, strlen(path), parent) : NULL;
	const struct host_mount *m = host ? sight_mount(w->h, host) : NULL;
	if (!m || !path_below(m->point, p->source ? p->source : p->path))
		return;
	s->sub = m;
	s->ro = s->ro || m->ro;
	s->top = s->top || !strcmp(m->point, host);
}

static bool in_group(const struct world *w, uint32_t gid)
{
	if (w->a->gid == gid)
		return true;
	for (size_t i = 0; w->a->uid == w->pol->uid && i < w->pol->ngroups; i++)
		if (w->pol->groups[i] == gid)
			return true;
	return false;
}

bool sight_may(const struct world *w, const struct sight *s, unsigned want)
{
	if (RULE(MASK_CLOSED, s->shut))
		return false;
	if (s->own)
		return true;
	if (w->caps) /* CAP_DAC_OVERRIDE executes only what somebody may execute */
		return !(want & 1) || s->type == FT_DIR || (s->mode & 0111);
	unsigned bits = s->mode & 7;
	if (s->uid == w->a->uid)
		bits = s->mode >> 6 & 7;
	else if (in_group(w, s->gid))
		bits = s->mode >> 3 & 7;
	return RULE(MODE_BITS, (bits & want) == want);
}

bool sight_owns(const struct world *w, const struct sight *s)
{
	return w->caps || s->own || s->uid == w->a->uid;
}
