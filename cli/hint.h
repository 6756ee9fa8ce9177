/* hint.h - which built-in profile, not asked for, would grant what is missing */
#pragma once

#include "cli/opts.h"
#include "learn/lesson.h"

/* A built-in profile that on top of @o's would grant @ev; NULL: none. */
const char *hint_event(struct arena *a, const struct cli_opts *o, const struct recording *rec, const struct event *ev);

/**
 * hint_lesson() - the one that would grant most of the findings of @l
 * @covers: how many
 * Return: its name; NULL where none grants any, or where there are thousands of findings.
 */
const char *hint_lesson(struct arena *a, const struct cli_opts *o, const struct recording *rec, const struct lesson *l,
                        size_t *covers);
