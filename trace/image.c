/* Program images: which program a process runs, from one execve to the next. */
#include "trace/recorder.h"

#include "base/str.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct proc *row(struct recorder *r, uint32_t id)
{
	return id && id <= r->rec.nprocs ? &r->rec.procs[id - 1] : NULL;
}

const char *recorder_exe(const struct recorder *r, uint32_t proc)
{
	return proc && proc <= r->rec.nprocs ? r->rec.procs[proc - 1].exe : NULL;
}

/* Did the execve that was let go succeed? The caller has just made another call, so it is decided. */
static void settle(struct recorder *r, struct task *t)
{
	struct group *g = t->group;
	char exe[PATH_MAX];
	ssize_t n = task_link(t, "exe", exe, sizeof(exe));
	struct proc *p = row(r, g->proc);
	if (n < 0) {
		/* a program that may be run and not read hides its link */
		if (!p || !p->exe)
			return;
		(void)snprintf(exe, sizeof(exe), "%s", p->exe);
	}
	bool same = g->exe && !strcmp(g->exe, exe);
	bool expected = p && p->exe && !strcmp(p->exe, exe);
	if (same && !expected) {
		g->proc = g->before == UINT32_MAX ? 0 : g->before;
		/* too many arguments, a busy file: the caller knows which */
		if (g->exec_event && r->set.items[g->exec_event - 1].count == 1)
			r->set.items[g->exec_event - 1].source = OUT_UNKNOWN;
	} else {
		g->own = true;
		free(g->exe);
		g->exe = strdup(exe);
		t->stale = true;
	}
	g->before = 0;
}

uint32_t recorder_image(struct recorder *r, struct task *t, const struct program *p)
{
	struct group *g = t->group;
	char cwd[PATH_MAX];
	if (g->before)
		settle(r, t);
	if (!p)
		return g->proc;
	struct proc *rows = arena_push(&r->rec.arena, r->rec.procs, r->rec.nprocs, sizeof(*rows));
	if (!rows)
		return g->proc;
	struct proc *image = &rows[r->rec.nprocs++];
	r->rec.procs = rows;
	image->id = (uint32_t)r->rec.nprocs;
	image->parent = g->proc;
	image->pid = g->tgid;
	image->replaces = g->own;
	image->exe = eventset_str(&r->set, p->exe);
	image->cwd = task_cwd(&r->tasks, t, cwd, sizeof(cwd)) > 0 ? eventset_str(&r->set, cwd) : NULL;
	image->package = eventset_str(&r->set, p->package);
	image->script = eventset_str(&r->set, p->script);
	image->argv = arena_array(&r->rec.arena, p->argc + 1, sizeof(*image->argv));
	for (size_t i = 0; image->argv && i < p->argc; i++)
		image->argv[i] = eventset_str(&r->set, p->argv[i]);
	g->before = g->proc ? g->proc : UINT32_MAX;
	g->proc = image->id;
	return g->proc;
}

uint32_t recorder_first(struct recorder *r, struct task *t)
{
	char exe[PATH_MAX], own[PATH_MAX];
	ssize_t n = task_link(t, "exe", exe, sizeof(exe)), m = readlink("/proc/self/exe", own, sizeof(own) - 1);
	if (n < 0 || m < 0 || (n == m && !memcmp(exe, own, (size_t)n)))
		return 0;
	struct program p = { .exe = exe };
	for (; p.argc < ARGV_MAX && r->opts->argv[p.argc]; p.argc++) {
		OWN(str) s = { 0 };
		redact_arg(&r->secrets, &s, r->opts->argv[p.argc], p.argc ? r->opts->argv[p.argc - 1] : NULL);
		p.argv[p.argc] = s.oom ? NULL : eventset_str(&r->set, str_c(&s));
	}
	return recorder_image(r, t, &p);
}
