#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "trace/tmem.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 4, PAGE = 4096 };

/* Three mapped pages with a hole behind them. */
static char *pages(void)
{
	char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(p != MAP_FAILED);
	munmap(p + (PAGES - 1) * PAGE, PAGE);
	memset(p, 'a', (PAGES - 1) * PAGE);
	return p;
}

static ssize_t str_at(const char *p, char *buf, size_t size)
{
	return tmem_str(getpid(), (uint64_t)(uintptr_t)p, buf, size);
}

static void a_string_is_read_wherever_it_ends(void **state)
{
	(void)state;
	char buf[PATH_MAX], *p = pages(), *end = p + (PAGES - 1) * PAGE;
	static const size_t lengths[] = { 0, 1, 5, 255, 256, 257, 4000, 4094, 4095 };
	for (size_t i = 0; i < LEN(lengths); i++) {
		memset(p, 'a', (PAGES - 1) * PAGE);
		/* the NUL is the last byte before the hole */
		end[-1] = 0;
		assert_int_equal(str_at(end - 1 - lengths[i], buf, sizeof(buf)), lengths[i]);
		assert_int_equal(strlen(buf), lengths[i]);
	}
	munmap(p, (PAGES - 1) * PAGE);
}

static void a_string_is_never_cut(void **state)
{
	(void)state;
	char buf[PATH_MAX], *p = pages(), *end = p + (PAGES - 1) * PAGE;
	assert_int_equal(str_at(p, buf, sizeof(buf)), -ENAMETOOLONG);
	assert_int_equal(str_at(end - 10, buf, sizeof(buf)), -EFAULT);
	assert_int_equal(str_at(end, buf, sizeof(buf)), -EFAULT);
	assert_int_equal(str_at(NULL, buf, sizeof(buf)), -EFAULT);
	munmap(p, (PAGES - 1) * PAGE);
}

static void structures_come_whole_or_not_at_all(void **state)
{
	(void)state;
	char buf[64], *p = pages(), *end = p + (PAGES - 1) * PAGE;
	pid_t me = getpid();
	assert_int_equal(tmem_read(me, (uint64_t)(uintptr_t)(p + PAGE - 32), buf, 64), 0);
	assert_int_equal(tmem_read(me, (uint64_t)(uintptr_t)(end - 32), buf, 64), -EFAULT);
	assert_int_equal(tmem_some(me, (uint64_t)(uintptr_t)(end - 32), buf, 64), 32);
	assert_int_equal(tmem_some(me, (uint64_t)(uintptr_t)end, buf, 64), -EFAULT);
	assert_int_equal(tmem_read(me, UINT64_MAX - 4, buf, 64), -EFAULT);
	munmap(p, (PAGES - 1) * PAGE);
}

static void many_places_come_as_far_as_they_are_mapped(void **state)
{
	(void)state;
	enum { EACH = 64, MANY = 100 };
	static char buf[MANY][EACH];
	char *p = pages(), *end = p + (PAGES - 1) * PAGE;
	uint64_t addr[MANY];
	size_t want[MANY], got[MANY];
	for (size_t i = 0; i < (PAGES - 1) * PAGE; i++)
		p[i] = (char)(i * 7 + i / 251);
	for (size_t i = 0; i < MANY; i++) {
		/* in a page, over its border, at the very end, up to the hole, in it, nowhere */
		const char *at[] = { p + i * 13, p + PAGE - i % EACH, end - EACH, end - i % EACH, end + i, (char *)16 };
		const size_t mapped[] = { EACH, EACH, EACH, i % EACH, 0, 0 };
		addr[i] = (uint64_t)(uintptr_t)at[i * 5 % LEN(at)];
		want[i] = mapped[i * 5 % LEN(at)];
	}
	tmem_gather(getpid(), addr, MANY, EACH, buf[0], got);
	for (size_t i = 0; i < MANY; i++) {
		assert_int_equal(got[i], want[i]);
		if (want[i])
			assert_memory_equal(buf[i], (const char *)(uintptr_t)addr[i], want[i]);
	}
	tmem_gather(getpid(), addr, 0, EACH, buf[0], got);
	munmap(p, (PAGES - 1) * PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_string_is_read_wherever_it_ends),
		cmocka_unit_test(a_string_is_never_cut),
		cmocka_unit_test(many_places_come_as_far_as_they_are_mapped),
		cmocka_unit_test(structures_come_whole_or_not_at_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
