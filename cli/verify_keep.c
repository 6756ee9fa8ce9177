/* verify_keep.c - what is kept, and how a confined run gets it */
#include "cli/verify_keep.h"

#include "cli/output.h"

#include "base/log.h"
#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void keeper_drop(struct keeper *k)
{
	struct err ignored = { 0 };
	if (k->dir && copytree_remove(k->dir, &ignored) < 0)
		log_line(1, "%s", ignored.msg); /* what stays goes with its run */
	copytree_drop(&k->copy);
	map_drop(&k->originals);
	arena_drop(&k->arena);
	*k = (struct keeper){ 0 };
}

int keeper_stop(void)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	sigset_t set;
	sigpending(&set);
	for (size_t i = 0; i < LEN(signals); i++)
		if (sigismember(&set, signals[i]) == 1)
			return 1;
	return 0;
}

int keeper_open(struct keeper *k, const char *dir, uint64_t limit, const char *store, struct err *e)
{
	struct stat st;
	if (mkdir(dir, 0700) < 0)
		return err_sys(e, "making %s", dir);
	char *real = realpath(dir, NULL);
	k->dir = real ? arena_str(&k->arena, real) : NULL;
	free(real);
	if (!k->dir)
		return err_sys(e, "%s", dir);
	k->copy.left = limit;
	k->copy.stop = keeper_stop;
	if (stat(store ? store : k->dir, &st) == 0) {
		k->copy.skip_dev = st.st_dev;
		k->copy.skip_ino = st.st_ino;
	}
	return 0;
}

const struct kept *keeper_root(const struct keeper *k, const char *path)
{
	const struct kept *in = NULL;
	for (size_t i = 0; i < k->roots.n; i++)
		if (path_under(path, k->roots.items[i].path) && (!in || path_under(k->roots.items[i].path, in->path)))
			in = &k->roots.items[i];
	return in;
}

/* "DIR/kN/NAME": each in a directory of its own, so that a name beside it can be made and renamed. */
static const char *spot(struct keeper *k, const char *kind, size_t n, const char *path, struct err *e)
{
	const char *dir = arena_fmt(&k->arena, "%s/%s%zu", k->dir, kind, n);
	const char *at = dir ? path_join(&k->arena, dir, path_base(path)) : NULL;
	if (!at) {
		(void)err_set(e, ENOMEM, "out of memory");
		return NULL;
	}
	if (mkdir(dir, 0700) < 0 && errno != EEXIST) {
		(void)err_sys(e, "making %s", dir);
		return NULL;
	}
	return at;
}

/* Return: 1 a tree or file, 0 nothing there, -errno; -ENOENT without @e for what is no state. */
static int kind_of(const char *path, struct err *e)
{
	struct stat st;
	if (!strcmp(path, "/"))
		return err_set(e, EOPNOTSUPP, "the whole host tree is writable, which is too much to keep");
	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0 : err_sys(e, "%s", path);
	return S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ? 1 : -ENOENT;
}

static int add(struct keeper *k, const char *path, bool there, struct err *e)
{
	struct kept *slot = ARENA_PUSH(&k->arena, &k->roots, items, n);
	if (!slot)
		return err_set(e, ENOMEM, "out of memory");
	*slot = (struct kept){ .path = arena_str(&k->arena, path), .there = there };
	slot->at = slot->path ? spot(k, "k", k->roots.n, path, e) : NULL;
	slot->work = slot->at ? arena_fmt(&k->arena, "%s/w%zu/%s", k->dir, k->roots.n, path_base(path)) : NULL;
	if (!slot->work)
		return e->code ? -e->code : err_set(e, ENOMEM, "out of memory");
	return there ? copytree_make(&k->copy, path, slot->at, e) : 0;
}

int keeper_add(struct keeper *k, const char *path, struct err *e)
{
	if (keeper_root(k, path))
		return 0;
	int kind = kind_of(path, e);
	if (kind < 0)
		return kind == -ENOENT ? 0 : kind;
	return add(k, path, kind == 1, e);
}

/* ---- originals ---- */

