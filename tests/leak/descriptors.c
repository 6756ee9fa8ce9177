/* descriptors.c - what was open before, and what somebody outside sends in */
#include "leak.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* run.sh leaves open: 5 a file, 6 a directory, 7 a file for writing; 9 is kept by --keep-fd */
static int i_flags(const struct check *c)
{
	return result(fcntl((int)c->nr, F_GETFD));
}

static int i_read(const struct check *c)
{
	char byte;
	return result(pread((int)c->nr, &byte, 1, 0));
}

static int i_below(const struct check *c)
{
	return result(openat((int)c->nr, c->arg, O_RDONLY));
}

static int i_fchdir(const struct check *c)
{
	return result(fchdir((int)c->nr));
}

/* @arg: flags as a number */
static int i_again(const struct check *c)
{
	char path[40];
	int flags = 0;
	sscanf(c->arg, "%d", &flags);
	snprintf(path, sizeof(path), "/proc/self/fd/%ld", c->nr);
	return result(open(path, flags));
}

static int i_dev_fd(const struct check *c)
{
	char path[40];
	snprintf(path, sizeof(path), "/dev/fd/%ld", c->nr);
	return result(open(path, O_RDWR));
}

/* The service sends a directory of the host (0), a file open for reading (1), and a handle of a directory (2). */
static int received(int which)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	union { char buf[CMSG_SPACE(3 * sizeof(int))]; struct cmsghdr align; } u;
	char byte;
	int fds[3], s = socket(AF_UNIX, SOCK_STREAM, 0);
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = u.buf, .msg_controllen = sizeof(u.buf) };
	snprintf(un.sun_path, sizeof(un.sun_path), "%.90s/sock", conf("SVC"));
	if (connect(s, (struct sockaddr *)&un, sizeof(un)) || recvmsg(s, &m, 0) != 1)
		skip("the service does not answer: %s", strerror(errno));
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);
	if (!h || h->cmsg_len != CMSG_LEN(sizeof(fds)))
		skip("the service sent nothing");
	memcpy(fds, CMSG_DATA(h), sizeof(fds));
	return fds[which];
}

static char *proj(const char *name)
{
	static char buf[600];
	snprintf(buf, sizeof(buf), "%s/%s-%d", conf("PROJ"), name, (int)getpid());
	return buf;
}

static int r_open(const struct check *c)
{
	return result(openat(received((int)c->nr), c->arg, O_RDONLY));
}

static int r_openat2(const struct check *c)
{
	const struct open_how how = { .flags = O_RDONLY };
	return result(syscall(SYS_openat2, received((int)c->nr), c->arg, &how, sizeof(how)));
}

static int r_write(const struct check *c)
{
	return result(openat(received((int)c->nr), c->arg, O_WRONLY));
}

static int r_mkdir(const struct check *c)
{
	int dir = received((int)c->nr), r = mkdirat(dir, "leak-made", 0700), err = errno;
	if (r == 0)
		unlinkat(dir, "leak-made", AT_REMOVEDIR);
	return r ? err : 0;
}

static int r_creat(const struct check *c)
{
	int dir = received((int)c->nr), r = openat(dir, "leak-new", O_CREAT | O_EXCL | O_WRONLY, 0600), err = errno;
	if (r >= 0)
		unlinkat(dir, "leak-new", 0);
	return r < 0 ? err : 0;
}

static int r_symlink(const struct check *c)
{
	int dir = received((int)c->nr), r = symlinkat("x", dir, "leak-link"), err = errno;
	if (r == 0)
		unlinkat(dir, "leak-link", 0);
	return r ? err : 0;
}

static int r_list(const struct check *c)
{
	return result(openat(received((int)c->nr), ".", O_RDONLY | O_DIRECTORY));
}

static int r_up(const struct check *c)
{
	int dir = received((int)c->nr);
	return fchdir(dir) ? errno : result(open("../home/notes", O_RDONLY));
}

static int r_proc(const struct check *c)
{
	char path[60];
	snprintf(path, sizeof(path), "/proc/self/fd/%d/secret", received((int)c->nr));
	return result(open(path, O_RDONLY));
}

static int r_again(const struct check *c)
{
	char path[60];
	int flags = 0;
	sscanf(c->arg, "%d", &flags);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", received((int)c->nr));
	return result(open(path, flags));
}

static int r_exec(const struct check *c)
{
	int dir = received((int)c->nr);
	char word[] = "prog", *argv[] = { word, NULL }, *envp[] = { NULL };
	int p[2], err = 0;
	if (pipe2(p, O_CLOEXEC))
		return errno;
	if (fork() == 0) {
		syscall(SYS_execveat, dir, "prog", argv, envp, 0);
		err = errno;
		_exit(write(p[1], &err, sizeof(err)) < 0);
	}
	close(p[1]);
	return read(p[0], &err, sizeof(err)) > 0 ? err : 0;
}

