/* self.h - snug confines its own helper processes */
#pragma once

#include "base/base.h"
#include "base/err.h"

#include <stddef.h>

enum self_role {
	SELF_RELAY,    /* sockets and memory only, no file at all */
	SELF_RESOLVER, /* getaddrinfo: reads configuration and libraries, talks to name servers */
};

/**
 * self_keep_fds() - close every descriptor but @fds, and put /dev/null at 0, 1 and 2
 * @fds: renumbered in place where they were 0 to 2
 *
 * Needs /dev/null, so it comes before self_confine().
 */
int self_keep_fds(int *fds, size_t n, struct err *e) MUST;

/**
 * self_confine() - take from this process what its role does not need; there is no way back
 *
 * Takes: capabilities, set-uid programs, core dumps, being traced, new programs, and by role: the whole file tree
 * (empty root where the host lets us have a mount namespace, Landlock where the kernel has it) or writing to it;
 * system calls off the role's list answer EPERM.
 * Leaves: open descriptors, the network. Dies with its parent.
 * Return: 0; -errno when no_new_privs or the system call filter could not be had: then the caller must not go on.
 */
int self_confine(enum self_role role, struct err *e) MUST;
