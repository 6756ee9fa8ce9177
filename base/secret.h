/* secret.h - which names usually stand for secrets; pure */
#pragma once

#include "base/base.h"

#include <stdbool.h>
#include <stddef.h>

/* Does a variable, option or header of this name usually hold a secret? One rule for what is stored and what is suggested. */
bool secret_name(const char *name, size_t len);

/**
 * secret_userinfo() - find the login in a URL that stands in a path, as in "https:/name:password@host/x"
 * @len: its length
 * Return: where it begins, or NULL.
 */
const char *secret_userinfo(const char *path, size_t *len);
