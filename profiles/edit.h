/* edit.h - add grants to the text of a profile and leave all else of it alone; pure */
#pragma once

#include "profiles/profile.h"

struct str;

/**
 * profile_edit() - @text with the lines of @add that it lacks
 * @text, @len: of the file; @file: its name in messages
 * @add:   grants; its comments go behind the new lines as "# why"
 * @out:   the new text, appended; equal to @text where nothing is missing
 * @notes: a line each for what the file already says otherwise and only a person may change
 *
 * Comments, order and spacing stay. A list that is sorted stays sorted, else new lines go to its end; lists and
 * maps in brackets are added to in place; keys and sections that are missing are made at the end. Nothing is ever
 * removed or changed. The result is read again and holds exactly what was there and what was added.
 *
 * Return: number of lines added; -EINVAL (the file does not load, or is written in a way that cannot be added to,
 * with its line); -ENOMEM.
 */
int profile_edit(struct str *out, const char *text, size_t len, const char *file, const struct profile *add,
                 struct str *notes, struct err *e) MUST;
