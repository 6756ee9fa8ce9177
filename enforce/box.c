/* box.c - start: channels, clone, and the supervisor's side of the half-built sandbox */
#include "enforce/box.h"

#include "enforce/copy.h"
#include "enforce/create.h"
#include "enforce/step.h"
#include "enforce/sysw.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

/*
 * How this works: clone3 makes a child in new namespaces, which becomes pid 1: it runs the table in step.c, forks the
 * command and stays as its reaper (init.c). Two channels: `errs`, a pipe whose end without bytes means that execve
 * worked, otherwise it carries one struct failure; `ctl`, a socket pair that takes descriptors out of the sandbox and
 * the word to go on in. The child sets its parent-death signal first and then asks `ctl` whether we are still there, so
 * there is no moment in which it could outlive us; the kernel ends the rest of the tree with pid 1.
 * Dropped: building the view from outside by setns (a second set of races), and clone by glibc (its child needs a stack).
 */

enum {
	FDS_MAX = COPIES_MAX + HANDED_MAX + 2, /* in one message: copies, streams, terminal, listener; SCM_MAX_FD is 253 */
	SPACES = CLONE_NEWNS | CLONE_NEWPID, /* pid 1 has the others made while it mounts, st_net.c */
};

static bool needs_report(const struct policy *pol, const struct box_opts *o, const struct box *b)
{
	return b->pty || o->hold || pol->network.v == NET_PROXY || b->ncopies || stdio_anew(o);
}

static bool holds(const struct policy *pol, const struct box_opts *o)
{
	return o->hold || pol->network.v == NET_PROXY;
}

/* In the child: hand the descriptors out, then wait for leave or at least see that somebody is there. */
int st_report(struct build *b, struct err *e)
{
	char go;
	st_net_end(b);
	if (b->report) {
		struct ready ready = { .port = b->port, .listener = b->listener.plus1 != 0, .pty = b->master.plus1 != 0 };
		int fds[FDS_MAX], n = 0;
		if (b->master.plus1)
			fds[n++] = fd_no(b->master);
		if (b->listener.plus1)
			fds[n++] = fd_no(b->listener);
		for (unsigned i = 0; i < HANDED_MAX; i++) {
			if (b->stdio[i].plus1) {
				ready.stdio |= 1U << i;
				fds[n++] = fd_no(b->stdio[i]);
			}
		}
		for (size_t i = 0; i < b->ncopies; i++)
			fds[n++] = fd_no(b->copies[i]);
		union { char buf[CMSG_SPACE(sizeof(fds))]; struct cmsghdr align; } u = { 0 };
		struct iovec iov = { &ready, sizeof(ready) };
		struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
		if (n) {
			m.msg_control = u.buf;
			m.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)n);
			struct cmsghdr *c = CMSG_FIRSTHDR(&m);
			*c = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
			                       .cmsg_len = CMSG_LEN(sizeof(int) * (size_t)n) };
			memcpy(CMSG_DATA(c), fds, sizeof(int) * (size_t)n);
		}
		if (sendmsg(b->ctl, &m, MSG_NOSIGNAL) < 0)
			return err_sys(e, "send descriptors to snug");
	}
	ssize_t n = recv(b->ctl, &go, 1, holds(b->pol, b->opts) ? 0 : MSG_DONTWAIT);
	if (n == 0)
		_exit(125); /* snug is gone, or gave up */
	if (n < 0 && errno != EAGAIN)
		return err_sys(e, "wait for snug");
	return 0;
}

_Noreturn static void child_main(struct build *b)
{
	struct failure f = { 0 };
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
		err_sys(&f.e, "PR_SET_PDEATHSIG");
	b->umask = umask(0);
	if (!f.e.code && steps_run(box_steps, b, &f.e) == 0)
		init_main(b);
	ssize_t n = write(b->errs, &f, sizeof(f));
	_exit(n < 0 ? 126 : 125); /* either way the reader sees the end */
}

