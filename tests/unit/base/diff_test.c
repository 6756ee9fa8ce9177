/* diff_test.c - unified differences */
#include "base/diff.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void differences_are_shown_with_three_lines_of_context(void **state)
{
	(void)state;
	static const struct { const char *a, *b, *want; } rows[] = {
		{ "a\nb\n", "a\nb\n", "" },
		{ "", "a\n", "--- x\n+++ y\n@@ -0,0 +1,1 @@\n+a\n" },
		{ "a\n", "", "--- x\n+++ y\n@@ -1,1 +0,0 @@\n-a\n" },
		{ "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
		  "--- x\n+++ y\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n" },
		{ "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n",
		  "--- x\n+++ y\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -9,4 +10,3 @@\n 9\n 10\n 11\n-12\n" },
		{ "a", "a\nb", "--- x\n+++ y\n@@ -1,1 +1,2 @@\n a\n+b\n" },
		{ "a\x1b[31m\n", "b\n", "--- x\n+++ y\n@@ -1,1 +1,1 @@\n-a\\x1b[31m\n+b\n" },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(str) s = { 0 };
		int r = diff_text(&s, rows[i].a, strlen(rows[i].a), rows[i].b, strlen(rows[i].b), "x", "y");
		assert_int_equal(r, rows[i].want[0] != '\0');
		assert_string_equal(str_c(&s), rows[i].want);
	}
}

/* Apply the diff's own lines to @a: every case must give @b. */
static void applying_a_difference_gives_the_other_text(void **state)
{
	(void)state;
	srand(7);
	for (int i = 0; i < 500; i++) {
		OWN(str) a = { 0 };
		OWN(str) b = { 0 };
		OWN(str) d = { 0 };
		OWN(str) got = { 0 };
		for (int j = rand() % 30; j > 0; j--)
			str_fmt(&a, "%c\n", 'a' + rand() % 4);
		for (int j = rand() % 30; j > 0; j--)
			str_fmt(&b, "%c\n", 'a' + rand() % 4);
		if (!diff_text(&d, str_c(&a), a.len, str_c(&b), b.len, "x", "y")) {
			assert_string_equal(str_c(&a), str_c(&b));
			continue;
		}
		const char *from = str_c(&a), *p = strstr(str_c(&d), "@@");
		size_t at = 1;
		while (p && *p) {
			size_t line, n;
			if (*p == '@') {
				line = strtoul(p + 4, NULL, 10);
				n = strtoul(strchr(p, ',') + 1, NULL, 10);
				for (; at < line + (n == 0); at++, from += 2)
					str_add_mem(&got, from, 2);
			} else {
				if (*p != '-')
					str_add_mem(&got, p + 1, 2);
				if (*p != '+') {
					assert_int_equal(p[1], from[0]);
					from += 2;
					at++;
				}
			}
			p = strchr(p, '\n') + 1;
		}
		str_add(&got, from);
		assert_string_equal(str_c(&got), str_c(&b));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_are_shown_with_three_lines_of_context),
		cmocka_unit_test(applying_a_difference_gives_the_other_text),
	};
	return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
