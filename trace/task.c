#include "trace/task.h"

#include "trace/sysdef.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	STATUS_MAX = 8192,
	PARENTS_MAX = 64,
	/* numbers are handed out in turn: one cannot come round in a shorter time than this */
	TRUST_NS = 100 * 1000 * 1000,
	QUIET_NS = 20 * 1000 * 1000,
	SPARE_FDS = 20,
	PURGE_FROM = 16384,
};

static void group_free(struct group *g)
{
	free(g->exe);
	free(g->cwd);
	free(g);
}

static void close_slots(struct tasks *ts)
{
	for (size_t i = 0; i < TASK_SLOTS; i++) {
		fd_drop(&ts->slots[i].dir);
		ts->slots[i].tid = 0;
	}
}

static void forget(struct tasks *ts)
{
	close_slots(ts);
	for (size_t i = 0; i < ts->groups.n; i++) {
		struct group *g = ts->groups.items[i].value;
		if (g)
			group_free(g);
	}
	map_drop(&ts->groups);
}

void tasks_drop(struct tasks *ts)
{
	forget(ts);
	*ts = (struct tasks){ 0 };
}

static uint64_t inode(int dir, const char *path)
{
	struct stat st;
	return fstatat(dir, path, &st, 0) < 0 ? 0 : st.st_ino;
}

int tasks_open(struct tasks *ts, struct err *e)
{
	struct rlimit lim;
	ts->self = getpid();
	ts->ns_mnt = inode(AT_FDCWD, "/proc/self/ns/mnt");
	ts->ns_user = inode(AT_FDCWD, "/proc/self/ns/user");
	if (!ts->ns_mnt)
		return err_set(e, ENOENT, "/proc is not mounted; an audit needs it");
	ts->nslots = TASK_SLOTS;
	if (!getrlimit(RLIMIT_NOFILE, &lim) && lim.rlim_cur < TASK_SLOTS + SPARE_FDS)
		ts->nslots = lim.rlim_cur > SPARE_FDS ? MAX((size_t)lim.rlim_cur - SPARE_FDS, 1u) : 1;
	return 0;
}

static ssize_t slurp(int dir, const char *name, char *buf, size_t size)
{
	OWN(fd) f = fd_own(openat(dir, name, O_RDONLY | O_CLOEXEC));
	if (!f.plus1)
		return -errno;
	/* these files come whole (fs/seq_file.c) */
	ssize_t n = read(fd_no(f), buf, size - 1);
	if (n < 0)
		return -errno;
	buf[n] = 0;
	return n;
}

/* The text after "@key:" at the start of a line, NULL if none. */
static const char *field(const char *text, const char *key)
{
	size_t len = strlen(key);
	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!strncmp(p, key, len) && p[len] == ':')
			return p + len + 1;
	}
	return NULL;
}

static uint32_t fourth(const char *p)
{
	unsigned long v[4] = { 0 };
	if (p)
		(void)sscanf(p, "%lu %lu %lu %lu", &v[0], &v[1], &v[2], &v[3]);
	return (uint32_t)v[3];
}

static void parse_creds(struct creds *c, const char *status, bool host_user)
{
	*c = (struct creds){ .uid = fourth(field(status, "Uid")), .gid = fourth(field(status, "Gid")) };
	const char *p = field(status, "Groups");
	while (p && *p && *p != '\n' && c->ngroups < CREDS_GROUPS) {
		char *end;
		unsigned long v = strtoul(p, &end, 10);
		if (end == p)
			break;
		c->groups[c->ngroups++] = (uint32_t)v;
		p = end + strspn(end, " \t");
	}
	p = field(status, "CapEff");
	unsigned long long caps = p && host_user ? strtoull(p, NULL, 16) : 0;
	c->caps = caps;
	c->dac = caps >> CAP_DAC_OVERRIDE & 1;
	c->search = c->dac || (caps >> CAP_DAC_READ_SEARCH & 1);
	c->fowner = caps >> CAP_FOWNER & 1;
	c->admin = caps >> CAP_SYS_ADMIN & 1;
}

