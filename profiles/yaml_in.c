/* yaml_in.c - from the tree of a file to a profile: every key by its row in profile.def, types by schema only */
#include "profiles/keys.h"
#include "profiles/near.h"
#include "profiles/policy.h"
#include "profiles/yaml_node.h"

#include "base/esc.h"
#include "base/str.h"

#include <errno.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct profile *p;
	const char *file, *origin;
	struct err *e;
};

static int bad(const struct reader *r, const struct ynode *n, const char *what, const char *text)
{
	return ynode_bad(r->e, r->file, n, "%s, not '%s'", what, ynode_show(&r->p->arena, text));
}

static int no_memory(const struct reader *r)
{
	return err_set(r->e, ENOMEM, "%s: out of memory", r->file);
}

static const char *kind_word(const struct ynode *n)
{
	return n->kind == Y_LIST ? "a list" : n->kind == Y_MAP ? "a map" : n->text[0] || !n->plain ? "a text" : "nothing";
}

static int want(const struct reader *r, const struct ynode *n, const char *key, const char *what)
{
	return ynode_bad(r->e, r->file, n, "'%s' wants %s, not %s", key, what, kind_word(n));
}

/* "key:" with nothing behind it: an empty list or map. */
static bool is_null(const struct ynode *n)
{
	return n->kind == Y_SCALAR && n->plain && !n->text[0];
}

static struct src src_of(const struct reader *r, const struct ynode *n)
{
	return (struct src){ .origin = r->origin, .line = n->line, .col = n->col, .overrides = r->p->override };
}

/* A text that is there: no list, no map, and not the nothing of "key:". */
static int get_text(const struct reader *r, const struct ynode *n, const char *key, const char **out)
{
	if (n->kind != Y_SCALAR || is_null(n))
		return want(r, n, key, "a text");
	*out = n->text;
	return 0;
}

static int unknown_key(const struct reader *r, const struct ynode *key, const char *const *known, size_t n,
                       const char *where)
{
	struct near near = { 0 };
	OWN(str) all = { 0 };
	for (size_t i = 0; i < n; i++) {
		near_try(&near, key->text, known[i]);
		str_fmt(&all, "%s%s", i ? ", " : "", known[i]);
	}
	const char *shown = ynode_show(&r->p->arena, key->text);
	if (near.best)
		return ynode_bad(r->e, r->file, key, "unknown key '%s'%s; did you mean '%s'?", shown, where, near.best);
	return ynode_bad(r->e, r->file, key, "unknown key '%s'%s; known are %s", shown, where, str_c(&all));
}

/* The value of @kind that scalar @n says, or -EINVAL. */
static int get_word(const struct reader *r, const struct ynode *n, const char *key, enum key_kind kind, int *out)
{
	struct near near = { 0 };
	OWN(str) all = { 0 };
	bool truth = kind == KIND_TRI || kind == KIND_FLAG;
	const struct key_word *w = key_words(kind);
	for (size_t i = 0; w[i].word; i++) {
		bool is_bool = !strcmp(w[i].word, "true") || !strcmp(w[i].word, "false");
		if (n->kind == Y_SCALAR && !strcmp(n->text, w[i].word) && (n->plain || !is_bool)) {
			*out = w[i].value;
			return 0;
		}
		if (n->kind == Y_SCALAR)
			near_try(&near, n->text, w[i].word);
		str_fmt(&all, "%s%s", !i ? "" : w[i + 1].word ? ", " : " or ", w[i].word);
	}
	if (n->kind != Y_SCALAR || is_null(n))
		return want(r, n, key, str_c(&all));
	const char *shown = ynode_show(&r->p->arena, n->text);
	if (near.best && !truth)
		return ynode_bad(r->e, r->file, n, "'%s' is %s, not '%s'; did you mean '%s'?", key, str_c(&all), shown, near.best);
	return ynode_bad(r->e, r->file, n, "'%s' is %s%s, not '%s'", key, str_c(&all), truth ? " without quotes" : "", shown);
}

/* ---- paths ---- */

