/* sockets.c - the network and the sockets of the host */
#include "leak.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static int s_socket(const struct check *c)
{
	int type = 0, protocol = 0;
	sscanf(c->arg, "%d %d", &type, &protocol);
	return result(socket((int)c->nr, type, protocol));
}

static int s_i386(const struct check *c)
{
	long r = int80(359, c->nr, SOCK_DGRAM, 0, 0);
	return r < 0 ? (int)-r : 0;
}

static int s_inet(const struct check *c)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((unsigned short)conf_number("PORT")) };
	inet_pton(AF_INET, c->arg, &a.sin_addr);
	return result(connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&a, sizeof(a)));
}

static int s_inet6(const struct check *c)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons((unsigned short)conf_number(c->nr == 4 ? "PORT" : "PORT6")) };
	inet_pton(AF_INET6, c->arg, &a.sin6_addr);
	return result(connect(socket(AF_INET6, SOCK_STREAM, 0), (struct sockaddr *)&a, sizeof(a)));
}

/* a port that the host has taken is free inside, if the network is another */
static int s_bind(const struct check *c)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((unsigned short)conf_number("PORT")) };
	(void)c;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return bind(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&a, sizeof(a)) == 0 ? ENOENT : 0;
}

static socklen_t abstract(struct sockaddr_un *un, const char *name)
{
	un->sun_family = AF_UNIX;
	memset(un->sun_path, 0, sizeof(un->sun_path));
	strncpy(un->sun_path + 1, name, sizeof(un->sun_path) - 2);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
}

static int s_abstract(const struct check *c)
{
	struct sockaddr_un un;
	socklen_t len = abstract(&un, conf(c->arg));
	return result(connect(socket(AF_UNIX, (int)c->nr, 0), (struct sockaddr *)&un, len));
}

static int s_abstract_send(const struct check *c)
{
	struct sockaddr_un un;
	socklen_t len = abstract(&un, conf(c->arg));
	return result(sendto(socket(AF_UNIX, SOCK_DGRAM, 0), "x", 1, 0, (struct sockaddr *)&un, len));
}

static int s_interfaces(const struct check *c)
{
	struct if_nameindex *list = if_nameindex();
	(void)c;
	for (struct if_nameindex *i = list; i && i->if_index; i++)
		if (strcmp(i->if_name, "lo") != 0)
			return 0;
	return list ? ENOENT : errno;
}

/* an inet address that is not the loopback's: is it ours? */
static int s_own_address(const struct check *c)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	(void)c;
	if (!*conf("ADDRESS4"))
		skip("no address but the loopback's here");
	inet_pton(AF_INET, conf("ADDRESS4"), &a.sin_addr);
	return result(bind(socket(AF_INET, SOCK_DGRAM, 0), (struct sockaddr *)&a, sizeof(a)));
}

