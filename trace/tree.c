#include "trace/tree.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

size_t tree_list(pid_t *out, size_t max)
{
	size_t n = 0, done = 0;
	pid_t at = getpid();
	for (;;) {
		char path[64];
		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", at, at);
		FILE *f = fopen(path, "re");
		int pid;
		while (f && n < max && fscanf(f, "%d", &pid) == 1)
			out[n++] = pid;
		if (f)
			fclose(f);
		if (done == n)
			return n;
		at = out[done++];
	}
}

void tree_kill(pid_t command, int *status)
{
	enum { MANY = 1024, ROUNDS = 500, PAUSE_US = 2000 };
	pid_t pids[MANY];
	for (int round = 0; round < ROUNDS; round++) {
		size_t n = tree_list(pids, MANY);
		if (!n)
			return;
		for (size_t i = 0; i < n; i++)
			kill(pids[i], SIGKILL);
		/* the dead are still listed until they are reaped */
		usleep(PAUSE_US);
		int how;
		for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG | __WALL)) > 0;)
			if (pid == command && status)
				*status = how;
	}
}
