#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "trace/predict.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Objects in a directory of uid 10: what stands in the columns is all that matters. */
static struct object object(enum file_type type, uint32_t mode, uint32_t uid, uint32_t dir_mode)
{
	return (struct object){ .spelled = "o", .path = "/d/o", .dir = "/d", .type = type, .mode = mode, .uid = uid, .gid = 20,
	                        .dir_mode = dir_mode, .dir_uid = 10, .dir_gid = 20, .dev = 1, .ino = 5,
	                        .missing = type == FT_NONE };
}

static void the_outcome_of_calls_on_one_name(void **state)
{
	(void)state;
	const struct creds owner = { .uid = 10, .gid = 30 }, group = { .uid = 11, .gid = 20 }, other = { .uid = 12, .gid = 30 },
	                   root = { .dac = true, .search = true, .fowner = true };
	const struct {
		enum op op;
		uint32_t flags;
		enum file_type type;
		uint32_t mode, dir_mode;
		const struct creds *who;
		int want;
	} cases[] = {
		{ OP_OPEN, O_RDONLY, FT_FILE, 0400, 0755, &owner, 0 },
		{ OP_OPEN, O_RDONLY, FT_FILE, 0400, 0755, &other, EACCES },
		{ OP_OPEN, O_RDONLY, FT_FILE, 0040, 0755, &group, 0 },
		{ OP_OPEN, O_RDONLY, FT_FILE, 0044, 0755, &owner, EACCES },
		{ OP_OPEN, O_RDONLY, FT_FILE, 0000, 0755, &root, 0 },
		{ OP_OPEN, O_WRONLY, FT_FILE, 0444, 0755, &owner, EACCES },
		{ OP_OPEN, O_RDWR, FT_FILE, 0600, 0755, &owner, 0 },
		{ OP_OPEN, O_RDONLY | O_TRUNC, FT_FILE, 0400, 0755, &owner, EACCES },
		{ OP_OPEN, O_WRONLY, FT_DIR, 0755, 0755, &owner, EISDIR },
		{ OP_OPEN, O_RDONLY | O_CREAT, FT_DIR, 0755, 0755, &owner, EISDIR },
		{ OP_OPEN, O_DIRECTORY, FT_FILE, 0644, 0755, &owner, ENOTDIR },
		{ OP_OPEN, O_CREAT | O_EXCL, FT_FILE, 0644, 0755, &owner, EEXIST },
		{ OP_OPEN, O_NOFOLLOW, FT_LINK, 0777, 0755, &owner, ELOOP },
		{ OP_OPEN, O_RDONLY, FT_SOCK, 0777, 0755, &owner, ENXIO },
		{ OP_OPEN, O_RDONLY, FT_NONE, 0, 0755, &owner, ENOENT },
		{ OP_OPEN, O_CREAT, FT_NONE, 0, 0755, &owner, 0 },
		{ OP_OPEN, O_CREAT, FT_NONE, 0, 0755, &other, EACCES },
		{ OP_OPEN, O_TMPFILE | O_RDWR, FT_DIR, 0700, 0755, &owner, 0 },
		{ OP_OPEN, O_TMPFILE | O_RDWR, FT_FILE, 0700, 0755, &owner, ENOTDIR },
		{ OP_ACCESS, R_OK | X_OK, FT_FILE, 0500, 0755, &owner, 0 },
		{ OP_ACCESS, X_OK, FT_FILE, 0644, 0755, &root, EACCES },
		{ OP_ACCESS, X_OK, FT_DIR, 0600, 0755, &root, 0 },
		{ OP_STAT, 0, FT_FILE, 0000, 0755, &other, 0 },
		{ OP_STAT, O_DIRECTORY, FT_FILE, 0644, 0755, &other, ENOTDIR },
		{ OP_STAT, 0, FT_NONE, 0, 0755, &other, ENOENT },
		{ OP_READLINK, 0, FT_FILE, 0644, 0755, &owner, EINVAL },
		{ OP_READLINK, 0, FT_LINK, 0777, 0755, &owner, 0 },
		{ OP_CHDIR, 0, FT_FILE, 0777, 0755, &owner, ENOTDIR },
		{ OP_CHDIR, 0, FT_DIR, 0600, 0755, &owner, EACCES },
		{ OP_TRUNCATE, 0, FT_DIR, 0777, 0755, &owner, EISDIR },
		{ OP_CHMOD, 0, FT_FILE, 0777, 0755, &other, EPERM },
		{ OP_CHMOD, 0, FT_FILE, 0000, 0755, &owner, 0 },
		{ OP_MKDIR, 0, FT_NONE, 0, 0755, &owner, 0 },
		{ OP_MKDIR, 0, FT_NONE, 0, 0755, &group, EACCES },
		{ OP_MKDIR, 0, FT_FILE, 0, 0755, &group, EEXIST },
		{ OP_RMDIR, 0, FT_FILE, 0, 0755, &owner, ENOTDIR },
		{ OP_UNLINK, 0, FT_DIR, 0, 0755, &owner, EISDIR },
		{ OP_UNLINK, 0, FT_FILE, 0, 0777, &other, 0 },
		{ OP_UNLINK, 0, FT_FILE, 0, 01777, &other, EPERM },
		{ OP_UNLINK, 0, FT_FILE, 0, 01777, &owner, 0 },
		{ OP_EXEC, 0, FT_FILE, 0644, 0755, &owner, EACCES },
		{ OP_EXEC, 0, FT_FILE, 0755, 0755, &other, 0 },
		{ OP_EXEC, 0, FT_DIR, 0755, 0755, &other, EACCES },
		{ OP_EXEC, 0, FT_FILE, 0644, 0755, &root, EACCES },
	};
	struct predictor p = { 0 };
	for (size_t i = 0; i < LEN(cases); i++) {
		struct access a = { .op = cases[i].op, .flags = cases[i].flags,
		                    .obj[0] = object(cases[i].type, cases[i].mode, 10, cases[i].dir_mode) };
		enum outcome_source source;
		int got = predict(&p, &a, cases[i].who, &source);
		if (got != cases[i].want)
			fail_msg("case %zu: %s flags %o: %s", i, op_word(a.op), a.flags, strerror(got));
	}
}

