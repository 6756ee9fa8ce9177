#include "trace/sockports.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

#define PATIENCE_NS 50000000u

void sockports_drop(struct sockports *s)
{
	for (size_t i = 0; i < s->npending; i++)
		fd_drop(&s->pending[i].sock);
	free(s->by_port);
	*s = (struct sockports){ 0 };
}

void sockports_expect(struct sockports *s, pid_t tgid, int fd, uint32_t proc, uint64_t now)
{
	s->opened++;
	if (s->npending == SOCKPORTS_PENDING)
		return;
	OWN(fd) pidfd = fd_own((int)syscall(SYS_pidfd_open, tgid, 0));
	if (!pidfd.plus1)
		return;
	OWN(fd) sock = fd_own((int)syscall(SYS_pidfd_getfd, fd_no(pidfd), fd, 0));
	if (!sock.plus1)
		return;
	s->pending[s->npending].sock = TAKE(sock);
	s->pending[s->npending].proc = proc;
	s->pending[s->npending++].ns = now;
}

static uint16_t local_port(int sock)
{
	union { struct sockaddr any; struct sockaddr_in in; struct sockaddr_in6 in6; } a = { .in = { 0 } };
	socklen_t len = sizeof(a);
	if (getsockname(sock, &a.any, &len) < 0)
		return 0;
	if (a.any.sa_family == AF_INET)
		return ntohs(a.in.sin_port);
	return a.any.sa_family == AF_INET6 ? ntohs(a.in6.sin6_port) : 0;
}

void sockports_poll(struct sockports *s, uint64_t now)
{
	for (size_t i = 0; i < s->npending;) {
		uint16_t port = local_port(fd_no(s->pending[i].sock));
		if (!port && now - s->pending[i].ns < PATIENCE_NS) {
			i++;
			continue;
		}
		if (port && !s->by_port)
			s->by_port = calloc(65536, sizeof(*s->by_port));
		if (port && s->by_port)
			s->by_port[port] = s->pending[i].proc + 1;
		fd_drop(&s->pending[i].sock);
		s->pending[i] = s->pending[--s->npending];
		s->pending[s->npending].sock = (struct fd){ 0 };
	}
}

uint32_t sockports_get(const struct sockports *s, uint16_t port)
{
	return s->by_port && s->by_port[port] ? s->by_port[port] - 1 : 0;
}
