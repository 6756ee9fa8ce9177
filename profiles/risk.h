/* risk.h - what a grant gives away, in six words; pure */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The worst last. */
enum risk {
	RISK_NONE,
	RISK_TRUST,   /* what runs later outside, or acts for the user there */
	RISK_DATA,    /* secrets, or all that can be read */
	RISK_SIGNING, /* keys that sign and log in, by file or by an agent */
	RISK_KERNEL,  /* kernel-surface: much kernel code to find a hole in */
	RISK_ROOT,    /* root-equivalent */
};
const char *risk_word(enum risk r);

/**
 * struct risk_path - a place with a risk
 * @path:       absolute, or below home
 * @write_only: only writing it is one
 */
struct risk_path {
	const char *path;
	bool below_home, write_only;
	enum risk risk;
	const char *why;
};
/* ends with a NULL path */
extern const struct risk_path risk_paths[];

/* The row that @path (absolute) belongs to, or NULL. @home may be NULL. */
const struct risk_path *risk_of_path(const char *path, const char *home, bool write);

/* What calling @name opens. */
enum risk risk_of_call(const char *name);

/* What passing the variable @name on gives away. */
enum risk risk_of_variable(const char *name);
