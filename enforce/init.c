/* init.c - pid 1 of the sandbox, and the last steps of the command */
#include "enforce/exec.h"
#include "enforce/lean.h"
#include "enforce/job.h"
#include "enforce/step.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * How this works: pid 1 has built the view and given up every capability; it starts the command, reaps what is orphaned,
 * hands on signals that people send to snug, and leaves with the command's status, which ends whatever is left.
 * It keeps no descriptor but `ctl`, not even 0 to 2: a reader at the other end of a pipe must see the end when the
 * command's tree has closed it. All signals are blocked and taken by sigwaitinfo(2): for pid 1 the kernel drops those it has no handler
 * for, unless they are blocked.
 */

static void send_failure(int errs, const struct failure *f)
{
	/* less than PIPE_BUF: one piece or nothing; the supervisor may be gone */
	if (write(errs, f, sizeof(*f)) < 0)
		_exit(125);
}

_Noreturn static void command_main(struct build *b)
{
	struct failure f = { 0 };
	umask(b->umask);
	if (steps_run(command_steps, b, &f.e) == 0) {
		bool there;
		f.exec = 1;
		f.e.code = exec_command(b->argv, b->opts->env, &there);
		f.interp = there && f.e.code == ENOENT;
	}
	send_failure(b->errs, &f);
	_exit(f.exec && f.e.code == ENOENT && !f.interp ? 127 : f.exec ? 126 : 125);
}

/* Argument area of this process: fields 48 and 49 of /proc/self/stat, proc(5). */
static void find_title(struct build *b)
{
	char buf[1024];
	OWN(fd) f = fd_own(open("/proc/self/stat", O_RDONLY | O_CLOEXEC));
	ssize_t n = f.plus1 ? read(fd_no(f), buf, sizeof(buf) - 1) : -1;
	if (n <= 0)
		return;
	buf[n] = 0;
	char *p = strrchr(buf, ')'); /* the name in field 2 may hold anything */
	for (int field = 2; p && field < 48; field++)
		p = strchr(p + 1, ' ');
	unsigned long start = 0, end = 0;
	if (p && sscanf(p, " %lu %lu", &start, &end) == 2 && end > start) {
		b->title = (char *)(uintptr_t)start;
		b->title_len = end - start;
	}
}

int st_title(struct build *b, struct err *e)
{
	b->title = b->opts->area;
	b->title_len = b->opts->area_len;
	if (!b->title)
		find_title(b);
	size_t n = 0;
	while (b->opts->argv[n])
		n++;
	/* the strings may lie in the area that will be wiped */
	b->argv = arena_array(&b->mem, n + 1, sizeof(*b->argv));
	for (size_t i = 0; b->argv && i < n; i++) {
		b->argv[i] = arena_str(&b->mem, b->opts->argv[i]);
		if (!b->argv[i])
			return err_set(e, ENOMEM, "out of memory");
	}
	return b->argv ? 0 : err_set(e, ENOMEM, "out of memory");
}

/* What ps shows: nothing of snug's own arguments, which name profiles and host paths. */
static void neutral_name(const struct build *b)
{
	static const char name[] = "snug-init";
	prctl(PR_SET_NAME, name, 0, 0, 0);
	if (b->title_len) {
		memset(b->title, 0, b->title_len);
		memcpy(b->title, name, sizeof(name) < b->title_len ? sizeof(name) : b->title_len - 1);
	}
}

int status_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void init_lost(int ctl)
{
	char word = BOX_LOST;
	send(ctl, &word, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	_exit(125);
}

static void reap(pid_t command, int ctl)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == command)
			_exit(status_code(status));
	}
	if (pid < 0)
		init_lost(ctl);
}

/* -1, which is everybody, is no group that was meant. */
void tell_group(pid_t command, int sig)
{
	pid_t group = getpgid(command);
	kill(group > 1 ? -group : command, sig);
}

bool from_outside(int code, pid_t sender)
{
	return (code == SI_USER || code == SI_QUEUE || code == SI_TKILL) && sender == 0;
}

/* All at once, so that no fork slips through. */
static void stop_all(int ctl)
{
	if (kill(-1, SIGSTOP) != 0 && errno != ESRCH)
		return;
	send(ctl, "s", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void keep_only(int fd)
{
	if (fd > 0)
		close_range(0, (unsigned)fd - 1, 0);
	close_range((unsigned)fd + 1, ~0U, 0);
}

static void serve(int ctl, pid_t command, const siginfo_t *si)
{
	if (si->si_signo == SIGTSTP)
		stop_all(ctl);
	else if (si->si_signo == SIGCONT)
		kill(-1, SIGCONT);
	else if (si->si_code == SI_QUEUE && si->si_value.sival_int == FOR_GROUP)
		tell_group(command, si->si_signo);
	else
		kill(command, si->si_signo);
}

_Noreturn void init_main(struct build *b)
{
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	neutral_name(b);
	struct failure f = { 0 };
	if (b->slave.plus1 && job_prepare(b, &f.e) < 0) {
		send_failure(b->errs, &f);
		_exit(125);
	}
	/* nothing to do before the command runs, so it may borrow our memory until then */
	pid_t command = vfork();
	if (command == 0)
		command_main(b);
	if (command < 0) {
		err_sys(&f.e, "fork");
		send_failure(b->errs, &f);
		_exit(125);
	}
	if (b->slave.plus1)
		job_main(b, command);
	keep_only(b->ctl);
	lean();
	for (;;) {
		siginfo_t si;
		int sig = sigwaitinfo(&all, &si);
		if (sig == SIGCHLD)
			reap(command, b->ctl);
		else if (sig > 0 && from_outside(si.si_code, si.si_pid))
			serve(b->ctl, command, &si);
	}
}
