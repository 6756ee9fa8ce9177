/* policy.h - the resolved form: absolute paths in mount order, nothing left to look up; and its judge; pure */
#pragma once

#include "profiles/access.h"
#include "profiles/profile.h"

/*
 * The confined view is the list of places, done in order (parents before children) on an empty tmpfs
 * root that is made read-only at the end. What no place covers is absent; directories that lead to a
 * place are made in the tmpfs they lie in. The engine performs the list, the judge reads it.
 */
enum place_kind {
	PLACE_BIND,  /* @source (host) at @path, @mode ro or rw, recursive */
	PLACE_COPY,  /* regular file copied in, written back; @path lies in a private place */
	PLACE_TMPFS, /* empty, private, writable: home, /tmp, /run, tmpfs entries. @size bytes, 0 default */
	PLACE_LINK,  /* symbolic link with @text, unless a place already shows it */
	PLACE_PROC, PLACE_DEV, PLACE_SHM, PLACE_SYS,
	PLACE_STUB,  /* small generated file: /etc/passwd, /etc/group; content in @text */
	PLACE_MASK,  /* mask and deny.read: an empty object of mode 000, read-only, on an existing path */
	PLACE_FENCE, /* deny.write: @path bound onto itself read-only */
	PLACE_PIN,   /* an ancestor of a mask or fence under a rw bind, bound onto itself rw */
};

struct place {
	enum place_kind kind;
	const char *path, *source, *text;
	enum bind_mode mode;
	enum bind_create create;
	enum file_type type; /* of the object on the host; FT_UNKNOWN when no fact says */
	bool optional;
	bool apart;          /* as bind.apart */
	bool deny;           /* PLACE_MASK by deny.read */
	bool kept;           /* PLACE_BIND of home: persist: what leads to places inside may be made in it, on the
	                      * host. The judge takes it as empty at the start */
	const char *overlay; /* PLACE_BIND, rw: a directory with "lower", "upper" and "work": @source is shown as the lower
	                      * layer and never written. Set by who shadows; the judge does not care */
	uint64_t size;
	struct src src;
	const struct hop *hops; /* of the source, the host's; used while resolving only */
	size_t nhops;
};

/*
 * Details the engine and the judge share:
 * - paths are canonical: where a profile names a path through symbolic links, the place stands at the final object
 *   and each link that was passed is a PLACE_LINK. A PLACE_COPY stands at the link's own place and its source is the
 *   final object. A copy of an absent file (FT_NONE) shows nothing at first; a file that exists there at the end is
 *   written back.
 * - order: parents before children, a path's subtree in one piece ("/a", "/a/b", "/a-b").
 * - at most one place per path, but a PLACE_PIN or PLACE_FENCE never stands where a bind does: a bind is a mount point
 *   already, and a fence on a bind's own path has made that bind ro.
 * - binds that an enclosing bind shows already with the same mode are left out.
 * - PIN and FENCE: @source is the host path shown at @path (they differ below a bind with a target).
 * - @optional: skip in silence when the source is gone by the time the engine comes.
 */

/**
 * struct ban - a mask or deny line as canonical host path, whether or not a place shows what it hides
 * @write_only: deny.write; else reading and writing
 *
 * The judge names its line where an object under it is not in the view; learn never suggests it.
 */
struct ban {
	const char *path;
	bool write_only;
	struct src src;
};

/**
 * struct host_rule - one pattern of proxy.allow_hosts or deny_hosts
 * @name: lower case; "*.x", ".x", "x"; NULL when @family is set
 * @port: 0: 80 and 443 where the pattern names no port (in deny_hosts: any); -1: any
 * @text: the pattern as written
 */
struct host_rule {
	const char *name, *text;
	int port;
	enum family family;
	uint8_t addr[16];
	uint8_t bits;
	struct src src;
};

struct policy {
	struct arena arena;
	struct place *places;
	size_t nplaces;
	struct map by_path; /* place path -> index + 1 of the last place at that path */
	struct map vacant;  /* path of an optional line that is not there -> its struct src: granted, ENOENT */
	struct ban *bans;
	size_t nbans;
	SAID(enum net_mode) network;
	struct host_rule *allow_hosts, *deny_hosts;
	size_t nallow_hosts, ndeny_hosts;
	bool all_hosts; /* bare --allow-net */
	struct wordlist env_allow, env_deny, prepend_path; /* prepend_path expanded */
	struct envlist env_set; /* expanded; HOME, USER, LOGNAME, TMPDIR, PWD, XDG_*_HOME and a PATH by default. Set
	                           beats passed through. prepend_path is not yet in PATH; proxy variables are not here */
	enum tri clear_env;
	SAID(enum sys_action) action;
	struct wordlist sys_deny; /* what is denied: deny without allow; userns and ptrace calls unless special says so */
	bool userns, ptrace, shm;
	const char *cwd, *home, *project, *tmp;
	enum project_mode project_mode;
	enum home_mode home_mode;
	uint32_t uid, gid;
	uint32_t *groups;
	size_t ngroups;
	bool privileged;
	struct wordlist notes;  /* for explain: prices and absences ("rename into {project}/.git is EXDEV: ...") */
	struct wordlist profiles;
};

void policy_drop(struct policy *p);

/**
 * path_expand() - @text of a profile's line @src as clean absolute path in @a
 *
 * Return: 0; -EINVAL "user:x:3: {project} has no value here: ..."; -ENOMEM.
 */
int path_expand(const char **out, struct arena *a, const struct host *h, const char *text, const struct src *src,
                struct err *e) MUST;

