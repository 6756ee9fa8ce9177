/* caller_fuzz.c - what callers pass by address; covers: trace/tmem.c trace/sockaddr.c trace/program.c trace/redact.c trace/envuse.c */
#include "base/str.h"
#include "trace/envuse.h"
#include "trace/program.h"
#include "trace/redact.h"
#include "trace/sockaddr.h"
#include "trace/tmem.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PAGE = 4096, ROOM = 8 * PAGE };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes right in front of a hole, read as a stranger's string: found, or not there, never cut. */
static void memory(const uint8_t *data, size_t size)
{
	static char *map;
	char buf[PATH_MAX];
	if (!map) {
		map = mmap(NULL, ROOM + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (map == MAP_FAILED || munmap(map + ROOM, PAGE))
			abort();
	}
	size = size < ROOM ? size : ROOM;
	char *at = map + ROOM - size;
	memcpy(at, data, size);
	ssize_t n = tmem_str(getpid(), (uint64_t)(uintptr_t)at, buf, sizeof(buf));
	const char *end = memchr(at, 0, size < sizeof(buf) ? size : sizeof(buf));
	if (end ? n != end - at || memcmp(buf, at, (size_t)n + 1) != 0 : n >= 0)
		abort();
	char all[ROOM];
	if (tmem_some(getpid(), (uint64_t)(uintptr_t)at, all, sizeof(all)) != (ssize_t)size && size)
		abort();
	if ((tmem_read(getpid(), (uint64_t)(uintptr_t)at, all, size) == 0) != true)
		abort();
	if (tmem_read(getpid(), (uint64_t)(uintptr_t)at, all, size + 1 > sizeof(all) ? sizeof(all) : size + 1) == 0 &&
	    size + 1 <= sizeof(all))
		abort();
}

/* Places that lie anywhere around the bytes, read together: each gives what it would alone. */
static void places(const uint8_t *data, size_t size)
{
	enum { N = 40, EACH = 64 };
	static uint8_t page[4 * PAGE];
	uint64_t at[N];
	size_t got[N], n = size < N ? size : N;
	char all[N * EACH], one[EACH];
	memcpy(page, data, size < sizeof(page) ? size : sizeof(page));
	for (size_t i = 0; i < n; i++)
		at[i] = data[i] < 16 ? data[i] : (uint64_t)(uintptr_t)page + data[i] * (size_t)61;
	tmem_gather(getpid(), at, n, EACH, all, got);
	for (size_t i = 0; i < n; i++) {
		ssize_t want = tmem_some(getpid(), at[i], one, EACH);
		if (got[i] != (want > 0 ? (size_t)want : 0) || memcmp(all + i * EACH, one, got[i]) != 0)
			abort();
	}
}

static void addresses(const uint8_t *data, size_t size)
{
	struct peer p;
	if (sockaddr_decode(&p, data, size) == 0 && (!memchr(p.text, 0, sizeof(p.text)) || p.family == FAM_NONE))
		abort();
	/* most bytes are no family: make the five that matter frequent */
	static const uint8_t families[] = { AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET };
	uint8_t copy[sizeof(struct sockaddr_storage)];
	if (size < 2)
		return;
	size = size < sizeof(copy) ? size : sizeof(copy);
	memcpy(copy, data, size);
	copy[0] = families[data[0] % sizeof(families)];
	copy[1] = 0;
	if (sockaddr_decode(&p, copy, size) == 0 && !memchr(p.text, 0, sizeof(p.text)))
		abort();
}

static void programs(const uint8_t *data, size_t size)
{
	struct shebang s;
	struct elf_note n;
	if (program_script(&s, data, size) > 0 && (!s.interpreter[0] || strpbrk(s.interpreter, " \t\n")))
		abort();
	(void)program_elf(&n, data, size);
}

/* Whatever the words: a value that must not stand there does not. */
static void words(const char *text)
{
	static const char *const env[] = { "A_TOKEN=s3cr3t", "X=valuable", "HOME=/home/u", "PATH=/usr/bin:/opt/x/bin",
	                                   "OPT=/opt/x", "CONF=/srv/conf/a", "PIP_CERT=/srv/ca.pem", "CURL_CA=/srv/ca.pem",
	                                   "N=12345", "YES=true", "X=twice", "LC_ALL=C", "=odd", "odd", NULL };
	static struct envuse use;
	OWN(redactor) r = { 0 };
	OWN(str) out = { 0 };
	if (redactor_add_env(&r, env) < 0)
		return;
	const char *nl = strchr(text, '\n');
	redact_arg(&r, &out, text, nl ? nl + 1 : NULL);
	if (strstr(str_c(&out), "s3cr3t"))
		abort();
	if (envuse_open(&use, env) == 0) {
		envuse_scan(&use, 1, text, strlen(text));
		envuse_word(&use, 1, "/bin/x", text);
		envuse_path(&use, 1, text, text);
		envuse_path(&use, 1, "/usr/bin/curl", text);
	}
	envuse_drop(&use);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	memory(data, size);
	places(data, size);
	addresses(data, size);
	programs(data, size);
	char *text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	words(text);
	free(text);
	return 0;
}
