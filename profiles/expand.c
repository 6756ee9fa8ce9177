/* expand.c - placeholders to absolute paths, and the list of paths a resolver wants to know facts of */
#include "profiles/keys.h"
#include "profiles/resolve.h"

#include "base/map.h"

#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>

/* What a placeholder stands for on @h; NULL when it has no value. */
static const char *value_of(struct arena *a, const struct host *h, const char *word, size_t n)
{
	const struct { const char *word, *value, *below_home; } rows[] = {
		{ "project", h->project, NULL }, { "home", h->home, NULL },
		{ "tmp", h->tmp ? h->tmp : "/tmp", NULL }, { "scratch", SCRATCH_DIR, NULL },
		{ "cache", h->cache, ".cache" }, { "config", h->config, ".config" },
		{ "data", h->data, ".local/share" }, { "state", h->state, ".local/state" },
		{ "runtime", h->runtime, NULL },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		if (strlen(rows[i].word) != n || strncmp(rows[i].word, word, n) != 0)
			continue;
		if (!rows[i].value && rows[i].below_home && h->home)
			return path_join(a, h->home, rows[i].below_home);
		return rows[i].value && rows[i].value[0] == '/' ? rows[i].value : NULL;
	}
	return NULL;
}

static int unset(struct err *e, const char *text, size_t n, const struct src *src)
{
	static const struct { const char *word, *remedy; } rows[] = {
		{ "{project}", "the working directory is / or home; name one with --project" },
		{ "{home}", "HOME is not set and the user has no passwd entry" },
		{ "{runtime}", "XDG_RUNTIME_DIR is not set" },
	};
	OWN(str) by = { 0 };
	const char *remedy = "HOME is not set";
	src_text(&by, src);
	for (size_t i = 0; i < LEN(rows); i++)
		if (strlen(rows[i].word) == n && !strncmp(rows[i].word, text, n))
			remedy = rows[i].remedy;
	return err_set(e, EINVAL, "%s: %.*s has no value here: %s", str_c(&by), (int)n, text, remedy);
}

int path_expand(const char **out, struct arena *a, const struct host *h, const char *text, const struct src *src,
                struct err *e)
{
	const char *rest = text, *base = NULL;
	if (path_is_clean(text)) {
		*out = arena_str(a, text);
		return *out ? 0 : err_set(e, ENOMEM, "out of memory");
	}
	if (text[0] == '~' && (!text[1] || text[1] == '/')) {
		rest = text + 1;
		base = value_of(a, h, "home", 4);
		if (!base)
			return unset(e, "{home}", 6, src);
	} else if (text[0] == '{') {
		size_t n = key_placeholder_len(text);
		rest = text + n;
		base = n ? value_of(a, h, text + 1, n - 2) : NULL;
		if (!base)
			return unset(e, text, n ? n : strlen(text), src);
	} else if (text[0] != '/') {
		OWN(str) by = { 0 };
		src_text(&by, src);
		return err_set(e, EINVAL, "%s: '%.200s' is no absolute path", str_c(&by), text);
	}
	OWN(str) raw = { 0 };
	OWN(str) clean = { 0 };
	str_add(&raw, base ? base : "");
	str_add(&raw, rest);
	path_clean(&clean, str_c(&raw));
	*out = arena_mem(a, str_c(&clean), clean.len);
	return raw.oom || clean.oom || !*out ? err_set(e, ENOMEM, "out of memory") : 0;
}

int value_expand(const char **out, struct arena *a, const struct host *h, const char *text, const struct src *src,
                 struct err *e)
{
	OWN(str) s = { 0 };
	for (const char *p = text; *p;) {
		size_t n = key_placeholder_len(p);
		if (!n) {
			str_add_char(&s, *p++);
			continue;
		}
		const char *value = value_of(a, h, p + 1, n - 2);
		if (!value)
			return unset(e, p, n, src);
		str_add(&s, value);
		p += n;
	}
	*out = arena_mem(a, str_c(&s), s.len);
	return s.oom || !*out ? err_set(e, ENOMEM, "out of memory") : 0;
}

