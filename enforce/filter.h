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
