/* calls.c - make one system call by number on given names, and say what it answered: calls NAME ARG.. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

static char buf[65536];
static struct open_how how = { .flags = O_RDONLY };

struct row {
	const char *name;
	long (*make)(char **a);
};

#define CALL(word, ...) static long do_##word(char **a) { (void)a; return syscall(__VA_ARGS__); }
CALL(open, SYS_open, a[0], O_RDONLY)
CALL(openat, SYS_openat, AT_FDCWD, a[0], O_RDONLY)
CALL(openat2, SYS_openat2, AT_FDCWD, a[0], &how, sizeof(how))
CALL(creat, SYS_creat, a[0], 0644)
CALL(open_rw, SYS_open, a[0], O_RDWR)
CALL(open_w, SYS_open, a[0], O_WRONLY)
CALL(open_trunc, SYS_open, a[0], O_RDONLY | O_TRUNC)
CALL(open_path, SYS_open, a[0], O_PATH)
CALL(open_tmp, SYS_open, a[0], O_TMPFILE | O_RDWR, 0600)
CALL(open_excl, SYS_open, a[0], O_CREAT | O_EXCL | O_WRONLY, 0600)
CALL(stat, SYS_stat, a[0], buf)
CALL(lstat, SYS_lstat, a[0], buf)
CALL(newfstatat, SYS_newfstatat, AT_FDCWD, a[0], buf, 0)
CALL(statx, SYS_statx, AT_FDCWD, a[0], 0, STATX_BASIC_STATS, buf)
CALL(statfs, SYS_statfs, a[0], buf)
CALL(access, SYS_access, a[0], R_OK)
CALL(faccessat, SYS_faccessat, AT_FDCWD, a[0], R_OK)
CALL(faccessat2, SYS_faccessat2, AT_FDCWD, a[0], R_OK, AT_EACCESS)
CALL(readlink, SYS_readlink, a[0], buf, sizeof(buf))
CALL(readlinkat, SYS_readlinkat, AT_FDCWD, a[0], buf, sizeof(buf))
CALL(getxattr, SYS_getxattr, a[0], "user.x", buf, 10)
CALL(lgetxattr, SYS_lgetxattr, a[0], "user.x", buf, 10)
CALL(listxattr, SYS_listxattr, a[0], buf, 10)
CALL(getxattrat, 464, AT_FDCWD, a[0], 0, "user.x", buf, 16)
CALL(inotify, SYS_inotify_add_watch, syscall(SYS_inotify_init1, 0), a[0], 1)
CALL(name_to_handle_at, SYS_name_to_handle_at, AT_FDCWD, a[0], buf, buf + 4096, 0)
CALL(chdir, SYS_chdir, a[0])
CALL(truncate, SYS_truncate, a[0], 3)
CALL(mkdir, SYS_mkdir, a[0], 0755)
CALL(mkdirat, SYS_mkdirat, AT_FDCWD, a[0], 0755)
CALL(rmdir, SYS_rmdir, a[0])
CALL(unlink, SYS_unlink, a[0])
CALL(unlinkat, SYS_unlinkat, AT_FDCWD, a[0], 0)
CALL(unlinkat_dir, SYS_unlinkat, AT_FDCWD, a[0], AT_REMOVEDIR)
CALL(rename, SYS_rename, a[0], a[1])
CALL(renameat, SYS_renameat, AT_FDCWD, a[0], AT_FDCWD, a[1])
CALL(renameat2, SYS_renameat2, AT_FDCWD, a[0], AT_FDCWD, a[1], 1)
CALL(link, SYS_link, a[0], a[1])
CALL(linkat, SYS_linkat, AT_FDCWD, a[0], AT_FDCWD, a[1], 0)
CALL(symlink, SYS_symlink, a[1], a[0])
CALL(symlinkat, SYS_symlinkat, a[1], AT_FDCWD, a[0])
CALL(mknod, SYS_mknod, a[0], S_IFIFO | 0600, 0)
CALL(mknodat, SYS_mknodat, AT_FDCWD, a[0], S_IFREG | 0600, 0)
CALL(chmod, SYS_chmod, a[0], 0600)
CALL(fchmodat, SYS_fchmodat, AT_FDCWD, a[0], 0600)
CALL(fchmodat2, 452, AT_FDCWD, a[0], 0600, 0)
CALL(chown, SYS_chown, a[0], -1, -1)
CALL(lchown, SYS_lchown, a[0], -1, -1)
CALL(fchownat, SYS_fchownat, AT_FDCWD, a[0], -1, -1, 0)
CALL(utime, SYS_utime, a[0], NULL)
CALL(utimes, SYS_utimes, a[0], NULL)
CALL(futimesat, SYS_futimesat, AT_FDCWD, a[0], NULL)
CALL(utimensat, SYS_utimensat, AT_FDCWD, a[0], NULL, 0)
CALL(setxattr, SYS_setxattr, a[0], "user.x", "1", 1, 0)
CALL(lsetxattr, SYS_lsetxattr, a[0], "user.x", "1", 1, 0)
CALL(removexattr, SYS_removexattr, a[0], "user.x")
CALL(setxattrat, 463, AT_FDCWD, a[0], 0, "user.x", buf, 16)
CALL(swapon, SYS_swapon, a[0], 0)
CALL(acct, SYS_acct, "/nonexistent/acct")
CALL(mount, SYS_mount, "none", a[0], "nosuchfs", 0, NULL)
CALL(umount2, SYS_umount2, a[0], 0)
CALL(unshare, SYS_unshare, 0x04000000 /* CLONE_NEWUTS */)
CALL(keyctl, SYS_keyctl, 0, -1)
CALL(bpf, SYS_bpf, -1, NULL, 0)
CALL(io_uring_setup, SYS_io_uring_setup, 1, buf)
CALL(unknown, 471, a[0])

