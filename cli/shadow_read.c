/* shadow_read.c - what a run in a shadow tells: what it wrote, where the shadow was not the host, which credentials it asked for */
#include "cli/shadow.h"

#include "base/esc.h"
#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The overlay whose lower layer has @path, or NULL. */
static const struct shadow_top *top_of(const struct shadow *s, const char *path)
{
	const struct place *p = policy_place(&s->set.policy, path);
	for (size_t i = 0; p && p->overlay && i < s->tops.n; i++)
		if (strcmp(s->tops.items[i].path, p->path) == 0)
			return &s->tops.items[i];
	return NULL;
}

static bool changes(const struct access *a)
{
	switch (a->op) {
	case OP_OPEN:
		return (a->flags & O_ACCMODE) != O_RDONLY || a->flags & (O_CREAT | O_TRUNC);
	case OP_TRUNCATE: case OP_CHMOD: case OP_CHOWN: case OP_UTIME: case OP_SETXATTR: case OP_UNLINK: case OP_RMDIR:
	case OP_RENAME: case OP_MKDIR: case OP_SYMLINK: case OP_MKNOD: case OP_LINK:
		return true;
	default:
		return false;
	}
}

/* A directory of the lower layer cannot be renamed: EXDEV, and the command may have gone another way. */
static bool is_moved_dir(const struct shadow *s, const struct event *ev, const struct object *o)
{
	struct stat st;
	return ev->acc.op == OP_RENAME && o == &ev->acc.obj[0] && o->type == FT_DIR && (!ev->outcome || ev->outcome == EXDEV) &&
	       top_of(s, o->path) && lstat(o->path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The shadow shows it read-only, and the host would have let it be changed. */
static bool is_kept_ro(const struct shadow *s, const struct event *ev, const struct object *o)
{
	const struct place *p = policy_place(&s->set.policy, o->path);
	if (!changes(&ev->acc) || (ev->outcome && ev->outcome != EROFS) || !p || p->kind != PLACE_BIND || p->overlay)
		return false;
	const char *at = o->type == FT_NONE ? o->dir : o->path;
	return at && (o->type != FT_NONE || o->missing == 1) && faccessat(AT_FDCWD, at, W_OK, AT_EACCESS) == 0;
}

/* In a user namespace an overlay cannot make a copy that belongs to somebody else. */
static bool is_others(const struct shadow *s, const struct event *ev, const struct object *o)
{
	struct stat st;
	return !s->set.policy.privileged && changes(&ev->acc) && !ev->outcome && o->type == FT_FILE && top_of(s, o->path) &&
	       lstat(o->path, &st) == 0 && st.st_uid != s->set.policy.uid;
}

/* Root in a sandbox has no capability: mode bits count. */
static bool is_barred(const struct shadow *s, const struct event *ev, const struct object *o)
{
	struct stat st;
	return s->set.policy.privileged && (ev->outcome == EACCES || ev->outcome == EPERM) && o->uid != s->set.policy.uid &&
	       o->type != FT_NONE && (ev->acc.op != OP_EXEC || o->mode & 0111) && lstat(o->path, &st) == 0;
}

/* Device of the deepest directory at or above @path that the host has. */
static dev_t device_of(const char *path)
{
	char dir[PATH_MAX];
	struct stat st;
	if (!path || snprintf(dir, sizeof(dir), "%s", path) >= (int)sizeof(dir))
		return 0;
	while (lstat(dir, &st) != 0) {
		if (!dir[1])
			return 0;
		dir[path_parent_len(dir)] = 0;
	}
	return st.st_dev;
}

/* Two mounts here, one file system on the host. */
static bool is_apart(const struct shadow *s UNUSED, const struct event *ev, const struct object *o)
{
	const struct object *from = &ev->acc.obj[0], *to = &ev->acc.obj[1];
	return o == from && (ev->acc.op == OP_RENAME || ev->acc.op == OP_LINK) && ev->outcome == EXDEV && from->type != FT_DIR &&
	       device_of(from->dir) && device_of(from->dir) == device_of(to->dir);
}

/* Through an overlay nobody listens on it. */
static bool is_socket(const struct shadow *s, const struct event *ev, const struct object *o)
{
	struct stat st;
	return (ev->acc.op == OP_CONNECT || ev->acc.op == OP_SEND) && o->type == FT_SOCK && top_of(s, o->path) &&
	       lstat(o->path, &st) == 0 && S_ISSOCK(st.st_mode);
}

static const struct {
	bool (*is)(const struct shadow *s, const struct event *ev, const struct object *o);
	const char *why;
} artefacts[] = {
	{ is_moved_dir, "a shadow cannot rename a directory of the host (EXDEV), and the command may have gone another way" },
	{ is_kept_ro, "is read-only in a shadow" },
	{ is_others, "belongs to another user, and cannot be changed in an ordinary user's shadow" },
	{ is_apart, "a shadow cannot move or link it into another of its directories (EXDEV), and the command may have gone "
	            "another way" },
	{ is_socket, "a socket of the host cannot be reached in a shadow" },
	{ is_barred, "belongs to another user, and root has no capabilities in a shadow" },
};

static int reason(struct shadow *s, struct recording *rec, const char *path, const char *why, size_t more, struct err *e)
{
	OWN(str) text = { 0 };
	const char *name = host_shorten(&rec->host, &s->arena, path);
	str_fmt(&text, "%s: %s", name ? name : path, why);
	if (more)
		str_fmt(&text, "; so for %zu more", more);
	return text.oom || recording_add_incomplete(rec, str_c(&text)) < 0 ? err_set(e, ENOMEM, "out of memory") : 0;
}

static int find_artefacts(struct shadow *s, struct recording *rec, size_t kind, struct err *e)
{
	const char *first = NULL;
	size_t n = 0;
	for (size_t i = 0; i < rec->nevents; i++) {
		const struct event *ev = &rec->events[i];
		for (int k = 0; access_is_file(&ev->acc) && k < op_objects(ev->acc.op); k++) {
			const struct object *o = &ev->acc.obj[k];
			if (!o->path || o->path[0] != '/' || !artefacts[kind].is(s, ev, o))
				continue;
			if (!first)
				first = o->path;
			else if (strcmp(first, o->path) != 0)
				n++;
		}
	}
	return first ? reason(s, rec, first, artefacts[kind].why, n, e) : 0;
}

int shadow_read(struct shadow *s, struct recording *rec, struct err *e)
{
	const char *torn = NULL;
	struct wordlist stores = { 0 };
	size_t n = 0;
	int r = 0;
	for (size_t i = 0; r == 0 && i < s->set.policy.nbans; i++) {
		const struct ban *b = &s->set.policy.bans[i];
		struct word *w = b->write_only ? NULL : ARENA_PUSH(&s->arena, &stores, items, n);
		if (w)
			w->text = b->path;
		else if (!b->write_only)
			r = err_set(e, ENOMEM, "out of memory");
	}
	for (size_t i = 0; r == 0 && i < s->tops.n; i++)
		r = upper_read(&s->list, &s->tops.items[i], &s->hidden, &stores, e);
	shadow_sort(&s->list);
	for (size_t i = 0; i < s->list.n; i++) {
		if (!s->list.items[i].torn)
			continue;
		if (torn)
			n++;
		else
			torn = s->list.items[i].path;
	}
	if (r == 0 && torn)
		r = reason(s, rec, torn, "has other names (hard links), which in a shadow do not change with it", n, e);
	for (size_t k = 0; r == 0 && k < LEN(artefacts); k++)
		r = find_artefacts(s, rec, k, e);
	return r;
}

/* ---- credentials ---- */

static const char list[] = "builtin:shadow";

/* Does that profile's list of stores hide @path, which is there on the host? */
static bool is_store(const struct shadow *s, const char *path)
{
	const struct policy *pol = &s->set.policy;
	struct stat st;
	for (size_t i = 0; i < pol->nbans; i++)
		if (!pol->bans[i].write_only && path_under(path, pol->bans[i].path) && strcmp(pol->bans[i].src.origin, list) == 0)
			return lstat(path, &st) == 0;
	return false;
}

/* The first access to each store, one after the other from @at on; NULL: no more. */
static const struct event *next_store(const struct shadow *s, const struct recording *rec, struct map *seen, size_t *at)
{
	while (*at < rec->nevents) {
		const struct event *ev = &rec->events[(*at)++];
		const struct object *o = &ev->acc.obj[0];
		int fresh = 0;
		if (access_is_file(&ev->acc) && o->path && o->path[0] == '/' && is_store(s, o->path) &&
		    map_put(seen, o->path, strlen(o->path), &fresh) && fresh)
			return ev;
	}
	return NULL;
}

void shadow_stores(struct str *out, const struct shadow *s, const struct recording *rec)
{
	struct map seen = { 0 };
	OWN(arena) a = { 0 };
	const struct event *ev;
	for (size_t at = 0; (ev = next_store(s, rec, &seen, &at));) {
		OWN(str) who = { 0 };
		const char *name = host_shorten(&rec->host, &a, ev->acc.obj[0].path);
		recording_who(rec, ev->proc, &who);
		if (!out->len)
			str_add(out, "asked for credentials, which the shadow does not have\n");
		str_add(out, "  ");
		esc_term(out, name ? name : ev->acc.obj[0].path);
		if (who.len) {
			str_add(out, "  by ");
			esc_term(out, str_c(&who));
		}
		str_add_char(out, '\n');
	}
	map_drop(&seen);
}

void shadow_stores_json(struct str *out, const struct shadow *s, const struct recording *rec)
{
	struct map seen = { 0 };
	OWN(arena) a = { 0 };
	const struct event *ev;
	bool more = false;
	str_add_char(out, '[');
	for (size_t at = 0; (ev = next_store(s, rec, &seen, &at)); more = true) {
		OWN(str) who = { 0 };
		const char *name = host_shorten(&rec->host, &a, ev->acc.obj[0].path);
		recording_who(rec, ev->proc, &who);
		str_add(out, more ? ",{\"path\":" : "{\"path\":");
		esc_json(out, name ? name : ev->acc.obj[0].path);
		str_add(out, ",\"who\":");
		esc_json(out, str_c(&who));
		str_add_char(out, '}');
	}
	str_add_char(out, ']');
	map_drop(&seen);
}
