/* Descriptors that the command was given at its start: what they name was opened by somebody else. */
#include "trace/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GIVEN_MAX = 64 };

/* Open flags of the descriptor, or -1; octal in /proc/PID/fdinfo (proc(5)). */
static long flags_of(const struct task *t, int fd)
{
	char path[48];
	unsigned flags;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", t->tid, fd);
	FILE *f = fopen(path, "re");
	if (!f)
		return -1;
	int n = fscanf(f, "pos: %*s flags: %o", &flags);
	fclose(f);
	return n == 1 ? (long)flags : -1;
}

static const char pipe_form[] = "pipe:[";

static void add(struct recorder *r, uint32_t proc, const struct access *by, int fd, uint64_t now)
{
	struct access a = *by;
	/* nobody spelled a name: which one it is stands there */
	char spelled[32];
	snprintf(spelled, sizeof(spelled), ACCESS_GIVEN_FD "%d", fd);
	a.obj[0].spelled = spelled;
	a.marks |= MARK_FD;
	if (eventset_add(&r->set, proc, &a, 0, OUT_OBSERVED, now - r->start_ns) < 0)
		recorder_reason(r, "memory ran out; accesses are missing");
}

static void given(struct recorder *r, struct task *t, uint32_t proc, int fd, uint64_t now)
{
	struct access a = { .op = OP_OPEN, .uid = t->creds.uid, .gid = t->creds.gid, .caps = t->creds.dac };
	long flags = flags_of(t, fd);
	/* 02000000 is O_CLOEXEC: it will not be there any more */
	if (flags < 0 || flags & O_CLOEXEC)
		return;
	a.flags = (uint32_t)flags & ~0100000u; /* the kernel's own O_LARGEFILE */
	if (resolve_name(&r->names, t, fd, "", RES_EMPTY, &a.obj[0], &a.marks) < 0 || !a.obj[0].path)
		return;
	if (a.obj[0].path[0] == '/')
		add(r, proc, &a, fd, now);
	else if (!strncmp(a.obj[0].path, pipe_form, sizeof(pipe_form) - 1) && r->npipes < LEN(r->pipes))
		r->pipes[r->npipes++] = (struct given_pipe){ fd, a.obj[0].ino };
}

/* Pipes stray into many programs; one that is opened by its name (`cat <(command)`) is used. */
void recorder_given_pipe(struct recorder *r, uint32_t proc, const struct access *by, uint64_t now)
{
	for (size_t i = 0; i < r->npipes; i++) {
		char path[48];
		snprintf(path, sizeof(path), "/proc/self/fd/%d", r->pipes[i].fd);
		if (by->obj[0].ino == r->pipes[i].ino && !strcmp(by->obj[0].path, path))
			add(r, proc, by, r->pipes[i].fd, now);
	}
}

void recorder_inherited(struct recorder *r, struct task *t, uint32_t proc, uint64_t now)
{
	char path[48];
	int left = GIVEN_MAX;
	snprintf(path, sizeof(path), "/proc/%d/fd", t->tid);
	DIR *d = opendir(path);
	for (struct dirent *e; d && left && (e = readdir(d)); left--) {
		int fd = atoi(e->d_name);
		if (fd > 2)
			given(r, t, proc, fd, now);
	}
	if (d)
		closedir(d);
}
