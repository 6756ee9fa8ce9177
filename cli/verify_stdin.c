/* verify_stdin.c - standard input, kept while it is read */
#include "cli/verify_stdin.h"

#include "cli/output.h"
#include "cli/copytree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void stop(struct spool *s)
{
	if (s->pid > 0) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
	s->pid = 0;
	if (s->saved.plus1)
		(void)dup2(fd_no(s->saved), 0);
	fd_drop(&s->saved);
}

void spool_drop(struct spool *s)
{
	stop(s);
	fd_drop(&s->file);
	*s = (struct spool){ 0 };
}

/* From standard input into the pipe @to and, up to the limit and one byte more, into the file. Never returns. */
_Noreturn static void pass_on(const struct spool *s, int to)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	char buf[65536];
	uint64_t kept = 0;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	for (size_t i = 0; i < LEN(signals); i++)
		signal(signals[i], SIG_IGN); /* the terminal's are for the command; it ends when its input does */
	close(1); /* who reads the command's output waits for its end */
	for (;;) {
		ssize_t n = read(0, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(0);
		size_t room = (size_t)MIN((uint64_t)n, s->limit + 1 - kept);
		if (room && write_all(fd_no(s->file), buf, room) < 0)
			kept = s->limit + 1; /* a full disk; the length says that it is not all */
		else
			kept += room;
		if (write_all(to, buf, (size_t)n) < 0)
			_exit(0);
	}
}

static int start_tee(struct spool *s, struct err *e)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	OWN(fd) in = fd_own(ends[0]), out = fd_own(ends[1]);
	s->saved = fd_own(fcntl(0, F_DUPFD_CLOEXEC, 10));
	if (!s->saved.plus1)
		return err_sys(e, "standard input");
	fflush(NULL);
	s->pid = fork();
	if (s->pid < 0)
		return err_sys(e, "fork");
	if (s->pid == 0) {
		fd_drop(&in); /* so that the command's closing it is noticed */
		pass_on(s, fd_no(out));
	}
	s->piped = true;
	return dup2(fd_no(in), 0) < 0 ? err_sys(e, "standard input") : 0;
}

int spool_open(struct spool *s, const char *path, uint64_t limit, struct err *e)
{
	struct stat st;
	s->limit = limit;
	if (fstat(0, &st) < 0 || (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode)))
		return 0;
	s->file = fd_own(open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
	if (!s->file.plus1)
		return err_sys(e, "%s", path);
	if (!S_ISREG(st.st_mode))
		return start_tee(s, e);
	OWN(fd) to = fd_own(open(path, O_WRONLY | O_CLOEXEC)); /* by position */
	if (!to.plus1)
		return err_sys(e, "%s", path);
	off_t at = lseek(0, 0, SEEK_CUR);
	int r = file_copy(0, fd_no(to), &limit, "standard input", e);
	if (r == 0 && lseek(fd_no(s->file), at, SEEK_SET) < 0)
		r = err_sys(e, "%s", path);
	return r;
}

int spool_end(struct spool *s, struct err *e)
{
	struct stat st;
	stop(s);
	if (s->piped && (fstat(fd_no(s->file), &st) < 0 || (uint64_t)st.st_size > s->limit))
		return err_set(e, EFBIG, "standard input: the limit is reached");
	return 0;
}

int spool_again(const struct spool *s, struct err *e)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd_no(s->file));
	OWN(fd) again = fd_own(open(s->file.plus1 ? path : "/dev/null", O_RDONLY | O_CLOEXEC));
	off_t at = s->file.plus1 && !s->piped ? lseek(fd_no(s->file), 0, SEEK_CUR) : 0;
	if (!again.plus1 || (at > 0 && lseek(fd_no(again), at, SEEK_SET) < 0) || dup2(fd_no(again), 0) < 0)
		return err_sys(e, "standard input");
	return 0;
}
