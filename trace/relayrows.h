/* relayrows.h - what the proxy saw becomes host events and sums */
#pragma once

#include "trace/recorder.h"

/* Read the rows that are there. Return: 1 more may come, 0 the relay is gone, 2 that was relay_flush()'s last one. */
int relayrows_read(struct recorder *r, int fd);

/* Direct inet connects so far, as sums too. */
void relayrows_direct(struct recorder *r);
