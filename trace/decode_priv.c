/* Calls that root may make and a confined root, having no capabilities, may not. */
#include "trace/decode.h"
#include "trace/tmem.h"

#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

enum { SAME = -1 }; /* an id that is to stay */

/* linux/ioprio.h */
enum { IO_PGRP = 2, IO_SHIFT = 13, IO_MASK = 7, IO_REALTIME = 1 };

/* The call just noted needs @cap, which its caller may lack outside too: then it is known how it ends. */
static int without(const struct task *t, struct call *c, int err, unsigned cap, int outcome)
{
	if (err || !c->n || t->creds.caps >> cap & 1)
		return err;
	c->seen[c->n - 1].outcome = outcome;
	c->seen[c->n - 1].source = OUT_PREDICTED;
	return 0;
}

static bool member(const struct creds *c, uint32_t gid)
{
	for (size_t i = 0; i < c->ngroups; i++)
		if (c->groups[i] == gid)
			return true;
	return false;
}

uint32_t decode_owners(const struct task *t, const struct seccomp_data *in, const struct sysdef *def)
{
	uint32_t uid = (uint32_t)in->args[def->id - 1], gid = (uint32_t)in->args[def->id], flags = 0;
	if (uid != (uint32_t)SAME && uid != t->creds.uid)
		flags |= CHOWN_OWNER;
	if (gid != (uint32_t)SAME && gid != t->creds.gid)
		flags |= member(&t->creds, gid) ? CHOWN_MEMBER : CHOWN_GROUP;
	return flags;
}

/* Opening has said all of the file but this. */
static int owner_of_open(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c)
{
	uint32_t flags = decode_owners(t, in, c->def);
	if (!flags || d->quiet_files)
		return 0;
	struct seen *s = call_add(c, t, OP_CHOWN);
	s->acc.flags = flags;
	int err = call_object(d, t, c, s, 0, (int)in->args[0], "", RES_EMPTY);
	if (err || !s->acc.obj[0].path || s->acc.obj[0].path[0] != '/') {
		c->n--;
		return err < 0 ? err : 0;
	}
	s->outcome = predict(&d->predictor, &s->acc, &t->creds, &s->source);
	return 0;
}

static int ids(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c, uint32_t own,
               unsigned cap)
{
	for (uint8_t i = 0; i < c->def->len; i++) {
		uint32_t id = (uint32_t)in->args[i];
		if (id == (uint32_t)SAME || id == own)
			continue;
		int err = decode_name(d, t, c, c->def->name, 0);
		/* others may go back to a saved id, and in a user namespace there are more capabilities than the host's */
		return t->creds.uid || t->other_user ? err : without(t, c, err, cap, EPERM);
	}
	return 0;
}

/* SCHED_FIFO and the like; struct sched_attr (sched_setattr(2)) begins with its size, then has the policy. */
static bool real_time(const struct task *t, const struct seccomp_data *in)
{
	uint32_t attr[2] = { 0, (uint32_t)in->args[1] & ~(uint32_t)SCHED_RESET_ON_FORK };
	if (in->nr == SYS_sched_setattr && tmem_read(t->tid, in->args[1], attr, sizeof(attr)))
		return false;
	return attr[1] == SCHED_FIFO || attr[1] == SCHED_RR || attr[1] == 6; /* SCHED_DEADLINE */
}

/* flags of the event: 1 where a whole process group is meant, which the filter of run refuses to everybody */
static int priority(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c)
{
	bool asks, group = false;
	if (in->nr == SYS_setpriority) {
		group = (int)in->args[0] == PRIO_PGRP;
		asks = (int)in->args[2] < 0;
	} else if (in->nr == SYS_ioprio_set) {
		group = (int)in->args[0] == IO_PGRP;
		asks = ((int)in->args[2] >> IO_SHIFT & IO_MASK) == IO_REALTIME;
	} else {
		asks = real_time(t, in);
	}
	return asks || group ? decode_name(d, t, c, c->def->name, group) : 0;
}

