/* find.c - from names to profiles: search, trust, composition */
#include "profiles/places.h"

#include "profiles/builtin.h"
#include "profiles/near.h"

#include "base/diff.h"
#include "base/esc.h"
#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void finder_drop(struct finder *f)
{
	arena_drop(&f->arena);
	*f = (struct finder){ 0 };
}

static int note(struct finder *f, const char *text, struct err *e)
{
	for (size_t i = 0; text && i < f->notes.n; i++)
		if (!strcmp(f->notes.items[i].text, text))
			return 0;
	struct word *w = text ? ARENA_PUSH(&f->arena, &f->notes, items, n) : NULL;
	if (!w)
		return err_set(e, ENOMEM, "out of memory");
	w->text = text;
	return 0;
}

const struct builtin *builtin_named(const char *name)
{
	for (const struct builtin *b = builtins; b->name; b++)
		if (!strcmp(b->name, name))
			return b;
	return NULL;
}

static bool is_file_name(const char *name)
{
	size_t n = strlen(name);
	return strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".yaml"));
}

/* ---- one profile ---- */

/* A file of a profile directory is named as the profile it holds. */
static int check_name(struct profile *p, const char *name, const char *path, struct err *e)
{
	if (!p->name)
		p->name = arena_str(&p->arena, name);
	if (!p->name)
		return err_set(e, ENOMEM, "out of memory");
	if (strcmp(p->name, name) != 0)
		return err_set(e, EINVAL, "%s: its name is '%s', its file's name is '%s': make them agree", path, p->name, name);
	return 0;
}

static int check_trust(struct finder *f, const char *name, const char *path, const struct str *text, FILE *diff,
                       struct err *e)
{
	struct trust_state state;
	OWN(str) old = { 0 };
	OWN(str) out = { 0 };
	OWN(str) shown = { 0 };
	int r = trust_check(&state, f, path, text, &old, e);
	if (r || state.same)
		return r;
	if (state.known && diff && diff_text(&out, str_c(&old), old.len, str_c(text), text->len, "as trusted", path) > 0)
		fputs(str_c(&out), diff);
	/* .../DIR/.snug/profiles/NAME.yaml */
	const char *dir = path;
	for (int i = 0; i < 3 && dir; i++)
		dir = path_parent(&f->arena, dir);
	esc_shell(&shown, dir ? dir : ".");
	return err_set(e, EACCES, "profile '%s' of this checkout %s: read %s, then type: snug trust %s", name,
	               state.known ? "has changed since you trusted it" : "is not trusted", path, str_c(&shown));
}

/**
 * struct found - one profile's bytes and where they came from
 * @path: NULL for a built-in, which @built is
 */
struct found {
	enum origin origin;
	const struct builtin *built;
	const char *name, *label, *path;
	struct str text;
};

static void found_drop(struct found *d)
{
	str_drop(&d->text);
	*d = (struct found){ 0 };
}

static int found_builtin(struct found *out, const struct builtin *b, struct finder *f, struct err *e)
{
	out->origin = ORIGIN_BUILTIN;
	out->name = b->name;
	out->built = b;
	out->path = NULL; /* of a directory that was tried before */
	out->label = arena_fmt(&f->arena, "builtin:%s", b->name);
	str_add_mem(&out->text, b->text, b->len);
	return out->label && !out->text.oom ? 0 : err_set(e, ENOMEM, "out of memory");
}

static int found_file(struct found *out, struct finder *f, const char *path, struct err *e)
{
	int r = proffile_read(&out->text, path, true, e);
	if (r == -ENOENT)
		return err_set(e, ENOENT, "no profile file %s", path);
	out->origin = ORIGIN_FILE;
	out->label = out->path = arena_str(&f->arena, path);
	return r ? r : out->path ? 0 : err_set(e, ENOMEM, "out of memory");
}

/* -ENOENT without @e when @dir has no such file. */
static int found_in(struct found *out, struct finder *f, const struct profdir *dir, const char *name, struct err *e)
{
	out->origin = dir->origin;
	out->name = arena_str(&f->arena, name);
	out->path = arena_fmt(&f->arena, "%s/%s.yaml", dir->path, name);
	out->label = arena_fmt(&f->arena, "%s:%s", origin_word(dir->origin), name);
	if (!out->name || !out->path || !out->label)
		return err_set(e, ENOMEM, "out of memory");
	return proffile_read(&out->text, out->path, dir->origin != ORIGIN_REPO, e);
}

