/* http_fuzz.c - heads and chunks of any bytes; covers: enforce/relay_http.c enforce/relay_head.c enforce/relay_chunk.c enforce/relay_name.c */
#include "base/base.h"
#include "base/str.h"
#include "enforce/relay_http.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The head's size however its bytes come. */
static ssize_t find_end(const char *p, size_t len, size_t first)
{
	size_t seen = 0, again = 0;
	ssize_t a = http_head_end(p, len, &seen);
	ssize_t b = http_head_end(p, first < len ? first : len, &again);
	if (b == 0)
		b = http_head_end(p, len, &again);
	if (a != b)
		abort();
	return a;
}

/* What we write, we read again, and it says the same. */
static void read_back(const struct http_head *h, bool absolute)
{
	OWN(str) out = { 0 };
	struct http_head again;
	size_t seen = 0;
	const char *why;
	http_write_request(&out, h, absolute, absolute ? "Basic YTpi" : NULL);
	ssize_t n = http_head_end(str_c(&out), out.len, &seen);
	if (out.len <= HTTP_HEAD_MAX && n != (ssize_t)out.len)
		abort();
	if (!absolute || out.len > HTTP_HEAD_MAX || h->nfields > HTTP_FIELDS_MAX - 8)
		return;
	if (http_request(&again, str_c(&out), out.len, &why) != 0 || strcmp(again.host, h->host) != 0 ||
	    again.port != h->port || again.body != h->body || again.length != h->length)
		abort();
}

static void chunks(const char *p, size_t len, size_t step)
{
	struct http_chunks c = { 0 };
	size_t have = 0, used = 0;
	while (have < len) {
		have += len - have < step ? len - have : step;
		for (;;) {
			struct http_span d;
			ssize_t n = http_chunks_next(&c, p + used, have - used, &d);
			if (n < 0)
				return;
			if (n == 0)
				break;
			if ((size_t)n > have - used || d.len > (size_t)n)
				abort();
			used += (size_t)n;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_head h;
	const char *why = NULL;
	if (size < 2)
		return 0;
	/* a copy of exact size, so that reading behind it is seen */
	char *p = malloc(size - 1);
	memcpy(p, data + 1, size - 1);
	size_t len = size - 1;
	ssize_t n = find_end(p, len, data[0]);
	if (n > 0) {
		int r = http_request(&h, p, (size_t)n, &why);
		if (r == 0 && !h.connect) {
			read_back(&h, false);
			read_back(&h, true);
		} else if (r != 0 && !why) {
			abort();
		}
		if (http_response(&h, p, (size_t)n, data[0] & 1, &why) == 0) {
			OWN(str) out = { 0 };
			size_t seen = 0;
			http_write_response(&out, &h, data[0] >> 1 & 1, data[0] >> 2 & 1);
			if (out.len <= HTTP_HEAD_MAX && http_head_end(str_c(&out), out.len, &seen) != (ssize_t)out.len)
				abort();
		}
	}
	chunks(p, len, (size_t)data[0] + 1);
	free(p);
	return 0;
}
