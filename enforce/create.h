/* create.h - what `create: dir|file` promises: sources made on the host before the run; private to enforce/ */
#pragma once

#include "base/err.h"
#include "profiles/policy.h"

int create_sources(const struct policy *pol, struct err *e) MUST;
