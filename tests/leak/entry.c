/* entry.c - the ways into the kernel that are no plain call: i386 and io_uring */
#include "leak.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

long int80(long nr, long a, long b, long c, long d)
{
#ifdef __x86_64__
	long r;
	__asm__ volatile("int $0x80" : "=a"(r) : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d) : "memory", "r8", "r9", "r10", "r11");
	return (int)r;
#else
	(void)nr, (void)a, (void)b, (void)c, (void)d;
	skip("no second architecture here");
#endif
}

long low(const char *s)
{
#ifdef __x86_64__
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (p == MAP_FAILED)
		skip("no low memory");
	strncpy(p, s, 4095);
	return (long)p;
#else
	return (long)s;
#endif
}

long uring_open(const char *path, int flags)
{
	struct io_uring_params p = { 0 };
	int ring = (int)syscall(SYS_io_uring_setup, 4, &p);
	if (ring < 0)
		return -errno;
	size_t sq_size = p.sq_off.array + p.sq_entries * sizeof(uint32_t);
	size_t cq_size = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
	char *sq = mmap(NULL, sq_size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	char *cq = mmap(NULL, cq_size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_CQ_RING);
	struct io_uring_sqe *sqe = mmap(NULL, p.sq_entries * sizeof(*sqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
	                                IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || sqe == MAP_FAILED)
		return -errno;
	sqe[0] = (struct io_uring_sqe){ .opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = (uintptr_t)path,
	                                .open_flags = (uint32_t)flags };
	((uint32_t *)(void *)(sq + p.sq_off.array))[0] = 0;
	__atomic_store_n((uint32_t *)(void *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		return -errno;
	return ((struct io_uring_cqe *)(void *)(cq + p.cq_off.cqes))[0].res;
}
