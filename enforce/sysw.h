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