static long do_execve(char **a) { return execve(a[0], (char *[]){ a[0], NULL }, (char *[]){ NULL }); }
static long do_execveat(char **a)
{
	int fd = open(a[0], O_RDONLY | O_CLOEXEC);
	char *argv[] = { a[0], NULL }, *env[] = { NULL };
	return syscall(SYS_execveat, fd, "", argv, env, AT_EMPTY_PATH);
}

#define ROW(word) { #word, do_##word }
static const struct row rows[] = {
	ROW(open), ROW(openat), ROW(openat2), ROW(creat), ROW(open_rw), ROW(open_w), ROW(open_trunc), ROW(open_path),
	ROW(open_tmp), ROW(open_excl), ROW(stat), ROW(lstat), ROW(newfstatat), ROW(statx), ROW(statfs), ROW(access),
	ROW(faccessat), ROW(faccessat2), ROW(readlink), ROW(readlinkat), ROW(getxattr), ROW(lgetxattr), ROW(listxattr),
	ROW(getxattrat), ROW(inotify), ROW(name_to_handle_at), ROW(chdir), ROW(truncate), ROW(mkdir), ROW(mkdirat),
	ROW(rmdir), ROW(unlink), ROW(unlinkat), ROW(unlinkat_dir), ROW(rename), ROW(renameat), ROW(renameat2), ROW(link),
	ROW(linkat), ROW(symlink), ROW(symlinkat), ROW(mknod), ROW(mknodat), ROW(chmod), ROW(fchmodat), ROW(fchmodat2),
	ROW(chown), ROW(lchown), ROW(fchownat), ROW(utime), ROW(utimes), ROW(futimesat), ROW(utimensat), ROW(setxattr),
	ROW(lsetxattr), ROW(removexattr), ROW(setxattrat), ROW(swapon), ROW(acct), ROW(mount), ROW(umount2), ROW(unshare),
	ROW(keyctl), ROW(bpf), ROW(io_uring_setup), ROW(unknown), ROW(execve), ROW(execveat),
};

int main(int argc, char **argv)
{
	/* several calls: NAME ARG.. , NAME ARG.. */
	for (int i = 1; i < argc;) {
		char *args[4] = { "", "", "", NULL };
		const char *name = argv[i++];
		for (int n = 0; i < argc && strcmp(argv[i], ",") != 0; i++)
			if (n < 3)
				args[n++] = argv[i];
		i++;
		size_t k = 0;
		while (k < sizeof(rows) / sizeof(*rows) && strcmp(rows[k].name, name) != 0)
			k++;
		if (k == sizeof(rows) / sizeof(*rows))
			return fprintf(stderr, "no call %s\n", name), 2;
		fflush(stdout);
		errno = 0;
		long r = rows[k].make(args);
		printf("%s %s %s\n", name, args[0], r < 0 ? strerrorname_np(errno) : "ok");
	}
	return 0;
}
