/* learn_fuzz.c - any recording, with any requested profile before it: learning ends, and its suggestion loads */
/* covers: learn/facts.c learn/tell.c learn/fold.c learn/suggest.c learn/verify.c */
#include "base/str.h"
#include "learn/lesson.h"
#include "profiles/builtin.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void base_profile(struct profile *out)
{
	struct err e = { 0 };
	for (const struct builtin *b = builtins; b->name; b++)
		if (!strcmp(b->name, "base") && profile_read(out, b->text, b->len, "base", "builtin:base", &e))
			abort();
	struct word *part = ARENA_PUSH(&out->arena, &out->parts, items, n);
	if (!part)
		abort();
	part->text = "builtin:base";
}

static int read_bytes(struct recording *r, const void *p, size_t len)
{
	struct err e = { 0 };
	FILE *f = fmemopen((void *)(uintptr_t)p, len, "r");
	if (!f)
		return -1;
	int rc = recording_read(r, f, "fuzz", &e);
	fclose(f);
	return rc;
}

/* "PROFILE\n\f\nRECORDING"; without the line of a form feed all of it is the recording. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char mark[] = "\n\f\n";
	const uint8_t *cut = memmem(data, len, mark, 3);
	const uint8_t *rec = cut ? cut + 3 : data;
	struct err e = { 0 };
	OWN(profile) all = { 0 };
	OWN(profile) own = { 0 };
	OWN(policy) pol = { 0 };
	OWN(recording) r = { 0 };
	OWN(lesson) l = { 0 };
	OWN(str) yaml = { 0 };
	OWN(profile) back = { 0 };
	struct recording *runs[] = { &r };
	size_t n = len - (size_t)(rec - data);
	if (!n || read_bytes(&r, rec, n))
		return 0;
	base_profile(&all);
	if (cut && (profile_read(&own, (const char *)data, (size_t)(cut - data) + 1, "own", NULL, &e) ||
	            profile_merge(&all, &own, false, false, &e)))
		return 0;
	if (policy_resolve(&pol, &all, &r.host, false, &e) || lesson_make(&l, runs, 1, &pol, &all, "fuzz", &e))
		return 0;
	profile_write(&yaml, &l.suggestion);
	if (profile_read(&back, str_c(&yaml), yaml.len, "fuzz", NULL, &e) || !profile_equal(&back, &l.suggestion)) {
		fprintf(stderr, "%s\n%s", e.msg, str_c(&yaml));
		abort();
	}
	return 0;
}
