#include "trace/procfs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DELETED " (deleted)"

static bool ends_deleted(const char *s, size_t n)
{
	size_t d = strlen(DELETED);
	return n > d && !memcmp(s + n - d, DELETED, d);
}

/* Length of the number at @p, 0 if the component is none. */
static size_t number(const char *p)
{
	size_t n = strspn(p, "0123456789");
	return n && (!p[n] || p[n] == '/') ? n : 0;
}

bool procfs_magic(const char *path)
{
	static const char *const last[] = { "cwd", "root", "exe" };
	static const char *const in[] = { "/fd/", "/ns/", "/map_files/" };
	if (strncmp(path, "/proc/", 6) != 0 || !number(path + 6))
		return false;
	const char *base = strrchr(path, '/') + 1;
	for (size_t i = 0; i < LEN(last); i++)
		if (!strcmp(base, last[i]))
			return true;
	for (size_t i = 0; i < LEN(in); i++) {
		size_t n = strlen(in[i]);
		if ((size_t)(base - path) >= n && !memcmp(base - n, in[i], n))
			return true;
	}
	return false;
}

const char *procfs_form(struct resolver *r, const char *text)
{
	size_t n = strlen(text);
	if (!ends_deleted(text, n))
		return NULL;
	n -= strlen(DELETED);
	char *p;
	if (!strncmp(text, "/memfd:", 7))
		return resolver_str(r, text + 1, n - 1);
	p = resolver_str(r, "deleted:", 8);
	if (!p)
		return NULL;
	r->used--;
	return resolver_str(r, text, n) ? p : NULL;
}

int procfs_jump(struct resolver *r, const struct task *t, const char *path, char *text, size_t size,
                struct stat *target, struct object *o)
{
	struct stat named;
	struct hangs *h = &r->hangs;
	char place[WALK_MAX];
	(void)t;
	ssize_t n = readlink(path, text, size - 1);
	if (n < 0)
		return -errno;
	text[n] = 0;
	const struct hangpoint *slow = h->n ? hangs_at(h, text) : NULL;
	if (slow) {
		/* what has a name is looked at by it, next */
		if (!ends_deleted(text, (size_t)n))
			return 0;
		if (hangs_ask(h, slow, &(struct question){ .what = ASK_STAT }, path, target, NULL, 0) < 0)
			*target = (struct stat){ 0 };
		o->path = procfs_form(r, text);
		return 1;
	}
	/* stat, not open: a FIFO or a device is left alone */
	if (fstatat(AT_FDCWD, path, target, AT_NO_AUTOMOUNT) < 0)
		return -errno;
	if (text[0] == '/' && !fstatat(AT_FDCWD, resolver_place(r, text, place, sizeof(place)), &named, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) &&
	    named.st_dev == target->st_dev && named.st_ino == target->st_ino)
		return 0;
	o->path = procfs_form(r, text);
	return 1;
}

/* Which of the words a process number stands for. */
static const char *whose(const struct resolver *r, const struct task *t, long pid)
{
	if (pid == t->group->tgid || pid == t->tid)
		return "self";
	if (pid > 0 && pid <= INT_MAX &&
	    (tasks_known(r->tasks, (pid_t)pid) || tasks_in_tree(r->tasks, (pid_t)pid)))
		return "tree";
	return "other";
}

const char *procfs_normal(struct resolver *r, const struct task *t, const char *path)
{
	if (strncmp(path, "/proc/", 6) != 0)
		return path;
	size_t n = number(path + 6);
	if (!n)
		return path;
	const char *rest = path + 6 + n, *task = "";
	long pid = strtol(path + 6, NULL, 10);
	if (!strncmp(rest, "/task/", 6) && number(rest + 6)) {
		task = strtol(rest + 6, NULL, 10) == t->tid ? "/task/self" : "/task/other";
		rest += 6 + number(rest + 6);
	}
	const char *word = whose(r, t, pid);
	size_t room = 6 + strlen(word) + strlen(task) + strlen(rest);
	char *out = malloc(room + 1);
	if (!out)
		return NULL;
	snprintf(out, room + 1, "/proc/%s%s%s", word, task, rest);
	const char *kept = resolver_str(r, out, room);
	free(out);
	return kept;
}

/* Facts of what /proc/TID/@link leads to, whose name is the base of @w. */
static int stat_nameless(struct resolver *r, const struct task *t, const struct walk *w, const char *link, struct stat *st)
{
	char path[64];
	const struct hangpoint *slow = r->hangs.n && w->whole[0] == '/' ? hangs_at(&r->hangs, w->whole) : NULL;
	if (!slow)
		return fstatat(fd_no(t->dir), link, st, AT_NO_AUTOMOUNT);
	snprintf(path, sizeof(path), "/proc/%d/%s", t->tid, link);
	if (hangs_ask(&r->hangs, slow, &(struct question){ .what = ASK_STAT }, path, st, NULL, 0) < 0)
		*st = (struct stat){ 0 };
	return 0;
}

bool procfs_nameless(struct resolver *r, const struct task *t, int dirfd, const struct walk *w, struct object *out)
{
	char base[WALK_MAX + 16], link[32];
	struct stat st;
	size_t n = w->base_len;
	if (w->whole[0] == '/' && !ends_deleted(w->whole, n))
		return false;
	if (dirfd == AT_FDCWD)
		memcpy(link, "cwd", 4);
	else
		snprintf(link, sizeof(link), "fd/%d", dirfd);
	if (stat_nameless(r, t, w, link, &st) < 0)
		return false;
	/* a living file may well be called "x (deleted)" */
	if (w->whole[0] == '/' && st.st_nlink > 0)
		return false;
	memcpy(base, w->whole, n);
	base[n] = 0;
	const char *form = procfs_form(r, base);
	if (!form)
		form = resolver_str(r, base, n);
	bool itself = !out->spelled || !out->spelled[0] || !strcmp(out->spelled, ".");
	if (itself || !form) {
		out->path = form;
		out->type = S_ISDIR(st.st_mode) ? FT_DIR : S_ISREG(st.st_mode) ? FT_FILE : FT_UNKNOWN;
		out->mode = st.st_mode & 07777;
		out->uid = st.st_uid;
		out->gid = st.st_gid;
		out->dev = st.st_dev;
		out->ino = st.st_ino;
		out->size = (uint64_t)st.st_size;
		return true;
	}
	size_t len = strlen(form);
	memcpy(base, form, len);
	base[len++] = '/';
	size_t s = strlen(out->spelled);
	if (len + s >= sizeof(base))
		s = sizeof(base) - len - 1;
	memcpy(base + len, out->spelled, s);
	out->path = resolver_str(r, base, len + s);
	out->type = FT_NONE;
	/* nothing can be found or made in a directory that is gone; its parent is another matter */
	out->missing = strncmp(out->spelled, "..", 2) ? 2 : 1;
	return true;
}
