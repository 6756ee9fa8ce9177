/* outside.c - what stands for the host: a process with a secret, sockets, shared memory, a service; and who swaps names */
#include "leak.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <mqueue.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static volatile sig_atomic_t over;
static void end(int sig)
{
	(void)sig;
	over = 1;
}

static int unix_listen(const char *path, int type)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(un);
	if (*path == '@') {
		strncpy(un.sun_path + 1, path + 1, sizeof(un.sun_path) - 2);
		len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
	} else {
		strncpy(un.sun_path, path, sizeof(un.sun_path) - 1);
	}
	int s = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	if (bind(s, (struct sockaddr *)&un, len) || (type == SOCK_STREAM && listen(s, 64)))
		return -1;
	return s;
}

static int inet_listen(int family, FILE *f, const char *name)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_in b = { .sin_family = AF_INET };
	struct sockaddr *sa = family == AF_INET ? (struct sockaddr *)&b : (struct sockaddr *)&a;
	socklen_t len = family == AF_INET ? sizeof(b) : sizeof(a);
	int s = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* on every address of the loopback net, and nowhere else is anybody asked */
	if (s < 0 || bind(s, sa, len) || listen(s, 64) || getsockname(s, sa, &len))
		return -1;
	fprintf(f, "%s=%d\n", name, ntohs(family == AF_INET ? b.sin_port : a.sin6_port));
	return s;
}

static void own_address(FILE *f)
{
	struct ifaddrs *list;
	char text[INET_ADDRSTRLEN];
	if (getifaddrs(&list))
		return;
	for (struct ifaddrs *i = list; i; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || i->ifa_flags & IFF_LOOPBACK)
			continue;
		struct sockaddr_in *a = (struct sockaddr_in *)(void *)i->ifa_addr;
		fprintf(f, "ADDRESS4=%s\n", inet_ntop(AF_INET, &a->sin_addr, text, sizeof(text)));
		break;
	}
	freeifaddrs(list);
}

static void send_all(int s, const int *fds)
{
	union { char buf[CMSG_SPACE(3 * sizeof(int))]; struct cmsghdr align; } u = { 0 };
	struct iovec iov = { (char[]){ "x" }, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = u.buf, .msg_controllen = sizeof(u.buf) };
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);
	*h = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(3 * sizeof(int)) };
	memcpy(CMSG_DATA(h), fds, 3 * sizeof(int));
	if (sendmsg(s, &m, MSG_NOSIGNAL) < 0)
		return;
}

static char *join(const char *dir, const char *name)
{
	static char buf[8][300];
	static int at;
	at = (at + 1) % 8;
	snprintf(buf[at], 300, "%s%s", dir, name);
	return buf[at];
}

int outside(const char *dir)
{
	static char secret[8] = "SECRET";
	char name[64];
	int key = 0x5e000000 + (getpid() & 0xffffff), id;
	signal(SIGUSR1, SIG_IGN);
	struct sigaction sa = { .sa_handler = end };
	sigaction(SIGTERM, &sa, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	FILE *f = fopen(join(dir, "/proj/conf.new"), "w");
	if (!f)
		return 1;
	fprintf(f, "PID=%d\nADDRESS=%p\n", (int)getpid(), (void *)secret);
	struct pollfd p[] = {
		{ .fd = inet_listen(AF_INET, f, "PORT"), .events = POLLIN },
		{ .fd = inet_listen(AF_INET6, f, "PORT6"), .events = POLLIN },
		{ .fd = unix_listen(join(dir, "/out/sock"), SOCK_STREAM), .events = POLLIN },
		{ .fd = unix_listen(join(dir, "/svc/sock"), SOCK_STREAM), .events = POLLIN }, /* [3]: the service */
		{ .fd = -1, .events = POLLIN },
		{ .fd = -1, .events = POLLIN },
	};
	snprintf(name, sizeof(name), "@leak-%d", (int)getpid());
	p[4].fd = unix_listen(name, SOCK_STREAM);
	fprintf(f, "ABSTRACT=%s\n", name + 1);
	snprintf(name, sizeof(name), "@leakd-%d", (int)getpid());
	p[5].fd = unix_listen(name, SOCK_DGRAM);
	fprintf(f, "ABSTRACTD=%s\n", name + 1);
	own_address(f);
	fprintf(f, "KEY_NUMBER=%d\n", key);
	int shm = shmget(key, 4096, IPC_CREAT | 0600), sem = semget(key, 1, IPC_CREAT | 0600), msg = msgget(key, IPC_CREAT | 0600);
	snprintf(name, sizeof(name), "/leak-%d", (int)getpid());
	mqd_t q = mq_open(name, O_RDWR | O_CREAT, 0600, NULL);
	fprintf(f, "MQUEUE=%s\nKEY=%s\n", name, name + 1);
	id = (int)syscall(SYS_add_key, "user", name + 1, "SECRET", 6, -4);
	syscall(SYS_add_key, "user", name + 1, "SECRET", 6, -3);
	const int fds[] = { open(join(dir, "/out"), O_RDONLY | O_DIRECTORY), open(join(dir, "/out/sent"), O_RDONLY),
	                    open(join(dir, "/out"), O_PATH | O_DIRECTORY) };
	fclose(f);
	if (chdir(join(dir, "/out")) || rename(join(dir, "/proj/conf.new"), join(dir, "/proj/conf.more")))
		return 1;
	while (!over) {
		if (poll(p, 6, 200) <= 0)
			continue;
		for (int i = 0; i < 6; i++) {
			char buf[16];
			if (!(p[i].revents & POLLIN))
				continue;
			int s = i == 5 ? -1 : accept4(p[i].fd, NULL, NULL, SOCK_CLOEXEC);
			if (i == 5 && recv(p[i].fd, buf, sizeof(buf), 0) < 0)
				continue;
			if (i == 3)
				send_all(s, fds);
			if (s >= 0)
				close(s);
		}
	}
	shmctl(shm, IPC_RMID, NULL);
	semctl(sem, 0, IPC_RMID);
	msgctl(msg, IPC_RMID, NULL);
	if (q >= 0)
		mq_unlink(name);
	if (id > 0)
		syscall(SYS_keyctl, 9 /* KEYCTL_UNLINK */, id, -4);
	return 0;
}

int member(const char *hit)
{
	sigset_t set;
	int sig;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	while (sigwait(&set, &sig) == 0 && sig != SIGTERM)
		close(open(hit, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	return 0;
}

int swap(const char *a, const char *b)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	for (;;)
		if (renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE))
			return 1;
}