static bool is_name_start(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What a person may have meant to be expanded must not be taken for a file name in silence. */
static int check_expansions(const struct reader *r, const struct ynode *n, const char *s)
{
	for (const char *p = s; *p; p++) {
		bool first = p == s || p[-1] == '/';
		if (*p == '$' && (p[1] == '{' || p[1] == '(' || (first && is_name_start(p[1]))))
			return bad(r, n, "variables and commands are not expanded in paths (a plain dollar sign is \"\\\\x24\")", s);
		if (p != s && key_placeholder_len(p))
			return bad(r, n, "a placeholder stands at the start of a path (a plain brace is \"\\\\x7b\")", s);
	}
	return 0;
}

static int check_path(const struct reader *r, const struct ynode *n, const char *s)
{
	if (s[0] == '{') {
		size_t len = key_placeholder_len(s);
		if (!len || (s[len] && s[len] != '/')) {
			struct near near = { 0 };
			char word[32] = "";
			size_t end = strcspn(s + 1, "}/");
			memcpy(word, s + 1, MIN(end, sizeof(word) - 1));
			for (size_t i = 0; key_placeholders[i]; i++)
				near_try(&near, word, key_placeholders[i]);
			return ynode_bad(r->e, r->file, n, "unknown placeholder in '%s'; %s%s%s", ynode_show(&r->p->arena, s),
			                 near.best ? "did you mean '{" : "known are {project} {home} {tmp} {scratch} {cache} ",
			                 near.best ? near.best : "{config} {data} {state} {runtime}", near.best ? "}'?" : "");
		}
	} else if (s[0] == '~') {
		if (s[1] && s[1] != '/')
			return bad(r, n, "homes of other users (~name) are not expanded: write the absolute path", s);
	} else if (s[0] != '/') {
		int x = check_expansions(r, n, s);
		return x ? x : bad(r, n, "a path starts with '/', '~' or a placeholder like {project}", s);
	}
	return check_expansions(r, n, s);
}

/* A path's bytes in the arena. */
static int get_path(const struct reader *r, const struct ynode *n, const char *key, const char **out)
{
	const char *s = "";
	OWN(str) raw = { 0 };
	int x = get_text(r, n, key, &s);
	if (!x)
		x = check_path(r, n, s);
	if (x)
		return x;
	esc_undo(&raw, s);
	if (strlen(str_c(&raw)) != raw.len)
		return bad(r, n, "a path holds no NUL byte", s);
	if (strpbrk(s, "*?")) {
		/* legal in a name, but more often the hope for a pattern */
		struct word *w = ARENA_PUSH(&r->p->arena, &r->p->warnings, items, n);
		if (!w)
			return no_memory(r);
		w->text = arena_fmt(&r->p->arena, "%s:%u: '%s' is taken literally: paths have no patterns", r->file, n->line,
		                    ynode_show(&r->p->arena, s));
		w->src = src_of(r, n);
	}
	*out = arena_mem(&r->p->arena, str_c(&raw), raw.len);
	return raw.oom || !*out ? no_memory(r) : 0;
}

/* ---- lists of words ---- */

static int check_env_name(const struct reader *r, const struct ynode *n, const char *s, bool glob)
{
	for (const unsigned char *p = (const unsigned char *)s; *p; p++)
		if (*p == '=' || *p <= ' ' || *p == 0x7f || (!glob && (*p == '*' || *p == '?')))
			return bad(r, n, glob ? "a variable's name has no '=', blank or control character" :
			           "a variable that is set has a name without '=', blank, '*' or '?'", s);
	return *s ? 0 : ynode_bad(r->e, r->file, n, "a variable without a name");
}

static int check_profile_name(const struct reader *r, const struct ynode *n, const char *s)
{
	static const char chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	const char *colon = strchr(s, ':');
	const char *name = colon ? colon + 1 : s;
	if (!*name || strspn(name, chars) != strlen(name) || strlen(name) > 64 || *name == '.' || *name == '-')
		return bad(r, n, "a profile's name has letters, digits, '.', '_' and '-'", s);
	return 0;
}

static int check_syscall(const struct reader *r, const struct ynode *n, const char *s)
{
	if (seccomp_syscall_resolve_name(s) != __NR_SCMP_ERROR)
		return 0;
	struct near near = { 0 };
	for (int i = 0; i < 1024; i++) {
		char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, i);
		unsigned before = near.distance;
		const char *had = near.best;
		if (name)
			near_try(&near, s, name);
		if (near.best && (near.best != had || near.distance != before))
			near.best = arena_str(&r->p->arena, name);
		free(name);
	}
	return ynode_bad(r->e, r->file, n, "unknown system call '%s'%s%s%s", ynode_show(&r->p->arena, s),
	                 near.best ? "; did you mean '" : "", near.best ? near.best : "", near.best ? "'?" : "");
}

