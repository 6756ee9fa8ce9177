/* relay_http.c - HTTP/1.x heads, read strictly; pure */
#include "enforce/relay_http.h"

#include "base/base.h"

#include <string.h>
#include <strings.h>

/*
 * Refusing is safer than repairing: two programs that repair differently see two different requests. So
 * everything that RFC 9112 lets a recipient fix up is answered by 400, and what is passed on is written from
 * parsed values, never copied from a line.
 */

enum field_id {
	F_OTHER, F_HOST, F_LENGTH, F_TRANSFER, F_CONNECTION, F_UPGRADE, F_EXPECT, F_HOP,
};

static const struct { const char *name; enum field_id id; } known[] = {
	{ "host", F_HOST },
	{ "content-length", F_LENGTH },
	{ "transfer-encoding", F_TRANSFER },
	{ "connection", F_CONNECTION },
	{ "proxy-connection", F_CONNECTION },
	{ "upgrade", F_UPGRADE },
	{ "expect", F_EXPECT },
	{ "keep-alive", F_HOP },
	{ "proxy-authenticate", F_HOP },
	{ "proxy-authentication-info", F_HOP },
	{ "proxy-authorization", F_HOP },
	{ "te", F_HOP },
	{ "trailer", F_HOP }, /* trailer fields are dropped by http_chunks_next() */
	{ "http2-settings", F_HOP },
};

/* What the fields said, before it is judged as a whole. */
struct said {
	int hosts, lengths, transfers;
	bool bad_transfer, close, upgrade;
	uint64_t length;
};

static bool is_token_char(char c)
{
	if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
		return true;
	return c && strchr("!#$%&'*+-.^_`|~", c);
}

static bool span_token(struct http_span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_token_char(s.p[i]))
			return false;
	return s.len > 0;
}

static bool span_is(struct http_span s, const char *word)
{
	return s.len == strlen(word) && strncasecmp(s.p, word, s.len) == 0;
}

static struct http_span span_trim(struct http_span s)
{
	while (s.len > 0 && (s.p[0] == ' ' || s.p[0] == '\t')) {
		s.p++;
		s.len--;
	}
	while (s.len > 0 && (s.p[s.len - 1] == ' ' || s.p[s.len - 1] == '\t'))
		s.len--;
	return s;
}

/* Text up to @c, which is taken too; everything when there is none (*@found false). */
static struct http_span span_cut(struct http_span *rest, char c, bool *found)
{
	const char *at = rest->len ? memchr(rest->p, c, rest->len) : NULL;
	struct http_span s = { rest->p, at ? (size_t)(at - rest->p) : rest->len };
	size_t taken = s.len + (at ? 1 : 0);
	rest->p += taken;
	rest->len -= taken;
	*found = at != NULL;
	return s;
}

ssize_t http_head_end(const char *p, size_t len, size_t *seen)
{
	size_t most = len < HTTP_HEAD_MAX ? len : HTTP_HEAD_MAX;
	for (size_t i = *seen; i < most; i++) {
		if (p[i] == 0 || (p[i] == '\n' && (i == 0 || p[i - 1] != '\r')))
			return -1;
		if (i > 0 && p[i - 1] == '\r' && p[i] != '\n')
			return -1;
		if (p[i] == '\n' && i >= 3 && p[i - 2] == '\n')
			return (ssize_t)(i + 1);
	}
	*seen = most;
	return len >= HTTP_HEAD_MAX ? -1 : 0;
}

/* The next line without its CRLF; http_head_end() has seen to it that lines end in CRLF and only there. */
static struct http_span next_line(struct http_span *rest)
{
	bool found;
	struct http_span s = span_cut(rest, '\n', &found);
	if (s.len > 0)
		s.len--;
	return s;
}

static enum field_id field_find(struct http_span name)
{
	for (size_t i = 0; i < LEN(known); i++)
		if (span_is(name, known[i].name))
			return known[i].id;
	return F_OTHER;
}

static bool parse_length(uint64_t *out, struct http_span s)
{
	uint64_t n = 0;
	if (s.len == 0 || s.len > 18) /* 10^18 fits */
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(s.p[i] - '0');
	}
	*out = n;
	return true;
}

