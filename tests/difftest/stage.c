/* stage.c - the scratch tree on disk, and both ways to perform accesses on it */
#include "tests/difftest/stage.h"

#include "base/path.h"
#include "cli/confine.h"
#include "trace/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

static int listen_on(struct stage *w, const char *path)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	size_t n = strlen(path);
	if (n >= sizeof(sa.sun_path) || w->nsockets >= SOCKETS_MAX)
		return -ENAMETOOLONG;
	memcpy(sa.sun_path, path, n);
	socklen_t len = sizeof(sa);
	if (path[0] == '@') {
		sa.sun_path[0] = '\0';
		len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
	}
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, len) || listen(fd, 64)) {
		int err = -errno;
		close(fd);
		return err;
	}
	w->sockets[w->nsockets++] = fd;
	return 0;
}

static int write_file(const char *path, const char *text, const char *copy_of)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	int err = 0;
	if (copy_of) {
		int in = open(copy_of, O_RDONLY | O_CLOEXEC);
		struct stat st;
		if (in < 0 || fstat(in, &st) || sendfile(fd, in, NULL, (size_t)st.st_size) != st.st_size)
			err = -errno;
		close(in);
	} else if (write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
		err = -errno;
	}
	close(fd);
	return err;
}

static int make_node(struct stage *w, const struct node *n)
{
	int err = 0;
	switch (n->kind) {
	case N_DIR:
		if (mkdir(n->path, 0755) && errno != EEXIST)
			return -errno;
		break;
	case N_FILE:
		err = write_file(n->path, n->text, NULL);
		break;
	case N_PROGRAM:
		err = write_file(n->path, NULL, w->doer);
		break;
	case N_LINK:
		return symlink(n->text, n->path) ? -errno : 0;
	case N_FIFO:
		err = mkfifo(n->path, 0600) ? -errno : 0;
		break;
	case N_SOCKET:
		err = listen_on(w, n->path);
		break;
	case N_DEVICE:
		err = mknod(n->path, S_IFCHR, makedev(1, 3)) ? -errno : 0;
		break;
	case N_MOUNT:
		if (mkdir(n->path, 0755) ||
		    mount("difft", n->path, "tmpfs", MS_NOSUID | MS_NODEV | (n->mode ? MS_RDONLY : 0), "size=1m,mode=755"))
			return -errno;
		return 0;
	}
	if (!err && n->uid && chown(n->path, n->uid, n->uid))
		err = -errno;
	if (!err && chmod(n->path, n->mode))
		err = -errno;
	return err;
}

int stage_build(struct stage *w, struct err *e)
{
	const struct round *r = w->round;
	for (size_t i = 0; i < r->nnodes; i++) {
		int err = make_node(w, &r->nodes[i]);
		if (err)
			return err_set(e, -err, "making %s: %s", r->nodes[i].path, strerror(-err));
	}
	char name[64];
	snprintf(name, sizeof(name), "@difft-host-%d", (int)getpid());
	int err = listen_on(w, name);
	return err ? err_set(e, -err, "listening on %s: %s", name, strerror(-err)) : 0;
}

static void remove_at(int dir, const char *name)
{
	if (!unlinkat(dir, name, 0) || errno == ENOENT)
		return;
	int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) || !S_ISDIR(st.st_mode)) {
		close(fd);
		return;
	}
	close(fd);
	if (fchmodat(dir, name, 0700, 0))
		return;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	for (struct dirent *de; d && (de = readdir(d));)
		if (strcmp(de->d_name, ".") != 0 && strcmp(de->d_name, "..") != 0)
			remove_at(dirfd(d), de->d_name);
	if (d)
		closedir(d);
	unlinkat(dir, name, AT_REMOVEDIR);
}

static void remove_loose(const char *dir, const char *prefix)
{
	DIR *d = opendir(dir);
	for (struct dirent *de; d && (de = readdir(d));)
		if (!strncmp(de->d_name, prefix, strlen(prefix)))
			remove_at(dirfd(d), de->d_name);
	if (d)
		closedir(d);
}

void stage_remove(struct stage *w)
{
	const struct round *r = w->round;
	for (size_t i = 0; i < w->nsockets; i++)
		close(w->sockets[i]);
	w->nsockets = 0;
	if (chdir("/"))
		return;
	for (size_t i = r->nnodes; i-- > 0;)
		if (r->nodes[i].kind == N_MOUNT)
			umount2(r->nodes[i].path, MNT_DETACH);
	DIR *d = opendir(r->base);
	for (struct dirent *de; d && (de = readdir(d));)
		if (strcmp(de->d_name, ".") != 0 && strcmp(de->d_name, "..") != 0)
			remove_at(dirfd(d), de->d_name);
	if (d)
		closedir(d);
	remove_at(AT_FDCWD, r->tmp);
	remove_loose("/tmp", path_base(r->loose));
	remove_loose("/dev/shm", path_base(r->shm));
}

