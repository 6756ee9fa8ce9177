/* yaml_in.c - from the tree of a file to a profile: every key by its row in profile.def, types by schema only */
#include "profiles/builtin.h"
#include "profiles/yaml_reader.h"

#include "base/esc.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>

static int get_size(const struct reader *r, const struct ynode *n, const char *key, uint64_t *out)
{
	static const struct { const char *unit; unsigned shift; } units[] = {
		{ "", 0 }, { "KiB", 10 }, { "MiB", 20 }, { "GiB", 30 }, { "TiB", 40 },
	};
	const char *s = "";
	int x = reader_text(r, n, key, &s);
	if (x)
		return x;
	if (!strcmp(s, "false") && n->plain) {
		*out = 0;
		return 0;
	}
	size_t digits = strspn(s, "0123456789");
	uint64_t v = 0;
	for (size_t i = 0; digits <= 12 && i < digits; i++)
		v = v * 10 + (uint64_t)(s[i] - '0');
	for (size_t i = 0; digits && digits <= 12 && i < LEN(units); i++) {
		if (strcmp(s + digits, units[i].unit) || v > UINT64_MAX >> 1 >> units[i].shift)
			continue;
		*out = v << units[i].shift;
		return 0;
	}
	return ynode_bad(r->e, r->file, n, "'%s' is a size like 64MiB, not '%s'", key, ynode_show(&r->p->arena, s));
}

static int read_home(const struct reader *r, const struct key *k, const struct ynode *n, int *out)
{
	struct field f[] = { { "persist", NULL } };
	if (n->kind != Y_MAP) {
		struct err trouble = { 0 };
		const struct reader quiet = { r->p, r->file, r->origin, &trouble };
		if (!reader_word(&quiet, n, k->key, KIND_HOME, out))
			return 0;
		return ynode_bad(r->e, r->file, n, "'home' is empty, host or { persist: DIR }%s%s", n->kind == Y_SCALAR ? ", not " : "",
		                 n->kind == Y_SCALAR ? ynode_show(&r->p->arena, n->text) : "");
	}
	int x = reader_fields(r, n, f, LEN(f));
	if (!x && !f[0].value)
		x = reader_want(r, n, k->key, "empty, host or { persist: DIR }");
	*out = HOME_PERSIST;
	return x ? x : reader_path(r, f[0].value, "persist", &r->p->home_persist);
}

/* SAID() enums of different types share size and representation. */
static int read_scalar(const struct reader *r, const struct key *k, const struct ynode *n)
{
	int v = 0, x;
	uint64_t size = 0;
	const char *text = NULL;
	struct src src = reader_src(r, n);
	_Static_assert(sizeof(enum tri) == sizeof(int) && sizeof(enum net_mode) == sizeof(int), "enums are ints");
	void *at = key_at(r->p, k->at);
	if (k->kind == KIND_SIZE) {
		x = get_size(r, n, k->key, &size);
		memcpy(at, &size, sizeof(size));
	} else if (k->kind == KIND_CWD) {
		x = reader_path(r, n, k->key, &text);
		memcpy(at, &text, sizeof(text));
	} else {
		x = k->kind == KIND_HOME ? read_home(r, k, n, &v) : reader_word(r, n, k->key, k->kind, &v);
		memcpy(at, &v, sizeof(v));
	}
	memcpy(key_at(r->p, k->src), &src, sizeof(src));
	return x;
}

static int read_top_text(const struct reader *r, const struct key *k, const struct ynode *n)
{
	const char *s = "";
	int x = reader_text(r, n, k->key, &s);
	if (x)
		return x;
	if (k->kind == KIND_SCHEMA)
		return strcmp(s, PROFILE_SCHEMA) ? reader_bad(r, n, "this snug reads schema " PROFILE_SCHEMA, s) : 0;
	if (k->kind == KIND_NAME) {
		x = strchr(s, ':') ? reader_bad(r, n, "a profile's name has no ':'", s) : reader_profile_name(r, n, s);
		r->p->name = s;
		return x;
	}
	r->p->description = s;
	return 0;
}

static int read_key(const struct reader *r, const struct key *k, const struct ynode *n)
{
	int v = 0, x;
	switch (k->kind) {
	case KIND_SCHEMA: case KIND_NAME: case KIND_TEXT:
		return read_top_text(r, k, n);
	case KIND_FLAG:
		x = reader_word(r, n, k->key, k->kind, &v);
		r->p->override = v == TRI_YES;
		r->p->override_src = reader_src(r, n);
		return x;
	case KIND_PROFILES: case KIND_ENVNAMES: case KIND_HOSTS: case KIND_SYSCALLS: case KIND_DIRS:
	case KIND_PATHS: case KIND_BINDS:
		return reader_items(r, k, n);
	case KIND_ENVSET:
		return reader_envset(r, k, n);
	case KIND_PROJECT: case KIND_HOME: case KIND_NET: case KIND_ACTION: case KIND_TRI: case KIND_SYS:
	case KIND_SIZE: case KIND_CWD:
		return read_scalar(r, k, n);
	}
	return 0;
}

