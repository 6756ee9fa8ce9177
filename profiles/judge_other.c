/* judge_other.c - the judge for what is no file: sockets by address, hosts, system calls, variables */
#include "profiles/judge.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static struct judgement answer(enum verdict v, int err, const struct src *by, const char *why)
{
	return (struct judgement){ .verdict = v, .err = err, .by = by, .why = why };
}

/* "1.2.3.4:80", "[::1]:80" -> the host part */
static bool host_part(char *buf, size_t size, const char *spelled)
{
	bool six = spelled[0] == '[';
	const char *start = spelled + six, *end = six ? strchr(start, ']') : strrchr(start, ':');
	size_t n = end ? (size_t)(end - start) : strlen(start);
	if (n >= size)
		return false;
	memcpy(buf, start, n);
	buf[n] = '\0';
	return true;
}

bool judge_loopback(const char *spelled)
{
	char host[INET6_ADDRSTRLEN + 1];
	struct in_addr four;
	struct in6_addr six;
	if (!spelled || !host_part(host, sizeof(host), spelled))
		return false;
	if (inet_pton(AF_INET, host, &four) == 1)
		return ntohl(four.s_addr) >> 24 == 127 || four.s_addr == 0;
	if (inet_pton(AF_INET6, host, &six) != 1)
		return false;
	if (IN6_IS_ADDR_V4MAPPED(&six))
		return six.s6_addr[12] == 127 || !memcmp(&six.s6_addr[12], "\0\0\0\0", 4);
	return IN6_IS_ADDR_LOOPBACK(&six) || IN6_IS_ADDR_UNSPECIFIED(&six);
}

static bool datagrams(const struct access *a)
{
	return a->op == OP_SEND || (a->flags & 0xf) == SOCK_DGRAM;
}

const char *made_socket(char *buf, size_t size, const struct access *a)
{
	if (a->family != FAM_ABSTRACT && datagrams(a))
		snprintf(buf, size, "udp:%u", a->port);
	else if (a->family == FAM_ABSTRACT)
		snprintf(buf, size, "%s", a->obj[0].spelled ? a->obj[0].spelled : "@");
	else
		snprintf(buf, size, ":%u", a->port);
	return buf;
}

static bool listens(const struct made *m, const struct access *a)
{
	char key[128];
	made_socket(key, sizeof(key), a);
	return made_type(m, key, strlen(key)) == FT_SOCK;
}

/*
 * Is a datagram over loopback for the command itself? What port a socket got is not recorded: one of a bind to port 0 may
 * be any, and who has bound one answers to the ports of those that asked without (ip_local_port_range).
 */
static bool receives(const struct made *m, const struct access *a)
{
	enum { EPHEMERAL = 32768 };
	struct access any = *a;
	any.port = 0;
	return listens(m, a) || listens(m, &any) || (a->port >= EPHEMERAL && made_type(m, "udp", 3) == FT_SOCK);
}

/* A service on the host's loopback, which nothing inside is: only a line that names it means it, and the proxy reaches it. */
static struct judgement judge_service(const struct policy *pol, const struct access *a, const struct src *by)
{
	char host[INET6_ADDRSTRLEN + 1];
	const struct src *line = NULL;
	if (!host_part(host, sizeof(host), a->obj[0].spelled))
		host[0] = '\0';
	const struct src *deny = policy_host_denied(pol, host, a->port);
	if (deny)
		return answer(V_DENIED, ECONNREFUSED, deny, "denied");
	if (pol->network.v == NET_PROXY && policy_names_loopback(pol) &&
	    policy_ask_host(pol, host, a->port, &line) == V_GRANTED)
		return answer(V_GRANTED, 0, line, "the host's, by the proxy");
	return answer(V_MISSING, ECONNREFUSED, by, "own network: nobody listens");
}

