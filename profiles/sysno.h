/* sysno.h - numbers of system calls by name; pure */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* made while building, from libseccomp's names: sorted, @name an offset into sysno_names */
struct sysno_row { uint16_t name; int16_t nr; };
extern const struct sysno_row sysno_rows[];
extern const size_t nsysno_rows;
extern const char sysno_names[];

enum { SYSNO_UNKNOWN = -1, SYSNO_FOREIGN = -2 };

/*
 * Number of system call @name on this architecture; SYSNO_UNKNOWN; or below that, as SYSNO_FOREIGN is: known and not here. libseccomp is asked
 * only about names that this architecture lacks and no built-in profile has: its tables are large.
 */
int sysno(const char *name);
