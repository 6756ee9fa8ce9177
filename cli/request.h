/* request.h - what an audit was asked: profiles and grants, kept in its run, so that `report last` asks the same */
#pragma once

#include "cli/opts.h"

struct str;

/* The request of @o as the bytes of request.json; a profile's file becomes absolute. */
void request_write(struct str *out, const struct cli_opts *o);

/**
 * request_apply() - where @o names no profile and no grant, take those stored in @dir/request.json
 * Return: 0, also where there is no such file; -EINVAL with @e for one that is broken.
 */
int request_apply(struct cli_opts *o, const char *dir, struct err *e) MUST;
