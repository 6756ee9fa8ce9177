/* edit_text.c - places in the text of a profile and what is put in there */
#include "profiles/edit_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int edit_memory(struct edit *d)
{
	return err_set(d->e, ENOMEM, "out of memory");
}

int edit_split(struct edit *d)
{
	size_t n = 1;
	for (size_t i = 0; i < d->len; i++) {
		n += d->text[i] == '\n';
		if (d->text[i] == '\r' && (i + 1 == d->len || d->text[i + 1] != '\n'))
			return err_set(d->e, EINVAL, "%s:%zu: a lone carriage return: cannot be added to", d->file, n);
	}
	/* line breaks of YAML that no editor shows as such */
	static const char *const odd[] = { "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9" };
	for (size_t i = 0; i < LEN(odd); i++)
		if (memmem(d->text, d->len, odd[i], strlen(odd[i])))
			return err_set(d->e, EINVAL, "%s: holds a Unicode line break: cannot be added to", d->file);
	size_t *lines = arena_array(&d->arena, n + 1, sizeof(*lines));
	if (!lines)
		return edit_memory(d);
	lines[0] = d->skip;
	d->nlines = 1;
	for (size_t i = 0; i < d->len; i++)
		if (d->text[i] == '\n')
			lines[d->nlines++] = i + 1;
	lines[d->nlines] = d->len;
	d->lines = lines;
	const char *first = memchr(d->text, '\n', d->len);
	d->eol = first && first > d->text && first[-1] == '\r' ? "\r\n" : "\n";
	return 0;
}

/* Byte offset of a 1-based line and column in characters. */
size_t edit_offset(const struct edit *d, uint32_t line, uint32_t col)
{
	if (line > d->nlines)
		return d->len;
	size_t at = d->lines[line - 1];
	while (col > 1 && at < d->len && d->text[at] != '\n') {
		at++;
		while (at < d->len && ((unsigned char)d->text[at] & 0xc0) == 0x80)
			at++;
		col--;
	}
	return at;
}

/* Last line that holds something of @n. */
uint32_t edit_last_line(const struct ynode *n)
{
	uint32_t line = n->line;
	if (n->kind == Y_SCALAR || n->flow)
		return n->end_col == 1 && n->end_line > n->line ? n->end_line - 1 : n->end_line;
	for (size_t i = 0; i < n->n; i++) {
		line = n->items[i].key ? MAX(line, edit_last_line(n->items[i].key)) : line;
		line = MAX(line, edit_last_line(n->items[i].value));
	}
	return line;
}

/* Spaces in front of the first other character of a line; -1 for a blank one. */
int edit_indent(const struct edit *d, uint32_t line)
{
	size_t from = d->lines[line - 1], at = from;
	while (at < d->len && d->text[at] == ' ')
		at++;
	return at >= d->len || d->text[at] == '\n' || d->text[at] == '\r' ? -1 : (int)(at - from);
}

bool edit_is_comment(const struct edit *d, uint32_t line)
{
	int n = edit_indent(d, line);
	return n >= 0 && d->text[d->lines[line - 1] + (size_t)n] == '#';
}

bool edit_nothing(const struct ynode *n)
{
	return n->kind == Y_SCALAR && n->line == n->end_line && n->col == n->end_col;
}

/* ---- splices ---- */

int edit_put(struct edit *d, size_t at, size_t cut, const struct str *text)
{
	struct splice *s = text->oom ? NULL : ARENA_PUSH(&d->arena, &d->splices, items, n);
	if (!s)
		return edit_memory(d);
	*s = (struct splice){ at, cut, d->rank, arena_mem(&d->arena, str_c(text), text->len) };
	return s->text ? 0 : edit_memory(d);
}

/* Put whole lines in after line @line (0: in front of the first). */
int edit_put_after(struct edit *d, uint32_t line, const struct str *text)
{
	size_t at = line < d->nlines ? d->lines[line] : d->len;
	OWN(str) s = { 0 };
	if (at && at == d->len && d->text[at - 1] != '\n' && !d->ended) {
		str_add(&s, d->eol);
		d->ended = true;
	}
	str_add_mem(&s, str_c(text), text->len);
	return edit_put(d, at, 0, &s);
}

/* ---- maps in braces ---- */

int edit_put_pair(struct edit *d, const struct ynode *map, const char *section, const struct str *text)
{
	struct inbraces *in = NULL;
	for (size_t i = 0; i < d->braces.n && !in; i++) {
		struct inbraces *b = &d->braces.items[i];
		if (b->map == map && (section ? b->section && !strcmp(b->section, section) : !b->section))
			in = b;
	}
	if (!in) {
		in = ARENA_PUSH(&d->arena, &d->braces, items, n);
		if (!in)
			return edit_memory(d);
		*in = (struct inbraces){ .map = map, .section = section };
	}
	in->text = arena_fmt(&d->arena, "%s%s%s", in->text ? in->text : "", in->text ? ", " : "", str_c(text));
	return in->text && !text->oom ? 0 : edit_memory(d);
}

static int put_pairs_of(struct edit *d, const struct ynode *map)
{
	const struct ynode *last = map->n ? map->items[map->n - 1].value : NULL;
	OWN(str) s = { 0 };
	for (size_t i = 0; i < d->braces.n; i++) {
		const struct inbraces *b = &d->braces.items[i];
		if (b->map != map)
			continue;
		str_add(&s, last || s.len ? ", " : " ");
		if (b->section)
			str_fmt(&s, "%s: { %s }", b->section, b->text);
		else
			str_add(&s, b->text);
	}
	size_t at = last ? edit_offset(d, last->end_line, last->end_col) : edit_offset(d, map->line, map->col) + 1;
	if (!last && !strchr(" \r\n", d->text[at]))
		str_add_char(&s, ' ');
	return edit_put(d, at, 0, &s);
}

int edit_put_pairs(struct edit *d)
{
	int x = 0;
	for (size_t i = 0; i < d->braces.n && !x; i++) {
		bool first = true;
		for (size_t j = 0; j < i; j++)
			first = first && d->braces.items[j].map != d->braces.items[i].map;
		d->rank = d->braces.items[i].map == d->root ? EDIT_FILE : EDIT_SECTION;
		x = first ? put_pairs_of(d, d->braces.items[i].map) : 0;
	}
	return x;
}

static int by_offset(const void *a, const void *b)
{
	const struct splice *x = *(const struct splice *const *)a, *y = *(const struct splice *const *)b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x < y ? -1 : x > y;
}

int edit_apply(struct edit *d, struct str *out)
{
	const struct splice **order = arena_array(&d->arena, d->splices.n, sizeof(*order));
	size_t at = 0;
	if (!order)
		return edit_memory(d);
	for (size_t i = 0; i < d->splices.n; i++)
		order[i] = &d->splices.items[i];
	if (d->splices.n)
		qsort(order, d->splices.n, sizeof(*order), by_offset);
	for (size_t i = 0; i < d->splices.n; i++) {
		str_add_mem(out, d->text + at, order[i]->at - at);
		str_add(out, order[i]->text);
		at = order[i]->at + order[i]->cut;
	}
	str_add_mem(out, d->text + at, d->len - at);
	return out->oom ? edit_memory(d) : 0;
}
