#include "profiles/places.h"

#include "base/fd.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *origin_word(enum origin o)
{
	static const char *const words[] = {
		[ORIGIN_REPO] = "repo", [ORIGIN_USER] = "user", [ORIGIN_SYSTEM] = "system", [ORIGIN_BUILTIN] = "builtin",
		[ORIGIN_FILE] = "file",
	};
	return words[o];
}

bool profname_ok(const char *name)
{
	static const char chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	return *name && *name != '.' && *name != '-' && strlen(name) <= 64 && strspn(name, chars) == strlen(name);
}

static int add_dir(struct profdirs *out, struct finder *f, enum origin origin, const char *path, struct err *e)
{
	struct stat st;
	if (!path)
		return err_set(e, ENOMEM, "out of memory");
	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return 0;
	struct profdir *d = ARENA_PUSH(&f->arena, out, items, n);
	if (!d)
		return err_set(e, ENOMEM, "out of memory");
	*d = (struct profdir){ origin, path };
	return 0;
}

/* The checkout @start lies in: the nearest directory upward with .git, or @start itself. */
static const char *checkout_of(struct arena *a, const char *start)
{
	struct stat st;
	for (const char *dir = start; dir; dir = path_parent(a, dir)) {
		const char *git = path_join(a, dir, ".git");
		if (git && !lstat(git, &st))
			return dir;
		if (!dir[1])
			break;
	}
	return start;
}

static int add_checkout(struct profdirs *out, struct finder *f, const char *start, struct err *e)
{
	struct stat st;
	struct arena *a = &f->arena;
	char *real = realpath(start, NULL);
	const char *dir = real ? arena_str(a, real) : NULL;
	free(real);
	/* a working directory that is gone has no profiles */
	if (!dir)
		return 0;
	const char *top = checkout_of(a, dir);
	for (;; dir = path_parent(a, dir)) {
		const char *own = dir ? path_join(a, dir, ".snug") : NULL;
		const char *path = own ? path_join(a, own, "profiles") : NULL;
		if (!path)
			return err_set(e, ENOMEM, "out of memory");
		/* whoever owns the directory could put anything there */
		bool owned = !lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == f->host->uid && !lstat(own, &st) &&
		             S_ISDIR(st.st_mode) && st.st_uid == f->host->uid && !stat(dir, &st) && st.st_uid == f->host->uid;
		if (!owned && !out->foreign && !stat(path, &st)) {
			bool link = (!lstat(own, &st) && S_ISLNK(st.st_mode)) || (!lstat(path, &st) && S_ISLNK(st.st_mode));
			out->foreign = arena_fmt(a, link ? "%s is reached through a symbolic link" : "%s is not yours", path);
		}
		int r = owned ? add_dir(out, f, ORIGIN_REPO, path, e) : 0;
		if (r || !strcmp(dir, top) || !dir[1])
			return r;
	}
}

int profdirs_find(struct profdirs *out, struct finder *f, const char *start, struct err *e)
{
	struct arena *a = &f->arena;
	const struct host *h = f->host;
	const char *config = h->config ? h->config : h->home ? path_join(a, h->home, ".config") : NULL;
	int r = start ? add_checkout(out, f, start, e) : 0;
	if (!r && config)
		r = add_dir(out, f, ORIGIN_USER, path_join(a, config, "snug/profiles"), e);
	return r ? r : add_dir(out, f, ORIGIN_SYSTEM, "/etc/snug/profiles", e);
}

static int by_name(const void *x, const void *y)
{
	return strcmp(((const struct word *)x)->text, ((const struct word *)y)->text);
}

int profdir_names(struct wordlist *out, struct arena *a, const struct profdir *dir, struct err *e)
{
	DIR *d = opendir(dir->path);
	int r = 0;
	for (struct dirent *ent; d && !r && (ent = readdir(d));) {
		size_t n = strlen(ent->d_name);
		if (n <= 5 || strcmp(ent->d_name + n - 5, ".yaml") != 0 || out->n >= 4096)
			continue;
		char *name = arena_mem(a, ent->d_name, n - 5);
		if (name && !profname_ok(name))
			continue;
		struct word *w = name ? ARENA_PUSH(a, out, items, n) : NULL;
		if (!w)
			r = err_set(e, ENOMEM, "out of memory");
		else
			w->text = name;
	}
	if (d)
		closedir(d);
	if (out->n)
		qsort(out->items, out->n, sizeof(*out->items), by_name);
	return r;
}

int proffile_read(struct str *out, const char *path, bool follow, struct err *e)
{
	struct stat st;
	char buf[16384];
	/* NONBLOCK: a FIFO must not make us wait */
	int n = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
	if (n < 0 && (errno == ENOENT || errno == ENOTDIR))
		return -ENOENT;
	if (n < 0 && errno == EACCES)
		return err_set(e, EACCES, "open %s: Permission denied; make it readable for you (chmod u+r, and u+x on its directories), "
		               "or name another profile", path);
	if (n < 0)
		return err_sys(e, "open %s", path);
	OWN(fd) fd = fd_own(n);
	if (fstat(fd_no(fd), &st))
		return err_sys(e, "stat %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "%s is no regular file", path);
	while (out->len <= PROFILE_BYTES_MAX) {
		ssize_t got = read(fd_no(fd), buf, sizeof(buf));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(e, "read %s", path);
		if (!got)
			break;
		str_add_mem(out, buf, (size_t)got);
	}
	return out->oom ? err_set(e, ENOMEM, "out of memory") : 0;
}
