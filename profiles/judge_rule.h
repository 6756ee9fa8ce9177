/* judge_rule.h - the checks that the rules of file operations share; private to profiles/; pure */
#pragma once

#include "profiles/judge.h"

#include <errno.h>

static inline struct reply no(int err, const struct sight *sight, const char *why)
{
	return (struct reply){ err, sight, why };
}

static inline bool special(enum file_type t)
{
	return t == FT_FIFO || t == FT_CHR || t == FT_BLK || t == FT_SOCK;
}

static inline bool slash(const struct call *c)
{
	return c->w.a->marks & MARK_DIR_SLASH;
}

static inline struct reply gone(const struct sight *dir, const struct sight *obj)
{
	return no(ENOENT, obj, dir->shown || dir->lost ? "not there" : "not in the view");
}

/* the object exists, and is a directory where a slash says so */
static inline struct reply look(const struct call *c)
{
	const struct sight *obj = &c->seen[0].obj;
	if (obj->type == FT_NONE)
		return gone(&c->seen[0].dir, obj);
	if (RULE(MUST_BE_DIR, slash(c)) && obj->type != FT_DIR && obj->type != FT_UNKNOWN)
		return no(ENOTDIR, obj, "not a directory");
	return (struct reply){ 0 };
}

/* inode_permission() */
static inline struct reply may(const struct call *c, const struct sight *s, unsigned want)
{
	if (sight_may(&c->w, s, want))
		return (struct reply){ 0 };
	return no(EACCES, s, s->shut ? "masked" : "mode bits");
}

static inline struct reply writable_mount(const struct sight *s)
{
	return RULE(READ_ONLY, s->ro) ? no(EROFS, s, "read-only") : (struct reply){ 0 };
}

/* Names made, removed and moved: judge_names.c */
struct reply rule_mkdir(const struct call *c);
struct reply rule_symlink(const struct call *c);
struct reply rule_mknod(const struct call *c);
struct reply rule_bind(const struct call *c);
struct reply rule_unlink(const struct call *c);
struct reply rule_rmdir(const struct call *c);
struct reply rule_link(const struct call *c);
struct reply rule_rename(const struct call *c);
