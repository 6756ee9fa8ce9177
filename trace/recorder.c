/*
 * How this works
 *
 * The command's first process installs the filter and tells the listener's number over a pipe (no notified call);
 * this process takes it (pidfd_getfd) and is its only holder. For each notification: receive, read the caller's
 * memory, resolve, predict, answer CONTINUE, store.
 *
 * Why no SECCOMP_IOCTL_NOTIF_ID_VALID: the answer itself fails with ENOENT when the id is no longer valid. Nothing is
 * stored before the answer succeeded, and as the thread waits from RECV to the answer, its number, memory and /proc
 * entries were its own all the time. A call whose answer failed was interrupted: it did not happen, or comes again.
 *
 * A lost listener would give every notified call ENOSYS; so the listener lives as long as the tree (see recorder_linger).
 */
#include "trace/recorder.h"

#include "base/path.h"

#include "trace/listening.h"
#include "trace/notify.h"
#include "trace/sockaddr.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS_MAX = 2000000 };

#ifdef __x86_64__
#define NATIVE AUDIT_ARCH_X86_64
#else
#define NATIVE AUDIT_ARCH_AARCH64
#endif

uint64_t recorder_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void recorder_drop(struct recorder *r)
{
	launch_drop(&r->launch);
	eventset_drop(&r->set);
	tasks_drop(&r->tasks);
	resolver_drop(&r->names);
	sysdefs_drop(&r->defs);
	redactor_drop(&r->secrets);
	sockports_drop(&r->ports);
	envuse_drop(&r->env);
	map_drop(&r->reasons);
	arena_drop(&r->rec.arena);
	*r = (struct recorder){ .ctl = -1 };
}

void recorder_reason(struct recorder *r, const char *fmt, ...)
{
	char text[640];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	enum { REASONS_MAX = 200 };
	if (r->reasons.n >= REASONS_MAX)
		return;
	const char *kept = eventset_str(&r->set, text);
	if (kept)
		(void)map_put(&r->reasons, kept, strlen(kept), NULL);
}

/* Asked of the kernel for the recorder's own ids, which are the caller's. */
static int kernel_may(void *arg, const char *path, int mode)
{
	struct resolver *names = arg;
	struct hangs *h = &names->hangs;
	char buf[PATH_MAX + 32];
	const struct hangpoint *slow = h->n ? hangs_at(h, path) : NULL;
	if (slow) {
		ssize_t err = hangs_ask(h, slow, &(struct question){ .what = ASK_MAY, .arg = mode }, path, NULL, NULL, 0);
		return err == -EACCES || err == -EROFS || err == -EPERM ? (int)-err : 0;
	}
	if (!faccessat(AT_FDCWD, resolver_place(names, path, buf, sizeof(buf)), mode, AT_EACCESS))
		return 0;
	/* it may have gone meanwhile; only a refusal is an answer */
	return errno == EACCES || errno == EROFS || errno == EPERM ? errno : 0;
}

static bool protected_hardlinks(void)
{
	char c = '0';
	OWN(fd) f = fd_own(open("/proc/sys/fs/protected_hardlinks", O_RDONLY | O_CLOEXEC));
	return f.plus1 && read(fd_no(f), &c, 1) == 1 && c == '1';
}

/* The user's variable @name ("PATH=" with its sign), or NULL. */
static const char *user_var(const char *const *env, const char *name)
{
	size_t n = strlen(name);
	for (; env && *env; env++)
		if (!strncmp(*env, name, n))
			return *env + n;
	return NULL;
}

/* All but the command. *@privileged: its programs may still gain privileges. */
static int prepare(struct recorder *r, const struct host *host, const struct trace_opts *o, int ctl, bool *privileged,
                   struct err *e)
{
	*r = (struct recorder){ .opts = o, .host = host, .ctl = ctl, .status = -1 };
	r->set.arena = &r->rec.arena;
	r->set.limit = EVENTS_MAX;
	int err = tasks_open(&r->tasks, e);
	if (err)
		return err;
	const char *const *real = (const char *const *)o->real_env;
	r->path = user_var(real, "PATH=");
	r->pwd = user_var(real, "PWD=");
	r->oldpwd = user_var(real, "OLDPWD=");
	if (resolver_open(&r->names, &r->tasks) < 0 || sysdefs_load(&r->defs) < 0 ||
	    redactor_add_env(&r->secrets, real) < 0 || envuse_open(&r->env, real) < 0)
		return err_set(e, ENOMEM, "starting the recorder: out of memory");
	r->decoder.predictor.may = kernel_may;
	r->decoder.predictor.arg = &r->names;
	r->decoder.predictor.names = &r->names;
	r->decoder.predictor.hangs = &r->names.hangs;
	r->names.in_view = o->in_view;
	r->decoder.predictor.protected_links = protected_hardlinks();
	struct creds *me = &r->decoder.predictor.self;
	if (tasks_own_creds(&r->tasks, me) < 0)
		return err_set(e, EIO, "/proc/self/status cannot be read");
	*privileged = me->admin && !geteuid();
	r->decoder.names = &r->names;
	r->decoder.defs = &r->defs;
	r->decoder.quiet_files = o->network_only;
	r->decoder.keep_privs = *privileged;
	r->decoder.redactor = &r->secrets;
	return 0;
}

