/* faults.c - suite: root user: each system call of a start fails once; is what follows an error, or a confined run? */
#include "tests/faults/inject.h"

#include "base/arena.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * For each scenario: one run lists the calls of snug's start, in each of its processes. Then one run per call, in which it
 * fails. Allowed is: the command never ran, status 125 (126 and 127 where it is about executing it) and a reason on
 * standard error; or it ran, and the probe inside found everything shut. An audited command may run as well, then its
 * work must be complete and the recording whole or said not to be. In any case nothing may be left: no process, no mount, no file.
 */

static const struct scenario {
	const char *name;
	const char *verb, *more; /* further options, blanks between */
	const char *profile;     /* %s: the directory */
	bool audit, proxy, terminal, stdin_file;
} scenarios[] = {
	{ .name = "run", .verb = "run", .profile = "" },
	{ .name = "run, many kinds of places, a file on stdin", .verb = "run", .more = "--keep-fd=9", .stdin_file = true, .profile =
	  "  - { source: \"%s/copied\", target: \"%s/home/copied\", mode: copy }\n  - { source: \"%s/data\", mode: rw }\n  - { source: \"%s/data/made\", mode: rw, create: dir }\n"
	  "mask: [\"%s/data/hidden\"]\ntmpfs: [\"%s/data/t\"]\ndeny: { write: [\"%s/data/fenced\"] }\nspecial: { shm: 1MiB, sys: ro }\n" },
	{ .name = "run, the proxy", .verb = "run", .more = "--allow-net=packages.example.org", .profile = "", .proxy = true },
	{ .name = "run, a private terminal", .verb = "run", .profile = "", .terminal = true },
	{ .name = "run --denials", .verb = "run", .more = "--denials", .profile = "" },
	{ .name = "audit", .verb = "audit", .profile = "", .audit = true },
};

/* What such a call answers where it fails in earnest. */
static int errno_for(int nr)
{
	static const struct { int nr, err; } rows[] = {
		{ SYS_mmap, ENOMEM }, { SYS_mprotect, ENOMEM }, { SYS_madvise, ENOMEM }, { SYS_brk, ENOMEM }, { SYS_openat, EMFILE },
		{ SYS_clone, EAGAIN }, { SYS_clone3, EAGAIN },
#ifdef SYS_vfork
		{ SYS_vfork, EAGAIN },
#endif
		{ SYS_read, EIO }, { SYS_write, EIO }, { SYS_socket, EMFILE }, { SYS_pipe2, EMFILE }, { SYS_memfd_create, EMFILE },
		{ SYS_execve, EACCES }, { SYS_close, EIO }, { SYS_getcwd, ENOENT },
	};
	for (size_t i = 0; i < LEN(rows); i++)
		if (rows[i].nr == nr)
			return rows[i].err;
	return EPERM;
}

struct test {
	const char *snug, *probe, *dir, *only;
	struct arena mem;
	unsigned share; /* try one of so many */
	int err;        /* 0: errno_for() */
	bool verbose, in_tmp; /* below /tmp and /var/tmp Landlock leaves a read-only place to its mount */
	size_t tried, shut, ran, bad;
};

#define FMT(...) arena_fmt(&t->mem, __VA_ARGS__)

static const char *call_name(int nr)
{
	static char name[64];
	char *s = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, nr);
	snprintf(name, sizeof(name), "%s", s ? s : "?");
	free(s);
	return name;
}

static bool put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	bool ok = f && fputs(text, f) >= 0;
	return f && !fclose(f) && ok;
}

static char *slurp(struct test *t, const char *path)
{
	char buf[16384];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(buf, 1, sizeof(buf) - 1, f) : 0;
	buf[n] = '\0';
	if (f)
		fclose(f);
	return (char *)(uintptr_t)arena_str(&t->mem, buf);
}

