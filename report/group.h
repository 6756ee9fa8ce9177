/* group.h - findings that one line would grant, as one row of the text report; pure */
#pragma once

#include "report/view.h"

struct str;

/**
 * struct group - one row
 * @f:      the first of @n
 * @whos:   how many programs
 * @common: length of the directory part of @f->what that all have in common, 0 none
 * @note:   the first remark there is
 * @kinds:  bits of enum need_kind
 */
struct group {
	const struct finding *f;
	size_t n, whos, common;
	const char *last_who, *note;
	unsigned kinds;
};

/* Who did it, in words. */
const char *finding_who(const struct finding *f);

/**
 * group_all() - the rows of the heading that begins at @v->rows[@from]; what the same line would grant is one
 * @remarks: with those, see finding_is_remark()
 * Return: *@n groups in @a; NULL when memory is out.
 */
struct group *group_all(struct arena *a, const struct view *v, size_t from, bool remarks, size_t *n);

/*
 * "7 findings (870 accesses)": how many rows make --check (with @all --check=all) fail, and of how many accesses where
 * several share one. Nothing is added where there is none; then false.
 */
bool findings_text(struct str *out, const struct lesson *l, bool all);
