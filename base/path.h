/* path.h - lexical path work on bytes; nothing here asks the kernel; pure */
#pragma once

#include "base/base.h"

#include <stdbool.h>
#include <stddef.h>

struct str;
struct arena;

/**
 * path_clean() - append @path to @out without ".", "//" and trailing "/", with ".." taken lexically
 *
 * Lexical ".." is wrong after a symlink: callers use it on paths that are known to hold none, or on
 * what a person wrote. "/.." is "/". A relative path stays relative ("" becomes ".").
 */
void path_clean(struct str *out, const char *path);

/* Absolute, and as path_clean() would leave it. */
bool path_is_clean(const char *path);

/* Clean "@dir/@name" ("@name" alone where it is absolute) into @a. NULL when memory is out. */
char *path_join(struct arena *a, const char *dir, const char *name);

/* Is @path @dir itself or below it? Both clean and absolute. */
bool path_under(const char *path, const char *dir);
/* Below it, not equal. */
bool path_below(const char *path, const char *dir);

/* Length of the parent part of a clean absolute path: "/a/b" -> 2, "/a" -> 1 ("/"), "/" -> 1. */
size_t path_parent_len(const char *path);
char *path_parent(struct arena *a, const char *path);
/* Last component of a clean path: "/a/b" -> "b"; "/" -> "". */
const char *path_base(const char *path);
/* Components of a clean absolute path: "/" 0, "/a/b" 2. */
size_t path_depth(const char *path);
