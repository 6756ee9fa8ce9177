#include "enforce/step.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000 /* linux/sched.h */
#endif

static int loopback_up(struct err *e)
{
	OWN(fd) s = fd_own(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
	if (!s.plus1)
		return errno == EAFNOSUPPORT ? 0 : err_sys(e, "socket"); /* a kernel without IPv4 has no loopback either */
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	if (ioctl(fd_no(s), SIOCSIFFLAGS, &ifr) != 0)
		return err_sys(e, "bring the loopback up");
	return 0;
}

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
 * Making a network namespace takes the kernel as long as all the mounts. So a process of its own makes it while pid 1
 * builds the view; pid 1 then moves over. The helper lives until pid 1 has: a namespace is found through its process.
 */
_Noreturn static void helper_main(int answer)
{
	struct err e = { 0 };
	/* it is a copy of snug: not even while it dies may the command look into it */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (unshare(CLONE_NEWNET) != 0)
		err_sys(&e, "new network namespace");
	else
		(void)loopback_up(&e); /* the failure is in @e */
	if (write(answer, &e, sizeof(e)) == sizeof(e))
		pause(); /* until it is killed */
	_exit(0);
}

int st_net_begin(struct build *b, struct err *e)
{
	int pipe_[2], pidfd = -1;
	if (b->pol->network.v == NET_HOST)
		return 0;
	if (pipe2(pipe_, O_CLOEXEC) != 0)
		return err_sys(e, "pipe");
	b->net_answer = fd_own(pipe_[0]);
	OWN(fd) write_end = fd_own(pipe_[1]);
	b->net_pid = (pid_t)syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, NULL, &pidfd, NULL, 0);
	if (b->net_pid < 0)
		return err_sys(e, "fork");
	if (b->net_pid == 0)
		helper_main(fd_no(write_end));
	b->net_pidfd = fd_own(pidfd);
	return 0;
}

static int join(struct build *b, struct err *e)
{
	struct err got = { 0 };
	ssize_t n;
	do
		n = read(fd_no(b->net_answer), &got, sizeof(got));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(got))
		return err_set(e, EIO, "the process that makes the network namespace died");
	if (got.code) {
		*e = got;
		return -e->code;
	}
	if (setns(fd_no(b->net_pidfd), CLONE_NEWNET) != 0)
		return err_sys(e, "enter the new network namespace");
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
	if (b->pol->network.v == NET_HOST)
		return 0;
	int r = join(b, e);
	if (r == 0 && b->pol->network.v == NET_PROXY)
		r = proxy_listen(b, e);
	return r;
}