static const struct key *find_key(const char *section, const char *name)
{
	for (size_t i = 0; i < nprofile_keys; i++)
		if (!strcmp(profile_keys[i].section, section) && !strcmp(profile_keys[i].key, name))
			return &profile_keys[i];
	return NULL;
}

static bool is_section(const char *name)
{
	for (size_t i = 0; i < nprofile_keys; i++)
		if (profile_keys[i].section[0] && !strcmp(profile_keys[i].section, name))
			return true;
	return false;
}

static int unknown_in(const struct reader *r, const struct ynode *key, const char *section)
{
	const char *known[64];
	size_t n = 0;
	/* right word, wrong place */
	for (size_t i = 0; i < nprofile_keys; i++)
		if (!strcmp(profile_keys[i].key, key->text))
			return ynode_bad(r->e, r->file, key, "'%s' does not stand here; did you mean '%s'?", key->text,
			                 key_path(&r->p->arena, &profile_keys[i]));
	for (size_t i = 0; i < nprofile_keys && n < LEN(known); i++) {
		const struct key *k = &profile_keys[i];
		const char *name = !strcmp(k->section, section) ? k->key : !section[0] ? k->section : NULL;
		if (name && (!n || strcmp(known[n - 1], name)))
			known[n++] = name;
	}
	const char *where = section[0] ? arena_fmt(&r->p->arena, " in '%s'", section) : "";
	return reader_unknown(r, key, known, n, where ? where : "");
}

static int read_map(const struct reader *r, const struct ynode *n, const char *section)
{
	for (size_t i = 0; i < n->n; i++) {
		const struct ynode *key = n->items[i].key, *value = n->items[i].value;
		const struct key *k = find_key(section, key->text);
		int x = 0;
		if (k)
			x = read_key(r, k, value);
		else if (section[0] || !is_section(key->text))
			x = unknown_in(r, key, section);
		else if (value->kind == Y_MAP)
			x = read_map(r, value, key->text);
		else if (!reader_null(value))
			x = reader_want(r, value, key->text, "a map");
		if (x)
			return x;
	}
	return 0;
}

/* override: true colours the source of every line, also of those above it. */
static void find_override(struct profile *p, const struct ynode *root)
{
	for (size_t i = 0; i < root->n; i++)
		if (!strcmp(root->items[i].key->text, "override"))
			p->override = root->items[i].value->kind == Y_SCALAR && !strcmp(root->items[i].value->text, "true");
}

/**
 * struct source - what a profile is read from
 * @b: a built-in, which was parsed while building; else @text
 */
struct source {
	const struct builtin *b;
	const char *text;
	size_t len;
};

static int get_tree(struct ynode **root, const struct reader *r, const struct source *s)
{
	if (!s->b)
		return ynode_read(root, &r->p->arena, s->text, s->len, r->file, r->e);
	*root = ynode_built(&r->p->arena, s->b->nodes, s->b->nnodes, s->b->words);
	return *root ? 0 : reader_memory(r);
}

static int read_source(struct profile *out, const struct source *s, const char *file, const char *origin, struct err *e)
{
	OWN(profile) p = { 0 };
	OWN(str) shown = { 0 };
	struct ynode *root = NULL;
	*out = (struct profile){ 0 };
	esc_term(&shown, file);
	struct reader r = {
		.p = &p,
		.file = arena_str(&p.arena, str_c(&shown)),
		.origin = arena_str(&p.arena, origin ? origin : str_c(&shown)),
		.e = e,
	};
	if (!r.file || !r.origin)
		return err_set(e, ENOMEM, "out of memory");
	int x = get_tree(&root, &r, s);
	if (!x && root->kind != Y_MAP)
		x = reader_null(root) ? ynode_bad(e, r.file, root, "empty, not a profile") :
		                    ynode_bad(e, r.file, root, "a profile is a map of keys, not %s", reader_kind(root));
	if (!x) {
		find_override(&p, root);
		x = read_map(&r, root, "");
	}
	if (x)
		return x;
	p.origin = r.origin;
	*out = TAKE(p);
	return 0;
}

int profile_read(struct profile *out, const char *text, size_t len, const char *file, const char *origin,
                 struct err *e)
{
	const struct source s = { .text = text, .len = len };
	return read_source(out, &s, file, origin, e);
}

int builtin_read(struct profile *out, const struct builtin *b, const char *origin, struct err *e)
{
	const struct source s = { .b = b };
	return read_source(out, &s, origin, origin, e);
}