static void the_outcome_of_calls_on_two_names(void **state)
{
	(void)state;
	const struct creds owner = { .uid = 10, .gid = 30 }, other = { .uid = 12, .gid = 30 };
	const struct {
		enum op op;
		uint32_t flags;
		enum file_type from, to;
		uint64_t to_dev;
		const struct creds *who;
		int want;
	} cases[] = {
		{ OP_RENAME, 0, FT_FILE, FT_NONE, 1, &owner, 0 },
		{ OP_RENAME, 0, FT_FILE, FT_NONE, 1, &other, EACCES },
		{ OP_RENAME, 0, FT_FILE, FT_NONE, 2, &owner, EXDEV },
		{ OP_RENAME, 0, FT_NONE, FT_NONE, 1, &owner, ENOENT },
		{ OP_RENAME, 0, FT_DIR, FT_FILE, 1, &owner, ENOTDIR },
		{ OP_RENAME, 0, FT_FILE, FT_DIR, 1, &owner, EISDIR },
		{ OP_RENAME, 1, FT_FILE, FT_FILE, 1, &owner, EEXIST },
		{ OP_RENAME, 2, FT_FILE, FT_NONE, 1, &owner, ENOENT },
		{ OP_RENAME, 2, FT_FILE, FT_DIR, 1, &owner, 0 },
		{ OP_LINK, 0, FT_FILE, FT_NONE, 1, &owner, 0 },
		{ OP_LINK, 0, FT_DIR, FT_NONE, 1, &owner, EPERM },
		{ OP_LINK, 0, FT_FILE, FT_FILE, 1, &owner, EEXIST },
		{ OP_LINK, 0, FT_FILE, FT_NONE, 2, &owner, EXDEV },
	};
	struct predictor p = { 0 };
	for (size_t i = 0; i < LEN(cases); i++) {
		struct access a = { .op = cases[i].op, .flags = cases[i].flags,
		                    .obj = { object(cases[i].from, 0755, 10, 0755), object(cases[i].to, 0755, 10, 0755) } };
		enum outcome_source source;
		a.obj[1].path = "/d/other";
		a.obj[1].dev = cases[i].to_dev;
		a.obj[1].ino = 6;
		int got = predict(&p, &a, cases[i].who, &source);
		if (got != cases[i].want)
			fail_msg("case %zu: %s", i, strerror(got));
	}
}

