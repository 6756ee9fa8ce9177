#include "trace/tmem.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096, FIRST = 256, PIECES = 64 }; /* smallest page of any architecture; a larger one only means more steps */

static ssize_t step(pid_t tid, uint64_t addr, void *buf, size_t len)
{
	struct iovec to = { buf, len };
	struct iovec from = { (void *)(uintptr_t)addr, len };
	ssize_t n = process_vm_readv(tid, &to, 1, &from, 1, 0);
	if (n < 0)
		return -errno;
	return n;
}

static size_t to_page_end(uint64_t addr) { return PAGE - (size_t)(addr & (PAGE - 1)); }

ssize_t tmem_str(pid_t tid, uint64_t addr, char *buf, size_t size)
{
	size_t have = 0;
	while (have < size) {
		size_t want = MIN(to_page_end(addr + have), size - have);
		/* most names are short: the first step copies no whole page */
		if (!have)
			want = MIN(want, (size_t)FIRST);
		ssize_t n = step(tid, addr + have, buf + have, want);
		if (n <= 0)
			return n ? n : -EFAULT;
		char *end = memchr(buf + have, 0, (size_t)n);
		if (end)
			return end - buf;
		have += (size_t)n;
		if ((size_t)n < want)
			return -EFAULT;
	}
	return -ENAMETOOLONG;
}

ssize_t tmem_some(pid_t tid, uint64_t addr, void *buf, size_t len)
{
	size_t have = 0;
	while (have < len) {
		size_t want = MIN(to_page_end(addr + have), len - have);
		ssize_t n = step(tid, addr + have, (char *)buf + have, want);
		if (n < 0 && !have)
			return n;
		if (n <= 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

int tmem_read(pid_t tid, uint64_t addr, void *buf, size_t len)
{
	/* one step where it works: the usual structure lies in one piece of mapped memory */
	ssize_t n = len ? step(tid, addr, buf, len) : 0;
	if (n >= 0 && (size_t)n == len)
		return 0;
	n = tmem_some(tid, addr, buf, len);
	if (n < 0)
		return (int)n;
	return (size_t)n == len ? 0 : -EFAULT;
}

/* Up to half of PIECES places at once; the transfer stops at the first piece that is not mapped. */
static size_t gather(pid_t tid, const uint64_t *addr, size_t n, size_t each, char *buf, size_t *got)
{
	struct iovec to[PIECES], from[PIECES];
	size_t whose[PIECES], pieces = 0, take = MIN(n, (size_t)PIECES / 2);
	for (size_t i = 0; i < take; i++) {
		size_t first = MIN(to_page_end(addr[i]), each), sizes[] = { first, each - first }, at = 0;
		got[i] = 0;
		for (size_t k = 0; k < LEN(sizes) && sizes[k]; at += sizes[k++]) {
			to[pieces] = (struct iovec){ buf + i * each + at, sizes[k] };
			from[pieces] = (struct iovec){ (void *)(uintptr_t)(addr[i] + at), sizes[k] };
			whose[pieces++] = i;
		}
	}
	ssize_t have = process_vm_readv(tid, to, pieces, from, pieces, 0);
	size_t left = have > 0 ? (size_t)have : 0, at = 0;
	for (; at < pieces && left >= to[at].iov_len; left -= to[at++].iov_len)
		got[whose[at]] += to[at].iov_len;
	return at < pieces ? whose[at] + 1 : take;
}

void tmem_gather(pid_t tid, const uint64_t *addr, size_t n, size_t each, char *buf, size_t *got)
{
	for (size_t done = 0; done < n;)
		done += gather(tid, addr + done, n - done, each, buf + done * each, got + done);
}