static struct judgement judge_inet(const struct policy *pol, const struct access *a, const struct made *m)
{
	const struct src *by = pol->network.src.origin ? &pol->network.src : NULL;
	bool here = judge_loopback(a->obj[0].spelled), own = RULE(OWN_NET, pol->network.v != NET_HOST);
	if (a->op == OP_LISTEN)
		return answer(own ? V_PRIVATE : V_GRANTED, 0, by, own ? "own network" : "");
	if (a->op == OP_BIND) {
		if (own && !here)
			return answer(V_MISSING, EADDRNOTAVAIL, by, "own network: loopback only");
		if (a->port && RULE(LOW_PORT, a->port < 1024)) /* net.ipv4.ip_unprivileged_port_start of a new namespace */
			return answer(a->caps ? V_MISSING : V_GRANTED, EACCES, by, "no capabilities");
		return answer(own ? V_PRIVATE : V_GRANTED, 0, by, own ? "own network" : "");
	}
	if (!own)
		return answer(V_GRANTED, 0, by, "");
	if (!here)
		return answer(V_MISSING, ENETUNREACH, by, "own network: loopback only");
	if (a->op == OP_SEND && !receives(m, a)) /* sent it is, to nobody */
		return answer(V_MISSING, 0, by, "own network: nobody listens");
	if (datagrams(a) || listens(m, a))
		return answer(V_PRIVATE, 0, by, "own network");
	return judge_service(pol, a, by);
}

static struct judgement judge_socket(const struct policy *pol, const struct access *a, const struct made *m)
{
	const struct src *by = pol->network.src.origin ? &pol->network.src : NULL;
	bool own = pol->network.v != NET_HOST;
	switch (a->family) {
	case FAM_INET:
	case FAM_INET6:
		return judge_inet(pol, a, m);
	case FAM_ABSTRACT:
		if (!RULE(FAR_NAMES, a->op != OP_BIND && a->op != OP_LISTEN && !listens(m, a)))
			return answer(own ? V_PRIVATE : V_GRANTED, 0, by, own ? "own network" : "");
		/* with the host's network its names are found, and Landlock's scope keeps them away */
		return answer(V_MISSING, own ? ECONNREFUSED : EPERM, by, own ? "own network" : "a program's outside of the run");
	case FAM_NONE: /* listen on a socket nobody bound to a name */
	case FAM_NETLINK:
	case FAM_UNIX:
		return answer(V_GRANTED, 0, by, "");
	case FAM_OTHER:
		break;
	}
	return own ? answer(V_MISSING, EAFNOSUPPORT, by, "own network") : answer(V_GRANTED, 0, by, "");
}

static struct judgement judge_host(const struct policy *pol, const struct access *a)
{
	const struct src *by = NULL;
	char host[256];
	const char *spelled = a->obj[0].spelled ? a->obj[0].spelled : "";
	if (pol->network.v == NET_HOST)
		return answer(V_GRANTED, 0, &pol->network.src, "");
	if (!host_part(host, sizeof(host), spelled))
		host[0] = '\0';
	const struct src *deny = policy_host_denied(pol, host, a->port);
	if (pol->network.v != NET_PROXY && deny)
		return answer(V_DENIED, ENETUNREACH, deny, "no network");
	if (pol->network.v != NET_PROXY)
		return answer(V_MISSING, ENETUNREACH, pol->network.src.origin ? &pol->network.src : NULL, "no network");
	enum verdict v = policy_ask_host(pol, host, a->port, &by);
	struct judgement j = answer(v, v == V_GRANTED ? 0 : EACCES, by, v == V_GRANTED ? "" : "not a granted host");
	j.http = j.err ? 403 : 0;
	return j;
}

