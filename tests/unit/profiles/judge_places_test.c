#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/path.h"
#include "profiles/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A policy of the given places for one test. */
static void policy_of(struct policy *pol, struct place *places, size_t n)
{
	*pol = (struct policy){ .places = places, .nplaces = n, .uid = 1000, .gid = 1000, .home = "/home/u" };
	for (size_t i = 0; i < n; i++)
		*map_put(&pol->by_path, places[i].path, strlen(places[i].path), NULL) = (void *)(uintptr_t)(i + 1);
}

static struct access access_to(enum op op, uint32_t flags, const char *path, enum file_type type)
{
	static char dirs[2][256]; /* of two objects */
	static int turn;
	char *dir = dirs[turn++ & 1];
	struct access a = { .op = op, .flags = flags, .uid = 1000, .gid = 1000 };
	snprintf(dir, sizeof(dirs[0]), "%.*s", (int)path_parent_len(path), path);
	a.obj[0] = (struct object){ .spelled = path, .path = path, .type = type, .missing = type == FT_NONE, .dir = dir,
	                            .mode = 0755, .uid = 1000, .gid = 1000, .dir_mode = 0755, .dir_uid = 1000, .dir_gid = 1000 };
	return a;
}

static void says(const struct policy *pol, const struct host *h, struct made *m, struct access a, enum verdict v, int err)
{
	struct judgement j = policy_judge(pol, &a, h, m);
	if (j.verdict != v || j.err != err)
		fail_msg("%s %s: %s %s (%s), wanted %s %s", op_word(a.op), a.obj[0].path, verdict_word(j.verdict), strerror(j.err),
		         j.why, verdict_word(v), strerror(err));
	if (m)
		assert_int_equal(made_apply(m, pol, &a, &j), 0);
}

static void proc_is_covered_as_the_engine_covers_it(void **state)
{
	(void)state;
	struct place places[] = { { .kind = PLACE_PROC, .path = "/proc" } };
	struct policy pol;
	policy_of(&pol, places, LEN(places));
	says(&pol, NULL, NULL, access_to(OP_OPEN, O_RDONLY, "/proc/meminfo", FT_FILE), V_GRANTED, 0);
	says(&pol, NULL, NULL, access_to(OP_OPEN, O_RDONLY, "/proc/kcore", FT_FILE), V_MISSING, EACCES);
	says(&pol, NULL, NULL, access_to(OP_OPEN, O_WRONLY, "/proc/sys/kernel/x", FT_FILE), V_MISSING, EROFS);
	says(&pol, NULL, NULL, access_to(OP_OPEN, O_RDONLY, "/proc/sys/kernel/x", FT_FILE), V_GRANTED, 0);
	says(&pol, NULL, NULL, access_to(OP_OPEN, O_RDONLY, "/proc/kallsyms", FT_FILE), V_GRANTED, 0);
	pol.privileged = true; /* mode bits do not keep root out */
	says(&pol, NULL, NULL, access_to(OP_OPEN, O_RDONLY, "/proc/kallsyms", FT_FILE), V_MISSING, EACCES);
	map_drop(&pol.by_path);
}

static void what_failed_inside_is_not_there_later(void **state)
{
	(void)state;
	struct place places[] = { { .kind = PLACE_BIND, .path = "/p", .type = FT_DIR, .mode = BIND_RO } };
	struct policy pol;
	OWN(made) m = { 0 };
	policy_of(&pol, places, LEN(places));
	says(&pol, NULL, &m, access_to(OP_OPEN, O_CREAT | O_WRONLY, "/p/new", FT_NONE), V_MISSING, EROFS);
	says(&pol, NULL, &m, access_to(OP_STAT, 0, "/p/new", FT_FILE), V_MISSING, ENOENT);
	says(&pol, NULL, &m, access_to(OP_UNLINK, 0, "/p/old", FT_FILE), V_MISSING, EROFS);
	says(&pol, NULL, &m, access_to(OP_STAT, 0, "/p/old", FT_NONE), V_GRANTED, 0);
	/* what failed outside as well changes nothing */
	says(&pol, NULL, &m, access_to(OP_MKDIR, 0, "/p/there", FT_DIR), V_GRANTED, EEXIST);
	says(&pol, NULL, &m, access_to(OP_STAT, 0, "/p/there", FT_DIR), V_GRANTED, 0);
	map_drop(&pol.by_path);
}

