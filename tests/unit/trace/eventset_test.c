#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "trace/eventset.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

struct fixture {
	struct arena arena;
	struct eventset set;
};

static int setup(void **state)
{
	static struct fixture f;
	f = (struct fixture){ .set = { .arena = &f.arena, .limit = 100 } };
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	eventset_drop(&f->set);
	arena_drop(&f->arena);
	return 0;
}

static struct access reading(const char *path)
{
	return (struct access){ .op = OP_OPEN, .obj[0] = { .spelled = path, .path = path, .type = FT_FILE, .dir = "/d" } };
}

static void the_same_access_is_one_event_with_a_count(void **state)
{
	struct eventset *s = &((struct fixture *)*state)->set;
	struct access a = reading("/d/a"), b = reading("/d/b");
	assert_int_equal(eventset_add(s, 1, &a, 0, OUT_PREDICTED, 5), 1);
	assert_int_equal(eventset_add(s, 1, &b, 0, OUT_PREDICTED, 6), 1);
	assert_int_equal(eventset_add(s, 1, &a, 0, OUT_PREDICTED, 7), 0);
	/* how it was spelled and flags that say nothing about the object make no difference */
	a.obj[0].spelled = "../d/a";
	a.flags = O_CLOEXEC;
	assert_int_equal(eventset_add(s, 1, &a, 0, OUT_PREDICTED, 8), 0);
	assert_int_equal(s->n, 2);
	assert_int_equal(s->items[0].count, 3);
	assert_int_equal(s->items[0].first_ns, 5);
	assert_int_equal(s->items[1].seq, 2);
}

static void what_makes_a_difference_makes_another_event(void **state)
{
	struct eventset *s = &((struct fixture *)*state)->set;
	struct hop hop = { "/l", "d" };
	struct access a = reading("/d/a"), v = a;
	assert_int_equal(eventset_add(s, 1, &a, 0, OUT_PREDICTED, 0), 1);
	assert_int_equal(eventset_add(s, 2, &a, 0, OUT_PREDICTED, 0), 1);
	assert_int_equal(eventset_add(s, 1, &a, EACCES, OUT_PREDICTED, 0), 1);
	v.flags = O_WRONLY;
	assert_int_equal(eventset_add(s, 1, &v, 0, OUT_PREDICTED, 0), 1);
	v = a;
	v.op = OP_STAT;
	assert_int_equal(eventset_add(s, 1, &v, 0, OUT_PREDICTED, 0), 1);
	v = a;
	v.obj[0].hops = &hop;
	v.obj[0].nhops = 1;
	assert_int_equal(eventset_add(s, 1, &v, 0, OUT_PREDICTED, 0), 1);
	v = a;
	v.obj[0].type = FT_NONE;
	assert_int_equal(eventset_add(s, 1, &v, 0, OUT_PREDICTED, 0), 1);
	v = a;
	v.marks = MARK_NOFOLLOW;
	assert_int_equal(eventset_add(s, 1, &v, 0, OUT_PREDICTED, 0), 1);
	v = a;
	v.op = OP_SYMLINK;
	v.text = "x";
	assert_int_equal(eventset_add(s, 1, &v, 0, OUT_PREDICTED, 0), 1);
	v.text = "y";
	assert_int_equal(eventset_add(s, 1, &v, 0, OUT_PREDICTED, 0), 1);
	assert_int_equal(s->n, 10);
}

static void strings_are_copied_once(void **state)
{
	struct eventset *s = &((struct fixture *)*state)->set;
	char path[] = "/d/a";
	struct access a = reading(path);
	assert_int_equal(eventset_add(s, 1, &a, 0, OUT_PREDICTED, 0), 1);
	path[3] = 'b';
	assert_string_equal(s->items[0].acc.obj[0].path, "/d/a");
	assert_ptr_equal(s->items[0].acc.obj[0].path, s->items[0].acc.obj[0].spelled);
	assert_ptr_equal(eventset_str(s, "/d"), s->items[0].acc.obj[0].dir);
	assert_null(eventset_str(s, NULL));
}

static void beyond_the_limit_it_counts_what_is_lost(void **state)
{
	struct eventset *s = &((struct fixture *)*state)->set;
	char path[16];
	s->limit = 3;
	for (int i = 0; i < 5; i++) {
		path[0] = '/';
		path[1] = (char)('a' + i);
		path[2] = 0;
		struct access a = reading(path);
		assert_int_equal(eventset_add(s, 1, &a, 0, OUT_PREDICTED, 0), i < 3);
	}
	assert_int_equal(s->n, 3);
	assert_int_equal(s->lost, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_same_access_is_one_event_with_a_count, setup, teardown),
		cmocka_unit_test_setup_teardown(what_makes_a_difference_makes_another_event, setup, teardown),
		cmocka_unit_test_setup_teardown(strings_are_copied_once, setup, teardown),
		cmocka_unit_test_setup_teardown(beyond_the_limit_it_counts_what_is_lost, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
