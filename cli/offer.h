/* offer.h - the proxy that an audit offers: environment, listener, relay that allows everything */
#pragma once

#include "base/arena.h"
#include "enforce/relay.h"

/**
 * struct offer - a running proxy; zero offers none
 * @env: the command's environment, the user's plus the proxy variables
 */
struct offer {
	struct arena arena;
	struct relay relay;
	uint16_t port;
	char **env;
};
void offer_drop(struct offer *o);

int offer_start(struct offer *out, char *const *envp, struct err *e) MUST;
