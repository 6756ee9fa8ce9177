/* view.c - walks a recorded path through the places of a policy */
#include "profiles/judge.h"

#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/*
 * How this works. A recorded object has a canonical path on the host and the links that were passed on the
 * way. Inside, each link must be found again: in a bound tree, as a PLACE_LINK, or replaced by something
 * mounted at its name; then the names below the link's target are met below the link's own path
 * (struct shift). Then the canonical path is walked name by name; step() says what a name is, given the
 * spot of its directory. Facts speak of host objects only: what is private is known from made.
 */

/* "what the host calls @from.. is met inside as @to.." */
struct shift {
	char from[PATH_MAX];
	const char *to;
	bool pending; /* @from may still pass links itself */
};

/* what a walk heads for, in the host's words */
struct goal {
	const char *host, *path; /* @path: inside */
	const struct object *facts; /* NULL: a link on the way, which exists */
	uint32_t missing;
	enum file_type type;
};

bool place_present(const struct place *p)
{
	if (p->kind != PLACE_BIND && p->kind != PLACE_COPY)
		return true;
	return p->type != FT_NONE || p->create != CREATE_NO;
}

static const struct place *place_at(const struct policy *pol, const char *path, size_t len)
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
		/* the directory of a copy is made also while there is nothing to copy */
		bool there = place_present(&pol->places[i]) || pol->places[i].kind == PLACE_COPY;
		if (there && !strncmp(p, path, len) && p[len] == '/' && p[len + 1])
			return &pol->places[i];
	}
	return NULL;
}

const struct place *policy_place(const struct policy *pol, const char *path)
{
	const struct place *best = place_at(pol, "/", 1);
	for (size_t n = 1; path[0] == '/' && path[n - 1]; n++) {
		if (n > 1 && (path[n] == '/' || !path[n])) {
			const struct place *p = place_at(pol, path, n);
			if (p)
				best = p;
		}
	}
	return best;
}

