/* tmem.h - bytes and strings out of another thread's memory; never more than is mapped, never a cut string */
#pragma once

#include "base/base.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * tmem_str() - the NUL-terminated string at @addr of @tid, into @buf
 *
 * Read in steps that end at page borders, so that a string which ends at an unmapped page is found
 * (process_vm_readv(2) promises partial transfers only between its elements).
 *
 * Return: its length. -EFAULT: unmapped before the NUL; -ENAMETOOLONG: no NUL in @size bytes (the kernel
 * will say the same to the caller); -EPERM, -ESRCH: the memory cannot be read.
 */
ssize_t tmem_str(pid_t tid, uint64_t addr, char *buf, size_t size) MUST;

/* All @len bytes or -EFAULT, -EPERM, -ESRCH. */
int tmem_read(pid_t tid, uint64_t addr, void *buf, size_t len) MUST;

/* As many of @len bytes as are mapped from @addr on. Return: their number, or -errno. */
ssize_t tmem_some(pid_t tid, uint64_t addr, void *buf, size_t len) MUST;

/**
 * tmem_gather() - the first bytes of many places, with few calls
 * @buf: @each bytes for every one of @addr
 * @got: for each, how many of them were mapped
 */
void tmem_gather(pid_t tid, const uint64_t *addr, size_t n, size_t each, char *buf, size_t *got);
