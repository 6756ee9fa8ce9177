/* files.c - every class of path that is not granted, by every call that takes a path */
#include "leak.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* @arg is "NAME REST": the value of conf(NAME), then the rest. */
static const char *path_of(const struct check *c)
{
	static char buf[1024];
	const char *blank = strchr(c->arg, ' ');
	char name[64] = "";
	if (!blank)
		return c->arg;
	memcpy(name, c->arg, (size_t)(blank - c->arg));
	if (!*conf(name))
		skip("no %s here", name);
	snprintf(buf, sizeof(buf), "%s%s", conf(name), blank + 1);
	return buf;
}

#define TRY(name, expr) \
	static int name(const struct check *c) \
	{ \
		const char *p = path_of(c); \
		return result(expr); \
	}

static char spare[4096];
static struct stat st;
static struct statfs fs;
static struct statx stx;

static long do_openat2(const char *p)
{
	const struct open_how how = { .flags = O_RDONLY | O_NONBLOCK };
	return syscall(SYS_openat2, AT_FDCWD, p, &how, sizeof(how));
}

static long below(const char *prefix, const char *p)
{
	char buf[1200];
	snprintf(buf, sizeof(buf), "%s%s", prefix, p);
	return open(buf, O_RDONLY | O_NONBLOCK);
}

static long negative(long r)
{
	if (r < 0)
		errno = (int)-r;
	return r < 0 ? -1 : r;
}

static long handle(const char *p)
{
	struct { struct file_handle h; unsigned char bytes[128]; } h = { .h.handle_bytes = 128 };
	int id;
	return name_to_handle_at(AT_FDCWD, p, &h.h, &id, AT_SYMLINK_FOLLOW);
}

static long xattr(const char *p)
{
	long r = getxattr(p, "user.leak", spare, sizeof(spare));
	return r < 0 && (errno == ENODATA || errno == EOPNOTSUPP) ? 0 : r;
}

static long link_here(const char *p)
{
	char to[600];
	snprintf(to, sizeof(to), "%s/linked-%d", conf("PROJ"), (int)getpid());
	long r = link(p, to);
	if (r == 0)
		unlink(to);
	return r;
}

static long exec_it(const char *p)
{
	int pipe_[2], err = 0;
	if (pipe2(pipe_, O_CLOEXEC))
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		execl(p, p, (char *)NULL);
		err = errno;
		_exit(write(pipe_[1], &err, sizeof(err)) < 0);
	}
	close(pipe_[1]);
	ssize_t n = read(pipe_[0], &err, sizeof(err));
	waitpid(pid, NULL, 0);
	errno = err;
	return n > 0 ? -1 : 0;
}

static long connect_to(const char *p)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	snprintf(un.sun_path, sizeof(un.sun_path), "%s", p);
	return connect(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), (struct sockaddr *)&un, sizeof(un));
}

/* a directory, a fifo, a link, a socket in it: made and removed */
static char *in(const char *p)
{
	static char buf[1200];
	snprintf(buf, sizeof(buf), "%s/leak-%d", p, (int)getpid());
	return buf;
}

static long made(long r, const char *p)
{
	int err = errno;
	if (r >= 0 && rmdir(p) < 0)
		unlink(p);
	errno = err;
	return r;
}

static long bind_in(const char *p)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	snprintf(un.sun_path, sizeof(un.sun_path), "%.100s", in(p));
	return made(bind(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), (struct sockaddr *)&un, sizeof(un)), un.sun_path);
}

static long reopen(const char *p)
{
	char buf[64];
	int fd = open(p, O_RDONLY);
	snprintf(buf, sizeof(buf), "/proc/self/fd/%d", fd);
	return fd < 0 ? -1 : open(buf, O_WRONLY);
}

static long there_and_back(const char *p)
{
	char to[1200];
	snprintf(to, sizeof(to), "%s.moved", p);
	long r = rename(p, to);
	if (r == 0 && rename(to, p))
		abort();
	return r;
}