static int check_keep(const struct box_opts *o, struct err *e)
{
	if (o->nkeep_fd > HANDED_MAX - 3)
		return err_set(e, E2BIG, "more than %d descriptors to keep: hand several over by a socket", HANDED_MAX - 3);
	for (size_t i = 0; i < o->nkeep_fd; i++) {
		if (o->keep_fd[i] < 3)
			return err_set(e, EINVAL, "descriptor %d cannot be kept: 0 to 2 always are, others start at 3",
			               o->keep_fd[i]);
		if (fcntl(o->keep_fd[i], F_GETFD) < 0)
			return err_sys(e, "descriptor %d is to be kept, and is not open", o->keep_fd[i]);
	}
	return 0;
}

/* SIGCHLD ignored would make the kernel reap for us, and the status would be lost. */
static bool default_chld(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL }, old;
	return sigaction(SIGCHLD, &dfl, &old) == 0 && old.sa_handler == SIG_IGN;
}

static pid_t clone_box(struct fd *pidfd, bool userns)
{
	int fd = -1;
	uint64_t flags = SPACES | CLONE_PIDFD | (userns ? CLONE_NEWUSER : 0);
	struct clone_args args = { .flags = flags, .pidfd = (uintptr_t)&fd, .exit_signal = SIGCHLD };
	pid_t pid = sys_clone3(&args);
	if (pid < 0 && errno == ENOSYS)
		pid = (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, &fd, NULL, 0);
	if (pid > 0)
		*pidfd = fd_own(fd);
	return pid;
}

/* What the child needs; on the way out only memory is to be given back, the descriptors are borrowed. */
static void build_drop(struct build *b)
{
	filter_drop(&b->filter);
	filter_drop(&b->front);
	arena_drop(&b->mem);
}

static int spawn(struct box *b, const struct policy *pol, const struct box_opts *opts, bool report, struct err *e)
{
	int pipe_[2], pair[2];
	OWN(build) build = {
		.pol = pol, .opts = opts, .uid = pol->uid, .gid = pol->gid, .userns = !pol->privileged, .mask = b->mask,
		.copy = b->copies, .report = report, .pty = b->pty,
	};
	int r = steps_run(before_steps, &build, e);
	if (r < 0)
		return r;
	build.chld_ignored = default_chld();
	if (pipe2(pipe_, O_CLOEXEC) != 0)
		return err_sys(e, "pipe");
	OWN(fd) errs_in = fd_own(pipe_[1]);
	b->errs = fd_own(pipe_[0]);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return err_sys(e, "socketpair");
	OWN(fd) ctl_in = fd_own(pair[1]);
	b->ctl = fd_own(pair[0]);
	build.ctl = fd_no(ctl_in);
	build.errs = fd_no(errs_in);
	b->init = clone_box(&b->pidfd, build.userns);
	if (b->init < 0) {
		b->init = 0;
		return userns_refused(errno, pol, e);
	}
	if (b->init == 0) {
		fd_drop(&b->ctl); /* else we would never see that snug is gone */
		fd_drop(&b->errs);
		child_main(&build);
	}
	return 0;
}

/* The child's failure as if it had happened here; 0 where it executed the command or says why execve failed. */
static int read_errs(struct box *b, struct err *e)
{
	struct failure f;
	ssize_t n;
	do
		n = read(fd_no(b->errs), &f, sizeof(f));
	while (n < 0 && errno == EINTR);
	fd_drop(&b->errs);
	if (n == 0)
		return 0;
	if (n != sizeof(f))
		return err_set(e, EIO, "the sandbox failed without saying why");
	if (f.exec) {
		b->exec_err = f.e.code;
		b->exec_interp = f.interp;
		return 0;
	}
	*e = f.e;
	e->file = NULL;
	return -e->code;
}

