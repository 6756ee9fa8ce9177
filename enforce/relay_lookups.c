/* relay_lookups.c - names on their way to and from the resolver, kept for seconds */
#include "enforce/relay_lookups.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static bool is_free(const struct lookup *i, uint64_t now_ms)
{
	return i->id == 0 || (i->ready && now_ms >= i->until_ms);
}

const struct lookup *lookups_get(struct lookups *l, const char *host, uint64_t now_ms)
{
	struct lookup *slot = NULL;
	for (size_t i = 0; i < LOOKUPS_MAX; i++) {
		struct lookup *at = &l->items[i];
		if (is_free(at, now_ms))
			slot = at;
		else if (strcmp(at->host, host) == 0)
			return at;
	}
	if (!slot || !l->sock.plus1)
		return NULL;
	struct resolve_ask q = { .id = ++l->last_id ? l->last_id : ++l->last_id };
	snprintf(q.host, sizeof(q.host), "%s", host);
	if (send(fd_no(l->sock), &q, sizeof(q), MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof(q))
		return NULL;
	*slot = (struct lookup){ .id = q.id };
	memcpy(slot->host, q.host, sizeof(slot->host));
	return slot;
}

const struct lookup *lookups_next(struct lookups *l, uint64_t now_ms)
{
	struct resolve_answer a;
	while (l->sock.plus1) {
		ssize_t n = recv(fd_no(l->sock), &a, sizeof(a), MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return NULL;
		if (n != sizeof(a) || a.n > ANSWER_ADDRS) {
			fd_drop(&l->sock);
			return NULL;
		}
		for (size_t i = 0; i < LOOKUPS_MAX; i++) {
			struct lookup *at = &l->items[i];
			if (at->id != a.id || at->ready)
				continue;
			at->ready = true;
			at->answer = a;
			/* a failure is told to those who wait for it, and forgotten */
			at->until_ms = a.code ? now_ms : now_ms + LOOKUP_KEEP_MS;
			return at;
		}
	}
	return NULL;
}
