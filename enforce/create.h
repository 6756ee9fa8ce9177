/* create.h - what `create: dir|file` promises: sources made on the host before the run; private to enforce/ */
#pragma once

#include "base/err.h"
#include "profiles/policy.h"

/* The directory that holds @path, with its own parents. */
int create_parent(const char *path, struct err *e) MUST;
int create_sources(const struct policy *pol, struct err *e) MUST;
