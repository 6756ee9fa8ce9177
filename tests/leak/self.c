/* self.c - what the command is: its rights, its name, what else it shares with the host */
#include "leak.h"

#include <dirent.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static bool status_line(char *out, size_t size, const char *pid, const char *name)
{
	char path[64], line[256];
	size_t n = strlen(name);
	bool found = false;
	snprintf(path, sizeof(path), "/proc/%s/status", pid);
	FILE *f = fopen(path, "r");
	while (f && !found && fgets(line, sizeof(line), f)) {
		found = !strncmp(line, name, n) && line[n] == ':';
		if (found)
			snprintf(out, size, "%s", line + n + 1 + strspn(line + n + 1, " \t"));
	}
	if (f)
		fclose(f);
	return found;
}

/* a set of capabilities that is not empty */
static int caps(const struct check *c)
{
	char text[256] = "";
	if (!status_line(text, sizeof(text), "self", c->arg))
		skip("no %s in /proc/self/status", c->arg);
	return strtoull(text, NULL, 16) ? 0 : EPERM;
}

static int bounding(const struct check *c)
{
	return prctl(PR_CAPBSET_READ, c->nr) == 1 ? 0 : EPERM;
}

static int no_new_privs(const struct check *c)
{
	(void)c;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 ? 0 : EPERM;
}

static int no_filter(const struct check *c)
{
	char text[256] = "0";
	(void)c;
	status_line(text, sizeof(text), "self", "Seccomp");
	return atoi(text) == 0 ? 0 : EPERM;
}

/* Started as another by a set-uid file: does the process get that user? */
static int becomes(const char *path)
{
	char text[256] = "", pid_[16];
	int p[2], err = EPERM;
	if (pipe(p))
		return errno;
	pid_t pid = fork();
	if (pid == 0) {
		dup2(p[0], 0);
		close(p[1]);
		int null = open("/dev/null", O_RDWR);
		dup2(null, 1);
		dup2(null, 2);
		setsid(); /* no terminal to ask on */
		execl(path, path, (char *)NULL);
		_exit(1);
	}
	close(p[0]);
	snprintf(pid_, sizeof(pid_), "%d", (int)pid);
	for (int i = 0; err && i < 100; i++) {
		unsigned real, effective;
		if (status_line(text, sizeof(text), pid_, "Uid") && sscanf(text, "%u %u", &real, &effective) == 2 &&
		    real != effective)
			err = 0;
		usleep(5000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(p[1]);
	return err;
}

static int set_uid(const struct check *c)
{
	const char *path = *c->arg == '/' ? c->arg : conf(c->arg);
	struct stat st;
	if (!*path || stat(path, &st) || !(st.st_mode & S_ISUID) || st.st_uid == geteuid())
		skip("no set-uid file of another user");
	return becomes(path);
}

static int host_name(const struct check *c)
{
	struct utsname u;
	(void)c;
	uname(&u);
	return strcmp(u.nodename, conf("HOSTNAME")) == 0 ? 0 : ENOENT;
}

static int variable(const struct check *c)
{
	return getenv(c->arg) ? 0 : ENOENT;
}

/* signal 0 to a process of the host */
static int find_process(const struct check *c)
{
	switch (c->nr) {
	case 0:
		return result(kill((pid_t)conf_number("PID"), 0));
	case 1:
		return result(syscall(SYS_pidfd_open, conf_number("PID"), 0));
	case 2:
		return result(getpgid((pid_t)conf_number("PID")));
	case 3:
		return result(prlimit((pid_t)conf_number("PID"), RLIMIT_CORE, NULL, &(struct rlimit){ 0 }));
	case 4:
		return result(sched_getscheduler((pid_t)conf_number("PID")));
	case 5:
		errno = 0;
		return result(getpriority(PRIO_PROCESS, (id_t)conf_number("PID")));
	default:
		return result(syscall(SYS_kcmp, getpid(), conf_number("PID"), 2, 0, 0));
	}
}

static int kill_init(const struct check *c)
{
	(void)c;
	return result(kill(1, 0));
}

/*
 * kill(0, ..): the caller's process group. run.sh has put `leak member` into the group that snug is started in: when the
 * signal comes it makes a file in the project.
 */
static int kill_group(const struct check *c)
{
	char hit[600];
	snprintf(hit, sizeof(hit), "%s/hit", conf("PROJ"));
	unlink(hit);
	signal((int)c->nr, SIG_IGN);
	if (kill(0, (int)c->nr) < 0)
		return errno;
	for (int i = 0; i < 60; i++, usleep(5000))
		if (access(hit, F_OK) == 0)
			return 0;
	return ESRCH; /* nobody outside has got it */
}

/* the same by way of a descriptor: whoever writes to the pipe signals its owner, a group */
static int own_group(const struct check *c)
{
	char hit[600];
	int p[2];
	snprintf(hit, sizeof(hit), "%s/hit", conf("PROJ"));
	unlink(hit);
	signal((int)c->nr, SIG_IGN);
	pid_t group = getpgrp() ? getpgrp() : 0;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, p) || fcntl(p[0], F_SETOWN, -group) || fcntl(p[0], F_SETSIG, (int)c->nr) ||
	    fcntl(p[0], F_SETFL, O_ASYNC))
		return errno;
	if (write(p[1], "x", 1) != 1)
		return errno;
	for (int i = 0; i < 60; i++, usleep(5000))
		if (access(hit, F_OK) == 0)
			return 0;
	return ESRCH;
}

