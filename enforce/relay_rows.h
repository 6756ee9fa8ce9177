/* relay_rows.h - rows on their way out: none is lost while the reader is slow */
#pragma once

#include "enforce/relay.h"

enum { ROWS_MAX = 65536 }; /* beyond it the relay accepts nothing new until some are read */

/* @fd: SOCK_SEQPACKET; empty: nobody wants rows (any more). @say: where people read them, -1 nowhere */
struct rows {
	struct fd fd;
	int say;
	struct relay_row *items;
	size_t first, n, cap;
};

void rows_drop(struct rows *r);
void rows_add(struct rows *r, const struct relay_row *row);
/* Write what the socket takes. */
void rows_flush(struct rows *r);
