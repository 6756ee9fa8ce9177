/* st_net.c - the namespaces that mounting does not need; loopback and proxy listener */
#include "enforce/step.h"

#include "enforce/sysw.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000 /* linux/sched.h */
#endif

/* The socket lives in the sandbox's network namespace, whoever accepts on it later. */
static int proxy_listen(struct build *b, struct err *e)
{
	b->listener = fd_own(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
	if (!b->listener.plus1)
		return err_sys(e, "socket");
	struct sockaddr_in sin = {
		.sin_family = AF_INET,
		.sin_port = htons(b->opts->proxy_port ? b->opts->proxy_port : BOX_PROXY_PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	b->port = ntohs(sin.sin_port);
	if (bind(fd_no(b->listener), (struct sockaddr *)&sin, sizeof(sin)) != 0 ||
	    listen(fd_no(b->listener), SOMAXCONN) != 0)
		return err_sys(e, "listen on 127.0.0.1:%u", b->port);
	return 0;
}

/*
 * Making a network namespace takes the kernel as long as half the mounts, and that of System V IPC some more. So a process of its own may make it while pid 1
 * builds the view; pid 1 then moves over. The helper lives until pid 1 has: a namespace is found through its process.
 *
 * It shares our memory, since a copy would cost as much as is won: so it leaves libc alone, whose errno is ours, and
 * writes nothing but its answer.
 */
__attribute__((no_sanitize_address, no_stack_protector)) static long spaces(const struct build *b)
{
	return CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP | (b->pol->network.v == NET_HOST ? 0 : CLONE_NEWNET);
}

__attribute__((no_sanitize_address, no_stack_protector)) static void make_net(struct build *b)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	long fd, r = sys_raw(SYS_unshare, spaces(b), 0, 0);
	b->net_step = NULL;
	if (r == 0 && spaces(b) & CLONE_NEWNET) {
		b->net_step = "bring the loopback up";
		r = fd = sys_raw(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (fd >= 0) {
			r = sys_raw(SYS_ioctl, fd, SIOCSIFFLAGS, (long)&ifr);
			sys_raw(SYS_close, fd, 0, 0);
		}
		if (fd == -EAFNOSUPPORT)
			r = 0; /* a kernel without IPv4 has no such loopback */
	}
	b->net_err = (int)-r;
}

__attribute__((no_sanitize_address, no_stack_protector)) static int helper_main(void *arg)
{
	struct build *b = arg;
	make_net(b);
	sys_raw(SYS_write, b->net_tell_no, (long)"", 1);
	for (;;)
		sys_raw(SYS_ppoll, 0, 0, 0); /* until it is killed */
	return 0;
}

/* A helper pays where a processor waits for work; elsewhere we would wait for the helper. */
static bool idle_processor(void)
{
	struct sysinfo si;
	cpu_set_t set;
	if (sysinfo(&si) != 0 || sched_getaffinity(0, sizeof(set), &set) != 0)
		return false;
	return si.loads[0] >> SI_LOAD_SHIFT < (unsigned long)CPU_COUNT(&set);
}

int st_net_begin(struct build *b, struct err *e)
{
	enum { STACK = 16384 };
	int pipe_[2], pidfd = -1;
	if (b->pol->network.v == NET_HOST || !idle_processor())
		return 0;
	if (pipe2(pipe_, O_CLOEXEC) != 0)
		return err_sys(e, "pipe");
	b->net_answer = fd_own(pipe_[0]);
	b->net_tell = fd_own(pipe_[1]);
	b->net_tell_no = pipe_[1];
	char *stack = malloc(STACK);
	if (!stack)
		return err_set(e, ENOMEM, "out of memory");
	b->net_pid = clone(helper_main, stack + STACK, CLONE_VM | CLONE_PIDFD | SIGCHLD, b, &pidfd);
	if (b->net_pid < 0)
		return err_sys(e, "fork");
	b->net_pidfd = fd_own(pidfd);
	return 0;
}

/* Wait for the helper and move into what it made. */
static int join(struct build *b, struct err *e)
{
	char done;
	ssize_t n;
	fd_drop(&b->net_tell); /* the helper has its own copy of the descriptor */
	do
		n = read(fd_no(b->net_answer), &done, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		return err_set(e, EIO, "the process that makes the namespaces died");
	if (!b->net_err && setns(fd_no(b->net_pidfd), (int)spaces(b)) != 0)
		return err_sys(e, "enter the new namespaces");
	kill(b->net_pid, SIGKILL); /* st_report() waits for it: it takes its time to die */
	fd_drop(&b->net_answer);
	fd_drop(&b->net_pidfd);
	return 0;
}

void st_net_end(struct build *b)
{
	while (b->net_pid > 0 && waitpid(b->net_pid, NULL, 0) < 0 && errno == EINTR)
		;
	b->net_pid = 0;
}

int st_net(struct build *b, struct err *e)
{
	int r = 0;
	if (b->net_pid)
		r = join(b, e);
	else
		make_net(b);
	if (r == 0 && b->net_err && b->net_step)
		r = err_set(e, b->net_err, "%s: %s", b->net_step, strerror(b->net_err));
	else if (r == 0 && b->net_err)
		r = spaces_refused(b->net_err, e);
	if (r == 0 && b->pol->network.v == NET_PROXY)
		r = proxy_listen(b, e);
	return r;
}
