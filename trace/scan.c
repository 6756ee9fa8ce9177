/* Which variables a started program shows signs of using: its arguments, the script it runs. */
#include "trace/recorder.h"

#include "base/path.h"

#include <stdlib.h>
#include <string.h>

static void scan_file(struct recorder *r, uint32_t proc, const char *path)
{
	char *text = malloc(ENV_SCAN_MAX);
	ssize_t n = text ? hangs_read_file(&r->names.hangs, path, text, ENV_SCAN_MAX, 0) : -1;
	if (n > 0)
		envuse_scan(&r->env, proc, text, (size_t)n);
	free(text);
}

/* Is this the name of a program that runs the file in its first argument? */
static bool interprets(const char *exe)
{
	static const char *const names[] = { "sh", "bash", "dash", "zsh", "ksh", "node", "nodejs", "python", "pypy", "perl",
	                                     "ruby", "php", "deno", "bun", "lua", "tclsh", "Rscript" };
	const char *base = exe ? path_base(exe) : "";
	size_t n = strcspn(base, "0123456789.");
	for (size_t i = 0; i < LEN(names); i++)
		if (strlen(names[i]) == n && !memcmp(base, names[i], n))
			return true;
	return false;
}

/* The first argument that is no option, where it names a file. */
static void scan_argument(struct recorder *r, uint32_t proc, const struct program *p)
{
	for (size_t i = 1; i < p->argc; i++) {
		if (p->argv[i][0] == '-')
			continue;
		const char *cwd = r->rec.procs[proc - 1].cwd;
		char *path = cwd || p->argv[i][0] == '/' ? path_join(&r->rec.arena, cwd ? cwd : "/", p->argv[i]) : NULL;
		if (path)
			scan_file(r, proc, path);
		return;
	}
}

void recorder_scan_program(struct recorder *r, uint32_t proc, const struct program *p)
{
	for (size_t i = 0; i < p->argc; i++) {
		envuse_scan(&r->env, proc, p->argv[i], strlen(p->argv[i]));
		envuse_word(&r->env, proc, p->exe, p->argv[i]);
	}
	for (size_t i = 0; i < p->nfiles; i++)
		scan_file(r, proc, p->files[i]);
	if (proc && proc <= r->rec.nprocs && interprets(p->exe))
		scan_argument(r, proc, p);
}
