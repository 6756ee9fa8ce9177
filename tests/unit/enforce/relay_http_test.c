/* relay_http_test.c - N10, N11, N12, N25: what is read, what is refused, what is written */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/base.h"
#include "base/str.h"
#include "enforce/relay_http.h"

#include <stdlib.h>
#include <string.h>

#define GET "GET http://a.test/x HTTP/1.1\r\n"
#define HOST "Host: a.test\r\n"
#define POST "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\n"

/* Head end and parse in one; -1 for a head that is not whole. */
static int request(struct http_head *h, const char *text, size_t len)
{
	size_t seen = 0;
	const char *why = NULL;
	ssize_t n = http_head_end(text, len, &seen);
	if (n == 0)
		return -1;
	if (n < 0)
		return 400;
	int r = http_request(h, text, (size_t)n, &why);
	assert_true((r != 0) == (why != NULL));
	return r;
}

static void requests_are_written_afresh(void **state)
{
	static const struct { const char *in, *want; } rows[] = {
		{ GET HOST "\r\n", "GET /x HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n" },
		{ "GET http://A.Test./x?y#z HTTP/1.1\r\n" HOST "\r\n", NULL },
		{ "GET HTTP://A.Test.:80?q=1 HTTP/1.1\r\nHost: other.test\r\n\r\n",
		  "GET /?q=1 HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n" },
		{ "GET http://a.test:8080 HTTP/1.1\r\nhost:a.test\r\nX: \t 1 \t\r\nEmpty:\r\n\r\n",
		  "GET / HTTP/1.1\r\nHost: a.test:8080\r\nX: 1\r\nEmpty: \r\nConnection: close\r\n\r\n" },
		{ "GET http://[::1]:80/ HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n" },
		{ "OPTIONS http://a.test HTTP/1.1\r\n" HOST "\r\n",
		  "OPTIONS * HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n" },
		{ GET HOST "Proxy-Authorization: Basic eDp5\r\nProxy-Connection: keep-alive\r\nKeep-Alive: 5\r\nTE: trailers\r\n"
		  "Connection: close, X-Mine\r\nX-Mine: 1\r\nx-yours: 2\r\nTrailer: X\r\n\r\n",
		  "GET /x HTTP/1.1\r\nHost: a.test\r\nx-yours: 2\r\nConnection: close\r\n\r\n" },
		{ POST "Content-Length: 0\r\n\r\n",
		  "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" },
		{ POST "content-length: 12\r\nExpect: 100-continue\r\n\r\n",
		  "POST / HTTP/1.1\r\nHost: a.test\r\nExpect: 100-continue\r\nContent-Length: 12\r\nConnection: close\r\n\r\n" },
		{ POST "Transfer-Encoding:  Chunked\r\n\r\n",
		  "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" },
		{ GET HOST "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		  "GET /x HTTP/1.1\r\nHost: a.test\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n" },
		{ GET HOST "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n\r\n",
		  "GET /x HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n" },
		{ GET HOST "Connection: Upgrade\r\nUpgrade: websocket, h2c\r\n\r\n",
		  "GET /x HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n" },
		{ GET HOST "Upgrade: websocket\r\n\r\n", "GET /x HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n" },
	};
	(void)state;
	for (size_t i = 0; i < LEN(rows); i++) {
		struct http_head h;
		OWN(str) out = { 0 };
		int r = request(&h, rows[i].in, strlen(rows[i].in));
		assert_int_equal(r, rows[i].want ? 0 : 400);
		if (!rows[i].want)
			continue;
		http_write_request(&out, &h, false, NULL);
		assert_string_equal(str_c(&out), rows[i].want);
	}
}

static void a_next_proxy_gets_the_whole_target_and_our_credentials(void **state)
{
	static const char in[] = "GET http://a.test:81/x HTTP/1.1\r\nHost: b\r\nProxy-Authorization: Basic mine\r\n\r\n";
	struct http_head h;
	OWN(str) out = { 0 };
	(void)state;
	assert_int_equal(request(&h, in, sizeof(in) - 1), 0);
	http_write_request(&out, &h, true, "Basic YTpi");
	assert_string_equal(str_c(&out), "GET http://a.test:81/x HTTP/1.1\r\nHost: a.test:81\r\n"
	                    "Proxy-Authorization: Basic YTpi\r\nConnection: close\r\n\r\n");
}

static void what_two_programs_could_read_differently_is_refused(void **state)
{
#define ROW(text) { text, sizeof(text) - 1 }
	static const struct { const char *p; size_t len; } rows[] = {
		ROW(POST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
		ROW(POST "Content-Length: 5\r\nContent-Length: 5\r\n\r\n"),
		ROW(POST "Content-Length: 5, 5\r\n\r\n"), ROW(POST "Content-Length: +5\r\n\r\n"),
		ROW(POST "Content-Length: -5\r\n\r\n"), ROW(POST "Content-Length: 5 5\r\n\r\n"),
		ROW(POST "Content-Length: 0x5\r\n\r\n"), ROW(POST "Content-Length:\r\n\r\n"),
		ROW(POST "Content-Length: 9999999999999999999\r\n\r\n"),
		ROW(POST "Transfer-Encoding: chunked\t\r\n\r\n"), ROW(POST "Transfer-Encoding:\tchunked\r\n\r\n"),
		ROW(POST "Transfer-Encoding: chunked \r\n\r\n"), ROW(POST "Transfer-Encoding: gzip, chunked\r\n\r\n"),
		ROW(POST "Transfer-Encoding: chunked, chunked\r\n\r\n"), ROW(POST "Transfer-Encoding: identity\r\n\r\n"),
		ROW(POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
		ROW(POST "Transfer-Encoding: xchunked\r\n\r\n"), ROW(POST "Transfer-Encoding : chunked\r\n\r\n"),
		ROW("POST http://a.test/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
		ROW(GET HOST "X: 1\r\n 2\r\n\r\n"), ROW(GET HOST "X: 1\r\n\t2\r\n\r\n"), ROW(GET " Host: a.test\r\n\r\n"),
		ROW(GET HOST "X : 1\r\n\r\n"), ROW(GET HOST ": 1\r\n\r\n"), ROW(GET HOST "X\r\n\r\n"), ROW(GET HOST "X y: 1\r\n\r\n"),
		ROW(GET HOST "X: a\nY: b\r\n\r\n"), ROW(GET HOST "X: a\rY: b\r\n\r\n"), ROW(GET HOST "X: a\0b\r\n\r\n"),
		ROW(GET HOST "X: a\r\r\n\r\n"), ROW("GET http://a.test/ HTTP/1.1\nHost: a.test\n\n"),
		ROW(GET HOST "X: a\x01" "b\r\n\r\n"), ROW(GET HOST "X: a\x7f\r\n\r\n"),
		ROW(GET HOST HOST "\r\n"), ROW(GET "\r\n"), ROW(GET HOST "Host: b.test\r\n\r\n"),
		ROW("GET / HTTP/1.1\r\n" HOST "\r\n"), ROW("GET a.test HTTP/1.1\r\n" HOST "\r\n"),
		ROW("GET https://a.test/ HTTP/1.1\r\n" HOST "\r\n"), ROW("GET ftp://a.test/ HTTP/1.1\r\n" HOST "\r\n"),
		ROW("GET http:///x HTTP/1.1\r\n" HOST "\r\n"), ROW("GET http://u:p@a.test/ HTTP/1.1\r\n" HOST "\r\n"),
		ROW("GET http://a.test:0/ HTTP/1.1\r\n" HOST "\r\n"), ROW("GET http://a.test\\@b.test/ HTTP/1.1\r\n" HOST "\r\n"),
		ROW("GET  http://a.test/ HTTP/1.1\r\n" HOST "\r\n"), ROW("GET http://a.test/ x HTTP/1.1\r\n" HOST "\r\n"),
		ROW("GET http://a.test/\x01 HTTP/1.1\r\n" HOST "\r\n"), ROW("GET\thttp://a.test/ HTTP/1.1\r\n" HOST "\r\n"),
		ROW("G(T http://a.test/ HTTP/1.1\r\n" HOST "\r\n"), ROW(" http://a.test/ HTTP/1.1\r\n" HOST "\r\n"),
		ROW("GET http://a.test/\r\n" HOST "\r\n"), ROW("GET http://a.test/ http/1.1\r\n" HOST "\r\n"),
		ROW("\r\n\r\n"), ROW("\n\n"),
		ROW("CONNECT a.test HTTP/1.1\r\n" HOST "\r\n"), ROW("CONNECT http://a.test:443 HTTP/1.1\r\n" HOST "\r\n"),
		ROW("CONNECT a.test:443/ HTTP/1.1\r\n" HOST "\r\n"), ROW("CONNECT a.test:443 HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\n"),
		ROW("CONNECT a.test:443 HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"),
		ROW("connect a.test:443 HTTP/1.1\r\n" HOST "\r\n"), /* methods are case-sensitive */
		ROW(GET HOST "Connection: host\r\n\r\n"), ROW(POST "Content-Length: 5\r\nConnection: Content-Length\r\n\r\n"),
		ROW(GET HOST "Connection: a b\r\n\r\n"),
	};
	(void)state;
	for (size_t i = 0; i < LEN(rows); i++) {
		struct http_head h;
		int r = request(&h, rows[i].p, rows[i].len);
		if (r != 400)
			fail_msg("answer %d to '%s'", r, rows[i].p);
	}
}

static void other_versions_are_505(void **state)
{
	struct http_head h;
	(void)state;
	assert_int_equal(request(&h, "PRI * HTTP/2.0\r\n\r\n", 18), 505);
	assert_int_equal(request(&h, "GET http://a/ HTTP/1.2\r\n\r\n", 26), 505);
}

static void a_head_is_bounded_in_bytes_and_lines(void **state)
{
	struct http_head h;
	OWN(str) s = { 0 };
	(void)state;
	str_add(&s, GET HOST "X: ");
	while (s.len < HTTP_HEAD_MAX - 4)
		str_add_char(&s, 'a');
	str_add(&s, "\r\n\r\n");
	assert_int_equal(s.len, HTTP_HEAD_MAX);
	assert_int_equal(request(&h, s.p, s.len), 0);
	str_cut(&s, HTTP_HEAD_MAX - 4);
	str_add(&s, "a\r\n\r\n");
	assert_int_equal(request(&h, s.p, s.len), 400);
	str_clear(&s);
	str_add(&s, GET HOST);
	for (int i = 0; i < HTTP_FIELDS_MAX - 1; i++)
		str_add(&s, "X: a\r\n");
	size_t full = s.len;
	str_add(&s, "\r\n");
	assert_int_equal(request(&h, s.p, s.len), 0);
	str_cut(&s, full);
	str_add(&s, "X: a\r\n\r\n");
	assert_int_equal(request(&h, s.p, s.len), 400);
}

static void a_head_ends_wherever_it_was_cut(void **state)
{
	static const char in[] = GET HOST "\r\nrest";
	(void)state;
	for (size_t cut = 0; cut < sizeof(in) - 1; cut++) {
		size_t seen = 0;
		ssize_t first = http_head_end(in, cut, &seen);
		assert_true(first == 0 || cut >= sizeof(in) - 5);
		if (first == 0)
			first = http_head_end(in, sizeof(in) - 1, &seen);
		assert_int_equal(first, sizeof(in) - 5);
	}
}

static void replies_say_how_they_end(void **state)
{
	static const struct { const char *in; bool bodyless; enum http_body body; uint64_t length; const char *out; } rows[] = {
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", false, BODY_LENGTH, 5, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false, BODY_CHUNKED, 0,
		  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" },
		{ "HTTP/1.0 200\r\nServer: x\r\n\r\n", false, BODY_EOF, 0, "HTTP/1.1 200 \r\nServer: x\r\n\r\n" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true, BODY_NONE, 5, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" },
		{ "HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n", false, BODY_NONE, 5, "HTTP/1.1 204 No\r\n\r\n" },
		{ "HTTP/1.1 304 Same\r\nContent-Length: 5\r\nETag: x\r\n\r\n", false, BODY_NONE, 5,
		  "HTTP/1.1 304 Same\r\nContent-Length: 5\r\nETag: x\r\n\r\n" },
		{ "HTTP/1.1 100 Continue\r\nX: y\r\n\r\n", false, BODY_NONE, 0, "HTTP/1.1 100 Continue\r\nX: y\r\n\r\n" },
		{ "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", false, BODY_NONE, 0,
		  "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n" },
		{ "HTTP/1.1 200 OK\r\nConnection: close, X-A\r\nX-A: 1\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n",
		  false, BODY_LENGTH, 0, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" },
	};
	(void)state;
	for (size_t i = 0; i < LEN(rows); i++) {
		struct http_head h;
		OWN(str) out = { 0 };
		const char *why;
		assert_int_equal(http_response(&h, rows[i].in, strlen(rows[i].in), rows[i].bodyless, &why), 0);
		assert_int_equal(h.body, rows[i].body);
		assert_int_equal(h.length, rows[i].length);
		http_write_response(&out, &h, 1, false);
		assert_string_equal(str_c(&out), rows[i].out);
	}
}

static void replies_that_cannot_be_framed_are_502(void **state)
{
	static const char *const rows[] = {
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
		"HTTP/1.1 999 OK\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/2 200 OK\r\n\r\n",
		"HTTP/1.1  200 OK\r\n\r\n", "HTTP/1.1\r\n\r\n", "ICY 200 OK\r\n\r\n", "HTTP/1.1 200 O\x01K\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX: 1\r\n 2\r\n\r\n", "\r\n\r\n",
	};
	(void)state;
	for (size_t i = 0; i < LEN(rows); i++) {
		struct http_head h;
		const char *why = NULL;
		if (http_response(&h, rows[i], strlen(rows[i]), false, &why) != 502)
			fail_msg("taken: '%s'", rows[i]);
		assert_non_null(why);
	}
}

/* The body in @in given @step bytes at a time; -1 malformed, else whether it came to its end. */
static int unchunk(struct str *out, const char *in, size_t step)
{
	struct http_chunks c = { 0 };
	size_t len = strlen(in), have = 0, used = 0;
	while (have < len) {
		have += len - have < step ? len - have : step;
		for (;;) {
			struct http_span data;
			ssize_t n = http_chunks_next(&c, in + used, have - used, &data);
			if (n < 0)
				return -1;
			if (n == 0)
				break;
			str_add_mem(out, data.p, data.len);
			used += (size_t)n;
		}
	}
	return c.at == CHUNK_DONE;
}

static void chunks_are_joined_however_they_come(void **state)
{
	static const char in[] = "5\r\nhello\r\n0B;ext=\"x\"\r\n, big world\r\n000\r\nTrailer: x\r\nB: y\r\n\r\n";
	(void)state;
	for (size_t step = 1; step < sizeof(in); step++) {
		OWN(str) out = { 0 };
		assert_int_equal(unchunk(&out, in, step), 1);
		assert_string_equal(str_c(&out), "hello, big world");
	}
}

static void malformed_chunks_are_refused(void **state)
{
	static const struct { const char *in; int want; } rows[] = {
		{ "0\r\n\r\n", 1 }, { "5\r\nhello", 0 }, { "5\r\nhello\r\n", 0 }, { "5\nhello\r\n", -1 }, { "5 \r\nhello\r\n", -1 },
		{ " 5\r\nhello\r\n", -1 }, { "+5\r\nhello\r\n", -1 }, { "0x5\r\nhello\r\n", -1 }, { "g\r\n", -1 }, { "\r\n", -1 },
		{ "5\r\nhelloXX", -1 }, { "5\r\nhello\rX", -1 }, { "5;a\rb\r\nhello\r\n", -1 }, { "fffffffffffffffff\r\n", -1 },
		{ "0\r\nA: b\n\r\n", -1 }, { "0\r\nA: b\x01\r\n\r\n", -1 }, { "5;\x7f\r\n", -1 },
	};
	(void)state;
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(str) out = { 0 };
		int r = unchunk(&out, rows[i].in, 1);
		if (r != rows[i].want)
			fail_msg("%d for row %zu '%s'", r, i, rows[i].in);
	}
}

static void chunk_lines_and_trailers_are_bounded(void **state)
{
	OWN(str) in = { 0 };
	OWN(str) out = { 0 };
	(void)state;
	str_add(&in, "5;");
	while (in.len < HTTP_CHUNK_LINE_MAX)
		str_add_char(&in, 'a');
	assert_int_equal(unchunk(&out, str_c(&in), 1024), -1);
	str_clear(&in);
	str_add(&in, "0\r\n");
	while (in.len < HTTP_HEAD_MAX + 100)
		str_add(&in, "A: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n");
	assert_int_equal(unchunk(&out, str_c(&in), 1024), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_written_afresh),
		cmocka_unit_test(a_next_proxy_gets_the_whole_target_and_our_credentials),
		cmocka_unit_test(what_two_programs_could_read_differently_is_refused),
		cmocka_unit_test(other_versions_are_505),
		cmocka_unit_test(a_head_is_bounded_in_bytes_and_lines),
		cmocka_unit_test(a_head_ends_wherever_it_was_cut),
		cmocka_unit_test(replies_say_how_they_end),
		cmocka_unit_test(replies_that_cannot_be_framed_are_502),
		cmocka_unit_test(chunks_are_joined_however_they_come),
		cmocka_unit_test(malformed_chunks_are_refused),
		cmocka_unit_test(chunk_lines_and_trailers_are_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
