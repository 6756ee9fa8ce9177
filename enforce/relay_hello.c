/* relay_hello.c - the name in a TLS ClientHello; pure */
#include "enforce/relay_hello.h"

#include "base/base.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	RECORD_HANDSHAKE = 22, RECORD_MAX = 16384, /* RFC 8446 5.1 */
	TYPE_CLIENT_HELLO = 1,                     /* RFC 8446 4 */
	EXT_SERVER_NAME = 0, NAME_TYPE_HOST = 0,   /* RFC 6066 3 */
};

/* Bytes not read yet; @bad: somebody wanted more than there is. */
struct reader {
	const uint8_t *p;
	size_t len;
	bool bad;
};

static uint32_t take(struct reader *r, unsigned bytes)
{
	uint32_t v = 0;
	if (r->len < bytes) {
		r->bad = true;
		r->len = 0;
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | r->p[i];
	r->p += bytes;
	r->len -= bytes;
	return v;
}

/* What a length of @bytes bytes announces, taken out of @r. */
static struct reader take_part(struct reader *r, unsigned bytes)
{
	uint32_t n = take(r, bytes);
	if (r->len < n)
		r->bad = true;
	struct reader part = { r->p, r->bad ? 0 : n, r->bad };
	r->p += part.len;
	r->len -= part.len;
	return part;
}

/* The handshake message's bytes without the records' heads, as far as they came. */
static enum hello join_records(const char *p, size_t len, uint8_t *out, size_t *n)
{
	struct reader r = { (const uint8_t *)p, len, false };
	*n = 0;
	while (r.len > 0) {
		if (r.p[0] != RECORD_HANDSHAKE)
			return *n == 0 ? HELLO_NO_TLS : HELLO_BAD;
		if (r.len < 5)
			return HELLO_MORE;
		take(&r, 1);
		if (take(&r, 2) >> 8 != 3) /* every version's major number */
			return *n == 0 ? HELLO_NO_TLS : HELLO_BAD;
		uint32_t size = take(&r, 2);
		if (size == 0 || size > RECORD_MAX)
			return HELLO_BAD;
		size_t have = MIN((size_t)size, r.len);
		have = MIN(have, HELLO_MAX - *n);
		memcpy(out + *n, r.p, have);
		*n += have;
		if (*n == HELLO_MAX || have < size)
			break;
		r.p += have;
		r.len -= have;
		if (*n >= 4 && *n >= 4 + ((size_t)out[1] << 16 | (size_t)out[2] << 8 | out[3]))
			break; /* the message is whole; what follows is not our business */
	}
	return HELLO_MORE;
}

static enum hello read_server_name(struct reader ext, char name[NAME_MAX_BYTES])
{
	struct reader list = take_part(&ext, 2);
	const char *why;
	if (ext.bad || ext.len > 0)
		return HELLO_BAD;
	uint32_t type = take(&list, 1);
	struct reader host = take_part(&list, 2);
	/* one name, of the only type there is; an address is not allowed here */
	if (list.bad || list.len > 0 || type != NAME_TYPE_HOST)
		return HELLO_BAD;
	return name_clean(name, (const char *)host.p, host.len, false, &why) == NAME_HOST ? HELLO_NAME : HELLO_BAD;
}

static enum hello read_message(struct reader r, char name[NAME_MAX_BYTES])
{
	enum hello found = HELLO_NO_NAME;
	take(&r, 2);  /* legacy_version */
	take(&r, 16); /* random */
	take(&r, 16);
	take_part(&r, 1); /* legacy_session_id */
	take_part(&r, 2); /* cipher_suites */
	take_part(&r, 1); /* legacy_compression_methods */
	if (r.bad)
		return HELLO_BAD;
	if (r.len == 0)
		return HELLO_NO_NAME;
	struct reader exts = take_part(&r, 2);
	if (r.bad || r.len > 0)
		return HELLO_BAD;
	while (exts.len > 0) {
		uint32_t type = take(&exts, 2);
		struct reader ext = take_part(&exts, 2);
		if (exts.bad || (type == EXT_SERVER_NAME && found != HELLO_NO_NAME))
			return HELLO_BAD;
		if (type == EXT_SERVER_NAME)
			found = read_server_name(ext, name);
		if (found == HELLO_BAD)
			return HELLO_BAD;
	}
	return found;
}

enum hello hello_read(const char *p, size_t len, char name[NAME_MAX_BYTES])
{
	uint8_t message[HELLO_MAX];
	size_t n;
	enum hello h = join_records(p, len, message, &n);
	if (h != HELLO_MORE)
		return h;
	if (n > 0 && message[0] != TYPE_CLIENT_HELLO)
		return HELLO_BAD;
	if (n < 4)
		return HELLO_MORE;
	size_t size = (size_t)message[1] << 16 | (size_t)message[2] << 8 | message[3];
	if (size > HELLO_MAX - 4)
		return HELLO_BAD;
	if (n < 4 + size)
		return HELLO_MORE;
	return read_message((struct reader){ message + 4, size, false }, name);
}
