/* relayrows.h - what the proxy saw becomes host events and sums */
#pragma once

#include "trace/recorder.h"

/* Read the rows that are there. Return: 0 at the end of the log. */
int relayrows_read(struct recorder *r, int fd);

/* Direct inet connects so far, as sums too. */
void relayrows_direct(struct recorder *r);