/* Fields that Connection names are between it and us; those that carry the framing never are. */
static bool take_connection(struct http_head *h, struct said *said, struct http_span list)
{
	for (bool more = true; more; ) {
		struct http_span word = span_trim(span_cut(&list, ',', &more));
		if (word.len == 0)
			continue;
		if (!span_token(word))
			return false;
		if (span_is(word, "close"))
			said->close = true;
		else if (span_is(word, "upgrade"))
			said->upgrade = true;
		switch (field_find(word)) {
		case F_HOST:
		case F_LENGTH:
		case F_TRANSFER:
			return false;
		case F_OTHER:
		case F_CONNECTION:
		case F_UPGRADE:
		case F_EXPECT:
		case F_HOP:
			break;
		}
		for (size_t i = 0; i < h->nfields; i++)
			if (h->fields[i].name.len == word.len &&
			    strncasecmp(h->fields[i].name.p, word.p, word.len) == 0)
				h->fields[i].drop = true;
	}
	return true;
}

static const char *add_field(struct http_head *h, struct said *said, struct http_span line)
{
	bool colon;
	if (line.p[0] == ' ' || line.p[0] == '\t')
		return "folded header line";
	struct http_span name = span_cut(&line, ':', &colon);
	if (!colon || !span_token(name))
		return "header line without a proper name";
	for (size_t i = 0; i < line.len; i++)
		if (((unsigned char)line.p[i] < 0x20 && line.p[i] != '\t') || line.p[i] == 0x7f)
			return "control character in a header";
	if (h->nfields == HTTP_FIELDS_MAX)
		return "more than 256 header lines";
	struct http_field *f = &h->fields[h->nfields++];
	*f = (struct http_field){ name, span_trim(line), true };
	switch (field_find(name)) {
	case F_HOST:
		said->hosts++;
		break;
	case F_LENGTH:
		said->lengths++;
		if (!parse_length(&said->length, f->value))
			return "Content-Length is not a number";
		break;
	case F_TRANSFER:
		/* the raw text: "chunked\t" is chunked to some and unknown to others */
		said->transfers++;
		while (line.len > 0 && line.p[0] == ' ') {
			line.p++;
			line.len--;
		}
		said->bad_transfer |= !span_is(line, "chunked");
		break;
	case F_UPGRADE:
		h->upgrade = f->value;
		break;
	case F_EXPECT:
		h->expect = true;
		f->drop = false;
		break;
	case F_OTHER:
		f->drop = false;
		break;
	case F_CONNECTION:
	case F_HOP:
		break;
	}
	return NULL;
}

static const char *read_fields(struct http_head *h, struct said *said, struct http_span rest)
{
	for (;;) {
		struct http_span line = next_line(&rest);
		if (line.len == 0)
			break;
		const char *why = add_field(h, said, line);
		if (why)
			return why;
	}
	for (size_t i = 0; i < h->nfields; i++)
		if (field_find(h->fields[i].name) == F_CONNECTION &&
		    !take_connection(h, said, h->fields[i].value))
			return "Connection names what it must not";
	if (said->lengths > 1)
		return "more than one Content-Length";
	if (said->lengths > 0 && said->transfers > 0)
		return "both Content-Length and Transfer-Encoding";
	if (said->transfers > 1 || said->bad_transfer)
		return "Transfer-Encoding is not exactly chunked";
	h->close = said->close || h->minor == 0;
	/* an upgrade to clear-text HTTP/2 would hide the following requests from the policy */
	if (!said->upgrade || !span_token(h->upgrade) || span_is(h->upgrade, "h2c"))
		h->upgrade = (struct http_span){ 0 };
	return NULL;
}

static bool parse_version(int *minor, struct http_span s)
{
	bool one = s.len == 8 && memcmp(s.p, "HTTP/1.", 7) == 0 && (s.p[7] == '0' || s.p[7] == '1');
	if (one)
		*minor = s.p[7] - '0';
	return one;
}

