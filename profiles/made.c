/* made.c - what the command made, moved and removed in private places so far */
#include "profiles/judge.h"

#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

void made_drop(struct made *m)
{
	map_drop(&m->by_path);
	map_drop(&m->entries);
	arena_drop(&m->arena);
	*m = (struct made){ 0 };
}

static bool is_there(void **slot)
{
	return slot && *slot != (void *)(uintptr_t)FT_NONE && *slot != (void *)(uintptr_t)FT_UNKNOWN;
}

/* One name more or less in the directory of @key, which lives as long as @m. */
static int count(struct made *m, const char *key, bool more)
{
	size_t n = path_parent_len(key);
	void **slot = n ? map_put(&m->entries, key, n, NULL) : NULL;
	if (!slot)
		return n ? -ENOMEM : 0; /* a socket's key is no path */
	uintptr_t had = (uintptr_t)*slot;
	*slot = (void *)(more ? had + 1 : had ? had - 1 : 0);
	return 0;
}

static int put(struct made *m, const char *path, enum file_type type)
{
	void **slot = map_find(&m->by_path, path, strlen(path));
	bool was = is_there(slot), is = type != FT_NONE && type != FT_UNKNOWN;
	const char *key = path;
	if (!slot) {
		key = arena_str(&m->arena, path);
		slot = key ? map_put(&m->by_path, key, strlen(key), NULL) : NULL;
		if (!slot)
			return -ENOMEM;
	} else if (was != is) {
		key = arena_str(&m->arena, path); /* entries may keep it */
		if (!key)
			return -ENOMEM;
	}
	*slot = (void *)(uintptr_t)type;
	return was != is ? count(m, key, is) : 0;
}

bool made_entries(const struct made *m, const char *dir)
{
	void **n = m ? map_find(&m->entries, dir, strlen(dir)) : NULL;
	return n && *n;
}

/* Everything known below @from is below @to now. */
static int move(struct made *m, const char *from, const char *to)
{
	size_t n = m->by_path.n, cut = strlen(from);
	for (size_t i = 0; i < n; i++) {
		struct map_entry e = m->by_path.items[i]; /* a copy: put() may move the table */
		if (!e.key || !path_below(e.key, from))
			continue;
		const char *key = arena_fmt(&m->arena, "%s%s", to, e.key + cut);
		if (!key || put(m, key, (enum file_type)(uintptr_t)e.value) || put(m, e.key, FT_NONE))
			return -ENOMEM;
	}
	return 0;
}

static int apply_rename(struct made *m, const struct access *a, const struct seen *from, const struct seen *to)
{
	if (!strcmp(from->path, to->path))
		return 0;
	if (a->flags & RENAME_EXCHANGE) { /* what lies below them is known of neither afterwards, but rarely asked */
		int err = put(m, from->path, to->obj.type);
		return err ? err : put(m, to->path, from->obj.type);
	}
	int err = move(m, from->path, to->path);
	if (!err)
		err = put(m, from->path, FT_NONE);
	return err ? err : put(m, to->path, from->obj.type);
}

static enum file_type node_type(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFIFO: return FT_FIFO;
	case S_IFSOCK: return FT_SOCK;
	case S_IFCHR: return FT_CHR;
	case S_IFBLK: return FT_BLK;
	}
	return FT_FILE;
}

static bool is_known(const struct made *m, const struct seen *s)
{
	return made_type(m, s->path, strlen(s->path)) != FT_UNKNOWN;
}

static int apply_file(struct made *m, const struct access *a, const struct seen *s)
{
	const struct seen *last = &s[op_objects(a->op) - 1];
	if ((s->free && a->op != OP_LINK) || !last->path[0])
		return 0;
	/* elsewhere the recorded facts tell, unless they have been wrong about this name before */
	if (!last->dir.fresh && !is_known(m, last) && (a->op != OP_RENAME || !is_known(m, s)))
		return 0;
	bool fresh = last->obj.type == FT_NONE;
	switch ((int)a->op) {
	case OP_OPEN:
		return fresh && a->flags & O_CREAT ? put(m, last->path, FT_FILE) : 0;
	case OP_MKDIR:
		return put(m, last->path, FT_DIR);
	case OP_SYMLINK:
		return put(m, last->path, FT_LINK);
	case OP_MKNOD:
		return put(m, last->path, node_type(a->flags));
	case OP_BIND:
		return put(m, last->path, FT_SOCK);
	case OP_UNLINK:
	case OP_RMDIR:
		return put(m, last->path, FT_NONE);
	case OP_LINK:
		return put(m, last->path, s[0].obj.type);
	case OP_RENAME:
		return apply_rename(m, a, &s[0], &s[1]);
	}
	return 0;
}

/*
 * It worked outside and does not inside, in a place that shows the host's objects: from now on the facts, taken
 * outside, say what is not so inside.
 */
static int apply_failed(struct made *m, const struct access *a, const struct seen *s)
{
	const struct seen *last = &s[op_objects(a->op) - 1];
	if (s->err || last->err || !s->path[0] || !last->path[0] || !last->dir.shown)
		return 0;
	switch ((int)a->op) {
	case OP_OPEN:
		if (!(a->flags & O_CREAT))
			return 0;
		break;
	case OP_MKDIR:
	case OP_SYMLINK:
	case OP_MKNOD:
	case OP_BIND:
	case OP_LINK:
	case OP_UNLINK:
	case OP_RMDIR:
		break;
	case OP_RENAME:
		if (s->obj.type != FT_NONE && put(m, s->path, s->obj.type))
			return -ENOMEM;
		break;
	default:
		return 0;
	}
	return put(m, last->path, last->obj.type);
}

/* Does it make, move or remove names when it works? Most only look, and need no walk. */
static bool names_change(const struct access *a)
{
	switch ((int)a->op) {
	case OP_OPEN:
		return a->flags & O_CREAT;
	case OP_MKDIR: case OP_SYMLINK: case OP_MKNOD: case OP_BIND: case OP_UNLINK: case OP_RMDIR: case OP_LINK:
	case OP_RENAME:
		return true;
	}
	return false;
}

int made_apply(struct made *m, const struct policy *pol, const struct access *a, const struct judgement *j)
{
	if (access_is_file(a)) {
		if (!names_change(a))
			return 0;
		struct call in, out;
		in.w = (struct world){ .pol = pol, .made = m, .a = a, .inside = true };
		out.w = (struct world){ .pol = pol, .a = a, .caps = a->caps };
		call_walk(&in);
		if (!j->err)
			return apply_file(m, a, in.seen);
		call_walk(&out);
		return judge_file(&out).err ? 0 : apply_failed(m, a, in.seen);
	}
	if (j->err)
		return 0;
	char key[128];
	bool named = a->op == OP_BIND && a->family == FAM_ABSTRACT;
	bool port = j->verdict == V_PRIVATE && a->op == OP_LISTEN && (a->family == FAM_INET || a->family == FAM_INET6) && a->port;
	bool datagrams = j->verdict == V_PRIVATE && a->op == OP_BIND && (a->family == FAM_INET || a->family == FAM_INET6) &&
	                 (a->flags & 0xf) == SOCK_DGRAM;
	if (datagrams && put(m, "udp", FT_SOCK))
		return -ENOMEM;
	return named || port || datagrams ? put(m, made_socket(key, sizeof(key), a), FT_SOCK) : 0;
}
