/* access.h - one access with the facts a judge needs; what trace writes, learn folds, policy judges; pure */
#pragma once

#include "profiles/host.h"

/* Operations. OP(id, word in files, objects, object is a file) */
#define ACCESS_OPS(OP)                                                                            \
	OP(STAT, "stat", 1, 1)         /* look: stat family, O_PATH, statfs, getxattr, access F_OK */ \
	OP(ACCESS, "access", 1, 1)     /* access(2) with R/W/X bits in flags */                   \
	OP(READLINK, "readlink", 1, 1)                                                            \
	OP(CHDIR, "chdir", 1, 1)       /* chdir, chroot */                                        \
	OP(OPEN, "open", 1, 1)         /* flags are open(2)'s */                                  \
	OP(TRUNCATE, "truncate", 1, 1)                                                            \
	OP(CHMOD, "chmod", 1, 1)                                                                  \
	OP(CHOWN, "chown", 1, 1)                                                                  \
	OP(UTIME, "utime", 1, 1)                                                                  \
	OP(SETXATTR, "setxattr", 1, 1) /* removexattr too */                                      \
	OP(MKDIR, "mkdir", 1, 1)                                                                  \
	OP(RMDIR, "rmdir", 1, 1)                                                                  \
	OP(UNLINK, "unlink", 1, 1)                                                                \
	OP(SYMLINK, "symlink", 1, 1)   /* the new name; text is in access.text */                 \
	OP(MKNOD, "mknod", 1, 1)       /* mode in flags */                                        \
	OP(RENAME, "rename", 2, 1)     /* flags are renameat2(2)'s */                             \
	OP(LINK, "link", 2, 1)                                                                    \
	OP(EXEC, "exec", 1, 1)                                                                    \
	OP(LOAD, "load", 1, 1)         /* opened by the kernel for exec: interpreter, ELF loader */ \
	OP(CONNECT, "connect", 1, 0)   /* file object too where the family is unix */             \
	OP(BIND, "bind", 1, 0)                                                                    \
	OP(LISTEN, "listen", 1, 0)                                                                \
	OP(SEND, "send", 1, 0)         /* datagram with an address */                             \
	OP(HOST, "host", 1, 0)         /* name:port asked of the proxy */                         \
	OP(SYSCALL, "syscall", 1, 0)   /* a privileged or denied call, by name */                 \
	OP(ENV, "env", 1, 0)           /* an environment variable with evidence of use */

enum op {
#define OP(id, word, objects, file) OP_##id,
	ACCESS_OPS(OP)
#undef OP
	OP_COUNT
};

/* access.family: how a socket access names its peer */
enum family { FAM_NONE, FAM_UNIX, FAM_ABSTRACT, FAM_INET, FAM_INET6, FAM_NETLINK, FAM_OTHER };

/**
 * struct object - one object of an access, looked up with the caller's root, cwd and credentials
 * @spelled: bytes the caller passed ("@name" for abstract sockets, "1.2.3.4:80", "[::1]:80",
 *           "example.org:443", a syscall's or variable's name)
 * @path:    canonical absolute path of the final object: all links followed that the call follows;
 *           for a missing one: canonical deepest existing parent + the remaining names. A process'
 *           own /proc entries stand as /proc/self/..., those of its tree as /proc/tree/..., of
 *           others as /proc/other/...; memfd and deleted objects as "memfd:NAME", "deleted:NAME".
 *           NULL for what is no file
 * @hops:    links passed and directories left by "..", in walking order
 * @type:    FT_NONE when it does not exist
 * @mode:    st_mode's permission bits and sticky, set-id bits
 * @dev:     st_dev of the object, or of @dir when it is missing
 * @dir:     canonical directory that holds it, or the deepest existing one when it is missing
 * @missing: names below @dir that do not exist (0 exists, 1 only the last one is missing)
 * @dir_mode, @dir_uid, @dir_gid: of @dir
 * @blocked: canonical directory that plain mode bits do not let the caller's ids search (what root
 *           without capabilities would meet), or NULL
 * @walk_err: errno that the walk itself met (ENOTDIR, ELOOP, EACCES, ENAMETOOLONG), else 0
 */
struct object {
	const char *spelled, *path;
	struct hop *hops;
	size_t nhops;
	enum file_type type;
	uint32_t mode, uid, gid;
	uint64_t dev, ino, size;
	uint32_t nlink;
	int walk_err;
	const char *dir;
	uint32_t missing;
	uint32_t dir_mode, dir_uid, dir_gid;
	const char *blocked;
};

/* access.marks */
enum {
	MARK_OTHER_MNT = 1,   /* seen inside another mount namespace: path may not be the host's */
	MARK_OTHER_ROOT = 2,  /* seen under a chroot: path is the host's, through /proc/TID/root */
	MARK_NOFOLLOW = 4,    /* a link as last component is the object itself */
	MARK_BYPASS = 8,      /* connect that avoided the proxy variables */
	MARK_FD = 16,         /* the object is a descriptor's (empty path) */
	MARK_EMULATED = 32,   /* snug answered the call itself (io_uring_setup: ENOSYS) */
	MARK_DIR_SLASH = 64,  /* spelled with a trailing slash: must be a directory */
	MARK_PATH = 128,      /* exec by a bare name, in a directory of the PATH that the command was started with */
	MARK_OLDPWD = 256,    /* looks at what $OLDPWD or $PWD says, which no confined run gets, or another */
};

/* object.spelled of a descriptor that the command was given at its start: this and its number */
#define ACCESS_GIVEN_FD "descriptor "

/* access.flags of OP_CHOWN: who is to own it, seen from the caller's own ids */
enum chown_flags {
	CHOWN_OWNER = 1,  /* another user */
	CHOWN_GROUP = 2,  /* a group that the caller is not in */
	CHOWN_MEMBER = 4, /* one of the caller's further groups */
};

/**
 * struct access - operation, objects, caller
 * @flags:  open flags, access mode, rename flags, mknod mode, clone/unshare flags, as the call had them; of inet
 *          sockets the type (SOCK_STREAM, ...), 0 unknown; of a look by O_PATH its O_DIRECTORY; of chown chown_flags
 * @uid, @gid: the caller's filesystem ids
 * @caps:   the caller had CAP_DAC_OVERRIDE in the host's user namespace when it was recorded
 * @text:   target text of a symlink; NULL otherwise
 * @port:   of inet peers and hosts, host order
 */
struct access {
	enum op op;
	enum family family;
	uint32_t flags, marks;
	uint32_t uid, gid;
	bool caps;
	uint16_t port;
	const char *text;
	struct object obj[2];
};

const char *op_word(enum op op);
/* OP_COUNT when @word is none. */
enum op op_from_word(const char *word);
/* 1 or 2 */
int op_objects(enum op op);
/* Does the access name files? For sockets only where the family is FAM_UNIX. */
bool access_is_file(const struct access *a);

const char *file_type_word(enum file_type t);
enum file_type file_type_from_word(const char *word);
const char *family_word(enum family f);
enum family family_from_word(const char *word);
