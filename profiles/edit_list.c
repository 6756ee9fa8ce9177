/* edit_list.c - one list of a profile's text grows, in whatever form it stands there */
#include "profiles/edit_text.h"

#include "base/esc.h"

#include <stdlib.h>
#include <string.h>

size_t edit_list_n(const struct profile *p, const struct key *k)
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
	for (size_t i = edit_list_n(d->old, k); i < edit_list_n(&d->all, k); i++)
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
	size_t from = edit_list_n(d->old, k);
	str_add_char(out, '[');
	for (size_t i = from; i < edit_list_n(&d->all, k); i++) {
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
	for (size_t i = edit_list_n(d->old, k); !x && i < edit_list_n(&d->all, k); i++) {
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
	for (size_t i = edit_list_n(d->old, k); !x && i < edit_list_n(&d->all, k); i++) {
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
		for (size_t i = edit_list_n(d->old, k); i < edit_list_n(&d->all, k); i++) {
			str_add(&s, i > edit_list_n(d->old, k) ? ", " : "");
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

struct ypair *edit_find(const struct ynode *map, const char *key)
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
		add_flow_list(d, &s, k);
		return edit_put_pair(d, in, NULL, &s);
	}
	int col = (int)in->items[0].key->col - 1;
	d->rank = in == d->root ? EDIT_FILE : EDIT_SECTION;
	str_fmt(&s, "%*s%s:%s", col, "", k->key, d->eol);
	add_items(d, &s, k, col + 2);
	return edit_put_after(d, edit_last_line(in), &s);
}

/* "proxy:" with nothing below it */
static int begin_section(struct edit *d, const struct key *k, const struct ypair *section)
{
	OWN(str) s = { 0 };
	d->rank = EDIT_SECTION;
	int col = (int)section->key->col - 1 + 2;
	str_fmt(&s, "%*s%s:%s", col, "", k->key, d->eol);
	add_items(d, &s, k, col + 2);
	return edit_put_after(d, section->key->end_line, &s);
}

int edit_add_list(struct edit *d, const struct key *k)
{
	d->rank = EDIT_ITEM;
	struct ypair *section = *k->section ? edit_find(d->root, k->section) : NULL;
	const struct ynode *in = *k->section ? (section ? section->value : NULL) : d->root;
	if (in && edit_nothing(in) && !d->root->flow)
		return begin_section(d, k, section);
	if (in && in->kind != Y_MAP)
		return ynode_bad(d->e, d->file, in, "cannot be added to");
	struct ypair *pair = in ? edit_find(in, k->key) : NULL;
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
		OWN(str) s = { 0 };
		add_flow_list(d, &s, k);
		return edit_put_pair(d, d->root, k->section, &s);
	}
	if (!d->tail.p || !strstr(d->tail.p, str_c(&head)))
		str_add(&d->tail, str_c(&head));
	str_fmt(&d->tail, "  %s:%s", k->key, d->eol);
	add_items(d, &d->tail, k, 4);
	return 0;
}
