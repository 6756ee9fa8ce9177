/* pty.c - copies between the caller's terminal and the private one, and keeps the modes of both */
#include "enforce/pty.h"

#include "enforce/box.h"
#include "enforce/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

/*
 * How this works: while the command is in front, the caller's terminal is raw, so that every byte typed reaches the line
 * discipline of the private one, whose modes are the command's: that one makes ^C and ^Z into signals for the process
 * group that is in front inside, echoes, edits lines and holds output on ^S. While it is not (a background job, or a
 * pipeline whose other end uses the terminal) the caller's terminal stays as it is, only what is printed passes; a read
 * inside stops the command, as in any background, and then it is put in front when we are.
 * The descriptor is our own opening: O_NONBLOCK on the one we were started with would be on everybody's.
 * SIGTTOU and SIGTTIN are blocked, so every change of modes asks first whether we are in front.
 */

bool pty_is(const struct pty *p, int fd)
{
	unsigned dev;
	return ioctl(fd, TIOCGDEV, &dev) == 0 && dev == p->dev;
}

/* The outer side of some terminal answers for the inner one. */
static bool is_controlling(int fd)
{
	unsigned number;
	return tcgetpgrp(fd) >= 0 && ioctl(fd, TIOCGPTN, &number) != 0;
}

/* Which of @handed the private one is for, -1 none. The caller's shell is on the controlling one, so that comes first. */
static int choose(const int *handed, bool *job)
{
	struct termios modes;
	for (size_t i = 0; i < HANDED_MAX && handed[i] >= 0; i++) {
		*job = is_controlling(handed[i]);
		if (*job)
			return handed[i];
	}
	return tcgetattr(STDIN_FILENO, &modes) == 0 ? STDIN_FILENO : -1;
}

