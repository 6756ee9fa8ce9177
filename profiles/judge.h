/* judge.h - the judge's parts among themselves: rules per operation, sockets, names; pure */
#pragma once

#include "profiles/view.h"

/*
 * The differential test inverts one named rule at a time in a build of its own and must notice. In the
 * product RULE() is its second argument.
 */
enum judge_rule {
	RULE_NONE,
	RULE_LINK_VISIBLE,  /* every link passed must be in the view */
	RULE_AUTO_DIR,      /* directories that lead to a place exist */
	RULE_READ_ONLY,     /* a write to a read-only mount is EROFS */
	RULE_MOUNT_BUSY,    /* a mount point cannot be removed or moved */
	RULE_CROSS_MOUNT,   /* rename and link across mounts are EXDEV */
	RULE_EXISTS_FIRST,  /* EEXIST comes before EROFS where a name is made */
	RULE_MASK_CLOSED,   /* a masked object has mode 000 */
	RULE_PRIVATE_EMPTY, /* what lies in home or /tmp outside is not there inside */
	RULE_MODE_BITS,     /* without capabilities mode bits hold */
	RULE_SPECIAL_WRITE, /* fifos and devices may be written on a read-only mount */
	RULE_SECOND_LAYER,  /* but not where no place lets: Landlock */
	RULE_NO_DEVICES,    /* device nodes in a bound tree are shut off */
	RULE_MUST_BE_DIR,   /* a slash at the end wants a directory */
	RULE_DIR_WRITE,     /* a directory cannot be opened for writing */
	RULE_NOT_EMPTY,     /* what the command has put into a directory keeps it */
	RULE_MADE_SEEN,     /* what the command made is there, what it removed is not */
	RULE_OWN_NET,       /* without the host's network there is loopback only */
	RULE_LOW_PORT,      /* ports below 1024 are nobody's */
	RULE_FAR_NAMES,     /* abstract sockets of others are out of reach */
	RULE_CALL_OFF,      /* denied system calls answer an errno */
	RULE_ENV_SHUT,      /* variables that nobody grants are not there */
	RULE_COUNT
};

#ifdef JUDGE_MUTABLE
extern int judge_mutation;
#define RULE(id, x) (!!(x) != (judge_mutation == RULE_##id))
#else
#define RULE(id, x) (x)
#endif

/* An errno with who decided it. @sight NULL: the access itself, no place. */
struct reply {
	int err;
	const struct sight *sight;
	const char *why;
};

/* One access as a world shows it. */
struct call {
	struct world w;
	struct seen seen[2];
};

/* Walk to each object of @c's access. */
void call_walk(struct call *c);

/* What the kernel answers to a file operation, in the kernel's order of checks. */
struct reply judge_file(const struct call *c);

/* Sockets by address, hosts, system calls, variables. */
struct judgement judge_other(const struct policy *pol, const struct access *a, const struct made *m);

/* Key in made.by_path of a listening port or abstract name, into @buf. */
const char *made_socket(char *buf, size_t size, const struct access *a);
/* The peer's host part is this machine's loopback or unspecified address? */
bool judge_loopback(const char *spelled);
/* Does a system call ask for a capability, which no confined process has, whatever the profile's list says? */
bool judge_needs_capability(const char *name);
