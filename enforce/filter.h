/* filter.h - the policy's system call filter as classic BPF; pure */
#pragma once

#include "base/err.h"
#include "profiles/policy.h"

#include <linux/filter.h>

/**
 * struct filter - an owned program; zero is empty
 */
struct filter {
	struct sock_filter *items;
	size_t n, cap;
};
void filter_drop(struct filter *f);

/**
 * filter_lines() - what the command may call under @pol, one line after the other
 *
 * Foreign architectures and numbers newer than we know answer ENOSYS; then the names of sys_deny by the policy's action;
 * then calls that only some arguments make dangerous: namespaces, TIOCSTI, socket families.
 * Return: 0; -EINVAL for a name nobody knows; -ENOMEM.
 */
int filter_lines(struct filter *out, const struct policy *pol, struct err *e) MUST;

/* The same, ready to be loaded: see filter_tree.h. */
int filter_make(struct filter *out, const struct policy *pol, struct err *e) MUST;

/**
 * filter_make_watched() - the same for a command that somebody watches (box_opts.watch)
 * @front: instructions to go in front of the watcher's program, the number in A: they hand calls over to it
 *
 * The filter's own refusal would outrank the watcher's, who then would not see the call. So the names of sys_deny that
 * answer an errno are handed over, and the watcher must refuse each (see filter_handed()); where nobody listens any
 * more the kernel says ENOSYS.
 */
int filter_make_watched(struct filter *out, struct filter *front, const struct policy *pol, struct err *e) MUST;

/* Is the @i-th name of sys_deny handed over? Then *@nr is its number, and sys_deny_errno() what it must answer. */
bool filter_handed(const struct policy *pol, size_t i, int *nr);
