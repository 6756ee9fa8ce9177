/* recording_fields.h - members of one record, fetched by name with type and range checked; private to trace/; pure */
#pragma once

#include "base/jsonline.h"
#include "base/map.h"
#include "base/str.h"
#include "trace/recording.h"
#include "trace/recording_format.h"

/**
 * struct reader - a recording being read
 * @text:   what was read from the file and not used yet: from @from on
 * @json:   the line, parsed; an object goes by its index in it
 * @undone: a string of it as bytes
 * @seen:   strings so far, since a recording names the same directories over and over
 * @bad, @key: the first failure of the line
 */
struct reader {
	struct recording *r;
	const char *name;
	size_t line, from;
	struct str text, undone;
	struct jsonline json;
	struct map seen;
	size_t counts[REC_COUNT];
	uint64_t last_seq;
	uint32_t max_proc;
	const char *bad, *key;
	bool oom;
};

void field_bad(struct reader *rd, const char *key, const char *bad);
/* @len bytes into @a: the host's facts die with the host, all else with the recording, which shares equal strings. */
const char *field_keep(struct reader *rd, const char *text, size_t len, struct arena *a);
const char *field_text(struct reader *rd, const char *key, const struct json_value *v, struct arena *a);
/* Member @key of object @o; NULL when absent or null. */
const struct json_value *field_of(struct reader *rd, uint32_t o, const char *key);
/* The items of member @key, a list of at most @max, as the index of the first; @n of them. 0 and @bad where it is none. */
uint32_t field_list(struct reader *rd, uint32_t o, const char *key, size_t max, const char *bad, size_t *n);
/* NULL when absent. */
const char *field_text_in(struct reader *rd, uint32_t o, const char *key, struct arena *a);
const char *field_get(struct reader *rd, uint32_t o, const char *key);
/* The member must be there. */
const char *field_need(struct reader *rd, uint32_t o, const char *key, struct arena *a);
/* Absent: @fallback; null: NULL. */
const char *field_get_or(struct reader *rd, uint32_t o, const char *key, const char *fallback, struct arena *a);
uint64_t field_number(struct reader *rd, const char *key, const struct json_value *v, uint64_t max);
/* 0 when absent. */
uint64_t field_num(struct reader *rd, uint32_t o, const char *key, uint64_t max);
bool field_bool(struct reader *rd, uint32_t o, const char *key);
/* The word of member @key among @n of @word; @fallback when absent. */
unsigned field_word(struct reader *rd, uint32_t o, const char *key, const char *(*word)(unsigned), unsigned n,
                    unsigned fallback);
struct hop *field_hops(struct reader *rd, uint32_t o, struct arena *a, size_t *n);
/* Absolute, and as path_clean() would leave it. */
bool field_clean_path(const char *path);
