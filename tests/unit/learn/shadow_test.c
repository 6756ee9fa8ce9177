/* shadow_test.c - an upper layer's objects to changes, and changes to steps */
#include "learn/shadow.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const struct layer none = { .type = FT_NONE };
static const struct layer file = { .type = FT_FILE, .mode = 0644, .size = 10, .time_ns = 5, .nlink = 1 };
static const struct layer dir = { .type = FT_DIR, .mode = 0755 };
static const struct layer gone = { .type = FT_CHR, .whiteout = true };

static void every_pair_of_layers_is_one_change(void **state UNUSED)
{
	struct layer newer = file, wider = dir, opaque = dir, link = { .type = FT_LINK, .text = "a" }, other = link;
	newer.time_ns++;
	wider.mode = 0777;
	opaque.opaque = true;
	other.text = "b";
	const struct {
		const struct layer *up, *low;
		enum shadow_what what;
	} rows[] = {
		{ &file, &none, SHADOW_NEW },      { &dir, &none, SHADOW_NEW },        { &opaque, &none, SHADOW_NEW },
		{ &file, &file, SHADOW_SAME },     { &newer, &file, SHADOW_CHANGED },  { &dir, &dir, SHADOW_SAME },
		{ &wider, &dir, SHADOW_CHANGED },  { &opaque, &dir, SHADOW_REPLACED }, { &file, &dir, SHADOW_REPLACED },
		{ &dir, &file, SHADOW_REPLACED },  { &gone, &file, SHADOW_REMOVED },   { &gone, &dir, SHADOW_REMOVED },
		{ &gone, &none, SHADOW_SAME },     { &link, &link, SHADOW_SAME },      { &other, &link, SHADOW_CHANGED },
		{ &link, &file, SHADOW_REPLACED }, { &opaque, &file, SHADOW_REPLACED },
	};
	for (size_t i = 0; i < LEN(rows); i++)
		if (shadow_judge(rows[i].up, rows[i].low) != rows[i].what)
			fail_msg("row %zu: %d", i, shadow_judge(rows[i].up, rows[i].low));
}

static void add(struct shadow_list *l, const char *path, const struct layer *up, const struct layer *low)
{
	assert_int_equal(shadow_add(l, path, up, low, strstr(path, "/.ssh") != NULL), 0);
}

static void a_directory_comes_before_what_is_in_it(void **state UNUSED)
{
	OWN(shadow_list) l = { 0 };
	add(&l, "/p/a-b", &file, &none);
	add(&l, "/p/a/x", &file, &none);
	add(&l, "/p/a", &dir, &none);
	add(&l, "/p/a.c", &file, &none);
	shadow_sort(&l);
	const char *const want[] = { "/p/a", "/p/a/x", "/p/a-b", "/p/a.c" };
	for (size_t i = 0; i < LEN(want); i++)
		assert_string_equal(l.items[i].path, want[i]);
}

static const struct shadow_step *step_at(const struct shadow_plan *p, const char *path, enum shadow_do what)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->items[i].what == what && strcmp(p->items[i].item->path, path) == 0)
			return &p->items[i];
	return NULL;
}

static void names_of_one_file_are_links_to_the_first_whatever_order_they_were_read_in(void **state UNUSED)
{
	OWN(shadow_list) l = { 0 };
	OWN(arena) a = { 0 };
	struct layer two = file, kept = file;
	struct shadow_plan p = { 0 };
	two.nlink = kept.nlink = 2;
	two.ino = 7;
	kept.ino = 8;
	add(&l, "/p/z", &two, &none);
	add(&l, "/p/b", &two, &none);
	add(&l, "/p/a-link", &kept, &none);
	add(&l, "/p/old", &kept, &file); /* copied up, and as before */
	shadow_sort(&l);
	assert_int_equal(shadow_plan(&p, &a, &l), 0);
	assert_non_null(step_at(&p, "/p/b", DO_FILE));
	assert_string_equal(step_at(&p, "/p/z", DO_LINK)->item->link, "/p/b");
	assert_string_equal(step_at(&p, "/p/a-link", DO_LINK)->item->link, "/p/old");
	assert_null(step_at(&p, "/p/old", DO_FILE));
}

