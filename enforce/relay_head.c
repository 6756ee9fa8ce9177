/* relay_head.c - HTTP/1.x heads, written afresh from parsed values; pure */
#include "enforce/relay_http.h"

#include "base/str.h"

#include <string.h>

void http_write_authority(struct str *out, const char *host, enum name_kind kind, uint16_t port,
                          uint16_t port_default)
{
	str_fmt(out, kind == NAME_V6 ? "[%s]" : "%s", host);
	if (port != port_default)
		str_fmt(out, ":%u", port);
}

static void write_span(struct str *out, struct http_span s)
{
	str_add_mem(out, s.p, s.len);
}

static void write_fields(struct str *out, const struct http_head *h)
{
	for (size_t i = 0; i < h->nfields; i++) {
		const struct http_field *f = &h->fields[i];
		if (f->drop)
			continue;
		write_span(out, f->name);
		str_add(out, ": ");
		write_span(out, f->value);
		str_add(out, "\r\n");
	}
	if (h->body == BODY_LENGTH)
		str_fmt(out, "Content-Length: %llu\r\n", (unsigned long long)h->length);
}

void http_write_request(struct str *out, const struct http_head *h, bool absolute,
                        const char *credentials)
{
	bool options = h->target.len == 0 && h->method.len == 7 && memcmp(h->method.p, "OPTIONS", 7) == 0;
	write_span(out, h->method);
	str_add_char(out, ' ');
	if (absolute) {
		str_add(out, "http://");
		http_write_authority(out, h->host, h->kind, h->port, 80);
	}
	if (options && !absolute)
		str_add_char(out, '*'); /* RFC 9112 3.2.4 */
	else if (!options && (h->target.len == 0 || h->target.p[0] == '?'))
		str_add_char(out, '/');
	write_span(out, h->target);
	str_add(out, " HTTP/1.1\r\nHost: ");
	http_write_authority(out, h->host, h->kind, h->port, 80);
	str_add(out, "\r\n");
	write_fields(out, h);
	if (h->body == BODY_CHUNKED)
		str_add(out, "Transfer-Encoding: chunked\r\n");
	if (credentials)
		str_fmt(out, "Proxy-Authorization: %s\r\n", credentials);
	if (h->upgrade.len > 0) {
		str_add(out, "Connection: upgrade\r\nUpgrade: ");
		write_span(out, h->upgrade);
		str_add(out, "\r\n\r\n");
	} else {
		str_add(out, "Connection: close\r\n\r\n");
	}
}

void http_write_response(struct str *out, const struct http_head *h, int client_minor, bool close)
{
	str_fmt(out, "HTTP/1.1 %03d ", h->status);
	write_span(out, h->reason);
	str_add(out, "\r\n");
	write_fields(out, h);
	if (h->body == BODY_CHUNKED && client_minor == 1)
		str_add(out, "Transfer-Encoding: chunked\r\n");
	if (h->status == 101) {
		str_add(out, "Connection: upgrade\r\nUpgrade: ");
		write_span(out, h->upgrade);
		str_add(out, "\r\n");
	} else if (close && h->status >= 200) {
		str_add(out, "Connection: close\r\n");
	}
	str_add(out, "\r\n");
}
