/* st_landlock.c - the second layer: files, abstract sockets and signals once more, by Landlock */
#include "enforce/landlock.h"
#include "enforce/step.h"

#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * How this works. Rights are given at few points, not per place: reading and executing at the root of the view, since
 * what is in the view may be read, and everything at each place that may be written. Landlock looks for rules from the
 * object up to the root, across mounts, so that is the policy again, for two thirds of the calls less; what is outside of
 * the view (a directory whose descriptor was sent in through a bound socket) has no such root above it. Rights add up on
 * the way: that something is read-only or hidden inside what may be written is up to the mounts alone.
 *
 * What was handed over at 0 to 2 and by --keep-fd may be opened again (/dev/stdout) the way it was opened, no wider.
 *
 * The rules are made by pid 1, after the last mount and while the network is still being made; only the command takes
 * them upon itself. With a ruleset over files the kernel also refuses every mount to it, in user namespaces of its own too.
 *
 * TCP rights (ABI 4) are not used: they know ports alone, and the network namespace has nobody else in it.
 */
enum {
	LOOK = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE,
	/* of later versions, as numbers of landlock(7) */
	TRUNCATE = 1 << 14, IOCTL_DEV = 1 << 15,
	CHANGE = LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE | IOCTL_DEV,
	OF_FILES = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE | CHANGE,
};

static int allow(const struct build *b, int at, uint64_t rights, const char *what, struct err *e)
{
	struct stat st;
	if (fstat(at, &st) != 0)
		return err_sys(e, "%s", what);
	if (!S_ISDIR(st.st_mode))
		rights &= OF_FILES; /* others are an error for what is no directory */
	int r = landlock_allow(fd_no(b->rules), at, rights & b->handled);
	return r == 0 || r == -EBADFD ? 0 : err_set(e, -r, "rule for %s: %s", what, strerror(-r));
}

/* A place that is gone, or was never there, needs no rule. */
static int allow_path(const struct build *b, const char *path, uint64_t rights, struct err *e)
{
	OWN(fd) at = fd_own(open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC));
	if (!at.plus1)
		return errno == ENOENT ? 0 : err_sys(e, "%s", path);
	return allow(b, fd_no(at), rights, path, e);
}

static int allow_places(const struct build *b, struct err *e)
{
	const char *whole = NULL; /* everything below it may be written: parents come before children */
	int r = allow_path(b, "/", LOOK, e);
	for (size_t i = 0; r == 0 && i < b->pol->nplaces; i++) {
		const struct place *p = &b->pol->places[i];
		enum place_reach reach = place_reach(p);
		if (reach == REACH_LOOK || (whole && path_under(p->path, whole)))
			continue;
		if (reach == REACH_ALL)
			whole = p->path;
		r = allow_path(b, p->path, reach == REACH_ALL ? b->handled : LOOK | CHANGE, e);
	}
	return r;
}

static int allow_handed(const struct build *b, struct err *e)
{
	static const uint64_t by_mode[] = {
		[O_RDONLY] = LANDLOCK_ACCESS_FS_READ_FILE,
		[O_WRONLY] = LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE,
		[O_RDWR] = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE,
	};
	int fd, r = 0;
	for (size_t i = 0; r == 0 && (fd = handed_no(b->opts, i)) >= 0; i++) {
		int flags = fcntl(fd, F_GETFL);
		if (flags >= 0 && (unsigned)(flags & O_ACCMODE) < LEN(by_mode))
			r = allow(b, fd, by_mode[flags & O_ACCMODE] | IOCTL_DEV, "a descriptor", e);
	}
	return r;
}

const char *box_lacks(const struct policy *pol)
{
	errno = 0;
	int abi = landlock_abi();
	return landlock_lacks(pol, abi, errno);
}

int st_rules(struct build *b, struct err *e)
{
	errno = 0;
	int abi = landlock_abi();
	const char *lacks = landlock_lacks(b->pol, abi, errno);
	if (lacks && !b->opts->best_effort)
		return err_set(e, ENOTSUP, "%s; or do without: --best-effort", lacks);
	b->handled = abi < 2 ? 0 : landlock_rights(abi);
	b->scopes = landlock_scopes(abi);
	if (!b->handled)
		return 0;
	int r = landlock_make(&b->rules, b->handled, b->scopes);
	if (r < 0)
		return err_set(e, -r, "new ruleset: %s", strerror(-r));
	r = allow_places(b, e);
	return r < 0 ? r : allow_handed(b, e);
}

int st_landlock(struct build *b, struct err *e)
{
	int r = b->rules.plus1 ? landlock_restrict(fd_no(b->rules)) : 0;
	if (r == -E2BIG)
		return err_set(e, E2BIG, "more than 16 sandboxes of this kind are around snug: start it further out");
	if (r < 0)
		return err_set(e, -r, "restrict the command: %s", strerror(-r));
	return 0;
}
