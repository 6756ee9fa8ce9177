#include "trace/launch.h"

#include "trace/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const int changed[LAUNCH_NSIGNALS] = LAUNCH_SIGNALS;

void sigstate_restore(const struct sigstate *old)
{
	for (size_t i = 0; i < LAUNCH_NSIGNALS; i++)
		(void)sigaction(changed[i], &old->act[i], NULL);
	(void)sigprocmask(SIG_SETMASK, &old->mask, NULL);
}

int sigstate_take(struct sigstate *old, struct err *e)
{
	sigset_t data;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, usual = { .sa_handler = SIG_DFL };
	sigemptyset(&data);
	for (size_t i = 0; i < LAUNCH_NSIGNALS; i++) {
		int s = changed[i];
		bool read = s == SIGTERM || s == SIGHUP || s == SIGCHLD;
		if (read)
			sigaddset(&data, s);
		/* an ignored SIGCHLD would take the children's status away */
		if (sigaction(s, read ? &usual : &ignore, &old->act[i]) < 0)
			return err_sys(e, "sigaction");
	}
	if (sigprocmask(SIG_BLOCK, &data, &old->mask) < 0)
		return err_sys(e, "sigprocmask");
	/* who had ignored them keeps that */
	for (size_t i = 0; i < LAUNCH_NSIGNALS; i++)
		if ((changed[i] == SIGTERM || changed[i] == SIGHUP) && old->act[i].sa_handler == SIG_IGN)
			(void)sigaction(changed[i], &ignore, NULL);
	return 0;
}

void launch_drop(struct launch *l)
{
	if (l->pid > 0 && l->go.plus1) { /* never let go */
		kill(l->pid, SIGKILL);
		waitpid(l->pid, NULL, 0);
	}
	fd_drop(&l->go);
	fd_drop(&l->fail);
	fd_drop(&l->listener);
	*l = (struct launch){ 0 };
}

static const char *variable(char *const *env, const char *name, size_t n)
{
	for (char *const *v = env; v && *v; v++)
		if (!strncmp(*v, name, n) && (*v)[n] == '=')
			return *v + n + 1;
	return NULL;
}

/* Find @name as a shell would, into @file. 0 or errno. */
static int search(const char *name, char *const *env, char *file, size_t size)
{
	const char *path = variable(env, "PATH", 4);
	int best = ENOENT;
	if (strchr(name, '/') || !*name)
		return snprintf(file, size, "%s", name) < (int)size ? 0 : ENAMETOOLONG;
	if (!path)
		path = "/usr/local/bin:/bin:/usr/bin";
	for (;; path++) {
		size_t n = strcspn(path, ":");
		struct stat st;
		if (snprintf(file, size, "%.*s%s%s", (int)n, path, n ? "/" : "", name) < (int)size &&
		    !stat(file, &st) && S_ISREG(st.st_mode)) {
			if (!faccessat(AT_FDCWD, file, X_OK, AT_EACCESS))
				return 0;
			best = EACCES;
		}
		path += n;
		if (!*path)
			return best;
	}
}

/* Text without "#!" is run by sh, as execvp(3) and shells do. Only returns on failure. */
static int execute(char *file, char *const *argv, char *const *env)
{
	execve(file, argv, env);
	if (errno != ENOEXEC)
		return errno;
	size_t argc = 0;
	while (argv[argc])
		argc++;
	char **again = calloc(argc + 2, sizeof(*again));
	if (!again)
		return ENOMEM;
	again[0] = strdup("sh");
	again[1] = file;
	for (size_t i = 1; i < argc; i++)
		again[i + 1] = argv[i];
	execve("/bin/sh", again, env);
	return errno;
}

struct pipes {
	int number[2], go[2], fail[2];
};

/* Makes no call that the filter notifies after installing it, but execve. */
static void child(const struct callfilter *f, bool keep_privs, const struct sigstate *sig, const struct pipes *p,
                  const struct trace_opts *o)
{
	char c, file[PATH_MAX];
	/* the way there and the search are snug's, not the command's, so they come before the filter */
	int err = o->cwd && chdir(o->cwd) < 0 ? errno : search(o->argv[0], o->env, file, sizeof(file));
	int n = notify_install(f, keep_privs);
	if (write(p->number[1], &n, sizeof(n)) != sizeof(n) || n < 0)
		_exit(125);
	close(p->go[1]);
	while (read(p->go[0], &c, 1) < 0 && errno == EINTR)
		;
	close(n);
	sigstate_restore(sig);
	if (!err)
		err = execute(file, o->argv, o->env);
	(void)!write(p->fail[1], &err, sizeof(err));
	_exit(err == ENOENT ? 127 : 126);
}

static int refused(struct err *e, int err)
{
	if (err == -EBUSY)
		return err_set(e, EBUSY, "something else already listens to this tree's system calls (an outer audit, or "
		               "the container manager), and the kernel allows one listener; run the audit outside of it");
	if (err == -ENOSYS || err == -EINVAL)
		return err_set(e, ENOSYS, "this kernel has no seccomp user notification (Linux 5.0 or newer, "
		               "CONFIG_SECCOMP_FILTER); snug check tells more");
	if (err == -EMFILE || err == -ENFILE)
		return err_set(e, -err, "installing the seccomp filter: too many open files; raise the limit (ulimit -n)");
	return err_set(e, -err, "installing the seccomp filter: %s; a container that denies seccomp(2) must allow it",
	               strerror(-err));
}

int launch_start(struct launch *out, const struct callfilter *f, bool keep_privs, const struct sigstate *sig,
                 const struct trace_opts *o, struct err *e)
{
	struct pipes p;
	if (o->cwd && faccessat(AT_FDCWD, o->cwd, X_OK, AT_EACCESS) < 0)
		return err_sys(e, "working directory %s", o->cwd);
	if (pipe2(p.number, O_CLOEXEC) < 0 || pipe2(p.go, O_CLOEXEC) < 0 || pipe2(p.fail, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	OWN(launch) l = { .pid = fork() };
	if (l.pid < 0)
		return err_sys(e, "fork");
	if (!l.pid)
		child(f, keep_privs, sig, &p, o);
	l.go = fd_own(p.go[1]);
	l.fail = fd_own(p.fail[0]);
	OWN(fd) number = fd_own(p.number[0]);
	close(p.number[1]);
	close(p.go[0]);
	close(p.fail[1]);
	int n = -EIO;
	ssize_t got;
	while ((got = read(fd_no(number), &n, sizeof(n))) < 0 && errno == EINTR)
		;
	if (got != sizeof(n) || n < 0)
		return refused(e, got == sizeof(n) ? n : -EIO);
	int err = notify_take(&l.listener, l.pid, n, &l.sync, e);
	if (err)
		return err;
	*out = TAKE(l);
	return 0;
}