static int r_rename(const struct check *c)
{
	int dir = received((int)c->nr), r = renameat(dir, "moveme", AT_FDCWD, proj("moved")), err = errno;
	if (r == 0)
		renameat(AT_FDCWD, proj("moved"), dir, "moveme");
	return r ? err : 0;
}

static int r_link(const struct check *c)
{
	int r = linkat(received((int)c->nr), "secret", AT_FDCWD, proj("linked"), 0), err = errno;
	if (r == 0)
		unlink(proj("linked"));
	return r ? err : 0;
}

static int r_tree(const struct check *c)
{
	return result(syscall(SYS_open_tree, received((int)c->nr), "", AT_EMPTY_PATH | OPEN_TREE_CLONE));
}

static const struct { const char *name, *room; int (*run)(const struct check *c); long nr; const char *arg, *shut; } rows[] = {
	{ "inherited.file", "plain", i_flags, 5, "", "EBADF" },
	{ "inherited.file-read", "plain", i_read, 5, "", "EBADF" },
	{ "inherited.file-proc", "plain", i_again, 5, "0", "ENOENT" },
	{ "inherited.dir", "plain", i_flags, 6, "", "EBADF" },
	{ "inherited.dir-open", "plain", i_below, 6, "secret", "EBADF" },
	{ "inherited.dir-up", "plain", i_below, 6, "../home/notes", "EBADF" },
	{ "inherited.dir-fchdir", "plain", i_fchdir, 6, "", "EBADF" },
	{ "inherited.writable", "plain", i_flags, 7, "", "EBADF" },
	{ "inherited.high", "plain", i_flags, 200, "", "EBADF" },
	{ "stdin.write", "plain", i_again, 0, "1", "EROFS" },
	{ "stdin.read-write", "plain", i_again, 0, "2", "EROFS" },
	{ "stdin.dev-fd", "plain", i_dev_fd, 0, "", "EROFS" },
	{ "stdin.works-read", "plain", i_again, 0, "0", "OK" },
	{ "stdout.read-back", "plain", i_again, 1, "0", "EACCES" },
	{ "stdout.read-write", "plain", i_again, 1, "2", "EACCES" },
	{ "stdout.works-append", "plain", i_again, 1, "1025", "OK" },
	{ "kept.works-read", "kept", i_read, 9, "", "OK" },
	{ "kept.works-again", "kept", i_again, 9, "0", "OK" },
	{ "kept.write", "kept", i_again, 9, "1", "EROFS" },
	{ "kept.truncate", "kept", i_again, 9, "513", "EROFS" },
	{ "kept.others-gone", "kept", i_flags, 5, "", "EBADF" },
	{ "sent-dir.open", "plain", r_open, 0, "secret", "EACCES" },
	{ "sent-dir.openat2", "plain", r_openat2, 0, "secret", "EACCES" },
	{ "sent-dir.up", "plain", r_open, 0, "../home/notes", "EACCES" },
	{ "sent-dir.fchdir-up", "plain", r_up, 0, "", "EACCES" },
	{ "sent-dir.proc-fd", "plain", r_proc, 0, "", "EACCES" },
	{ "sent-dir.list", "plain", r_list, 0, "", "EACCES" },
	{ "sent-dir.write", "plain", r_write, 0, "secret", "EACCES" },
	{ "sent-dir.creat", "plain", r_creat, 0, "", "EACCES" },
	{ "sent-dir.mkdir", "plain", r_mkdir, 0, "", "EACCES" },
	{ "sent-dir.symlink", "plain", r_symlink, 0, "", "EACCES" },
	{ "sent-dir.exec", "plain", r_exec, 0, "", "EACCES" },
	{ "sent-dir.rename", "plain", r_rename, 0, "", "EXDEV|EACCES" },
	{ "sent-dir.link", "plain", r_link, 0, "", "EXDEV|EACCES" },
	{ "sent-dir.open-tree", "plain", r_tree, 0, "", "ENOSYS" },
	{ "sent-handle.open", "plain", r_open, 2, "secret", "EACCES" },
	{ "sent-handle.list", "plain", r_list, 2, "", "EACCES" },
	{ "sent-handle.exec", "plain", r_exec, 2, "", "EACCES" },
	{ "sent-file.again", "plain", r_again, 1, "0", "EACCES" },
	{ "sent-file.write", "plain", r_again, 1, "1", "EACCES" },
	{ "sent-file.truncate", "plain", r_again, 1, "513", "EACCES" },
};

void add_descriptors(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct check c = { .room = rows[i].room, .open = "OK", .shut = rows[i].shut, .run = rows[i].run, .nr = rows[i].nr };
		snprintf(c.id, sizeof(c.id), "%s", rows[i].name);
		snprintf(c.arg, sizeof(c.arg), "%s", rows[i].arg);
		add(&c);
	}
}
