#include "trace/sockaddr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static int unix_name(struct peer *p, const char *name, size_t len)
{
	if (!len)
		return -EINVAL; /* unnamed, or autobind */
	if (name[0]) {
		p->family = FAM_UNIX;
		len = strnlen(name, len);
		memcpy(p->text, name, len);
		p->text[len] = 0;
		return 0;
	}
	p->family = FAM_ABSTRACT;
	char *o = p->text;
	*o++ = '@';
	/* an abstract name may hold NULs; text cannot */
	for (size_t i = 1; i < len; i++) {
		if (name[i])
			*o++ = name[i];
		else
			o = stpcpy(o, "\\0");
	}
	*o = 0;
	return 0;
}

static int inet4(struct peer *p, const struct sockaddr_in *a)
{
	char ip[INET_ADDRSTRLEN];
	uint32_t host = ntohl(a->sin_addr.s_addr);
	p->family = FAM_INET;
	p->port = ntohs(a->sin_port);
	p->loopback = host >> 24 == 127 || !host;
	inet_ntop(AF_INET, &a->sin_addr, ip, sizeof(ip));
	snprintf(p->text, sizeof(p->text), "%s:%u", ip, p->port);
	return 0;
}

static int inet6(struct peer *p, const struct sockaddr_in6 *a)
{
	char ip[INET6_ADDRSTRLEN];
	p->family = FAM_INET6;
	p->port = ntohs(a->sin6_port);
	p->loopback = IN6_IS_ADDR_LOOPBACK(&a->sin6_addr) || IN6_IS_ADDR_UNSPECIFIED(&a->sin6_addr) ||
	              (IN6_IS_ADDR_V4MAPPED(&a->sin6_addr) && a->sin6_addr.s6_addr[12] == 127);
	inet_ntop(AF_INET6, &a->sin6_addr, ip, sizeof(ip));
	snprintf(p->text, sizeof(p->text), "[%s]:%u", ip, p->port);
	return 0;
}

int sockaddr_decode(struct peer *out, const void *bytes, size_t len)
{
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		struct sockaddr_un un;
		char raw[sizeof(struct sockaddr_storage)];
	} a = { .raw = { 0 } };
	*out = (struct peer){ .family = FAM_NONE };
	if (len < sizeof(a.any.sa_family) || len > sizeof(a.raw))
		return -EINVAL;
	memcpy(a.raw, bytes, len);
	switch (a.any.sa_family) {
	case AF_UNIX:
		len -= offsetof(struct sockaddr_un, sun_path);
		return unix_name(out, a.un.sun_path, MIN(len, sizeof(a.un.sun_path)));
	case AF_INET:
		return len < sizeof(a.in) ? -EINVAL : inet4(out, &a.in);
	case AF_INET6:
		/* RFC 2133's shorter form, without a scope, is still accepted by Linux */
		return len < offsetof(struct sockaddr_in6, sin6_scope_id) ? -EINVAL : inet6(out, &a.in6);
	case AF_NETLINK:
		out->family = FAM_NETLINK;
		snprintf(out->text, sizeof(out->text), "netlink");
		return 0;
	case AF_UNSPEC:
		return -EINVAL; /* dissolves a connection */
	default:
		out->family = FAM_OTHER;
		snprintf(out->text, sizeof(out->text), "family %u", a.any.sa_family);
		return 0;
	}
}
