/* shadow_apply.h - what a shadow holds, put into a directory of its own or done to the host */
#pragma once

#include "cli/shadow.h"

/**
 * shadow_keep() - a plain tree in @dir, which is there and empty: "tree/" and each path below it, "removed" one per line
 *
 * Return: 0; -errno with the path.
 */
int shadow_keep(struct shadow *s, const char *dir, struct err *e) MUST;

/**
 * shadow_apply() - the host as the command would have left it
 * @done: steps that were done, also on failure
 * @out:  a line for each that is left out, with the reason
 *
 * Every name is looked up below the directory that was shadowed, never through a symbolic link: whatever the command
 * made, nothing outside is written. Files appear complete or not at all. Return: 0; -errno with the path at the first
 * step that fails.
 */
int shadow_apply(struct shadow *s, size_t *done, struct str *out, struct err *e) MUST;
