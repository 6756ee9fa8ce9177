/* learn_scale.c - a million accesses to 100,000 objects: memory is a test, time a figure; suite: user */
#include "learn/lesson.h"
#include "profiles/builtin.h"

#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OBJECTS = 100000, TIMES = 10, LIMIT_KIB = 64 << 10 };

#if defined(__SANITIZE_ADDRESS__)
#define WITH_SAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_SAN 1
#endif
#endif
#ifndef WITH_SAN
#define WITH_SAN 0
#endif

/* The k-th of @n objects: caches, sources, configuration, things made, things looked for in vain. */
static void event_line(FILE *f, unsigned k, uint64_t seq)
{
	static const char head[] = "{\"k\":\"ev\",\"seq\":%llu,\"ns\":%llu,\"n\":%d,\"proc\":1,\"op\":\"%s\",\"flags\":%u,"
		"\"uid\":1000,\"gid\":1000,\"by\":\"observed\"%s,\"a\":{\"type\":\"%s\",\"path\":\"%s\"%s}}\n";
	char path[200];
	const char *op = "open", *type = "file", *more = "", *tail = "";
	unsigned flags = O_RDONLY;
	switch (k % 5) {
	case 0:
		snprintf(path, sizeof(path), "/home/someone/src/web/node_modules/p%u/lib/file%u.js", k / 500, k);
		break;
	case 1:
		snprintf(path, sizeof(path), "/home/someone/.cache/dep/v%u/%u.o", k / 700, k);
		type = "none";
		flags = O_WRONLY | O_CREAT;
		more = ",\"survives\":true";
		tail = ",\"missing\":1";
		break;
	case 2:
		snprintf(path, sizeof(path), "/usr/include/dir%u/header%u.h", k / 300, k);
		break;
	case 3:
		snprintf(path, sizeof(path), "/home/someone/work/web/src/m%u/x%u.c", k / 400, k);
		break;
	default:
		snprintf(path, sizeof(path), "/home/someone/.tool/share%u/none%u.conf", k / 600, k);
		type = "none";
		more = ",\"err\":2";
		tail = ",\"missing\":3";
	}
	fprintf(f, head, (unsigned long long)seq, (unsigned long long)seq * 1000, TIMES, op, flags, more, type, path, tail);
}

static int write_run(const char *path, unsigned n)
{
	FILE *f = fopen(path, "w");
	if (!f)
		return -errno;
	fputs("{\"snug\":\"recording/v1\",\"k\":\"host\",\"cwd\":\"/home/someone/work/web\",\"project\":\"/home/someone/work/web\","
	      "\"home\":\"/home/someone\",\"cache\":\"/home/someone/.cache\",\"uid\":1000,\"gid\":1000}\n"
	      "{\"k\":\"proc\",\"id\":1,\"pid\":4711,\"exe\":\"/usr/bin/tool\",\"argv\":[\"tool\"]}\n", f);
	for (unsigned i = 0; i < n; i++)
		event_line(f, i, i + 1);
	fprintf(f, "{\"k\":\"end\",\"status\":0,\"procs\":1,\"events\":%u,\"dirs\":0,\"nets\":0}\n", n);
	return fclose(f) ? -errno : 0;
}

static int learn_file(const char *path, struct err *e)
{
	OWN(recording) r = { 0 };
	OWN(profile) base = { 0 };
	OWN(policy) pol = { 0 };
	OWN(lesson) l = { 0 };
	struct recording *runs[] = { &r };
	FILE *f = fopen(path, "r");
	int x = f ? recording_read(&r, f, path, e) : err_sys(e, "open %s", path);
	if (f)
		fclose(f);
	for (const struct builtin *b = builtins; b->name && !x; b++)
		if (!strcmp(b->name, "base"))
			x = profile_read(&base, b->text, b->len, "base", "builtin:base", e);
	if (!x)
		x = policy_resolve(&pol, &base, &r.host, false, e);
	if (!x)
		x = lesson_make(&l, runs, 1, &pol, &base, "suggested", e);
	if (!x && (!l.suggests || l.suggestion.binds.n > 10 || l.nfindings < r.nevents / 2))
		x = err_set(e, EINVAL, "%zu binds, %zu findings", l.suggestion.binds.n, l.nfindings);
	return x;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct measured {
	int x;
	long kib;
	double s;
	struct err e;
};

/* In a process of its own, so that each has its own peak. */
static struct measured measure(const char *path, unsigned n)
{
	struct measured m = { .x = write_run(path, n) };
	int p[2];
	if (m.x || pipe(p)) {
		m.x = m.x ? m.x : -errno;
		return m;
	}
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		struct rusage u;
		double from = now();
		m.x = learn_file(path, &m.e);
		m.s = now() - from;
		getrusage(RUSAGE_SELF, &u);
		m.kib = u.ru_maxrss;
		_exit(write(p[1], &m, sizeof(m)) != sizeof(m));
	}
	close(p[1]);
	if (read(p[0], &m, sizeof(m)) != sizeof(m))
		m.x = -EIO;
	close(p[0]);
	waitpid(pid, NULL, 0);
	return m;
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");
	char path[200];
	snprintf(path, sizeof(path), "%s/learn_scale.%d", tmp ? tmp : "/tmp", (int)getpid());
	struct measured small = measure(path, OBJECTS / 4), big = measure(path, OBJECTS);
	unlink(path);
	bool ran = !small.x && !big.x;
	if (!ran)
		printf("# %s (%s)\n", small.x ? small.e.msg : big.e.msg, strerror(-(small.x ? small.x : big.x)));
	printf("%s 1 - G16 learning from %d accesses to %d objects\n", ran ? "ok" : "not ok", OBJECTS * TIMES, OBJECTS);
	printf("# %.2f s of processor time; four times the objects take %.1f times as long\n", big.s,
	       small.s > 0 ? big.s / small.s : 0);
	bool fits = big.kib <= LIMIT_KIB;
	if (WITH_SAN)
		printf("ok 2 - G16 it stays below 64 MiB # SKIP sanitizers take memory of their own\n");
	else
		printf("%s 2 - G16 it stays below 64 MiB (%ld KiB)\n", ran && fits ? "ok" : "not ok", big.kib);
	printf("1..2\n");
	return ran && (fits || WITH_SAN) ? 0 : 1;
}
