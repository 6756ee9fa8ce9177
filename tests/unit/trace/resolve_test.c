#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "trace/recorder.h"
#include "trace/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A tree, and a child that stands in it and waits: the caller whose names are looked up. */
struct fixture {
	char root[64];
	pid_t child;
	struct tasks tasks;
	struct resolver names;
};

static void put(const char *dir, const char *name, const char *link)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (link)
		assert_int_equal(symlink(link, path), 0);
	else if (name[strlen(name) - 1] == '/')
		assert_int_equal(mkdir(path, 0755), 0);
	else
		close(open(path, O_CREAT | O_WRONLY, 0640));
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e;
	char path[256];
	int ready[2];
	assert_non_null(f);
	snprintf(f->root, sizeof(f->root), "/tmp/resolve-test.XXXXXX");
	assert_non_null(mkdtemp(f->root));
	chmod(f->root, 0755);
	put(f->root, "d/", NULL);
	put(f->root, "d/e/", NULL);
	put(f->root, "f", NULL);
	put(f->root, "d/g", NULL);
	put(f->root, "to_f", "f");
	put(f->root, "to_d", "d");
	snprintf(path, sizeof(path), "%s/to_d/e", f->root);
	put(f->root, "deep", path);
	put(f->root, "dangling", "none/x");
	put(f->root, "loop", "loop");
	put(f->root, "up", "d/../f");
	assert_int_equal(pipe(ready), 0);
	f->child = fork();
	if (!f->child) {
		char c = chdir(f->root) ? 'n' : 'y';
		int d = open("d", O_RDONLY | O_DIRECTORY), file = open("f", O_RDONLY);
		dup2(d, 50);
		dup2(file, 51);
		(void)!write(ready[1], &c, 1);
		pause();
		_exit(0);
	}
	char c = 0;
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(c, 'y');
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(tasks_open(&f->tasks, &e), 0);
	assert_int_equal(resolver_open(&f->names, &f->tasks), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];
	kill(f->child, SIGKILL);
	waitpid(f->child, NULL, 0);
	resolver_drop(&f->names);
	tasks_drop(&f->tasks);
	snprintf(command, sizeof(command), "rm -rf '%s'", f->root);
	(void)!system(command);
	free(f);
	return 0;
}

struct want {
	int dirfd;
	const char *name;
	unsigned how;
	const char *path; /* below the root; NULL: the root */
	enum file_type type;
	uint32_t missing;
	int walk_err;
	size_t hops;
};

static void check(struct fixture *f, const struct want *w)
{
	struct object o;
	uint32_t marks = 0;
	char path[512];
	uint64_t now = recorder_now();
	resolver_reset(&f->names, now);
	struct task *t = tasks_get(&f->tasks, f->child, now);
	assert_non_null(t);
	assert_int_equal(resolve_name(&f->names, t, w->dirfd, w->name, w->how, &o, &marks), 0);
	snprintf(path, sizeof(path), "%s%s%s", f->root, *w->path ? "/" : "", w->path);
	if (strcmp(o.path, path) || o.type != w->type || o.missing != w->missing || o.walk_err != w->walk_err || o.nhops != w->hops)
		fail_msg("%s: %s type %d missing %u err %d hops %zu", w->name, o.path, o.type, o.missing, o.walk_err, o.nhops);
}

