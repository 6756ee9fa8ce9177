/* lean.c - a process that only waits from now on gives its pages back */
#include "enforce/lean.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static int give_back(struct dl_phdr_info *info, size_t size, void *page_size)
{
	const uintptr_t page = *(const uintptr_t *)page_size;
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		/* what is never written is the file's: it can be read again. What was relocated lies in a writable segment */
		if (p->p_type != PT_LOAD || p->p_flags & PF_W)
			continue;
		uintptr_t from = (info->dlpi_addr + p->p_vaddr) & ~(page - 1);
		uintptr_t to = (info->dlpi_addr + p->p_vaddr + p->p_memsz + page - 1) & ~(page - 1);
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): an address the loader tells. Where it does not work nothing is lost */
		(void)madvise((void *)from, to - from, MADV_DONTNEED);
	}
	return 1; /* the first is the program; libraries are shared with half the system */
}

void lean(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	dl_iterate_phdr(give_back, &page);
}