static int open_again(struct pty *p, int fd, struct err *e)
{
	p->tty = fd_own(open(p->job ? "/dev/tty" : "/proc/self/fd/0", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
	if (!p->tty.plus1)
		return err_set(e, errno, "descriptor %d is a terminal that cannot be opened once more (%s), so the command "
		               "cannot have a private one for it: redirect it (%d%s), or start a session on that terminal first",
		               fd, strerror(errno), fd, fd ? ">FILE" : "</dev/null");
	if (tcgetattr(fd_no(p->tty), &p->given) != 0 || ioctl(fd_no(p->tty), TIOCGDEV, &p->dev) != 0 ||
	    ioctl(fd_no(p->tty), TIOCGWINSZ, &p->size) != 0)
		return err_sys(e, "look at the terminal");
	return 0;
}

/* As in a shell's command substitution: nobody can see then that the command tries to read. */
static bool ttin_lost(const sigset_t *mask)
{
	struct sigaction now;
	return sigismember(mask, SIGTTIN) == 1 || (sigaction(SIGTTIN, NULL, &now) == 0 && now.sa_handler == SIG_IGN);
}

int pty_open(struct pty **out, const int *handed, const sigset_t *mask, struct err *e)
{
	bool job = false;
	int fd = choose(handed, &job);
	*out = NULL;
	if (fd < 0)
		return 0;
	struct pty *p = calloc(1, sizeof(*p));
	if (!p)
		return err_set(e, ENOMEM, "out of memory");
	p->job = job;
	int r = open_again(p, fd, e);
	if (r < 0) {
		pty_free(p);
		return r;
	}
	p->given.c_lflag &= ~(tcflag_t)EXTPROC; /* somebody else would edit its lines */
	p->piped = !pty_is(p, STDIN_FILENO) || !pty_is(p, STDOUT_FILENO);
	p->wants = !p->piped || ttin_lost(mask);
	p->front = p->wants && pty_in_front(p);
	*out = p;
	return 0;
}

void pty_free(struct pty *p)
{
	if (!p)
		return;
	pty_leave(p);
	pty_guard_end(p);
	fd_drop(&p->tty);
	fd_drop(&p->master);
	free(p);
}

/* Both are 0 where the session is one of another pid namespace. */
bool pty_in_front(const struct pty *p)
{
	return p->tty.plus1 && (!p->job || tcgetpgrp(fd_no(p->tty)) == getpgrp());
}

/* But for speed and the like, which a private terminal has not got. */
static bool same_modes(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_lflag == b->c_lflag &&
	       memcmp(a->c_cc, b->c_cc, sizeof(a->c_cc)) == 0;
}

static struct termios raw_of(const struct termios *t)
{
	struct termios raw = *t;
	raw.c_iflag &= ~(tcflag_t)(IGNBRK | BRKINT | PARMRK | INPCK | ISTRIP | INLCR | IGNCR | ICRNL | IUCLC | IXON | IXANY |
	                           IXOFF);
	raw.c_oflag &= ~(tcflag_t)OPOST;
	raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	return raw;
}

static bool inside_posts(const struct pty *p)
{
	struct termios inside;
	return p->master.plus1 && tcgetattr(fd_no(p->master), &inside) == 0 && inside.c_oflag & OPOST;
}

/* As the command would find the terminal now, if it has not set modes of its own. */
static void lend_modes(struct pty *p, const struct termios *now)
{
	struct termios inside;
	if (!p->master.plus1 || tcgetattr(fd_no(p->master), &inside) != 0 || !same_modes(&inside, &p->given))
		return;
	p->given = *now;
	p->given.c_lflag &= ~(tcflag_t)EXTPROC;
	tcsetattr(fd_no(p->master), TCSANOW, &p->given);
}

/* Lines typed ahead, with the ends of file between them, which raw mode would show as bytes of 0. */
static void take_lines(struct pty *p, const struct termios *now)
{
	enum { ENDS = 16 }; /* without an end: hung up */
	struct chunk *c = &p->in;
	if (!(now->c_lflag & ICANON) || c->len || !pty_in_front(p))
		return;
	c->at = 0;
	for (int ends = 0; c->len < sizeof(c->bytes) && ends < ENDS;) {
		ssize_t n = read(fd_no(p->tty), c->bytes + c->len, sizeof(c->bytes) - c->len);
		if (n < 0)
			return;
		ends += n == 0;
		if (n == 0 && p->given.c_cc[VEOF] != _POSIX_VDISABLE)
			c->bytes[c->len++] = (char)p->given.c_cc[VEOF];
		c->len += (size_t)n;
	}
}

void pty_take(struct pty *p)
{
	struct termios now;
	if (!p->tty.plus1 || tcgetattr(fd_no(p->tty), &now) != 0)
		return; /* hung up: poll tells */
	if (!p->front || !same_modes(&now, &p->raw)) {
		p->outer = now;
		p->raw = raw_of(&now);
		lend_modes(p, &now);
		if (p->piped && inside_posts(p))
			p->raw.c_oflag |= now.c_oflag & OPOST; /* from the start, follow_output() */
		take_lines(p, &now);
		tcsetattr(fd_no(p->tty), TCSANOW, &p->raw);
	}
	p->front = true;
	pty_guard_tell(p);
	pty_resize(p);
}

void pty_leave(struct pty *p)
{
	if (!p->front)
		return;
	if (pty_in_front(p))
		tcsetattr(fd_no(p->tty), TCSANOW, &p->outer);
	p->front = false;
	pty_guard_tell(p);
}

void pty_resize(struct pty *p)
{
	struct winsize now;
	if (!p->tty.plus1 || !p->master.plus1 || ioctl(fd_no(p->tty), TIOCGWINSZ, &now) != 0 ||
	    memcmp(&now, &p->size, sizeof(now)) == 0)
		return;
	p->size = now;
	ioctl(fd_no(p->master), TIOCSWINSZ, &now);
}

void pty_hangup(struct box *b)
{
	struct pty *p = b->pty;
	p->front = false;
	p->in.len = p->out.len = 0;
	fd_drop(&p->tty);
	fd_drop(&p->master); /* the kernel tells those in front inside */
	pty_say(b, JOB_SIGNAL, SIGHUP);
	pty_say(b, JOB_BACK, 0);
}

/* Return: false when @from has nothing more to say, now or ever, with errno (0 at its end). */
static bool fill(struct chunk *c, int from)
{
	if (c->len)
		return true;
	ssize_t n = read(from, c->bytes, sizeof(c->bytes));
	if (n == 0)
		errno = 0;
	c->at = 0;
	c->len = n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* Return: false when @to takes nothing, now or ever, with errno. */
static bool empty(struct chunk *c, int to)
{
	if (!c->len)
		return true;
	ssize_t n = write(to, c->bytes + c->at, c->len);
	if (n <= 0)
		return false;
	c->at += (size_t)n;
	c->len -= (size_t)n;
	return true;
}

/* The caller's terminal processes lines for others of our job that print, as long as the command's does. */
static tcflag_t follow_output(struct pty *p, tcflag_t inside)
{
	tcflag_t post = inside & OPOST ? p->outer.c_oflag & OPOST : 0;
	if ((p->raw.c_oflag & OPOST) != post && pty_in_front(p)) {
		p->raw.c_oflag = (p->raw.c_oflag & ~(tcflag_t)OPOST) | post;
		tcsetattr(fd_no(p->tty), TCSANOW, &p->raw);
	}
	return p->raw.c_oflag;
}

static void drop_returns(struct chunk *c)
{
	size_t to = 0;
	for (size_t i = 0; i < c->len; i++) {
		if (c->bytes[i] != '\r' || i + 1 == c->len || c->bytes[i + 1] != '\n')
			c->bytes[to++] = c->bytes[i];
	}
	c->len = to;
}

/* Where both terminals end lines with a return, one of them is enough. */
static void fit_output(struct pty *p)
{
	struct termios in, out;
	const tcflag_t both = OPOST | ONLCR;
	if ((p->front && !p->piped) || !p->tty.plus1 || tcgetattr(fd_no(p->master), &in) != 0 ||
	    tcgetattr(fd_no(p->tty), &out) != 0)
		return;
	tcflag_t now = p->front ? follow_output(p, in.c_oflag) : out.c_oflag;
	if ((in.c_oflag & both) == both && (now & both) == both)
		drop_returns(&p->out);
}

/* As fill(), from the command. */
static bool fetch(struct pty *p)
{
	if (p->out.len)
		return true;
	if (!fill(&p->out, fd_no(p->master)))
		return false;
	fit_output(p);
	return true;
}

static bool later(void)
{
	return errno == EAGAIN || errno == EINTR;
}

void pty_polls(const struct pty *p, struct pollfd *polls)
{
	polls[0] = (struct pollfd){ fd_no(p->tty), 0, 0 };
	polls[1] = (struct pollfd){ fd_no(p->master), 0, 0 };
	polls[0].events = (short)((p->front && !p->in.len ? POLLIN : 0) | (p->out.len ? POLLOUT : 0));
	polls[1].events = (short)((!p->out.len ? POLLIN : 0) | (p->in.len ? POLLOUT : 0));
}

static void copy_in(struct box *b, short ready)
{
	struct pty *p = b->pty;
	if (p->front && ready & POLLIN && !fill(&p->in, fd_no(p->tty)) && !later()) {
		if (pty_in_front(p))
			pty_hangup(b); /* raw mode has no other end */
		else
			p->front = false; /* somebody took the terminal from us; SIGCONT tells when we have it again */
	}
	if (p->in.len && p->master.plus1 && !empty(&p->in, fd_no(p->master)) && !later())
		p->in.len = 0;
}

static void copy_out(struct box *b, short ready)
{
	struct pty *p = b->pty;
	if (ready && p->master.plus1 && !fetch(p) && !later())
		fd_drop(&p->master); /* pid 1 keeps the other side open, so it is ending */
	if (!p->out.len || !p->tty.plus1)
		return;
	if (!empty(&p->out, fd_no(p->tty)) && !later())
		pty_hangup(b);
}

void pty_copy(struct box *b, const struct pollfd *polls)
{
	struct pty *p = b->pty;
	if (p->tty.plus1 && polls[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		pty_hangup(b);
	else if (!p->front && p->wants && p->tty.plus1 && pty_in_front(p))
		pty_resume(b); /* put in front while it was running: the shell sends nothing then */
	copy_in(b, polls[0].revents);
	copy_out(b, polls[1].revents);
}

static long long now_ms(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* Has something come that ends a command? */
static bool told_to_end(int sigs)
{
	struct signalfd_siginfo si;
	while (read(sigs, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGTERM || si.ssi_signo == SIGHUP || si.ssi_signo == SIGINT || si.ssi_signo == SIGQUIT)
			return true;
	}
	return false;
}

void pty_flush(struct pty *p, int ms, int sigs)
{
	enum { MOST = 64 }; /* chunks: more than a private terminal holds, pty(7); somebody is still writing */
	long long end = now_ms() + ms;
	for (int i = 0; i < MOST && p->tty.plus1;) {
		if (p->master.plus1 && !fetch(p) && errno != EINTR)
			return;
		if (!p->out.len)
			return;
		if (empty(&p->out, fd_no(p->tty))) {
			i += !p->out.len;
			continue;
		}
		struct pollfd wait[] = { { fd_no(p->tty), POLLOUT, 0 }, { sigs, POLLIN, 0 } };
		long long left = ms < 0 ? -1 : end - now_ms();
		if (!later() || (ms >= 0 && left <= 0))
			return;
		if (poll(wait, LEN(wait), (int)left) > 0 && wait[1].revents && told_to_end(sigs))
			return;
	}
}
