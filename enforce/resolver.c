/* resolver.c - processes that call getaddrinfo for the relay, which touches no file */
#include "enforce/resolver.h"

#include "enforce/self.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int code_of(int gai)
{
	switch (gai) {
	case 0:          return 0;
	case EAI_AGAIN:  return EAGAIN;
	case EAI_MEMORY: return ENOMEM;
	case EAI_SYSTEM: return errno ? errno : EIO;
	default:         return EHOSTUNREACH;
	}
}

static void look_up(struct resolve_answer *out, const char *host)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_family = AF_UNSPEC }, *list = NULL;
	out->gai = getaddrinfo(host, NULL, &hints, &list);
	out->code = code_of(out->gai);
	for (struct addrinfo *i = list; i && out->n < ANSWER_ADDRS; i = i->ai_next) {
		union addr a = { 0 };
		if (i->ai_addrlen > sizeof(a))
			continue;
		memcpy(&a, i->ai_addr, i->ai_addrlen);
		out->a[out->n].family = a.sa.sa_family;
		if (a.sa.sa_family == AF_INET) {
			memcpy(out->a[out->n].bytes, &a.in.sin_addr, 4);
		} else if (a.sa.sa_family == AF_INET6) {
			memcpy(out->a[out->n].bytes, &a.in6.sin6_addr, 16);
			out->a[out->n].scope = a.in6.sin6_scope_id;
		} else {
			continue;
		}
		out->n++;
	}
	if (out->code == 0 && out->n == 0)
		out->code = EHOSTUNREACH;
	if (list)
		freeaddrinfo(list);
}

static void serve(int sock)
{
	struct resolve_ask q;
	for (;;) {
		ssize_t n = recv(sock, &q, sizeof(q), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(q))
			return;
		q.host[sizeof(q.host) - 1] = 0;
		struct resolve_answer a = { .id = q.id };
		look_up(&a, q.host);
		if (send(sock, &a, sizeof(a), MSG_NOSIGNAL) < 0)
			return;
	}
}

/* Serve confined. A worker that cannot be confined serves nobody: without any the relay sees the socket end. */
static _Noreturn void work(int sock)
{
	struct err why = { 0 };
	if (self_confine(SELF_RESOLVER, &why) < 0)
		_exit(1);
	serve(sock);
	_exit(0);
}

/*
 * The first worker, not confined yet and idle until somebody asks for a name; most runs never do. It reads nothing before
 * it has become as many as there shall be, each confined.
 */
static _Noreturn void first(int sock, pid_t relay)
{
	struct err why = { 0 };
	struct pollfd p = { .events = POLLIN };
	if (self_keep_fds(&sock, 1, &why) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != relay)
		_exit(1);
	p.fd = sock;
	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		;
	if (!(p.revents & POLLIN))
		_exit(0);
	for (int i = 1; i < RESOLVER_WORKERS; i++) {
		pid_t pid = fork();
		if (pid == 0)
			work(sock);
		if (pid < 0)
			break; /* fewer serve as well */
	}
	work(sock);
}

int resolver_start(struct fd *sock, struct err *e)
{
	int sv[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) < 0)
		return err_sys(e, "socketpair for the resolver");
	OWN(fd) ours = fd_own(sv[0]);
	OWN(fd) theirs = fd_own(sv[1]);
	pid_t relay = getpid(), pid = fork();
	if (pid < 0)
		return err_sys(e, "fork a resolver");
	if (pid == 0)
		first(fd_no(theirs), relay);
	*sock = TAKE(ours);
	return 0;
}
