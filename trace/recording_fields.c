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

const char *field_keep(struct reader *rd, struct arena *a)
{
	const char *s = str_c(&rd->undone);
	bool share = a == &rd->r->arena;
	void **slot = share ? map_find(&rd->seen, s, rd->undone.len) : NULL;
	if (slot)
		return *slot;
	char *copy = rd->undone.oom ? NULL : arena_str(a, s);
	if (copy && share) {
		slot = map_put(&rd->seen, copy, rd->undone.len, NULL);
		if (slot)
			*slot = copy;
	}
	if (!copy || (share && !slot))
		rd->oom = true;
	return copy;
}

const char *field_text(struct reader *rd, const char *key, json_object *v, struct arena *a)
{
	if (!json_object_is_type(v, json_type_string)) {
		field_bad(rd, key, "must be a string");
		return NULL;
	}
	const char *s = json_object_get_string(v);
	if (strlen(s) != (size_t)json_object_get_string_len(v)) {
		field_bad(rd, key, "must hold no NUL");
		return NULL;
	}
	str_clear(&rd->undone);
	esc_undo(&rd->undone, s);
	if (strlen(str_c(&rd->undone)) != rd->undone.len) {
		field_bad(rd, key, "must hold no NUL");
		return NULL;
	}
	return field_keep(rd, a);
}

json_object *field_of(json_object *o, const char *key)
{
	json_object *v = NULL;
	return json_object_object_get_ex(o, key, &v) ? v : NULL;
}

const char *field_text_in(struct reader *rd, json_object *o, const char *key, struct arena *a)
{
	json_object *v = field_of(o, key);
	return v ? field_text(rd, key, v, a) : NULL;
}

const char *field_get(struct reader *rd, json_object *o, const char *key)
{
	return field_text_in(rd, o, key, &rd->r->arena);
}

const char *field_need(struct reader *rd, json_object *o, const char *key, struct arena *a)
{
	const char *s = field_text_in(rd, o, key, a);
	if (!s)
		field_bad(rd, key, "is missing");
	return s;
}

const char *field_get_or(struct reader *rd, json_object *o, const char *key, const char *fallback,
                               struct arena *a)
{
	json_object *v = NULL;
	if (!json_object_object_get_ex(o, key, &v))
		return fallback;
	return v ? field_text(rd, key, v, a) : NULL;
}

uint64_t field_number(struct reader *rd, const char *key, json_object *v, uint64_t max)
{
	uint64_t n = 0;
	if (!json_object_is_type(v, json_type_int) || json_object_get_int64(v) < 0)
		field_bad(rd, key, "must be a whole number");
	else if ((n = json_object_get_uint64(v)) > max)
		field_bad(rd, key, "is too big");
	return n > max ? 0 : n;
}

uint64_t field_num(struct reader *rd, json_object *o, const char *key, uint64_t max)
{
	json_object *v = field_of(o, key);
	return v ? field_number(rd, key, v, max) : 0;
}

bool field_bool(struct reader *rd, json_object *o, const char *key)
{
	json_object *v = field_of(o, key);
	if (v && !json_object_is_type(v, json_type_boolean))
		field_bad(rd, key, "must be true or false");
	return v && json_object_get_boolean(v);
}

unsigned field_word(struct reader *rd, json_object *o, const char *key, const char *(*word)(unsigned),
                         unsigned n, unsigned fallback)
{
	json_object *v = field_of(o, key);
	if (!v)
		return fallback;
	if (!json_object_is_type(v, json_type_string)) {
		field_bad(rd, key, "must be a string");
		return fallback;
	}
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(word(i), json_object_get_string(v)))
			return i;
	field_bad(rd, key, "is no word this version knows");
	return fallback;
}

struct hop *field_hops(struct reader *rd, json_object *o, struct arena *a, size_t *n)
{
	json_object *list = field_of(o, "hops");
	*n = 0;
	if (!list)
		return NULL;
	size_t len = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : SIZE_MAX;
	if (len > REC_HOPS_MAX) {
		field_bad(rd, "hops", "must be a list of at most 4096 pairs");
		return NULL;
	}
	struct hop *hops = arena_array(a, len, sizeof(*hops));
	if (!hops) {
		rd->oom = true;
		return NULL;
	}
	for (size_t i = 0; i < len; i++) {
		json_object *pair = json_object_array_get_idx(list, i);
		if (!json_object_is_type(pair, json_type_array) || json_object_array_length(pair) != 2) {
			field_bad(rd, "hops", "must be a list of pairs");
			return NULL;
		}
		hops[i].path = field_text(rd, "hops", json_object_array_get_idx(pair, 0), a);
		hops[i].text = field_text(rd, "hops", json_object_array_get_idx(pair, 1), a);
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
