#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "profiles/policy.h"

#include <string.h>

/* A recording is read from a file that anybody may have written: whatever stands in it, the judge answers. */
static uint64_t state = 1;

static uint32_t draw(uint32_t n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(state >> 33) % n;
}

static char deep[9000];

static const char *path(void)
{
	static const char *const paths[] = {
		"/", "/usr", "/usr/x", "/usr/x/y", "/home/u", "/home/u/", "/home/u/a", "/home/u/a/b", "/home/u/p", "/home/u/p/m", "/home/u/p/m/n",
		"", "relative", "memfd:x", "deleted:/usr/x", "//", "/proc/self/fd/3", "/proc/other", "/proc/sys/x", "/proc/kcore/x", "/dev",
		"/dev/null", "/dev/null/x", "/dev/ptmx", "/dev/pts/0", "..", "/..", "/home/u/../p", "/home/u/c", "/usr/", "/proc/1", NULL,
	};
	uint32_t i = draw(sizeof(paths) / sizeof(paths[0]) + 1);
	return i < sizeof(paths) / sizeof(paths[0]) ? paths[i] : deep;
}

static const char *text(void)
{
	static const char *const texts[] = { "..", "", "/", "x", "../../..", "/usr/x", "a/b", "/home/u/p", "./.", "//x//" };
	return draw(20) ? texts[draw(sizeof(texts) / sizeof(texts[0]))] : deep;
}

static void fill(struct object *o, struct hop *hops)
{
	*o = (struct object){ .spelled = path(), .path = path(), .type = (enum file_type)draw(FT_BLK + 1), .mode = draw(010000),
	                      .uid = draw(3), .gid = draw(3), .dir = path(), .missing = draw(4) ? draw(3) : draw(1000),
	                      .dir_mode = draw(010000), .dir_uid = draw(3), .blocked = draw(3) ? NULL : path(),
	                      .walk_err = draw(4) ? 0 : (int)draw(50), .hops = hops, .nhops = draw(4) };
	for (size_t i = 0; i < o->nhops; i++) {
		hops[i].path = path();
		hops[i].text = text();
		if (!hops[i].path || !hops[i].path[0])
			hops[i].path = "/usr/x"; /* the reader refuses others */
	}
}

static void any_access_gets_an_answer_twice_the_same(void **s)
{
	(void)s;
	struct place places[] = {
		{ .kind = PLACE_BIND, .path = "/usr", .source = "/usr", .type = FT_DIR },
		{ .kind = PLACE_TMPFS, .path = "/home/u", .type = FT_DIR },
		{ .kind = PLACE_COPY, .path = "/home/u/c", .source = "/home/u/c", .type = FT_FILE },
		{ .kind = PLACE_LINK, .path = "/home/u/l", .text = "p" },
		{ .kind = PLACE_BIND, .path = "/home/u/p", .source = "/srv/q", .type = FT_DIR, .mode = BIND_RW },
		{ .kind = PLACE_MASK, .path = "/home/u/p/m", .type = FT_UNKNOWN },
		{ .kind = PLACE_PROC, .path = "/proc" },
		{ .kind = PLACE_DEV, .path = "/dev" },
		{ .kind = PLACE_STUB, .path = "/usr/x", .type = FT_FILE },
	};
	struct host_mount mounts[] = { { "/", "ext4", false }, { "/usr/x", "tmpfs", true }, { "/srv/q/m", "tmpfs", false } };
	struct host h = { .mounts = mounts, .nmounts = 3 };
	struct policy pol = { .places = places, .nplaces = sizeof(places) / sizeof(places[0]), .uid = 1, .network.v = NET_NONE };
	for (size_t i = 0; i < pol.nplaces; i++)
		*map_put(&pol.by_path, places[i].path, strlen(places[i].path), NULL) = (void *)(uintptr_t)(i + 1);
	memset(deep, 'a', sizeof(deep) - 1);
	for (size_t i = 0; i < sizeof(deep) - 1; i += 100)
		deep[i] = '/';
	OWN(made) m = { 0 };
	for (int i = 0; i < 200000; i++) {
		struct hop hops[2][4];
		struct access a = { .op = (enum op)draw(OP_COUNT), .family = (enum family)draw(FAM_OTHER + 1), .flags = draw(2) ? draw(8) : draw(1U << 31),
		                    .marks = draw(128), .uid = draw(3), .gid = draw(3), .caps = draw(2), .port = (uint16_t)draw(65536) };
		fill(&a.obj[0], hops[0]);
		fill(&a.obj[1], hops[1]);
		struct judgement j = policy_judge(&pol, &a, draw(2) ? &h : NULL, &m);
		assert_in_range(j.verdict, V_GRANTED, V_DENIED);
		assert_true(j.err >= 0);
		assert_non_null(j.why);
		if (j.verdict == V_MISSING || j.verdict == V_DENIED)
			assert_int_not_equal(j.err, 0);
		struct judgement again = policy_judge(&pol, &a, &h, &m), third = policy_judge(&pol, &a, &h, &m);
		assert_int_equal(again.verdict, third.verdict);
		assert_int_equal(again.err, third.err);
		assert_int_equal(made_apply(&m, &pol, &a, &j), 0);
		if (m.by_path.n > 500)
			made_drop(&m);
	}
	map_drop(&pol.by_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(any_access_gets_an_answer_twice_the_same) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
