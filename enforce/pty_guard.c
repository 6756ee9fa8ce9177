/* pty_guard.c - a process that puts the terminal's modes back where snug itself cannot: when it is killed, or crashes */
#include "enforce/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * It holds the terminal and one end of a pipe, and nothing else: no stream that somebody waits for the end of. It is told of
 * each change of modes; when the pipe ends it puts back what was told last, unless somebody else has the terminal by
 * then. It inherits a mask that blocks every signal that can be.
 */

enum { PIPE, TERMINAL, KEPT, ABOVE = 10 };

struct guard_msg {
	struct termios modes;
	bool raw;
};

_Noreturn static void guard_main(int from, int tty)
{
	struct guard_msg m, last = { .raw = false };
	int up[KEPT] = { [PIPE] = fcntl(from, F_DUPFD, ABOVE), [TERMINAL] = fcntl(tty, F_DUPFD, ABOVE) };
	for (int i = 0; i < KEPT; i++) {
		if (up[i] < 0 || dup2(up[i], i) < 0)
			_exit(1);
	}
	close_range(KEPT, ~0U, 0);
	prctl(PR_SET_NAME, "snug-terminal", 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	while (read(PIPE, &m, sizeof(m)) == sizeof(m))
		last = m;
	pid_t front = tcgetpgrp(TERMINAL);
	if (last.raw && (front == getpgrp() || (front < 0 && errno == ENOTTY)))
		tcsetattr(TERMINAL, TCSANOW, &last.modes);
	_exit(0);
}

void pty_guard(struct pty *p)
{
	int ends[2];
	if (!p->tty.plus1 || pipe2(ends, O_CLOEXEC) != 0)
		return;
	OWN(fd) from = fd_own(ends[0]), to = fd_own(ends[1]);
	pid_t pid = fork();
	if (pid == 0) {
		fd_drop(&to);
		guard_main(fd_no(from), fd_no(p->tty));
	}
	if (pid < 0)
		return; /* no room for a process: the terminal is put back all the same, but not after a KILL */
	p->guard = pid;
	p->guard_tell = TAKE(to);
}

void pty_guard_tell(const struct pty *p)
{
	const struct guard_msg m = { .modes = p->outer, .raw = p->front };
	if (p->guard_tell.plus1 && write(fd_no(p->guard_tell), &m, sizeof(m)) < 0)
		return; /* somebody killed it; SIGPIPE is blocked */
}

void pty_guard_end(struct pty *p)
{
	fd_drop(&p->guard_tell);
	if (p->guard > 0)
		waitpid(p->guard, NULL, 0);
	p->guard = 0;
}
