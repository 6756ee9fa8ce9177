#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "trace/hangs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put(const char *file, const char *text)
{
	FILE *f = fopen(file, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

#define LOCAL "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:40 / /home rw - tmpfs none rw\n"
#define NFS   "3 1 0:50 / /srv/far\\040away rw,noatime shared:7 master:1 - nfs4 host:/x rw\n"
#define FUSE  "4 1 0:60 / /mnt/old rw - fuse.sshfs host: rw\n"
#define MADE  "5 1 0:61 / /mnt/old/new rw - fuse.made none rw\n"
#define CTL   "6 1 0:70 / /sys/fs/fuse/connections rw - fusectl none rw\n"

enum how { AT_ONCE, ASKED, NEVER };

static enum how how(const struct hangs *h, const char *path)
{
	const struct hangpoint *at = hangs_at(h, path);
	return !at ? AT_ONCE : at->never ? NEVER : ASKED;
}

static void mounts_that_may_hang_are_told_from_those_that_cannot(void **state)
{
	char file[] = "/tmp/hangs-test.XXXXXX";
	struct hangs h = { 0 };
	(void)state;
	close(mkstemp(file));
	put(file, LOCAL CTL);
	assert_int_equal(hangs_open(&h, file), 0);
	assert_int_equal(h.n, 0);
	hangs_drop(&h);

	put(file, LOCAL NFS FUSE CTL);
	assert_int_equal(hangs_open(&h, file), 0);
	static const struct { const char *path; enum how before, after; } cases[] = {
		{ "/", AT_ONCE, AT_ONCE },
		{ "/srv", AT_ONCE, AT_ONCE },
		{ "/srv/far away", ASKED, ASKED },
		{ "/srv/far away/x", ASKED, ASKED },
		{ "/srv/far awayx", AT_ONCE, AT_ONCE },
		{ "/mnt/old/x", ASKED, ASKED },
		{ "/mnt/old/new/x", ASKED, NEVER }, /* served by the tree, which would wait for us */
		{ "/sys/fs/fuse/connections/1", AT_ONCE, AT_ONCE },
		{ "/home/x", AT_ONCE, AT_ONCE },
	};
	for (size_t i = 0; i < LEN(cases); i++)
		assert_int_equal(how(&h, cases[i].path), cases[i].before);
	/* in another mount namespace the numbers of the mounts differ, not those of the file systems */
	put(file, LOCAL NFS "104 1 0:60 / /mnt/old rw - fuse.sshfs host: rw\n" MADE CTL);
	assert_int_equal(hangs_read(&h, file), 0);
	for (size_t i = 0; i < LEN(cases); i++)
		assert_int_equal(how(&h, cases[i].path), cases[i].after);
	hangs_drop(&h);
	unlink(file);
}

static void when_the_root_does_not_answer_nothing_works_anyway(void **state)
{
	char file[] = "/tmp/hangs-test.XXXXXX";
	struct hangs h = { 0 };
	(void)state;
	close(mkstemp(file));
	put(file, "1 0 0:30 / / rw - 9p none rw\n");
	assert_int_equal(hangs_open(&h, file), 0);
	assert_int_equal(h.n, 0);
	hangs_drop(&h);
	unlink(file);
}

static void the_helper_answers_as_the_kernel_does(void **state)
{
	struct asker a = { 0 };
	struct stat st;
	char buf[64], dir[] = "/tmp/hangs-test.XXXXXX", file[64], link[64];
	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/f", dir);
	snprintf(link, sizeof(link), "%s/l", dir);
	put(file, "0123456789");
	assert_int_equal(symlink("f", link), 0);
	assert_int_equal(asker_ask(&a, &(struct question){ .what = ASK_LSTAT }, link, &st, NULL, 0), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(asker_ask(&a, &(struct question){ .what = ASK_STAT }, link, &st, NULL, 0), 0);
	assert_int_equal(st.st_size, 10);
	assert_int_equal(asker_ask(&a, &(struct question){ .what = ASK_READLINK }, link, NULL, buf, sizeof(buf)), 1);
	assert_int_equal(buf[0], 'f');
	assert_int_equal(asker_ask(&a, &(struct question){ .what = ASK_READ, .off = 4 }, link, NULL, buf, 3), 3);
	assert_memory_equal(buf, "456", 3);
	assert_int_equal(asker_ask(&a, &(struct question){ .what = ASK_READ }, dir, NULL, buf, 3), -ENOEXEC);
	assert_int_equal(asker_ask(&a, &(struct question){ .what = ASK_MAY, .arg = R_OK }, file, NULL, NULL, 0), 0);
	assert_int_equal(asker_ask(&a, &(struct question){ .what = ASK_COUNT, .arg = 9 }, dir, &st, NULL, 0), 0);
	assert_int_equal(st.st_size, 2);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(asker_ask(&a, &(struct question){ .what = ASK_LSTAT }, file, &st, NULL, 0), -ENOENT);
	assert_int_equal(a.overran, 0);
	asker_drop(&a);
	unlink(link);
	rmdir(dir);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(mounts_that_may_hang_are_told_from_those_that_cannot),
		cmocka_unit_test(when_the_root_does_not_answer_nothing_works_anyway),
		cmocka_unit_test(the_helper_answers_as_the_kernel_does),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
