/* difft_do.c - performs a list of accesses given as arguments and prints the errno of each */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/*
 * An argument is "word|flags|path|second|". Before each one a look at /.difft/NUMBER marks its place in a recording.
 * Without arguments, and when run by the word exec, the program leaves with status 0.
 */
struct todo {
	const char *word, *path, *second;
	long flags;
};

static int answer(long r)
{
	return r < 0 ? errno : 0;
}

static int close_it(int fd)
{
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int do_stat(const struct todo *t)
{
	struct stat st;
	return answer(stat(t->path, &st));
}

static int do_lstat(const struct todo *t)
{
	struct stat st;
	return answer(lstat(t->path, &st));
}

static int do_access(const struct todo *t) { return answer(access(t->path, (int)t->flags)); }

static int do_readlink(const struct todo *t)
{
	char buf[4096];
	return answer(readlink(t->path, buf, sizeof(buf)));
}

static int do_chdir(const struct todo *t)
{
	int here = open(".", O_PATH | O_DIRECTORY);
	int err = answer(chdir(t->path));
	if (!err && fchdir(here))
		err = -1;
	close(here);
	return err;
}

static int do_open(const struct todo *t)
{
	return close_it(open(t->path, (int)t->flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0644));
}

/* relative to a descriptor of its directory; second: its name there */
static int do_openat(const struct todo *t)
{
	char dir[4096];
	snprintf(dir, sizeof(dir), "%.*s", (int)(strlen(t->path) - strlen(t->second)), t->path);
	int at = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (at < 0)
		return errno;
	int err = close_it(openat(at, t->second, (int)t->flags | O_NONBLOCK | O_CLOEXEC));
	close(at);
	return err;
}

static int do_truncate(const struct todo *t) { return answer(truncate(t->path, 1)); }
static int do_chmod(const struct todo *t) { return answer(chmod(t->path, 0755)); }
static int do_chown(const struct todo *t) { return answer(chown(t->path, getuid(), getgid())); }

static int do_utime(const struct todo *t)
{
	struct timespec ts[2] = { { 1000, 0 }, { 1000, 0 } };
	return answer(utimensat(AT_FDCWD, t->path, ts, 0));
}

static int do_setxattr(const struct todo *t) { return answer(setxattr(t->path, "user.difft", "x", 1, 0)); }
static int do_mkdir(const struct todo *t) { return answer(mkdir(t->path, 0755)); }
static int do_rmdir(const struct todo *t) { return answer(rmdir(t->path)); }
static int do_unlink(const struct todo *t) { return answer(unlink(t->path)); }
static int do_symlink(const struct todo *t) { return answer(symlink(t->second, t->path)); }
static int do_mknod(const struct todo *t) { return answer(mknod(t->path, (mode_t)t->flags, (t->flags & S_IFMT) == S_IFCHR ? 0x103 : 0)); }
static int do_rename(const struct todo *t)
{
	return answer(syscall(SYS_renameat2, AT_FDCWD, t->path, AT_FDCWD, t->second, (unsigned)t->flags));
}
static int do_link(const struct todo *t) { return answer(link(t->path, t->second)); }

static int do_exec(const struct todo *t)
{
	int p[2], err = 0, status;
	if (pipe2(p, O_CLOEXEC))
		return -1;
	pid_t pid = fork();
	if (!pid) {
		char *argv[] = { (char *)(size_t)t->path, NULL };
		execv(t->path, argv);
		err = errno;
		_exit(write(p[1], &err, sizeof(err)) == sizeof(err) ? 1 : 2);
	}
	close(p[1]);
	if (read(p[0], &err, sizeof(err)) < 0)
		err = -1;
	close(p[0]);
	waitpid(pid, &status, 0);
	return err;
}

/* A program of one's own: this one, copied. */
static int do_install(const struct todo *t)
{
	char buf[65536];
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), err = 0;
	int out = open(t->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (out < 0)
		err = errno;
	for (ssize_t n; !err && (n = read(in, buf, sizeof(buf))) > 0;)
		if (write(out, buf, (size_t)n) != n)
			err = errno;
	close(in);
	close(out);
	return err;
}

static socklen_t unix_name(struct sockaddr_un *sa, const char *path)
{
	*sa = (struct sockaddr_un){ .sun_family = AF_UNIX };
	size_t n = strnlen(path, sizeof(sa->sun_path) - 1);
	memcpy(sa->sun_path, path, n);
	if (path[0] == '@') {
		sa->sun_path[0] = '\0';
		return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
	}
	return sizeof(*sa);
}

static int do_connect(const struct todo *t)
{
	struct sockaddr_un sa;
	socklen_t n = unix_name(&sa, t->path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err = answer(connect(fd, (struct sockaddr *)&sa, n));
	close(fd);
	return err;
}

/* the socket stays open, so that a later connect finds it */
static int do_bind(const struct todo *t)
{
	struct sockaddr_un sa;
	socklen_t n = unix_name(&sa, t->path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err = answer(bind(fd, (struct sockaddr *)&sa, n));
	if (!err)
		listen(fd, 8);
	return err;
}

/* second: stream or dgram; flags: port; path: address */
static int inet(const struct todo *t, int (*call)(int, const struct sockaddr *, socklen_t), int and_listen)
{
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons((uint16_t)t->flags) };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)t->flags) };
	int is_six = strchr(t->path, ':') != NULL;
	inet_pton(is_six ? AF_INET6 : AF_INET, t->path, is_six ? (void *)&six.sin6_addr : (void *)&four.sin_addr);
	int fd = socket(is_six ? AF_INET6 : AF_INET, (t->second[0] == 'd' ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	int err = answer(call(fd, is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four,
	                      is_six ? sizeof(six) : sizeof(four)));
	if (!err && and_listen)
		return answer(listen(fd, 8)); /* stays open */
	close(fd);
	return err;
}

static int do_cinet(const struct todo *t) { return inet(t, connect, 0); }
static int do_binet(const struct todo *t) { return inet(t, bind, 0); }
static int do_linet(const struct todo *t) { return inet(t, bind, 1); }

/* asked of the proxy: its 403 is EACCES, its 200 is 0 */
static int do_host(const struct todo *t)
{
	char text[512], status[64] = { 0 };
	const char *proxy = getenv("http_proxy"), *port = proxy ? strrchr(proxy, ':') : NULL;
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (!port)
		return ENETUNREACH;
	at.sin_port = htons((uint16_t)atoi(port + 1));
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), code = 0;
	int n = snprintf(text, sizeof(text), "CONNECT %s:%ld HTTP/1.1\r\nHost: %s:%ld\r\n\r\n", t->path, t->flags, t->path, t->flags);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) || write(fd, text, (size_t)n) != n || read(fd, status, sizeof(status) - 1) < 12)
		code = -1;
	close(fd);
	if (code || sscanf(status, "HTTP/1.%*d %d", &code) != 1)
		return EIO;
	return code == 200 ? 0 : code == 403 ? EACCES : EPROTO;
}