static void names_are_walked_as_the_kernel_walks_them(void **state)
{
	enum { CWD = AT_FDCWD, F = RES_FOLLOW };
	static const struct want cases[] = {
		{ CWD, "f", F, "f", FT_FILE, 0, 0, 0 },
		{ CWD, "./f", F, "f", FT_FILE, 0, 0, 0 },
		{ CWD, ".", F, "", FT_DIR, 0, 0, 0 },
		{ CWD, "d//e/./", F, "d/e", FT_DIR, 0, 0, 0 },
		{ CWD, "d/e/..", F, "d", FT_DIR, 0, 0, 1 },
		{ CWD, "d/../f", F, "f", FT_FILE, 0, 0, 1 },
		{ CWD, "to_f", F, "f", FT_FILE, 0, 0, 1 },
		{ CWD, "to_f", 0, "to_f", FT_LINK, 0, 0, 0 },
		{ CWD, "to_d/", 0, "d", FT_DIR, 0, 0, 1 },
		{ CWD, "to_d/g", 0, "d/g", FT_FILE, 0, 0, 1 },
		/* ".." after a link is not textual */
		{ CWD, "deep/..", F, "d", FT_DIR, 0, 0, 3 },
		{ CWD, "deep/../g", F, "d/g", FT_FILE, 0, 0, 3 },
		{ CWD, "up", F, "f", FT_FILE, 0, 0, 2 },
		{ CWD, "dangling", F, "none/x", FT_NONE, 2, 0, 1 },
		{ CWD, "loop", F, "loop", FT_LINK, 0, ELOOP, 40 },
		{ CWD, "new", F, "new", FT_NONE, 1, 0, 0 },
		{ CWD, "new/a/b", F, "new/a/b", FT_NONE, 3, 0, 0 },
		{ CWD, "to_d/new", F, "d/new", FT_NONE, 1, 0, 1 },
		{ CWD, "f/", F, "f", FT_FILE, 0, ENOTDIR, 0 },
		{ CWD, "f/x", F, "f/x", FT_NONE, 2, ENOTDIR, 0 },
		{ CWD, "f/..", F, "f", FT_NONE, 2, ENOTDIR, 0 },
		{ CWD, "no/../f", F, "no", FT_NONE, 2, 0, 0 }, /* ENOENT: nothing is walked through */
		{ 50, "g", F, "d/g", FT_FILE, 0, 0, 0 },
		{ 50, "../f", F, "f", FT_FILE, 0, 0, 1 },
		{ 50, "", RES_EMPTY, "d", FT_DIR, 0, 0, 0 },
		{ 51, "", RES_EMPTY, "f", FT_FILE, 0, 0, 0 },
		{ 51, "x", F, "f/x", FT_NONE, 2, ENOTDIR, 0 },
		{ 50, "/g", F | RES_IN_ROOT, "d/g", FT_FILE, 0, 0, 0 },
		{ 50, "../../g", F | RES_IN_ROOT, "d/g", FT_FILE, 0, 0, 2 },
	};
	/* twice: the second time out of the cache */
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < LEN(cases); i++)
			check(*state, &cases[i]);
}

static void what_moved_is_looked_up_again(void **state)
{
	struct fixture *f = *state;
	char from[128], to[128];
	check(f, &(struct want){ AT_FDCWD, "d/e/x", RES_FOLLOW, "d/e/x", FT_NONE, 1, 0, 0 });
	snprintf(from, sizeof(from), "%s/d", f->root);
	snprintf(to, sizeof(to), "%s/moved", f->root);
	assert_int_equal(rename(from, to), 0);
	tasks_after(&f->tasks, tasks_get(&f->tasks, f->child, recorder_now()), AFTER_NAMES);
	check(f, &(struct want){ AT_FDCWD, "d/e/x", RES_FOLLOW, "d/e/x", FT_NONE, 3, 0, 0 });
	check(f, &(struct want){ 50, "g", RES_FOLLOW, "moved/g", FT_FILE, 0, 0, 0 });
	assert_int_equal(symlink("moved", from), 0);
	tasks_after(&f->tasks, tasks_get(&f->tasks, f->child, recorder_now()), AFTER_NAMES);
	check(f, &(struct want){ AT_FDCWD, "d/e", RES_FOLLOW, "moved/e", FT_DIR, 0, 0, 1 });
}

static void a_bad_descriptor_is_the_calls_own_error(void **state)
{
	struct fixture *f = *state;
	struct object o;
	uint32_t marks = 0;
	resolver_reset(&f->names, recorder_now());
	struct task *t = tasks_get(&f->tasks, f->child, recorder_now());
	assert_int_equal(resolve_name(&f->names, t, 77, "x", 0, &o, &marks), -EBADF);
	assert_int_equal(resolve_name(&f->names, t, -5, "x", 0, &o, &marks), -EBADF);
}

static void process_numbers_do_not_appear(void **state)
{
	struct fixture *f = *state;
	static const struct { const char *name, *path; } cases[] = {
		{ "/proc/self/status", "/proc/self/status" },
		{ "/proc/thread-self/stat", "/proc/self/task/self/stat" },
		{ "/proc/1/stat", "/proc/other/stat" },
		{ "/proc/self/cwd", "" },
		{ "/dev/fd/51", "/f" },
		{ "/proc/self/fd/50/g", "/d/g" },
	};
	for (size_t i = 0; i < LEN(cases); i++) {
		struct object o;
		uint32_t marks = 0;
		char path[256];
		resolver_reset(&f->names, recorder_now());
		struct task *t = tasks_get(&f->tasks, f->child, recorder_now());
		assert_int_equal(resolve_name(&f->names, t, AT_FDCWD, cases[i].name, RES_FOLLOW, &o, &marks), 0);
		snprintf(path, sizeof(path), "%s%s", strncmp(cases[i].path, "/proc", 5) ? f->root : "", cases[i].path);
		assert_string_equal(o.path, path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_are_walked_as_the_kernel_walks_them, setup, teardown),
		cmocka_unit_test_setup_teardown(what_moved_is_looked_up_again, setup, teardown),
		cmocka_unit_test_setup_teardown(a_bad_descriptor_is_the_calls_own_error, setup, teardown),
		cmocka_unit_test_setup_teardown(process_numbers_do_not_appear, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