int recorder_open(struct recorder *r, const struct host *host, const struct trace_opts *o, int ctl,
                  const struct sigstate *sig, struct err *e)
{
	bool privileged = false;
	int err = prepare(r, host, o, ctl, &privileged, e);
	struct callfilter *f = err ? NULL : malloc(sizeof(*f));
	if (err || !f)
		return err ? err : err_set(e, ENOMEM, "starting the recorder: out of memory");
	err = callfilter_build(f, &r->defs, o->network_only, e);
	/* orphans of the tree come to this process: it may read them under Yama's scope 1, and sees their end */
	if (!err && prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		err = err_sys(e, "PR_SET_CHILD_SUBREAPER");
	if (!err)
		err = launch_start(&r->launch, f, privileged, sig, o, e);
	free(f);
	if (err)
		return err;
	/* the tree runs under the same id: it must not read or steer the process that watches it (ptrace(2)); not
	 * earlier, as the command's first process inherits it until its execve and could not be read */
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	return tasks_group(&r->tasks, r->launch.pid) ? 0 : err_set(e, ESRCH, "the command's process is gone");
}

int recorder_attach(struct recorder *r, const struct host *host, const struct trace_opts *o, int ctl, struct err *e)
{
	bool privileged = false;
	int err = prepare(r, host, o, ctl, &privileged, e);
	r->tasks.as_host = true;
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* as above, though the sandbox does not show it */
	return err;
}

static const char *name_of(const struct recorder *r, const struct task *t)
{
	uint32_t id = t ? t->group->proc : 0;
	const struct proc *p = id && id <= r->rec.nprocs ? &r->rec.procs[id - 1] : NULL;
	return p && p->exe ? p->exe : "a process";
}

/* A call of another architecture or of x32: seen, not understood. */
static int foreign(struct recorder *r, const struct seccomp_notif *n, struct task *t)
{
	bool x32 = n->data.arch == NATIVE;
	unsigned nr = (unsigned)n->data.nr & ~0x40000000u;
	recorder_reason(r, "%s made %s system calls, which are seen but not decoded", name_of(r, t),
	                x32 ? "x32" : n->data.arch == AUDIT_ARCH_I386 ? "32-bit (i386)" : "foreign");
	if (sysdef_is_uring((int)nr))
		return notify_refuse(fd_no(r->launch.listener), n->id, ENOSYS);
	return notify_continue(fd_no(r->launch.listener), n->id);
}

static bool loopback(const struct access *a)
{
	const char *s = a->obj[0].spelled;
	return !strncmp(s, "127.", 4) || !strncmp(s, "[::1]", 5) || !strncmp(s, "0.0.0.0:", 8) || !strncmp(s, "[::]:", 5) ||
	       !strncmp(s, "[::ffff:127.", 12);
}

/* Nobody listens: what no prediction knew is known. */
static void refused(struct task *t, struct call *c)
{
	struct seen *s = c->sockfd >= 0 && c->n ? &c->seen[c->n - 1] : NULL;
	if (!s || s->acc.op != OP_CONNECT || s->source != OUT_UNKNOWN || !loopback(&s->acc) || (s->acc.flags & 0xf) != SOCK_STREAM)
		return;
	if (port_listening(t->group->tgid, s->acc.port))
		return;
	s->outcome = ECONNREFUSED;
	s->source = OUT_PREDICTED;
}

/* Connections to the offered proxy are the proxy's to tell; others past it are marked. Return: drop the event. */
static bool inet_connect(struct recorder *r, struct task *t, struct call *c, uint32_t proc, uint64_t now)
{
	if (c->sockfd < 0 || !c->n || !r->opts->proxy_port)
		return false;
	struct access *a = &c->seen[c->n - 1].acc;
	bool local = loopback(a);
	if (local && a->port == r->opts->proxy_port && a->flags != SOCK_DGRAM) {
		sockports_expect(&r->ports, t->group->tgid, c->sockfd, proc, now);
		return true;
	}
	if (!local && a->flags != SOCK_DGRAM)
		a->marks |= MARK_BYPASS;
	return false;
}

static bool in_path(const char *list, const char *dir, size_t n)
{
	while (list) {
		size_t len = strcspn(list, ":");
		if (len == n && !memcmp(list, dir, n))
			return true;
		list = list[len] ? list + len + 1 : NULL;
	}
	return false;
}

/* What only the user's own variables tell about an access: values are not recorded. */
static void mark_by_env(const struct recorder *r, const struct call *c, struct access *a)
{
	const char *spelled = a->obj[0].spelled;
	if (!spelled)
		return;
	if (a->op == OP_EXEC && c->program.bare && in_path(r->path, spelled, path_parent_len(spelled)))
		a->marks |= MARK_PATH;
	if (spelled[0] != '/' || (a->op != OP_STAT && a->op != OP_READLINK))
		return;
	/* a shell asks whether $PWD is where it is, bash name by name; confined that may name the directory without links */
	if ((r->oldpwd && a->op == OP_STAT && !strcmp(r->oldpwd, spelled)) || (r->pwd && path_under(r->pwd, spelled)))
		a->marks |= MARK_OLDPWD;
}

static void store(struct recorder *r, struct group *g, struct call *c, uint32_t caller, uint32_t image, uint64_t now)
{
	for (size_t i = 0; i < c->n; i++) {
		struct seen *s = &c->seen[i];
		mark_by_env(r, c, &s->acc);
		uint32_t proc = s->acc.op == OP_LOAD || !caller ? image : caller;
		if (eventset_add(&r->set, proc, &s->acc, s->outcome, s->source, now - r->start_ns) < 0)
			recorder_reason(r, "memory ran out; accesses are missing");
		if (s->acc.op == OP_EXEC)
			g->exec_event = r->set.last;
		if (r->npipes && s->acc.op == OP_OPEN && s->acc.obj[0].type == FT_FIFO)
			recorder_given_pipe(r, proc, &s->acc, now);
	}
	if (r->set.lost)
		recorder_reason(r, "more than %d different accesses; the later ones are missing", EVENTS_MAX);
}

void recorder_hangs(struct recorder *r)
{
	char *where = hangs_news(&r->names.hangs);
	if (where)
		recorder_reason(r, "%s did not answer within %d ms; what is below it is unknown", where, ASK_LIMIT_MS);
	free(where);
}

/* Operations by which what is there becomes another. */
static const bool changing[OP_COUNT] = {
	[OP_TRUNCATE] = true, [OP_CHMOD] = true, [OP_CHOWN] = true, [OP_UTIME] = true, [OP_SETXATTR] = true,
	[OP_UNLINK] = true, [OP_RMDIR] = true, [OP_RENAME] = true,
};

/* Of a directory, only being moved or removed: what is in it has changes of its own. */
static bool changes(const struct access *a, const struct object *o)
{
	bool moves = a->op == OP_RENAME || a->op == OP_RMDIR;
	bool writes = a->op == OP_OPEN && ((a->flags & O_ACCMODE) != O_RDONLY || a->flags & O_TRUNC);
	if (!o->path || o->path[0] != '/')
		return false;
	return o->type == FT_DIR ? moves : (o->type == FT_FILE || o->type == FT_LINK) && (writes || changing[a->op]);
}

/* What the call @c will change is still as it was. */
static void tell_change(const struct recorder *r, const struct call *c)
{
	for (size_t i = 0; r->opts->before_change && i < c->n; i++) {
		const struct seen *s = &c->seen[i];
		for (int k = 0; k < op_objects(s->acc.op) && !s->outcome; k++)
			if (!(s->acc.marks & (MARK_OTHER_MNT | MARK_OTHER_ROOT | MARK_FD)) && changes(&s->acc, &s->acc.obj[k]) &&
			    !hangs_at(&r->names.hangs, s->acc.obj[k].path))
				r->opts->before_change(r->opts->change_arg, s->acc.obj[k].path);
	}
}

static int answer(struct recorder *r, uint64_t id, int refuse)
{
	int listener = fd_no(r->launch.listener);
	return refuse ? notify_refuse(listener, id, refuse) : notify_continue(listener, id);
}

static const struct refusal *refusal_of(const struct recorder *r, const struct seccomp_data *d)
{
	for (size_t i = 0; d->arch == NATIVE && i < r->opts->nrefuse; i++)
		if (r->opts->refuse[i].nr == d->nr)
			return &r->opts->refuse[i];
	return NULL;
}

/* What the policy denies by name: refused, whatever can be learnt of it. */
static int refuse_call(struct recorder *r, const struct seccomp_notif *n, const struct refusal *no)
{
	struct call c = { 0 };
	struct task *t = tasks_get(&r->tasks, (pid_t)n->pid, r->last_ns);
	bool told = t && decode_call(&r->decoder, t, &n->data, &c) == 0 && c.n;
	int err = notify_refuse(fd_no(r->launch.listener), n->id, no->err);
	if (err || !t)
		return err == -ENOENT ? 0 : err;
	uint32_t image = recorder_image(r, t, NULL);
	struct access a = { .op = OP_SYSCALL, .uid = r->host->uid, .gid = r->host->gid };
	a.obj[0].spelled = no->name;
	if (told)
		store(r, t->group, &c, image, image, r->last_ns);
	else if (eventset_add(&r->set, image, &a, 0, OUT_PREDICTED, r->last_ns - r->start_ns) < 0)
		recorder_reason(r, "memory ran out; accesses are missing");
	return 0;
}

int recorder_call(struct recorder *r)
{
	struct seccomp_notif n;
	struct call c;
	int err = notify_recv(fd_no(r->launch.listener), &n);
	if (err)
		return err == -ENOENT || err == -EINTR ? 1 : err;
	uint64_t now = r->last_ns = recorder_now();
	resolver_reset(&r->names, now);
	const struct refusal *no = refusal_of(r, &n.data);
	if (no)
		return refuse_call(r, &n, no);
	struct task *t = tasks_get(&r->tasks, (pid_t)n.pid, now);
	if (n.data.arch != NATIVE || (unsigned)n.data.nr >= 0x40000000u) {
		err = foreign(r, &n, t);
		return err == -ENOENT ? 0 : err;
	}
	if (!t) {
		if (errno != ESRCH && errno != ENOENT)
			recorder_reason(r, "process %s could not be read (%s); its accesses are missing",
			                "of the tree", strerror(errno));
		err = answer(r, n.id, 0);
		return err == -ENOENT ? 0 : err;
	}
	uint32_t caller = recorder_image(r, t, NULL);
	if (!caller && r->tasks.as_host && !r->rec.nprocs)
		caller = recorder_first(r, t);
	uint32_t image = caller;
	err = decode_call(&r->decoder, t, &n.data, &c);
	if (err == -ENOMEM)
		recorder_reason(r, "memory ran out; accesses are missing");
	bool drop = !err && inet_connect(r, t, &c, caller, now);
	if (!err && !drop)
		refused(t, &c);
	/* what a call will change must not be taken from memory from now on */
	if (c.def && c.def->after && (c.def->after != AFTER_NAMES || c.moves))
		tasks_after(&r->tasks, t, c.def->after);
	if (c.starts)
		image = recorder_image(r, t, &c.program);
	if (c.starts && !caller && !r->opts->network_only)
		recorder_inherited(r, t, image, now);
	if (!err && !c.refuse)
		tell_change(r, &c);
	int sent = answer(r, n.id, c.refuse);
	if (sent) {
		if (c.starts) /* it did not start; the same image goes on */
			t->group->proc = caller, t->group->before = 0;
		return sent == -ENOENT ? 0 : sent;
	}
	if (r->ports.npending)
		sockports_poll(&r->ports, recorder_now());
	if (r->names.hangs.news)
		recorder_hangs(r);
	/* the memory of the process that snug built the sandbox in is closed to everybody; its one call is known anyway */
	if (c.incomplete && (caller || !r->tasks.as_host))
		recorder_reason(r, "%s", c.incomplete);
	if (!drop && !err)
		store(r, t->group, &c, caller, image, now);
	if (c.starts && !err) {
		if (c.program.setid && !r->tasks.as_host) /* a confined run never has it: nothing is missed */
			recorder_reason(r, "lost set-uid: %s (no_new_privs; run the audit as root to see it work)",
			                c.program.exe ? c.program.exe : "a program");
		recorder_scan_program(r, image, &c.program);
	}
	return 0;
}