/* Is 0 the terminal that snug was started in? */
static int callers_terminal(const struct check *c)
{
	struct stat st;
	char name[64];
	(void)c;
	if (fstat(0, &st))
		return errno;
	snprintf(name, sizeof(name), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_rdev);
	return strcmp(name, conf("TERMINAL")) == 0 ? 0 : ENOENT;
}

static int type_into(const struct check *c)
{
	int tty = open("/dev/tty", O_RDWR);
	return tty < 0 ? errno : result(ioctl(tty, (unsigned long)c->nr, "\n"));
}

static int in_group(const struct check *c)
{
	(void)c;
	/* 0: outside of the pid namespace; 1: pid 1's, where a kill would meet that as well */
	return getpgrp() == (pid_t)conf_number("PGRP") || getpgrp() <= 1 ? 0 : ESRCH;
}

static int shared_memory(const struct check *c)
{
	(void)c;
	return result(shmget((key_t)conf_number("KEY_NUMBER"), 0, 0));
}

static int semaphore(const struct check *c)
{
	(void)c;
	return result(semget((key_t)conf_number("KEY_NUMBER"), 0, 0));
}

static int message_queue(const struct check *c)
{
	(void)c;
	return result(msgget((key_t)conf_number("KEY_NUMBER"), 0));
}

static int posix_queue(const struct check *c)
{
	(void)c;
	return result(mq_open(conf("MQUEUE"), O_RDONLY));
}

static int mknod_(const struct check *c)
{
	char path[600];
	snprintf(path, sizeof(path), "%s/node-%d", conf("PROJ"), (int)getpid());
	int r = mknod(path, S_IFBLK | 0600, (dev_t)c->nr), err = errno;
	if (r == 0)
		unlink(path);
	return r ? err : 0;
}

static int low_port_nice(const struct check *c)
{
	(void)c;
	return result(setpriority(PRIO_PROCESS, 0, -5));
}

/* Has it a directory that it was started in by way of snug, and the one that was asked for? */
static int cwd(const struct check *c)
{
	(void)c;
	if (access("secret", F_OK) == 0)
		return 0;
	return access("marker", F_OK) == 0 ? ENOENT : ENOTDIR;
}

static int mask(const struct check *c)
{
	sigset_t set;
	(void)c;
	sigprocmask(SIG_BLOCK, NULL, &set);
	return sigismember(&set, SIGUSR2) ? EBUSY : 0;
}

static int ids(const struct check *c)
{
	(void)c;
	return getuid() == (uid_t)conf_number("UID") && geteuid() == getuid() ? 0 : EPERM;
}

/* In a user namespace that the profile grants, with all its capabilities */
static int mount_in_userns(const struct check *c)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		skip("no user namespace: %s", strerror(errno));
	switch (c->nr) {
	case 0:
		return result(mount("none", "/tmp", "tmpfs", 0, NULL));
	case 1:
		return result(mount("/usr", "/tmp", NULL, MS_BIND | MS_REC, NULL));
	case 2:
		return result(mount(NULL, "/usr", NULL, MS_REMOUNT | MS_BIND, NULL));
	case 3:
		return result(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	default:
		return result(umount2("/proc", MNT_DETACH));
	}
}

static int works_userns(const struct check *c)
{
	(void)c;
	return result(unshare(CLONE_NEWUSER));
}

static int files_of(const struct check *c)
{
	return result(open(c->arg, (int)c->nr));
}