TRY(f_stat, stat(p, &st))
TRY(f_statx, statx(AT_FDCWD, p, 0, STATX_ALL, &stx))
TRY(f_access, access(p, R_OK))
TRY(f_open, open(p, O_RDONLY | O_NONBLOCK))
TRY(f_openat2, do_openat2(p))
TRY(f_path, open(p, O_PATH))
TRY(f_i386, negative(int80(5, low(p), O_RDONLY | O_NONBLOCK, 0, 0)))
TRY(f_i386_stat, negative(int80(106, low(p), low(""), 0, 0)))
TRY(f_uring, negative(uring_open(p, O_RDONLY | O_NONBLOCK)))
TRY(f_self_root, below("/proc/self/root", p))
TRY(f_thread_root, below("/proc/thread-self/root/../../..", p))
TRY(f_dots, below("/../../../..", p))
TRY(f_handle, handle(p))
TRY(f_watch, inotify_add_watch(inotify_init1(IN_CLOEXEC), p, IN_ACCESS))
TRY(f_statfs, statfs(p, &fs))
TRY(f_xattr, xattr(p))
TRY(f_chdir, chdir(p))
TRY(f_list, open(p, O_RDONLY | O_DIRECTORY))
TRY(f_link, link_here(p))
TRY(f_rename, rename(p, p)) /* onto itself: nothing happens, once it is allowed to look */
TRY(f_exec, exec_it(p))
TRY(f_connect, connect_to(p))
TRY(w_open, open(p, O_WRONLY | O_NONBLOCK))
TRY(w_open_rw, open(p, O_RDWR | O_NONBLOCK))
TRY(w_openat2, syscall(SYS_openat2, AT_FDCWD, p, &(struct open_how){ .flags = O_WRONLY }, sizeof(struct open_how)))
TRY(w_i386, negative(int80(5, low(p), O_WRONLY, 0, 0)))
TRY(w_uring, negative(uring_open(p, O_WRONLY)))
TRY(w_reopen, reopen(p))
TRY(w_truncate, truncate(p, 7))
TRY(w_chmod, chmod(p, 0644))
TRY(w_utime, utimes(p, NULL))
TRY(w_xattr, setxattr(p, "user.leak", "x", 1, 0))
TRY(w_move, there_and_back(p))
TRY(d_creat, made(open(in(p), O_WRONLY | O_CREAT | O_EXCL, 0600), in(p)))
TRY(d_mkdir, made(mkdir(in(p), 0700), in(p)))
TRY(d_symlink, made(symlink("x", in(p)), in(p)))
TRY(d_mkfifo, made(mkfifo(in(p), 0600), in(p)))
TRY(d_bind, bind_in(p))
TRY(d_tmpfile, open(p, O_TMPFILE | O_WRONLY, 0600))

struct entry { const char *name; int (*run)(const struct check *c); const char *shut; };

/* @shut NULL: what the class says */
static const struct entry reads[] = {
	{ "stat", f_stat, NULL }, { "statx", f_statx, NULL }, { "access", f_access, NULL }, { "open", f_open, NULL },
	{ "openat2", f_openat2, NULL }, { "o_path", f_path, NULL }, { "i386-open", f_i386, "ENOSYS" },
	{ "i386-stat", f_i386_stat, "ENOSYS" },
	{ "uring-open", f_uring, "ENOSYS" }, { "self-root", f_self_root, NULL }, { "thread-root", f_thread_root, NULL },
	{ "dots", f_dots, NULL }, { "handle", f_handle, NULL }, { "watch", f_watch, NULL }, { "statfs", f_statfs, NULL },
	{ "xattr", f_xattr, NULL }, { 0 },
};
static const struct entry dir_reads[] = {
	{ "stat", f_stat, NULL }, { "chdir", f_chdir, NULL }, { "list", f_list, NULL }, { "o_path", f_path, NULL },
	{ "watch", f_watch, NULL }, { "self-root", f_self_root, NULL }, { "i386-open", f_i386, "ENOSYS" },
	{ "uring-open", f_uring, "ENOSYS" }, { 0 },
};
static const struct entry own_reads[] = {
	{ "link", f_link, NULL }, { "rename", f_rename, NULL }, { "truncate", w_truncate, NULL }, { "chmod", w_chmod, NULL },
	{ "utime", w_utime, NULL }, { "write", w_open, NULL }, { 0 },
};
/* the mount itself of a mask may be looked at, and no more */
static const struct entry masked[] = {
	{ "open", f_open, NULL }, { "openat2", f_openat2, NULL }, { "access", f_access, NULL },
	{ "i386-open", f_i386, "ENOSYS" }, { "uring-open", f_uring, "ENOSYS" }, { "self-root", f_self_root, NULL },
	{ "watch", f_watch, NULL }, { "write", w_open, NULL }, { "truncate", w_truncate, NULL },
	{ "move", w_move, "EBUSY" }, { "link", f_link, "EXDEV" }, { "chmod", w_chmod, "EROFS" }, { 0 },
};
static const struct entry writes[] = {
	{ "open", w_open, NULL }, { "open-rw", w_open_rw, NULL }, { "openat2", w_openat2, NULL },
	{ "i386-open", w_i386, "ENOSYS" }, { "uring-open", w_uring, "ENOSYS" }, { "reopen", w_reopen, NULL },
	{ "truncate", w_truncate, NULL }, { "chmod", w_chmod, NULL }, { "utime", w_utime, NULL },
	{ "xattr", w_xattr, NULL }, { "move", w_move, NULL }, { 0 },
};
static const struct entry dir_writes[] = {
	{ "creat", d_creat, NULL }, { "mkdir", d_mkdir, NULL }, { "symlink", d_symlink, NULL },
	{ "mkfifo", d_mkfifo, NULL }, { "bind", d_bind, NULL }, { "tmpfile", d_tmpfile, NULL }, { 0 },
};
static const struct entry dir_move[] = { { "move", w_move, NULL }, { 0 } };
static const struct entry program[] = { { "exec", f_exec, NULL }, { 0 } };
static const struct entry sock[] = { { "connect", f_connect, NULL }, { 0 } };
static const struct entry fifo[] = { { "open-rw", w_open_rw, NULL }, { 0 } };
static const struct entry works[] = { { "open", f_open, NULL }, { "write", w_open, NULL }, { 0 } };
static const struct entry reads_only[] = { { "open", f_open, NULL }, { 0 } };
static const struct entry works_dir[] = { { "creat", d_creat, NULL }, { "mkdir", d_mkdir, NULL }, { 0 } };

