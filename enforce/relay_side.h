/* relay_side.h - one peer of a relayed connection: a non-blocking socket with a buffer each way */
#pragma once

#include "base/fd.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { BUF_SIZE = 65536 };

/**
 * struct buf - bytes waiting; zero is empty
 *
 * Memory is taken when bytes come and given back by buf_trim(), so an idle connection costs none.
 */
struct buf {
	char *p;
	size_t off, len, cap;
};

void buf_drop(struct buf *b);
/* Free the memory of an empty one. */
void buf_trim(struct buf *b);
static inline char *buf_at(const struct buf *b) { return b->p + b->off; }
void buf_eat(struct buf *b, size_t n);
/* Append; beyond BUF_SIZE too (a head). False when memory is out. */
bool buf_add(struct buf *b, const void *p, size_t n);
/* Where up to *@room bytes may be read to; NULL when it is full or memory is out. */
char *buf_room(struct buf *b, size_t *room);
/* Move up to @most bytes from @from to @to as far as there is room. Return: bytes moved. */
size_t buf_move(struct buf *to, struct buf *from, uint64_t most);

/* What an epoll event points to. */
enum watch_kind { WATCH_LISTEN, WATCH_CTL, WATCH_LOG, WATCH_NAMES, WATCH_CLIENT, WATCH_UP, WATCH_TRY };
struct conn;
struct watch {
	enum watch_kind kind;
	struct conn *conn;
	unsigned index;
};

/**
 * struct side - one peer
 * @in:       read from it, not used yet
 * @out:      to be written to it
 * @readable: epoll said so, one read is due
 * @eof:      it will send nothing more; @reset: because of an error
 * @shut:     we said that we send nothing more, or it does not listen any more (@deaf)
 */
struct side {
	struct fd fd;
	struct watch watch;
	struct buf in, out;
	bool readable, eof, reset, shut, deaf;
	uint32_t events; /* in epoll now; 0: not added */
};

/* Close; forget all but the watch. */
void side_drop(struct side *s);
/* One read if due. Return: something changed. */
bool side_read(struct side *s, uint64_t *count);
bool side_write(struct side *s, uint64_t *count);
/* Tell it that nothing more comes, once everything is written. */
void side_shut(struct side *s);
/* Bring epoll's idea of the side up to date; nothing wanted means not in epoll: a hang-up cannot be masked. */
void side_watch(struct side *s, int epoll, bool want_read);
