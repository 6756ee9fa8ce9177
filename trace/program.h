/* program.h - what the first bytes of an executable say about who will run it; pure */
#pragma once

#include "base/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel looks at this many bytes (include/uapi/linux/binfmts.h, BINPRM_BUF_SIZE). */
enum { PROGRAM_HEAD = 256, PROGRAM_LEVELS = 5, PROGRAM_WORD = 257 };

/* "#!" line: interpreter and its one optional argument, "" for none. */
struct shebang {
	char interpreter[PROGRAM_WORD], argument[PROGRAM_WORD];
};

/**
 * program_script() - read a "#!" line as fs/binfmt_script.c does
 * @head: the first @len bytes, at most PROGRAM_HEAD count; a shorter file is shorter
 * Return: 1 a script; 0 none; -ENOEXEC a "#!" without a usable interpreter.
 */
int program_script(struct shebang *out, const void *head, size_t len);

/* Where the name of the ELF interpreter stands in the file; size includes its NUL. */
struct elf_note {
	uint64_t offset, size;
	bool foreign; /* for another architecture than ours */
};

/**
 * program_elf() - find PT_INTERP
 * @head: the first @len bytes, headers included
 * Return: 1 found; 0 an ELF file without (static); -ENOEXEC no ELF file, or headers outside @head.
 */
int program_elf(struct elf_note *out, const void *head, size_t len);
