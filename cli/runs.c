/* runs.c - the store of runs: made, found, listed, pruned */
#include "cli/runs.h"

#include "cli/copytree.h"

#include "base/path.h"
#include "base/str.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STAMP = 15, NAME_LONG = 32 }; /* "YYYYmmdd-HHMMSS" */

void run_drop(struct run *r)
{
	fd_drop(&r->dir);
	arena_drop(&r->arena);
	*r = (struct run){ 0 };
}

static const char *env_of(char *const *envp, const char *name)
{
	size_t len = strlen(name);
	for (; envp && *envp; envp++)
		if (!strncmp(*envp, name, len) && (*envp)[len] == '=')
			return *envp + len + 1;
	return NULL;
}

const char *runs_root(struct arena *a, char *const *envp, struct err *e)
{
	const char *state = env_of(envp, "XDG_STATE_HOME"), *home = env_of(envp, "HOME");
	const char *root = NULL;
	if (state && *state == '/') { /* relative values are void by the XDG specification */
		root = path_join(a, state, "snug/runs");
	} else {
		if (!home || *home != '/') {
			const struct passwd *pw = getpwuid(getuid());
			home = pw ? pw->pw_dir : NULL;
		}
		if (!home || *home != '/') {
			(void)err_set(e, ENOENT, "no place for runs: neither XDG_STATE_HOME nor HOME is set");
			return NULL;
		}
		root = path_join(a, home, ".local/state/snug/runs");
	}
	if (!root)
		(void)err_set(e, ENOMEM, "out of memory");
	return root;
}

/* mkdir -p, new directories for the owner alone. */
static int make_dirs(const char *path, struct err *e)
{
	OWN(str) s = { 0 };
	for (const char *p = path; *p;) {
		const char *end = strchrnul(p + 1, '/');
		str_add_mem(&s, p, (size_t)(end - p));
		if (mkdir(str_c(&s), 0700) < 0 && errno != EEXIST)
			return err_sys(e, "making %s", str_c(&s));
		p = end;
	}
	return 0;
}

int run_create(struct run *out, const char *root, const char *cmd, struct err *e)
{
	OWN(run) r = { 0 };
	int rc = make_dirs(root, e);
	if (rc < 0)
		return rc;
	char name[NAME_LONG + 1], stamp[STAMP + 1];
	const char *base = strrchr(cmd, '/');
	size_t n = 0;
	for (base = base ? base + 1 : cmd; *base && n < NAME_LONG; base++)
		name[n++] = isalnum((unsigned char)*base) || strchr("._+", *base) ? *base : '_';
	name[n] = '\0';
	time_t now = time(NULL);
	struct tm tm;
	if (!localtime_r(&now, &tm) || strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm) != STAMP)
		return err_set(e, ERANGE, "the clock says no usable time");
	for (int attempt = 0; attempt < 64; attempt++) {
		uint16_t rnd;
		if (getrandom(&rnd, sizeof(rnd), 0) != sizeof(rnd))
			return err_sys(e, "getrandom");
		r.id = arena_fmt(&r.arena, "%s-%s-%04x", stamp, n ? name : "run", rnd);
		r.path = r.id ? path_join(&r.arena, root, r.id) : NULL;
		if (!r.path)
			return err_set(e, ENOMEM, "out of memory");
		if (mkdir(r.path, 0700) == 0) {
			rc = fd_open_at(&r.dir, AT_FDCWD, r.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, e);
			if (rc < 0)
				return rc;
			(void)flock(fd_no(r.dir), LOCK_EX | LOCK_NB); /* a file system without locks: pruning trusts age */
			*out = TAKE(r);
			return 0;
		}
		if (errno != EEXIST)
			return err_sys(e, "making %s", r.path);
	}
	return err_set(e, EEXIST, "no free name for a run in %s", root);
}

