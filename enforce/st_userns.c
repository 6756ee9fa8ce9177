/* st_userns.c - id maps, and why a host refuses user namespaces */
#include "enforce/step.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int put(const char *file, const char *text, struct err *e)
{
	OWN(fd) f = { 0 };
	int r = fd_open_at(&f, AT_FDCWD, file, O_WRONLY, e);
	if (r < 0)
		return r;
	if (write(fd_no(f), text, strlen(text)) < 0)
		return err_sys(e, "write %s", file);
	return 0;
}

int st_userns(struct build *b, struct err *e)
{
	char map[64];
	if (!b->userns)
		return 0;
	int r = put("/proc/self/setgroups", "deny", e);
	if (r == -ENOENT)
		r = 0; /* before 3.19, or a kernel without it: then gid_map needs no such promise */
	snprintf(map, sizeof(map), "%u %u 1\n", b->gid, b->gid);
	if (r == 0)
		r = put("/proc/self/gid_map", map, e);
	snprintf(map, sizeof(map), "%u %u 1\n", b->uid, b->uid);
	if (r == 0)
		r = put("/proc/self/uid_map", map, e);
	if (r == -EROFS)
		return err_wrap(e, "/proc is read-only here: a sandbox around snug must leave it a /proc of its own, writable");
	if (r == -EPERM && refused_nested(EPERM, e) < 0)
		return -EPERM;
	if (r == -EPERM && b->uid == 0)
		return err_wrap(e, "root here may not map itself (no CAP_SETFCAP?): give the container --privileged, or run "
		                   "snug as an ordinary user");
	return r;
}

/* The number in a sysctl file, or -1. */
static long sysctl_get(const char *file)
{
	char buf[32];
	OWN(fd) f = fd_own(open(file, O_RDONLY | O_CLOEXEC));
	ssize_t n = f.plus1 ? read(fd_no(f), buf, sizeof(buf) - 1) : -1;
	if (n <= 0)
		return -1;
	buf[n] = 0;
	return strtol(buf, NULL, 10);
}

/* pid 1 of this pid namespace is the one of init.c: whatever is refused, it is refused by a run around us. */
static bool inside_snug(void)
{
	char name[32];
	OWN(fd) f = fd_own(open("/proc/1/comm", O_RDONLY | O_CLOEXEC));
	ssize_t n = f.plus1 ? read(fd_no(f), name, sizeof(name) - 1) : -1;
	return n > 0 && !strncmp(name, "snug-init\n", (size_t)n);
}

int refused_nested(int err, struct err *e)
{
	if (!inside_snug())
		return 0;
	return err_set(e, err, "this is inside a snug run already, in which no namespace and no mount can be made (%s): run the command "
	               "without the inner snug, under the outer one's profile, or start this snug outside", strerror(err));
}

/* What errno alone says: a limit, of this host or of a sandbox around snug. */
static const char *limit_remedy(int err)
{
	switch (err) {
	case EAGAIN:
		return "no more processes are allowed: raise the limit (ulimit -u, or a container's pids limit)";
	case ENOSPC:
		return "no more namespaces are allowed here: as administrator, sysctl user.max_user_namespaces=15000 and its kin "
		       "in /proc/sys/user; a sandbox around snug must not set them to 0";
	case EUSERS:
		return "user namespaces are nested too deeply: start snug further out";
	case ENOMEM:
		return "out of memory";
	default:
		return NULL;
	}
}

int spaces_refused(int err, struct err *e)
{
	const char *limit = limit_remedy(err);
	return err_set(e, err, "new namespaces: %s: %s", strerror(err),
	               limit ? limit : "a seccomp filter or security module around snug refuses them");
}

int userns_refused(int err, const struct policy *pol, struct err *e)
{
	const char *limit = limit_remedy(err);
	const struct { const char *file; long bad; const char *remedy; } rows[] = {
		{ "/proc/sys/kernel/unprivileged_userns_clone", 0, "sysctl kernel.unprivileged_userns_clone=1" },
		{ "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1,
		  "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for snug" },
	};
	int nested = err == EPERM ? refused_nested(err, e) : 0;
	if (nested)
		return nested;
	if (pol->privileged)
		return spaces_refused(err, e);
	if (limit)
		return err_set(e, err, "new user namespaces: %s: %s", strerror(err), limit);
	for (size_t i = 0; i < LEN(rows); i++) {
		if (sysctl_get(rows[i].file) == rows[i].bad)
			return err_set(e, err, "this host refuses user namespaces (%s): as its administrator: %s",
			               strerror(err), rows[i].remedy);
	}
	if (pol->uid == 0)
		return err_set(e, err, "root without CAP_SYS_ADMIN, and user namespaces are refused (%s): a container "
		               "needs --cap-add SYS_ADMIN, or --security-opt seccomp=unconfined with user namespaces, "
		               "for snug to confine anything", strerror(err));
	return err_set(e, err, "user namespaces are refused here (%s): a container's seccomp profile, a chroot or a "
	               "sandbox around snug forbids them; a container needs --security-opt seccomp=unconfined",
	               strerror(err));
}