static int check_host(const struct reader *r, const struct ynode *n, const char *s)
{
	struct err why = { 0 };
	struct host_rule rule;
	if (!host_rule_parse(&rule, &r->p->arena, s, &why))
		return 0;
	return ynode_bad(r->e, r->file, n, "%s", why.msg);
}

static int check_word(const struct reader *r, const struct ynode *n, enum key_kind kind, const char *s)
{
	switch ((int)kind) {
	case KIND_PROFILES: return check_profile_name(r, n, s);
	case KIND_ENVNAMES: return check_env_name(r, n, s, true);
	case KIND_HOSTS:    return check_host(r, n, s);
	case KIND_SYSCALLS: return check_syscall(r, n, s);
	}
	return 0;
}

static int read_word(const struct reader *r, const struct key *k, const struct ynode *n)
{
	const char *s = "";
	int x = k->kind == KIND_DIRS ? get_path(r, n, k->key, &s) : get_text(r, n, k->key, &s);
	if (!x)
		x = check_word(r, n, k->kind, s);
	if (x)
		return x;
	struct word *w = ARENA_PUSH(&r->p->arena, (struct wordlist *)key_at(r->p, k->at), items, n);
	if (!w)
		return no_memory(r);
	*w = (struct word){ .text = s, .src = src_of(r, n) };
	return 0;
}

/* One value of an item's map by its name; the rest is an error. */
struct field {
	const char *name;
	const struct ynode *value;
};

static int read_fields(const struct reader *r, const struct ynode *n, struct field *fields, size_t nfields)
{
	const char *names[8];
	for (size_t i = 0; i < nfields; i++)
		names[i] = fields[i].name;
	for (size_t i = 0; i < n->n; i++) {
		size_t j = 0;
		while (j < nfields && strcmp(n->items[i].key->text, fields[j].name))
			j++;
		if (j == nfields)
			return unknown_key(r, n->items[i].key, names, nfields, " in an item");
		fields[j].value = n->items[i].value;
	}
	return 0;
}

static int get_flag(const struct reader *r, const struct field *f, bool *out)
{
	int v = TRI_NO;
	int x = f->value ? get_word(r, f->value, f->name, KIND_TRI, &v) : 0;
	*out = v == TRI_YES;
	return x;
}

static int read_pathent(const struct reader *r, const struct key *k, const struct ynode *n)
{
	struct pathent ent = { .src = src_of(r, n) };
	struct field f[] = { { "path", n }, { "optional", NULL } };
	int x = 0;
	if (n->kind == Y_MAP) {
		f[0].value = NULL;
		x = read_fields(r, n, f, LEN(f));
		if (!x && !f[0].value)
			x = ynode_bad(r->e, r->file, n, "an item of '%s' without 'path'", k->key);
	}
	if (!x)
		x = get_path(r, f[0].value, k->key, &ent.path);
	if (!x)
		x = get_flag(r, &f[1], &ent.optional);
	if (x)
		return x;
	struct pathent *slot = ARENA_PUSH(&r->p->arena, (struct pathlist *)key_at(r->p, k->at), items, n);
	if (!slot)
		return no_memory(r);
	*slot = ent;
	return 0;
}

