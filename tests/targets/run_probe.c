/* run_probe.c - looks at its own world and prints it, one fact a line: what `snug run` passes on and takes away */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *why(long r)
{
	return r < 0 ? strerrorname_np(errno) : "OK";
}

/* open descriptors, but the one that lists them */
static int fds(char **arg)
{
	(void)arg;
	DIR *d = opendir("/proc/self/fd");
	if (!d)
		return 1;
	for (struct dirent *de; (de = readdir(d));) {
		if (de->d_name[0] != '.' && atoi(de->d_name) != dirfd(d))
			printf("%s\n", de->d_name);
	}
	return closedir(d);
}

/* lines of /proc/self/status that begin with one of @arg */
static int status(char **arg)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");
	if (!f)
		return 1;
	while (fgets(line, sizeof(line), f)) {
		for (char **a = arg; *a; a++)
			if (!strncmp(line, *a, strlen(*a)))
				fputs(line, stdout);
	}
	return fclose(f);
}

static int limits(char **arg)
{
	(void)arg;
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit r;
		getrlimit((__rlimit_resource_t)i, &r);
		printf("%d %llu %llu\n", i, (unsigned long long)r.rlim_cur, (unsigned long long)r.rlim_max);
	}
	return 0;
}

static volatile sig_atomic_t seen[65];
static void count(int sig)
{
	seen[sig]++;
}

/* counts signals until TERM, then prints "NAME COUNT" of those that came; "ready" goes to the file @arg[0] */
static int counts(char **arg)
{
	const int sigs[] = { SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD, SIGWINCH, SIGURG };
	struct sigaction sa = { .sa_handler = count };
	for (size_t i = 0; i < sizeof(sigs) / sizeof(*sigs); i++)
		sigaction(sigs[i], &sa, NULL);
	close(open(arg[0], O_CREAT | O_WRONLY, 0644));
	while (!seen[SIGTERM])
		usleep(10000);
	usleep(50000); /* what was sent before may still be on its way */
	for (int i = 1; i < 65; i++)
		if (seen[i])
			printf("%s %d\n", sigabbrev_np(i), (int)seen[i]);
	return 0;
}

/* a child that leaves an orphan behind, again and again; are there zombies of ours? */
static int orphans(char **arg)
{
	(void)arg;
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();
		if (!pid) {
			if (!fork())
				_exit(0);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	usleep(200000);
	int zombies = 0;
	DIR *d = opendir("/proc");
	for (struct dirent *de; d && (de = readdir(d));) {
		char path[300], line[512] = "";
		snprintf(path, sizeof(path), "/proc/%s/stat", de->d_name);
		FILE *f = atoi(de->d_name) ? fopen(path, "r") : NULL;
		if (f && fgets(line, sizeof(line), f)) {
			char *p = strrchr(line, ')');
			zombies += p && p[2] == 'Z';
		}
		if (f)
			fclose(f);
	}
	printf("zombies %d\n", zombies);
	return 0;
}

/* things nobody inside may do; each prints NAME RESULT */
static int tries(char **arg)
{
	(void)arg;
	char c = 'x';
	printf("tiocsti %s\n", why(ioctl(0, TIOCSTI, &c)));
	printf("tiocsti_high %s\n", why(syscall(SYS_ioctl, 0, 0xdeadbeef00000000UL | TIOCSTI, &c)));
	printf("tioclinux %s\n", why(ioctl(0, 0x541C, &c)));
	printf("vsock %s\n", why(socket(40, SOCK_STREAM, 0)));
	printf("alg %s\n", why(socket(38, SOCK_SEQPACKET, 0)));
	printf("packet %s\n", why(socket(AF_PACKET, SOCK_RAW, 0)));
	printf("raw %s\n", why(socket(AF_INET, SOCK_RAW, 1)));
	printf("keyctl %s\n", why(syscall(SYS_keyctl, 0, -3, 0)));
	printf("io_uring %s\n", why(syscall(SYS_io_uring_setup, 1, NULL)));
	printf("bpf %s\n", why(syscall(SYS_bpf, 0, NULL, 0)));
	printf("unshare_user %s\n", why(syscall(SYS_unshare, 0x10000000)));
	printf("unshare_files %s\n", why(syscall(SYS_unshare, 0x400)));
	printf("clone_user %s\n", why(syscall(SYS_clone, 0x10000000 | SIGCHLD, NULL, NULL, NULL, 0)));
	printf("clone3 %s\n", why(syscall(SYS_clone3, NULL, 0)));
	printf("mount %s\n", why(syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, NULL)));
	printf("chroot %s\n", why(chroot("/tmp")));
	printf("ptrace %s\n", why(syscall(SYS_ptrace, 16, 1, 0, 0)));
	printf("new_call %s\n", why(syscall(500)));
	printf("kill_init %s\n", why(kill(1, SIGKILL)));
	printf("init_mem %s\n", why(open("/proc/1/mem", O_RDONLY)));
	printf("init_fd %s\n", why(open("/proc/1/fd", O_RDONLY)));
	printf("init_environ %s\n", why(open("/proc/1/environ", O_RDONLY)));
	printf("init_root %s\n", why(open("/proc/1/root/", O_RDONLY)));
	printf("sysctl %s\n", why(open("/proc/sys/kernel/hostname", O_WRONLY)));
	printf("sysrq %s\n", why(open("/proc/sysrq-trigger", O_WRONLY)));
	printf("oom %s\n", why(open("/proc/self/oom_score_adj", O_RDONLY)));
#ifdef __x86_64__
	long r;
	__asm__ volatile("int $0x80" : "=a"(r) : "a"(20L) : "memory"); /* i386 getpid */
	printf("i386 %s\n", r == -ENOSYS ? "ENOSYS" : "OK");
	r = syscall(0x40000000 | 39); /* x32 getpid */
	printf("x32 %s\n", why(r));
#endif
	return 0;
}

