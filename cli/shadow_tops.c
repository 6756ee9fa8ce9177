/* shadow_tops.c - which directories of the host are shown through an overlay */
#include "cli/shadow_tops.h"

#include "cli/verify_keep.h"

#include "base/path.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is private in a shadow, profiles/std/shadow.yaml. */
static const char *const privates[] = { "/tmp", "/var/tmp", "/run", "/dev", "/proc", "/sys" };

static int no_memory(struct err *e)
{
	return err_set(e, ENOMEM, "out of memory");
}

/* @path, a directory that is there, by its canonical name; a file by that of its directory. NULL: none. */
static const char *directory(struct shadow *s, const char *path)
{
	struct stat st;
	char *real = path ? realpath(path, NULL) : NULL;
	const char *dir = real && stat(real, &st) == 0 ? S_ISDIR(st.st_mode) ? arena_str(&s->arena, real) : path_parent(&s->arena, real) : NULL;
	free(real);
	return dir && strcmp(dir, "/") != 0 ? dir : NULL;
}

static bool is_private(const char *path)
{
	for (size_t i = 0; i < LEN(privates); i++)
		if (path_under(path, privates[i]))
			return true;
	return false;
}

static int want(struct shadow *s, const char *path, struct err *e)
{
	const char *dir = directory(s, path);
	for (size_t i = 0; dir && i < s->tops.n; i++)
		if (strcmp(s->tops.items[i].path, dir) == 0)
			return 0;
	struct shadow_top *t = dir ? ARENA_PUSH(&s->arena, &s->tops, items, n) : NULL;
	if (t)
		t->path = dir;
	return !dir || t ? 0 : no_memory(e);
}

/* Directories at the top of the tree that the caller may write to: of root nearly all, of others hardly any. */
static int want_tops(struct shadow *s, struct err *e)
{
	DIR *d = opendir("/");
	const struct dirent *de;
	int r = d ? 0 : err_sys(e, "/");
	while (r == 0 && (de = readdir(d))) {
		OWN(str) path = { 0 };
		struct stat st;
		str_fmt(&path, "/%s", de->d_name);
		if (de->d_name[0] != '.' && lstat(str_c(&path), &st) == 0 && S_ISDIR(st.st_mode) && !is_private(str_c(&path)) &&
		    access(str_c(&path), W_OK) == 0)
			r = want(s, str_c(&path), e);
	}
	if (d)
		closedir(d);
	return r;
}

static const struct host_mount *mount_at(const struct host *h, const char *path)
{
	for (size_t i = 0; i < h->nmounts; i++)
		if (strcmp(h->mounts[i].point, path) == 0)
			return &h->mounts[i];
	return NULL;
}

struct shadow_top *shadow_top_at(const struct shadow *s, const char *path, size_t len)
{
	for (size_t i = 0; i < s->tops.n; i++)
		if (strlen(s->tops.items[i].path) == len && memcmp(s->tops.items[i].path, path, len) == 0)
			return &s->tops.items[i];
	return NULL;
}

const struct shadow_top *shadow_covering(const struct shadow *s, const struct host *h, const char *path, bool itself)
{
	char dir[PATH_MAX];
	if (snprintf(dir, sizeof(dir), "%s", path) >= (int)sizeof(dir))
		return NULL;
	for (size_t n = itself ? strlen(dir) : path_parent_len(dir); n > 1; n = path_parent_len(dir)) {
		dir[n] = 0;
		const struct shadow_top *t = shadow_top_at(s, dir, n);
		if (t)
			return t;
		if (mount_at(h, dir))
			return NULL;
		for (size_t i = 0; i < LEN(privates); i++)
			if (strcmp(privates[i], dir) == 0)
				return NULL;
	}
	return NULL;
}

/*
 * In a user namespace the kernel refuses a lower layer with mounts inside. The project must be writable; what else is so
 * stays read-only, and who writes there makes the recording incomplete.
 */
static void drop_mounted(struct shadow *s, const char *project)
{
	const struct host *h = &s->asked.host;
	size_t keep = 0;
	for (size_t i = 0; i < s->tops.n; i++) {
		struct shadow_top t = s->tops.items[i];
		bool mounted = false;
		for (size_t k = 0; k < h->nmounts && !mounted; k++)
			mounted = path_below(h->mounts[k].point, t.path);
		if (!mounted || (project && strcmp(project, t.path) == 0))
			s->tops.items[keep++] = t;
	}
	s->tops.n = keep;
}

int shadow_find_tops(struct shadow *s, struct err *e)
{
	const struct host *h = &s->asked.host;
	const char *const mine[] = { h->project, h->home, h->cache, h->config, h->data, h->state };
	struct wordlist wanted = { 0 };
	int r = want_tops(s, e);
	for (size_t i = 0; r == 0 && i < LEN(mine); i++)
		r = want(s, mine[i], e);
	if (r == 0 && keeper_wants(&wanted, &s->arena, &s->asked.policy) < 0)
		r = no_memory(e);
	for (size_t i = 0; r == 0 && i < wanted.n; i++)
		r = want(s, wanted.items[i].text, e);
	if (r == 0 && !h->privileged)
		drop_mounted(s, h->project ? directory(s, h->project) : NULL);
	size_t keep = 0;
	/* the array is searched while it shrinks: what is left out lies in another, which stays */
	for (size_t i = 0; r == 0 && i < s->tops.n; i++) {
		struct shadow_top t = s->tops.items[i];
		bool odd = strcmp(t.path, "/proc") == 0 || path_under(t.path, "/proc") || path_under(t.path, "/sys") ||
		           path_under(t.path, "/dev") || path_under(t.path, "/run");
		/* a mount of its own is not in the overlay around it */
		if (!odd && (mount_at(h, t.path) || !shadow_covering(s, h, t.path, false)))
			s->tops.items[keep++] = t;
	}
	s->tops.n = r < 0 ? s->tops.n : keep;
	return r;
}