static const struct {
	const char *name, *room;
	int (*run)(const struct check *c);
	long nr;
	const char *arg, *open, *shut;
} rows[] = {
	{ "caps.effective", "plain", caps, 0, "CapEff", "OK", "EPERM" },
	{ "caps.permitted", "plain", caps, 0, "CapPrm", "OK", "EPERM" },
	{ "caps.bounding", "plain", caps, 0, "CapBnd", "OK", "EPERM" },
	{ "caps.inheritable", "plain", caps, 0, "CapInh", "OK", "EPERM" },
	{ "caps.ambient", "plain", caps, 0, "CapAmb", "OK", "EPERM" },
	{ "caps.bounding-chown", "plain", bounding, 0, "", "OK", "EPERM" },
	{ "caps.bounding-sys-admin", "plain", bounding, 21, "", "OK", "EPERM" },
	{ "caps.bounding-last", "plain", bounding, 40, "", "OK", "EPERM" },
	{ "caps.no-new-privs", "plain", no_new_privs, 0, "", "OK", "EPERM" },
	{ "caps.no-filter", "plain", no_filter, 0, "", "OK", "EPERM" },
	{ "caps.nice", "plain", low_port_nice, 0, "", "OK", "EACCES|EPERM" },
	{ "caps.mknod", "plain", mknod_, 0x700, "", "OK", "EPERM" },
	{ "set-uid.own-file", "plain", set_uid, 0, "SETUID", "OK", "EPERM" },
	{ "set-uid.su", "plain", set_uid, 0, "/usr/bin/su", "OK", "EPERM" },
	{ "set-uid.passwd", "plain", set_uid, 0, "/usr/bin/passwd", "OK", "EPERM" },
	{ "names.host", "plain", host_name, 0, "", "OK", "ENOENT" },
	{ "names.variable", "plain", variable, 0, "SECRET_TOKEN", "OK", "ENOENT" },
	{ "names.agent", "plain", variable, 0, "SSH_AUTH_SOCK", "OK", "ENOENT" },
	{ "process.kill", "plain", find_process, 0, "", "OK", "ESRCH" },
	{ "process.pidfd", "plain", find_process, 1, "", "OK", "ESRCH" },
	{ "process.group-of", "plain", find_process, 2, "", "OK", "ESRCH" },
	{ "process.limits", "plain", find_process, 3, "", "OK", "ESRCH" },
	{ "process.scheduler", "plain", find_process, 4, "", "OK", "ESRCH" },
	{ "process.priority", "plain", find_process, 5, "", "OK", "ESRCH" },
	{ "process.kcmp", "plain", find_process, 6, "", "OK", "ESRCH" },
	{ "process.init", "plain", kill_init, 0, "", "OK", "EPERM" },
	{ "process.group", "plain", in_group, 0, "", "OK", "ESRCH" },
	{ "terminal.kill-group", "tty", kill_group, SIGUSR1, "", "OK", "ESRCH|EPERM" },
	{ "terminal.own-group", "tty", own_group, SIGUSR1, "", "OK", "ESRCH|EPERM" },
	{ "terminal.callers", "tty", callers_terminal, 0, "", "OK", "ENOENT" },
	{ "terminal.type", "tty", type_into, TIOCSTI, "", "OK", "EPERM" },
	{ "terminal.type-high", "tty", type_into, 0x100000000L | TIOCSTI, "", "OK", "EPERM" },
	{ "ipc.shm", "plain", shared_memory, 0, "", "OK", "ENOENT" },
	{ "ipc.sem", "plain", semaphore, 0, "", "OK", "ENOENT" },
	{ "ipc.msg", "plain", message_queue, 0, "", "OK", "ENOENT" },
	{ "ipc.mqueue", "plain", posix_queue, 0, "", "OK", "ENOENT" },
	{ "start.cwd", "cwd", cwd, 0, "", "OK", "ENOENT" },
	{ "start.works-mask", "plain", mask, 0, "", "OK", "OK" },
	{ "start.works-ids", "plain", ids, 0, "", "OK", "OK" },
	{ "userns.works", "userns", works_userns, 0, "", "OK", "OK" },
	{ "userns.mount", "userns", mount_in_userns, 0, "", "OK", "EPERM" },
	{ "userns.bind", "userns", mount_in_userns, 1, "", "OK", "EPERM" },
	{ "userns.private", "userns", mount_in_userns, 3, "", "OK", "EPERM" },
	{ "sys.works-read", "sys", files_of, O_RDONLY, "/sys/kernel/uevent_seqnum", "OK", "OK" },
	{ "sys.write", "sys", files_of, O_WRONLY, "/sys/kernel/mm/ksm/run", "OK", "EROFS|EACCES" },
	{ "sys.power", "sys", files_of, O_WRONLY, "/sys/power/state", "OK", "EROFS|EACCES" },
	{ "sys.profiling", "sys", files_of, O_WRONLY, "/sys/kernel/profiling", "OK", "EROFS|EACCES" },
	{ "sys.uevent", "sys", files_of, O_WRONLY, "/sys/kernel/uevent_helper", "OK", "EROFS|EACCES" },
	{ "sys.block", "sys", files_of, O_WRONLY, "/sys/devices/virtual/block/loop0/uevent", "OK", "EROFS|EACCES" },
};

/* run.sh does these itself, and writes what came out */
static int by_run_sh(const struct check *c)
{
	(void)c;
	return EIO;
}

void add_self(void)
{
	const struct check status = { .id = "start.works-status", .room = "swap", .open = "OK", .shut = "OK", .run = by_run_sh };
	add(&status);
	struct check denials = status;
	strcpy(denials.id, "start.works-denials");
	add(&denials);
	static const char *const swaps[] = { "file", "dir", "parent", "project", "bind" };
	for (size_t i = 0; i < sizeof(swaps) / sizeof(*swaps); i++) {
		struct check c = { .room = "swap", .open = "met", .shut = "held", .run = by_run_sh };
		snprintf(c.id, sizeof(c.id), "swap.%s", swaps[i]);
		add(&c);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct check c = { .room = rows[i].room, .open = rows[i].open, .shut = rows[i].shut, .run = rows[i].run,
		                   .nr = rows[i].nr };
		snprintf(c.id, sizeof(c.id), "%s", rows[i].name);
		snprintf(c.arg, sizeof(c.arg), "%s", rows[i].arg);
		add(&c);
	}
}
