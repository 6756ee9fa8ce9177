/* exec.c - execvp(3) with the confined PATH, which says why it failed */
#include "enforce/exec.h"

#include "base/path.h"
#include "base/str.h"
#include "enforce/box.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file without "#!" is a shell script, as execvp(3) has it. */
static void exec_shell(const char *path, char *const *argv, char *const *env)
{
	size_t n = 0;
	while (argv[n])
		n++;
	const char **args = calloc(n + 2, sizeof(*args));
	if (!args)
		return;
	args[0] = "/bin/sh";
	args[1] = path;
	for (size_t i = 1; i < n; i++)
		args[i + 1] = argv[i];
	union { const char **from; char *const *to; } cast = { args };
	execve("/bin/sh", cast.to, env);
	free(args);
	errno = ENOEXEC;
}

/* Return: errno, with *there set when @path exists, so that ENOENT means its interpreter. */
static int exec_one(const char *path, char *const *argv, char *const *env, bool *there)
{
	execve(path, argv, env);
	if (errno == ENOEXEC)
		exec_shell(path, argv, env);
	int err = errno;
	*there = access(path, F_OK) == 0;
	return err;
}

int exec_command(char *const *argv, char *const *env, bool *there)
{
	*there = false;
	if (!argv[0] || !argv[0][0])
		return ENOENT;
	if (strchr(argv[0], '/'))
		return exec_one(argv[0], argv, env, there);
	const char *dirs = env_get(env, "PATH");
	int seen = ENOENT;
	OWN(str) path = { 0 };
	for (dirs = dirs ? dirs : "/usr/bin:/bin"; dirs; dirs = *dirs ? dirs + 1 : NULL) {
		size_t len = strcspn(dirs, ":");
		str_clear(&path);
		str_add_mem(&path, len ? dirs : ".", len ? len : 1);
		str_add_char(&path, '/');
		str_add(&path, argv[0]);
		if (path.oom)
			return ENOMEM;
		bool here;
		int err = exec_one(str_c(&path), argv, env, &here);
		if (here && err == ENOENT) {
			*there = true;
			return err;
		}
		if (err == EACCES)
			seen = err; /* a later directory may have one that runs */
		else if (err != ENOENT && err != ENOTDIR && err != ELOOP && err != ENAMETOOLONG)
			return err;
		dirs += len;
	}
	return seen;
}
