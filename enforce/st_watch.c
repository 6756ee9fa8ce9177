/* st_watch.c - somebody outside watches the command's calls */
#include "enforce/step.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* newer than the headers of older distributions: include/uapi/linux/seccomp.h */
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

enum { PROGRAM_MAX = 4096 }; /* BPF_MAXINSNS */

/*
 * The program may notify sendmsg(2), and nobody can answer before that call has handed the listener over. So the one
 * call with this very message is let through by instructions in front.
 */
static size_t let_through(struct sock_filter *to, const struct msghdr *m)
{
	uint64_t at = (uintptr_t)m;
	const struct sock_filter front[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sendmsg, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)at, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]) + sizeof(uint32_t)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(at >> 32), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	memcpy(to, front, sizeof(front));
	return LEN(front);
}

static int install(const struct sock_fprog *given, const struct filter *front, const struct msghdr *m)
{
	struct sock_filter code[PROGRAM_MAX];
	size_t n = let_through(code, m);
	if (front->n + 1 + given->len > PROGRAM_MAX - n) {
		errno = E2BIG;
		return -1;
	}
	if (front->n) {
		code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
		memcpy(code + n, front->items, front->n * sizeof(*code));
		n += front->n;
	}
	memcpy(code + n, given->filter, given->len * sizeof(*code));
	const struct sock_fprog p = { .len = (unsigned short)(n + given->len), .filter = code };
	long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	                  SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &p);
	if (fd < 0 && errno == EINVAL) /* before Linux 5.19 */
		fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &p);
	return (int)fd;
}

int st_watch(struct build *b, struct err *e)
{
	char what = 'n';
	union { char buf[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } u = { 0 };
	struct iovec iov = { &what, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = u.buf, .msg_controllen = sizeof(u.buf) };
	if (!b->opts->watch)
		return 0;
	int fd = install(b->opts->watch, &b->front, &m);
	if (fd < 0)
		return errno == EBUSY ? err_set(e, EBUSY, "something else listens to this tree's system calls already, and the "
		                                "kernel allows one listener: run this outside of it") :
		                        err_sys(e, "a seccomp filter with a listener");
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	*c = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int)) };
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (syscall(SYS_sendmsg, b->opts->watch_fd, &m, MSG_NOSIGNAL) < 0)
		return err_sys(e, "hand the listener over");
	close(fd); /* the command has none of it */
	return 0;
}
