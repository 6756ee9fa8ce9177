/* relay_http.h - HTTP/1.x heads and chunks: read strictly, written afresh; pure */
#pragma once

#include "enforce/relay_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct str;

enum { HTTP_HEAD_MAX = 65536, HTTP_FIELDS_MAX = 256, HTTP_CHUNK_LINE_MAX = 4096 };

/* Borrowed bytes, no NUL. */
struct http_span {
	const char *p;
	size_t len;
};

/* @drop: hop-by-hop, or written anew: not passed on as it is */
struct http_field {
	struct http_span name, value;
	bool drop;
};

/* How a body ends; RFC 9112 section 6 */
enum http_body { BODY_NONE, BODY_LENGTH, BODY_CHUNKED, BODY_EOF };

/**
 * struct http_head - a request's or a response's head; spans borrow the caller's bytes
 * @size:    bytes with the blank line
 * @minor:   of HTTP/1.x
 * @target:  request: origin-form of the target ("/a?b", "*"); empty for CONNECT
 * @host, @port, @kind: request: who is asked, from the authority; the Host field never decides
 * @close:   the sender will not keep the connection (HTTP/1.0 counts as such)
 * @upgrade: protocol asked for or agreed to, "" none; h2c is never passed on
 * @expect:  the client waits for an interim reply before it sends its body
 */
struct http_head {
	size_t size;
	int minor;
	struct http_span method, target, reason, upgrade;
	bool connect, close, expect;
	int status;
	enum name_kind kind;
	char host[NAME_MAX_BYTES];
	uint16_t port;
	enum http_body body;
	uint64_t length;
	struct http_field fields[HTTP_FIELDS_MAX];
	size_t nfields;
};

/**
 * http_head_end() - where the head at @p ends
 * @seen: bytes that were looked at before, 0 at first; kept by the caller, so that slow senders cost linear time
 *
 * Return: its size; 0: not there yet; -1: NUL, bare CR or LF inside, or longer than HTTP_HEAD_MAX.
 */
ssize_t http_head_end(const char *p, size_t len, size_t *seen);

/**
 * http_request() - parse a whole request head of @len bytes as http_head_end() found it
 * @why: set to static words when refused
 *
 * Return: 0, or the HTTP status to refuse it with (400, 501, 505).
 */
int http_request(struct http_head *out, const char *p, size_t len, const char **why);

/**
 * http_response() - parse a whole response head
 * @bodyless: the request was HEAD or CONNECT
 *
 * Return: 0, or 502.
 */
int http_response(struct http_head *out, const char *p, size_t len, bool bodyless, const char **why);

/**
 * http_write_request() - append the head as it goes to the origin, or to the next proxy
 * @absolute:    to a proxy: absolute-form
 * @credentials: value of Proxy-Authorization, or NULL
 */
void http_write_request(struct str *out, const struct http_head *h, bool absolute,
                        const char *credentials);

/**
 * http_write_response() - append the head as it goes to the client
 * @close: tell the client that the connection ends after this one
 */
void http_write_response(struct str *out, const struct http_head *h, int client_minor, bool close);

/* "host:port" with brackets where they belong; the port left out when it is @port_default. */
void http_write_authority(struct str *out, const char *host, enum name_kind kind, uint16_t port,
                          uint16_t port_default);

/**
 * struct http_chunks - place in a chunked body; zero is its start
 * @left: bytes of the present chunk; @trailer: bytes of trailer fields, which are dropped
 */
struct http_chunks {
	enum { CHUNK_SIZE, CHUNK_DATA, CHUNK_CRLF, CHUNK_TRAILER, CHUNK_DONE } at;
	uint64_t left;
	size_t trailer;
};

/**
 * http_chunks_next() - take the next piece of a chunked body
 * @data: the bytes of the body in it, maybe none
 *
 * Return: bytes taken of @p, 0 when more are needed (or the state is CHUNK_DONE), -1 malformed.
 */
ssize_t http_chunks_next(struct http_chunks *c, const char *p, size_t len, struct http_span *data);
