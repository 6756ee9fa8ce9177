/* relay.h - the proxy process: accept, ask, dial, pump bytes; parses HTTP, touches no file */
#pragma once

#include "base/err.h"
#include "base/fd.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What a client asked for; name as sent, lower-cased, trailing dot and brackets taken off. */
struct relay_ask {
	const char *host;
	uint16_t port;
	bool connect;    /* CONNECT, else an absolute-form request */
	uint16_t client_port; /* source port on loopback: who asked, with /proc/net or inet_diag */
};

/* One line the relay reports when a connection ends (or was refused), over relay.log. */
struct relay_row {
	char host[256];
	uint16_t port, client_port;
	bool connect, allowed;
	int32_t err; /* of the dial, 0 fine */
	uint64_t sent, received;
};

/**
 * struct relay_opts
 * @listen:   listening TCP socket(s); the relay becomes their only owner
 * @ask:      answers 0 to allow, else an HTTP status (403); runs in the relay process, must not touch files
 * @upstream: the user's own proxy "http://user:pass@host:port", or NULL; @no_proxy its exceptions
 */
struct relay_opts {
	int listen[2];
	int nlisten;
	int (*ask)(void *arg, const struct relay_ask *q);
	void *arg;
	const char *upstream, *no_proxy;
	bool private_ok; /* audit: dial private and loopback addresses; run: only where granted by address */
};

/**
 * struct relay - the running process; relay_drop() ends it
 * @log: SOCK_SEQPACKET, one struct relay_row a message; read until EOF after relay_stop()
 */
struct relay {
	pid_t pid;
	struct fd log, ctl;
};

void relay_drop(struct relay *r);
int relay_start(struct relay *out, const struct relay_opts *o, struct err *e) MUST;
/* Let running transfers end for at most @grace_ms, then end the process; rows stay readable in @r->log. */
int relay_stop(struct relay *r, int grace_ms, struct err *e) MUST;
/* A loopback listener on a free port. */
int relay_listen(struct fd *out, uint16_t *port, struct err *e) MUST;