static const struct host_mount *mount_of(const struct host *h, const char *path)
{
	const struct host_mount *best = NULL;
	for (size_t i = 0; h && i < h->nmounts; i++)
		if (path_under(path, h->mounts[i].point) &&
		    (!best || strlen(h->mounts[i].point) >= strlen(best->point)))
			best = &h->mounts[i];
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

/* the object at the top of place @p, mounted over a name of @dir */
static struct spot top_spot(const struct world *w, const struct spot *dir, const struct place *p)
{
	const struct host_file *f = w->h && p->source ? host_file(w->h, p->source) : NULL;
	struct spot s = { .place = p, .mnt = p, .top = true, .type = p->type };
	switch (p->kind) {
	case PLACE_BIND:
		s.ro = p->mode == BIND_RO;
		s.fresh = w->pol->home_mode == HOME_PERSIST && w->pol->home && !strcmp(p->path, w->pol->home);
		s.shown = !s.fresh;
		if ((p->type == FT_NONE || p->type == FT_UNKNOWN) && p->create != CREATE_NO)
			s.type = p->create == CREATE_DIR ? FT_DIR : FT_FILE;
		s.own = p->create != CREATE_FILE; /* made for the run, or nobody looked */
		s.mode = 0600;
		s.uid = w->a->uid;
		if (f && f->real_type != FT_NONE && f->real_type != FT_UNKNOWN) {
			s.type = f->real_type;
			s.mode = f->mode;
			s.uid = f->uid;
			s.gid = f->gid;
			s.own = s.fresh;
		}
		s.nodev = s.type != FT_CHR && s.type != FT_BLK; /* one bound by itself stays what it is */
		break;
	case PLACE_FENCE:
		s.ro = true;
		s.shown = true;
		s.nodev = dir->nodev;
		break;
	case PLACE_PIN:
		s.ro = dir->ro;
		s.shown = true;
		s.type = FT_DIR;
		s.nodev = dir->nodev;
		break;
	case PLACE_MASK:
		s.ro = s.own = s.shut = true;
		if (p->type == FT_UNKNOWN || p->type == FT_NONE)
			s.type = FT_UNKNOWN;
		else
			s.type = p->type == FT_DIR ? FT_DIR : FT_FILE;
		break;
	case PLACE_TMPFS:
	case PLACE_SHM:
		s.type = FT_DIR;
		s.own = s.lost = s.fresh = true;
		break;
	case PLACE_DEV:
		s.type = FT_DIR;
		s.own = s.ro = true;
		break;
	case PLACE_PROC:
		s.type = FT_DIR;
		s.shown = true;
		break;
	case PLACE_SYS:
		s.type = FT_DIR;
		s.shown = s.ro = true;
		break;
	case PLACE_LINK:
	case PLACE_COPY:
	case PLACE_STUB: /* names in the directory's own tmpfs */
		s = *dir;
		s.place = p;
		s.top = false;
		s.leads = NULL;
		s.type = p->kind == PLACE_LINK ? FT_LINK : FT_FILE;
		s.own = p->kind == PLACE_LINK || (p->kind == PLACE_COPY && !f);
		s.mode = f ? f->mode : 0644;
		s.uid = w->a->uid;
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
static void proc_covered(const struct world *w, struct spot *s, const char *path, size_t len)
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

/**
 * step() - the spot of name @path[@len] in the directory @dir
 * @rest: components of the goal's path behind it
 */
static struct spot step(const struct world *w, const struct spot *dir, const struct goal *g, size_t len,
                        uint32_t rest)
{
	const char *path = g->path;
	const struct place *p = place_at(w->pol, path, len);
	enum file_type made = made_type(w->made, path, len);
	if (p && p->kind == PLACE_LINK && bind_like(dir->place) && dir->place->kind != PLACE_PROC)
		p = NULL; /* a place already shows it */
	bool in_dir = p && (p->kind == PLACE_LINK || p->kind == PLACE_COPY || p->kind == PLACE_STUB);
	if (p && (made == FT_UNKNOWN || !in_dir)) { /* a mount stays whatever happens */
		struct spot s = top_spot(w, dir, p);
		if (s.type == FT_UNKNOWN || s.type == FT_NONE) { /* nobody looked: as recorded; never a link */
			enum file_type as = rest ? FT_DIR : g->type == FT_LINK ? FT_UNKNOWN : g->type;
			if (rest && rest < g->missing)
				as = FT_FILE; /* what stopped the walk outside */
			s.type = p->kind == PLACE_MASK ? (as == FT_DIR ? FT_DIR : FT_FILE) : rest < g->missing ? FT_NONE : as;
		}
		return s;
	}
	struct spot s = *dir;
	s.top = false;
	s.leads = NULL;
	s.mode = s.uid = s.gid = 0;
	if (made != FT_UNKNOWN) {
		s.type = made;
		s.own = true;
		return s;
	}
	if (dir->shown) {
		s.type = rest < g->missing ? FT_NONE : rest ? FT_DIR : g->type;
		bool proc = dir->place && dir->place->kind == PLACE_PROC;
		if (proc && dir->top)
			proc_covered(w, &s, path, len);
		if (proc && proc_hidden(dir->place, path, len, g))
			s.type = FT_NONE;
		return s;
	}
	s.type = FT_NONE;
	if (dir->place && dir->place->kind == PLACE_DEV && !strncmp(path, dir->place->path, strlen(dir->place->path)))
		if (dir->top) {
			char name[16] = "";
			size_t n = strlen(dir->place->path) + 1;
			if (len > n && len - n < sizeof(name))
				memcpy(name, path + n, len - n);
			s.type = dev_node(w->pol, name);
			if (!strcmp(name, "ptmx") && w->a->marks & MARK_NOFOLLOW)
				s.type = FT_LINK; /* to pts/ptmx; hosts have a node there */
			if (s.type == FT_CHR || !strcmp(name, "pts"))
				s.top = true;
			s.own = s.type != FT_CHR;
			s.mode = 0666;
			if (s.type == FT_DIR)
				s.shown = true;
			return s;
		}
	const struct place *below = place_below(w->pol, path, len);
	if (RULE(AUTO_DIR, below != NULL)) {
		s.type = FT_DIR;
		s.leads = below && place_present(below) ? below : dir->leads;
		s.own = true;
	} else if (!RULE(PRIVATE_EMPTY, true) && dir->fresh) {
		s.type = rest ? FT_DIR : g->type;
	}
	return s;
}

/* The path @path (its directory, if @parent) of a bind as the host has it, into @buf. */
static const char *host_path(char *buf, const struct place *p, const char *path, bool parent)
{
	bool moved = p->kind == PLACE_BIND && p->source && path_under(path, p->path);
	const char *from = moved ? p->source : "", *rest = moved ? path + strlen(p->path) : path;
	size_t n = strlen(from), m = strlen(rest);
	if (n + m + 2 > PATH_MAX)
		return NULL;
	memcpy(buf, from, n);
	memcpy(buf + n, rest, m + 1);
	if (parent)
		buf[path_parent_len(buf)] = '\0';
	return buf[0] ? buf : NULL;
}

/* Take in what was recorded, and the mount of the host that lies here below the place's own. */
static void add_facts(const struct world *w, struct spot *s, const struct object *o, const char *path, bool parent)
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
	const char *host = p ? host_path(buf, p, path, parent) : NULL;
	const struct host_mount *m = host ? mount_of(w->h, host) : NULL;
	if (!m || !path_below(m->point, p->source ? p->source : p->path))
		return;
	s->sub = m;
	s->ro = s->ro || m->ro;
	s->top = s->top || !strcmp(m->point, host);
}

/* All but the bytes behind the path's end, which are many. */
static void seen_clear(struct seen *s)
{
	s->err = 0;
	s->at = NULL;
	s->why = "";
	s->place = NULL;
	s->free = false;
	s->dir = s->obj = (struct spot){ 0 };
	s->path[0] = '\0';
}

static int fail(struct seen *out, int err, const struct place *place, const char *at, const char *why)
{
	out->err = err;
	out->place = place;
	out->at = at;
	out->why = why;
	return err;
}

/* Walk @g->path; fills out->dir and out->obj. Returns the errno. */
static int walk_names(struct seen *out, const struct world *w, const struct goal *g, const char *at)
{
	const char *path = g->path;
	const char *blocked = w->a->obj[0].blocked;
	if (g->facts)
		blocked = g->facts->blocked;
	const struct place *root = place_at(w->pol, "/", 1);
	struct spot none = { .type = FT_DIR, .ro = true, .own = true, .leads = w->pol->nplaces ? w->pol->places : NULL };
	struct spot cur = root ? top_spot(w, &none, root) : none;
	cur.top = true;
	cur.type = FT_DIR;
	size_t hostlen = strlen(g->host), pathlen = strlen(path);
	uint32_t rest = (uint32_t)path_depth(path);
	out->dir = out->obj = cur;
	for (size_t len = 1; path[len - 1] && path[1];) {
		size_t start = len == 1 ? 1 : len + 1;
		size_t end = start + strcspn(path + start, "/");
		rest--;
		if (cur.type == FT_NONE)
			return fail(out, g->facts && g->facts->walk_err && cur.shown ? g->facts->walk_err : ENOENT,
			            cur.place, at, cur.shown ? "as outside" : "not in the view");
		if (cur.type != FT_DIR && cur.type != FT_LINK && cur.type != FT_UNKNOWN)
			return fail(out, ENOTDIR, cur.place, at, "not a directory");
		if (RULE(MASK_CLOSED, cur.shut))
			return fail(out, EACCES, cur.place, cur.place ? cur.place->path : at, "masked");
		if (blocked && cur.shown && strlen(blocked) + pathlen == len + hostlen && path_under(g->host, blocked) &&
		    RULE(MODE_BITS, !w->caps))
			return fail(out, EACCES, cur.place, blocked, "mode bits");
		out->dir = cur;
		if (end - start > NAME_MAX)
			return fail(out, ENAMETOOLONG, cur.place, NULL, "as outside");
		out->obj = cur = step(w, &cur, g, end, rest);
		len = end;
		if (!path[end])
			break;
	}
	return 0;
}

/* The path @host as met inside, after @s. */
static const char *shifted(char *buf, const struct shift *s, const char *host)
{
	if (!s->to || !path_under(host, s->from))
		return host;
	const char *rest = host + (s->from[1] ? strlen(s->from) : 0);
	size_t n = strlen(s->to), m = strlen(rest);
	if (n == 1)
		n = 0;
	if (n + m + 1 > PATH_MAX)
		return host;
	memcpy(buf, s->to, n);
	memcpy(buf + n, rest, m + 1);
	if (!n && !m)
		memcpy(buf, "/", 2);
	return buf;
}

/* @out = clean dirname(@link)/@text plus @tail; false where that is too long */
static bool link_target(char *out, const char *link, const char *text, const char *tail)
{
	size_t n = 0;
	const char *parts[] = { text[0] == '/' ? "" : link, text, tail };
	for (size_t i = 0; i < LEN(parts); i++) {
		const char *p = parts[i];
		size_t all = i == 0 && p[0] ? path_parent_len(p) : strlen(p);
		for (size_t at = 0; at < all;) {
			at += strspn(p + at, "/");
			if (at >= all)
				break;
			size_t len = MIN(strcspn(p + at, "/"), all - at);
			if (len == 2 && p[at] == '.' && p[at + 1] == '.') {
				while (n && out[n - 1] != '/')
					n--;
				n = n ? n - 1 : 0;
			} else if (len != 1 || p[at] != '.') {
				if (n + len + 2 > PATH_MAX)
					return false;
				out[n++] = '/';
				memcpy(out + n, p + at, len);
				n += len;
			}
			at += len;
		}
	}
	if (!n)
		out[n++] = '/';
	out[n] = '\0';
	return true;
}

/* a link to what a descriptor holds: the last step of the walk needs no names */
static bool magic_link(const struct hop *hop, const struct object *o)
{
	bool own = !strncmp(hop->path, "/proc/self/", 11) || !strncmp(hop->path, "/proc/tree/", 11);
	return own && strstr(hop->path, "/fd/") && !strcmp(hop->text, o->path);
}

/* One hop of @o: is it met inside? Return: 0 it is, 1 there is no such name in a directory that is there, else errno. */
static int walk_hop(struct seen *out, const struct world *w, const struct object *o, const struct hop *hop,
                    struct shift *sh)
{
	char buf[PATH_MAX];
	if (sh->pending && path_under(sh->from, hop->path) && strcmp(hop->text, "..") != 0) {
		char next[PATH_MAX];
		if (link_target(next, hop->path, hop->text, sh->from + strlen(hop->path)))
			memcpy(sh->from, next, strlen(next) + 1);
		return 0;
	}
	sh->pending = false;
	struct goal g = { .host = hop->path, .path = shifted(buf, sh, hop->path), .type = FT_LINK };
	bool up = !strcmp(hop->text, "..");
	if (up)
		g.type = FT_DIR;
	struct object where = { .blocked = o->blocked, .path = hop->path, .type = g.type };
	g.facts = &where;
	int err = walk_names(out, w, &g, hop->path);
	bool there = !err && out->obj.type != FT_NONE;
	if (!there && !up && !RULE(LINK_VISIBLE, true))
		return seen_clear(out), 0;
	if (!there && !err)
		fail(out, ENOENT, out->obj.place, hop->path, "not in the view");
	if (!there)
		return err ? err : 1;
	if (up) { /* the way to its parent is a search in it */
		bool shut = o->blocked && !strcmp(o->blocked, hop->path) && out->obj.shown && RULE(MODE_BITS, !w->caps);
		if (shut || RULE(MASK_CLOSED, out->obj.shut))
			return fail(out, EACCES, out->obj.place, hop->path, shut ? "mode bits" : "masked");
		return 0;
	}
	if (out->obj.type == FT_LINK)
		return 0;
	for (size_t n = 0; n < o->nhops; n++) /* stable storage of the path inside */
		if (!strcmp(o->hops[n].path, g.path)) {
			if (!link_target(sh->from, hop->path, hop->text, ""))
				return fail(out, ENAMETOOLONG, NULL, hop->path, "too long");
			sh->to = o->hops[n].path;
			sh->pending = true;
			break;
		}
	return 0;
}

/* ENOTDIR of what exists comes from a trailing slash, which the rules know */
static bool walk_stopped(const struct object *o)
{
	return o->walk_err && (o->walk_err != ENOTDIR || o->type == FT_NONE);
}

/* Does the link @o->hops[@i] lead to @o itself, so that it is the last name of what was asked for? */
static bool last_link(const struct object *o, size_t i)
{
	char at[PATH_MAX], next[PATH_MAX];
	if (!link_target(at, o->hops[i].path, o->hops[i].text, ""))
		return false;
	for (size_t k = i + 1; k < o->nhops; k++) {
		if (!path_under(at, o->hops[k].path) || !strcmp(o->hops[k].text, ".."))
			continue;
		if (!link_target(next, o->hops[k].path, o->hops[k].text, at + strlen(o->hops[k].path)))
			return false;
		memcpy(at, next, strlen(next) + 1);
	}
	for (size_t k = i + 1; k < o->nhops && o->walk_err == ELOOP; k++)
		if (!strcmp(o->hops[k].path, o->hops[i].path))
			return true; /* one of the links that go round */
	return !strcmp(at, o->path);
}

/* A link as last name that is not there inside: O_CREAT makes a file of that name, where outside it followed. */
static void walk_instead(struct seen *out, const struct world *w, const struct object *o, size_t i)
{
	const char *path = o->hops[i].path;
	bool creates = w->a->op == OP_OPEN && w->a->flags & O_CREAT;
	if (!creates || strlen(path) >= sizeof(out->path) || !last_link(o, i))
		return;
	const struct spot dir = out->dir, obj = out->obj;
	seen_clear(out);
	out->dir = dir;
	out->obj = obj;
	memcpy(out->path, path, strlen(path) + 1);
}

static void walk_inside(struct seen *out, const struct world *w, const struct object *o)
{
	struct shift sh;
	memcpy(sh.from, "/", 2);
	sh.to = NULL;
	sh.pending = false;
	for (size_t i = 0; i < o->nhops; i++) {
		int err = walk_hop(out, w, o, &o->hops[i], &sh);
		if (err == 1)
			walk_instead(out, w, o, i);
		if (err)
			return;
	}
	char buf[PATH_MAX];
	const char *path = shifted(buf, &sh, o->path);
	struct goal g = { .host = o->path, .path = path, .facts = o, .missing = o->missing, .type = o->type };
	if (strlen(path) < sizeof(out->path))
		memcpy(out->path, path, strlen(path) + 1);
	bool held = w->a->marks & MARK_FD || (o->nhops && magic_link(&o->hops[o->nhops - 1], o));
	if (walk_names(out, w, &g, NULL)) {
		out->free = held;
		return;
	}
	out->free = held && out->obj.type == FT_NONE;
	add_facts(w, &out->dir, o, path, true);
	add_facts(w, &out->obj, o, path, false);
	if (walk_stopped(o) && out->obj.shown && (out->obj.type == FT_NONE || o->walk_err == ELOOP))
		fail(out, o->walk_err, out->obj.place, NULL, "as outside");
}

static void walk_outside(struct seen *out, const struct world *w, const struct object *o)
{
	const struct host_mount *dm = o->dir ? mount_of(w->h, o->dir) : NULL, *om = mount_of(w->h, o->path);
	out->dir = (struct spot){ .type = FT_DIR, .shown = true, .mode = o->dir_mode, .uid = o->dir_uid,
	                          .gid = o->dir_gid, .sub = dm, .ro = dm && dm->ro };
	out->obj = (struct spot){ .type = o->type, .shown = true, .mode = o->mode, .uid = o->uid,
	                          .gid = o->gid, .sub = om, .ro = om && om->ro,
	                          .top = om && !strcmp(om->point, o->path) };
	if (strlen(o->path) < sizeof(out->path))
		memcpy(out->path, o->path, strlen(o->path) + 1);
	if (walk_stopped(o))
		fail(out, o->walk_err, NULL, NULL, "as outside");
	else if (o->missing > 1)
		fail(out, ENOENT, NULL, NULL, "as outside");
	else if (o->blocked && !w->caps)
		fail(out, EACCES, NULL, o->blocked, "mode bits");
}

void view_walk(struct seen *out, const struct world *w, int i)
{
	const struct object *o = &w->a->obj[i];
	seen_clear(out);
	if (!o->path || o->path[0] != '/') {
		out->free = true; /* memfd, deleted file, pipe */
		return;
	}
	if (w->inside)
		walk_inside(out, w, o);
	else
		walk_outside(out, w, o);
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

bool view_may(const struct world *w, const struct spot *s, unsigned want)
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

bool view_owns(const struct world *w, const struct spot *s)
{
	return w->caps || s->own || s->uid == w->a->uid;
}
