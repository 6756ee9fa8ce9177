/* sysw.h - system calls libc has no function for; private to enforce/ */
#pragma once

#include <linux/openat2.h>
#include <linux/sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int sys_openat2(int dir, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = { .flags = flags, .resolve = resolve };
	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

/* Linux 6.15; the number is the same on every architecture, asm-generic/unistd.h */
static inline int sys_open_tree_attr(int dir, const char *path, unsigned flags, void *attr, size_t size)
{
	return (int)syscall(467, dir, path, flags, attr, size);
}

static inline int sys_pivot_root(const char *root, const char *old)
{
	return (int)syscall(SYS_pivot_root, root, old);
}

static inline pid_t sys_clone3(struct clone_args *args)
{
	return (pid_t)syscall(SYS_clone3, args, sizeof(*args));
}

/*
 * A system call past libc: -errno is returned and libc's errno is not touched. For a process that shares our memory.
 */
static inline long sys_raw(long nr, long a, long b, long c)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = 0;
	long r;
	__asm__ volatile("syscall"
	                 : "=a"(r)
	                 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
	                 : "rcx", "r11", "memory");
	return r;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = 0;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
#else
#error "no system calls past libc for this architecture yet"
#endif
}
