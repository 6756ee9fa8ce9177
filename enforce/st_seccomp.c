/* st_seccomp.c - makes and loads the filter */
#include "enforce/step.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int st_filter(struct build *b, struct err *e)
{
	return b->opts->watch ? filter_make_watched(&b->filter, &b->front, b->pol, e) : filter_make(&b->filter, b->pol, e);
}

int st_seccomp(struct build *b, struct err *e)
{
	struct sock_fprog prog = { .len = (unsigned short)b->filter.n, .filter = b->filter.items };
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) != 0)
		return errno == EINVAL || errno == ENOSYS
		       ? err_set(e, errno, "this kernel has no seccomp filters (CONFIG_SECCOMP_FILTER)")
		       : err_set(e, errno, "install the filter: %s; a container that denies seccomp(2) must allow it", strerror(errno));
	return 0;
}
