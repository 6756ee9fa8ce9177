/* landlock.c - Landlock's calls and what each of its versions can do */
#include "enforce/landlock.h"

#include <errno.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The header may be older than the kernel: numbers from landlock(7). */
enum {
	ABI_REFER = 2,  /* before it, nothing may be moved or linked from one directory to another */
	ABI_SCOPE = 6,
	SCOPE_ABSTRACT = 1 << 0, /* LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET */
	SCOPE_SIGNAL = 1 << 1,   /* LANDLOCK_SCOPE_SIGNAL */
};

struct attr { uint64_t handled_fs, handled_net, scoped; }; /* struct landlock_ruleset_attr of ABI 6 */

int landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	return abi < 0 ? 0 : (int)abi;
}

uint64_t landlock_rights(int abi)
{
	/* number of rights by ABI: 1 has 13 of them, 2 adds REFER, 3 TRUNCATE, 5 IOCTL_DEV */
	static const unsigned bits[] = { 0, 13, 14, 15, 15, 16 };
	return (1ULL << bits[MIN(abi, (int)LEN(bits) - 1)]) - 1;
}

uint64_t landlock_scopes(int abi)
{
	return abi < ABI_SCOPE ? 0 : SCOPE_ABSTRACT | SCOPE_SIGNAL;
}

int landlock_make(struct fd *out, uint64_t rights, uint64_t scopes)
{
	const struct attr attr = { .handled_fs = rights, .scoped = scopes };
	/* without scopes in the oldest layout, whatever header we were built with */
	size_t size = scopes ? sizeof(attr) : sizeof(attr.handled_fs);
	*out = fd_own((int)syscall(SYS_landlock_create_ruleset, &attr, size, 0));
	return out->plus1 ? 0 : -errno;
}

int landlock_allow(int rules, int at, uint64_t rights)
{
	const struct landlock_path_beneath_attr a = { .allowed_access = rights, .parent_fd = at };
	return syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &a, 0) == 0 ? 0 : -errno;
}

int landlock_restrict(int rules)
{
	return syscall(SYS_landlock_restrict_self, rules, 0) == 0 ? 0 : -errno;
}

const char *landlock_lacks(const struct policy *pol, int abi, int why)
{
	if (abi == 0 && why == EOPNOTSUPP)
		return "the second layer over files (Landlock) is switched off on this host: add landlock to the kernel's "
		       "boot parameter lsm=";
	if (abi == 0 && why == EPERM)
		return "the second layer over files (Landlock) is refused by a sandbox around snug: its filter must let "
		       "landlock_create_ruleset, landlock_add_rule and landlock_restrict_self pass";
	if (abi < ABI_REFER)
		return "this kernel has no second layer over files (Landlock, as of Linux 5.19)";
	if (abi < ABI_SCOPE && pol->network.v == NET_HOST)
		return "with --network host, abstract sockets of the host stay within reach on this kernel (Landlock's "
		       "scopes, as of Linux 6.12)";
	return NULL;
}
