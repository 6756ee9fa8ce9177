/* finish.h - how snug ends */
#pragma once

struct err;

/* "snug: MESSAGE" */
void finish_say(const struct err *e);

/* @code, or EXIT_SNUG where what a verb printed has not arrived. */
int finish(int code);

/*
 * End with exit code @code as main would, without giving memory back piece by piece: after a fork each piece has to be
 * copied before it can be freed. What has descriptors or processes must be dropped before.
 */
_Noreturn void leave(int code);
