/* The supervisor's side: start the recorder, pass signals on, take the recording over. */
#include "trace/trace.h"

#include "base/fd.h"
#include "base/str.h"
#include "trace/recorder.h"
#include "trace/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * What the recorder tells at the end; the recording itself comes through a pipe before. A memory file would do, but
 * that ends at the caller's limit on the size of files.
 */
struct result {
	int rc, exec_err;
	bool lingers;
	struct err err;
};

static void null_streams(int from, int to)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int i = from; null >= 0 && i <= to; i++)
		(void)dup2(null, i);
	if (null > 2)
		close(null);
}

static int record(struct recorder *r, FILE *to, struct result *res)
{
	int err = recorder_run(r, &res->err);
	if (err)
		return err;
	if (read(fd_no(r->launch.fail), &res->exec_err, sizeof(res->exec_err)) != sizeof(res->exec_err))
		res->exec_err = 0;
	err = recorder_finish(r, &res->err);
	if (!err)
		err = recording_write(&r->rec, to, &res->err);
	return err;
}

static bool tree_left(const struct recorder *r)
{
	struct pollfd p = { fd_no(r->launch.listener), POLLIN, 0 };
	return poll(&p, 1, 0) == 0 || p.revents & POLLIN;
}

/* The recorder process; does not return. */
static void recorder_main(const struct host *host, const struct trace_opts *o, const struct sigstate *sig, int ctl,
                          int rows)
{
	struct recorder *r = calloc(1, sizeof(*r));
	struct result res = { 0 };
	FILE *to = fdopen(rows, "w");
	if (!r || !to)
		res.rc = err_set(&res.err, ENOMEM, "starting the recorder: out of memory");
	if (!res.rc)
		res.rc = recorder_open(r, host, o, ctl, sig, &res.err);
	/* the command alone owns the streams: a pipe must end when the command does */
	null_streams(0, 1);
	if (!res.rc)
		res.rc = record(r, to, &res);
	/* it may linger: the end of the recording is seen by this */
	if (to && fclose(to) && !res.rc)
		res.rc = err_sys(&res.err, "writing the recording");
	res.lingers = !res.rc && tree_left(r);
	(void)!send(ctl, &res, sizeof(res), MSG_NOSIGNAL);
	if (res.lingers) {
		close(ctl);
		null_streams(2, 2);
		recorder_linger(r);
	}
	_exit(0);
}

/* Signals sent to snug itself reach the command. */
static void forward(int signals, int ctl)
{
	struct signalfd_siginfo si;
	while (read(signals, &si, sizeof(si)) == sizeof(si)) {
		char c = (char)si.ssi_signo;
		if (si.ssi_signo != SIGCHLD)
			(void)!send(ctl, &c, 1, MSG_NOSIGNAL);
	}
}

/* Some of the recording. Return: 0 at its end. */
static int take_rows(int rows, struct str *text, struct err *e)
{
	char buf[64 << 10];
	ssize_t n = read(rows, buf, sizeof(buf));
	if (n < 0)
		return errno == EINTR ? 1 : err_sys(e, "reading the recording");
	str_add_mem(text, buf, (size_t)n);
	return text->oom ? err_set(e, ENOMEM, "reading the recording: out of memory") : n > 0;
}

static int await(int ctl, int rows, pid_t pid, struct result *res, struct str *text, struct err *e)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	OWN(fd) signals = fd_own(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
	if (!signals.plus1)
		return err_sys(e, "signalfd");
	struct pollfd p[] = { { ctl, POLLIN, 0 }, { fd_no(signals), POLLIN, 0 }, { rows, POLLIN, 0 } };
	for (;;) {
		if (poll(p, LEN(p), -1) < 0) {
			if (errno == EINTR)
				continue;
			return err_sys(e, "poll");
		}
		if (p[1].revents)
			forward(fd_no(signals), ctl);
		int more = p[2].revents ? take_rows(rows, text, e) : 1;
		if (more < 0)
			return more;
		if (!more) /* all of it; a closed one would be told again and again */
			p[2].fd = -1;
		if (!p[0].revents)
			continue;
		ssize_t n = recv(ctl, res, sizeof(*res), MSG_WAITALL);
		if (n != sizeof(*res)) {
			int status = 0;
			waitpid(pid, &status, 0);
			/* its children have come to us; with nobody to answer them their calls would fail with ENOSYS */
			tree_kill(0, NULL);
			return err_set(e, EIO, "the recorder died (%s %d), so the command was ended; what it did until then "
			               "stands, but is not recorded", WIFSIGNALED(status) ? "signal" : "exit",
			               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		}
		if (res->rc)
			waitpid(pid, NULL, 0);
		while (!res->rc && more > 0 && p[2].fd >= 0)
			more = take_rows(rows, text, e);
		return MIN(more, 0);
	}
}

static int take_over(struct recording *out, struct str *text, struct err *e)
{
	FILE *f = text->len ? fmemopen(text->p, text->len, "r") : NULL;
	if (!f)
		return err_set(e, EIO, "reading the recording: the recorder wrote none");
	int err = recording_read(out, f, "recording", e);
	fclose(f);
	return err;
}

int trace_run(struct recording *out, const struct host *host, const struct trace_opts *o, int *exec_err,
              struct err *e)
{
	struct sigstate sig;
	struct result res = { 0 };
	int pair[2];
	*exec_err = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	OWN(fd) ctl = fd_own(pair[0]);
	OWN(fd) theirs = fd_own(pair[1]);
	if (pipe2(pair, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	OWN(fd) rows = fd_own(pair[0]);
	OWN(fd) their_rows = fd_own(pair[1]);
	OWN(str) text = { 0 };
	int err = sigstate_take(&sig, e);
	if (err)
		return err;
	fflush(NULL);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid_t pid = fork();
	if (!pid) {
		fd_drop(&ctl);
		fd_drop(&rows);
		recorder_main(host, o, &sig, fd_no(theirs), fd_no(their_rows));
	}
	fd_drop(&theirs);
	fd_drop(&their_rows);
	err = pid < 0 ? err_sys(e, "fork") : await(fd_no(ctl), fd_no(rows), pid, &res, &text, e);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	sigstate_restore(&sig);
	if (err)
		return err;
	if (res.rc) {
		*e = res.err;
		return res.rc;
	}
	*exec_err = res.exec_err;
	err = take_over(out, &text, e);
	/* it gave its memory back meanwhile, which takes as long as reading what it wrote */
	if (!res.lingers)
		waitpid(pid, NULL, 0);
	return err;
}