/* ---- which facts are wanted ---- */

struct wants {
	const struct host *h;
	struct arena *a;
	struct wordlist *out;
	struct map seen;
};

static int want_path(struct wants *w, const char *path)
{
	int fresh = 0;
	if (!path)
		return -ENOMEM;
	if (!map_put(&w->seen, path, strlen(path), &fresh))
		return -ENOMEM;
	struct word *item = fresh ? ARENA_PUSH(w->a, w->out, items, n) : NULL;
	if (fresh && !item)
		return -ENOMEM;
	if (fresh)
		item->text = path;
	return 0;
}

/* @text expanded, or NULL where it has no value. */
static const char *expanded(struct wants *w, const char *text, const struct src *src)
{
	struct err quiet = { 0 };
	const char *path = NULL;
	return text && !path_expand(&path, w->a, w->h, text, src, &quiet) ? path : NULL;
}

static int want_text(struct wants *w, const char *text, const struct src *src)
{
	const char *path = expanded(w, text, src);
	return path ? want_path(w, path) : 0;
}

/* What is mounted or masked inside a bind with another target lies at the bind's source. */
static int want_moved(struct wants *w, const struct profile *p, const char *path)
{
	int r = 0;
	for (size_t i = 0; i < p->binds.n && !r; i++) {
		const struct bind *b = &p->binds.items[i];
		const char *target = b->target ? expanded(w, b->target, &b->src) : NULL;
		const char *source = target ? expanded(w, b->source, &b->src) : NULL;
		if (source && path_below(path, target))
			r = want_path(w, path_join(w->a, source, path + strlen(target) + (target[1] != '\0')));
	}
	const char *dir = p->home.v == HOME_PERSIST ? expanded(w, p->home_persist, &p->home.src) : NULL;
	if (!r && dir && w->h->home && path_below(path, w->h->home))
		r = want_path(w, path_join(w->a, dir, path + strlen(w->h->home) + 1));
	return r;
}

static int want_binds(struct wants *w, const struct profile *p)
{
	int r = 0;
	for (size_t i = 0; i < p->binds.n && !r; i++) {
		const struct bind *b = &p->binds.items[i];
		const char *path = expanded(w, b->source, &b->src);
		r = path ? want_path(w, path) : 0;
		if (!r && path && b->mode == BIND_COPY)
			r = want_path(w, path_parent(w->a, path));
		/* where it is mounted, that must be there */
		const char *at = b->target ? expanded(w, b->target, &b->src) : path;
		if (!r && b->target && at)
			r = want_path(w, at);
		if (!r && at)
			r = want_moved(w, p, at);
	}
	return r;
}

static int want_list(struct wants *w, const struct profile *p, const struct pathlist *l)
{
	int r = 0;
	for (size_t i = 0; i < l->n && !r; i++) {
		const char *path = expanded(w, l->items[i].path, &l->items[i].src);
		r = path ? want_path(w, path) : 0;
		if (!r && path)
			r = want_moved(w, p, path);
	}
	return r;
}

int profile_paths(const struct profile *p, const struct host *h, struct arena *a, struct wordlist *out, struct err *e)
{
	struct wants w = { .h = h, .a = a, .out = out };
	int r = want_binds(&w, p);
	if (!r)
		r = want_list(&w, p, &p->tmpfs);
	if (!r)
		r = want_list(&w, p, &p->mask);
	if (!r)
		r = want_list(&w, p, &p->deny_read);
	if (!r)
		r = want_list(&w, p, &p->deny_write);
	if (!r && h->project)
		r = want_path(&w, h->project);
	if (!r && h->pwd)
		r = want_path(&w, h->pwd);
	if (!r && h->home)
		r = want_path(&w, h->home);
	if (!r && h->home_as)
		r = want_path(&w, h->home_as);
	if (!r && p->home.v == HOME_PERSIST)
		r = want_text(&w, p->home_persist, &p->home.src);
	map_drop(&w.seen);
	return r ? err_set(e, ENOMEM, "out of memory") : 0;
}