bool judge_needs_capability(const char *name)
{
	static const char *const names[] = {
		"acct", "adjtimex", "chroot", "clock_adjtime", "clock_settime", "delete_module", "finit_module",
		"fsconfig", "fsmount", "fsopen", "init_module", "ioperm", "iopl", "mount", "mount_setattr", "move_mount",
		"open_tree", "pivot_root", "quotactl", "reboot", "setdomainname", "sethostname", "setns", "settimeofday",
		"swapoff", "swapon", "syslog", "umount2", "vhangup",
	};
	for (size_t i = 0; i < LEN(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* What of a call that anybody may make asks for a capability: 0 nothing, else the errno without it. */
static int privileged(const char *name, uint32_t flags)
{
	static const struct { const char *name; int err; } rows[] = {
		{ "ioprio_set", EPERM }, { "mlock", ENOMEM },        { "mlock2", ENOMEM },
		{ "mlockall", ENOMEM },  { "prlimit64", EPERM },     { "sched_setattr", EPERM },
		{ "sched_setscheduler", EPERM }, { "setgid", EPERM }, { "setgroups", EPERM },
		{ "setpriority", EACCES }, { "setregid", EPERM },    { "setresgid", EPERM },
		{ "setresuid", EPERM },  { "setreuid", EPERM },      { "setrlimit", EPERM },
		{ "setuid", EPERM },
	};
	/* a limit of 0 is another error, mlock(2) */
	if (!strncmp(name, "mlock", 5) && flags == 1)
		return EPERM;
	/* fanotify_init(2): FAN_REPORT_FID and no class is for everybody since 5.13 */
	if (!strcmp(name, "fanotify_init"))
		return (flags & 0x20c) == 0x200 ? 0 : EPERM;
	for (size_t i = 0; i < LEN(rows); i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].err;
	return 0;
}

/* A socket that is no plain one of the four families which enforce/filter.c lets through. */
static struct judgement judge_family(const struct policy *pol, const struct access *a)
{
	bool known = a->flags == AF_INET || a->flags == AF_INET6 || a->flags == AF_UNIX;
	/* that of the routing tables is not recorded */
	if (a->flags == AF_NETLINK && pol->network.v != NET_HOST)
		return answer(V_MISSING, EPROTONOSUPPORT, pol->network.src.origin ? &pol->network.src : NULL, "socket family");
	if (!known && pol->network.v != NET_HOST)
		return answer(V_MISSING, EAFNOSUPPORT, pol->network.src.origin ? &pol->network.src : NULL, "socket family");
	if (a->caps && (known || a->flags == AF_PACKET))
		return answer(V_MISSING, EPERM, NULL, "no capabilities");
	return answer(V_GRANTED, 0, NULL, "");
}

static struct judgement judge_syscall(const struct policy *pol, const struct access *a)
{
	const char *name = a->obj[0].spelled ? a->obj[0].spelled : "";
	for (size_t i = 0; i < pol->sys_deny.n; i++) {
		const struct word *w = &pol->sys_deny.items[i];
		if (strcmp(w->text, name) != 0 || !RULE(CALL_OFF, true))
			continue;
		if (pol->action.v == ACT_LOG)
			return answer(V_GRANTED, 0, &w->src, "logged");
		bool asked = w->src.origin && w->src.line && strncmp(w->src.origin, "builtin:", 8) != 0;
		return answer(asked || w->src.inlined ? V_DENIED : V_MISSING, sys_deny_errno(name), &w->src,
		              pol->action.v == ACT_KILL ? "kills the command" : "system call is off");
	}
	if (!strcmp(name, "socket"))
		return judge_family(pol, a);
	/* of a whole process group: enforce/filter.c */
	if (a->flags == 1 && (!strcmp(name, "setpriority") || !strcmp(name, "ioprio_set")))
		return answer(V_MISSING, EPERM, NULL, "process group");
	/* a file outside of the view to Landlock; without O_CREAT its name is not in the own namespace */
	if (!strcmp(name, "mq_open"))
		return answer(V_MISSING, EACCES, NULL, "message queue");
	int err = privileged(name, a->flags);
	if (err)
		return answer(a->caps ? V_MISSING : V_GRANTED, a->caps ? err : 0, NULL, "no capabilities");
	if (judge_needs_capability(name))
		return answer(a->caps ? V_MISSING : V_GRANTED, EPERM, NULL, "no capabilities");
	return answer(V_GRANTED, 0, NULL, "");
}

struct judgement judge_other(const struct policy *pol, const struct access *a, const struct made *m)
{
	const struct src *by = NULL;
	enum verdict v;
	switch ((int)a->op) {
	case OP_HOST:
		return judge_host(pol, a);
	case OP_SYSCALL:
		return judge_syscall(pol, a);
	case OP_ENV:
		v = policy_ask_env(pol, a->obj[0].spelled ? a->obj[0].spelled : "", &by);
		return answer(v, RULE(ENV_SHUT, v != V_GRANTED) ? ENOENT : 0, by, v == V_GRANTED ? "" : "not in the environment");
	}
	return judge_socket(pol, a, m);
}
