/* What can only be known when the command has ended. */
#include "trace/recorder.h"

#include "base/path.h"
#include "enforce/relay.h"
#include "trace/relayrows.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	DIRS_MAX = 4096,       /* directories listed */
	ENTRIES_MAX = 20000,   /* counted in one of them */
	ROWS_PATIENCE_MS = 3000,
};

/* When it ended: two recordings are not taken for one, and a name made of a clock is known as such. */
static int identify(struct recording *rec)
{
	struct timespec now;
	struct tm tm;
	char stamp[32];
	if (clock_gettime(CLOCK_REALTIME, &now) < 0 || !localtime_r(&now.tv_sec, &tm) ||
	    !strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm))
		return 0; /* no usable clock: a recording without an id */
	rec->id = arena_fmt(&rec->arena, "%s-%09ld", stamp, (long)now.tv_nsec);
	return rec->id ? 0 : -ENOMEM;
}

/* The object that @ev would have made, or NULL. */
static const struct object *made(const struct event *ev)
{
	const struct access *a = &ev->acc;
	if (ev->outcome)
		return NULL;
	switch (a->op) {
	case OP_OPEN:
		return a->flags & O_CREAT && a->obj[0].type == FT_NONE ? &a->obj[0] : NULL;
	case OP_MKDIR:
	case OP_SYMLINK:
	case OP_MKNOD:
		return &a->obj[0];
	case OP_BIND:
		return a->family == FAM_UNIX ? &a->obj[0] : NULL;
	case OP_RENAME:
	case OP_LINK:
		return &a->obj[1];
	default:
		return NULL;
	}
}

static int look(struct recorder *r, const char *path, struct stat *st)
{
	struct hangs *h = &r->names.hangs;
	const struct hangpoint *slow = h->n ? hangs_at(h, path) : NULL;
	if (slow)
		return (int)hangs_ask(h, slow, &(struct question){ .what = ASK_LSTAT }, path, st, NULL, 0);
	char buf[PATH_MAX + 32];
	return lstat(resolver_place(&r->names, path, buf, sizeof(buf)), st) < 0 ? -errno : 0;
}

static void survivors(struct recorder *r)
{
	for (size_t i = 0; i < r->set.n; i++) {
		struct stat st;
		const struct object *o = made(&r->set.items[i]);
		if (o && o->path && o->path[0] == '/' && !look(r, o->path, &st))
			r->set.items[i].survives = true;
	}
}

/* Net change of one directory by the run. */
struct change {
	int64_t files, dirs;
};

static void note_change(struct map *m, struct arena *a, const struct object *o, int by)
{
	if (!o->dir || o->missing > 1)
		return;
	void **slot = map_put(m, o->dir, strlen(o->dir), NULL);
	if (!slot)
		return;
	if (!*slot)
		*slot = arena_alloc(a, sizeof(struct change));
	struct change *c = *slot;
	if (c && o->type == FT_DIR)
		c->dirs += by;
	else if (c)
		c->files += by;
}

/* Names made that are still there, and names removed that were there before. */
static void changes(struct recorder *r, struct map *m, struct arena *a)
{
	struct map seen = { 0 };
	for (size_t i = 0; i < r->set.n; i++) {
		const struct event *ev = &r->set.items[i];
		const struct object *o = made(ev);
		int fresh = 1;
		if (o && o->path && o->type == FT_NONE && ev->survives && map_put(&seen, o->path, strlen(o->path), &fresh) &&
		    fresh) {
			struct object as = *o;
			as.type = ev->acc.op == OP_MKDIR || (ev->acc.op == OP_RENAME && ev->acc.obj[0].type == FT_DIR)
			          ? FT_DIR : FT_FILE;
			note_change(m, a, &as, 1);
		}
		bool gone = ev->acc.op == OP_UNLINK || ev->acc.op == OP_RMDIR || ev->acc.op == OP_RENAME;
		o = &ev->acc.obj[0];
		struct stat st;
		bool told = !ev->outcome && gone && o->path && map_put(&seen, o->path, strlen(o->path), &fresh) && fresh;
		int err = told ? look(r, o->path, &st) : 0;
		if (err && err != -ETIMEDOUT)
			note_change(m, a, o, -1);
	}
	map_drop(&seen);
}