/* Whether the kernel has such a family at all, and for whom, it tells only when asked. */
static int family(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c)
{
	int err = decode_name(d, t, c, c->def->name, (uint32_t)in->args[0]);
	if (err || t->creds.uid != d->predictor.self.uid || t->creds.dac != d->predictor.self.dac)
		return err;
	OWN(fd) s = fd_own(socket((int)in->args[0], (int)in->args[1] | SOCK_CLOEXEC, (int)in->args[2]));
	c->seen[0].outcome = s.plus1 ? 0 : errno;
	c->seen[0].source = OUT_PREDICTED;
	return 0;
}

/* The highest hard limit of descriptors that even root may set, proc_sys_fs(5). */
static rlim_t most_files(void)
{
	unsigned long n = 0;
	FILE *f = fopen("/proc/sys/fs/nr_open", "re");
	bool got = f && fscanf(f, "%lu", &n) == 1;
	if (f)
		fclose(f);
	return got ? n : RLIM_INFINITY;
}

/* Raises the caller's hard limit, or that of the process it names? */
static int raise_limit(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c)
{
	bool other = in->nr == SYS_prlimit64;
	pid_t pid = other && (pid_t)in->args[0] ? (pid_t)in->args[0] : t->group->tgid;
	struct rlimit old, new; /* 64 bits wide on every 64-bit Linux, setrlimit(2) */
	if (tmem_read(t->tid, in->args[c->def->addr - 1], &new, sizeof(new)) ||
	    prlimit(pid, (__rlimit_resource_t)in->args[other], NULL, &old) < 0)
		return 0;
	if (new.rlim_max <= old.rlim_max || new.rlim_cur > new.rlim_max)
		return 0;
	int err = without(t, c, decode_name(d, t, c, c->def->name, 0), CAP_SYS_RESOURCE, EPERM);
	if (!err && in->args[other] == RLIMIT_NOFILE && new.rlim_max > most_files()) {
		c->seen[c->n - 1].outcome = EPERM;
		c->seen[c->n - 1].source = OUT_PREDICTED;
	}
	return err;
}

/* Bytes of "VmLck", "VmSize" in /proc/PID/status. */
static uint64_t memory_of(const struct task *t, const char *key)
{
	char path[48], line[128];
	unsigned long kib = 0;
	size_t n = strlen(key);
	snprintf(path, sizeof(path), "/proc/%d/status", t->tid);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, n) && sscanf(line + n, ": %lu kB", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return (uint64_t)kib * 1024;
}

/* flags of the event: 1 where the limit is 0, so that nothing may be locked at all (mlock(2)) */
static int lock_memory(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c)
{
	enum { CURRENT = 1 }; /* MCL_CURRENT */
	struct rlimit lim;
	if (prlimit(t->group->tgid, RLIMIT_MEMLOCK, NULL, &lim) < 0 || lim.rlim_cur == RLIM_INFINITY)
		return 0;
	uint64_t want = c->def->len ? in->args[c->def->len - 1] + memory_of(t, "VmLck")
	                            : in->args[0] & CURRENT ? memory_of(t, "VmSize") : 0;
	bool more = want > lim.rlim_cur || want < (c->def->len ? in->args[c->def->len - 1] : 0) || !lim.rlim_cur;
	if (!more)
		return 0;
	return without(t, c, decode_name(d, t, c, c->def->name, !lim.rlim_cur), CAP_IPC_LOCK, lim.rlim_cur ? ENOMEM : EPERM);
}

int decode_privileged(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c)
{
	switch ((int)c->def->kind) {
	case CALL_FCHOWN:
		return owner_of_open(d, t, in, c);
	case CALL_UIDS:
		return ids(d, t, in, c, t->creds.uid, CAP_SETUID);
	case CALL_GIDS:
		return ids(d, t, in, c, t->creds.gid, CAP_SETGID);
	case CALL_PRIO:
		return priority(d, t, in, c);
	case CALL_LIMIT:
		return raise_limit(d, t, in, c);
	case CALL_LOCK:
		return lock_memory(d, t, in, c);
	}
	return family(d, t, in, c);
}