char **stage_env(const struct round *r, struct arena *a)
{
	const char *rows[] = {
		arena_fmt(a, "HOME=%s", r->home_as), "PATH=/usr/bin:/bin", "DIFFT_AA=1", "DIFFT_AB=1", "DIFFT_B=1", "TERM=dumb", "LC_ALL=C",
		"SSH_AUTH_SOCK=/nowhere", arena_fmt(a, "PWD=%s", r->project_as),
	};
	char **env = arena_array(a, LEN(rows) + 1, sizeof(*env));
	for (size_t i = 0; env && i < LEN(rows); i++)
		env[i] = arena_str(a, rows[i]);
	return env;
}

/* argv of difft_do; a want for inside only is a look at nothing when performed outside */
static char **list(const struct round *r, struct arena *a, bool inside)
{
	char **argv = arena_array(a, r->nwants + 2, sizeof(*argv));
	argv[0] = arena_fmt(a, "%s/tool/do", r->base);
	for (size_t i = 0; i < r->nwants; i++) {
		const struct want *w = &r->wants[i];
		argv[i + 1] = w->inside && !inside ? arena_str(a, "stat|0|/.difft/skipped||")
		                                   : arena_fmt(a, "%s|%ld|%s|%s|", w->word, w->flags, w->path, w->second);
	}
	return argv;
}

/* Standard output into a pipe while the list runs. */
struct capture {
	int was, read;
};

static int capture_start(struct capture *c)
{
	int p[2];
	fflush(stdout);
	if (pipe2(p, O_CLOEXEC))
		return -errno;
	c->was = fcntl(1, F_DUPFD_CLOEXEC, 3);
	c->read = p[0];
	dup2(p[1], 1);
	close(p[1]);
	return 0;
}

static int capture_end(struct capture *c, const struct round *r, int *errs)
{
	dup2(c->was, 1);
	close(c->was);
	FILE *f = fdopen(c->read, "r");
	int i, err;
	size_t got = 0;
	while (f && fscanf(f, "%d %d\n", &i, &err) == 2)
		if (i >= 0 && (size_t)i < r->nwants) {
			errs[i] = err;
			got++;
		}
	if (f)
		fclose(f);
	return got == r->nwants ? 0 : -ENODATA;
}

static void clear(const struct round *r, int *errs)
{
	for (size_t i = 0; i < r->nwants; i++)
		errs[i] = -1;
}

int stage_outside(struct stage *w, const struct host *h, struct recording *rec, int *errs, struct err *e)
{
	OWN(arena) a = { 0 };
	struct capture c;
	int exec_err = 0;
	char **env = stage_env(w->round, &a);
	struct trace_opts o = { .argv = list(w->round, &a, false), .env = env, .real_env = env, .timeout_ms = 60000,
	                        .log_fd = -1 };
	clear(w->round, errs);
	if (chdir(w->round->project))
		return err_sys(e, "enter %s", w->round->project);
	int err = capture_start(&c);
	if (err)
		return err_set(e, -err, "pipe");
	err = trace_run(rec, h, &o, &exec_err, e);
	int got = capture_end(&c, w->round, errs);
	if (!err && exec_err)
		return err_set(e, exec_err, "executing the list outside: %s", strerror(exec_err));
	return err ? err : got ? err_set(e, -got, "the list did not run to its end outside") : 0;
}

int stage_inside(struct stage *w, struct policy *pol, int *errs, struct err *e)
{
	OWN(arena) a = { 0 };
	OWN(confine) in = { .envp = stage_env(w->round, &a), .timeout_ms = 60000, .box.argv = list(w->round, &a, true) };
	struct capture c;
	clear(w->round, errs);
	if (chdir(w->round->project))
		return err_sys(e, "enter %s", w->round->project);
	int err = confine_env(&in, pol, e);
	if (err < 0)
		return err;
	err = capture_start(&c);
	if (err)
		return err_set(e, -err, "pipe");
	err = confine_run(&in, pol, e);
	if (err >= 0 && in.exec_err)
		err = err_set(e, in.exec_err, "executing the list inside: %s", strerror(in.exec_err));
	int got = capture_end(&c, w->round, errs);
	return err < 0 ? err : got ? err_set(e, -got, "the list did not run to its end inside") : 0;
}