bool runs_is_id(const char *word)
{
	size_t len = strlen(word);
	if (len < STAMP + 7 || strchr(word, '/'))
		return false;
	for (size_t i = 0; i < STAMP; i++)
		if (i == 8 ? word[i] != '-' : !isdigit((unsigned char)word[i]))
			return false;
	return word[STAMP] == '-' && word[len - 5] == '-' && strspn(word + len - 4, "0123456789abcdef") == 4;
}

/* One run while the list is sorted: within a second the directory's own time decides. */
struct listed {
	const char *id;
	struct timespec made;
};

static int by_age(const void *pa, const void *pb)
{
	const struct listed *a = pa, *b = pb;
	int r = memcmp(a->id, b->id, STAMP);
	if (r == 0 && a->made.tv_sec != b->made.tv_sec)
		r = a->made.tv_sec < b->made.tv_sec ? -1 : 1;
	if (r == 0 && a->made.tv_nsec != b->made.tv_nsec)
		r = a->made.tv_nsec < b->made.tv_nsec ? -1 : 1;
	return r ? r : strcmp(a->id, b->id);
}

int runs_list(struct arena *a, const char *root, const char ***ids, size_t *n, struct err *e)
{
	struct { struct listed *items; size_t n; } v = { 0 };
	*ids = NULL;
	*n = 0;
	DIR *d = opendir(root);
	if (!d)
		return errno == ENOENT ? 0 : err_sys(e, "reading %s", root);
	const struct dirent *de;
	int r = 0;
	while (r == 0 && (de = readdir(d))) {
		struct stat st;
		if (!runs_is_id(de->d_name) || fstatat(dirfd(d), de->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		const char *id = arena_str(a, de->d_name);
		struct listed *slot = id ? ARENA_PUSH(a, &v, items, n) : NULL;
		if (slot)
			*slot = (struct listed){ id, st.st_mtim };
		else
			r = err_set(e, ENOMEM, "out of memory");
	}
	closedir(d);
	*ids = arena_array(a, v.n + 1, sizeof(**ids));
	if (r < 0 || !*ids)
		return r < 0 ? r : err_set(e, ENOMEM, "out of memory");
	if (v.n)
		qsort(v.items, v.n, sizeof(*v.items), by_age);
	for (; *n < v.n; ++*n)
		(*ids)[*n] = v.items[*n].id;
	return 0;
}

/* A run holds files, and copies or layers where --verify or --shadow was killed; anything else in it is not ours to remove. */
static int remove_at(int store, const char *id, struct err *e)
{
	OWN(fd) dir = { 0 };
	int r = fd_open_at(&dir, store, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, e);
	if (r < 0)
		return r;
	if (flock(fd_no(dir), LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return err_set(e, EBUSY, "%s is still going on", id);
	int copy = dup(fd_no(dir));
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	if (!d) {
		r = err_sys(e, "reading %s", id);
		if (copy >= 0)
			close(copy);
		return r;
	}
	const struct dirent *de;
	while ((de = readdir(d)))
		if (!strcmp(de->d_name, "verify") || !strncmp(de->d_name, "shadow-", 7))
			r = copytree_remove_at(fd_no(dir), de->d_name, e);
		else if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			(void)unlinkat(fd_no(dir), de->d_name, 0); /* what stays makes the rmdir below fail */
	closedir(d);
	if (r < 0)
		return r;
	return unlinkat(store, id, AT_REMOVEDIR) < 0 ? err_sys(e, "removing %s", id) : 0;
}

static uint64_t size_of(int store, const char *id)
{
	static const char *const files[] = { "recording.ndjson", "suggested.yaml", "report.json" };
	uint64_t sum = 0;
	for (size_t i = 0; i < LEN(files); i++) {
		char path[512];
		struct stat st;
		snprintf(path, sizeof(path), "%s/%s", id, files[i]);
		if (fstatat(store, path, &st, AT_SYMLINK_NOFOLLOW) == 0)
			sum += (uint64_t)st.st_size;
	}
	return sum;
}

static int prune(const char *root, int store, const char *keep, struct err *e)
{
	OWN(arena) a = { 0 };
	const char **ids;
	size_t n, kept = 0;
	uint64_t sum = 0;
	int r = runs_list(&a, root, &ids, &n, e);
	for (size_t i = n; r == 0 && i-- > 0;) {
		sum += size_of(store, ids[i]);
		struct err ignored = { 0 };
		if ((++kept > RUNS_KEEP || sum > (uint64_t)RUNS_MIB << 20) && strcmp(ids[i], keep))
			(void)remove_at(store, ids[i], &ignored); /* a run in progress, or not ours: stays */
	}
	return r;
}

/* Point `last` at @id by rename, so that there is no moment without it. */
static int link_last(int store, const char *root, const char *id, struct err *e)
{
	char tmp[64];
	snprintf(tmp, sizeof(tmp), ".last.%ld", (long)getpid());
	(void)unlinkat(store, tmp, 0); /* left by a killed snug with our number */
	if (symlinkat(id, store, tmp) < 0)
		return err_sys(e, "%s/%s", root, tmp);
	if (renameat(store, tmp, store, "last") < 0) {
		int r = err_sys(e, "%s/last", root);
		(void)unlinkat(store, tmp, 0); /* the rename's failure is the one to tell */
		return r;
	}
	return 0;
}

int run_finish(const struct run *run, const char *root, struct err *e)
{
	OWN(fd) store = { 0 };
	int r = fd_open_at(&store, AT_FDCWD, root, O_RDONLY | O_DIRECTORY | O_CLOEXEC, e);
	if (r == 0)
		r = link_last(fd_no(store), root, run->id, e);
	return r < 0 ? r : prune(root, fd_no(store), run->id, e);
}

int runs_remove(const char *root, const char *id, struct err *e)
{
	OWN(fd) store = { 0 };
	OWN(arena) a = { 0 };
	const char **ids;
	size_t n;
	char target[512];
	int r = fd_open_at(&store, AT_FDCWD, root, O_RDONLY | O_DIRECTORY | O_CLOEXEC, e);
	if (r == 0)
		r = remove_at(fd_no(store), id, e);
	if (r < 0)
		return r;
	ssize_t len = readlinkat(fd_no(store), "last", target, sizeof(target) - 1);
	if (len < 0 || (size_t)len != strlen(id) || memcmp(target, id, (size_t)len) != 0)
		return 0;
	r = runs_list(&a, root, &ids, &n, e);
	if (r < 0 || n)
		return r < 0 ? r : link_last(fd_no(store), root, ids[n - 1], e);
	return unlinkat(fd_no(store), "last", 0) < 0 ? err_sys(e, "%s/last", root) : 0;
}

const char *runs_find(struct arena *a, const char *root, const char *word, struct err *e)
{
	char target[512];
	if (!strcmp(word, "last")) {
		const char *link = path_join(a, root, "last");
		ssize_t len = link ? readlink(link, target, sizeof(target) - 1) : -1;
		if (len < 0) {
			(void)err_set(e, ENOENT, "no stored run yet; snug audit -- CMD makes one");
			return NULL;
		}
		target[len] = '\0';
		word = target;
	}
	struct stat st;
	const char *path = runs_is_id(word) ? path_join(a, root, word) : NULL;
	if (path && lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return path;
	(void)err_set(e, ENOENT, "no run %s; snug runs list shows what there is", word);
	return NULL;
}

const char *run_recording(struct arena *a, char *const *envp, const char *word, struct err *e)
{
	if (!strcmp(word, "last") || runs_is_id(word)) {
		const char *root = runs_root(a, envp, e);
		const char *dir = root ? runs_find(a, root, word, e) : NULL;
		return dir ? path_join(a, dir, "recording.ndjson") : NULL;
	}
	struct stat st;
	if (stat(word, &st) < 0) {
		(void)err_set(e, errno, "%s: %s; a RUN is a file, a run id, or last", word, strerror(errno));
		return NULL;
	}
	return S_ISDIR(st.st_mode) ? path_join(a, word, "recording.ndjson") : arena_str(a, word);
}
