/* tree.h - the processes below this one */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Descendants, parents before children, at most @max. The tree may grow meanwhile. */
size_t tree_list(pid_t *out, size_t max);

/* End them all, also those that are started meanwhile, and reap what is ours; *@status is set if @command was reaped. */
void tree_kill(pid_t command, int *status);
