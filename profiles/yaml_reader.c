#include "profiles/yaml_reader.h"

#include "profiles/near.h"

#include "base/str.h"

#include <errno.h>
#include <string.h>

int reader_bad(const struct reader *r, const struct ynode *n, const char *what, const char *text)
{
	return ynode_bad(r->e, r->file, n, "%s, not '%s'", what, ynode_show(&r->p->arena, text));
}

int reader_memory(const struct reader *r)
{
	return err_set(r->e, ENOMEM, "%s: out of memory", r->file);
}

const char *reader_kind(const struct ynode *n)
{
	return n->kind == Y_LIST ? "a list" : n->kind == Y_MAP ? "a map" : n->text[0] || !n->plain ? "a text" : "nothing";
}

int reader_want(const struct reader *r, const struct ynode *n, const char *key, const char *what)
{
	return ynode_bad(r->e, r->file, n, "'%s' wants %s, not %s", key, what, reader_kind(n));
}

bool reader_null(const struct ynode *n)
{
	return n->kind == Y_SCALAR && n->plain && !n->text[0];
}

struct src reader_src(const struct reader *r, const struct ynode *n)
{
	return (struct src){ .origin = r->origin, .line = n->line, .col = n->col, .overrides = r->p->override };
}

int reader_text(const struct reader *r, const struct ynode *n, const char *key, const char **out)
{
	if (n->kind != Y_SCALAR || reader_null(n))
		return reader_want(r, n, key, "a text");
	*out = n->text;
	return 0;
}

int reader_unknown(const struct reader *r, const struct ynode *key, const char *const *known, size_t n,
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

int reader_word(const struct reader *r, const struct ynode *n, const char *key, enum key_kind kind, int *out)
{
	bool truth = kind == KIND_TRI || kind == KIND_FLAG;
	const struct key_word *w = key_words(kind);
	for (size_t i = 0; w[i].word; i++) {
		bool is_bool = !strcmp(w[i].word, "true") || !strcmp(w[i].word, "false");
		if (n->kind == Y_SCALAR && !strcmp(n->text, w[i].word) && (n->plain || !is_bool)) {
			*out = w[i].value;
			return 0;
		}
	}
	struct near near = { 0 };
	OWN(str) all = { 0 };
	for (size_t i = 0; w[i].word; i++) {
		if (n->kind == Y_SCALAR)
			near_try(&near, n->text, w[i].word);
		str_fmt(&all, "%s%s", !i ? "" : w[i + 1].word ? ", " : " or ", w[i].word);
	}
	if (n->kind != Y_SCALAR || reader_null(n))
		return reader_want(r, n, key, str_c(&all));
	const char *shown = ynode_show(&r->p->arena, n->text);
	if (near.best && !truth)
		return ynode_bad(r->e, r->file, n, "'%s' is %s, not '%s'; did you mean '%s'?", key, str_c(&all), shown, near.best);
	return ynode_bad(r->e, r->file, n, "'%s' is %s%s, not '%s'", key, str_c(&all), truth ? " without quotes" : "", shown);
}

int reader_fields(const struct reader *r, const struct ynode *n, struct field *fields, size_t nfields)
{
	const char *names[8];
	for (size_t i = 0; i < nfields; i++)
		names[i] = fields[i].name;
	for (size_t i = 0; i < n->n; i++) {
		size_t j = 0;
		while (j < nfields && strcmp(n->items[i].key->text, fields[j].name))
			j++;
		if (j == nfields)
			return reader_unknown(r, n->items[i].key, names, nfields, " in an item");
		fields[j].value = n->items[i].value;
	}
	return 0;
}