/* Where {scratch} is inside: a private directory of the run. */
#define SCRATCH_DIR "/run/snug/scratch"

/**
 * profile_paths() - every clean absolute path whose host_file fact policy_resolve() will want
 *
 * Expands placeholders; lines whose placeholder has no value are left for policy_resolve() to refuse.
 * Appends to @out in @a, each once. Return: 0, -ENOMEM.
 */
int profile_paths(const struct profile *p, const struct host *h, struct arena *a,
                  struct wordlist *out, struct err *e) MUST;

/**
 * policy_resolve() - composed profile and host facts to policy; the only home of defaults
 * @strict: for run: a required source that is known to be absent, an unpromisable deny.write, a copy in no
 *          private place are errors; otherwise (judging) they are notes
 *
 * Return: 0; -EINVAL with file:line of the offending line; -ENOMEM.
 */
int policy_resolve(struct policy *out, const struct profile *p, const struct host *h, bool strict,
                   struct err *e) MUST;

/**
 * struct proc_cover - an entry of /proc that is covered in every view
 * @mask: by an empty object of mode 000, else it is read-only
 * @root_only: only where policy.privileged: otherwise mode bits keep it
 */
struct proc_cover {
	const char *name;
	bool mask, root_only;
};
/* ends with a NULL name */
extern const struct proc_cover proc_covers[];

/* ---- the judge ---- */

enum verdict { V_GRANTED, V_PRIVATE, V_MISSING, V_DENIED };

/**
 * struct made - what the command made, moved or removed in private places so far, in the confined world
 *
 * A caller who judges a sequence keeps one and passes every access through made_apply() after judging
 * it. A zeroed one is the start of a run.
 */
struct made {
	struct arena arena;
	struct map by_path; /* path -> (void *)(uintptr_t)enum file_type; FT_NONE: removed */
	struct map entries; /* directory -> (void *)(uintptr_t) how many names by_path has in it that are there */
};
void made_drop(struct made *m);

/**
 * struct judgement - how an access would go confined
 * @err: errno the command would meet; 0 when it succeeds. ECONNREFUSED and the like for sockets,
 *       403 (EACCES with @http set) for hosts
 * @by:  the line that grants, hides or denies; NULL: no line, i.e. the empty root
 * @at:  path that decided where that is not the object (a link, an ancestor, the other object)
 * @why: short static words: "not in the view", "read-only", "crosses a mount", ...
 */
struct judgement {
	enum verdict verdict;
	int err;
	int http;
	const struct src *by;
	const char *at;
	const char *why;
};

/**
 * policy_judge() - the one resolver of explain, audit and engine
 * @m: confined world so far, borrowed; NULL: nothing was made
 *
 * Pure: same arguments, same answer. Verdict and err speak of the confined run; whether the access failed
 * anyway outside is the caller's to compare. Where the object did not exist outside and is asked for in a place
 * that is bound, the answer is the same errno as outside, with V_GRANTED.
 */
struct judgement policy_judge(const struct policy *pol, const struct access *a,
                              const struct host *h, const struct made *m);

/* Record in @m what @a does to private places given its judgement @j. -ENOMEM. */
int made_apply(struct made *m, const struct policy *pol, const struct access *a,
               const struct judgement *j);

/**
 * enum place_reach - what the second layer (Landlock) lets the command do at and below a place
 *
 * Rights add up from the root of the view down: something read-only inside a place of REACH_ALL is kept by its mount
 * alone.
 */
enum place_reach {
	REACH_LOOK,   /* read and execute, as everywhere in the view */
	REACH_CHANGE, /* write what is there: /proc, /dev */
	REACH_ALL,    /* make, remove, move as well */
};
enum place_reach place_reach(const struct place *p);

/* Does some place on the way to @path let what is there be written, as far as that layer goes? */
bool policy_lets_write(const struct policy *pol, const char *path);

/* The innermost place that covers @path (clean, absolute), or NULL: the empty root. */
const struct place *policy_place(const struct policy *pol, const char *path);

/**
 * policy_ask_host() - may the command reach @host:@port through the proxy?
 * @host: as asked: name (any case, optional trailing dot) or address without brackets
 * @by:   set to the deciding line, NULL when none matched
 *
 * Return: V_GRANTED, V_DENIED (a deny_hosts line), V_MISSING.
 */
enum verdict policy_ask_host(const struct policy *pol, const char *host, uint16_t port,
                             const struct src **by);

/* The deny_hosts line that refuses @host:@port, and would in mode proxy whatever is granted besides; else NULL. */
const struct src *policy_host_denied(const struct policy *pol, const char *host, uint16_t port);

/* Does a line name loopback itself? Then the host's is meant, which only the proxy reaches; else it is the command's own. */
bool policy_names_loopback(const struct policy *pol);

/* Does the confined environment carry variable @name, and by which line? */
enum verdict policy_ask_env(const struct policy *pol, const char *name, const struct src **by);

/* Parse "x", "*.x", ".x", "x:443", "x:*", "10.0.0.0/8", "[fd00::/8]:443". -EINVAL with the reason in @e. */
int host_rule_parse(struct host_rule *out, struct arena *a, const char *text, struct err *e) MUST;
bool host_rule_match(const struct host_rule *r, const char *host, uint16_t port);

/* errno a denied system call answers: ENOSYS where programs have a fall-back, EPERM where every kernel has it. */
int sys_deny_errno(const char *name);
const char *verdict_word(enum verdict v);
