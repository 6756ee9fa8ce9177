#include "trace/hangs.h"

#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void forget(struct hangs *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->points[i].path);
	free(h->points);
	h->points = NULL;
	h->n = 0;
}

void hangs_drop(struct hangs *h)
{
	forget(h);
	free(h->before);
	free(h->hung);
	free(h->news);
	asker_drop(&h->asker);
	*h = (struct hangs){ 0 };
}

/* Undo the octal escapes of proc_pid_mountinfo(5) in place. */
static void unescape(char *s)
{
	char *to = s;
	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] && s[3]) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
}

static bool in_list(const uint64_t *list, size_t n, uint64_t dev)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == dev)
			return true;
	return false;
}

static int append(uint64_t **list, size_t *n, uint64_t dev)
{
	if (in_list(*list, *n, dev))
		return 0;
	uint64_t *more = reallocarray(*list, *n + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	more[(*n)++] = dev;
	*list = more;
	return 0;
}

/* Is a file system of this type served by a process of this host? */
static bool served(const char *type)
{
	return !strcmp(type, "fuse") || !strcmp(type, "fuseblk") || !strncmp(type, "fuse.", 5) || !strcmp(type, "autofs");
}

/* By another host, which may be gone? */
static bool remote(const char *type)
{
	static const char *const types[] = { "nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "afs", "lustre", "coda",
	                                     "orangefs" };
	for (size_t i = 0; i < LEN(types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

static int add_point(struct hangs *h, char *point, uint64_t dev, bool never)
{
	unescape(point);
	/* when the root does not answer nothing works, the recorder included */
	if (!strcmp(point, "/"))
		return 0;
	struct hangpoint *more = reallocarray(h->points, h->n + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	h->points = more;
	more[h->n] = (struct hangpoint){ strdup(point), dev, never };
	return more[h->n].path ? (h->n++, 0) : -ENOMEM;
}

/* One line: "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw" (proc_pid_mountinfo(5)) */
static int line(struct hangs *h, char *text, bool first)
{
	enum { DEVICE = 2, POINT = 4 };
	char *save, *point = NULL, *word = strtok_r(text, " ", &save);
	unsigned major = 0, minor = 0;
	for (int i = 0; word && strcmp(word, "-") != 0; i++, word = strtok_r(NULL, " ", &save)) {
		if (i == DEVICE && sscanf(word, "%u:%u", &major, &minor) != 2)
			return 0;
		if (i == POINT)
			point = word;
	}
	const char *type = word ? strtok_r(NULL, " ", &save) : NULL;
	if (!type || !point)
		return 0;
	uint64_t dev = (uint64_t)major << 32 | minor;
	int err = first ? append(&h->before, &h->nbefore, dev) : 0;
	if (err || (!served(type) && !remote(type)))
		return err;
	bool made = served(type) && !in_list(h->before, h->nbefore, dev);
	return add_point(h, point, dev, made || in_list(h->hung, h->nhung, dev));
}

static int read_all(struct hangs *h, const char *mountinfo, bool first)
{
	FILE *f = fopen(mountinfo, "re");
	char *text = NULL;
	size_t size = 0;
	int err = 0;
	if (!f)
		return -errno;
	while (!err && getline(&text, &size, f) > 0)
		err = line(h, text, first);
	free(text);
	fclose(f);
	return err;
}

int hangs_open(struct hangs *h, const char *mountinfo)
{
	h->own = true;
	return read_all(h, mountinfo, true);
}

int hangs_read(struct hangs *h, const char *mountinfo)
{
	forget(h);
	return read_all(h, mountinfo, false);
}

const struct hangpoint *hangs_at(const struct hangs *h, const char *path)
{
	const struct hangpoint *at = NULL;
	for (size_t i = 0; i < h->n; i++) {
		const struct hangpoint *p = &h->points[i];
		if (!path_under(path, p->path))
			continue;
		/* a mount that is not asked hides what is mounted below it */
		if (p->never)
			return p;
		if (!at || strlen(p->path) > strlen(at->path))
			at = p;
	}
	return at;
}

/* No more questions to the file system of @at. */
static void give_up(struct hangs *h, const struct hangpoint *at)
{
	uint64_t dev = at->dev;
	free(h->news);
	h->news = strdup(at->path);
	/* without memory it is asked again, until the asker's patience ends */
	(void)!append(&h->hung, &h->nhung, dev);
	for (size_t i = 0; i < h->n; i++)
		if (h->points[i].dev == dev)
			h->points[i].never = true;
}

ssize_t hangs_ask(struct hangs *h, const struct hangpoint *at, const struct question *q, const char *path,
                  struct stat *st, void *buf, size_t size)
{
	if (at->never)
		return -ETIMEDOUT;
	ssize_t n = asker_ask(&h->asker, q, path, st, buf, size);
	if (n == -ETIMEDOUT)
		give_up(h, at);
	return n;
}

/* -ELOOP: there is a link in the name, and @links says that it must not be followed */
static ssize_t read_here(const char *path, bool links, void *buf, size_t size, uint64_t off)
{
	struct stat st;
	struct open_how how = { .flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
	                        .resolve = links ? 0 : RESOLVE_NO_SYMLINKS };
	OWN(fd) f = fd_own((int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how)));
	if (!f.plus1 && errno == ENOSYS && links)
		f = fd_own(open(path, (int)how.flags));
	if (!f.plus1 || fstat(fd_no(f), &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	ssize_t n = pread(fd_no(f), buf, size, (off_t)off);
	return n < 0 ? -errno : n;
}

ssize_t hangs_read_file(struct hangs *h, const char *path, void *buf, size_t size, uint64_t off)
{
	const struct question q = { .what = ASK_READ, .off = off };
	if (!h->n)
		return read_here(path, true, buf, size, off);
	const struct hangpoint *at = hangs_at(h, path);
	if (at)
		return hangs_ask(h, at, &q, path, NULL, buf, size);
	/* a link in the name may lead there as well, or a ".." */
	ssize_t n = strstr(path, "/..") ? -ELOOP : read_here(path, false, buf, size, off);
	if (n != -ELOOP && n != -ENOSYS)
		return n;
	n = asker_ask(&h->asker, &q, path, NULL, buf, size);
	if (n == -ETIMEDOUT) {
		free(h->news);
		h->news = strdup(path);
	}
	return n;
}

char *hangs_news(struct hangs *h)
{
	char *news = h->news;
	h->news = NULL;
	return news;
}
