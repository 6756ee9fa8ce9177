/* shadow_upper_test.c - an upper layer as overlayfs leaves it, made by hand: whiteouts, opaque directories, closed ones */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/shadow_upper.h"

#include "base/str.h"
#include "cli/copytree.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

struct place {
	char dir[64], low[80], base[80], up[96];
	struct shadow_top top;
};

static const char *in(const char *dir, const char *name)
{
	static char path[256];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void put(const char *dir, const char *name, const char *text)
{
	int f = open(in(dir, name), O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(f >= 0);
	assert_int_equal(write(f, text, strlen(text)), (ssize_t)strlen(text));
	close(f);
}

static void make(struct place *p)
{
	struct err e = { 0 };
	strcpy(p->dir, "/var/tmp/snug-upper-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->low, sizeof(p->low), "%s/low", p->dir);
	snprintf(p->base, sizeof(p->base), "%s/base", p->dir);
	snprintf(p->up, sizeof(p->up), "%s/upper", p->base);
	assert_int_equal(mkdir(p->low, 0750), 0);
	assert_int_equal(mkdir(in(p->low, "d"), 0700), 0);
	assert_int_equal(mkdir(in(p->low, "d/store"), 0700), 0);
	put(p->low, "d/store/key", "secret");
	put(p->low, "d/f", "old");
	put(p->low, "gone", "12345");
	p->top = (struct shadow_top){ .path = p->low, .base = p->base };
	assert_int_equal(upper_make(&p->top, &e), 0);
}

static void drop(struct place *p)
{
	struct err e = { 0 };
	assert_int_equal(copytree_remove(p->dir, &e), 0);
}

/* "new /a; removed /b" with the lower directory's name left out */
static void told(struct str *out, const struct place *p, const char *hidden)
{
	static const char *const words[] = { "same", "new", "changed", "replaced", "removed" };
	struct word w = { .text = hidden };
	const struct wordlist l = { &w, hidden ? 1 : 0 };
	OWN(shadow_list) list = { 0 };
	struct err e = { 0 };
	if (upper_read(&list, &p->top, &l, &l, &e) < 0)
		fail_msg("%s", e.msg);
	shadow_sort(&list);
	for (size_t i = 0; i < list.n; i++)
		str_fmt(out, "%s%s %s%s", i ? "; " : "", words[list.items[i].what], list.items[i].path + strlen(p->low),
		        list.items[i].store ? " store" : "");
}

static void what_is_hidden_from_the_start_is_no_change_and_its_parents_look_as_below(void **state UNUSED)
{
	struct place p;
	struct err e = { 0 };
	struct stat st;
	OWN(str) s = { 0 };
	char store[128];
	make(&p);
	snprintf(store, sizeof(store), "%s/d/store", p.low);
	assert_int_equal(upper_hide(&p.top, store, &e), 0);
	assert_int_equal(lstat(in(p.up, "d/store"), &st), 0);
	assert_true(S_ISCHR(st.st_mode) && st.st_rdev == 0);
	assert_int_equal(stat(in(p.up, "d"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(stat(p.up, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0750);
	told(&s, &p, store);
	assert_string_equal(str_c(&s), "");
	/* the command makes one of its own */
	assert_int_equal(unlink(in(p.up, "d/store")), 0);
	assert_int_equal(mkdir(in(p.up, "d/store"), 0700), 0);
	assert_int_equal(setxattr(in(p.up, "d/store"), "user.overlay.opaque", "y", 1, 0), 0);
	put(p.up, "d/store/mine", "x");
	told(&s, &p, store);
	assert_string_equal(str_c(&s), "replaced /d/store store; new /d/store/mine store");
	drop(&p);
}

static void a_directory_that_takes_a_store_away_counts_as_one(void **state UNUSED)
{
	struct place p;
	OWN(str) s = { 0 };
	char store[128];
	make(&p);
	snprintf(store, sizeof(store), "%s/d/store", p.low);
	assert_int_equal(mknod(in(p.up, "d"), S_IFCHR, makedev(0, 0)), 0);
	assert_int_equal(mknod(in(p.up, "gone"), S_IFCHR, makedev(0, 0)), 0);
	told(&s, &p, store);
	assert_string_equal(str_c(&s), "removed /d store; removed /gone");
	drop(&p);
}

static void merged_and_opaque_directories_and_closed_ones_are_read(void **state UNUSED)
{
	struct place p;
	OWN(str) s = { 0 };
	make(&p);
	assert_int_equal(mkdir(in(p.up, "d"), 0700), 0);
	put(p.up, "d/f", "newer");
	assert_int_equal(mkdir(in(p.up, "closed"), 0700), 0);
	put(p.up, "closed/x", "");
	assert_int_equal(chmod(in(p.up, "closed"), 0), 0);
	told(&s, &p, NULL);
	assert_string_equal(str_c(&s), "new /closed; new /closed/x; changed /d/f");
	str_clear(&s);
	assert_int_equal(setxattr(in(p.up, "d"), "user.overlay.opaque", "y", 1, 0), 0);
	told(&s, &p, NULL);
	assert_string_equal(str_c(&s), "new /closed; new /closed/x; replaced /d; new /d/f");
	drop(&p);
}

static void a_whiteout_of_nothing_and_links_that_lead_away_are_only_what_they_are(void **state UNUSED)
{
	struct place p;
	OWN(str) s = { 0 };
	make(&p);
	assert_int_equal(mknod(in(p.up, "never"), S_IFCHR, makedev(0, 0)), 0);
	assert_int_equal(symlink("/", in(p.up, "root")), 0);
	assert_int_equal(symlink("..", in(p.up, "d")), 0);
	told(&s, &p, NULL);
	assert_string_equal(str_c(&s), "replaced /d; new /root");
	drop(&p);
}

/* Such as the kernel would not leave: an upper layer is hostile all the same. */
static void a_tree_that_is_too_deep_is_an_error(void **state UNUSED)
{
	struct place p;
	OWN(shadow_list) list = { 0 };
	const struct wordlist none = { 0 };
	struct err e = { 0 };
	make(&p);
	int at = open(p.up, O_PATH | O_DIRECTORY);
	for (int i = 0; i < 450; i++) {
		assert_int_equal(mkdirat(at, "x", 0700), 0);
		int next = openat(at, "x", O_PATH | O_DIRECTORY);
		close(at);
		at = next;
	}
	close(at);
	assert_true(upper_read(&list, &p.top, &none, &none, &e) < 0);
	assert_non_null(strstr(e.msg, "directories deep"));
	char cmd[128];
	snprintf(cmd, sizeof(cmd), "rm -rf %s", p.dir);
	assert_int_equal(system(cmd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_hidden_from_the_start_is_no_change_and_its_parents_look_as_below),
		cmocka_unit_test(a_directory_that_takes_a_store_away_counts_as_one),
		cmocka_unit_test(merged_and_opaque_directories_and_closed_ones_are_read),
		cmocka_unit_test(a_whiteout_of_nothing_and_links_that_lead_away_are_only_what_they_are),
		cmocka_unit_test(a_tree_that_is_too_deep_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
