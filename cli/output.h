/* output.h - files that snug writes for the user: checked before a command starts, written after it */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * output_check() - could @path be written? An existing regular file needs @force
 * @option: that named it, for the message; @path NULL is fine
 * Return: 0; -EEXIST, -EACCES, -ENOENT, ... with the remedy in @e.
 */
int output_check(const char *option, const char *path, bool force, struct err *e) MUST;

/* Can a later command read what was written to @path? Not from standard output, a pipe or a device. */
bool output_found_again(const char *path);

/**
 * output_write() - the whole of @text into @path, "-" is standard output
 *
 * A regular file appears complete or not at all (written beside and renamed); a device or pipe is written to.
 * What came into being since output_check() is not overwritten without @force.
 */
int output_write(const char *path, bool force, mode_t mode, const char *text, size_t len, struct err *e) MUST;

/* The same for a file that exists and keeps its owner and mode. */
int output_replace(const char *path, const char *text, size_t len, struct err *e) MUST;

/* All of @text to @fd; -errno. */
int write_all(int fd, const char *text, size_t len) MUST;
