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
 * (struct shift). Then the canonical path is walked name by name; sight_step() says what a name is, given
 * its directory. Facts speak of host objects only: what is private is known from made.
 */

/* All but the bytes behind the path's end, which are many. */
static void seen_clear(struct seen *s)
{
	s->err = 0;
	s->at = NULL;
	s->why = "";
	s->place = NULL;
	s->free = false;
	s->dir = s->obj = (struct sight){ 0 };
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

/* A recording may hold anything; the walk counts on names with one slash before each. */
static bool is_clean(const char *path)
{
	return path[0] == '/' && !strstr(path, "//") && (!path[1] || path[strlen(path) - 1] != '/');
}

/* Walk @g->path; fills out->dir and out->obj. Returns the errno. */
static int walk_names(struct seen *out, const struct world *w, const struct goal *g, const char *at)
{
	const char *path = g->path;
	const char *blocked = w->a->obj[0].blocked;
	if (g->facts)
		blocked = g->facts->blocked;
	const struct place *root = sight_place(w->pol, "/", 1);
	struct sight none = { .type = FT_DIR, .ro = true, .own = true, .leads = w->pol->nplaces ? w->pol->places : NULL };
	struct sight cur = root ? sight_top(w, &none, root) : none;
	cur.top = true;
	cur.type = FT_DIR;
	size_t hostlen = strlen(g->host), pathlen = strlen(path);
	uint32_t rest = (uint32_t)path_depth(path);
	out->dir = out->obj = cur;
	if (!is_clean(path) || !is_clean(g->host))
		return fail(out, ENOENT, NULL, NULL, "no clean path");
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
		out->obj = cur = sight_step(w, &cur, g, end, rest);
		len = end;
		if (!path[end])
			break;
	}
	return 0;
}

/* One hop of @o: is it met inside? Return: 0 it is, 1 there is no such name in a directory that is there, else errno. */
static int walk_hop(struct seen *out, const struct world *w, const struct object *o, const struct hop *hop,
                    struct shift *sh)
{
	char buf[PATH_MAX];
	if (sh->pending && path_under(sh->from, hop->path) && strcmp(hop->text, "..") != 0) {
		char next[PATH_MAX];
		if (links_target(next, hop->path, hop->text, sh->from + strlen(hop->path)))
			memcpy(sh->from, next, strlen(next) + 1);
		return 0;
	}
	sh->pending = false;
	struct goal g = { .host = hop->path, .path = links_shift(buf, sh, hop->path), .type = FT_LINK };
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
			if (!links_target(sh->from, hop->path, hop->text, ""))
				return fail(out, ENAMETOOLONG, NULL, hop->path, "too long");
			sh->to = o->hops[n].path;
			sh->pending = true;
			break;
		}
	return 0;
}

/* ENOTDIR of what exists comes from a trailing slash, which the rules know */
static bool walk_stopped(const struct world *w, const struct object *o)
{
	if (w->a->op == OP_OPEN && w->a->flags & O_CREAT && w->a->marks & MARK_DIR_SLASH && o->type == FT_LINK)
		return false; /* EISDIR: a name to create must not end so, and is not followed */
	return o->walk_err && (o->walk_err != ENOTDIR || o->type == FT_NONE);
}

/* A link as last name that is not there inside: O_CREAT makes a file of that name, where outside it followed. */
static void walk_instead(struct seen *out, const struct world *w, const struct object *o, size_t i)
{
	const char *path = o->hops[i].path;
	bool creates = w->a->op == OP_OPEN && w->a->flags & O_CREAT;
	if (!creates || strlen(path) >= sizeof(out->path) || !links_last(o, i))
		return;
	const struct sight dir = out->dir, obj = out->obj;
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
	const char *path = links_shift(buf, &sh, o->path);
	struct goal g = { .host = o->path, .path = path, .facts = o, .missing = o->missing, .type = o->type };
	if (strlen(path) < sizeof(out->path))
		memcpy(out->path, path, strlen(path) + 1);
	bool held = w->a->marks & MARK_FD || (o->nhops && links_magic(&o->hops[o->nhops - 1], o));
	if (walk_names(out, w, &g, NULL)) {
		out->free = held;
		return;
	}
	out->free = held && out->obj.type == FT_NONE;
	sight_facts(w, &out->dir, o, path, true);
	sight_facts(w, &out->obj, o, path, false);
	if (walk_stopped(w, o) && out->obj.shown && (out->obj.type == FT_NONE || o->walk_err == ELOOP))
		fail(out, o->walk_err, out->obj.place, NULL, "as outside");
}

static void walk_outside(struct seen *out, const struct world *w, const struct object *o)
{
	const struct host_mount *dm = o->dir ? sight_mount(w->h, o->dir) : NULL, *om = sight_mount(w->h, o->path);
	out->dir = (struct sight){ .type = FT_DIR, .shown = true, .mode = o->dir_mode, .uid = o->dir_uid,
	                          .gid = o->dir_gid, .sub = dm, .ro = dm && dm->ro };
	out->obj = (struct sight){ .type = o->type, .shown = true, .mode = o->mode, .uid = o->uid,
	                          .gid = o->gid, .sub = om, .ro = om && om->ro,
	                          .top = om && !strcmp(om->point, o->path) };
	if (strlen(o->path) < sizeof(out->path))
		memcpy(out->path, o->path, strlen(o->path) + 1);
	if (walk_stopped(w, o))
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