static int unknown(struct finder *f, const struct profdirs *dirs, const char *name, const char *typed, struct err *e)
{
	struct near near = { 0 };
	for (const struct builtin *b = builtins; b->name; b++)
		near_try(&near, name, b->name);
	for (size_t i = 0; i < dirs->n; i++) {
		struct wordlist names = { 0 };
		int r = profdir_names(&names, &f->arena, &dirs->items[i], e);
		if (r)
			return r;
		for (size_t j = 0; j < names.n; j++)
			near_try(&near, name, names.items[j].text);
	}
	OWN(str) shown = { 0 };
	esc_term(&shown, typed);
	return err_set(e, ENOENT, "no profile '%.80s'%s%s%s; snug profile list shows all%s%s%s", str_c(&shown),
	               near.best ? "; did you mean '" : "", near.best ? near.best : "", near.best ? "'?" : "",
	               dirs->foreign ? " (" : "", dirs->foreign ? dirs->foreign : "",
	               dirs->foreign ? " and was not searched)" : "");
}

static int locate(struct found *out, struct finder *f, const char *name, struct err *e)
{
	struct profdirs dirs = { 0 };
	enum origin only = ORIGIN_COUNT;
	const char *colon = strchr(name, ':'), *bare = name;
	if (is_file_name(name))
		return found_file(out, f, name, e);
	for (size_t i = 0; colon && i < ORIGIN_FILE; i++)
		if (strlen(origin_word(i)) == (size_t)(colon - name) && !strncmp(origin_word(i), name, (size_t)(colon - name)))
			only = (enum origin)i;
	bare = only != ORIGIN_COUNT ? colon + 1 : name;
	int r = profdirs_find(&dirs, f, f->host->cwd, e);
	if (r)
		return r;
	for (size_t i = 0; i < dirs.n && profname_ok(bare); i++) {
		if (only != ORIGIN_COUNT && dirs.items[i].origin != only)
			continue;
		r = found_in(out, f, &dirs.items[i], bare, e);
		if (r != -ENOENT)
			return r;
	}
	/* what would have been found there is not replaced in silence */
	r = dirs.foreign && only == ORIGIN_COUNT ?
	    note(f, arena_fmt(&f->arena, "%s and was not searched", dirs.foreign), e) : 0;
	if (r)
		return r;
	const struct builtin *b = builtin_named(bare);
	if (b && (only == ORIGIN_COUNT || only == ORIGIN_BUILTIN))
		return found_builtin(out, b, f, e);
	return unknown(f, &dirs, bare, name, e);
}

/* Messages name a file by its path, a built-in by its origin; lines carry the origin. */
static int parse(struct profile *out, const struct found *d, struct err *e)
{
	int r = d->built ? builtin_read(out, d->built, d->label, e)
	                 : profile_read(out, str_c(&d->text), d->text.len, d->path ? d->path : d->label, d->label, e);
	if (!r && d->path && d->name)
		r = check_name(out, d->name, d->path, e);
	if (r)
		profile_drop(out);
	return r;
}

int find_profile(struct profile *out, struct finder *f, const char *name, FILE *diff, struct err *e)
{
	OWN(found) d = { 0 };
	*out = (struct profile){ 0 };
	int r = locate(&d, f, name, e);
	if (!r && d.origin == ORIGIN_REPO && f->purpose == FIND_APPLY)
		r = check_trust(f, d.name, d.path, &d.text, diff, e);
	if (!r)
		r = parse(out, &d, e);
	if (!r && d.path && d.name && builtin_named(d.name))
		r = note(f, arena_fmt(&f->arena, "%s (%s) stands before builtin:%s", d.label, d.path, d.name), e);
	return r;
}

int find_text(struct str *out, const char **origin, const char **path, struct finder *f, const char *name, struct err *e)
{
	OWN(found) d = { 0 };
	OWN(profile) p = { 0 };
	int r = locate(&d, f, name, e);
	if (!r)
		r = parse(&p, &d, e);
	if (r)
		return r;
	*origin = d.label;
	*path = d.path;
	str_add_mem(out, str_c(&d.text), d.text.len);
	return out->oom ? err_set(e, ENOMEM, "out of memory") : 0;
}

/* ---- composition ---- */

enum { USE_DEPTH_MAX = 32 };

struct composer {
	struct finder *f;
	struct profile *into;
	struct wordlist done;               /* origins, each merged once */
	const char *chain[USE_DEPTH_MAX];   /* origins being loaded */
	size_t depth;
	bool force;
	struct err *e;
};

static int compose_one(struct composer *c, const char *name);

static int add_part(struct composer *c, const char *origin)
{
	struct word *part = ARENA_PUSH(&c->into->arena, &c->into->parts, items, n);
	struct word *done = ARENA_PUSH(&c->f->arena, &c->done, items, n);
	if (!part || !done)
		return err_set(c->e, ENOMEM, "out of memory");
	part->text = arena_str(&c->into->arena, origin);
	done->text = origin;
	return part->text ? 0 : err_set(c->e, ENOMEM, "out of memory");
}

static int cycle(struct composer *c, size_t from, const char *origin)
{
	OWN(str) chain = { 0 };
	for (size_t i = from; i < c->depth; i++)
		str_fmt(&chain, "%s -> ", c->chain[i]);
	bool self = from + 1 == c->depth;
	const char *colon = strchr(origin, ':');
	return err_set(c->e, EINVAL, "profiles use each other in a circle: %s%s%s%s", str_c(&chain), origin,
	               self && colon ? "; the built-in one is builtin:" : "", self && colon ? colon + 1 : "");
}

