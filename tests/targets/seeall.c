/* seeall.c - print all that a program can see of its surroundings, for comparing bare with audited */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

extern char **environ;

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void environment(void)
{
	size_t n = 0;
	while (environ[n])
		n++;
	qsort(environ, n, sizeof(*environ), by_text);
	for (size_t i = 0; i < n; i++)
		printf("env %s\n", environ[i]);
}

static void descriptors(void)
{
	for (int i = 0; i < 256; i++) {
		char path[64], link[512];
		int flags = fcntl(i, F_GETFD);
		if (flags < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", i);
		ssize_t n = readlink(path, link, sizeof(link) - 1);
		link[n < 0 ? 0 : n] = 0;
		/* numbers of pipes differ from run to run */
		link[strcspn(link, "[")] = 0;
		printf("fd %d %s flags %d %x tty %d\n", i, link, flags, fcntl(i, F_GETFL), isatty(i));
	}
}

static void signals(void)
{
	sigset_t mask;
	sigprocmask(SIG_BLOCK, NULL, &mask);
	for (int s = 1; s < 65; s++) {
		struct sigaction act;
		if (sigaction(s, NULL, &act) == 0)
			printf("signal %d %s blocked %d\n", s, act.sa_handler == SIG_IGN ? "ignored" :
			       act.sa_handler == SIG_DFL ? "default" : "handler", sigismember(&mask, s));
	}
}

static void limits(void)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit l;
		if (!getrlimit(i, &l))
			printf("limit %d %lld %lld\n", i, (long long)l.rlim_cur, (long long)l.rlim_max);
	}
}

static void status(void)
{
	static const char *const skip[] = { "Pid:", "Tgid:", "PPid:", "Ngid:", "NSpid:", "NStgid:", "NSpgid:", "NSsid:",
	                                    "Vm", "Rss", "Hugetlb", "voluntary", "nonvoluntary", "SigQ:", "Mems", "x86_" };
	char line[1024];
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof(line), f)) {
		size_t i = 0;
		while (i < sizeof(skip) / sizeof(*skip) && strncmp(line, skip[i], strlen(skip[i])) != 0)
			i++;
		if (i == sizeof(skip) / sizeof(*skip))
			printf("status %s", line);
	}
	if (f)
		fclose(f);
}

static void directory(const char *path)
{
	struct dirent **e;
	int n = scandir(path, &e, NULL, alphasort);
	for (int i = 0; i < n; i++)
		printf("in %s %s\n", path, e[i]->d_name);
}

static void links(void)
{
	static const char *const names[] = { "cwd", "root", "exe", "ns/mnt", "ns/pid", "ns/net", "ns/user", "ns/ipc", "ns/uts",
	                                     "ns/cgroup" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char path[64], text[4096];
		snprintf(path, sizeof(path), "/proc/self/%s", names[i]);
		ssize_t n = readlink(path, text, sizeof(text) - 1);
		text[n < 0 ? 0 : n] = 0;
		printf("link %s %s\n", names[i], text);
	}
}

static void file(const char *path)
{
	char line[1024];
	FILE *f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		printf("%s: %s", path, line);
	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	char cwd[4096];
	cpu_set_t cpus;
	int deathsig = -1;
	mode_t mask = umask(0);
	for (int i = 0; i < argc; i++)
		printf("arg %s\n", argv[i]);
	printf("cwd %s umask %o nice %d\n", getcwd(cwd, sizeof(cwd)), mask, getpriority(PRIO_PROCESS, 0));
	printf("ids %d %d %d %d\n", getuid(), geteuid(), getgid(), getegid());
	printf("same group as the session's leader %d, leads its group %d\n", getpgrp() == getsid(0), getpgrp() == getpid());
	printf("foreground %d\n", tcgetpgrp(2) == getpgrp());
	prctl(PR_GET_PDEATHSIG, &deathsig);
	printf("death signal %d subreaper %d dumpable %d timer slack %d securebits %d\n", deathsig,
	       prctl(PR_GET_CHILD_SUBREAPER, &(int){ 0 }), prctl(PR_GET_DUMPABLE), prctl(PR_GET_TIMERSLACK),
	       prctl(PR_GET_SECUREBITS));
	sched_getaffinity(0, sizeof(cpus), &cpus);
	printf("cpus %d scheduler %d\n", CPU_COUNT(&cpus), sched_getscheduler(0));
	environment();
	descriptors();
	signals();
	limits();
	status();
	links();
	directory(".");
	file("/proc/self/cgroup");
	file("/proc/self/oom_score_adj");
	file("/proc/self/loginuid");
	return 0;
}
