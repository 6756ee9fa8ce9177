/* procfs.h - /proc as its reader sees it: the links that jump, and names without process numbers */
#pragma once

#include "trace/resolve.h"

struct stat;

/* Is the link at canonical @path below /proc one that jumps (fd/N, cwd, root, exe, ns/...)? */
bool procfs_magic(const char *path);

/**
 * procfs_jump() - where the magic link @path leads
 * @text:   the link's text
 * @target: stat of what is behind it
 *
 * Return: 0: to the existing path @text; 1: to something without a name, @o->path is then set where it has
 * a form of its own (memfd, deleted); -errno.
 */
int procfs_jump(struct resolver *r, const struct task *t, const char *path, char *text, size_t size,
                struct stat *target, struct object *o) MUST;

/* @path with /proc/N as /proc/self, /proc/tree or /proc/other; NULL when memory is out. */
const char *procfs_normal(struct resolver *r, const struct task *t, const char *path);

/**
 * procfs_nameless() - does the name start at a descriptor or directory that has no name any more?
 *
 * Then @out is filled as far as anybody can know it. Names below a deleted directory do not exist.
 */
bool procfs_nameless(struct resolver *r, const struct task *t, int dirfd, const struct walk *w, struct object *out);

/* "memfd:x" and "deleted:/x" of the link text @text, or NULL when it is neither. */
const char *procfs_form(struct resolver *r, const char *text);