/* One record each, ended by NUL: the number of the copy, a blank, the path. */
static bool note(const struct keeper *k, size_t n, const char *path)
{
	OWN(str) line = { 0 };
	OWN(str) index = { 0 };
	str_fmt(&index, "%s/originals", k->dir);
	str_fmt(&line, "%zu %s", n, path);
	OWN(fd) f = fd_own(open(str_c(&index), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
	return f.plus1 && !line.oom && write_all(fd_no(f), str_c(&line), line.len + 1) == 0;
}

void keeper_original(void *keeper, const char *path)
{
	struct keeper *k = keeper;
	struct err e = { 0 };
	int fresh = 0;
	if (keeper_root(k, path) || (k->host && persist_scratch(k->host, path)) || map_find(&k->originals, path, strlen(path)))
		return;
	const char *key = arena_str(&k->arena, path);
	size_t n = k->originals.n;
	const char *at = key && map_put(&k->originals, key, strlen(key), &fresh) ? arena_fmt(&k->arena, "%s/o%zu", k->dir, n) : NULL;
	k->copy.stop = NULL;
	sigset_t all, old; /* the recorder's ticks would break a copy off */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	if (!at || copytree_make(&k->copy, path, at, &e) < 0 || !note(k, n, path))
		log_line(1, "%s: not kept: %s", path, e.msg);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

int keeper_originals(struct keeper *k, struct err *e)
{
	OWN(str) index = { 0 };
	char *line = NULL;
	size_t room = 0;
	int err = 0;
	str_fmt(&index, "%s/originals", k->dir);
	FILE *f = index.oom ? NULL : fopen(str_c(&index), "re");
	if (!f)
		return errno == ENOENT ? 0 : err_sys(e, "%s", str_c(&index));
	while (err == 0 && getdelim(&line, &room, '\0', f) > 0) {
		char *path = NULL;
		unsigned long n = strtoul(line, &path, 10);
		const char *key = *path == ' ' ? arena_str(&k->arena, path + 1) : NULL;
		void **slot = key ? map_put(&k->originals, key, strlen(key), NULL) : NULL;
		const char *at = slot ? arena_fmt(&k->arena, "%s/o%lu", k->dir, n) : NULL;
		if (at)
			*slot = (void *)(uintptr_t)at;
		else
			err = err_set(e, ENOMEM, "out of memory");
	}
	free(line);
	fclose(f);
	return err;
}

static bool was_absent(const struct map *absent, const char *path)
{
	return map_find(absent, path, strlen(path)) != NULL;
}

/* The copy of @r at @path's place. */
static const char *inside(struct keeper *k, const struct kept *r, const char *path)
{
	const char *rest = path + strlen(r->path);
	return *rest ? path_join(&k->arena, r->at, rest + 1) : r->at;
}

/* Put @from, a copy that is kept, at @path's place in @r; NULL: nothing was there. */
static int put_back(struct keeper *k, const struct kept *r, const char *path, const char *from, struct err *e)
{
	const char *at = inside(k, r, path);
	int err = at ? copytree_remove(at, e) : err_set(e, ENOMEM, "out of memory");
	return err == 0 && from ? copytree_make(&k->copy, from, at, e) : err;
}

/* Back to what was there before: what was made goes; what was changed, or kept already, comes in again. */
static int undo(struct keeper *k, struct kept r, const struct map *absent, struct err *e)
{
	int err = 0;
	for (size_t i = 0; err == 0 && i < absent->n; i++)
		if (absent->items[i].key && path_below(absent->items[i].key, r.path))
			err = put_back(k, &r, absent->items[i].key, NULL, e);
	for (size_t i = 0; err == 0 && i < k->originals.n; i++) {
		const struct map_entry *o = &k->originals.items[i];
		if (path_under(o->key, r.path) && !was_absent(absent, o->key))
			err = put_back(k, &r, o->key, o->value, e);
	}
	for (size_t i = 0; err == 0 && i < k->roots.n; i++) {
		const struct kept *in = &k->roots.items[i];
		if (path_below(in->path, r.path))
			err = put_back(k, &r, in->path, in->there ? in->at : NULL, e);
	}
	return err;
}

int keeper_add_after(struct keeper *k, const char *path, const struct map *absent, const struct changes *changed,
                     struct err *e)
{
	if (keeper_root(k, path))
		return 0;
	for (size_t i = 0; i < changed->n; i++) {
		const struct change *c = &changed->items[i];
		bool told = c->kind == CHANGE_MADE || (c->kind == CHANGE_ALTERED && c->type == FT_DIR);
		if (path_under(c->path, path) && !told && !keeper_root(k, c->path) && !map_find(&k->originals, c->path, strlen(c->path)))
			return err_set(e, ESTALE, "%s was changed, and its state before could not be kept", c->path);
	}
	int kind = kind_of(path, e);
	bool gone = kind == 0 && map_find(&k->originals, path, strlen(path));
	if (kind < 0)
		return kind == -ENOENT ? 0 : kind;
	int err = add(k, path, kind == 1 && !was_absent(absent, path), e);
	struct kept *r = &k->roots.items[k->roots.n - 1];
	r->there |= gone;
	return err == 0 && r->there ? undo(k, *r, absent, e) : err;
}

/* ---- for a policy ---- */

static bool may_change(const struct place *p)
{
	if (!p->source || (p->kind != PLACE_BIND && p->kind != PLACE_COPY))
		return false;
	return p->kind == PLACE_COPY || p->mode == BIND_RW || p->create != CREATE_NO;
}

int keeper_wants(struct wordlist *out, struct arena *a, const struct policy *pol)
{
	for (size_t i = 0; i < pol->nplaces; i++) {
		const struct place *p = &pol->places[i];
		if (!may_change(p))
			continue;
		struct word *w = ARENA_PUSH(a, out, items, n);
		if (!w)
			return -ENOMEM;
		w->text = arena_str(a, p->source);
		if (!w->text)
			return -ENOMEM;
	}
	return 0;
}

int keeper_redirect(const struct keeper *k, struct policy *pol)
{
	for (size_t i = 0; i < pol->nplaces; i++) {
		struct place *p = &pol->places[i];
		const struct kept *r = p->source && (p->kind == PLACE_BIND || p->kind == PLACE_COPY) ? keeper_root(k, p->source) : NULL;
		if (!r)
			continue;
		const char *rest = p->source + strlen(r->path);
		p->source = *rest ? path_join(&pol->arena, r->work, rest + 1) : r->work;
		if (!p->source)
			return -ENOMEM;
	}
	return 0;
}

int keeper_work(struct keeper *k, struct err *e)
{
	struct copytree copy = { .left = UINT64_MAX, .stop = keeper_stop };
	int err = 0;
	for (size_t i = 0; err == 0 && i < k->roots.n; i++) {
		const struct kept *r = &k->roots.items[i];
		const char *dir = path_parent(&k->arena, r->work);
		err = dir ? copytree_remove(dir, e) : err_set(e, ENOMEM, "out of memory");
		if (err == 0 && !spot(k, "w", i + 1, r->path, e))
			err = -e->code;
		if (err == 0 && r->there)
			err = copytree_make(&copy, r->at, r->work, e);
	}
	copytree_drop(&copy);
	return err;
}

/* Those within another kept tree are listed with it, under the outer one's copy: each root lists only what is its own. */
static int list_all(struct listing *out, const struct keeper *k, int which, struct err *e)
{
	int err = 0;
	for (size_t i = 0; err == 0 && i < k->roots.n; i++) {
		const struct kept *r = &k->roots.items[i];
		OWN(listing) l = { 0 };
		const char *const at[] = { r->at, r->work, r->path };
		err = copytree_list(&l, at[which], r->path, &k->copy, e);
		for (size_t j = 0; err == 0 && j < l.n; j++)
			if (keeper_root(k, l.items[j].path) == r && listing_add(out, &l.items[j]) < 0)
				err = err_set(e, ENOMEM, "out of memory");
	}
	listing_sort(out);
	return err;
}

int keeper_list(struct listing *out, const struct keeper *k, bool work, struct err *e)
{
	return list_all(out, k, work, e);
}

int keeper_list_host(struct listing *out, const struct keeper *k, struct err *e)
{
	return list_all(out, k, 2, e);
}
