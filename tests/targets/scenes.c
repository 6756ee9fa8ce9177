/* scenes.c - small plots around names: scenes WHICH ARG.. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int opened(int fd)
{
	printf("%s\n", fd < 0 ? strerrorname_np(errno) : "ok");
	if (fd >= 0)
		close(fd);
	return 0;
}

/* T11: DIR OTHER NAME */
static int dirfd_scene(char **a)
{
	int d = open(a[0], O_RDONLY | O_DIRECTORY);
	return chdir(a[1]) ? 1 : opened(openat(d, a[2], O_RDONLY));
}

/* T13: the NUL is the last mapped byte */
static int border(char **a)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t n = strlen(a[0]) + 1;
	munmap(p + 4096, 4096);
	memcpy(p + 4096 - n, a[0], n);
	opened(open(p + 4096 - n, O_RDONLY));
	/* and one without a NUL before the hole */
	memset(p + 4090, 'x', 6);
	return opened(open(p + 4090, O_RDONLY));
}

/* T14: a relative name of exactly 4095 bytes, and one of 4096 */
static int longest(char **a)
{
	static char path[5000];
	(void)a;
	size_t n = 0;
	while (n < 4000) {
		memset(path + n, 'd', 99);
		path[n + 99] = 0;
		if (mkdir(path, 0755) && errno != EEXIST)
			return 1;
		path[n + 99] = '/';
		n += 100;
	}
	memset(path + n, 'f', 4095 - n);
	path[4095] = 0;
	opened(open(path, O_CREAT | O_WRONLY, 0644));
	path[4095] = 'f';
	path[4096] = 0;
	return opened(open(path, O_RDONLY));
}

static void *open_one(void *name)
{
	int fd = open(name, O_RDONLY);
	if (fd >= 0)
		close(fd);
	free(name);
	return NULL;
}

static int threads(const char *dir, int from, int n)
{
	pthread_t t[600];
	for (int i = 0; i < n; i++) {
		char *name;
		if (asprintf(&name, "%s/%d", dir, from + i) < 0 || pthread_create(&t[i], NULL, open_one, name))
			return 1;
	}
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	return 0;
}

/* T15: DIR with files 0..23 */
static int many(char **a)
{
	pid_t pid = fork();
	if (!pid)
		_exit(threads(a[0], 16, 8));
	int status;
	int rc = threads(a[0], 0, 16);
	waitpid(pid, &status, 0);
	return rc || status;
}

/* T23: SIGCONT in a loop while 500 threads start */
static int cont(char **a)
{
	pid_t parent = getpid(), pid = fork();
	if (!pid) {
		for (;;) {
			if (kill(parent, SIGCONT))
				_exit(0);
			usleep(100);
		}
	}
	int rc = threads(a[0], 0, 500);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return rc;
}

/* T10: run PROGRAM from a memfd, or after its file was removed */
static int memfd(char **a)
{
	static char buf[1 << 20];
	int in = open(a[0], O_RDONLY), out = memfd_create("tool", MFD_CLOEXEC);
	ssize_t n;
	while ((n = read(in, buf, sizeof(buf))) > 0)
		if (write(out, buf, (size_t)n) != n)
			return 1;
	char *argv[] = { "tool", NULL }, *env[] = { NULL };
	return fexecve(out, argv, env);
}
static int deleted(char **a)
{
	int fd = open(a[0], O_RDONLY | O_CLOEXEC);
	unlink(a[0]);
	char *argv[] = { a[0], NULL }, *env[] = { NULL };
	return fexecve(fd, argv, env);
}

static char *share_dir;
static int share_child(void *arg)
{
	(void)arg;
	return chdir(share_dir);
}
/* T25: the child's chdir is the parent's, DIR NAME */
static int share(char **a)
{
	static char stack[65536];
	share_dir = a[0];
	int status;
	pid_t pid = clone(share_child, stack + sizeof(stack), CLONE_FS | SIGCHLD, NULL);
	waitpid(pid, &status, 0);
	return opened(open(a[1], O_RDONLY));
}

static int unix_connect(const char *name, int bound)
{
	struct sockaddr_un u = { .sun_family = AF_UNIX };
	socklen_t len;
	strncpy(u.sun_path + (name[0] == '@'), name + (name[0] == '@'), sizeof(u.sun_path) - 2);
	len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	int r = bound ? bind(s, (struct sockaddr *)&u, len) : connect(s, (struct sockaddr *)&u, len);
	printf("%s %s\n", name, r ? strerrorname_np(errno) : "ok");
	return 0;
}
/* T28: NAMES; "=NAME" binds */
static int sockets(char **a)
{
	for (; *a; a++)
		unix_connect(**a == '=' ? *a + 1 : *a, **a == '=');
	return 0;
}

static void tick(int s) { (void)s; }
/* P19, T21: a signal every millisecond while names are opened: NAME COUNT RESTART */
static int timer(char **a)
{
	struct sigaction act = { .sa_handler = tick, .sa_flags = atoi(a[2]) ? SA_RESTART : 0 };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } };
	int n = atoi(a[1]), bad = 0, interrupted = 0;
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < n; i++) {
		int fd, again = 0;
		while ((fd = open(a[0], O_RDONLY)) < 0 && errno == EINTR)
			again = 1;
		interrupted += again;
		if (fd < 0)
			bad++;
		else
			close(fd);
	}
	printf("%d of %d failed\n", bad, n);
	fprintf(stderr, "%d\n", interrupted);
	return 0;
}

/* exec by a thread that is not the first */
static void *exec_thread(void *arg)
{
	char *argv[] = { arg, NULL }, *env[] = { NULL };
	execve(arg, argv, env);
	return NULL;
}
static int nonleader(char **a)
{
	pthread_t t;
	pthread_create(&t, NULL, exec_thread, a[0]);
	pthread_join(t, NULL);
	return 1;
}

/* a child that no tracer may follow opens NAME */
static int untraced(char **a)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, NULL, NULL, NULL, NULL);
	if (!pid)
		_exit(open(a[0], O_RDONLY) < 0);
	int status;
	waitpid(pid, &status, 0);
	return status != 0;
}

/* SECCOMP_FILTER_FLAG_NEW_LISTENER of its own */
static int listener(char **a)
{
	(void)a;
	struct { unsigned short code; unsigned char jt, jf; unsigned k; } allow = { 6, 0, 0, 0x7fff0000 };
	struct { unsigned short len; void *p; } prog = { 1, &allow };
	long fd = syscall(SYS_seccomp, 1, 8, &prog);
	printf("%s\n", fd < 0 ? strerrorname_np(errno) : "ok");
	return 0;
}

/* a call by the 32-bit gate, from 64-bit code: getpid is number 20 there */
static int gate(char **a)
{
	(void)a;
	long r = 20;
#ifdef __x86_64__
	__asm__ volatile("int $0x80" : "+a"(r) : : "memory", "r8", "r9", "r10", "r11");
#endif
	printf("%s\n", r == getpid() ? "ok" : "no");
	return 0;
}

static const struct {
	const char *name;
	int (*play)(char **a);
} plots[] = {
	{ "dirfd", dirfd_scene }, { "border", border }, { "longest", longest }, { "many", many }, { "cont", cont },
	{ "memfd", memfd }, { "deleted", deleted }, { "share", share }, { "sockets", sockets }, { "timer", timer },
	{ "nonleader", nonleader }, { "untraced", untraced }, { "listener", listener }, { "gate", gate },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(plots) / sizeof(*plots); i++)
		if (!strcmp(plots[i].name, argv[1]))
			return plots[i].play(argv + 2);
	return 2;
}
