/* proc.c - ways out by /proc: pid 1, processes of the host, the kernel's knobs */
#include "leak.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* @arg: path; "PID/x" is in the directory of a process of the host, "INIT/x" in that of pid 1 */
static const char *path_of(const struct check *c)
{
	static char buf[300];
	bool init = !strncmp(c->arg, "INIT/", 5);
	if (!init && strncmp(c->arg, "PID/", 4) != 0)
		return c->arg;
	/* unconfined there is no pid 1 of ours: the same names of that process stand for it */
	bool inside = kill((pid_t)conf_number("PID"), 0) < 0;
	snprintf(buf, sizeof(buf), "/proc/%s/%s", init && inside ? "1" : conf("PID"), strchr(c->arg, '/') + 1);
	return buf;
}

static int p_read(const struct check *c)
{
	char byte;
	int fd = open(path_of(c), O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return errno;
	/* some are only checked when read; at the end or not yet ready is as good as read */
	ssize_t n = pread(fd, &byte, 1, 0);
	return n < 0 && errno != EAGAIN && errno != EIO && errno != EISDIR ? errno : 0;
}

/* addresses of the kernel; to an ordinary user they are all 0 */
static int p_symbols(const struct check *c)
{
	char line[256];
	unsigned long long at = 0;
	FILE *f = fopen(c->arg, "r");
	if (!f)
		return errno;
	for (int i = 0; !at && i < 100 && fgets(line, sizeof(line), f); i++)
		at = strtoull(line, NULL, 16);
	return at ? 0 : EPERM;
}

static int p_write(const struct check *c)
{
	return result(open(path_of(c), O_WRONLY));
}

static int p_list(const struct check *c)
{
	DIR *d = opendir(path_of(c));
	char buf[300];
	if (!d)
		return errno;
	/* numbers alone are nothing: what the first one leads to */
	for (struct dirent *e; errno = 0, (e = readdir(d));)
		if (e->d_name[0] != '.')
			return e->d_type == DT_LNK ? result(readlinkat(dirfd(d), e->d_name, buf, sizeof(buf))) : 0;
	return errno ? errno : EACCES;
}

static int p_link(const struct check *c)
{
	char buf[300];
	return result(readlink(path_of(c), buf, sizeof(buf)));
}

static int p_through(const struct check *c)
{
	char buf[600];
	snprintf(buf, sizeof(buf), "%s%s/secret", path_of(c), conf("OUT"));
	return result(open(buf, O_RDONLY));
}

static int p_setns(const struct check *c)
{
	int fd = open(path_of(c), O_RDONLY);
	return fd < 0 ? errno : result(setns(fd, 0));
}

/* memory of a process that holds a secret: at the address it told us */
static int p_mem(const struct check *c)
{
	char word[8] = "";
	int fd = open(path_of(c), O_RDONLY);
	if (fd < 0)
		return errno;
	ssize_t n = pread(fd, word, 6, strtol(conf("ADDRESS"), NULL, 0));
	return n < 0 ? errno : strcmp(word, "SECRET") == 0 ? 0 : EIO;
}

/* Does some process's command line tell what snug was given, host paths among it? */
static int p_cmdline(const struct check *c)
{
	char buf[4096] = "", path[64];
	(void)c;
	/* unconfined the one that was started with such paths is another */
	bool inside = kill((pid_t)conf_number("PID"), 0) < 0;
	snprintf(path, sizeof(path), "/proc/%s/cmdline", inside ? "1" : conf("PID"));
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);
	if (n < 0)
		return errno;
	return memmem(buf, (size_t)n, conf("STAGE"), strlen(conf("STAGE"))) ? 0 : ENOENT;
}

/* Is the process of the host in the list? */
static int p_listed(const struct check *c)
{
	DIR *d = opendir("/proc");
	(void)c;
	for (struct dirent *e; d && (e = readdir(d));)
		if (!strcmp(e->d_name, conf("PID")))
			return 0;
	return ENOENT;
}

/* The mount table names directories that the host's tree has and the view has not. */
static int p_mounts(const struct check *c)
{
	char line[4096], point[4096];
	FILE *f = fopen(c->arg, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %*s %*s %*s %4095s", point) == 1 &&
		    (!strcmp(point, "/sys") || !strcmp(point, "/sys/fs/cgroup") || !strncmp(point, conf("OUT"), strlen(conf("OUT")))))
			return 0;
	return f ? ENOENT : errno;
}

struct row { const char *name, *path; int (*run)(const struct check *c); const char *shut; };