static void a_file_is_made_where_the_link_is_absent(void **state)
{
	(void)state;
	struct place places[] = {
		{ .kind = PLACE_TMPFS, .path = "/home/u", .type = FT_DIR },
		{ .kind = PLACE_BIND, .path = "/home/u/d/f", .source = "/home/u/d/f", .type = FT_FILE, .mode = BIND_RO },
	};
	struct policy pol;
	OWN(made) m = { 0 };
	policy_of(&pol, places, LEN(places));
	struct hop hop = { "/home/u/l", "d/f" };
	struct access a = access_to(OP_OPEN, O_CREAT | O_WRONLY, "/home/u/d/f", FT_FILE);
	a.obj[0].hops = &hop;
	a.obj[0].nhops = 1;
	says(&pol, NULL, &m, a, V_PRIVATE, 0);
	says(&pol, NULL, &m, access_to(OP_READLINK, 0, "/home/u/l", FT_LINK), V_MISSING, EINVAL);
	a.flags = O_WRONLY;
	hop.path = "/home/u/other";
	says(&pol, NULL, &m, a, V_MISSING, ENOENT);
	map_drop(&pol.by_path);
}

static void mounts_of_the_host_show_below_a_bind(void **state)
{
	(void)state;
	struct place places[] = {
		{ .kind = PLACE_BIND, .path = "/p", .source = "/p", .type = FT_DIR, .mode = BIND_RW },
		{ .kind = PLACE_BIND, .path = "/t", .source = "/p", .type = FT_DIR, .mode = BIND_RW },
	};
	struct host_mount mounts[] = { { "/", "ext4", false }, { "/p/m", "tmpfs", false }, { "/p/ro", "tmpfs", true } };
	struct host h = { .mounts = mounts, .nmounts = LEN(mounts) };
	struct policy pol;
	policy_of(&pol, places, LEN(places));
	says(&pol, &h, NULL, access_to(OP_RMDIR, 0, "/p/m", FT_DIR), V_GRANTED, EBUSY);
	says(&pol, &h, NULL, access_to(OP_OPEN, O_WRONLY, "/p/ro/f", FT_FILE), V_GRANTED, EROFS);
	says(&pol, &h, NULL, access_to(OP_OPEN, O_WRONLY, "/p/m/f", FT_FILE), V_GRANTED, 0);
	/* what was recorded of /t is not what is shown there */
	says(&pol, &h, NULL, access_to(OP_OPEN, O_WRONLY, "/t/ro/f", FT_FILE), V_MISSING, ENOENT);
	struct access a = access_to(OP_RENAME, 0, "/p/f", FT_FILE);
	a.obj[1] = access_to(OP_RENAME, 0, "/p/m/f", FT_NONE).obj[0];
	says(&pol, &h, NULL, a, V_GRANTED, EXDEV);
	map_drop(&pol.by_path);
}

static void a_persistent_home_begins_empty_and_is_kept(void **state)
{
	(void)state;
	struct place places[] = { { .kind = PLACE_BIND, .path = "/home/u", .source = "/keep", .type = FT_DIR, .mode = BIND_RW,
	                            .kept = true } };
	struct policy pol;
	OWN(made) m = { 0 };
	policy_of(&pol, places, LEN(places));
	says(&pol, NULL, &m, access_to(OP_STAT, 0, "/home/u/.npmrc", FT_FILE), V_MISSING, ENOENT);
	says(&pol, NULL, &m, access_to(OP_OPEN, O_CREAT | O_WRONLY, "/home/u/new", FT_NONE), V_GRANTED, 0);
	says(&pol, NULL, &m, access_to(OP_OPEN, O_RDONLY, "/home/u/new", FT_FILE), V_GRANTED, 0);
	map_drop(&pol.by_path);
}

static void a_device_bound_by_itself_stays_one(void **state)
{
	(void)state;
	struct place places[] = {
		{ .kind = PLACE_BIND, .path = "/data", .source = "/data", .type = FT_DIR, .mode = BIND_RW },
		{ .kind = PLACE_BIND, .path = "/data/dev", .source = "/data/dev", .type = FT_CHR, .mode = BIND_RW },
	};
	struct policy pol;
	policy_of(&pol, places, LEN(places));
	says(&pol, NULL, NULL, access_to(OP_OPEN, O_RDWR, "/data/dev", FT_CHR), V_GRANTED, 0);
	says(&pol, NULL, NULL, access_to(OP_OPEN, O_RDWR, "/data/other", FT_CHR), V_MISSING, EACCES);
	map_drop(&pol.by_path);
}

