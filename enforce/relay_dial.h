/* relay_dial.h - from checked addresses to one connected socket, a late answer of one not holding up the next */
#pragma once

#include "base/fd.h"
#include "enforce/relay_addr.h"
#include "enforce/relay_side.h"
#include "enforce/resolver.h"

enum { DIAL_STAGGER_MS = 250 }; /* RFC 8305 section 5 */

/**
 * struct dial - a race; zero is none
 * @a:    @n addresses in the order of trying
 * @tries: sockets that are connecting; [i] belongs to @a[i]
 * @next_ms: when the next address is due while others are still trying
 * @err:  errno of the last one that failed
 */
struct dial {
	union addr a[ANSWER_ADDRS];
	struct { struct fd fd; struct watch watch; } tries[ANSWER_ADDRS];
	unsigned n, next, open;
	uint64_t next_ms;
	int err;
};

void dial_drop(struct dial *d);
/* Alternate the families, the first one's first (RFC 8305 section 4). */
void dial_order(struct dial *d);

/**
 * dial_go() - start what is due
 *
 * Return: 0 connecting; 1 connected: *@won is the index of @a, its socket in *@fd; -errno all failed.
 */
int dial_go(struct dial *d, struct conn *c, int epoll, uint64_t now_ms, struct fd *fd, unsigned *won);
/* The socket of try @i has news. Returns as dial_go(). */
int dial_news(struct dial *d, unsigned i, struct conn *c, int epoll, uint64_t now_ms, struct fd *fd,
              unsigned *won);
