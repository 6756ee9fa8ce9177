/* confined.c - says whether the one who runs it is confined: probe of the fault injection */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * usage: confined OUT FACT..   a line "confined" or what is open into OUT, status 0 or 77
 * facts: ns=NAME:INODE          this namespace of the host must not be ours
 *        absent=PATH            must not be there
 *        locked=PATH            must not be opened for writing
 *        fifo=PATH              writable by its read-only mount, kept by Landlock
 *        session=NUMBER         must not be our session's; keep=N may be open
 */

static char wrong[4096];

static void check(int ok, const char *what, const char *which)
{
	size_t n = strlen(wrong);
	if (!ok)
		snprintf(wrong + n, sizeof(wrong) - n, "open: %s %s\n", what, which);
}

static void fact(const char *text)
{
	char ns[32], path[64];
	unsigned long long ino;
	struct stat st;
	const char *value = strchr(text, '=') + 1;
	if (sscanf(text, "ns=%31[^:]:%llu", ns, &ino) == 2) {
		snprintf(path, sizeof(path), "/proc/self/ns/%s", ns);
		check(stat(path, &st) == 0 && st.st_ino != ino, "namespace", ns);
	} else if (!strncmp(text, "absent=", 7)) {
		check(lstat(value, &st) != 0 && errno == ENOENT, "there is", value);
	} else if (!strncmp(text, "locked=", 7)) {
		check(open(value, O_RDWR | O_NONBLOCK | O_CLOEXEC) < 0, "writable", value);
	} else if (!strncmp(text, "fifo=", 5)) {
		check(open(value, O_RDWR | O_NONBLOCK | O_CLOEXEC) < 0 && errno == EACCES, "Landlock lets write", value);
	} else if (!strncmp(text, "session=", 8)) {
		check(getpgid(0) != atoi(value) && getsid(0) != atoi(value), "the caller's session", value);
	}
}

int main(int argc, char **argv)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct caps[2] = { 0 };
	int keep = -1;
	for (int i = 2; i < argc; i++)
		if (!strncmp(argv[i], "keep=", 5))
			keep = atoi(argv[i] + 5);
	for (int fd = 3; fd < 1024; fd++)
		check(fcntl(fd, F_GETFD) < 0 || fd == keep, "descriptor", "above 2");
	check(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1, "new", "privileges");
	check(prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2, "no filter of", "system calls");
	check(!syscall(SYS_capget, &head, caps) && !(caps[0].effective | caps[0].permitted | caps[0].inheritable |
	      caps[1].effective | caps[1].permitted | caps[1].inheritable), "capabilities", "held");
	for (int c = 0; prctl(PR_CAPBSET_READ, c, 0, 0, 0) >= 0; c++)
		check(prctl(PR_CAPBSET_READ, c, 0, 0, 0) == 0, "capability", "in the bounding set");
	check(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 0, 0, 0) <= 0, "capability", "ambient");
	check(syscall(SYS_keyctl, 0, -3, 0) < 0, "the session's", "keys");
	check(syscall(SYS_unshare, 0x10000000) < 0, "user namespaces", "");
	check(mkdir("/made", 0755) < 0, "made in", "/");
	check(mkdir("/dev/made", 0755) < 0, "made in", "/dev");
	check(kill(-1, 0) < 0 || getpid() < 64, "processes of", "the host");
	check(!getenv("FAULTS_SECRET"), "variable", "FAULTS_SECRET");
	for (int i = 2; i < argc; i++)
		fact(argv[i]);
	int out = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	const char *text = wrong[0] ? wrong : "confined\n";
	if (out < 0 || write(out, text, strlen(text)) < 0)
		return 78;
	return wrong[0] ? 77 : 0;
}
