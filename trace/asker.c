/*
 * How this works
 *
 * A look-up below a user space or network file system waits for its server, in the kernel, where no signal reaches
 * (a FUSE request that was taken is waited for until it is answered). Were that the recorder, the whole tree would
 * wait with it, and for ever where the server is in the tree. So a process of its own asks; when it does not
 * answer in time it is killed, which works as soon as its wait ends, and the next question gets a new one.
 *
 * It is made as the supervisor's child (CLONE_PARENT), so that it is no member of the recorded tree, which is what
 * the recorder's descendants are. Like the recorder it is not dumpable. It ends when the recorder does.
 */
#include "trace/asker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct request {
	struct question q;
	uint32_t size; /* of the buffer */
	char path[PATH_MAX];
};

struct reply {
	int64_t result;
	struct stat st;
};

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

/* ---- the helper ------------------------------------------------------------------------------- */

static ssize_t read_file(const struct request *q, char *buf)
{
	struct stat st;
	OWN(fd) f = fd_own(open(q->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
	if (!f.plus1 || fstat(fd_no(f), &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	ssize_t n = pread(fd_no(f), buf, q->size, (off_t)q->q.off);
	return n < 0 ? -errno : n;
}

int ask_count(const char *path, int max, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	*st = (struct stat){ 0 };
	if (!d) {
		int err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	for (struct dirent *e; (int64_t)st->st_nlink + st->st_size < max && (e = readdir(d));) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (e->d_type == DT_DIR)
			st->st_nlink++;
		else
			st->st_size++;
	}
	closedir(d);
	return 0;
}

static ssize_t look(const struct request *q, struct stat *st, char *buf)
{
	ssize_t n = 0;
	switch (q->q.what) {
	case ASK_LSTAT:
		n = fstatat(AT_FDCWD, q->path, st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT);
		break;
	case ASK_STAT:
		n = fstatat(AT_FDCWD, q->path, st, AT_NO_AUTOMOUNT);
		break;
	case ASK_READLINK:
		n = readlink(q->path, buf, q->size);
		break;
	case ASK_MAY:
		n = faccessat(AT_FDCWD, q->path, q->q.arg, AT_EACCESS);
		break;
	case ASK_READ:
		return read_file(q, buf);
	case ASK_COUNT:
		return ask_count(q->path, q->q.arg, st);
	}
	return n < 0 ? -errno : n;
}

static bool put_all(int sock, const void *p, size_t n)
{
	for (const char *c = p; n;) {
		ssize_t done = send(sock, c, n, MSG_NOSIGNAL);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		c += done;
		n -= (size_t)done;
	}
	return true;
}

/* The helper process; does not return. */
static void serve(int sock)
{
	enum { SOCK = 3 };
	struct request q;
	char *buf = malloc(ASK_BYTES);
	int null = open("/dev/null", O_RDWR);
	/* nothing of the recorder's may live on here: its listener, the command's pipes, its directory */
	if (!buf || null < 0 || dup2(sock, SOCK) < 0 || chdir("/") < 0)
		_exit(1);
	for (int i = 0; i < SOCK; i++)
		if (dup2(null, i) < 0)
			_exit(1);
	if (syscall(SYS_close_range, SOCK + 1, ~0U, 0) < 0)
		for (int i = SOCK + 1; i < (int)sysconf(_SC_OPEN_MAX); i++)
			close(i);
	while (recv(SOCK, &q, sizeof(q), MSG_WAITALL) == sizeof(q)) {
		struct reply r = { 0 };
		q.path[PATH_MAX - 1] = 0;
		q.size = MIN(q.size, (uint32_t)ASK_BYTES);
		r.result = look(&q, &r.st, buf);
		if (!put_all(SOCK, &r, sizeof(r)) || (r.result > 0 && !put_all(SOCK, buf, (size_t)r.result)))
			break;
	}
	_exit(0);
}

/* ---- the recorder's side ---------------------------------------------------------------------- */

void asker_drop(struct asker *a)
{
	if (a->pid > 0)
		kill(a->pid, SIGKILL);
	fd_drop(&a->sock);
	a->pid = 0;
}

static int start(struct asker *a)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	OWN(fd) ours = fd_own(pair[0]);
	OWN(fd) theirs = fd_own(pair[1]);
	/* of one thread, so that this is fork with another parent; the end's signal is the recorder's own, to that parent */
	long pid = syscall(SYS_clone, CLONE_PARENT, NULL, NULL, NULL, NULL);
	if (pid < 0)
		return -errno;
	if (!pid)
		serve(fd_no(theirs));
	a->pid = (pid_t)pid;
	a->sock = TAKE(ours);
	return 0;
}

static bool get_all(int sock, void *p, size_t n, uint64_t end)
{
	for (char *c = p; n;) {
		uint64_t now = now_ms();
		struct pollfd fd = { sock, POLLIN, 0 };
		int ready = now < end ? poll(&fd, 1, (int)(end - now)) : 0;
		if (ready < 0 && errno == EINTR)
			continue;
		ssize_t got = ready > 0 ? recv(sock, c, n, MSG_DONTWAIT) : 0;
		if (got < 0 && errno == EAGAIN)
			continue;
		if (got <= 0)
			return false;
		c += got;
		n -= (size_t)got;
	}
	return true;
}

ssize_t asker_ask(struct asker *a, const struct question *q, const char *path, struct stat *st, void *buf,
                  size_t size)
{
	struct request r = { .q = *q, .size = (uint32_t)MIN(size, (size_t)ASK_BYTES) };
	struct reply out;
	size_t len = strlen(path);
	if (len >= sizeof(r.path) || a->overran >= ASK_PATIENCE || (!a->sock.plus1 && start(a) < 0))
		return -ETIMEDOUT;
	memcpy(r.path, path, len);
	uint64_t end = now_ms() + ASK_LIMIT_MS;
	if (!put_all(fd_no(a->sock), &r, sizeof(r)) || !get_all(fd_no(a->sock), &out, sizeof(out), end) ||
	    out.result > (int64_t)size || (out.result > 0 && !get_all(fd_no(a->sock), buf, (size_t)out.result, end))) {
		asker_drop(a);
		a->overran++;
		return -ETIMEDOUT;
	}
	if (st)
		*st = out.st;
	return out.result;
}
