/* self_test.c - a helper process cannot do what its role does not need, whoever started it */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/base.h"
#include "enforce/self.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Run @probe confined as @role in a child. Return: its exit status, -1 when a signal ended it. */
static int confined(enum self_role role, int (*probe)(void))
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		struct err e = { 0 };
		if (self_confine(role, &e) < 0) {
			fprintf(stderr, "# %s\n", e.msg);
			_exit(99);
		}
		_exit(probe());
	}
	int status = 0;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int reads_passwd(void)
{
	int fd = open("/etc/passwd", O_RDONLY);
	return fd >= 0 ? 0 : errno;
}

static int reads_passwd_by_other_calls(void)
{
	struct stat st;
	char buf[64];
	struct { uint64_t flags, mode, resolve; } how = { 0 };
	if (syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", &how, sizeof(how)) >= 0)
		return 1;
	if (stat("/etc/passwd", &st) == 0 || access("/etc/passwd", F_OK) == 0)
		return 2;
	if (readlink("/proc/self/exe", buf, sizeof(buf)) >= 0 || chdir("/etc") == 0)
		return 3;
	if (syscall(SYS_open, "/etc/passwd", O_RDONLY) >= 0 || syscall(SYS_creat, "/tmp/x", 0600) >= 0)
		return 4;
	return 0;
}

static int runs_a_program(void)
{
	char name[] = "true", *const argv[] = { name, NULL };
	execv("/bin/true", argv);
	if (fork() >= 0)
		return 1;
	return 0;
}

static int gains_memory_to_run(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p != MAP_FAILED)
		return 1;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return 2;
	return mprotect(p, 4096, PROT_READ | PROT_EXEC) == 0 ? 3 : 0;
}

static int harms_others(void)
{
	if (kill(getppid(), 0) == 0 || ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0)
		return 1;
	return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1 ? 2 : 0;
}

static int opens_odd_sockets(void)
{
	static const int families[] = { AF_UNIX, AF_NETLINK, AF_PACKET, AF_VSOCK, AF_ALG };
	for (size_t i = 0; i < LEN(families); i++)
		if (socket(families[i], SOCK_DGRAM, 0) >= 0)
			return 1;
	return socket(AF_INET, SOCK_STREAM, 0) >= 0 && socket(AF_INET6, SOCK_STREAM, 0) >= 0 ? 0 : 2;
}

static int writes_a_file(void)
{
	static const char *const paths[] = { "/tmp/snug-self-test", "/var/tmp/snug-self-test", "/dev/shm/snug-self-test" };
	for (size_t i = 0; i < LEN(paths); i++)
		if (open(paths[i], O_WRONLY | O_CREAT, 0600) >= 0 || mkdir(paths[i], 0700) == 0)
			return 1;
	return open("/dev/null", O_RDWR) >= 0 ? 2 : 0;
}

/* Only by Landlock, so only where the kernel has it. */
static int reads_a_home(void)
{
	return open(getenv("SNUG_SELF_TEST"), O_RDONLY) >= 0;
}

static int looks_names_up(void)
{
	struct addrinfo *a = NULL;
	return getaddrinfo("localhost", NULL, NULL, &a) == 0 ? 0 : 1;
}

static void the_relay_cannot_open_a_file(void **state)
{
	(void)state;
	assert_int_equal(confined(SELF_RELAY, reads_passwd), EPERM);
	assert_int_equal(confined(SELF_RELAY, reads_passwd_by_other_calls), 0);
	assert_int_equal(confined(SELF_RELAY, writes_a_file), 0);
}

static void the_relay_starts_nothing_and_harms_nobody(void **state)
{
	(void)state;
	assert_int_equal(confined(SELF_RELAY, runs_a_program), 0);
	assert_int_equal(confined(SELF_RELAY, gains_memory_to_run), 0);
	assert_int_equal(confined(SELF_RELAY, harms_others), 0);
	assert_int_equal(confined(SELF_RELAY, opens_odd_sockets), 0);
}

static void a_resolver_resolves_but_writes_and_starts_nothing(void **state)
{
	(void)state;
	assert_int_equal(confined(SELF_RESOLVER, looks_names_up), 0);
	assert_int_equal(confined(SELF_RESOLVER, reads_passwd), 0);
	assert_int_equal(confined(SELF_RESOLVER, writes_a_file), 0);
	assert_int_equal(confined(SELF_RESOLVER, runs_a_program), 0);
	assert_int_equal(confined(SELF_RESOLVER, harms_others), 0);
}

static void a_resolver_reads_no_home(void **state)
{
	(void)state;
	char path[] = "/tmp/snug-self-home-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	setenv("SNUG_SELF_TEST", path, 1);
	bool has = syscall(SYS_landlock_create_ruleset, NULL, 0, 1u) > 0;
	int r = confined(SELF_RESOLVER, reads_a_home);
	unlink(path);
	if (!has)
		skip();
	assert_int_equal(r, 0);
}

static int bare(int (*probe)(void))
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(probe());
	int status = 0;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Otherwise the tests above could pass for the wrong reason. */
static void without_confinement_the_same_works(void **state)
{
	(void)state;
	assert_int_equal(bare(reads_passwd), 0);
	assert_int_equal(bare(reads_passwd_by_other_calls), 1);
	assert_int_equal(bare(writes_a_file), 1);
	assert_int_equal(bare(gains_memory_to_run), 1);
	unlink("/tmp/snug-self-test");
}

static void only_named_descriptors_stay_open(void **state)
{
	(void)state;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		struct err e = { 0 };
		int sv[2], extra = open("/dev/null", O_RDONLY);
		if (extra < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sv) < 0)
			_exit(1);
		close(0);
		int low = dup(sv[0]), fds[2] = { low, sv[1] };
		if (low != 0 || self_keep_fds(fds, 2, &e) < 0)
			_exit(2);
		char c = 'x';
		if (fds[0] < 3 || write(fds[0], &c, 1) != 1 || read(fds[1], &c, 1) != 1)
			_exit(3);
		if (fcntl(extra, F_GETFD) >= 0 || fcntl(sv[0], F_GETFD) >= 0)
			_exit(4);
		for (int i = 0; i < 3; i++)
			if (read(i, &c, 1) != 0)
				_exit(5);
		_exit(0);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_relay_cannot_open_a_file),
		cmocka_unit_test(the_relay_starts_nothing_and_harms_nobody),
		cmocka_unit_test(a_resolver_resolves_but_writes_and_starts_nothing),
		cmocka_unit_test(a_resolver_reads_no_home),
		cmocka_unit_test(without_confinement_the_same_works),
		cmocka_unit_test(only_named_descriptors_stay_open),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
