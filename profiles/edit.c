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

/* Which of several texts for one place comes first. */
enum { RANK_ITEM, RANK_SECTION, RANK_FILE, RANK_TAIL };

static size_t list_n(const struct profile *p, const struct key *k)
{
	/* every list is { items, n } */
	return ((const struct wordlist *)key_at(p, k->at))->n;
}

/* "- item  # why" at column @col */
static void add_item(struct edit *d, struct str *out, const struct key *k, size_t i, int col)
{
	const char *why = NULL;
	str_fmt(out, "%*s- ", col, "");
	key_write_item(out, &d->all, k, i, &why);
	if (why && *why) {
		str_add(out, "  # ");
		esc_term(out, why);
	}
	str_add(out, d->eol);
	d->added++;
}

static void add_items(struct edit *d, struct str *out, const struct key *k, int col)
{
	for (size_t i = list_n(d->old, k); i < list_n(&d->all, k); i++)
		add_item(d, out, k, i, col);
}

static void add_flow_item(struct edit *d, struct str *out, const struct key *k, size_t i)
{
	const char *why = NULL;
	key_write_item(out, &d->all, k, i, &why);
	d->added++;
}

/* "[item, item]" */
static void add_flow_items(struct edit *d, struct str *out, const struct key *k)
{
	size_t from = list_n(d->old, k);
	str_add_char(out, '[');
	for (size_t i = from; i < list_n(&d->all, k); i++) {
		str_add(out, i > from ? ", " : "");
		add_flow_item(d, out, k, i);
	}
	str_add_char(out, ']');
}

static void add_flow_list(struct edit *d, struct str *out, const struct key *k)
{
	str_fmt(out, "%s: ", k->key);
	add_flow_items(d, out, k);
}

/* ---- one list ---- */

/* What a list is sorted by. */
static const char *label(const struct ynode *n)
{
	if (n->kind == Y_SCALAR)
		return n->text;
	for (size_t i = 0; i < n->n && n->kind == Y_MAP; i++)
		if (!strcmp(n->items[i].key->text, "source") || !strcmp(n->items[i].key->text, "path"))
			return n->items[i].value->kind == Y_SCALAR ? n->items[i].value->text : "";
	return "";
}

static const char *new_label(const struct edit *d, const struct key *k, size_t i)
{
	const void *at = key_at(&d->all, k->at);
	if (k->kind == KIND_BINDS)
		return ((const struct bindlist *)at)->items[i].source;
	if (k->kind == KIND_PATHS)
		return ((const struct pathlist *)at)->items[i].path;
	return ((const struct wordlist *)at)->items[i].text;
}

/* Index of the item in front of which @text goes; the end where the list is in no order. */
static size_t slot_of(const struct ynode *list, const char *text)
{
	size_t at = list->n;
	for (size_t i = 1; i < list->n; i++)
		if (strcmp(label(list->items[i - 1].value), label(list->items[i].value)) > 0)
			return list->n;
	while (at && strcmp(label(list->items[at - 1].value), text) > 0)
		at--;
	return at;
}

/* The line of the dash in front of @item. */
static uint32_t dash_line(const struct edit *d, const struct ynode *item)
{
	uint32_t line = item->line;
	while (line > 1 && (edit_indent(d, line) < 0 || d->text[d->lines[line - 1] + (size_t)edit_indent(d, line)] != '-'))
		line--;
	return line;
}

static int grow_block(struct edit *d, const struct key *k, const struct ynode *list)
{
	int x = 0;
	for (size_t i = list_n(d->old, k); !x && i < list_n(&d->all, k); i++) {
		OWN(str) s = { 0 };
		size_t slot = slot_of(list, new_label(d, k, i));
		uint32_t first = dash_line(d, list->items[0].value), after;
		int col = edit_indent(d, first);
		if (slot) {
			after = edit_last_line(list->items[slot - 1].value);
		} else {
			/* comments right above the first item are about it */
			after = first - 1;
			while (after > 1 && edit_is_comment(d, after) && edit_indent(d, after) == col)
				after--;
		}
		add_item(d, &s, k, i, col);
		x = edit_put_after(d, after, &s);
	}
	return x;
}

static int grow_flow(struct edit *d, const struct key *k, const struct ynode *list)
{
	int x = 0;
	for (size_t i = list_n(d->old, k); !x && i < list_n(&d->all, k); i++) {
		OWN(str) s = { 0 };
		size_t slot = slot_of(list, new_label(d, k, i));
		if (slot) {
			const struct ynode *before = list->items[slot - 1].value;
			str_add(&s, ", ");
			add_flow_item(d, &s, k, i);
			x = edit_put(d, edit_offset(d, before->end_line, before->end_col), 0, &s);
		} else {
			const struct ynode *next = list->items[0].value;
			add_flow_item(d, &s, k, i);
			str_add(&s, ", ");
			x = edit_put(d, edit_offset(d, next->line, next->col), 0, &s);
		}
	}
	return x;
}

/* "key: []" or "key:" becomes a list in lines below it, unless what holds it is in braces itself. */
static int fill_empty(struct edit *d, const struct key *k, const struct ypair *pair, bool in_flow)
{
	const struct ynode *list = pair->value;
	size_t from = edit_offset(d, list->line, list->col), to = edit_offset(d, list->end_line, list->end_col);
	OWN(str) s = { 0 };
	if (edit_nothing(list) && in_flow) {
		while (from > 0 && d->text[from - 1] == ' ')
			from--;
		str_add_char(&s, ' ');
		add_flow_items(d, &s, k);
		return edit_put(d, from, 0, &s);
	}
	if (in_flow || list->line != list->end_line) {
		for (size_t i = list_n(d->old, k); i < list_n(&d->all, k); i++) {
			str_add(&s, i > list_n(d->old, k) ? ", " : "");
			add_flow_item(d, &s, k, i);
		}
		return edit_put(d, from + 1, 0, &s);
	}
	OWN(str) none = { 0 };
	while (from > 0 && d->text[from - 1] == ' ')
		from--;
	int x = edit_put(d, from, to - from, &none);
	add_items(d, &s, k, (int)pair->key->col - 1 + 2);
	return x ? x : edit_put_after(d, list->end_line, &s);
}

