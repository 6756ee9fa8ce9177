/* redact.h - take secrets out of command lines before they are stored; pure */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * struct redactor - values that must not be stored; borrowed
 * @values: of variables whose names look secret
 */
struct redactor {
	const char **values;
	size_t n;
};

void redactor_drop(struct redactor *r);

/* Take the values out of "NAME=value" strings; @env is borrowed. -ENOMEM. */
int redactor_add_env(struct redactor *r, const char *const *env);
/* One "NAME=value" (borrowed); ignored when its name looks harmless. -ENOMEM. */
int redactor_add(struct redactor *r, const char *assignment);

/**
 * redact_arg() - append @arg to @out with secrets as "***"
 * @prev: the argument before it, or NULL: after "--token" the whole word is a secret
 */
void redact_arg(const struct redactor *r, struct str *out, const char *arg, const char *prev);
