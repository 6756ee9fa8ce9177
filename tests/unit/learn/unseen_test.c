/* unseen_test.c - which denied system calls a recording cannot tell of */
#include "learn/unseen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_denied_call_that_was_not_recorded_by_name_is_told(void **state)
{
	(void)state;
	struct event made[] = { { .acc = { .op = OP_MKDIR } } }, looked[] = { { .acc = { .op = OP_STAT } } };
	struct event host[] = { { .acc = { .op = OP_HOST } } };
	static const struct { const char *name; int which; bool told; } rows[] = {
		{ "mkdir", 0, true },  { "mkdirat", 0, true }, { "mkdir", 1, false }, { "mkdir", 2, true }, { "keyctl", 0, false },
		{ "chroot", 0, false }, { "fchmod", 1, true }, { "getpid", 1, true }, { "socket", 1, true }, { "openat", 1, true },
	};
	struct recording runs[] = { { .events = made, .nevents = 1 }, { .events = looked, .nevents = 1 },
	                            { .events = host, .nevents = 1 } };
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(arena) a = { 0 };
		const struct policy errno_pol = { .action = { .v = ACT_ERRNO } }, log_pol = { .action = { .v = ACT_LOG } };
		struct word deny = { .text = rows[i].name, .src = { .origin = "user:x", .line = 3 } };
		const char *why;
		assert_int_equal(unseen_call(&why, &a, &runs[rows[i].which], &errno_pol, &deny), 0);
		if ((why != NULL) != rows[i].told || (why && (!strstr(why, rows[i].name) || !strstr(why, "user:x:3"))))
			fail_msg("%s %d: %s", rows[i].name, rows[i].which, why ? why : "not told");
		/* logged is not denied, and what base denies is recorded */
		assert_int_equal(unseen_call(&why, &a, &runs[rows[i].which], &log_pol, &deny), 0);
		assert_null(why);
		deny.src.origin = "builtin:base";
		assert_int_equal(unseen_call(&why, &a, &runs[rows[i].which], &errno_pol, &deny), 0);
		assert_null(why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_denied_call_that_was_not_recorded_by_name_is_told) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
