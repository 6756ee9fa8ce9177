/* yaml_items.c - lists of a profile: words, paths, binds, variables */
#include "profiles/yaml_reader.h"

#include "profiles/near.h"
#include "profiles/policy.h"
#include "profiles/sysno.h"

#include "base/str.h"

#include <seccomp.h>
#include <stdlib.h>
#include <string.h>

static int check_env_name(const struct reader *r, const struct ynode *n, const char *s, bool glob)
{
	for (const unsigned char *p = (const unsigned char *)s; *p; p++)
		if (*p == '=' || *p <= ' ' || *p == 0x7f || (!glob && (*p == '*' || *p == '?')))
			return reader_bad(r, n, glob ? "a variable's name has no '=', blank or control character" :
			           "a variable that is set has a name without '=', blank, '*' or '?'", s);
	return *s ? 0 : ynode_bad(r->e, r->file, n, "a variable without a name");
}

int reader_profile_name(const struct reader *r, const struct ynode *n, const char *s)
{
	static const char chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	const char *colon = strchr(s, ':');
	const char *name = colon ? colon + 1 : s;
	if (!*name || strspn(name, chars) != strlen(name) || strlen(name) > 64 || *name == '.' || *name == '-')
		return reader_bad(r, n, "a profile's name has letters, digits, '.', '_' and '-'", s);
	return 0;
}

static int check_syscall(const struct reader *r, const struct ynode *n, const char *s)
{
	if (sysno(s) != SYSNO_UNKNOWN)
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
	case KIND_PROFILES: return reader_profile_name(r, n, s);
	case KIND_ENVNAMES: return check_env_name(r, n, s, true);
	case KIND_HOSTS:    return check_host(r, n, s);
	case KIND_SYSCALLS: return check_syscall(r, n, s);
	}
	return 0;
}

static int read_word(const struct reader *r, const struct key *k, const struct ynode *n)
{
	const char *s = "";
	int x = k->kind == KIND_DIRS ? reader_path(r, n, k->key, &s) : reader_text(r, n, k->key, &s);
	if (!x)
		x = check_word(r, n, k->kind, s);
	if (x)
		return x;
	struct word *w = ARENA_PUSH(&r->p->arena, (struct wordlist *)key_at(r->p, k->at), items, n);
	if (!w)
		return reader_memory(r);
	*w = (struct word){ .text = s, .src = reader_src(r, n) };
	return 0;
}

static int get_flag(const struct reader *r, const struct field *f, bool *out)
{
	int v = TRI_NO;
	int x = f->value ? reader_word(r, f->value, f->name, KIND_TRI, &v) : 0;
	*out = v == TRI_YES;
	return x;
}

static int read_pathent(const struct reader *r, const struct key *k, const struct ynode *n)
{
	struct pathent ent = { .src = reader_src(r, n) };
	struct field f[] = { { "path", n }, { "optional", NULL } };
	int x = 0;
	if (n->kind == Y_MAP) {
		f[0].value = NULL;
		x = reader_fields(r, n, f, LEN(f));
		if (!x && !f[0].value)
			x = ynode_bad(r->e, r->file, n, "an item of '%s' without 'path'", k->key);
	}
	if (!x)
		x = reader_path(r, f[0].value, k->key, &ent.path);
	if (!x)
		x = get_flag(r, &f[1], &ent.optional);
	if (x)
		return x;
	struct pathent *slot = ARENA_PUSH(&r->p->arena, (struct pathlist *)key_at(r->p, k->at), items, n);
	if (!slot)
		return reader_memory(r);
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
	int x = reader_text(r, f->value, f->name, &s);
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
	struct bind b = { .src = reader_src(r, n) };
	int mode = BIND_RO, create = CREATE_NO;
	if (n->kind != Y_MAP)
		return reader_want(r, n, k->key, "items like { source: \"~/x\", mode: ro }");
	int x = reader_fields(r, n, f, LEN(f));
	if (!x && !f[0].value)
		x = ynode_bad(r->e, r->file, n, "a bind without 'source'");
	if (!x)
		x = reader_path(r, f[0].value, "source", &b.source);
	if (!x && f[1].value)
		x = reader_path(r, f[1].value, "target", &b.target);
	if (!x)
		x = get_choice(r, &f[2], modes, LEN(modes), &mode);
	if (!x)
		x = get_flag(r, &f[3], &b.optional);
	if (!x)
		x = get_choice(r, &f[4], makes, LEN(makes), &create);
	if (!x && mode == BIND_COPY && create != CREATE_NO)
		x = ynode_bad(r->e, r->file, f[4].value, "'create' has no use with mode copy: with optional: true a new file is written back");
	if (x)
		return x;
	b.mode = (enum bind_mode)mode;
	b.create = (enum bind_create)create;
	struct bind *slot = ARENA_PUSH(&r->p->arena, &r->p->binds, items, n);
	if (!slot)
		return reader_memory(r);
	*slot = b;
	return 0;
}

int reader_items(const struct reader *r, const struct key *k, const struct ynode *n)
{
	if (k->at == offsetof(struct profile, allow_hosts)) {
		r->p->has_allow_hosts = true;
		r->p->allow_hosts_src = reader_src(r, n);
	}
	if (reader_null(n))
		return 0;
	if (n->kind != Y_LIST)
		return reader_want(r, n, k->key, "a list");
	for (size_t i = 0; i < n->n; i++) {
		const struct ynode *item = n->items[i].value;
		int x = k->kind == KIND_BINDS ? read_bind(r, k, item) :
		        k->kind == KIND_PATHS ? read_pathent(r, k, item) : read_word(r, k, item);
		if (x)
			return x;
	}
	return 0;
}

int reader_envset(const struct reader *r, const struct key *k, const struct ynode *n)
{
	if (reader_null(n))
		return 0;
	if (n->kind != Y_MAP)
		return reader_want(r, n, k->key, "a map of names and values");
	for (size_t i = 0; i < n->n; i++) {
		const struct ynode *key = n->items[i].key;
		struct envset *set = ARENA_PUSH(&r->p->arena, &r->p->env_set, items, n);
		if (!set)
			return reader_memory(r);
		set->name = key->text;
		set->src = reader_src(r, key);
		int x = check_env_name(r, key, key->text, false);
		if (!x && reader_null(n->items[i].value))
			x = ynode_bad(r->e, r->file, n->items[i].value, "variable '%s' without a value; an empty one is \"\"",
			              ynode_show(&r->p->arena, key->text));
		if (!x)
			x = reader_text(r, n->items[i].value, key->text, &set->value);
		if (x)
			return x;
	}
	return 0;
}
