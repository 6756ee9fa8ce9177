/* Sockets: the address is in memory, the kind of socket is asked of a copy of the descriptor. */
#include "trace/decode.h"
#include "trace/sockaddr.h"
#include "trace/tmem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/* SO_TYPE of the caller's descriptor, 0 unknown. */
static int socket_type(const struct task *t, int fd)
{
	int type = 0;
	socklen_t len = sizeof(type);
	OWN(fd) pidfd = fd_own((int)syscall(SYS_pidfd_open, t->group->tgid, 0));
	if (!pidfd.plus1)
		return 0;
	OWN(fd) copy = fd_own((int)syscall(SYS_pidfd_getfd, fd_no(pidfd), fd, 0));
	if (copy.plus1 && getsockopt(fd_no(copy), SOL_SOCKET, SO_TYPE, &type, &len) < 0)
		type = 0;
	return type;
}

static int unix_peer(const struct decoder *d, struct task *t, struct call *c, struct seen *s, const char *path)
{
	int err = call_object(d, t, c, s, 0, AT_FDCWD, path, s->acc.op == OP_BIND ? RES_NAME : RES_FOLLOW);
	if (!err)
		s->outcome = predict(&d->predictor, &s->acc, &t->creds, &s->source);
	return err;
}

static int peer(const struct decoder *d, struct task *t, struct call *c, int fd, uint64_t addr, uint64_t len)
{
	char raw[sizeof(struct sockaddr_storage)];
	struct peer p;
	if (!addr || !len || len > sizeof(raw))
		return 0;
	int err = tmem_read(t->tid, addr, raw, len);
	if (err == -EPERM)
		call_incomplete(d, t, c, "memory", err);
	if (err || sockaddr_decode(&p, raw, len) < 0)
		return 0;
	if (p.family == FAM_UNIX && d->quiet_files)
		return 0;
	struct seen *s = call_add(c, t, c->def->op);
	if (!s)
		return 0;
	s->acc.family = p.family;
	s->acc.port = p.port;
	s->source = OUT_UNKNOWN;
	if (p.family == FAM_UNIX) {
		err = unix_peer(d, t, c, s, p.text);
		if (err)
			c->n--;
		return err < 0 ? err : 0;
	}
	s->acc.obj[0].spelled = resolver_str(d->names, p.text, strlen(p.text));
	if (p.family == FAM_INET || p.family == FAM_INET6) {
		s->acc.flags = (uint32_t)socket_type(t, fd);
		if (c->def->op == OP_CONNECT)
			c->sockfd = fd;
	}
	return s->acc.obj[0].spelled ? 0 : -ENOMEM;
}

/* struct msghdr begins with the address on every 64-bit Linux */
static int message(const struct decoder *d, struct task *t, struct call *c, int fd, uint64_t at)
{
	struct msghdr m;
	int err = tmem_read(t->tid, at, &m, sizeof(m));
	if (err == -EPERM)
		call_incomplete(d, t, c, "memory", err);
	return err ? 0 : peer(d, t, c, fd, (uint64_t)(uintptr_t)m.msg_name, m.msg_namelen);
}

int decode_socket(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c)
{
	const struct sysdef *def = c->def;
	int fd = (int)in->args[0];
	int err = 0;
	if (def->kind == CALL_SENDMSG)
		return message(d, t, c, fd, in->args[1]);
	if (def->kind == CALL_SENDMMSG) {
		unsigned n = MIN((unsigned)in->args[2], (unsigned)SEEN_MAX);
		if (n < (unsigned)in->args[2]) {
			static const char text[] = "one sendmmsg had more messages than are looked at; their addresses are unknown";
			c->incomplete = resolver_str(d->names, text, strlen(text));
		}
		for (unsigned i = 0; i < n && !err; i++)
			err = message(d, t, c, fd, in->args[1] + i * sizeof(struct mmsghdr));
		return err;
	}
	if (def->kind == CALL_LISTEN) {
		struct peer p;
		union { struct sockaddr any; char raw[sizeof(struct sockaddr_storage)]; } a;
		socklen_t len = sizeof(a);
		OWN(fd) pidfd = fd_own((int)syscall(SYS_pidfd_open, t->group->tgid, 0));
		OWN(fd) copy = fd_own(pidfd.plus1 ? (int)syscall(SYS_pidfd_getfd, fd_no(pidfd), fd, 0) : -1);
		if (!copy.plus1 || getsockname(fd_no(copy), &a.any, &len) < 0 || sockaddr_decode(&p, a.raw, len) < 0)
			return 0;
		/* bind has named the path already */
		if (p.family == FAM_UNIX)
			return 0;
		struct seen *s = call_add(c, t, OP_LISTEN);
		s->acc.family = p.family;
		s->acc.port = p.port;
		s->acc.obj[0].spelled = resolver_str(d->names, p.text, strlen(p.text));
		s->source = OUT_UNKNOWN;
		return s->acc.obj[0].spelled ? 0 : -ENOMEM;
	}
	return peer(d, t, c, fd, in->args[def->addr - 1], in->args[def->len - 1] & 0xffffffff);
}
