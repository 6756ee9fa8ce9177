/* notify.h - the seccomp listener: install, take over, receive, answer */
#pragma once

#include "base/err.h"
#include "base/fd.h"
#include "trace/callfilter.h"

#include <linux/seccomp.h>
#include <stdbool.h>
#include <sys/types.h>

/**
 * notify_install() - put @f on this thread and all it will start, with a listener
 * @keep_privs: no no_new_privs; only where the caller has CAP_SYS_ADMIN
 *
 * Makes no call that @f notifies. Return: the listener's number; -EBUSY: another listener (an outer audit,
 * a container manager) is there already; -ENOSYS, -EINVAL: no such kernel feature.
 */
int notify_install(const struct callfilter *f, bool keep_privs) MUST;

/**
 * notify_take() - get listener @number out of @pid, and ask for synchronous wake-ups
 * @sync: told whether the kernel has them
 * See: pidfd_getfd(2), Linux >= 5.6.
 */
int notify_take(struct fd *out, pid_t pid, int number, bool *sync, struct err *e) MUST;

/* One notification. Return: 0; -ENOENT: the caller died meanwhile; -EINTR; other: the listener is useless. */
int notify_recv(int listener, struct seccomp_notif *out) MUST;

/* Let the call go on. -ENOENT: it was interrupted or its thread died, so it did not happen (yet). */
int notify_continue(int listener, uint64_t id) MUST;

/* Answer the call with @error instead. */
int notify_refuse(int listener, uint64_t id, int error) MUST;

/* Ask for synchronous wake-ups, which are faster. Return: the kernel has them. */
bool notify_sync(int listener);
