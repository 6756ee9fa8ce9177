/* relay.h - the proxy process: accept, ask, dial, pump bytes; parses HTTP, touches no file */
#pragma once

#include "base/err.h"
#include "base/fd.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What a client asked for; name as sent, lower-cased, trailing dot and brackets taken off. */
struct relay_ask {
	const char *host;
	uint16_t port;
	bool connect;    /* CONNECT, else an absolute-form request */
	uint16_t client_port; /* source port on loopback: who asked, with /proc/net or inet_diag */
	char *denied;         /* RELAY_DENIED bytes, "" at first: the line that denies it, for the client; or NULL */
};

enum { RELAY_DENIED = 256 };

/**
 * struct relay_row - what the relay reports when a request or tunnel ends (or was refused), over relay.log
 * @host:     as asked, "" when the request could not be read
 * @err:      errno of look-up or dial, 0 fine; EHOSTUNREACH for a name that does not resolve
 * @status:   HTTP status the relay answered by itself (403, 502, 400), 0 when it did not
 * @by_proxy: went through the user's own proxy, so @addr is not the host's
 * @private_addr: @addr is loopback, link-local or of a private network: run wants it granted by address
 * @addr:     dialled address as text, "" when nothing was dialled
 * @last:     no row: the answer to relay_flush()
 */
struct relay_row {
	char host[256];
	uint16_t port, client_port;
	bool connect, allowed;
	int32_t err; /* of the dial, 0 fine */
	uint64_t sent, received;
	uint16_t status;
	bool by_proxy, private_addr;
	char addr[46];
	bool last;
};

/* What becomes of the name in a tunnel's TLS ClientHello where it is not the tunnel's own. */
enum relay_sni {
	SNI_IGNORE,
	SNI_REPORT, /* audit: a row of its own, so that the suggestion grants it too */
	SNI_CHECK,  /* run: it has to be granted too; without a name, the address has to be */
};

/**
 * struct relay_opts
 * @listen:   listening TCP socket(s), from any network namespace; borrowed: the relay keeps its own copies
 * @ask:      answers 0 to allow, else an HTTP status (403); runs in the relay process, must not touch files
 * @addr:     whether an address may be dialled: > 0 granted by itself, 0 no line about it, < 0 denied; NULL: 0
 * @upstream: the user's own proxy for plain requests "http://user:pass@host:port", or NULL
 * @upstream_connect: likewise for CONNECT
 * @no_proxy: exceptions to both: names, .suffix, addresses, CIDR, "*"; or NULL
 * @private_ok: audit: dial private and loopback addresses; run: only where granted by address
 * @no_rows:  nobody will read relay.log
 * @say:      descriptor that gets a line for people per request ("snug: net: ..."), borrowed; 0: none
 */
struct relay_opts {
	int listen[2];
	int nlisten;
	int (*ask)(void *arg, const struct relay_ask *q);
	int (*addr)(void *arg, const char *ip, uint16_t port);
	void *arg;
	const char *upstream, *upstream_connect, *no_proxy;
	bool private_ok, no_rows;
	enum relay_sni sni;
	int say;
};

/**
 * struct relay - the running process; relay_drop() ends it
 * @log: SOCK_SEQPACKET, one struct relay_row a message; read until EOF after relay_stop()
 */
struct relay {
	pid_t pid;
	struct fd log, ctl;
};

/* Kill and reap; closes @r->log. */
void relay_drop(struct relay *r);

/**
 * relay_start() - fork the relay and its resolvers, confine them, start to accept
 *
 * Needs a single-threaded caller. @o is used up on return. Return: 0; -EINVAL for an upstream that cannot be
 * used, or -errno of the step that failed.
 */
int relay_start(struct relay *out, const struct relay_opts *o, struct err *e) MUST;

/**
 * relay_stop() - take no new connections, let running transfers end for at most @grace_ms, then cut them
 *
 * On return no connection is left. The process lives on only to hand out its last rows: read @r->log until
 * EOF, then relay_drop().
 */
int relay_stop(struct relay *r, int grace_ms, struct err *e) MUST;

/**
 * relay_flush() - have every request reported that the relay has received, also those that still go on
 * @log: the supervisor's end of the row socket
 *
 * The rows come as always, then one with @last set. For the end of a recording: a tunnel that a daemon keeps open
 * would have no row otherwise. Return: 0, or -errno when the relay is gone.
 */
int relay_flush(int log);

/* A loopback listener; *@port 0 chooses a free one and is set to it. */
int relay_listen(struct fd *out, uint16_t *port, struct err *e) MUST;

/* $no_proxy of a command whose proxy is the relay: its own loopback, in the spellings that clients know. */
#define RELAY_NO_PROXY "localhost,127.0.0.1,127.0.0.0/8,::1,[::1],.localhost,localhost.localdomain"

/* Fill @o->upstream, upstream_connect and no_proxy from http_proxy and its kin in @envp; borrowed from there. */
void relay_upstream_env(struct relay_opts *o, char *const *envp);

/* ask and addr callbacks for struct policy *@arg, as `run` wants them. */
int relay_policy_ask(void *arg, const struct relay_ask *q);
int relay_policy_addr(void *arg, const char *ip, uint16_t port);

/* ask callback that allows everything, as `audit` wants it; set private_ok too. */
int relay_allow_all(void *arg, const struct relay_ask *q);