static void a_plan_removes_before_it_makes_and_never_touches_a_store(void **state UNUSED)
{
	OWN(shadow_list) l = { 0 };
	OWN(arena) a = { 0 };
	struct shadow_plan p = { 0 };
	struct layer opaque = dir, sock = { .type = FT_SOCK }, newer = file, wider = dir;
	opaque.opaque = true;
	newer.time_ns++;
	wider.mode = 0700;
	add(&l, "/h/.ssh", &opaque, &dir);
	add(&l, "/h/.ssh/k", &file, &none);
	add(&l, "/p/d", &opaque, &dir);
	add(&l, "/p/d/f", &file, &none);
	add(&l, "/p/f", &newer, &file);
	add(&l, "/p/g", &gone, &file);
	add(&l, "/p/m", &wider, &dir);
	add(&l, "/p/s", &sock, &none);
	add(&l, "/p/t", &file, &dir);
	shadow_sort(&l);
	assert_int_equal(shadow_plan(&p, &a, &l), 0);
	const struct { const char *path; enum shadow_do what; } want[] = {
		{ "/h/.ssh", DO_SKIP }, { "/h/.ssh/k", DO_SKIP }, { "/p/d", DO_REMOVE }, { "/p/d", DO_DIR }, { "/p/d/f", DO_FILE },
		{ "/p/f", DO_FILE }, { "/p/g", DO_REMOVE }, { "/p/m", DO_MODE }, { "/p/s", DO_SKIP }, { "/p/t", DO_REMOVE },
		{ "/p/t", DO_FILE },
	};
	assert_int_equal(p.n, LEN(want));
	for (size_t i = 0; i < LEN(want); i++) {
		assert_string_equal(p.items[i].item->path, want[i].path);
		assert_int_equal(p.items[i].what, want[i].what);
	}
}

static void a_new_directory_stands_for_what_is_in_it_and_nothing_steers_a_terminal(void **state UNUSED)
{
	OWN(shadow_list) l = { 0 };
	OWN(str) s = { 0 };
	struct host h = { .home = "/h", .project = "/p" };
	struct layer big = file, torn = file, newer = file;
	big.size = 3 * 1024 * 1024;
	torn.nlink = 2;
	newer.time_ns++;
	add(&l, "/p/node_modules", &dir, &none);
	add(&l, "/p/node_modules/a", &dir, &none);
	add(&l, "/p/node_modules/a/b", &big, &none);
	add(&l, "/p/node_modules/c", &big, &none);
	add(&l, "/p/x\033[2J", &file, &none);
	add(&l, "/p/y", &newer, &torn);
	add(&l, "/h/old", &gone, &dir);
	shadow_sort(&l);
	shadow_text(&s, &l, &h, 0);
	assert_string_equal(str_c(&s), "  removed   ~/old/\n"
	                               "  new       {project}/node_modules/  2 files, 6.0 MiB\n"
	                               "  new       {project}/x\\x1b[2J  10 B\n"
	                               "  changed   {project}/y  10 B\n");
	assert_true(l.items[l.n - 1].torn);
	str_clear(&s);
	shadow_text(&s, &l, &h, 1);
	assert_string_equal(str_c(&s), "  removed   ~/old/\n  3 more\n");
}

static void sizes_have_one_decimal(void **state UNUSED)
{
	const struct { uint64_t bytes; const char *text; } rows[] = {
		{ 0, "0 B" }, { 1023, "1023 B" }, { 1024, "1.0 KiB" }, { 1536, "1.5 KiB" }, { 1048576, "1.0 MiB" },
		{ 5ULL << 30, "5.0 GiB" }, { 3ULL << 40, "3.0 TiB" },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(str) s = { 0 };
		shadow_size(&s, rows[i].bytes);
		assert_string_equal(str_c(&s), rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair_of_layers_is_one_change),
		cmocka_unit_test(a_directory_comes_before_what_is_in_it),
		cmocka_unit_test(names_of_one_file_are_links_to_the_first_whatever_order_they_were_read_in),
		cmocka_unit_test(a_plan_removes_before_it_makes_and_never_touches_a_store),
		cmocka_unit_test(a_new_directory_stands_for_what_is_in_it_and_nothing_steers_a_terminal),
		cmocka_unit_test(sizes_have_one_decimal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
