/* st_caps.c - host name, keys, capabilities, no_new_privs */
#include "enforce/step.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int st_names(struct build *b, struct err *e)
{
	(void)b;
	if (sethostname("snug", 4) != 0)
		return err_sys(e, "host name");
	/*
	 * Keyrings have no namespace: start with an empty session keyring. A kernel without keys has none to hide, and
	 * where a filter around snug refuses the call it refuses the command's too.
	 */
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS && errno != EPERM)
		return err_sys(e, "new session keyring");
	return 0;
}

int st_caps(struct build *b, struct err *e)
{
	(void)b;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
		return err_sys(e, "clear ambient capabilities");
	/* EINVAL ends it: one above the last the kernel knows, capabilities(7) */
	for (unsigned long cap = 0; prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0; cap++)
		;
	if (errno != EINVAL)
		return err_sys(e, "drop the capability bounding set");
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[2] = { 0 };
	if (syscall(SYS_capset, &head, none) != 0)
		return err_sys(e, "drop capabilities");
	/* nobody inside may look into pid 1; after the maps, which a process that is not dumpable cannot write */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return err_sys(e, "PR_SET_DUMPABLE");
	return 0;
}

int st_nnp(struct build *b, struct err *e)
{
	(void)b;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return err_sys(e, "no_new_privs");
	return 0;
}