static const struct {
	const char *name, *room;
	int (*run)(const struct check *c);
	long nr;
	const char *arg, *shut;
} rows[] = {
	{ "family.vsock", "plain", s_socket, AF_VSOCK, "1 0", "EAFNOSUPPORT" },
	{ "family.vsock-dgram", "plain", s_socket, AF_VSOCK, "2 0", "EAFNOSUPPORT" },
	{ "family.alg", "plain", s_socket, AF_ALG, "5 0", "EAFNOSUPPORT" },
	{ "family.packet", "plain", s_socket, AF_PACKET, "3 0", "EAFNOSUPPORT" },
	{ "family.packet-dgram", "plain", s_socket, AF_PACKET, "2 0", "EAFNOSUPPORT" },
	{ "family.bluetooth", "plain", s_socket, AF_BLUETOOTH, "3 1", "EAFNOSUPPORT" },
	{ "family.can", "plain", s_socket, AF_CAN, "3 1", "EAFNOSUPPORT" },
	{ "family.tipc", "plain", s_socket, AF_TIPC, "1 0", "EAFNOSUPPORT" },
	{ "family.rds", "plain", s_socket, AF_RDS, "5 0", "EAFNOSUPPORT" },
	{ "family.kcm", "plain", s_socket, AF_KCM, "2 0", "EAFNOSUPPORT" },
	{ "family.smc", "plain", s_socket, AF_SMC, "1 0", "EAFNOSUPPORT" },
	{ "family.xdp", "plain", s_socket, AF_XDP, "3 0", "EAFNOSUPPORT" },
	{ "family.key", "plain", s_socket, AF_KEY, "3 2", "EAFNOSUPPORT" },
	{ "family.pppox", "plain", s_socket, AF_PPPOX, "1 0", "EAFNOSUPPORT" },
	{ "family.qipcrtr", "plain", s_socket, AF_QIPCRTR, "2 0", "EAFNOSUPPORT" },
	{ "family.nfc", "plain", s_socket, AF_NFC, "5 0", "EAFNOSUPPORT" },
	{ "family.high-bits", "plain", s_socket, AF_VSOCK, "524289 0", "EAFNOSUPPORT" },
	{ "family.i386", "plain", s_i386, AF_UNIX, "", "ENOSYS" },
	{ "raw.icmp", "plain", s_socket, AF_INET, "3 1", "EPERM" },
	{ "raw.any", "plain", s_socket, AF_INET, "3 255", "EPERM" },
	{ "raw.icmp6", "plain", s_socket, AF_INET6, "3 58", "EPERM" },
	{ "netlink.sock-diag", "plain", s_socket, AF_NETLINK, "3 4", "EPROTONOSUPPORT" },
	{ "netlink.xfrm", "plain", s_socket, AF_NETLINK, "3 6", "EPROTONOSUPPORT" },
	{ "netlink.audit", "plain", s_socket, AF_NETLINK, "3 9", "EPROTONOSUPPORT" },
	{ "netlink.netfilter", "plain", s_socket, AF_NETLINK, "3 12", "EPROTONOSUPPORT" },
	{ "netlink.uevent", "plain", s_socket, AF_NETLINK, "2 15", "EPROTONOSUPPORT" },
	{ "netlink.generic", "plain", s_socket, AF_NETLINK, "3 16", "EPROTONOSUPPORT" },
	{ "netlink.crypto", "plain", s_socket, AF_NETLINK, "3 21", "EPROTONOSUPPORT" },
	{ "netlink.works-route", "plain", s_socket, AF_NETLINK, "3 0", "OK" },
	{ "net.interfaces", "plain", s_interfaces, 0, "", "ENOENT" },
	{ "net.own-address", "plain", s_own_address, 0, "", "EADDRNOTAVAIL" },
	{ "net.loopback", "plain", s_inet, 0, "127.0.0.1", "ECONNREFUSED" },
	{ "net.loopback-other", "plain", s_inet, 0, "127.1.2.3", "ECONNREFUSED" },
	{ "net.loopback-any", "plain", s_inet, 0, "0.0.0.0", "ECONNREFUSED" },
	{ "net.loopback6", "plain", s_inet6, 0, "::1", "ECONNREFUSED" },
	{ "net.loopback-mapped", "plain", s_inet6, 4, "::ffff:127.0.0.1", "ECONNREFUSED" },
	{ "net.port-taken", "plain", s_bind, 0, "", "ENOENT" },
	{ "abstract.stream", "plain", s_abstract, SOCK_STREAM, "ABSTRACT", "ECONNREFUSED" },
	{ "abstract.dgram", "plain", s_abstract, SOCK_DGRAM, "ABSTRACTD", "ECONNREFUSED" },
	{ "abstract.send", "plain", s_abstract_send, 0, "ABSTRACTD", "ECONNREFUSED" },
	{ "abstract.host-stream", "host", s_abstract, SOCK_STREAM, "ABSTRACT", "EPERM" },
	{ "abstract.host-dgram", "host", s_abstract, SOCK_DGRAM, "ABSTRACTD", "EPERM" },
	{ "abstract.host-send", "host", s_abstract_send, 0, "ABSTRACTD", "EPERM" },
	{ "net.works-host", "host", s_inet, 0, "127.0.0.1", "OK" },
};

void add_sockets(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct check c = { .room = rows[i].room, .open = "OK", .shut = rows[i].shut, .run = rows[i].run, .nr = rows[i].nr };
		snprintf(c.id, sizeof(c.id), "%s", rows[i].name);
		snprintf(c.arg, sizeof(c.arg), "%s", rows[i].arg);
		add(&c);
	}
}