static void links_to_others_files_are_protected(void **state)
{
	(void)state;
	struct predictor p = { .protected_links = true };
	enum outcome_source source;
	struct creds other = { .uid = 12, .gid = 30 }, owner = { .uid = 10 };
	struct access a = { .op = OP_LINK, .obj = { object(FT_FILE, 0666, 10, 0777), object(FT_NONE, 0, 0, 0777) } };
	assert_int_equal(predict(&p, &a, &other, &source), 0);
	a.obj[0].mode = 0644;
	assert_int_equal(predict(&p, &a, &other, &source), EPERM);
	assert_int_equal(predict(&p, &a, &owner, &source), 0);
	a.obj[0].mode = 04666;
	assert_int_equal(predict(&p, &a, &other, &source), EPERM);
	p.protected_links = false;
	assert_int_equal(predict(&p, &a, &other, &source), 0);
}

static int refuses(void *arg, const char *path, int mode)
{
	(void)path;
	(void)mode;
	return *(int *)arg;
}

static void the_walk_and_the_kernel_have_the_last_word(void **state)
{
	(void)state;
	struct predictor p = { 0 };
	enum outcome_source source;
	struct creds c = { .uid = 10 }, strong = { .uid = 0, .search = true };
	struct access a = { .op = OP_STAT, .obj[0] = object(FT_FILE, 0644, 10, 0755) };
	a.obj[0].walk_err = ELOOP;
	assert_int_equal(predict(&p, &a, &c, &source), ELOOP);
	a.obj[0].walk_err = 0;
	a.obj[0].blocked = "/d";
	assert_int_equal(predict(&p, &a, &c, &source), EACCES);
	assert_int_equal(predict(&p, &a, &strong, &source), 0);
	a.obj[0].blocked = NULL;
	a.obj[0].type = FT_NONE;
	a.obj[0].missing = 2;
	a.op = OP_MKDIR;
	assert_int_equal(predict(&p, &a, &c, &source), ENOENT);
	a.obj[0].type = FT_UNKNOWN;
	a.obj[0].missing = 0;
	assert_int_equal(predict(&p, &a, &c, &source), 0);
	assert_int_equal(source, OUT_UNKNOWN);
	/* a read-only mount */
	int answer = EROFS;
	p = (struct predictor){ .may = refuses, .arg = &answer, .self = c };
	a = (struct access){ .op = OP_OPEN, .flags = O_WRONLY, .obj[0] = object(FT_FILE, 0644, 10, 0755) };
	assert_int_equal(predict(&p, &a, &c, &source), EROFS);
	/* others' ids are not the recorder's to ask for */
	struct creds someone = { .uid = 10, .gid = 77 };
	assert_int_equal(predict(&p, &a, &someone, &source), 0);
	/* an ACL may allow what the mode does not */
	answer = 0;
	a.obj[0].mode = 0;
	assert_int_equal(predict(&p, &a, &c, &source), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_outcome_of_calls_on_one_name),
		cmocka_unit_test(the_outcome_of_calls_on_two_names),
		cmocka_unit_test(links_to_others_files_are_protected),
		cmocka_unit_test(the_walk_and_the_kernel_have_the_last_word),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