static void a_stub_over_a_bind_is_a_mount_of_its_own(void **state)
{
	(void)state;
	struct place places[] = {
		{ .kind = PLACE_BIND, .path = "/etc", .source = "/etc", .type = FT_DIR, .mode = BIND_RW },
		{ .kind = PLACE_STUB, .path = "/etc/passwd", .type = FT_FILE, .text = "" },
	};
	struct policy pol;
	policy_of(&pol, places, LEN(places));
	says(&pol, NULL, NULL, access_to(OP_OPEN, O_RDONLY, "/etc/passwd", FT_FILE), V_GRANTED, 0);
	says(&pol, NULL, NULL, access_to(OP_OPEN, O_WRONLY, "/etc/passwd", FT_FILE), V_MISSING, EROFS);
	says(&pol, NULL, NULL, access_to(OP_UNLINK, 0, "/etc/passwd", FT_FILE), V_MISSING, EBUSY);
	says(&pol, NULL, NULL, access_to(OP_EXEC, 0, "/etc/passwd", FT_FILE), V_MISSING, EACCES);
	map_drop(&pol.by_path);
}

static void a_directory_with_entries_is_not_removed(void **state)
{
	(void)state;
	struct place places[] = { { .kind = PLACE_TMPFS, .path = "/tmp", .type = FT_DIR } };
	struct policy pol;
	OWN(made) m = { 0 };
	policy_of(&pol, places, LEN(places));
	says(&pol, NULL, &m, access_to(OP_MKDIR, 0, "/tmp/d", FT_NONE), V_PRIVATE, 0);
	says(&pol, NULL, &m, access_to(OP_MKDIR, 0, "/tmp/e", FT_NONE), V_PRIVATE, 0);
	says(&pol, NULL, &m, access_to(OP_OPEN, O_CREAT | O_WRONLY, "/tmp/d/f", FT_NONE), V_PRIVATE, 0);
	says(&pol, NULL, &m, access_to(OP_RMDIR, 0, "/tmp/d", FT_DIR), V_MISSING, ENOTEMPTY);
	struct access a = access_to(OP_RENAME, 0, "/tmp/e", FT_DIR);
	a.obj[1] = access_to(OP_RENAME, 0, "/tmp/d", FT_DIR).obj[0];
	says(&pol, NULL, &m, a, V_MISSING, ENOTEMPTY);
	says(&pol, NULL, &m, access_to(OP_UNLINK, 0, "/tmp/d/f", FT_FILE), V_PRIVATE, 0);
	says(&pol, NULL, &m, a, V_PRIVATE, 0);
	map_drop(&pol.by_path);
}

static void hosts_are_asked_of_the_proxy(void **state)
{
	(void)state;
	struct policy pol;
	policy_of(&pol, NULL, 0);
	struct err e = { 0 };
	struct host_rule rules[2];
	assert_int_equal(host_rule_parse(&rules[0], &pol.arena, ".example.org", &e), 0);
	assert_int_equal(host_rule_parse(&rules[1], &pol.arena, "bad.example.org:*", &e), 0);
	pol.allow_hosts = &rules[0];
	pol.deny_hosts = &rules[1];
	pol.nallow_hosts = pol.ndeny_hosts = 1;
	static const struct {
		enum net_mode mode;
		const char *name;
		uint16_t port;
		enum verdict verdict;
		int err, http;
	} rows[] = {
		{ NET_PROXY, "www.example.org:443", 443, V_GRANTED, 0, 0 },
		{ NET_PROXY, "www.example.org:22", 22, V_MISSING, EACCES, 403 },
		{ NET_PROXY, "bad.example.org:443", 443, V_DENIED, EACCES, 403 },
		{ NET_PROXY, "elsewhere.test:443", 443, V_MISSING, EACCES, 403 },
		{ NET_NONE, "www.example.org:443", 443, V_MISSING, ENETUNREACH, 0 },
		{ NET_HOST, "elsewhere.test:443", 443, V_GRANTED, 0, 0 },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		struct access a = { .op = OP_HOST, .port = rows[i].port };
		a.obj[0].spelled = rows[i].name;
		pol.network.v = rows[i].mode;
		struct judgement j = policy_judge(&pol, &a, NULL, NULL);
		assert_int_equal(j.verdict, rows[i].verdict);
		assert_int_equal(j.err, rows[i].err);
		assert_int_equal(j.http, rows[i].http);
	}
	arena_drop(&pol.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proc_is_covered_as_the_engine_covers_it),
		cmocka_unit_test(what_failed_inside_is_not_there_later),
		cmocka_unit_test(a_file_is_made_where_the_link_is_absent),
		cmocka_unit_test(mounts_of_the_host_show_below_a_bind),
		cmocka_unit_test(a_persistent_home_begins_empty_and_is_kept),
		cmocka_unit_test(a_device_bound_by_itself_stays_one),
		cmocka_unit_test(a_stub_over_a_bind_is_a_mount_of_its_own),
		cmocka_unit_test(a_directory_with_entries_is_not_removed),
		cmocka_unit_test(hosts_are_asked_of_the_proxy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
