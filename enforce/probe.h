/* probe.h - what this host can do, each tried for real in a process of its own */
#pragma once

#include "base/err.h"

#include <stddef.h>

/**
 * struct probe - one thing that a verb, or a later one, stands on
 * @what:  for people
 * @serves: who needs it
 */
struct probe {
	const char *name, *what, *serves;
	/* private: 0 with a remark in @note, or -errno with the remedy in @e */
	int (*try)(char *note, size_t size, struct err *e);
};

/* Ends with a NULL name. */
extern const struct probe probes[];

enum { PROBE_NOTE = 200 };

/**
 * probe_try() - try it; whatever it makes goes with its process
 * @note: PROBE_NOTE bytes; what is worth knowing where it works, or ""
 *
 * Return: 0; -errno with the reason and the remedy in @e.
 */
int probe_try(const struct probe *p, char *note, struct err *e) MUST;