/* Read ids; @tgid may be NULL. */
static int read_status(const struct tasks *ts, struct task *t, pid_t *tgid)
{
	char buf[STATUS_MAX];
	ssize_t n = slurp(fd_no(t->dir), "status", buf, sizeof(buf));
	if (n <= 0)
		return n < 0 ? (int)n : -ESRCH;
	t->other_user = ts->vary_root && inode(fd_no(t->dir), "ns/user") != ts->ns_user;
	parse_creds(&t->creds, buf, !t->other_user);
	t->stale = false;
	const char *p = field(buf, "Tgid");
	if (tgid)
		*tgid = p ? atoi(p) : 0;
	return 0;
}

int tasks_own_creds(struct tasks *ts, struct creds *out)
{
	struct task me = { .dir = fd_own(open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC)) };
	int err = me.dir.plus1 ? read_status(ts, &me, NULL) : -errno;
	fd_drop(&me.dir);
	*out = me.creds;
	return err;
}

/* Parent and start time out of /proc/PID/stat, whose second field may hold anything up to the last ")". */
static int read_stat(pid_t pid, pid_t *parent, pid_t *session, uint64_t *start)
{
	char buf[1024], path[32];
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (slurp(AT_FDCWD, path, buf, sizeof(buf)) <= 0)
		return -ESRCH;
	const char *p = strrchr(buf, ')');
	int ppid, sid;
	unsigned long long began;
	if (!p || sscanf(p, ") %*c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
	                 &ppid, &sid, &began) != 3)
		return -ESRCH;
	*parent = ppid;
	*session = sid;
	*start = began;
	return 0;
}

struct group *tasks_known(const struct tasks *ts, pid_t tgid)
{
	void **slot = map_find(&ts->groups, &tgid, sizeof(tgid));
	return slot ? *slot : NULL;
}

static struct group *group_find(struct tasks *ts, pid_t tgid, uint64_t start)
{
	struct group *g = tasks_known(ts, tgid);
	return g && g->start == start ? g : NULL;
}

/* A build starts hundreds of thousands of processes; the dead ones are of no use but as parents of the living. */
static void purge(struct tasks *ts)
{
	struct map living = { 0 };
	if (ts->groups.n < MAX(ts->purge_at, (size_t)PURGE_FROM))
		return;
	for (size_t i = 0; i < ts->groups.n; i++) {
		struct group *g = ts->groups.items[i].value;
		bool keep = g && (i == 0 || !kill(g->tgid, 0) || errno == EPERM);
		void **slot = keep ? map_put(&living, &g->tgid, sizeof(g->tgid), NULL) : NULL;
		if (slot)
			*slot = g;
		else if (g)
			group_free(g);
	}
	map_drop(&ts->groups);
	ts->groups = living;
	ts->purge_at = living.n * 2;
	close_slots(ts); /* they point to processes */
}

static struct group *group_put(struct tasks *ts, pid_t tgid, uint64_t start, const struct group *parent)
{
	struct group *g = tasks_known(ts, tgid);
	if (!g) {
		g = calloc(1, sizeof(*g));
		if (!g)
			return NULL;
		g->tgid = tgid;
		void **slot = map_put(&ts->groups, &g->tgid, sizeof(g->tgid), NULL);
		if (!slot) {
			free(g);
			return NULL;
		}
		*slot = g;
	}
	free(g->exe);
	free(g->cwd);
	*g = (struct group){ .tgid = tgid, .start = start };
	if (parent) {
		g->proc = parent->proc;
		g->exe = parent->exe ? strdup(parent->exe) : NULL;
	}
	return g;
}

struct group *tasks_group(struct tasks *ts, pid_t tgid)
{
	struct { pid_t pid; uint64_t start; } chain[PARENTS_MAX];
	size_t n = 0;
	struct group *g = NULL;
	pid_t pid = tgid, session = 0;
	while (n < PARENTS_MAX && pid > 1 && pid != ts->self) {
		pid_t parent, sid;
		uint64_t start;
		if (read_stat(pid, &parent, &sid, &start) < 0)
			break;
		if ((g = group_find(ts, pid, start)))
			break;
		chain[n].pid = pid;
		chain[n++].start = start;
		session = sid;
		pid = parent;
	}
	/* an orphan came to the recorder: its session's leader is the best guess, then the command itself */
	if (!g && n && session)
		g = tasks_known(ts, session);
	for (size_t i = 0; !g && i < ts->groups.n; i++)
		g = ts->groups.items[i].value;
	while (n--) {
		g = group_put(ts, chain[n].pid, chain[n].start, g);
		if (!g)
			return NULL;
	}
	return g && g->tgid == tgid ? g : NULL;
}