/* what stands for a class; @shut: what its entries give inside unless they say so themselves */
static const struct { const char *name, *path, *shut; const struct entry *entries; } classes[] = {
	{ "host-file", "OUT /secret", "ENOENT", reads },
	{ "host-own", "OUT /secret", "ENOENT", own_reads },
	{ "host-dir", "OUT /dir", "ENOENT", dir_reads },
	{ "host-dir-in", "OUT /dir", "ENOENT", dir_writes },
	{ "host-program", "OUT /prog", "ENOENT", program },
	{ "host-socket", "OUT /sock", "ENOENT", sock },
	{ "home-file", "HOME_ /notes", "ENOENT", reads },
	{ "home-own", "HOME_ /notes", "ENOENT", own_reads },
	{ "home-credential", "HOME_ /.ssh/id", "ENOENT", reads },
	{ "home-dir", "HOME_ /.ssh", "ENOENT", dir_reads },
	{ "tmp-file", "TMPFILE ", "ENOENT", reads },
	{ "vartmp-file", "VARTMPFILE ", "ENOENT", reads },
	{ "shm-file", "SHMFILE ", "ENOENT", reads },
	{ "etc-file", "/etc/fstab", "ENOENT", reads },
	{ "etc-shadow", "/etc/shadow", "ENOENT", reads },
	{ "var-file", "/var/lib/dpkg/status", "ENOENT", reads },
	{ "run-file", "RUNFILE ", "ENOENT", reads },
	{ "sys-file", "/sys/kernel/uevent_seqnum", "ENOENT", reads },
	{ "sys-dir", "/sys/fs/cgroup", "ENOENT", dir_reads },
	{ "boot-dir", "/boot", "ENOENT", dir_reads },
	{ "root-home", "/root", "ENOENT", dir_reads },
	{ "link-out", "PROJ /way", "ENOENT", reads },
	{ "dots-out", "PROJ /../out/secret", "ENOENT", reads },
	{ "device-mem", "/dev/mem", "ENOENT", reads_only },
	{ "device-kmsg", "/dev/kmsg", "ENOENT", reads_only },
	{ "device-fuse", "/dev/fuse", "ENOENT", reads_only },
	{ "device-kvm", "/dev/kvm", "ENOENT", reads_only },
	{ "device-tun", "/dev/net/tun", "ENOENT", reads_only },
	{ "device-loop", "/dev/loop-control", "ENOENT", reads_only },
	{ "device-disk", "DISK ", "ENOENT", reads_only },
	{ "masked-file", "PROJ /sub/env", "EACCES", masked },
	{ "masked-in-dir", "PROJ /hidden/file", "EACCES", own_reads },
	{ "masked-dir", "PROJ /hidden", "EACCES|EROFS", dir_writes },
	{ "masked-dir-list", "PROJ /hidden", "EACCES", reads_only },
	{ "fenced-file", "PROJ /fenced/file", "EROFS", writes },
	{ "fenced-dir", "PROJ /fenced", "EROFS", dir_writes },
	{ "readonly-file", "RO /file", "EROFS", writes },
	{ "readonly-dir", "RO ", "EROFS", dir_writes },
	{ "readonly-fifo", "RO /fifo", "EACCES", fifo },
	{ "others-file", "RO /private", "EACCES", reads_only },
	{ "pinned-dir", "PROJ /sub", "EBUSY", dir_move },
	{ "mask-mount", "PROJ /hidden", "EBUSY", dir_move },
	{ "granted-mount", "RO ", "EBUSY|EROFS", dir_move },
	{ "usr-dir", "/usr/lib", "EROFS", dir_writes },
	{ "root-dir", "/", "EROFS", dir_writes },
	{ "seal-dir", "STAGE ", "EROFS", dir_writes },
	{ "dev-dir", "/dev", "EROFS", dir_writes },
	{ "etc-dir", "/etc", "EROFS", dir_writes },
	/* and that the suite does not pass because nothing works */
	{ "works-project", "PROJ /file", "OK", works },
	{ "works-project-dir", "PROJ ", "OK", works_dir },
	{ "works-tmp-dir", "/tmp", "OK", works_dir },
	{ "works-null", "/dev/null", "OK", works },
	{ "works-readonly", "RO /file", "OK", reads_only },
	{ "works-socket", "SVC /sock", "OK", sock },
	{ "works-usr", "/usr/bin/env", "OK", reads_only },
};

void add_files(void)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		for (const struct entry *e = classes[i].entries; e->name; e++) {
			struct check c = { .room = "plain", .open = "OK", .shut = e->shut ? e->shut : classes[i].shut, .run = e->run };
			snprintf(c.id, sizeof(c.id), "%s.%s", classes[i].name, e->name);
			snprintf(c.arg, sizeof(c.arg), "%s", classes[i].path);
			add(&c);
		}
	}
}