static const struct row rows[] = {
	/* pid 1 of the sandbox: nobody may look into it */
	{ "init.environ", "INIT/environ", p_read, "EACCES" },
	{ "init.mem", "INIT/mem", p_read, "EACCES" },
	{ "init.maps", "INIT/maps", p_read, "EACCES" },
	{ "init.auxv", "INIT/auxv", p_read, "EACCES" },
	{ "init.stack", "INIT/stack", p_read, "EACCES|EPERM" },
	{ "init.syscall", "INIT/syscall", p_read, "EACCES|EPERM" },
	{ "init.fd", "INIT/fd", p_list, "EACCES" },
	{ "init.fdinfo", "INIT/fdinfo", p_list, "EACCES" },
	{ "init.map-files", "INIT/map_files", p_list, "EACCES" },
	{ "init.root", "INIT/root", p_through, "EACCES" },
	{ "init.cwd", "INIT/cwd", p_link, "EACCES" },
	{ "init.exe", "INIT/exe", p_link, "EACCES" },
	{ "init.ns-mnt", "INIT/ns/mnt", p_link, "EACCES" },
	{ "init.ns-user", "INIT/ns/user", p_link, "EACCES" },
	{ "init.cmdline", "", p_cmdline, "ENOENT" },
	/* a process of the host, of the same user */
	{ "sibling.listed", "", p_listed, "ENOENT" },
	{ "sibling.environ", "PID/environ", p_read, "ENOENT" },
	{ "sibling.mem", "PID/mem", p_mem, "ENOENT" },
	{ "sibling.maps", "PID/maps", p_read, "ENOENT" },
	{ "sibling.auxv", "PID/auxv", p_read, "ENOENT" },
	{ "sibling.cmdline", "PID/cmdline", p_read, "ENOENT" },
	{ "sibling.status", "PID/status", p_read, "ENOENT" },
	{ "sibling.fd", "PID/fd", p_list, "ENOENT" },
	{ "sibling.fdinfo", "PID/fdinfo", p_list, "ENOENT" },
	{ "sibling.task", "PID/task", p_list, "ENOENT" },
	{ "sibling.root", "PID/root", p_through, "ENOENT" },
	{ "sibling.cwd", "PID/cwd", p_link, "ENOENT" },
	{ "sibling.exe", "PID/exe", p_link, "ENOENT" },
	{ "sibling.ns-net", "PID/ns/net", p_link, "ENOENT" },
	{ "sibling.setns", "PID/ns/mnt", p_setns, "ENOENT" },
	{ "sibling.oom", "PID/oom_score_adj", p_write, "ENOENT" },
	/* the kernel's, in /proc */
	{ "knob.core-pattern", "/proc/sys/kernel/core_pattern", p_write, "EROFS|EACCES" },
	{ "knob.modprobe", "/proc/sys/kernel/modprobe", p_write, "EROFS|EACCES" },
	{ "knob.hotplug", "/proc/sys/kernel/hotplug", p_write, "EROFS|EACCES" },
	{ "knob.hostname", "/proc/sys/kernel/hostname", p_write, "EROFS|EACCES" },
	{ "knob.ns-last-pid", "/proc/sys/kernel/ns_last_pid", p_write, "EROFS|EACCES|ENOENT" },
	{ "knob.panic", "/proc/sys/kernel/panic", p_write, "EROFS|EACCES" },
	{ "knob.randomize", "/proc/sys/kernel/randomize_va_space", p_write, "EROFS|EACCES" },
	{ "knob.shmmax", "/proc/sys/kernel/shmmax", p_write, "EROFS|EACCES" },
	{ "knob.drop-caches", "/proc/sys/vm/drop_caches", p_write, "EROFS|EACCES" },
	{ "knob.overcommit", "/proc/sys/vm/overcommit_memory", p_write, "EROFS|EACCES" },
	{ "knob.binfmt", "/proc/sys/fs/binfmt_misc/register", p_write, "EROFS|EACCES|ENOENT" },
	{ "knob.suid-dumpable", "/proc/sys/fs/suid_dumpable", p_write, "EROFS|EACCES" },
	{ "knob.forward", "/proc/sys/net/ipv4/ip_forward", p_write, "EROFS|EACCES" },
	{ "knob.low-ports", "/proc/sys/net/ipv4/ip_unprivileged_port_start", p_write, "EROFS|EACCES" },
	{ "knob.userns", "/proc/sys/user/max_user_namespaces", p_write, "EROFS|EACCES" },
	{ "kernel.sysrq", "/proc/sysrq-trigger", p_write, "EROFS|EACCES" },
	{ "kernel.irq", "/proc/irq/default_smp_affinity", p_write, "EROFS|EACCES" },
	{ "kernel.mtrr", "/proc/mtrr", p_write, "EROFS|EACCES" },
	{ "kernel.kcore", "/proc/kcore", p_read, "EACCES" },
	{ "kernel.keys", "/proc/keys", p_read, "EACCES" },
	{ "kernel.timer-list", "/proc/timer_list", p_read, "EACCES" },
	{ "kernel.kallsyms", "/proc/kallsyms", p_symbols, "EACCES" },
	{ "kernel.kmsg", "/proc/kmsg", p_read, "EACCES" },
	{ "kernel.kpagecount", "/proc/kpagecount", p_read, "EACCES" },
	{ "kernel.kpageflags", "/proc/kpageflags", p_read, "EACCES" },
	{ "kernel.kpagecgroup", "/proc/kpagecgroup", p_read, "EACCES" },
	{ "kernel.pagetypeinfo", "/proc/pagetypeinfo", p_read, "EACCES" },
	{ "kernel.slabinfo", "/proc/slabinfo", p_read, "EACCES" },
	{ "kernel.vmallocinfo", "/proc/vmallocinfo", p_read, "EACCES" },
	{ "kernel.scsi", "/proc/scsi", p_list, "EACCES" },
	{ "kernel.mounts", "/proc/self/mountinfo", p_mounts, "ENOENT" },
};

void add_proc(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct check c = { .room = "plain", .open = "OK", .shut = rows[i].shut, .run = rows[i].run };
		snprintf(c.id, sizeof(c.id), "%s", rows[i].name);
		snprintf(c.arg, sizeof(c.arg), "%s", rows[i].path);
		add(&c);
	}
}
