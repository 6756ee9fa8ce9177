#include "trace/program.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

static bool blank(char c) { return c == ' ' || c == '\t'; }

int program_script(struct shebang *out, const void *head, size_t len)
{
	char buf[PROGRAM_HEAD + 1] = { 0 };
	memcpy(buf, head, MIN(len, (size_t)PROGRAM_HEAD));
	if (buf[0] != '#' || buf[1] != '!')
		return 0;
	char *end = memchr(buf, '\n', PROGRAM_HEAD), *last = buf + PROGRAM_HEAD;
	char *p = buf + 2;
	while (p < last && blank(*p))
		p++;
	if (!end) {
		/* without a line end in sight the interpreter must at least end, or its name may be cut */
		end = last - 1;
		char *q = p;
		while (q < last && *q && !blank(*q))
			q++;
		if (q == last)
			return -ENOEXEC;
	}
	while (end > p && blank(end[-1]))
		end--;
	*end = 0;
	if (p >= end || !*p)
		return -ENOEXEC;
	size_t n = strcspn(p, " \t");
	memcpy(out->interpreter, p, n);
	out->interpreter[n] = 0;
	p += n;
	while (blank(*p))
		p++;
	n = strlen(p);
	memcpy(out->argument, p, n + 1);
	return 1;
}

/* The same for both classes; the header was checked to fit. */
#define FIND_INTERP(bits)                                                                         \
	static int interp##bits(struct elf_note *out, const char *head, size_t len)               \
	{                                                                                         \
		Elf##bits##_Ehdr h;                                                               \
		if (len < sizeof(h))                                                              \
			return -ENOEXEC;                                                          \
		memcpy(&h, head, sizeof(h));                                                      \
		out->foreign = h.e_machine != NATIVE_MACHINE;                                     \
		if (h.e_phentsize != sizeof(Elf##bits##_Phdr))                                    \
			return -ENOEXEC;                                                          \
		for (unsigned i = 0; i < h.e_phnum; i++) {                                        \
			Elf##bits##_Phdr p;                                                       \
			uint64_t at = h.e_phoff + (uint64_t)i * sizeof(p);                        \
			if (at < h.e_phoff || at > len || len - at < sizeof(p))                   \
				return -ENOEXEC;                                                  \
			memcpy(&p, head + at, sizeof(p));                                         \
			if (p.p_type != PT_INTERP)                                                \
				continue;                                                         \
			out->offset = p.p_offset;                                                 \
			out->size = p.p_filesz;                                                   \
			return 1;                                                                 \
		}                                                                                 \
		return 0;                                                                         \
	}

#ifdef __x86_64__
#define NATIVE_MACHINE EM_X86_64
#else
#define NATIVE_MACHINE EM_AARCH64
#endif
FIND_INTERP(32)
FIND_INTERP(64)

int program_elf(struct elf_note *out, const void *head, size_t len)
{
	const unsigned char *id = head;
	*out = (struct elf_note){ 0 };
	if (len < EI_NIDENT || memcmp(id, ELFMAG, SELFMAG) != 0)
		return -ENOEXEC;
	if (id[EI_CLASS] == ELFCLASS32)
		return interp32(out, head, len);
	return id[EI_CLASS] == ELFCLASS64 ? interp64(out, head, len) : -ENOEXEC;
}