static int do_env(const struct todo *t) { return getenv(t->path) ? 0 : ENOENT; }

/* a system call by number, with arguments that do nothing where it is allowed */
static int do_syscall(const struct todo *t)
{
	pid_t pid = fork();
	int status;
	if (!pid)
		_exit(syscall(t->flags, 0, 0, 0, 0, 0, 0) < 0 ? errno : 0);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const struct {
	const char *word;
	int (*run)(const struct todo *);
} words[] = {
	{ "stat", do_stat },       { "lstat", do_lstat },     { "access", do_access },   { "readlink", do_readlink },
	{ "chdir", do_chdir },     { "open", do_open },       { "truncate", do_truncate }, { "chmod", do_chmod },
	{ "chown", do_chown },     { "utime", do_utime },     { "setxattr", do_setxattr }, { "mkdir", do_mkdir },
	{ "rmdir", do_rmdir },     { "unlink", do_unlink },   { "symlink", do_symlink }, { "mknod", do_mknod },
	{ "rename", do_rename },   { "link", do_link },       { "exec", do_exec },       { "install", do_install },
	{ "connect", do_connect }, { "bind", do_bind },       { "cinet", do_cinet },     { "binet", do_binet },
	{ "openat", do_openat },   { "linet", do_linet },     { "env", do_env },         { "host", do_host },         { "syscall", do_syscall },
};

static int perform(char *text)
{
	char *part[4] = { 0 };
	for (int i = 0; i < 4; i++) {
		part[i] = text;
		text = strchr(text, '|');
		if (!text)
			return -1;
		*text++ = '\0';
	}
	struct todo t = { .word = part[0], .flags = strtol(part[1], NULL, 0), .path = part[2], .second = part[3] };
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].word, t.word))
			return words[i].run(&t);
	return -1;
}

int main(int argc, char **argv)
{
	umask(022);
	for (int i = 1; i < argc; i++) {
		char mark[64];
		snprintf(mark, sizeof(mark), "/.difft/%d", i - 1);
		access(mark, F_OK);
		int err = perform(argv[i]);
		printf("%d %d\n", i - 1, err);
		fflush(stdout);
	}
	access("/.difft/end", F_OK);
	return 0;
}