static struct ypair *find(const struct ynode *map, const char *key)
{
	for (size_t i = 0; map && map->kind == Y_MAP && i < map->n; i++)
		if (!strcmp(map->items[i].key->text, key))
			return &map->items[i];
	return NULL;
}

/* A key that is not there yet, into the map @in (the root or a section). */
static int add_key(struct edit *d, const struct key *k, const struct ynode *in)
{
	OWN(str) s = { 0 };
	if (in->flow) {
		const struct ynode *last = in->n ? in->items[in->n - 1].value : NULL;
		str_add(&s, last ? ", " : " ");
		add_flow_list(d, &s, k);
		str_add(&s, last ? "" : " ");
		return edit_put(d, last ? edit_offset(d, last->end_line, last->end_col) : edit_offset(d, in->line, in->col) + 1, 0, &s);
	}
	int col = (int)in->items[0].key->col - 1;
	d->rank = in == d->root ? RANK_FILE : RANK_SECTION;
	str_fmt(&s, "%*s%s:%s", col, "", k->key, d->eol);
	add_items(d, &s, k, col + 2);
	return edit_put_after(d, edit_last_line(in), &s);
}

static int empty_brackets(const struct edit *d)
{
	return ynode_bad(d->e, d->file, d->root, "is empty and in brackets: without them, lines can be added");
}

/* "proxy:" with nothing below it */
static int begin_section(struct edit *d, const struct key *k, const struct ypair *section)
{
	OWN(str) s = { 0 };
	d->rank = RANK_SECTION;
	int col = (int)section->key->col - 1 + 2;
	str_fmt(&s, "%*s%s:%s", col, "", k->key, d->eol);
	add_items(d, &s, k, col + 2);
	return edit_put_after(d, section->key->end_line, &s);
}

static int add_list(struct edit *d, const struct key *k)
{
	d->rank = RANK_ITEM;
	struct ypair *section = *k->section ? find(d->root, k->section) : NULL;
	const struct ynode *in = *k->section ? (section ? section->value : NULL) : d->root;
	if (in && edit_nothing(in) && !d->root->flow)
		return begin_section(d, k, section);
	if (in && in->kind != Y_MAP)
		return ynode_bad(d->e, d->file, in, "cannot be added to");
	struct ypair *pair = in ? find(in, k->key) : NULL;
	if (pair && pair->value->kind != Y_LIST && !edit_nothing(pair->value))
		return ynode_bad(d->e, d->file, pair->value, "is no list, so nothing can be added to it");
	if (pair && pair->value->kind == Y_LIST && pair->value->n)
		return pair->value->flow ? grow_flow(d, k, pair->value) : grow_block(d, k, pair->value);
	if (pair)
		return fill_empty(d, k, pair, in->flow);
	if (in)
		return add_key(d, k, in);
	/* keys of one section stand together in the table */
	OWN(str) head = { 0 };
	str_fmt(&head, "%s:%s", k->section, d->eol);
	if (d->root->flow) {
		if (!d->root->n)
			return empty_brackets(d);
		OWN(str) s = { 0 };
		const struct ynode *last = d->root->items[d->root->n - 1].value;
		str_fmt(&s, ", %s: { ", k->section);
		add_flow_list(d, &s, k);
		str_add(&s, " }");
		return edit_put(d, edit_offset(d, last->end_line, last->end_col), 0, &s);
	}
	if (!d->tail.p || !strstr(d->tail.p, str_c(&head)))
		str_add(&d->tail, str_c(&head));
	str_fmt(&d->tail, "  %s:%s", k->key, d->eol);
	add_items(d, &d->tail, k, 4);
	return 0;
}

/* ---- single values ---- */

static int add_value(struct edit *d, const char *section, const char *key, const char *value)
{
	struct ypair *pair = find(d->root, section);
	const struct ynode *in = pair ? pair->value : NULL;
	OWN(str) s = { 0 };
	d->added++;
	d->rank = RANK_SECTION;
	if (!in && d->root->flow) {
		if (!d->root->n)
			return empty_brackets(d);
		const struct ynode *last = d->root->items[d->root->n - 1].value;
		str_fmt(&s, ", %s: { %s: %s }", section, key, value);
		return edit_put(d, edit_offset(d, last->end_line, last->end_col), 0, &s);
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
		const struct ynode *last = in->n ? in->items[in->n - 1].value : NULL;
		str_fmt(&s, "%s%s: %s%s", last ? ", " : " ", key, value, last ? "" : " ");
		return edit_put(d, last ? edit_offset(d, last->end_line, last->end_col) : edit_offset(d, in->line, in->col) + 1, 0, &s);
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
		if (list_n(&got, k) != list_n(&d->all, k) || list_n(&sum, k) != list_n(&got, k))
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
		if (key_is_list(k) && k->kind != KIND_PROFILES && k->kind != KIND_ENVSET && list_n(&d->all, k) > list_n(d->old, k))
			x = add_list(d, k);
	}
	if (!x)
		x = add_values(d, add);
	note_values(d, add, notes);
	d->rank = RANK_TAIL;
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