/* Every name in @dir and below but what a run is to leave, one a line. */
static void names(struct str *out, const char *dir, int depth)
{
	struct dirent **list;
	int n = scandir(dir, &list, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		const char *s = list[i]->d_name;
		char path[4096];
		snprintf(path, sizeof(path), "%s/%s", dir, s);
		if (strcmp(s, ".") != 0 && strcmp(s, "..") != 0 && strcmp(s, "ran") != 0 && strcmp(s, "said") != 0 && strcmp(s, "state") != 0) {
			str_fmt(out, "%s\n", path);
			if (list[i]->d_type == DT_DIR && depth < 6)
				names(out, path, depth + 1);
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

static void mounts(struct str *out)
{
	FILE *f = fopen("/proc/self/mountinfo", "r");
	char line[4096];
	while (f && fgets(line, sizeof(line), f))
		str_add(out, line);
	if (f)
		fclose(f);
}

static void remains(struct test *t, struct str *out)
{
	names(out, t->dir, 0);
	if (!getuid()) { /* these are ours, see main() */
		names(out, "/tmp", 0);
		names(out, "/dev/shm", 0);
		mounts(out);
	}
}

static bool prepare(struct test *t, const struct scenario *s)
{
	static const char *const dirs[] = { "", "/home", "/proj", "/state", "/data", "/data/t", "/data/hidden", "/data/fenced" };
	for (size_t i = 0; i < LEN(dirs); i++)
		if (mkdir(FMT("%s%s", t->dir, dirs[i]), 0755) && errno != EEXIST)
			return false;
	if (mkfifo(FMT("%s/fifo", t->dir), 0666) && errno != EEXIST)
		return false;
	OWN(str) y = { 0 };
	str_fmt(&y, "schema: snug-profile/v1\nproject: rw\nbinds:\n  - { source: \"%s\", mode: ro }\n  - { source: \"%s/fifo\", mode: ro }\n",
	        t->probe, t->dir);
	for (const char *p = s->profile; *p; p++) {
		if (p[0] == '%' && p[1] == 's') {
			str_add(&y, t->dir);
			p++;
		} else {
			str_fmt(&y, "%c", *p);
		}
	}
	return put(FMT("%s/p.yaml", t->dir), str_c(&y)) && put(FMT("%s/secret", t->dir), "secret\n") &&
	       put(FMT("%s/copied", t->dir), "copied\n") && put(FMT("%s/input", t->dir), "input\n");
}

static const char *namespace_of(struct test *t, const char *name)
{
	struct stat st;
	return stat(FMT("/proc/self/ns/%s", name), &st) ? NULL : FMT("ns=%s:%llu", name, (unsigned long long)st.st_ino);
}

static const char *const *command(struct test *t, const struct scenario *s)
{
	static const char *const spaces[] = { "mnt", "pid", "net", "ipc", "uts", "cgroup" };
	const char **v = arena_array(&t->mem, 64, sizeof(*v));
	size_t n = 0;
	v[n++] = t->snug;
	v[n++] = s->verb;
	if (s->more)
		v[n++] = s->more;
	v[n++] = "--profile";
	v[n++] = FMT("%s/p.yaml", t->dir);
	v[n++] = "--";
	if (s->audit) {
		v[n++] = "/bin/sh";
		v[n++] = "-c";
		v[n++] = FMT("cat %s/secret >/dev/null; echo whole >>%s/proj/ran", t->dir, t->dir);
		return v;
	}
	v[n++] = t->probe;
	v[n++] = FMT("%s/proj/ran", t->dir);
	for (size_t i = 0; i < LEN(spaces); i++)
		if ((v[n] = namespace_of(t, spaces[i])))
			n++;
	v[n++] = FMT("absent=%s/secret", t->dir);
	if (!strstr(s->profile, "sys:"))
		v[n++] = "absent=/sys/kernel";
	v[n++] = FMT("locked=%s", t->probe);
	v[n++] = FMT("session=%d", (int)getsid(0));
	if (s->more && !strcmp(s->more, "--keep-fd=9"))
		v[n++] = "keep=9";
	if (!t->in_tmp && syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0)
		v[n++] = FMT("fifo=%s/fifo", t->dir);
	return v;
}

/* A private terminal for @tr: a new one each time, since a run may hang it up. Return: the inner side; @outer is the other. */
static int terminal(int *outer)
{
	*outer = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*outer < 0 || grantpt(*outer) || unlockpt(*outer))
		return -1;
	return open(ptsname(*outer), O_RDWR | O_NOCTTY | O_CLOEXEC);
}

static int try(struct test *t, const struct scenario *s, struct trial *r)
{
	const char *const env[] = { "PATH=/usr/bin:/bin", "FAULTS_SECRET=1", "LC_ALL=C", "TERM=dumb", FMT("HOME=%s/home", t->dir),
	                            FMT("XDG_STATE_HOME=%s/state", t->dir), NULL };
	int outer = -1;
	r->env = env;
	r->argv = command(t, s);
	r->dir = FMT("%s/proj", t->dir);
	r->out = FMT("%s/said", t->dir);
	r->limit_ms = 20000;
	r->input = s->terminal ? terminal(&outer) : s->stdin_file ? open(FMT("%s/input", t->dir), O_RDONLY | O_CLOEXEC) : -1;
	unlink(FMT("%s/proj/ran", t->dir));
	int err = inject_run(r);
	if (r->input >= 0)
		close(r->input);
	if (outer >= 0)
		close(outer);
	return err;
}

/* Does a line of @said come from snug and tell something? */
static bool gives_reason(const char *said)
{
	const char *p = strstr(said, "snug: ");
	for (; p; p = strstr(p + 1, "snug: "))
		if ((p == said || p[-1] == '\n') && strcspn(p + 6, "\n") > 8 && strncmp(p + 6, "audit: watching", 15) != 0)
			return true;
	return false;
}

/* The recording that was kept: does it know of the file that the command read, or say that it does not know all? */
static bool recording_honest(struct test *t, const char *said)
{
	const char *all = slurp(t, FMT("%s/state/snug/runs/last/report.json", t->dir));
	return strstr(said, "secret") || strstr(said, "incomplete") || strstr(all, "secret") || strstr(all, "incomplete");
}

/* What is wrong about the run @r, or NULL. */
static const char *wrong(struct test *t, const struct scenario *s, const struct trial *r, const char *said, const char *ran)
{
	static const char whole[] = "whole\n", shut[] = "confined\n";
	int nr = r->fail ? r->fail->nr : -1;
	if (r->hung)
		return "hangs";
	if (r->left)
		return "processes are left";
	if (ran[0] && strcmp(ran, s->audit ? whole : shut) != 0)
		return s->audit ? "the command's work is not what it was" : "the command ran, and not confined";
	if (r->code == 125 && (gives_reason(said) || nr == SYS_write || nr == SYS_writev))
		return NULL;
	if (ran[0] && !r->code)
		return s->audit && !recording_honest(t, said) ? "the recording misses what was read and does not say so" : NULL;
	if (!ran[0] && (r->code == 126 || r->code == 127) && nr == SYS_execve && gives_reason(said))
		return NULL;
	if (ran[0])
		return "another status than 0 and 125 with a reason, after the command";
	return r->code == 125 ? "no reason is given" : "the command did not run, and the status is not 125";
}

static void tell(const struct fault *f, const struct trial *r, const char *what, const char *said, const char *ran)
{
	printf("# %s: %s in process %s, number %u, errno %s: status %d%s\n", what, call_name(f->nr), f->who, f->nth, strerrorname_np(r->err),
	       r->code, r->hit ? "" : ", not reached");
	for (int i = 0; i < 2; i++)
		for (const char *p = i ? ran : said; *p; p += strcspn(p, "\n"), p += *p == '\n')
			printf("#   %s %.*s\n", i ? "ran |" : "said|", (int)strcspn(p, "\n"), p);
}

static void fail_one(struct test *t, const struct scenario *s, const struct fault *f, const char *before)
{
	OWN(str) now = { 0 };
	struct trial r = { .fail = f, .err = t->err ? t->err : errno_for(f->nr) };
	if (try(t, s, &r) < 0) {
		printf("# cannot trace\n");
		t->bad++;
		return;
	}
	const char *said = slurp(t, r.out), *ran = slurp(t, FMT("%s/proj/ran", t->dir));
	remains(t, &now);
	const char *what = wrong(t, s, &r, said, ran);
	if (!what && strcmp(before, str_c(&now)) != 0)
		what = "something is left behind";
	t->tried++;
	t->ran += ran[0] != 0;
	t->shut += !ran[0];
	t->bad += what != NULL;
	if (what || t->verbose)
		tell(f, &r, what ? what : "fine", said, ran);
	if (what && strcmp(before, str_c(&now)) != 0)
		printf("# before:\n%s# after:\n%s", t->verbose ? before : "", t->verbose ? str_c(&now) : "");
}

/*
 * A share of all. By default of each call of a process the first, and for what most scenarios have in common a third of
 * those; with a large share also the last.
 */
static bool drawn(const struct test *t, const struct scenario *s, const struct trial *r, size_t i)
{
	const struct fault *f = &r->list[i];
	size_t no = (size_t)(s - scenarios);
	bool last = true, first = f->nth == 1 && t->share < 1000 && (!no || (t->share < 100) || (size_t)f->nr % 3 == no % 3);
	if (t->only && strcmp(t->only, call_name(f->nr)) != 0)
		return false;
	for (size_t k = i + 1; last && k < r->n; k++)
		last = r->list[k].nr != f->nr || strcmp(r->list[k].who, f->who) != 0;
	return t->share <= 1 || first || (last && t->share < 100) || (i * 7919) % t->share == 0;
}

static bool run_scenario(struct test *t, const struct scenario *s)
{
	OWN(str) before = { 0 };
	struct trial base = { .want_list = true };
	t->tried = t->shut = t->ran = t->bad = 0;
	/* once for what a first run makes */
	if (!prepare(t, s) || try(t, s, &base) < 0 || try(t, s, &base) < 0)
		return false;
	const char *said = slurp(t, base.out), *ran = slurp(t, FMT("%s/proj/ran", t->dir));
	const char *what = base.code ? "fails as it is" : !ran[0] ? "did nothing" : wrong(t, s, &base, said, ran);
	if (what) {
		printf("# without any fault: %s (status %d)\n# %s\n# %s\n", what, base.code, said, ran);
		return false;
	}
	remains(t, &before);
	for (size_t i = 0; i < base.n; i++)
		if (drawn(t, s, &base, i))
			fail_one(t, s, &base.list[i], str_c(&before));
	printf("# %s: %zu calls, %zu tried: %zu ended it, %zu did not matter\n", s->name, base.n, t->tried, t->shut, t->ran);
	free(base.list);
	return t->tried && (t->shut || t->only) && !t->bad;
}

static void remove_tree(const char *dir)
{
	pid_t pid = fork();
	if (!pid) {
		execl("/bin/rm", "rm", "-rf", dir, (char *)NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

static int usage(void)
{
	fprintf(stderr, "usage: faults [--share N] [--scenario N] [--call NAME] [--errno N] [--verbose] [SNUG]\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct test t = { .share = getenv("SNUG_LONG") ? 1 : 100 };
	size_t one = 0;
	char self[4096], dir[4096];
	const char *base = getenv("TMPDIR");
	if (!base)
		base = access("/srv", W_OK) ? "/var/tmp" : "/srv";
	snprintf(dir, sizeof(dir), "%s/faultsXXXXXX", base);
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		if (!strcmp(argv[i], "--share"))
			t.share = (unsigned)atoi(value), i++;
		else if (!strcmp(argv[i], "--scenario"))
			one = (size_t)atoi(value), i++;
		else if (!strcmp(argv[i], "--call"))
			t.only = value, i++;
		else if (!strcmp(argv[i], "--errno"))
			t.err = atoi(value), i++;
		else if (!strcmp(argv[i], "--verbose"))
			t.verbose = true;
		else if (argv[i][0] == '-')
			return usage();
		else
			t.snug = argv[i];
	}
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0 || !mkdtemp(dir) || chmod(dir, 0755))
		return perror("faults"), 2;
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	if (!t.snug)
		t.snug = arena_fmt(&t.mem, "%s/../../snug", self);
	t.probe = realpath(arena_fmt(&t.mem, "%s/../targets/confined", self), NULL);
	t.snug = realpath(t.snug, NULL);
	t.dir = dir;
	t.in_tmp = !strncmp(dir, "/tmp/", 5) || !strncmp(dir, "/var/tmp/", 9);
	umask(022);
	/* what others mount and put into /tmp meanwhile is not ours to judge */
	if (!getuid() && (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	                  mount("faults", "/tmp", "tmpfs", 0, NULL) || mount("faults", "/dev/shm", "tmpfs", 0, NULL))) {
		printf("1..1\nok 1 - all of it # SKIP no mount namespace here\n");
		return 0;
	}
	int failed = 0, no = 0;
	printf("1..%zu\n", one ? 1 : LEN(scenarios));
	for (size_t i = 0; i < LEN(scenarios); i++) {
		if (one && one != i + 1)
			continue;
		bool ok = run_scenario(&t, &scenarios[i]);
		printf("%sok %d - %s: whatever call fails, nothing is open and nothing is left (%zu calls)\n", ok ? "" : "not ", ++no,
		       scenarios[i].name, t.tried);
		fflush(stdout);
		failed += !ok;
		remove_tree(dir);
		if (mkdir(dir, 0755))
			break;
	}
	rmdir(dir);
	arena_drop(&t.mem);
	return failed != 0;
}
