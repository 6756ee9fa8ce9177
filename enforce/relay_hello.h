/* relay_hello.h - the name in a TLS ClientHello; pure */
#pragma once

#include "enforce/relay_name.h"

#include <stddef.h>

enum { HELLO_MAX = 32768 }; /* bytes of the message; with post-quantum keys it has some 2,000 */

enum hello {
	HELLO_MORE,    /* not whole yet */
	HELLO_NO_TLS,  /* something else */
	HELLO_BAD,     /* TLS, but malformed, larger than HELLO_MAX, or with two names or one that is no name */
	HELLO_NO_NAME, /* without server_name */
	HELLO_NAME,
};

/**
 * hello_read() - look at the first bytes a client sends
 * @name: on HELLO_NAME server_name as name_clean() leaves it
 *
 * The message may be spread over records (RFC 8446 5.1). The outer name is read; what encrypted_client_hello
 * hides stays hidden. Whether the first byte is a handshake record decides between TLS and something else.
 */
enum hello hello_read(const char *p, size_t len, char name[NAME_MAX_BYTES]);
