/* recording_fields.h - members of one record, fetched by name with type and range checked; private to trace/; pure */
#pragma once

#include "base/map.h"
#include "base/str.h"
#include "trace/recording.h"
#include "trace/recording_format.h"

#include <json-c/json.h>

/**
 * struct reader - a recording being read
 * @text:  the line; @undone: a string of it as bytes
 * @seen:  strings so far, since a recording names the same directories over and over
 * @bad, @key: the first failure of the line
 */
struct reader {
	struct recording *r;
	const char *name;
	size_t line;
	struct str text, undone;
	struct map seen;
	size_t counts[REC_COUNT];
	uint64_t last_seq;
	uint32_t max_proc;
	const char *bad, *key;
	bool oom;
};

void field_bad(struct reader *rd, const char *key, const char *bad);
/* @rd->undone into @a: the host's facts die with the host, all else with the recording, which shares equal strings. */
const char *field_keep(struct reader *rd, struct arena *a);
const char *field_text(struct reader *rd, const char *key, json_object *v, struct arena *a);
json_object *field_of(json_object *o, const char *key);
/* NULL when absent. */
const char *field_text_in(struct reader *rd, json_object *o, const char *key, struct arena *a);
const char *field_get(struct reader *rd, json_object *o, const char *key);
/* The member must be there. */
const char *field_need(struct reader *rd, json_object *o, const char *key, struct arena *a);
/* Absent: @fallback; null: NULL. */
const char *field_get_or(struct reader *rd, json_object *o, const char *key, const char *fallback, struct arena *a);
uint64_t field_number(struct reader *rd, const char *key, json_object *v, uint64_t max);
/* 0 when absent. */
uint64_t field_num(struct reader *rd, json_object *o, const char *key, uint64_t max);
bool field_bool(struct reader *rd, json_object *o, const char *key);
/* The word of member @key among @n of @word; @fallback when absent. */
unsigned field_word(struct reader *rd, json_object *o, const char *key, const char *(*word)(unsigned), unsigned n,
                    unsigned fallback);
struct hop *field_hops(struct reader *rd, json_object *o, struct arena *a, size_t *n);
/* Absolute, and as path_clean() would leave it. */
bool field_clean_path(const char *path);