static int read_ready(struct box *b, struct err *e)
{
	struct ready ready;
	int fds[FDS_MAX];
	union { char buf[CMSG_SPACE(sizeof(fds))]; struct cmsghdr align; } u;
	struct iovec iov = { &ready, sizeof(ready) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = u.buf, .msg_controllen = sizeof(u.buf) };
	ssize_t n;
	do
		n = recvmsg(fd_no(b->ctl), &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0) /* it waits for an answer, and would not tell anything more */
		return err_sys(e, "take over the sandbox's descriptors");
	if (n != sizeof(ready)) {
		int r = read_errs(b, e); /* it has failed before: that is the story */
		return r < 0 ? r : err_set(e, EIO, "the sandbox ended before it was ready");
	}
	size_t nfds = 0;
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_type == SCM_RIGHTS) {
		nfds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(c), nfds * sizeof(int));
	}
	size_t at = 0;
	if (ready.pty && at < nfds) {
		b->pty->master = fd_own(fds[at++]);
	} else { /* there is none without its step, knobs.h */
		pty_free(b->pty);
		b->pty = NULL;
	}
	if (ready.listener && at < nfds) {
		b->proxy = fd_own(fds[at++]);
		b->proxy_port = ready.port;
	}
	for (unsigned i = 0; i < HANDED_MAX && at < nfds; i++) {
		if (ready.stdio & 1U << i)
			b->stdio[i] = fd_own(fds[at++]);
	}
	for (size_t i = 0; i < b->ncopies && at < nfds; i++)
		b->copies[i].place = fd_own(fds[at++]);
	return 0;
}

static int start(struct box *b, const struct policy *pol, const struct box_opts *opts, struct err *e)
{
	int r = check_keep(opts, e);
	if (r == 0)
		r = create_sources(pol, e);
	if (r == 0)
		r = copies_open(&b->copies, &b->ncopies, pol, e);
	if (r < 0)
		return r;
	sigset_t block;
	sigfillset(&block);
	/* being continued cannot wait; faults cannot be blocked in any useful way */
	const int free_[] = { SIGCONT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP };
	for (size_t i = 0; i < LEN(free_); i++)
		sigdelset(&block, free_[i]);
	if (sigprocmask(SIG_BLOCK, &block, &b->mask) != 0)
		return err_sys(e, "block signals");
	b->masked = true;
	for (size_t i = 0; i < HANDED_MAX; i++)
		b->stdio_no[i] = handed_no(opts, i);
	r = pty_open(&b->pty, b->stdio_no, &b->mask, e);
	if (r < 0)
		return r;
	bool report = needs_report(pol, opts, b);
	r = spawn(b, pol, opts, report, e);
	if (r == 0 && report)
		r = read_ready(b, e);
	return r < 0 || holds(pol, opts) ? r : read_errs(b, e);
}

int box_start(struct box *out, const struct policy *pol, const struct box_opts *opts, struct err *e)
{
	OWN(box) b = { 0 };
	int r = start(&b, pol, opts, e);
	if (r == -EMFILE)
		return err_wrap(e, "snug needs more descriptors, raise ulimit -n");
	if (r == 0)
		*out = TAKE(b);
	return r;
}

int box_go(struct box *b, struct err *e)
{
	if (send(fd_no(b->ctl), "g", 1, MSG_NOSIGNAL) != 1)
		return err_sys(e, "let the command go");
	return read_errs(b, e);
}

void box_drop(struct box *b)
{
	if (b->init > 0) {
		/* our child until it is reaped, so the number is still its own */
		kill(b->init, SIGKILL);
		waitpid(b->init, NULL, 0);
	}
	pty_free(b->pty);
	fd_drop(&b->pidfd);
	fd_drop(&b->proxy);
	fd_drop(&b->ctl);
	fd_drop(&b->errs);
	for (int i = 0; i < HANDED_MAX; i++)
		fd_drop(&b->stdio[i]);
	copies_drop(b->copies, b->ncopies);
	str_drop(&b->notes);
	fd_drop(&b->mounts);
	if (b->masked)
		sigprocmask(SIG_SETMASK, &b->mask, NULL);
	*b = (struct box){ 0 };
}
