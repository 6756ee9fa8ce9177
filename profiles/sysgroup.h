/* sysgroup.h - which denied system calls belong together, and what is denied by its arguments; pure */
#pragma once

/**
 * struct sys_group - calls that are denied for one reason
 * @names: up to a NULL; none where arguments decide, see enforce/filter.c
 * @what:  what they would open, for people
 */
struct sys_group {
	const char *name, *what;
	const char *names[16];
};

/* Ends with a NULL name. */
extern const struct sys_group sys_groups[];

/* The group that @call is in, or NULL. */
const struct sys_group *sys_group_of(const char *call);
