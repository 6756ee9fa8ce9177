/* relay_upstream.h - the user's own proxy, as its variable names it; pure */
#pragma once

#include "base/err.h"
#include "enforce/relay_name.h"

#include <stdbool.h>
#include <stdint.h>

/* @auth: value of Proxy-Authorization ("Basic ..."), "" none; a secret: never in a message */
struct upstream {
	bool set;
	enum name_kind kind;
	char host[NAME_MAX_BYTES];
	uint16_t port;
	char auth[1024];
};

/**
 * upstream_parse() - "http://user:pass@host:port/", with or without scheme and slash; percent codes in user and pass
 *
 * NULL and "" give an unset one. Return: 0; -EINVAL with a message that shows no credentials.
 */
int upstream_parse(struct upstream *out, const char *url, struct err *e) MUST;
