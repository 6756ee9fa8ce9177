/* nets.c - one socket call after the other, and what each answered: nets WORD.. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void say(const char *what, long r)
{
	printf("%s %s\n", what, r < 0 ? strerrorname_np(errno) : "ok");
}

static struct sockaddr_in to4(const char *ip, int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	inet_pton(AF_INET, ip, &a.sin_addr);
	return a;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct sockaddr_in a = to4("127.0.0.1", 9);
		struct sockaddr_in6 b = { .sin6_family = AF_INET6, .sin6_port = htons(9), .sin6_addr = in6addr_loopback };
		struct iovec io = { "x", 1 };
		char *port = strchr(argv[i], ':');
		int s;
		if (port)
			*port++ = 0;
		if (port)
			a.sin_port = htons((uint16_t)atoi(port));
		if (!strcmp(argv[i], "tcp")) {
			s = socket(AF_INET, SOCK_STREAM, 0);
			say("tcp", connect(s, (struct sockaddr *)&a, sizeof(a)));
		} else if (!strcmp(argv[i], "away")) { /* 192.0.2.0/24 is documentation's: never routed (RFC 5737) */
			a = to4("192.0.2.7", 443);
			s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
			/* tied to loopback, so that no packet leaves this host */
			if (setsockopt(s, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3))
				return 77;
			connect(s, (struct sockaddr *)&a, sizeof(a));
			close(s);
		} else if (!strcmp(argv[i], "tcp6")) {
			s = socket(AF_INET6, SOCK_STREAM, 0);
			say("tcp6", connect(s, (struct sockaddr *)&b, sizeof(b)));
		} else if (!strcmp(argv[i], "udp")) {
			s = socket(AF_INET, SOCK_DGRAM, 0);
			say("udp", connect(s, (struct sockaddr *)&a, sizeof(a)));
		} else if (!strcmp(argv[i], "sendto")) {
			s = socket(AF_INET, SOCK_DGRAM, 0);
			say("sendto", sendto(s, "x", 1, 0, (struct sockaddr *)&a, sizeof(a)));
		} else if (!strcmp(argv[i], "sendmsg")) {
			struct msghdr m = { .msg_name = &a, .msg_namelen = sizeof(a), .msg_iov = &io, .msg_iovlen = 1 };
			s = socket(AF_INET, SOCK_DGRAM, 0);
			say("sendmsg", sendmsg(s, &m, 0));
		} else if (!strcmp(argv[i], "sendmmsg")) {
			struct sockaddr_in c = to4("127.0.0.1", 10);
			struct mmsghdr m[2] = { { { .msg_name = &a, .msg_namelen = sizeof(a), .msg_iov = &io, .msg_iovlen = 1 }, 0 },
				                { { .msg_name = &c, .msg_namelen = sizeof(c), .msg_iov = &io, .msg_iovlen = 1 }, 0 } };
			s = socket(AF_INET, SOCK_DGRAM, 0);
			say("sendmmsg", sendmmsg(s, m, 2, 0));
		} else if (!strcmp(argv[i], "listen")) {
			a.sin_port = 0;
			s = socket(AF_INET, SOCK_STREAM, 0);
			say("bind", bind(s, (struct sockaddr *)&a, sizeof(a)));
			say("listen", listen(s, 1));
		} else if (!strcmp(argv[i], "packet")) {
			say("packet", socket(AF_PACKET, SOCK_RAW, 0));
		} else if (!strcmp(argv[i], "null")) {
			s = socket(AF_INET, SOCK_STREAM, 0);
			say("null", connect(s, NULL, 16));
		}
	}
	return 0;
}
