/*
 * fusefs.c - a user space file system of three names: "hello" (a file), "link" to it, "run" (a script)
 *
 *   fusefs serve DIR [LIMIT]    mount it and serve it in the background until the mount goes; LIMIT answers, then none
 *   fusefs with DIR COMMAND..   mount it, leave the connection to COMMAND as descriptor 9
 *   fusefs answer COMMAND..     serve descriptor 9, with a look at another file before each answer, while COMMAND runs
 *
 * The protocol is include/uapi/linux/fuse.h. 77: no FUSE here.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOT = 1, CONNECTION = 9 };

static const struct {
	const char *name, *text;
	mode_t mode;
} files[] = {
	[2] = { "hello", "hello\n", S_IFREG | 0644 },
	[3] = { "link", "hello", S_IFLNK | 0777 },
	[4] = { "run", "#!/bin/sh\necho \"ran $SNUG_T_FUSE\"\n", S_IFREG | 0755 },
};
enum { NODES = sizeof(files) / sizeof(*files) };

static void attr(struct fuse_attr *a, uint64_t node)
{
	*a = (struct fuse_attr){ .ino = node, .nlink = 1, .mode = S_IFDIR | 0755, .blksize = 4096 };
	if (node != ROOT && node < NODES) {
		a->mode = files[node].mode;
		a->size = strlen(files[node].text);
	}
}

static int reply(int fd, uint64_t unique, int err, const void *data, size_t n)
{
	char buf[8192];
	struct fuse_out_header h = { .len = (uint32_t)(sizeof(h) + n), .error = -err, .unique = unique };
	memcpy(buf, &h, sizeof(h));
	if (n)
		memcpy(buf + sizeof(h), data, n);
	return write(fd, buf, sizeof(h) + n) < 0 && errno != ENOENT ? -1 : 0;
}

static size_t listing(char *buf, uint64_t off)
{
	size_t n = 0;
	for (uint64_t i = off < 2 ? 2 : off; i < NODES; i++) {
		size_t len = strlen(files[i].name);
		struct fuse_dirent d = { .ino = i, .off = i + 1, .namelen = (uint32_t)len, .type = files[i].mode >> 12 };
		memset(buf + n, 0, FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + len));
		memcpy(buf + n, &d, FUSE_NAME_OFFSET);
		memcpy(buf + n + FUSE_NAME_OFFSET, files[i].name, len);
		n += FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + len);
	}
	return n;
}

static int answer(int fd, const struct fuse_in_header *h, const char *in)
{
	struct fuse_attr_out a = { 0 };
	struct fuse_entry_out e = { 0 };
	struct fuse_open_out o = { .fh = h->nodeid };
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096, .max_readahead = 4096 };
	char buf[4096];
	switch (h->opcode) {
	case FUSE_INIT:
		return reply(fd, h->unique, 0, &init, sizeof(init));
	case FUSE_LOOKUP:
		for (uint64_t i = 2; i < NODES; i++) {
			if (strcmp(in, files[i].name) != 0)
				continue;
			e.nodeid = i;
			attr(&e.attr, i);
			return reply(fd, h->unique, 0, &e, sizeof(e));
		}
		return reply(fd, h->unique, ENOENT, NULL, 0);
	case FUSE_GETATTR:
		attr(&a.attr, h->nodeid);
		return reply(fd, h->unique, 0, &a, sizeof(a));
	case FUSE_READLINK:
		return reply(fd, h->unique, 0, files[h->nodeid].text, strlen(files[h->nodeid].text));
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		return reply(fd, h->unique, 0, &o, sizeof(o));
	case FUSE_READ: {
		const struct fuse_read_in *r = (const void *)in;
		size_t len = strlen(files[h->nodeid].text), at = r->offset < len ? r->offset : len;
		return reply(fd, h->unique, 0, files[h->nodeid].text + at, len - at < r->size ? len - at : r->size);
	}
	case FUSE_READDIR:
		return reply(fd, h->unique, 0, buf, listing(buf, ((const struct fuse_read_in *)(const void *)in)->offset));
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_FLUSH:
	case FUSE_ACCESS:
		return reply(fd, h->unique, 0, NULL, 0);
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return 0;
	default:
		return reply(fd, h->unique, ENOSYS, NULL, 0);
	}
}

/* Until the mount is gone; after @limit questions they are read no more. */
static void serve(int fd, long limit, int look)
{
	static char buf[FUSE_MIN_READ_BUFFER * 4];
	for (;;) {
		if (!limit--)
			for (;;)
				pause();
		ssize_t n = read(fd, buf, sizeof(buf));
		if (n < 0 && (errno == EINTR || errno == ENOENT))
			continue;
		if (n < (ssize_t)sizeof(struct fuse_in_header))
			_exit(0);
		if (look)
			close(open("/etc/hostname", O_RDONLY));
		if (answer(fd, (const void *)buf, buf + sizeof(struct fuse_in_header)))
			_exit(1);
	}
}

static int attach(const char *dir)
{
	char opts[128];
	int fd = open("/dev/fuse", O_RDWR);
	snprintf(opts, sizeof(opts), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fd);
	return fd < 0 || mount("none", dir, "fuse.test", MS_NODEV, opts) ? -1 : fd;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "answer")) {
		pid_t server = fork();
		if (!server)
			serve(CONNECTION, -1, 1);
		close(CONNECTION);
		int status = 0;
		pid_t pid = fork();
		if (!pid)
			return execvp(argv[2], argv + 2);
		waitpid(pid, &status, 0);
		kill(server, SIGKILL);
		return status != 0;
	}
	if (argc < 3)
		return 2;
	int fd = attach(argv[2]);
	if (fd < 0)
		return 77;
	if (argc > 3 && !strcmp(argv[1], "with"))
		return dup2(fd, CONNECTION) < 0 || close(fd) || execvp(argv[3], argv + 3);
	pid_t pid = fork();
	if (!pid) {
		for (int i = 0; i < 3; i++)
			close(i);
		setsid();
		serve(fd, argc > 3 ? atol(argv[3]) : -1, 0);
	}
	printf("%d\n", (int)pid);
	return 0;
}
