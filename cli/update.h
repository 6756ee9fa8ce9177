/* update.h - --update=FILE: missing grants added to a profile in place */
#pragma once

#include "cli/opts.h"
#include "profiles/find.h"

/**
 * update_prepare() - before a command starts: can @o->update be added to? And judge under it too
 *
 * The file becomes one of the requested profiles, so that only what it lacks is learnt. Return: 0, also without
 * --update; -errno with the remedy in @e.
 */
int update_prepare(struct cli_opts *o, struct err *e) MUST;

/**
 * update_file() - add the grants of @add to @path, print the unified diff to @fd
 *
 * Comments, order and spacing stay, as do mode and trust of the file. Return: lines added; -errno.
 */
int update_file(struct finder *f, const char *path, const struct profile *add, int fd, struct err *e) MUST;
