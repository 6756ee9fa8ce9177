/* recording_fields.c - members of one record, fetched by name with type and range checked */
#include "trace/recording_fields.h"

#include "base/esc.h"

#include <string.h>

void field_bad(struct reader *rd, const char *key, const char *bad)
{
	if (!rd->bad) {
		rd->bad = bad;
		rd->key = key;
	}
}

const char *field_keep(struct reader *rd, const char *text, size_t len, struct arena *a)
{
	bool share = a == &rd->r->arena;
	void **slot = share ? map_find(&rd->seen, text, len) : NULL;
	if (slot)
		return *slot;
	char *copy = arena_mem(a, text, len);
	if (copy && share) {
		slot = map_put(&rd->seen, copy, len, NULL);
		if (slot)
			*slot = copy;
	}
	if (!copy || (share && !slot))
		rd->oom = true;
	return copy;
}

const char *field_text(struct reader *rd, const char *key, const struct json_value *v, struct arena *a)
{
	if (v->kind != JSON_TEXT) {
		field_bad(rd, key, "must be a string");
		return NULL;
	}
	const char *s = v->text;
	size_t len = v->n;
	if (strlen(s) != len) {
		field_bad(rd, key, "must hold no NUL");
		return NULL;
	}
	if (memchr(s, '\\', len)) {
		str_clear(&rd->undone);
		esc_undo(&rd->undone, s);
		s = str_c(&rd->undone);
		len = rd->undone.len;
		rd->oom |= rd->undone.oom;
		if (strlen(s) != len) {
			field_bad(rd, key, "must hold no NUL");
			return NULL;
		}
	}
	return field_keep(rd, s, len, a);
}

const struct json_value *field_of(struct reader *rd, uint32_t o, const char *key)
{
	const struct json_value *v = jsonline_get(&rd->json, o, key);
	return v && v->kind != JSON_NULL ? v : NULL;
}

uint32_t field_list(struct reader *rd, uint32_t o, const char *key, size_t max, const char *bad, size_t *n)
{
	const struct json_value *v = field_of(rd, o, key);
	*n = 0;
	if (!v)
		return 0;
	if (v->kind != JSON_LIST || v->n > max) {
		field_bad(rd, key, bad);
		return 0;
	}
	*n = v->n;
	return (uint32_t)(v - rd->json.items) + 1;
}

const char *field_text_in(struct reader *rd, uint32_t o, const char *key, struct arena *a)
{
	const struct json_value *v = field_of(rd, o, key);
	return v ? field_text(rd, key, v, a) : NULL;
}

const char *field_get(struct reader *rd, uint32_t o, const char *key)
{
	return field_text_in(rd, o, key, &rd->r->arena);
}

const char *field_need(struct reader *rd, uint32_t o, const char *key, struct arena *a)
{
	const char *s = field_text_in(rd, o, key, a);
	if (!s)
		field_bad(rd, key, "is missing");
	return s;
}

const char *field_get_or(struct reader *rd, uint32_t o, const char *key, const char *fallback, struct arena *a)
{
	const struct json_value *v = jsonline_get(&rd->json, o, key);
	return !v ? fallback : v->kind == JSON_NULL ? NULL : field_text(rd, key, v, a);
}

uint64_t field_number(struct reader *rd, const char *key, const struct json_value *v, uint64_t max)
{
	bool whole = v->kind == JSON_WHOLE || v->kind == JSON_BIG;
	if (!whole || (v->minus && v->n))
		field_bad(rd, key, "must be a whole number");
	else if (v->kind == JSON_BIG || v->n > max)
		field_bad(rd, key, "is too big");
	else
		return v->n;
	return 0;
}

uint64_t field_num(struct reader *rd, uint32_t o, const char *key, uint64_t max)
{
	const struct json_value *v = field_of(rd, o, key);
	return v ? field_number(rd, key, v, max) : 0;
}

bool field_bool(struct reader *rd, uint32_t o, const char *key)
{
	const struct json_value *v = field_of(rd, o, key);
	if (v && v->kind != JSON_TRUE && v->kind != JSON_FALSE)
		field_bad(rd, key, "must be true or false");
	return v && v->kind == JSON_TRUE;
}

unsigned field_word(struct reader *rd, uint32_t o, const char *key, const char *(*word)(unsigned), unsigned n,
                    unsigned fallback)
{
	const struct json_value *v = field_of(rd, o, key);
	if (!v)
		return fallback;
	if (v->kind != JSON_TEXT) {
		field_bad(rd, key, "must be a string");
		return fallback;
	}
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(word(i), v->text))
			return i;
	field_bad(rd, key, "is no word this version knows");
	return fallback;
}

struct hop *field_hops(struct reader *rd, uint32_t o, struct arena *a, size_t *n)
{
	size_t len;
	uint32_t at = field_list(rd, o, "hops", REC_HOPS_MAX, "must be a list of at most 4096 pairs", &len);
	*n = 0;
	if (!at)
		return NULL;
	struct hop *hops = arena_array(a, len, sizeof(*hops));
	if (!hops) {
		rd->oom = true;
		return NULL;
	}
	const struct json_value *items = rd->json.items;
	for (size_t i = 0; i < len; i++, at = items[at].end) {
		if (items[at].kind != JSON_LIST || items[at].n != 2) {
			field_bad(rd, "hops", "must be a list of pairs");
			return NULL;
		}
		hops[i].path = field_text(rd, "hops", &items[at + 1], a);
		hops[i].text = field_text(rd, "hops", &items[items[at + 1].end], a);
	}
	*n = len;
	return hops;
}

bool field_clean_path(const char *path)
{
	if (path[0] != '/')
		return false;
	for (const char *p = path; p[0]; p++) {
		if (p[0] != '/' || (p == path && !p[1]))
			continue;
		size_t n = strcspn(p + 1, "/");
		if (n == 0 || (n == 1 && p[1] == '.') || (n == 2 && p[1] == '.' && p[2] == '.'))
			return false;
	}
	return true;
}
