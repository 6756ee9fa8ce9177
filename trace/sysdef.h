/* sysdef.h - the table of system calls the recorder sees, with what their arguments mean; pure */
#pragma once

#include "profiles/access.h"

enum call_kind {
	CALL_PATH,     /* op on one or two named objects */
	CALL_OPEN,
	CALL_OPENAT2,  /* .flags points to struct open_how */
	CALL_ACCESS,
	CALL_UNLINKAT, /* rmdir with AT_REMOVEDIR */
	CALL_EXEC,
	CALL_SOCK,
	CALL_SENDMSG,
	CALL_SENDMMSG,
	CALL_LISTEN,
	CALL_CLONE,
	CALL_CLONE3,
	CALL_SECCOMP,
	CALL_URING,
	CALL_NAME,     /* OP_SYSCALL by its name */
	CALL_CHOWN,
	CALL_FCHOWN,
	CALL_UIDS,     /* OP_SYSCALL by its name, where it asks for what root alone may do; so the next two */
	CALL_GIDS,
	CALL_PRIO,
	CALL_LIMIT,    /* where it raises a hard limit */
	CALL_LOCK,     /* where it locks more memory than the limit allows */
	CALL_SOCKET,   /* OP_SYSCALL by its name, the family in flags */
	CALL_QUIET,    /* no event; only what it changes for later calls */
};

/* What the filter tests besides the number. */
enum call_test {
	TEST_NONE,
	TEST_ADDR5,    /* argument 5 is no null pointer */
	TEST_ADDR3,    /* argument 3 */
	TEST_CLONE,    /* namespace flags, or a file system context shared with another process */
	TEST_FAMILY,   /* socket family other than unix, inet, inet6, netlink; raw sockets of inet, inet6 */
	TEST_PTRACE,   /* TRACEME, ATTACH, SEIZE */
	TEST_LISTENER, /* seccomp(SET_MODE_FILTER, NEW_LISTENER) */
	TEST_PERSONA,  /* a personality that is neither the default nor the query */
};

/* What later notifications may no longer take from a cache. */
enum call_after { AFTER_NOTHING, AFTER_CWD, AFTER_ROOT, AFTER_CRED, AFTER_NAMES };

enum { FOLLOW, NOFOLLOW };

/**
 * struct sysdef - one row; positions count from 1, see sysdef.def
 * @nr: on this architecture, -1 where it has no such call
 */
struct sysdef {
	const char *name;
	int generic, nr;
	enum call_kind kind;
	enum op op;
	enum call_test test;
	enum call_after after;
	uint32_t fix;
	uint8_t dir, path, dir2, path2, flags, at, mode, text, argv, addr, len, how, id, net, also_name;
};

/**
 * struct sysdefs - the rows with their numbers found; zero is empty
 * @by_nr: row index + 1 for numbers below its length
 * @newest: highest number this program knows by name; calls above it are seen as unknown
 */
struct sysdefs {
	struct sysdef *rows;
	size_t n;
	uint8_t by_nr[512];
	int newest;
};

/* io_uring_setup, _enter and _register have the same numbers everywhere (asm-generic/unistd.h). */
static inline bool sysdef_is_uring(int nr) { return nr >= 425 && nr <= 427; }

void sysdefs_drop(struct sysdefs *s);
/* -ENOMEM */
int sysdefs_load(struct sysdefs *out);
/* NULL when @nr has no row. */
const struct sysdef *sysdefs_get(const struct sysdefs *s, int nr);
