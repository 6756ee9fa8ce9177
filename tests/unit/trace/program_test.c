#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "trace/program.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

static void a_first_line_is_read_as_the_kernel_reads_it(void **state)
{
	(void)state;
	const struct {
		const char *text;
		int want;
		const char *interpreter, *argument;
	} cases[] = {
		{ "", 0, "", "" },
		{ "#", 0, "", "" },
		{ "#!", -ENOEXEC, "", "" },
		{ "#!\n", -ENOEXEC, "", "" },
		{ "#!   \n", -ENOEXEC, "", "" },
		{ "#!/bin/sh", 1, "/bin/sh", "" },
		{ "#!/bin/sh\n", 1, "/bin/sh", "" },
		{ "#! /bin/sh \t\n", 1, "/bin/sh", "" },
		{ "#!/bin/sh -e\n", 1, "/bin/sh", "-e" },
		{ "#!/usr/bin/env  -S a b \nx", 1, "/usr/bin/env", "-S a b" },
		{ "#!/bin/sh\r\n", 1, "/bin/sh\r", "" },
		{ "echo\n", 0, "", "" },
	};
	for (size_t i = 0; i < LEN(cases); i++) {
		struct shebang s = { 0 };
		assert_int_equal(program_script(&s, cases[i].text, strlen(cases[i].text)), cases[i].want);
		assert_string_equal(s.interpreter, cases[i].interpreter);
		assert_string_equal(s.argument, cases[i].argument);
	}
}

static void a_line_that_does_not_end_in_sight_is_no_interpreter(void **state)
{
	(void)state;
	char text[400];
	struct shebang s;
	memset(text, 'x', sizeof(text));
	memcpy(text, "#!/", 3);
	assert_int_equal(program_script(&s, text, sizeof(text)), -ENOEXEC);
	/* a cut argument is accepted, as the kernel does */
	text[100] = ' ';
	assert_int_equal(program_script(&s, text, sizeof(text)), 1);
	assert_int_equal(strlen(s.interpreter), 98);
	assert_int_equal(strlen(s.argument), PROGRAM_HEAD - 1 - 101);
}

static void elf_interpreters_are_found(void **state)
{
	(void)state;
	struct { Elf64_Ehdr h; Elf64_Phdr p[2]; } f = { 0 };
	struct elf_note n;
	memcpy(f.h.e_ident, ELFMAG, SELFMAG);
	f.h.e_ident[EI_CLASS] = ELFCLASS64;
	f.h.e_machine = EM_X86_64;
	f.h.e_phoff = sizeof(f.h);
	f.h.e_phentsize = sizeof(Elf64_Phdr);
	f.h.e_phnum = 2;
	f.p[1].p_type = PT_INTERP;
	f.p[1].p_offset = 700;
	f.p[1].p_filesz = 28;
	assert_int_equal(program_elf(&n, &f, sizeof(f)), 1);
	assert_int_equal(n.offset, 700);
	assert_int_equal(n.size, 28);
	f.p[1].p_type = PT_LOAD;
	assert_int_equal(program_elf(&n, &f, sizeof(f)), 0);
	/* headers that lie outside, or wrap around */
	assert_int_equal(program_elf(&n, &f, sizeof(f) - 1), -ENOEXEC);
	f.h.e_phoff = UINT64_MAX - 8;
	assert_int_equal(program_elf(&n, &f, sizeof(f)), -ENOEXEC);
	assert_int_equal(program_elf(&n, "\x7f" "ELF", 4), -ENOEXEC);
	assert_int_equal(program_elf(&n, "", 0), -ENOEXEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_first_line_is_read_as_the_kernel_reads_it),
		cmocka_unit_test(a_line_that_does_not_end_in_sight_is_no_interpreter),
		cmocka_unit_test(elf_interpreters_are_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
