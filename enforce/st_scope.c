/* st_scope.c - the command's signals stay inside: its process group is the caller's, and reaches out of the namespace */
#include "enforce/step.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * kill(0, sig) and killpg() send to a process group, and that of the command holds snug and whoever started it: the
 * terminal's ^C and ^Z must reach all of them together, so it cannot be a group of its own while there is no terminal of
 * its own. A Landlock domain with the signal scope (ABI 6, Linux 6.12) leaves those outside alone. Older kernels get a
 * filter that refuses group 0 altogether; a foreign group cannot be named otherwise, its number is not mapped here.
 */
enum { SCOPE_ABI = 6, SCOPE_SIGNAL = 1 << 1 }; /* LANDLOCK_SCOPE_SIGNAL, landlock(7) */

struct ruleset { uint64_t handled_fs, handled_net, scoped; }; /* struct landlock_ruleset_attr of ABI 6 */

static int refuse_group(struct err *e)
{
	struct sock_filter lines[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)), /* little endian: the low half */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog prog = { .len = sizeof(lines) / sizeof(*lines), .filter = lines };
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0 ? 0 : err_sys(e, "filter kill(0)");
}

int st_scope(struct build *b, struct err *e)
{
	(void)b;
	const struct ruleset attr = { .scoped = SCOPE_SIGNAL };
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	if (abi < SCOPE_ABI)
		return refuse_group(e);
	OWN(fd) rules = fd_own((int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0));
	if (!rules.plus1 || syscall(SYS_landlock_restrict_self, fd_no(rules), 0) != 0)
		return err_sys(e, "confine signals by Landlock");
	return 0;
}