/* Entries of a directory, at most ENTRIES_MAX. -errno. */
static int entries(struct recorder *r, const char *path, int64_t *files, int64_t *dirs)
{
	struct hangs *h = &r->names.hangs;
	const struct hangpoint *slow = h->n ? hangs_at(h, path) : NULL;
	struct question q = { .what = ASK_COUNT, .arg = ENTRIES_MAX };
	struct stat st;
	char buf[PATH_MAX + 32];
	int err = slow ? (int)hangs_ask(h, slow, &q, path, &st, NULL, 0) :
	                 ask_count(resolver_place(&r->names, path, buf, sizeof(buf)), ENTRIES_MAX, &st);
	*files = st.st_size;
	*dirs = (int64_t)st.st_nlink;
	return err;
}

static void count_dir(struct recorder *r, const char *path, const struct change *c)
{
	int64_t files = 0, dirs = 0;
	if (entries(r, path, &files, &dirs) < 0)
		return;
	bool more = files + dirs >= ENTRIES_MAX;
	struct dirfact *all = arena_push(&r->rec.arena, r->rec.dirs, r->rec.ndirs, sizeof(*all));
	if (!all)
		return;
	r->rec.dirs = all;
	all[r->rec.ndirs++] = (struct dirfact){
		.path = path,
		.files = (uint32_t)MAX(files - (c ? c->files : 0), (int64_t)0),
		.dirs = (uint32_t)MAX(dirs - (c ? c->dirs : 0), (int64_t)0),
		.at_least = more,
	};
}

/* Directories a suggestion may name: those of used objects, and above them. */
static int wanted(struct recorder *r, struct map *m)
{
	for (size_t i = 0; i < r->set.n && m->n < DIRS_MAX; i++) {
		const struct access *a = &r->set.items[i].acc;
		if (!access_is_file(a) || a->marks & (MARK_OTHER_MNT | MARK_OTHER_ROOT))
			continue;
		for (int k = 0; k < op_objects(a->op); k++) {
			const struct object *o = &a->obj[k];
			const char *at = o->type == FT_DIR && a->op == OP_OPEN ? o->path : o->dir;
			if (!at || at[0] != '/' || path_under(at, "/proc") || path_under(at, "/sys") ||
			    path_under(at, "/dev") || path_under(at, "/usr"))
				continue;
			while (at && path_depth(at) > 1 && m->n < DIRS_MAX) {
				int fresh;
				if (!map_put(m, at, strlen(at), &fresh))
					return -ENOMEM;
				if (!fresh)
					break;
				at = path_parent(&r->rec.arena, at);
			}
		}
	}
	return 0;
}

static int by_path(const void *a, const void *b)
{
	const struct dirfact *x = a, *y = b;
	return strcmp(x->path, y->path);
}

static int listings(struct recorder *r)
{
	struct map change = { 0 }, dirs = { 0 };
	struct arena a = { 0 };
	changes(r, &change, &a);
	int err = wanted(r, &dirs);
	for (size_t i = 0; i < dirs.n && !err; i++)
		count_dir(r, dirs.items[i].key, map_get(&change, dirs.items[i].key));
	if (r->rec.ndirs)
		qsort(r->rec.dirs, r->rec.ndirs, sizeof(*r->rec.dirs), by_path);
	map_drop(&change);
	map_drop(&dirs);
	arena_drop(&a);
	return err;
}

