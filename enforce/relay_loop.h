/* relay_loop.h - what the relay process holds: its loop, its connections */
#pragma once

#include "base/str.h"
#include "enforce/relay.h"
#include "enforce/relay_dial.h"
#include "enforce/relay_http.h"
#include "enforce/relay_lookups.h"
#include "enforce/relay_rows.h"
#include "enforce/relay_side.h"
#include "enforce/relay_upstream.h"

enum {
	LINGER_MS = 5000,       /* for the client to read a last reply before its socket goes */
	LOOKUP_WAIT_MS = 90000, /* longer than getaddrinfo(3) tries */
};

enum phase {
	PHASE_HEAD,   /* reads a request's head */
	PHASE_NAMES,  /* waits for the resolver */
	PHASE_DIAL,   /* waits for a connection */
	PHASE_CHAIN,  /* asked the upstream proxy for a tunnel, reads its answer */
	PHASE_REPLY,  /* request on its way, reply awaited or on its way */
	PHASE_TUNNEL, /* bytes both ways */
	PHASE_LINGER, /* all said, waits until the client has it */
};

/* A body on its way from one side to the other; @rechunk: passed on in chunks of our own making */
struct body {
	enum http_body kind;
	uint64_t left;
	struct http_chunks chunks;
	bool rechunk, done;
};

/**
 * struct conn - one client's connection
 * @seen:     bytes of the head at the front of cl.in or up.in that were looked at
 * @minor, @head_only, @connect, @upgrade: of the present request; @kind of its host
 * @close:    the client's connection ends after this reply
 * @replied:  the final head has gone to the client
 * @refused_connect: the last thing said was no to a CONNECT: what follows may be meant for the tunnel
 * @via:      proxy that it goes through, or NULL
 * @pending:  head for the upstream side, until there is one
 * @asked:    @row is to be reported
 * @hello_due: the tunnel's first bytes from the client are held until the name in them was looked at
 */
struct conn {
	struct conn *next, **link;
	struct loop *lo;
	struct side cl, up;
	enum phase phase;
	size_t seen;
	int minor;
	enum name_kind kind;
	bool head_only, connect, upgrade, close, replied, refused_connect, asked, hello_due, dead;
	const struct upstream *via;
	struct body req, res;
	struct str pending;
	uint32_t lookup;
	struct dial dial;
	struct relay_row row;
	uint16_t client_port;
	uint64_t due_ms; /* 0: no timer */
};

/**
 * struct loop - the process
 * @due_ms:    no timer of any connection is earlier
 * @open:      listeners are in epoll
 * @stopping:  no new connections; @stop_ms: the others end then
 */
struct loop {
	const struct relay_opts *o;
	int epoll, ctl;
	int listen[2];
	union addr own[2];
	struct watch listen_watch[2], ctl_watch, log_watch, names_watch;
	bool open, stopping, told;
	uint32_t log_events;
	uint64_t stop_ms, due_ms, now_ms;
	struct upstream plain, tunnel;
	struct rows rows;
	struct lookups names;
	struct conn *conns, *dead;
	size_t nconns, max_conns;
};

/* Serve until told to stop or the parent is gone. @lo is set up by relay_start()'s child. */
void loop_run(struct loop *lo);
void loop_timer(struct loop *lo, struct conn *c, uint64_t in_ms);

/* conn: events in, and steps until nothing moves */
struct conn *conn_make(struct loop *lo, struct fd fd, uint16_t client_port);
void conn_free(struct conn *c);
void conn_pump(struct conn *c);
void conn_timeout(struct conn *c);
void conn_try(struct conn *c, unsigned i);
void conn_names(struct conn *c, const struct lookup *l);
void conn_end(struct conn *c);
void conn_tunnel(struct conn *c);

/* relay_reach.c: who is asked and how to get there */
void conn_begin(struct conn *c, const struct http_head *h);

/* relay_sni.c: true when something moved; @c->hello_due falls when the tunnel may go on */
bool conn_hello(struct conn *c);

/* relay_say.c: what the relay itself answers */
void conn_refuse(struct conn *c, int status, const char *fmt, ...) PRINTF(3, 4);
void conn_report(struct conn *c);
