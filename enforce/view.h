/* view.h - make mounts and mount points in the view through descriptors; private to enforce/ */
#pragma once

#include "enforce/step.h"

#include <stdint.h>

/*
 * The file in the view's root that all mount points for files are links to: a name costs half of what an inode does. It is
 * removed when the root is sealed. Other file systems get files of their own.
 */
#define VIEW_SPARE ".mount-point"

/* A directory of the view's own, of @mode, as a detached mount: file systems take their time, so all share one. */
int view_own(struct fd *out, struct build *b, const char *name, mode_t mode, struct err *e) MUST;

enum { VIEW_NAME = 48 };

/* @word, at most 23 bytes, and number @n. */
const char *view_numbered(char buf[VIEW_NAME], const char *word, uint64_t n, unsigned base);

/* -ENOSYS: the kernel has not got @call. */
int view_too_old(const char *call, struct err *e);

/* Descriptor of host path @path (canonical: no link on the way), O_PATH. -ENOENT when absent. */
int view_source(struct fd *out, const struct build *b, const char *path, struct err *e) MUST;

/* Descriptor of @path in the view, O_PATH, never through a link. @e is only set on a real failure, not on -ENOENT. */
int view_open(struct fd *out, const struct build *b, const char *path, struct err *e) MUST;

/**
 * view_dir() - the directory @path of the view, made with all its parents where they are missing
 *
 * Only inside the view's own tmpfs: making one elsewhere would make it on the host, which is -EPERM.
 */
int view_dir(struct fd *out, struct build *b, const char *path, struct err *e) MUST;

/* As view_clone() for host path @path, as view_source() finds it; its directory is kept for the next one. */
int view_clone_source(struct fd *out, struct build *b, const char *path, uint64_t attr, struct err *e) MUST;

/*
 * Attach the detached mount @mount, whose root is a directory (@dir) or something else, at @path; the mount point is made
 * where it is missing. The directory it was made in is kept for the next one, since places come sorted.
 */
int view_put(struct build *b, int mount, const char *path, bool dir, struct err *e) MUST;

/*
 * The directory, a tmpfs of the view's own, to make @path's last name in; borrowed until the next call. -EEXIST, without
 * @e, when something is there already; the caller may meet EEXIST itself as well.
 */
int view_parent(int *dir, struct build *b, const char *path, struct err *e) MUST;

/* A detached copy of the mounts at and below @at (a descriptor), with @attr added and propagation cut. */
int view_clone(struct fd *out, int at, uint64_t attr, struct err *e) MUST;

/*
 * The same of @name in directory @at, itself where that is a link; of @at where @name is "". @e is only set on a real
 * failure, not on -ENOENT.
 */
int view_clone_at(struct fd *out, int at, const char *name, uint64_t attr, struct err *e) MUST;

/* Attach the detached mount @mount at @point. */
int view_attach(struct build *b, int mount, int point, const char *path, struct err *e) MUST;

/* A new detached tmpfs; @size bytes, 0 the kernel's default. It counts as the view's own. */
int view_tmpfs(struct fd *out, struct build *b, uint64_t size, const char *mode, const char *path,
               struct err *e) MUST;

/* A new detached mount of @fstype with @attr; options are name, value, ..., NULL. */
int view_fs(struct fd *out, const char *fstype, uint64_t attr, const char *const *options, struct err *e) MUST;

/**
 * view_overlay() - a detached overlay of host directory @lower with the layers in host directory @base
 * @base: holds "lower", to be mounted on, "upper" and "work", all directories
 *
 * Every name that the kernel gets is relative to @base, which becomes the working directory. -errno with the remedy.
 */
int view_overlay(struct fd *out, struct build *b, const char *lower, const char *base, struct err *e) MUST;

/* Does @dir lie in a tmpfs of the view? */
int view_is_own(const struct build *b, int dir, struct err *e) MUST;
/* Would @path be made in a home that persists? That is the sandbox's own, too: mount points may stay in it. */
bool view_is_kept(const struct build *b, const char *path);

int view_proc(struct build *b, const struct place *p, struct err *e) MUST;
/* A new devpts, not attached. */
int view_pts(struct fd *out, struct err *e) MUST;
int view_dev(struct build *b, const struct place *p, struct err *e) MUST;
int view_copy(struct build *b, const struct place *p, struct err *e) MUST;
/* A detached mount of an empty file or directory of mode 000. */
int view_empty(struct fd *out, const struct build *b, bool dir, struct err *e) MUST;
/* Hide @path behind an empty object of mode 000. -ENOENT when there is nothing. */
int view_mask(struct build *b, const char *path, struct err *e) MUST;
