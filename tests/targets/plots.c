/* plots.c - small plots around processes and signals: plots WHICH ARG.. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* P15: 100 queued real-time signals with values arrive in order */
static int queue(char **a)
{
	(void)a;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pid_t parent = getpid(), pid = fork();
	if (!pid) {
		for (int i = 0; i < 100; i++) {
			if (sigqueue(parent, SIGRTMIN, (union sigval){ .sival_int = i }))
				_exit(1);
			close(open("/dev/null", O_RDONLY));
		}
		_exit(0);
	}
	for (int i = 0; i < 100; i++) {
		siginfo_t info;
		close(open("/dev/null", O_RDONLY));
		if (sigwaitinfo(&set, &info) < 0 || info.si_value.sival_int != i || info.si_pid != pid || info.si_uid != getuid())
			return 1;
	}
	wait(NULL);
	printf("100 in order\n");
	return 0;
}

static void *later(void *arg)
{
	(void)arg;
	usleep(300000);
	close(open("/dev/null", O_RDONLY));
	exit(4);
}
/* P16: the first thread ends before the others */
static int leader(char **a)
{
	(void)a;
	pthread_t t;
	pthread_create(&t, NULL, later, NULL);
	pthread_exit(NULL);
	return 0;
}

/* T24: vforked children without end */
static int spawner(char **a)
{
	char *argv[] = { "/bin/true", NULL };
	while (a) {
		pid_t pid;
		if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) == 0)
			waitpid(pid, NULL, 0);
	}
	return 0;
}

static volatile int got[65];
static void count(int s) { got[s]++; }
/* P22: which signals reached us while we worked for MS milliseconds */
static int counter(char **a)
{
	for (int s = 1; s < 32; s++)
		if (s != SIGKILL && s != SIGSTOP)
			signal(s, count);
	printf("ready\n");
	fflush(stdout);
	for (int i = 0; i < atoi(a[0]); i++) {
		usleep(1000);
		close(open("/dev/null", O_RDONLY));
	}
	for (int s = 1; s < 32; s++)
		if (got[s])
			printf("signal %d: %d\n", s, got[s]);
	return 0;
}

/* a daemon that outlives us, and still works at the end: SECONDS FILE */
static int daemonize(char **a)
{
	if (fork() == 0) {
		setsid();
		if (fork() == 0) {
			for (int i = 0; i < 3; i++)
				close(i);
			usleep((useconds_t)(atof(a[0]) * 1e6));
			int fd = open(a[1], O_CREAT | O_WRONLY, 0644);
			_exit(fd < 0);
		}
		_exit(0);
	}
	wait(NULL);
	return 0;
}

/* N opens of NAME, to be disturbed from outside */
static int opens(char **a)
{
	int bad = 0;
	for (int i = 0; i < atoi(a[0]); i++) {
		int fd = open(a[1], O_RDONLY);
		bad += fd < 0;
		close(fd);
	}
	printf("%d failed\n", bad);
	return 0;
}

/* a user space file system that nobody serves, and a child that gets stuck in it: DIR */
static int stuck(char **a)
{
	char opts[128];
	int fd = open("/dev/fuse", O_RDWR);
	snprintf(opts, sizeof(opts), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (fd < 0 || mount("none", a[0], "fuse.stuck", MS_NOSUID | MS_NODEV, opts))
		return 77;
	pid_t pid = fork();
	if (!pid) {
		close(fd);
		_exit(open(a[1], O_RDONLY) < 0);
	}
	usleep(500000);
	close(open("/etc/hostname", O_RDONLY));
	umount2(a[0], MNT_DETACH);
	close(fd);
	waitpid(pid, NULL, 0);
	return 0;
}

static const struct {
	const char *name;
	int (*play)(char **a);
} list[] = {
	{ "queue", queue }, { "leader", leader }, { "spawner", spawner }, { "counter", counter }, { "daemon", daemonize },
	{ "opens", opens }, { "stuck", stuck },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(list) / sizeof(*list); i++)
		if (!strcmp(list[i].name, argv[1]))
			return list[i].play(argv + 2);
	return 2;
}
