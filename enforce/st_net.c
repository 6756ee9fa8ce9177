#include "enforce/step.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

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

int st_net(struct build *b, struct err *e)
{
	if (b->pol->network.v == NET_HOST)
		return 0;
	int r = loopback_up(e);
	if (r == 0 && b->pol->network.v == NET_PROXY)
		r = proxy_listen(b, e);
	return r;
}
