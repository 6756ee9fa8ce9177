/* walk.h - one look-up, component by component; part of the resolver */
#pragma once

#include "trace/resolve.h"

/**
 * walk_step() - take the next component of w->rest
 * @how: RES_* of resolve_name()
 * Return: 0 go on; 1 done, @o is filled except for its hops, which stand in @w; -errno.
 */
int walk_step(struct resolver *r, struct task *t, struct walk *w, unsigned how, struct object *o) MUST;