static int compose_loaded(struct composer *c, const struct profile *p, const char *origin)
{
	int r = 0;
	for (size_t i = 0; i < c->done.n; i++)
		if (!strcmp(c->done.items[i].text, origin))
			return 0;
	for (size_t i = 0; i < c->depth; i++)
		if (!strcmp(c->chain[i], origin))
			return cycle(c, i, origin);
	if (c->depth == USE_DEPTH_MAX)
		return err_set(c->e, EINVAL, "profiles use each other more than %d deep: %s", USE_DEPTH_MAX, origin);
	c->chain[c->depth++] = origin;
	for (size_t i = 0; i < p->use.n && !r; i++) {
		OWN(str) by = { 0 };
		src_text(&by, &p->use.items[i].src);
		r = compose_one(c, p->use.items[i].text);
		if (r == -ENOENT)
			r = err_wrap(c->e, "%s", str_c(&by));
	}
	c->depth--;
	if (!r)
		r = profile_merge(c->into, p, false, c->force, c->e);
	return r ? r : add_part(c, origin);
}

static int compose_one(struct composer *c, const char *name)
{
	OWN(profile) p = { 0 };
	int r = find_profile(&p, c->f, name, c->f->diff, c->e);
	if (r)
		return r;
	const char *origin = arena_str(&c->f->arena, p.origin);
	return origin ? compose_loaded(c, &p, origin) : err_set(c->e, ENOMEM, "out of memory");
}

int find_compose(struct profile *out, struct finder *f, const struct wordlist *names, const struct profile *grants,
                 bool no_base, bool force, struct err *e)
{
	OWN(profile) into = { 0 };
	struct composer c = { .f = f, .into = &into, .force = force, .e = e };
	*out = (struct profile){ 0 };
	int r = no_base ? 0 : compose_one(&c, "builtin:base");
	for (size_t i = 0; i < names->n && !r; i++)
		r = compose_one(&c, names->items[i].text);
	if (!r && grants)
		r = profile_merge(&into, grants, true, force, e);
	if (r)
		return r;
	*out = TAKE(into);
	return 0;
}

/* ---- the list ---- */

struct rows { struct find_row *items; size_t n; };

static int add_row(struct finder *f, struct rows *rows, const struct profdir *dir, const struct builtin *b,
                   const char *name, struct err *e)
{
	OWN(profile) p = { 0 };
	struct err why = { 0 };
	struct arena *a = &f->arena;
	struct find_row row = { .name = name, .origin = b ? "builtin" : origin_word(dir->origin) };
	OWN(found) d = { 0 };
	int r = b ? found_builtin(&d, b, f, &why) : found_in(&d, f, dir, name, &why);
	row.path = d.path;
	if (!r && !b && dir->origin == ORIGIN_REPO) {
		struct trust_state state = { 0 };
		struct err quiet = { 0 };
		row.untrusted = trust_check(&state, f, d.path, &d.text, NULL, &quiet) || !state.same;
	}
	if (!r)
		r = parse(&p, &d, &why);
	if (r == -ENOMEM)
		return err_set(e, ENOMEM, "out of memory");
	row.broken = r ? arena_str(a, why.code ? why.msg : "cannot be read") : NULL;
	row.description = p.description ? arena_str(a, p.description) : NULL;
	for (size_t i = 0; i < rows->n; i++)
		row.shadowed |= !strcmp(rows->items[i].name, name);
	struct find_row *slot = ARENA_PUSH(a, rows, items, n);
	if (!slot)
		return err_set(e, ENOMEM, "out of memory");
	*slot = row;
	return 0;
}

static int by_row(const void *x, const void *y)
{
	const struct find_row *a = x, *b = y;
	int d = strcmp(a->name, b->name);
	if (!d)
		d = (int)a->shadowed - (int)b->shadowed;
	return d ? d : strcmp(a->path ? a->path : "", b->path ? b->path : "");
}

int find_list(struct finder *f, struct find_row **out, size_t *n, struct err *e)
{
	struct rows rows = { 0 };
	struct profdirs dirs = { 0 };
	int r = profdirs_find(&dirs, f, f->host->cwd, e);
	for (size_t i = 0; i < dirs.n && !r; i++) {
		struct wordlist names = { 0 };
		r = profdir_names(&names, &f->arena, &dirs.items[i], e);
		for (size_t j = 0; j < names.n && !r; j++)
			r = add_row(f, &rows, &dirs.items[i], NULL, names.items[j].text, e);
	}
	for (const struct builtin *b = builtins; b->name && !r; b++)
		r = add_row(f, &rows, NULL, b, b->name, e);
	if (r)
		return r;
	if (rows.n)
		qsort(rows.items, rows.n, sizeof(*rows.items), by_row);
	*out = rows.items;
	*n = rows.n;
	return 0;
}
