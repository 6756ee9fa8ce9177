/* relay_chunk.c - the chunked transfer coding, read strictly; pure */
#include "enforce/relay_http.h"

#include <string.h>

/* A line at @p with its CRLF: its size; 0: not whole yet; -1: too long, or a control character or bare LF in it. */
static ssize_t line_size(const char *p, size_t len)
{
	for (size_t i = 0; i < len && i < HTTP_CHUNK_LINE_MAX; i++) {
		if (p[i] == '\n')
			return i > 0 && p[i - 1] == '\r' ? (ssize_t)(i + 1) : -1;
		if (i > 0 && p[i - 1] == '\r')
			return -1;
		if (((unsigned char)p[i] < 0x20 && p[i] != '\t' && p[i] != '\r') || p[i] == 0x7f)
			return -1;
	}
	return len < HTTP_CHUNK_LINE_MAX ? 0 : -1;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "1f" or "1f;extension" CRLF; extensions are dropped. */
static ssize_t take_size(struct http_chunks *c, const char *p, size_t len)
{
	ssize_t size = line_size(p, len);
	if (size <= 0)
		return size;
	uint64_t n = 0;
	ssize_t i = 0;
	for (; i < 15 && hex_value(p[i]) >= 0; i++)
		n = n * 16 + (uint64_t)hex_value(p[i]);
	if (i == 0 || (p[i] != ';' && p[i] != '\r'))
		return -1;
	c->left = n;
	c->at = n ? CHUNK_DATA : CHUNK_TRAILER;
	return size;
}

static ssize_t take_trailer(struct http_chunks *c, const char *p, size_t len)
{
	ssize_t size = line_size(p, len);
	if (size <= 0)
		return size;
	c->trailer += (size_t)size;
	if (c->trailer > HTTP_HEAD_MAX)
		return -1;
	if (size == 2)
		c->at = CHUNK_DONE;
	return size;
}

ssize_t http_chunks_next(struct http_chunks *c, const char *p, size_t len, struct http_span *data)
{
	*data = (struct http_span){ p, 0 };
	if (len == 0)
		return 0;
	switch (c->at) {
	case CHUNK_SIZE:
		return take_size(c, p, len);
	case CHUNK_DATA:
		data->len = len < c->left ? len : (size_t)c->left;
		c->left -= data->len;
		if (c->left == 0)
			c->at = CHUNK_CRLF;
		return (ssize_t)data->len;
	case CHUNK_CRLF:
		if (p[0] != '\r' || (len > 1 && p[1] != '\n'))
			return -1;
		if (len == 1)
			return 0;
		c->at = CHUNK_SIZE;
		return 2;
	case CHUNK_TRAILER:
		return take_trailer(c, p, len);
	case CHUNK_DONE:
		break;
	}
	return 0;
}
