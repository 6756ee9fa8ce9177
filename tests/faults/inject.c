/* inject.c - runs a program under ptrace, lists the system calls of its start, and lets one of them fail */
#include "tests/faults/inject.h"

#include "base/arena.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * strace(1) can do this too, but counts per process with one number for all, so that the N-th call of a child fails only
 * after the N-th of its parent did. Here a call has a place of its own. A process is let go at its execve: what a
 * command does inside is its own matter, and the filter it runs under must not meet a tracer.
 */

enum { TASKS = 32, NRS = 512, EVENTS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
       PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL };

struct task {
	pid_t pid;
	char who[WHO_MAX];
	unsigned kids, seen[NRS];
	bool counts, failing, waits; /* waits: came before its parent told of it */
};

struct tracer {
	struct trial *t;
	struct task tasks[TASKS];
	size_t room;
};

static long long now_ms(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static struct task *task_of(struct tracer *tr, pid_t pid)
{
	for (size_t i = 0; i < TASKS; i++)
		if (tr->tasks[i].pid == pid)
			return &tr->tasks[i];
	return NULL;
}

static struct task *task_new(struct tracer *tr, pid_t pid)
{
	struct task *k = task_of(tr, 0);
	if (k)
		*k = (struct task){ .pid = pid };
	return k;
}

/* The call about to be made is not made; but close(2) frees the number whatever it answers. */
static void skip_call(pid_t pid, int nr)
{
	if (nr == SYS_close)
		return;
#if defined(__x86_64__)
	ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, regs.orig_rax), -1L);
#else
	int none = -1;
	struct iovec iov = { &none, sizeof(none) };
	ptrace(PTRACE_SETREGSET, pid, 0x404 /* NT_ARM_SYSTEM_CALL */, &iov);
#endif
}

static void set_answer(pid_t pid, long value)
{
#if defined(__x86_64__)
	ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, regs.rax), value);
#else
	struct user_regs_struct regs;
	struct iovec iov = { &regs, sizeof(regs) };
	ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &iov);
	regs.regs[0] = (unsigned long)value;
	ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &iov);
#endif
}

static void note(struct tracer *tr, const struct task *k, int nr)
{
	struct trial *t = tr->t;
	if (t->n == tr->room) {
		size_t room = tr->room ? tr->room * 2 : 1024;
		struct fault *more = realloc(t->list, room * sizeof(*more));
		if (!more)
			return;
		t->list = more;
		tr->room = room;
	}
	struct fault *f = &t->list[t->n++];
	*f = (struct fault){ .nr = nr, .nth = k->seen[nr] };
	memcpy(f->who, k->who, sizeof(f->who));
}

/* These have no way to fail that a program could meet; brk(2) is malloc's, which goes elsewhere then. */
static bool cannot_fail(int nr)
{
	static const int never[] = {
		SYS_exit, SYS_exit_group, SYS_rt_sigreturn, SYS_restart_syscall, SYS_brk, SYS_umask, SYS_getpid, SYS_getppid, SYS_gettid,
		SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
	};
	for (size_t i = 0; i < LEN(never); i++)
		if (nr == never[i])
			return true;
	return nr < 0 || nr >= NRS;
}

static void at_call(struct tracer *tr, struct task *k)
{
	struct __ptrace_syscall_info si;
	const struct fault *f = tr->t->fail;
	if (ptrace(PTRACE_GET_SYSCALL_INFO, k->pid, sizeof(si), &si) <= 0)
		return;
	if (si.op == PTRACE_SYSCALL_INFO_EXIT) {
		if (k->failing)
			set_answer(k->pid, -tr->t->err);
		k->failing = false;
		return;
	}
	int nr = (int)si.entry.nr;
	if (si.op != PTRACE_SYSCALL_INFO_ENTRY || cannot_fail(nr))
		return;
	/* the C library's start ends with the limit of the stack */
	if (!k->counts) {
		k->counts = nr == SYS_prlimit64;
		return;
	}
	k->seen[nr]++;
	if (tr->t->want_list)
		note(tr, k, nr);
	if (f && !tr->t->hit && f->nr == nr && f->nth == k->seen[nr] && !strcmp(f->who, k->who)) {
		tr->t->hit = k->failing = true;
		skip_call(k->pid, nr);
	}
}

