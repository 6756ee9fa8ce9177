/* edit.c - add grants to the text of a profile and leave all else of it alone */
#include "profiles/edit.h"

#include "base/esc.h"
#include "profiles/edit_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * How this works. The file is read twice: as a profile, to know by the rules of composition which items it lacks,
 * and as a tree of nodes with their places in the text. Each missing item becomes a splice, a text to put in at an
 * offset; splices are applied in order of offset. Then the new text must read back as old plus new.
 */

/* ---- single values ---- */

static int add_value(struct edit *d, const char *section, const char *key, const char *value)
{
	struct ypair *pair = edit_find(d->root, section);
	const struct ynode *in = pair ? pair->value : NULL;
	OWN(str) s = { 0 };
	d->added++;
	d->rank = EDIT_SECTION;
	if (d->root->flow && !in) {
		str_fmt(&s, "%s: %s", key, value);
		return edit_put_pair(d, d->root, section, &s);
	}
	if (!in) {
		OWN(str) head = { 0 };
		str_fmt(&head, "%s:%s", section, d->eol);
		if (!d->tail.p || !strstr(d->tail.p, str_c(&head)))
			str_add(&d->tail, str_c(&head));
		str_fmt(&d->tail, "  %s: %s%s", key, value, d->eol);
		return 0;
	}
	if (edit_nothing(in) && !d->root->flow) {
		str_fmt(&s, "%*s%s: %s%s", (int)pair->key->col - 1 + 2, "", key, value, d->eol);
		return edit_put_after(d, pair->key->end_line, &s);
	}
	if (in->kind != Y_MAP)
		return ynode_bad(d->e, d->file, in, "cannot be added to");
	if (in->flow) {
		str_fmt(&s, "%s: %s", key, value);
		return edit_put_pair(d, in, NULL, &s);
	}
	str_fmt(&s, "%*s%s: %s%s", (int)in->items[0].key->col - 1, "", key, value, d->eol);
	return edit_put_after(d, edit_last_line(in), &s);
}

static int add_values(struct edit *d, const struct profile *add)
{
	const struct {
		bool want, said;
		const char *section, *key, *value;
	} rows[] = {
		{ add->network.src.origin && add->network.v == NET_PROXY, d->old->network.src.origin, "network", "mode", "proxy" },
		{ add->network.src.origin && add->network.v == NET_HOST, d->old->network.src.origin, "network", "mode", "host" },
		{ add->userns.v == TRI_YES, d->old->userns.src.origin, "special", "userns", "true" },
		{ add->ptrace.v == TRI_YES, d->old->ptrace.src.origin, "special", "ptrace", "true" },
		{ add->sys.v == TRI_YES, d->old->sys.src.origin, "special", "sys", "ro" },
		{ add->shm.v == 64 << 20, d->old->shm.src.origin, "special", "shm", "64MiB" }, /* the one size that is suggested */
	};
	int x = 0;
	for (size_t i = 0; !x && i < LEN(rows); i++)
		if (rows[i].want && !rows[i].said)
			x = add_value(d, rows[i].section, rows[i].key, rows[i].value);
	return x;
}

static void note_values(const struct edit *d, const struct profile *add, struct str *notes)
{
	const struct { bool differs; const struct src *src; const char *what; } rows[] = {
		{ add->network.src.origin && d->old->network.src.origin && add->network.v > d->old->network.v, &d->old->network.src,
		  "network.mode" },
		{ add->userns.v == TRI_YES && d->old->userns.v == TRI_NO, &d->old->userns.src, "special.userns" },
		{ add->ptrace.v == TRI_YES && d->old->ptrace.v == TRI_NO, &d->old->ptrace.src, "special.ptrace" },
		{ add->sys.v == TRI_YES && d->old->sys.v == TRI_NO, &d->old->sys.src, "special.sys" },
		{ add->shm.v > d->old->shm.v && d->old->shm.src.origin, &d->old->shm.src, "special.shm" },
	};
	for (size_t i = 0; i < LEN(rows); i++)
		if (rows[i].differs)
			str_fmt(notes, "%s:%u: %s is stricter than what was needed; change it if you agree\n", d->file,
			        rows[i].src->line, rows[i].what);
}

/* ---- what is missing ---- */

static bool same_bind(const struct bind *a, const struct bind *b)
{
	return a->mode == b->mode && a->create == b->create && a->optional == b->optional;
}

/*
 * Binds one by one: a line that says otherwise about the same path is told and stays. A line that is there in
 * another form (optional, create) stays as it is.
 */