/* a server and its client on the loopback */
static int selfserve(char **arg)
{
	(void)arg;
	struct sockaddr_storage sa = { .ss_family = AF_INET };
	socklen_t len = sizeof(sa);
	((unsigned char *)&sa)[4] = 127;
	((unsigned char *)&sa)[7] = 1;
	int s = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0);
	printf("bind %s\n", why(bind(s, (struct sockaddr *)&sa, 16)));
	printf("listen %s\n", why(listen(s, 1)));
	getsockname(s, (struct sockaddr *)&sa, &len);
	printf("connect %s\n", why(connect(c, (struct sockaddr *)&sa, len)));
	return 0;
}

/* connect to the abstract socket @arg[0], or bind it and wait (@arg[1]) */
static int abstract(char **arg)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	memcpy(un.sun_path + 1, arg[0], strlen(arg[0]));
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(arg[0]));
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	if (!arg[1]) {
		printf("connect %s\n", why(connect(s, (struct sockaddr *)&un, len)));
		return 0;
	}
	if (bind(s, (struct sockaddr *)&un, len) || listen(s, 1))
		return 1;
	close(open(arg[1], O_CREAT | O_WRONLY, 0644));
	return sleep(30);
}

/* types of the names in /dev, and a pseudo terminal */
static int devices(char **arg)
{
	(void)arg;
	int m = open("/dev/ptmx", O_RDWR | O_NOCTTY), n = -1, unlock = 0;
	printf("ptmx %s\n", why(m));
	if (m >= 0 && !ioctl(m, TIOCGPTN, &n) && !ioctl(m, TIOCSPTLCK, &unlock)) {
		char name[32];
		snprintf(name, sizeof(name), "/dev/pts/%d", n);
		printf("pts %s\n", why(open(name, O_RDWR | O_NOCTTY)));
	}
	char byte;
	int z = open("/dev/zero", O_RDONLY), u = open("/dev/urandom", O_RDONLY);
	printf("read %d %d\n", (int)read(z, &byte, 1), (int)read(u, &byte, 1));
	int null = open("/dev/null", O_WRONLY);
	printf("null %d\n", (int)write(null, "x", 1));
	printf("create %s\n", why(open("/dev/new", O_CREAT | O_WRONLY, 0600)));
	printf("mknod %s\n", why(mknod("/tmp/null", S_IFCHR | 0666, 0x103)));
	return 0;
}

/* write to descriptor 0 by opening it again; look beside a directory on descriptor 0 */
static int reopen(char **arg)
{
	(void)arg;
	printf("write %s\n", why(open("/proc/self/fd/0", O_WRONLY)));
	printf("up %s\n", why(openat(0, "../..", O_RDONLY | O_DIRECTORY)));
	return 0;
}

static int shm(char **arg)
{
	(void)arg;
	int f = shm_open("/snug-test", O_CREAT | O_RDWR, 0600);
	printf("shm_open %s\n", why(f));
	if (f >= 0) {
		printf("grow %s\n", why(ftruncate(f, 8 << 20)));
		printf("map %s\n", mmap(NULL, 8 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0) == MAP_FAILED ? "no" : "OK");
		shm_unlink("/snug-test");
	}
	return 0;
}

static const struct { const char *name; int (*run)(char **arg); } words[] = {
	{ "fds", fds },         { "status", status },       { "limits", limits }, { "counts", counts },
	{ "orphans", orphans }, { "tries", tries },         { "selfserve", selfserve },
	{ "abstract", abstract }, { "devices", devices },   { "reopen", reopen }, { "shm", shm },
};

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; argc > 1 && i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i].name, argv[1]))
			return words[i].run(argv + 2);
	fprintf(stderr, "run_probe: what?\n");
	return 2;
}