static int get_choice(const struct reader *r, const struct field *f, const char *const *words, size_t n, int *out)
{
	const char *s = "";
	struct near near = { 0 };
	OWN(str) all = { 0 };
	if (!f->value)
		return 0;
	int x = get_text(r, f->value, f->name, &s);
	if (x)
		return x;
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(words[i], s)) {
			*out = (int)i;
			return 0;
		}
		near_try(&near, s, words[i]);
		str_fmt(&all, "%s%s", !i ? "" : i + 1 < n ? ", " : " or ", words[i]);
	}
	return ynode_bad(r->e, r->file, f->value, "'%s' is %s, not '%s'%s%s%s", f->name, str_c(&all),
	                 ynode_show(&r->p->arena, s), near.best ? "; did you mean '" : "", near.best ? near.best : "",
	                 near.best ? "'?" : "");
}

static int read_bind(const struct reader *r, const struct key *k, const struct ynode *n)
{
	static const char *const modes[] = { [BIND_RO] = "ro", [BIND_RW] = "rw", [BIND_COPY] = "copy" };
	static const char *const makes[] = { [CREATE_NO] = "false", [CREATE_DIR] = "dir", [CREATE_FILE] = "file" };
	struct field f[] = { { "source", 0 }, { "target", 0 }, { "mode", 0 }, { "optional", 0 }, { "create", 0 } };
	struct bind b = { .src = src_of(r, n) };
	int mode = BIND_RO, create = CREATE_NO;
	if (n->kind != Y_MAP)
		return want(r, n, k->key, "items like { source: \"~/x\", mode: ro }");
	int x = read_fields(r, n, f, LEN(f));
	if (!x && !f[0].value)
		x = ynode_bad(r->e, r->file, n, "a bind without 'source'");
	if (!x)
		x = get_path(r, f[0].value, "source", &b.source);
	if (!x && f[1].value)
		x = get_path(r, f[1].value, "target", &b.target);
	if (!x)
		x = get_choice(r, &f[2], modes, LEN(modes), &mode);
	if (!x)
		x = get_flag(r, &f[3], &b.optional);
	if (!x)
		x = get_choice(r, &f[4], makes, LEN(makes), &create);
	if (!x && mode == BIND_COPY && create != CREATE_NO)
		x = ynode_bad(r->e, r->file, f[4].value, "'create' has no use with mode copy: a new file is written back anyway");
	if (x)
		return x;
	b.mode = (enum bind_mode)mode;
	b.create = (enum bind_create)create;
	struct bind *slot = ARENA_PUSH(&r->p->arena, &r->p->binds, items, n);
	if (!slot)
		return no_memory(r);
	*slot = b;
	return 0;
}

static int read_items(const struct reader *r, const struct key *k, const struct ynode *n)
{
	if (k->at == offsetof(struct profile, allow_hosts)) {
		r->p->has_allow_hosts = true;
		r->p->allow_hosts_src = src_of(r, n);
	}
	if (is_null(n))
		return 0;
	if (n->kind != Y_LIST)
		return want(r, n, k->key, "a list");
	for (size_t i = 0; i < n->n; i++) {
		const struct ynode *item = n->items[i].value;
		int x = k->kind == KIND_BINDS ? read_bind(r, k, item) :
		        k->kind == KIND_PATHS ? read_pathent(r, k, item) : read_word(r, k, item);
		if (x)
			return x;
	}
	return 0;
}

static int read_envset(const struct reader *r, const struct key *k, const struct ynode *n)
{
	if (is_null(n))
		return 0;
	if (n->kind != Y_MAP)
		return want(r, n, k->key, "a map of names and values");
	for (size_t i = 0; i < n->n; i++) {
		const struct ynode *key = n->items[i].key;
		struct envset *set = ARENA_PUSH(&r->p->arena, &r->p->env_set, items, n);
		if (!set)
			return no_memory(r);
		set->name = key->text;
		set->src = src_of(r, key);
		int x = check_env_name(r, key, key->text, false);
		if (!x && is_null(n->items[i].value))
			x = ynode_bad(r->e, r->file, n->items[i].value, "variable '%s' without a value; an empty one is \"\"",
			              ynode_show(&r->p->arena, key->text));
		if (!x)
			x = get_text(r, n->items[i].value, key->text, &set->value);
		if (x)
			return x;
	}
	return 0;
}

