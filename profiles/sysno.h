/* sysno.h - numbers of system calls by name; pure */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* made while building, from libseccomp's names: sorted, @name an offset into sysno_names */
struct sysno_row { uint16_t name, nr; };
extern const struct sysno_row sysno_rows[];
extern const size_t nsysno_rows;
extern const char sysno_names[];

enum { SYSNO_UNKNOWN = -1 };

/*
 * Number of system call @name on this architecture; SYSNO_UNKNOWN, or below that known and not here. libseccomp is asked
 * only about names that this architecture lacks: its tables are large, and most runs need no page of them.
 */
int sysno(const char *name);
