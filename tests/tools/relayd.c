/* relayd.c - a relay on its own: hosts allowed by argv, rows printed; ends when its input does */
#include "enforce/relay.h"
#include "profiles/policy.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * relayd [--private-ok] [--no-read] [--upstream-env] [--sni-check|--sni-report] [--allow-all] ALLOW.. [-- DENY..]
 * prints "port N pid P"; a line on its input flushes the rows, its end stops the relay. Prints at the end "row host port connect allowed status err sent received proxy addr" per row
 */
struct lists {
	char **allow, **deny;
	int nallow, ndeny;
	bool all;
};

static bool find(char **rules, int n, const char *host, uint16_t port, bool by_addr)
{
	for (int i = 0; i < n; i++) {
		OWN(arena) a = { 0 };
		struct host_rule rule;
		struct err e;
		if (host_rule_parse(&rule, &a, rules[i], &e) == 0 && (!by_addr || rule.family != FAM_NONE) &&
		    host_rule_match(&rule, host, port))
			return true;
	}
	return false;
}

static int ask(void *arg, const struct relay_ask *q)
{
	struct lists *l = arg;
	if (find(l->deny, l->ndeny, q->host, q->port, false))
		return 403;
	return l->all || find(l->allow, l->nallow, q->host, q->port, false) ? 0 : 403;
}

static int addr(void *arg, const char *ip, uint16_t port)
{
	struct lists *l = arg;
	if (find(l->deny, l->ndeny, ip, port, true))
		return -1;
	return find(l->allow, l->nallow, ip, port, true);
}

static long print_rows(int fd, bool wait)
{
	struct relay_row r;
	long n = 0;
	while (recv(fd, &r, sizeof(r), wait ? 0 : MSG_DONTWAIT) == sizeof(r)) {
		if (r.last) {
			puts("last");
			continue;
		}
		printf("row %s %u %d %d %u %d %llu %llu %d %s\n", r.host[0] ? r.host : "-", r.port, r.connect, r.allowed,
		       r.status, r.err, (unsigned long long)r.sent, (unsigned long long)r.received, r.by_proxy,
		       r.addr[0] ? r.addr : "-");
		n++;
	}
	fflush(stdout);
	return n;
}

int main(int argc, char **argv, char **envp)
{
	struct lists l = { 0 };
	struct relay_opts o = { .ask = ask, .addr = addr, .arg = &l, .nlisten = 1 };
	struct err e = { 0 };
	OWN(relay) r = { 0 };
	OWN(fd) listener = { 0 };
	uint16_t port = 0;
	bool read_rows = true;
	int i = 1;
	for (; i < argc && strncmp(argv[i], "--", 2) == 0 && argv[i][2]; i++) {
		o.private_ok |= strcmp(argv[i], "--private-ok") == 0;
		l.all |= strcmp(argv[i], "--allow-all") == 0;
		if (strcmp(argv[i], "--sni-check") == 0)
			o.sni = SNI_CHECK;
		if (strcmp(argv[i], "--sni-report") == 0)
			o.sni = SNI_REPORT;
		read_rows &= strcmp(argv[i], "--no-read") != 0;
		if (strcmp(argv[i], "--upstream-env") == 0)
			relay_upstream_env(&o, envp);
	}
	l.allow = argv + i;
	while (i < argc && strcmp(argv[i], "--") != 0) {
		i++;
		l.nallow++;
	}
	l.deny = argv + i + 1;
	l.ndeny = i < argc ? argc - i - 1 : 0;
	if (relay_listen(&listener, &port, &e) < 0)
		goto failed;
	o.listen[0] = fd_no(listener);
	if (relay_start(&r, &o, &e) < 0)
		goto failed;
	fd_drop(&listener);
	printf("port %u pid %d\n", port, (int)r.pid);
	fflush(stdout);
	struct pollfd p[2] = { { .fd = 0, .events = POLLIN }, { .fd = fd_no(r.log), .events = POLLIN } };
	while (poll(p, read_rows ? 2 : 1, -1) >= 0) {
		char buf[256];
		if (read_rows && p[1].revents && (print_rows(fd_no(r.log), false) == 0) && (p[1].revents & POLLHUP))
			break;
		if (p[0].revents && read(0, buf, sizeof(buf)) <= 0)
			break;
		if (p[0].revents && relay_flush(fd_no(r.log)) < 0)
			break;
	}
	if (relay_stop(&r, 2000, &e) < 0)
		goto failed;
	print_rows(fd_no(r.log), true);
	return 0;
failed:
	fprintf(stderr, "relayd: %s\n", e.msg);
	return 1;
}
