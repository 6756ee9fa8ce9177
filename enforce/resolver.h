/* resolver.h - processes that call getaddrinfo for the relay, which touches no file */
#pragma once

#include "base/err.h"
#include "base/fd.h"
#include "enforce/relay_addr.h"
#include "enforce/relay_name.h"

#include <stdint.h>

enum { RESOLVER_WORKERS = 4, ANSWER_ADDRS = 16 };

/* One message of the socket each way; both are checked by size and values before use. */
struct resolve_ask {
	uint32_t id;
	char host[NAME_MAX_BYTES];
};

/* @code: 0, or an errno: EHOSTUNREACH no such name, EAGAIN no answer; @gai: EAI_* as it was */
struct resolve_answer {
	uint32_t id;
	int32_t code, gai;
	uint32_t n;
	struct { uint16_t family; uint8_t bytes[16]; uint32_t scope; } a[ANSWER_ADDRS];
};

/**
 * resolver_start() - fork confined workers that take look-ups from one SOCK_SEQPACKET socket, each its next one
 * @sock: the caller's end
 *
 * One process is started, which makes the others when the first name is asked for. They die with the caller, in the
 * middle of a look-up too, and also end when @sock is closed. Nobody has to wait for them.
 */
int resolver_start(struct fd *sock, struct err *e) MUST;