static void variables(struct recorder *r)
{
	size_t n = r->set.n;
	for (size_t i = 0; i < n; i++) {
		const struct event *ev = &r->set.items[i];
		const struct object *o = &ev->acc.obj[0];
		if (ev->acc.op == OP_HOST)
			envuse_word(&r->env, ev->proc, recorder_exe(r, ev->proc), o->spelled);
		else if (access_is_file(&ev->acc) && o->path && o->path[0] == '/' && !ev->outcome)
			envuse_path(&r->env, ev->proc, recorder_exe(r, ev->proc), o->path);
	}
	for (size_t i = 0; i < r->env.n; i++) {
		struct envvar *v = &r->env.vars[i];
		if (!v->proc)
			continue;
		struct access a = { .op = OP_ENV, .uid = r->host->uid, .gid = r->host->gid };
		a.obj[0].spelled = v->name;
		(void)!eventset_add(&r->set, v->proc, &a, 0, OUT_UNKNOWN, recorder_now() - r->start_ns);
	}
}

/* What the proxy has not reported yet: its last rows are on their way, and some connections may outlive the command. */
static void last_rows(struct recorder *r)
{
	struct pollfd p = { r->opts->log_fd, POLLIN, 0 };
	uint64_t end = recorder_now() + (uint64_t)ROWS_PATIENCE_MS * 1000000u;
	if (p.fd < 0)
		return;
	int more = relay_flush(p.fd) == 0;
	for (uint64_t now = recorder_now(); more == 1 && now < end; now = recorder_now())
		if (poll(&p, 1, (int)((end - now) / 1000000u) + 1) > 0)
			more = relayrows_read(r, p.fd);
	if (more != 2)
		recorder_reason(r, "the proxy did not report its last connections; hosts may be missing");
}

static int exit_code(const struct recorder *r)
{
	if (r->timed_out)
		return 124;
	if (r->status < 0)
		return -1;
	return WIFSIGNALED(r->status) ? 128 + WTERMSIG(r->status) : WEXITSTATUS(r->status);
}

static int by_text(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	return strcmp(*x, *y);
}

static int reasons(struct recorder *r)
{
	r->rec.incomplete = arena_array(&r->rec.arena, r->reasons.n, sizeof(*r->rec.incomplete));
	if (!r->rec.incomplete)
		return -ENOMEM;
	for (size_t i = 0; i < r->reasons.n; i++)
		r->rec.incomplete[r->rec.nincomplete++] = r->reasons.items[i].key;
	if (r->rec.nincomplete)
		qsort(r->rec.incomplete, r->rec.nincomplete, sizeof(*r->rec.incomplete), by_text);
	return 0;
}

static int argv(struct recorder *r)
{
	size_t n = 0;
	while (r->opts->argv[n])
		n++;
	r->rec.argv = arena_array(&r->rec.arena, n + 1, sizeof(*r->rec.argv));
	if (!r->rec.argv)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		OWN(str) s = { 0 };
		redact_arg(&r->secrets, &s, r->opts->argv[i], i ? r->opts->argv[i - 1] : NULL);
		r->rec.argv[i] = s.oom ? NULL : eventset_str(&r->set, str_c(&s));
		if (!r->rec.argv[i])
			return -ENOMEM;
	}
	r->rec.nargv = n;
	return 0;
}

int recorder_finish(struct recorder *r, struct err *e)
{
	last_rows(r);
	relayrows_direct(r);
	survivors(r);
	if (!r->set.n && !r->opts->network_only) /* who talks to nobody is complete without an access */
		recorder_reason(r, "not one access was seen");
	variables(r);
	int err = listings(r);
	recorder_hangs(r);
	if (err < 0 || reasons(r) < 0 || argv(r) < 0 || identify(&r->rec) < 0)
		return err_set(e, ENOMEM, "finishing the recording: out of memory");
	r->rec.events = r->set.items;
	r->rec.nevents = r->set.n;
	r->rec.status = exit_code(r);
	r->rec.ended = r->status >= 0;
	r->rec.host = *r->host;
	r->rec.host.recorder = "notify";
	if (!r->rec.host.network_view)
		r->rec.host.network_view = r->opts->proxy_port ? "proxy" : "addresses";
	return 0;
}
