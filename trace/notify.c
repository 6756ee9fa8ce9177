#include "trace/notify.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* newer than the headers of older distributions: include/uapi/linux/seccomp.h */
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

int notify_install(const struct callfilter *f, bool keep_privs)
{
	/* the kernel only reads it */
	union { const struct sock_filter *in; struct sock_filter *out; } code = { .in = f->code };
	struct sock_fprog prog = { .len = (unsigned short)f->n, .filter = code.out };
	if (!keep_privs && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	long n = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	                 SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
	                 &prog);
	if (n < 0 && errno == EINVAL) /* before Linux 5.19 */
		n = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		            SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog);
	return n < 0 ? -errno : (int)n;
}

bool notify_sync(int listener)
{
	return !ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP, 0);
}

int notify_take(struct fd *out, pid_t pid, int number, bool *sync, struct err *e)
{
	OWN(fd) pidfd = fd_own((int)syscall(SYS_pidfd_open, pid, 0));
	if (!pidfd.plus1)
		return err_sys(e, "pidfd_open of the command's process");
	OWN(fd) listener = fd_own((int)syscall(SYS_pidfd_getfd, fd_no(pidfd), number, 0));
	if (!listener.plus1)
		return err_sys(e, "taking the seccomp listener (pidfd_getfd, Linux 5.6 or newer; a container "
		                  "may deny it)");
	*sync = notify_sync(fd_no(listener));
	*out = TAKE(listener);
	return 0;
}

int notify_recv(int listener, struct seccomp_notif *out)
{
	memset(out, 0, sizeof(*out));
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, out) < 0 ? -errno : 0;
}

static int answer(int listener, struct seccomp_notif_resp *r)
{
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, r) < 0 ? -errno : 0;
}

int notify_continue(int listener, uint64_t id)
{
	struct seccomp_notif_resp r = { .id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
	return answer(listener, &r);
}

int notify_refuse(int listener, uint64_t id, int error)
{
	struct seccomp_notif_resp r = { .id = id, .error = -error };
	return answer(listener, &r);
}
