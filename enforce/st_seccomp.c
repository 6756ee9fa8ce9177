#include "enforce/step.h"

#include "enforce/filter.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

int st_seccomp(struct build *b, struct err *e)
{
	OWN(filter) f = { 0 };
	int r = filter_make(&f, b->pol, e);
	if (r < 0)
		return r;
	struct sock_fprog prog = { .len = (unsigned short)f.n, .filter = f.items };
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) != 0)
		return errno == EINVAL || errno == ENOSYS
		       ? err_set(e, errno, "this kernel has no seccomp filters (CONFIG_SECCOMP_FILTER)")
		       : err_sys(e, "install the filter");
	return 0;
}