/* ---- scalars ---- */

static int get_size(const struct reader *r, const struct ynode *n, const char *key, uint64_t *out)
{
	static const struct { const char *unit; unsigned shift; } units[] = {
		{ "", 0 }, { "KiB", 10 }, { "MiB", 20 }, { "GiB", 30 }, { "TiB", 40 },
	};
	const char *s = "";
	int x = get_text(r, n, key, &s);
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
		if (!get_word(&quiet, n, k->key, KIND_HOME, out))
			return 0;
		return ynode_bad(r->e, r->file, n, "'home' is empty, host or { persist: DIR }%s%s", n->kind == Y_SCALAR ? ", not " : "",
		                 n->kind == Y_SCALAR ? ynode_show(&r->p->arena, n->text) : "");
	}
	int x = read_fields(r, n, f, LEN(f));
	if (!x && !f[0].value)
		x = want(r, n, k->key, "empty, host or { persist: DIR }");
	*out = HOME_PERSIST;
	return x ? x : get_path(r, f[0].value, "persist", &r->p->home_persist);
}

/* SAID() enums of different types share size and representation. */
static int read_scalar(const struct reader *r, const struct key *k, const struct ynode *n)
{
	int v = 0, x;
	uint64_t size = 0;
	const char *text = NULL;
	struct src src = src_of(r, n);
	_Static_assert(sizeof(enum tri) == sizeof(int) && sizeof(enum net_mode) == sizeof(int), "enums are ints");
	void *at = key_at(r->p, k->at);
	if (k->kind == KIND_SIZE) {
		x = get_size(r, n, k->key, &size);
		memcpy(at, &size, sizeof(size));
	} else if (k->kind == KIND_CWD) {
		x = get_path(r, n, k->key, &text);
		memcpy(at, &text, sizeof(text));
	} else {
		x = k->kind == KIND_HOME ? read_home(r, k, n, &v) : get_word(r, n, k->key, k->kind, &v);
		memcpy(at, &v, sizeof(v));
	}
	memcpy(key_at(r->p, k->src), &src, sizeof(src));
	return x;
}

static int read_top_text(const struct reader *r, const struct key *k, const struct ynode *n)
{
	const char *s = "";
	int x = get_text(r, n, k->key, &s);
	if (x)
		return x;
	if (k->kind == KIND_SCHEMA)
		return strcmp(s, PROFILE_SCHEMA) ? bad(r, n, "this snug reads schema " PROFILE_SCHEMA, s) : 0;
	if (k->kind == KIND_NAME) {
		x = strchr(s, ':') ? bad(r, n, "a profile's name has no ':'", s) : check_profile_name(r, n, s);
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
		x = get_word(r, n, k->key, k->kind, &v);
		r->p->override = v == TRI_YES;
		r->p->override_src = src_of(r, n);
		return x;
	case KIND_PROFILES: case KIND_ENVNAMES: case KIND_HOSTS: case KIND_SYSCALLS: case KIND_DIRS:
	case KIND_PATHS: case KIND_BINDS:
		return read_items(r, k, n);
	case KIND_ENVSET:
		return read_envset(r, k, n);
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
	return unknown_key(r, key, known, n, where ? where : "");
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
		else if (!is_null(value))
			x = want(r, value, key->text, "a map");
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

int profile_read(struct profile *out, const char *text, size_t len, const char *file, const char *origin,
                 struct err *e)
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
	int x = ynode_read(&root, &p.arena, text, len, r.file, e);
	if (!x && root->kind != Y_MAP)
		x = is_null(root) ? ynode_bad(e, r.file, root, "empty, not a profile") :
		                    ynode_bad(e, r.file, root, "a profile is a map of keys, not %s", kind_word(root));
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
