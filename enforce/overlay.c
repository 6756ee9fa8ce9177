/* overlay.c - a directory of the host as the lower layer of an overlay: it looks writable and is never written */
#include "enforce/view.h"

#include "enforce/sysw.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

/*
 * How this works. Layers are named to the kernel relative to the working directory, since fsconfig(2) takes 255 bytes
 * and gives ',' and ':' a meaning. The lower one is a clone of the host's mount on a directory of ours: what is shown is
 * what was opened, without a link on the way. `userxattr` for root as well, so that the upper layer reads the same for
 * whoever made it. redirect_dir and metacopy are off with it (Linux forces that), so that the upper layer is a plain tree
 * with whiteouts; the price is EXDEV when a directory of below is renamed. `index` would write to the lower layer's
 * file handles; `xino` gives all objects one device number.
 */
static int lower_mount(struct build *b, const char *lower, int base, struct err *e)
{
	OWN(fd) src = { 0 };
	struct stat st;
	int r = view_source(&src, b, lower, e);
	if (r < 0)
		return r;
	if (fstat(fd_no(src), &st) != 0)
		return err_sys(e, "%s", lower);
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ENOTDIR, "%s is no directory any more", lower);
	OWN(fd) tree = fd_own(open_tree(fd_no(src), "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH));
	if (!tree.plus1 && errno == EINVAL)
		return err_set(e, EINVAL, "something is mounted inside %s, and an ordinary user's overlay cannot cover that: "
		               "unmount it, or shadow as root", lower);
	if (!tree.plus1)
		return err_sys(e, "clone %s", lower);
	if (move_mount(fd_no(tree), "", base, "lower", MOVE_MOUNT_F_EMPTY_PATH) != 0)
		return err_sys(e, "mount %s as a lower layer", lower);
	return 0;
}

static int refused(int err, const char *lower, struct err *e)
{
	switch (err) {
	case ENODEV:
		return err_set(e, ENODEV, "this kernel has no overlayfs: as administrator: modprobe overlay");
	case EPERM:
		return err_set(e, EPERM, "an overlay of %s is refused: an ordinary user needs Linux 5.11, and no security module that "
		               "forbids it; shadow as root", lower);
	case EINVAL:
		return err_set(e, EINVAL, "an overlay of %s is refused: the file system that its changes would lie on cannot hold them: "
		               "name a directory on ext4, xfs or btrfs with TMPDIR", lower);
	}
	return err_set(e, err, "an overlay of %s: %s", lower, strerror(err));
}

int view_overlay(struct fd *out, struct build *b, const char *lower, const char *base, struct err *e)
{
	static const char *const options[] = {
		"lowerdir", "lower", "upperdir", "upper", "workdir", "work", "index", "off", "xino", "on",
	};
	OWN(fd) at = { 0 };
	int r = view_source(&at, b, base, e);
	if (r == 0 && fchdir(fd_no(at)) != 0)
		r = err_sys(e, "%s", base);
	if (r == 0)
		r = lower_mount(b, lower, fd_no(at), e);
	if (r < 0)
		return r;
	OWN(fd) fs = fd_own(fsopen("overlay", FSOPEN_CLOEXEC));
	if (!fs.plus1)
		return refused(errno, lower, e);
	for (size_t i = 0; i < LEN(options); i += 2)
		if (fsconfig(fd_no(fs), FSCONFIG_SET_STRING, options[i], options[i + 1], 0) != 0)
			return refused(errno, lower, e);
	if (fsconfig(fd_no(fs), FSCONFIG_SET_FLAG, "userxattr", NULL, 0) != 0 ||
	    fsconfig(fd_no(fs), FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0)
		return refused(errno, lower, e);
	OWN(fd) m = fd_own(fsmount(fd_no(fs), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
	if (!m.plus1)
		return refused(errno, lower, e);
	*out = TAKE(m);
	return 0;
}