/* "http://authority/path?query" */
static const char *parse_target(struct http_head *h, struct http_span t)
{
	static const char scheme[] = "http://";
	const char *why = NULL;
	for (size_t i = 0; i < t.len; i++)
		if ((unsigned char)t.p[i] <= 0x20 || t.p[i] == 0x7f || t.p[i] == '#')
			return "character that no request target has";
	if (t.len < sizeof(scheme) - 1 || strncasecmp(t.p, scheme, sizeof(scheme) - 1) != 0)
		return "this is a proxy: it takes CONNECT host:port and http:// targets";
	t.p += sizeof(scheme) - 1;
	t.len -= sizeof(scheme) - 1;
	size_t n = 0;
	while (n < t.len && t.p[n] != '/' && t.p[n] != '?')
		n++;
	h->kind = name_authority(h->host, &h->port, t.p, n, 80, &why);
	h->target = (struct http_span){ t.p + n, t.len - n };
	return why;
}

int http_request(struct http_head *h, const char *p, size_t len, const char **why)
{
	struct http_span rest = { p, len };
	struct said said = { 0 };
	bool one, two;
	memset(h, 0, sizeof(*h));
	h->size = len;
	struct http_span line = next_line(&rest);
	h->method = span_cut(&line, ' ', &one);
	struct http_span target = span_cut(&line, ' ', &two);
	*why = "request line is not METHOD TARGET HTTP/1.1";
	if (!one || !two || !span_token(h->method))
		return 400;
	if (!parse_version(&h->minor, line))
		return line.len >= 5 && memcmp(line.p, "HTTP/", 5) == 0 ? 505 : 400;
	h->connect = h->method.len == 7 && memcmp(h->method.p, "CONNECT", 7) == 0;
	*why = NULL;
	if (h->connect)
		h->kind = name_authority(h->host, &h->port, target.p, target.len, 0, why);
	else
		*why = parse_target(h, target);
	if (!*why)
		*why = read_fields(h, &said, rest);
	if (!*why && (said.hosts > 1 || (said.hosts == 0 && h->minor == 1)))
		*why = said.hosts ? "more than one Host" : "no Host";
	if (!*why && said.transfers > 0 && h->minor == 0)
		*why = "Transfer-Encoding in an HTTP/1.0 request";
	if (!*why && h->connect && (said.transfers > 0 || said.length > 0))
		*why = "CONNECT with a body";
	if (*why)
		return 400;
	h->body = said.transfers ? BODY_CHUNKED : said.length ? BODY_LENGTH : BODY_NONE;
	/* "Content-Length: 0" has to be said again: servers want it from POST */
	if (said.lengths > 0 && !h->connect)
		h->body = BODY_LENGTH;
	h->length = said.length;
	return 0;
}

int http_response(struct http_head *h, const char *p, size_t len, bool bodyless, const char **why)
{
	struct http_span rest = { p, len };
	struct said said = { 0 };
	bool one, two;
	memset(h, 0, sizeof(*h));
	h->size = len;
	struct http_span line = next_line(&rest);
	struct http_span version = span_cut(&line, ' ', &one);
	struct http_span status = span_cut(&line, ' ', &two);
	h->reason = line;
	*why = "status line is not HTTP/1.1 NNN";
	if (!one || !parse_version(&h->minor, version) || status.len != 3)
		return 502;
	for (size_t i = 0; i < 3; i++) {
		if (status.p[i] < '0' || status.p[i] > '9')
			return 502;
		h->status = h->status * 10 + (status.p[i] - '0');
	}
	for (size_t i = 0; i < line.len; i++)
		if ((unsigned char)line.p[i] < 0x20 && line.p[i] != '\t')
			return 502;
	if (h->status < 100 || h->status > 599)
		return 502;
	*why = read_fields(h, &said, rest);
	if (*why)
		return 502;
	bool none = h->status < 200 || h->status == 204 || h->status == 304 || bodyless;
	h->length = said.length;
	h->body = none ? BODY_NONE : said.transfers ? BODY_CHUNKED : said.lengths ? BODY_LENGTH : BODY_EOF;
	/* the length of the body that a GET would have had is news, not framing */
	if (none && said.lengths > 0 && h->status >= 200 && h->status != 204)
		for (size_t i = 0; i < h->nfields; i++)
			if (field_find(h->fields[i].name) == F_LENGTH)
				h->fields[i].drop = false;
	return 0;
}
