/* stage.h - builds the scratch tree, performs accesses outside under the recorder and inside under the engine */
#pragma once

#include "base/err.h"
#include "enforce/box.h"
#include "tests/difftest/gen.h"
#include "trace/recording.h"

enum { WANTS_MAX = 512, SOCKETS_MAX = 256 };

/**
 * struct stage - what is on disk and open while a round lasts
 * @doer: the built difft_do
 */
struct stage {
	const struct round *round;
	const char *doer;
	int sockets[SOCKETS_MAX + 1];
	size_t nsockets;
};

/* Make (afresh) all of the round's tree, listen on its sockets and on @difft-host-PID. */
int stage_build(struct stage *w, struct err *e) MUST;
/* Remove it all, whatever its modes are now. */
void stage_remove(struct stage *w);

/**
 * stage_outside() - run the list under the recorder
 * @errs: errno per want; those that are for inside only stay -1
 */
int stage_outside(struct stage *w, const struct host *h, struct recording *rec, int *errs, struct err *e) MUST;
/* Run the list in the real engine. */
int stage_inside(struct stage *w, struct policy *pol, int *errs, struct err *e) MUST;
/* The environment of both, in @a. */
char **stage_env(const struct round *r, struct arena *a);
