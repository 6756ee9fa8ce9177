/* decode.h - one notified call into accesses */
#pragma once

#include "trace/predict.h"
#include "trace/resolve.h"
#include "trace/sysdef.h"

#include <linux/seccomp.h>

enum { SEEN_MAX = 24, ARGV_MAX = 64 };

/* One access of a call. */
struct seen {
	struct access acc;
	int outcome;
	enum outcome_source source;
};

/**
 * struct program - what an execve that will succeed starts; strings as those of the resolver
 * @argv:  as the new program will see it (script interpreters put in front)
 * @bare:  its first word, as the caller gave it, is the bare name of the file
 * @setid: it would have changed ids
 * @files: scripts to scan for variables: paths on the host
 */
struct program {
	const char *exe, *argv[ARGV_MAX + 1];
	bool bare;
	const char *package, *script;
	const char *files[8];
	size_t argc, nfiles;
	bool setid;
};

/**
 * struct call - everything one notification said
 * @refuse: answer with this errno instead of letting the call go on
 * @incomplete: reason why something about it stays unknown, or NULL; lives as the resolver's strings
 * @moves:  a directory or a link: cached names are void afterwards
 * @sockfd: of a connect to an inet address, else -1
 */
struct call {
	const struct sysdef *def;
	struct seen seen[SEEN_MAX];
	size_t n;
	int refuse;
	const char *incomplete;
	bool moves, starts;
	struct program program;
	int sockfd;
};

/**
 * struct decoder - borrows everything
 * @quiet_files: --network-only: programs are followed, but no file access is reported
 * @keep_privs: the command's programs may still gain privileges
 * @secrets: values that must not stand in argv
 */
struct decoder {
	struct resolver *names;
	const struct sysdefs *defs;
	bool quiet_files, keep_privs;
	struct predictor predictor;
	const struct redactor *redactor;
};

/**
 * decode_call() - read, resolve and predict one call of @t
 *
 * Return: 0, also where parts stay unknown (call.incomplete); -ESRCH when the caller is gone; -ENOMEM.
 */
int decode_call(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *out) MUST;

/* Shared by the decode_*.c files: */
struct seen *call_add(struct call *c, const struct task *t, enum op op);
void call_incomplete(const struct decoder *d, const struct task *t, struct call *c, const char *what, int err);
/* The string argument at @addr; NULL when the call will fail because of it, or it could not be read. */
const char *call_string(const struct decoder *d, const struct task *t, struct call *c, uint64_t addr);
int call_object(const struct decoder *d, struct task *t, struct call *c, struct seen *s, int which, int dirfd,
                const char *name, unsigned how);
int decode_name(const struct decoder *d, const struct task *t, struct call *c, const char *name, uint32_t flags);
/* Calls that ask for what a confined command may not even as root. */
int decode_privileged(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c);
/* enum chown_flags of the call's new owner and group. */
uint32_t decode_owners(const struct task *t, const struct seccomp_data *in, const struct sysdef *def);
int decode_exec(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c);
int decode_socket(const struct decoder *d, struct task *t, const struct seccomp_data *in, struct call *c);