static int task_fill(struct tasks *ts, struct task *t, pid_t tid, uint64_t now)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d", tid);
	fd_drop(&t->dir);
	*t = (struct task){ .tid = tid, .checked_ns = now };
	t->dir = fd_own(open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
	if (!t->dir.plus1)
		return -errno;
	pid_t tgid = 0;
	int err = read_status(ts, t, &tgid);
	if (err)
		return err;
	t->group = tasks_group(ts, tgid);
	return t->group ? 0 : -ESRCH;
}

static void look_root(struct tasks *ts, struct task *t)
{
	char root[8];
	t->other_root = t->other_mnt = false;
	if (!ts->vary_root || ts->as_host)
		return;
	ssize_t n = readlinkat(fd_no(t->dir), "root", root, sizeof(root));
	t->other_root = n >= 0 && !(n == 1 && root[0] == '/');
	t->other_mnt = inode(fd_no(t->dir), "ns/mnt") != ts->ns_mnt;
}

struct task *tasks_get(struct tasks *ts, pid_t tid, uint64_t now)
{
	struct task *t = &ts->slots[(size_t)tid % ts->nslots];
	int err = 0;
	char probe;
	if (t->tid == tid && now - t->checked_ns > TRUST_NS && readlinkat(fd_no(t->dir), "exe", &probe, 1) < 0)
		t->tid = 0;
	if (t->tid != tid) {
		purge(ts);
		err = task_fill(ts, t, tid, now);
	} else if (t->stale) {
		err = read_status(ts, t, NULL);
	}
	if (err) {
		t->tid = 0;
		errno = -err;
		return NULL;
	}
	t->checked_ns = now;
	if (t->group->mover == tid)
		t->group->mover = 0;
	look_root(ts, t);
	return t;
}

ssize_t task_link(const struct task *t, const char *name, char *buf, size_t size)
{
	ssize_t n = readlinkat(fd_no(t->dir), name, buf, size);
	if (n < 0)
		return -errno;
	if ((size_t)n >= size)
		return -ENAMETOOLONG;
	buf[n] = 0;
	return n;
}

ssize_t task_cwd(struct tasks *ts, struct task *t, char *buf, size_t size)
{
	struct group *g = t->group;
	bool cache = !g->mover && !ts->shared_fs && !ts->vary_root && t->checked_ns > ts->quiet_ns;
	if (cache && g->cwd && g->cwd_epoch == ts->epoch) {
		size_t len = strlen(g->cwd);
		if (len >= size)
			return -ENAMETOOLONG;
		memcpy(buf, g->cwd, len + 1);
		return (ssize_t)len;
	}
	ssize_t n = task_link(t, "cwd", buf, size);
	free(g->cwd);
	g->cwd = n >= 0 && cache ? strdup(buf) : NULL;
	g->cwd_epoch = ts->epoch;
	return n;
}

void tasks_after(struct tasks *ts, struct task *t, int after)
{
	switch ((enum call_after)after) {
	case AFTER_NOTHING:
		break;
	case AFTER_CWD:
		t->group->mover = t->tid;
		free(t->group->cwd);
		t->group->cwd = NULL;
		break;
	case AFTER_ROOT:
		ts->vary_root = true;
		ts->epoch++;
		ts->quiet_ns = t->checked_ns + QUIET_NS;
		t->stale = true;
		break;
	case AFTER_CRED:
		t->stale = true;
		break;
	case AFTER_NAMES:
		ts->epoch++;
		ts->quiet_ns = t->checked_ns + QUIET_NS;
		break;
	}
}

bool tasks_in_tree(const struct tasks *ts, pid_t pid)
{
	for (int i = 0; i < PARENTS_MAX && pid > 1; i++) {
		pid_t parent, session;
		uint64_t start;
		if (read_stat(pid, &parent, &session, &start) < 0)
			return false;
		if (parent == ts->self)
			return true;
		pid = parent;
	}
	return false;
}