/* A child was made: it gets its place. */
static void at_child(struct tracer *tr, struct task *parent)
{
	unsigned long pid = 0;
	ptrace(PTRACE_GETEVENTMSG, parent->pid, NULL, &pid);
	struct task *k = task_of(tr, (pid_t)pid);
	bool waits = k != NULL;
	if (!k)
		k = task_new(tr, (pid_t)pid);
	if (!k)
		return;
	char place[WHO_MAX] = { 0 };
	snprintf(place, sizeof(place), "%.12s.%u", parent->who, ++parent->kids);
	memcpy(k->who, place, sizeof(place));
	k->counts = true;
	k->waits = false;
	if (waits)
		ptrace(PTRACE_SYSCALL, k->pid, NULL, 0);
}

static void at_stop(struct tracer *tr, pid_t pid, int status)
{
	struct task *k = task_of(tr, pid);
	int sig = WSTOPSIG(status), event = status >> 16;
	if (!k) { /* before its parent's event */
		k = task_new(tr, pid);
		if (k)
			k->waits = true;
		return;
	}
	if (sig == (SIGTRAP | 0x80)) {
		at_call(tr, k);
		sig = 0;
	} else if (event == PTRACE_EVENT_EXEC && strchr(k->who, '.')) {
		ptrace(PTRACE_DETACH, pid, NULL, 0);
		k->pid = 0;
		return;
	} else if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK) {
		at_child(tr, k);
		sig = 0;
	} else if (event) {
		sig = 0;
	}
	if (!k->waits)
		ptrace(PTRACE_SYSCALL, pid, NULL, sig);
}

_Noreturn static void child(const struct trial *t)
{
	int out = open(t->out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int in = t->input < 0 ? open("/dev/null", O_RDONLY) : t->input;
	if (chdir(t->dir) || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(99);
	syscall(SYS_close_range, 3, ~0U, 0);
	setsid();
	if (isatty(0))
		ioctl(0, TIOCSCTTY, 0);
	if (dup2(open("/dev/null", O_RDONLY), 9) != 9) /* for --keep-fd=9; without it the command must not have it */
		_exit(99);
	close(3);
	raise(SIGSTOP);
	execve(t->argv[0], (char *const *)(uintptr_t)t->argv, (char *const *)(uintptr_t)t->env);
	_exit(99);
}

/* Children of ours, whether by birth or since theirs are gone. */
static size_t count_left(struct tracer *tr, long long until)
{
	size_t left = 0;
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, __WALL | WNOHANG);
		if (pid < 0)
			break;
		if (pid == 0 && now_ms() > until) {
			siginfo_t si;
			/* one after the other, each being a child */
			char path[64];
			snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
			FILE *f = fopen(path, "r");
			int kid;
			while (f && fscanf(f, "%d", &kid) == 1) {
				kill(kid, SIGKILL);
				left++;
			}
			if (f)
				fclose(f);
			if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG) < 0)
				break;
			until = now_ms() + 1000;
		} else if (pid == 0) {
			nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
		} else if (WIFSTOPPED(status)) {
			at_stop(tr, pid, status);
		}
	}
	return left;
}

static void wake(int sig)
{
	(void)sig;
}

/* Interrupt waitpid(2) then, and every second after it; 0: no more */
static void set_limit(int ms)
{
	const struct sigaction sa = { .sa_handler = wake };
	const struct itimerval at = { .it_value = { ms / 1000, ms % 1000 * 1000 }, .it_interval = { ms ? 1 : 0, 0 } };
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &at, NULL);
}

int inject_run(struct trial *t)
{
	struct tracer *tr = calloc(1, sizeof(*tr));
	int status;
	pid_t pid = tr ? fork() : -1;
	if (pid < 0)
		return free(tr), -ENOMEM;
	if (!pid)
		child(t);
	tr->t = t;
	t->n = 0;
	t->hit = t->hung = false;
	t->left = 0;
	struct task *k = task_new(tr, pid);
	memcpy(k->who, "0", 2);
	if (waitpid(pid, &status, WUNTRACED) != pid || ptrace(PTRACE_SEIZE, pid, NULL, EVENTS) || kill(pid, SIGCONT))
		return free(tr), -EPERM;
	set_limit(t->limit_ms);
	for (;;) {
		pid_t who = waitpid(-1, &status, __WALL);
		if (who < 0 && errno == EINTR) {
			t->hung = true;
			kill(pid, SIGKILL);
		} else if (who < 0) {
			break;
		} else if (WIFSTOPPED(status)) {
			at_stop(tr, who, status);
		} else {
			k = task_of(tr, who);
			if (k)
				k->pid = 0;
			if (who == pid)
				break;
		}
	}
	set_limit(0);
	t->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	t->left = count_left(tr, now_ms() + 1000);
	free(tr);
	return 0;
}
