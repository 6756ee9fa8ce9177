/* sockports.h - which program a connection to the proxy belongs to, by its local port */
#pragma once

#include "base/fd.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SOCKPORTS_PENDING = 32 };

/**
 * struct sockports - zero is empty
 * @pending: copies of sockets whose connect was let go and that have no port yet
 * @by_port: image + 1 of the newest connection from each port; allocated with the first one
 * @opened: connections seen
 */
struct sockports {
	struct { struct fd sock; uint32_t proc; uint64_t ns; } pending[SOCKPORTS_PENDING];
	size_t npending, opened;
	uint32_t *by_port;
};

void sockports_drop(struct sockports *s);

/* Before the connect of @tgid's descriptor @fd goes on. */
void sockports_expect(struct sockports *s, pid_t tgid, int fd, uint32_t proc, uint64_t now);

/*
 * After it went on: look whether pending sockets have their port. A copy is let go as soon as it has one, or
 * after a short while, since it would keep the connection open past the program's own close.
 */
void sockports_poll(struct sockports *s, uint64_t now);

/* Image of the connection from local @port; 0 unknown. */
uint32_t sockports_get(const struct sockports *s, uint16_t port);