static int merge_binds(struct edit *d, const struct profile *add, struct str *notes)
{
	for (size_t i = 0; i < add->binds.n; i++) {
		struct err why = { 0 };
		struct profile one = { .binds = { &add->binds.items[i], 1 } };
		size_t n = d->all.binds.n;
		int x = profile_merge(&d->all, &one, false, false, &why);
		if (x == -ENOMEM)
			return edit_memory(d);
		if (x)
			str_fmt(notes, "%s: left out: %s\n", d->file, why.msg);
		if (!x && d->all.binds.n == n)
			for (size_t k = 0; k < d->old->binds.n; k++)
				if (!same_bind(&d->all.binds.items[k], &d->old->binds.items[k]))
					d->all.binds.items[k] = d->old->binds.items[k];
	}
	return 0;
}

static int merge(struct edit *d, const struct profile *add, struct str *notes)
{
	struct profile rest = {
		.tmpfs = add->tmpfs, .mask = add->mask, .deny_read = add->deny_read, .deny_write = add->deny_write,
		.env_allow = add->env_allow, .env_deny = add->env_deny, .prepend_path = add->prepend_path,
		.allow_hosts = add->allow_hosts, .deny_hosts = add->deny_hosts, .sys_allow = add->sys_allow,
		.sys_deny = add->sys_deny, .has_allow_hosts = add->has_allow_hosts,
	};
	int x = profile_merge(&d->all, d->old, false, false, d->e);
	if (!x)
		x = merge_binds(d, add, notes);
	return x ? x : profile_merge(&d->all, &rest, false, false, d->e);
}

/* ---- together ---- */

/* What a text says, each thing once: a line that stands twice would upset the counts. */
static int read_once(struct profile *out, const char *text, size_t len, const char *file, struct err *e)
{
	OWN(profile) raw = { 0 };
	int x = profile_read(&raw, text, len, file, NULL, e);
	return x ? x : profile_merge(out, &raw, false, false, e);
}

/* The new text must hold the old lines and the new ones, no more and no less. */
static int prove(struct edit *d, const char *text, size_t len)
{
	OWN(profile) got = { 0 };
	OWN(profile) sum = { 0 };
	int x = read_once(&got, text, len, d->file, d->e);
	if (!x)
		x = profile_merge(&sum, &got, false, false, d->e);
	if (!x)
		x = profile_merge(&sum, &d->all, false, false, d->e);
	for (size_t i = 0; i < nprofile_keys && !x; i++) {
		const struct key *k = &profile_keys[i];
		if (!key_is_list(k) || k->kind == KIND_PROFILES)
			continue;
		if (edit_list_n(&got, k) != edit_list_n(&d->all, k) || edit_list_n(&sum, k) != edit_list_n(&got, k))
			x = err_set(d->e, EINVAL, "%s: cannot be added to without changing it (%s); the file is untouched", d->file,
			            k->key);
	}
	return x;
}

static int edit(struct edit *d, const struct profile *add, struct str *out, struct str *notes)
{
	struct ynode *root = NULL;
	int x = ynode_read(&root, &d->arena, d->text, d->len, d->file, d->e);
	d->root = root;
	if (!x && !root)
		x = err_set(d->e, EINVAL, "%s: empty", d->file);
	if (!x)
		x = edit_split(d);
	if (!x)
		x = merge(d, add, notes);
	for (size_t i = 0; i < nprofile_keys && !x; i++) {
		const struct key *k = &profile_keys[i];
		if (key_is_list(k) && k->kind != KIND_PROFILES && k->kind != KIND_ENVSET && edit_list_n(&d->all, k) > edit_list_n(d->old, k))
			x = edit_add_list(d, k);
	}
	if (!x)
		x = add_values(d, add);
	if (!x)
		x = edit_put_pairs(d);
	note_values(d, add, notes);
	d->rank = EDIT_TAIL;
	if (!x && d->tail.len)
		x = edit_put_after(d, edit_last_line(d->root), &d->tail);
	if (!x && d->tail.oom)
		x = edit_memory(d);
	size_t from = out->len;
	if (!x)
		x = edit_apply(d, out);
	return x ? x : prove(d, str_c(out) + from, out->len - from);
}

int profile_edit(struct str *out, const char *text, size_t len, const char *file, const struct profile *add,
                 struct str *notes, struct err *e)
{
	OWN(profile) old = { 0 };
	int x = read_once(&old, text, len, file, e);
	if (x)
		return x;
	struct edit d = { .text = text, .len = len, .file = file, .old = &old, .e = e,
	                  .skip = len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0 };
	size_t from = out->len;
	x = edit(&d, add, out, notes);
	if (x)
		str_cut(out, from);
	int added = d.added;
	str_drop(&d.tail);
	profile_drop(&d.all);
	arena_drop(&d.arena);
	return x ? x : added;
}
