#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "learn/persist.h"

#include <fcntl.h>
#include <string.h>

static const char *kind_char(enum change_kind k)
{
	return k == CHANGE_MADE ? "+" : k == CHANGE_ALTERED ? "~" : "-";
}

/* "+/a ~/b -/c" */
static const char *told(struct arena *a, const struct changes *c)
{
	const char *s = "";
	for (size_t i = 0; i < c->n; i++)
		s = arena_fmt(a, "%s%s%s%s", s, i ? " " : "", kind_char(c->items[i].kind), c->items[i].path);
	return s;
}

static void put(struct listing *l, const char *path, enum file_type t, uint32_t mode, uint64_t size, int64_t when)
{
	const struct left item = { .path = path, .type = t, .mode = mode, .size = size, .time_ns = when };
	assert_int_equal(listing_add(l, &item), 0);
}

static void two_listings_differ_by_what_was_made_altered_and_removed(void **state)
{
	(void)state;
	OWN(listing) before = { 0 };
	OWN(listing) after = { 0 };
	OWN(arena) a = { 0 };
	struct changes c = { 0 };
	put(&before, "/p", FT_DIR, 0755, 1, 1);
	put(&before, "/p/same", FT_FILE, 0644, 1, 1);
	put(&before, "/p/touched", FT_FILE, 0644, 1, 1);
	put(&before, "/p/chmod", FT_FILE, 0644, 1, 1);
	put(&before, "/p/gone", FT_FILE, 0644, 1, 1);
	put(&before, "/p/dir", FT_DIR, 0755, 1, 1);
	put(&after, "/p", FT_DIR, 0755, 9, 9); /* a directory's time changes with its entries */
	put(&after, "/p/same", FT_FILE, 0644, 1, 1);
	put(&after, "/p/touched", FT_FILE, 0644, 1, 2);
	put(&after, "/p/chmod", FT_FILE, 0755, 1, 1);
	put(&after, "/p/new", FT_LINK, 0777, 1, 1);
	put(&after, "/p/dir", FT_FILE, 0755, 1, 1);
	listing_sort(&before);
	listing_sort(&after);
	assert_int_equal(changes_find(&c, &a, &before, &after), 0);
	assert_string_equal(told(&a, &c), "~/p/chmod ~/p/dir -/p/gone +/p/new ~/p/touched");
}

/* ---- recordings ---- */

static struct event *event(struct recording *r, enum op op, const char *path, enum file_type t)
{
	struct event *ev = recording_add_event(r);
	assert_non_null(ev);
	*ev = (struct event){ .seq = r->nevents, .count = 1, .acc = { .op = op } };
	ev->acc.obj[0] = (struct object){ .spelled = path, .path = path, .type = t };
	return ev;
}

static void recorded_accesses_tell_what_was_left_behind(void **state)
{
	(void)state;
	struct recording r = { 0 };
	OWN(arena) a = { 0 };
	struct changes c = { 0 };
	struct event *ev;
	event(&r, OP_STAT, "/h/read", FT_FILE);
	ev = event(&r, OP_OPEN, "/h/made", FT_NONE);
	ev->acc.flags = O_CREAT | O_WRONLY;
	ev->survives = true;
	ev = event(&r, OP_OPEN, "/h/temp", FT_NONE);
	ev->acc.flags = O_CREAT | O_WRONLY;
	event(&r, OP_UNLINK, "/h/temp", FT_FILE);
	ev = event(&r, OP_OPEN, "/h/log", FT_FILE);
	ev->acc.flags = O_WRONLY | O_APPEND;
	event(&r, OP_UNLINK, "/h/gone", FT_FILE);
	ev = event(&r, OP_MKDIR, "/h/denied", FT_NONE);
	ev->outcome = 13;
	ev = event(&r, OP_OPEN, "/h/conf.new", FT_NONE);
	ev->acc.flags = O_CREAT | O_WRONLY;
	ev = event(&r, OP_RENAME, "/h/conf.new", FT_FILE);
	ev->acc.obj[1] = (struct object){ .spelled = "/h/conf", .path = "/h/conf", .type = FT_FILE };
	ev->survives = true;
	ev = event(&r, OP_RENAME, "/h/x", FT_FILE);
	ev->acc.obj[1] = (struct object){ .spelled = "/h/y", .path = "/h/y", .type = FT_NONE };
	ev->survives = true;
	assert_int_equal(changes_recorded(&c, &a, &r), 0);
	assert_string_equal(told(&a, &c), "~/h/conf -/h/gone ~/h/log +/h/made -/h/x +/h/y");
	struct map absent = { 0 };
	assert_int_equal(absent_before(&absent, &r), 0);
	assert_non_null(map_find(&absent, "/h/made", 7));
	assert_non_null(map_find(&absent, "/h/temp", 7));
	assert_null(map_find(&absent, "/h/log", 6));
	assert_null(map_find(&absent, "/h/conf", 7));
	map_drop(&absent);
	recording_drop(&r);
}

