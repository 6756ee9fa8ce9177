/* builtin_test.c - a built-in profile is the same whether it was read now or while building */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "profiles/builtin.h"
#include "profiles/stores.h"
#include "profiles/sysno.h"
#include "profiles/yaml_node.h"

#include <seccomp.h>
#include <stdlib.h>
#include <string.h>

static void same(const struct ynode *a, const struct ynode *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->plain, b->plain);
	assert_int_equal(a->flow, b->flow);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->col, b->col);
	assert_int_equal(a->end_line, b->end_line);
	assert_int_equal(a->end_col, b->end_col);
	assert_int_equal(a->n, b->n);
	if (a->kind == Y_SCALAR)
		assert_string_equal(a->text, b->text);
	for (size_t i = 0; i < a->n; i++) {
		assert_int_equal(a->items[i].key != NULL, b->items[i].key != NULL);
		if (a->items[i].key)
			same(a->items[i].key, b->items[i].key);
		same(a->items[i].value, b->items[i].value);
	}
}

static void the_tree_made_while_building_is_that_of_the_text(void **state)
{
	(void)state;
	for (const struct builtin *b = builtins; b->name; b++) {
		OWN(arena) a = { 0 };
		struct ynode *read = NULL;
		struct err e = { 0 };
		assert_int_equal(ynode_read(&read, &a, b->text, b->len, b->name, &e), 0);
		struct ynode *built = ynode_built(&a, b->nodes, b->nnodes, b->words);
		assert_non_null(built);
		same(read, built);
	}
}

static void both_ways_give_the_same_profile(void **state)
{
	(void)state;
	for (const struct builtin *b = builtins; b->name; b++) {
		OWN(profile) p = { 0 };
		OWN(profile) q = { 0 };
		struct err e = { 0 };
		assert_int_equal(profile_read(&p, b->text, b->len, "builtin:x", "builtin:x", &e), 0);
		assert_int_equal(builtin_read(&q, b, "builtin:x", &e), 0);
		assert_true(profile_equal(&p, &q));
		assert_string_equal(p.origin, q.origin);
	}
}

static void a_shadow_masks_every_credential_store(void **state)
{
	(void)state;
	static const char *const stores[] = {
#define STORE_ROW(path, risk, what, where) "~/" path,
		CREDENTIAL_STORES(STORE_ROW)
#undef STORE_ROW
	};
	OWN(profile) p = { 0 };
	struct err e = { 0 };
	const struct builtin *b = builtins;
	while (b->name && strcmp(b->name, "shadow") != 0)
		b++;
	assert_int_equal(builtin_read(&p, b, "builtin:shadow", &e), 0);
	for (size_t i = 0; i < LEN(stores); i++) {
		bool masked = false;
		for (size_t k = 0; k < p.mask.n && !masked; k++)
			masked = !strcmp(p.mask.items[k].path, stores[i]) ||
			         (!strncmp(p.mask.items[k].path, "{home}", 6) && !strcmp(p.mask.items[k].path + 6, stores[i] + 1));
		if (!masked)
			fail_msg("%s is not masked", stores[i]);
	}
}

static void built_ins_are_sorted(void **state)
{
	(void)state;
	for (const struct builtin *b = builtins; b[0].name && b[1].name; b++)
		assert_true(strcmp(b[0].name, b[1].name) < 0);
}

static void numbers_are_those_of_libseccomp(void **state)
{
	(void)state;
	for (int nr = 0; nr < 1024; nr++) {
		char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, nr);
		if (name)
			assert_int_equal(sysno(name), nr);
		free(name);
	}
	assert_int_equal(sysno("open_tree_attr"), 467);
	assert_int_equal(sysno("no_such_call"), SYSNO_UNKNOWN);
	assert_int_equal(sysno(""), SYSNO_UNKNOWN);
#if defined(__x86_64__)
	assert_true(sysno("vm86") < SYSNO_UNKNOWN); /* known, and not here */
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tree_made_while_building_is_that_of_the_text),
		cmocka_unit_test(both_ways_give_the_same_profile),
		cmocka_unit_test(a_shadow_masks_every_credential_store),
		cmocka_unit_test(built_ins_are_sorted),
		cmocka_unit_test(numbers_are_those_of_libseccomp),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
