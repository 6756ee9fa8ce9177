/* st_pty.c - a private terminal in the place of the caller's, or none */
#include "enforce/view.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

/*
 * Its device file lies in the view's own devpts, so that its name is found inside. pid 1 leads its session; the
 * supervisor has the other side. See job.c and pty.c.
 */

int view_pts(struct fd *out, struct err *e)
{
	/* every devpts mount is an instance of its own since 4.7 */
	static const char *const options[] = { "ptmxmode", "0666", "mode", "0620", NULL };
	return view_fs(out, "devpts", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, options, e);
}

static int open_pair(struct build *b, struct err *e)
{
	int unlock = 0;
	b->master = fd_own(openat(fd_no(b->pts), "ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
	if (!b->master.plus1)
		return err_sys(e, "open a private terminal");
	if (ioctl(fd_no(b->master), TIOCSPTLCK, &unlock) != 0)
		return err_sys(e, "unlock the private terminal");
	b->slave = fd_own(ioctl(fd_no(b->master), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
	if (!b->slave.plus1)
		return err_sys(e, "open the inner side of the private terminal");
	if (tcsetattr(fd_no(b->slave), TCSANOW, &b->pty->given) != 0)
		return err_sys(e, "modes of the private terminal");
	if (ioctl(fd_no(b->slave), TIOCSWINSZ, &b->pty->size) != 0)
		return err_sys(e, "size of the private terminal");
	return 0;
}

int st_pty(struct build *b, struct err *e)
{
	if (!b->pty) /* else what a terminal sends to the caller's group would hide in pid 1 what snug sends, which does not queue */
		return setsid() < 0 ? err_sys(e, "new session") : 0;
	int fd, r = view_pts(&b->pts, e);
	if (r == 0)
		r = open_pair(b, e);
	if (r < 0)
		return r;
	if (setsid() < 0 || ioctl(fd_no(b->slave), TIOCSCTTY, 0) != 0)
		return err_sys(e, "session of the private terminal");
	for (size_t i = 0; (fd = handed_no(b->opts, i)) >= 0; i++) {
		if (pty_is(b->pty, fd) && dup2(fd_no(b->slave), fd) < 0)
			return err_sys(e, "put the private terminal at descriptor %d", fd);
	}
	return 0;
}