/* ---- losses ---- */

static const struct {
	const char *want, *have, *lost; /* space-separated, as told() writes them; a path's tail ":0" is an empty file */
} losses[] = {
	{ "+/p/a", "+/p/a", "" },
	{ "+/p/a", "", "/p/a is not there" },
	{ "~/p/a", "", "/p/a is not changed" },
	{ "-/p/a", "", "/p/a is not removed" },
	{ "~/p/a", "-/p/a", "/p/a is removed" },
	{ "+/p/a", "+/p/a:0", "/p/a is empty" },
	{ "+/p/a:0", "+/p/a:0", "" },
	/* more is no loss */
	{ "", "+/p/a", "" },
	/* a name that changes from run to run */
	{ "+/p/log-1234.txt", "+/p/log-77.txt", "" },
	{ "+/p/tmpab12Xy", "+/p/tmpQ9zr3T", "" },
	{ "+/p/tmpoi__iwn9", "+/p/tmpx3jki_02", "" },
	{ "+/p/result", "+/p/errors", "/p/result is not there" },
	{ "+/p/result.json", "+/p/failure.json", "/p/result.json is not there" },
	{ "+/o/ab +/o/ab/0123456789abcdef0123", "+/o/cd/abcdef0123456789abcd", "" },
	{ "+/o/ab +/o/ab/0123456789abcdef0123", "", "/o/ab is not there, /o/ab/0123456789abcdef0123 is not there" },
	/* a number that does not: the other one stands for itself */
	{ "+/p/part1 +/p/part2", "+/p/part1", "/p/part2 is not there" },
	{ "+/p/x", "+/p/y", "/p/x is not there" },
};

static void parse(struct changes *out, struct arena *a, const char *text)
{
	char *copy = arena_str(a, text), *save = NULL;
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		char *empty = strstr(w, ":0");
		if (empty)
			*empty = 0;
		struct change *c = ARENA_PUSH(a, out, items, n);
		*c = (struct change){ .path = w + 1, .type = FT_FILE, .mode = 0644, .size = !empty,
		                      .kind = *w == '+' ? CHANGE_MADE : *w == '~' ? CHANGE_ALTERED : CHANGE_REMOVED };
	}
}

static void a_loss_is_what_one_run_left_and_the_other_did_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < LEN(losses); i++) {
		OWN(arena) a = { 0 };
		struct changes want = { 0 }, have = { 0 };
		struct losses lost = { 0 };
		const char *s = "";
		parse(&want, &a, losses[i].want);
		parse(&have, &a, losses[i].have);
		assert_int_equal(changes_lost(&lost, &a, &want, &have), 0);
		for (size_t k = 0; k < lost.n; k++)
			s = arena_fmt(&a, "%s%s%s is %s", s, k ? ", " : "", lost.items[k].path, lost.items[k].why);
		if (strcmp(s, losses[i].lost) != 0)
			fail_msg("want '%s' have '%s': '%s' instead of '%s'", losses[i].want, losses[i].have, s, losses[i].lost);
	}
}

static void another_mode_counts_unless_snug_made_the_file(void **state)
{
	(void)state;
	OWN(arena) a = { 0 };
	struct changes want = { 0 }, have = { 0 };
	struct losses lost = { 0 };
	parse(&want, &a, "+/p/a");
	parse(&have, &a, "+/p/a");
	have.items[0].mode = 0600;
	assert_int_equal(changes_lost(&lost, &a, &want, &have), 0);
	assert_int_equal(lost.n, 1);
	assert_string_equal(lost.items[0].why, "with another mode");
	want.items[0].any_mode = true;
	lost.n = 0;
	assert_int_equal(changes_lost(&lost, &a, &want, &have), 0);
	assert_int_equal(lost.n, 0);
}

static void scratch_places_are_no_state(void **state)
{
	(void)state;
	const struct host h = { .home = "/home/u", .cache = "/home/u/.cache", .tmp = "/scratch" };
	assert_true(persist_scratch(&h, "/tmp/x"));
	assert_true(persist_scratch(&h, "/scratch/x"));
	assert_true(persist_scratch(&h, "/home/u/.cache/x/y"));
	assert_false(persist_scratch(&h, "/home/u/.config/x"));
	assert_false(persist_scratch(&h, "/tmpx"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_listings_differ_by_what_was_made_altered_and_removed),
		cmocka_unit_test(recorded_accesses_tell_what_was_left_behind),
		cmocka_unit_test(a_loss_is_what_one_run_left_and_the_other_did_not),
		cmocka_unit_test(another_mode_counts_unless_snug_made_the_file),
		cmocka_unit_test(scratch_places_are_no_state),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
