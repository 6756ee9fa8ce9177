/* suggest_special.c - system calls, and what `special` turns on, of a suggestion */
#include "learn/suggest.h"

#include "base/path.h"
#include "profiles/judge.h"
#include "profiles/sysgroup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A switch of `special`: where a requested profile says no, that stands. */
struct turn {
	const char *key, *value, *risk;
};

enum { TURN_USERNS, TURN_PTRACE, TURN_SYS, TURNS };

static const struct turn turns[TURNS] = {
	[TURN_USERNS] = { "userns", "true", "user namespaces reach more of the kernel" },
	[TURN_PTRACE] = { "ptrace", "true", "processes inside can read and change each other" },
	[TURN_SYS] = { "sys", "ro", NULL },
};

static int turn_on(struct suggesting *s, struct finding *f, int which)
{
	struct profile *p = &s->lesson->suggestion;
	const struct profile *asked = s->base;
	const struct { enum tri said; const struct src *by; enum tri *v; struct src *src; } rows[TURNS] = {
		[TURN_USERNS] = { asked->userns.v, &asked->userns.src, &p->userns.v, &p->userns.src },
		[TURN_PTRACE] = { asked->ptrace.v, &asked->ptrace.src, &p->ptrace.v, &p->ptrace.src },
		[TURN_SYS] = { asked->sys.v, &asked->sys.src, &p->sys.v, &p->sys.src },
	};
	const struct turn *t = &turns[which];
	struct arena *a = s->facts->arena;
	if (rows[which].said == TRI_NO && rows[which].by->origin)
		return finding_note(&s->facts->found, f, arena_fmt(a, "%s says special.%s: false", line_text(a, rows[which].by), t->key));
	*rows[which].v = TRI_YES;
	rows[which].src->origin = "suggested";
	f->grant = arena_fmt(&p->arena, "special.%s: %s", t->key, t->value);
	if (!f->grant)
		return -ENOMEM;
	return t->risk ? finding_note(&s->facts->found, f, t->risk) : 0;
}

/* ---- system calls ---- */

static const struct { const char *name; int turn; } turned[] = {
	{ "unshare", TURN_USERNS }, { "clone", TURN_USERNS }, { "clone3", TURN_USERNS }, { "ptrace", TURN_PTRACE },
	{ "process_vm_readv", TURN_PTRACE }, { "process_vm_writev", TURN_PTRACE },
};

/* Base denies no call without a reason, so that a person has to decide about each. */
static const struct { const char *name, *risk; } risks[] = {
	{ "io_uring_setup", "opens files and connections unseen by the system call filter" },
	{ "bpf", "loads programs into the kernel" },
	{ "perf_event_open", "measures other programs, and reaches more of the kernel" },
	{ "userfaultfd", "helps exploits of the kernel" },
	{ "open_by_handle_at", "opens files without a path, also those that are not in the view" },
	{ "pidfd_getfd", "takes descriptors from other processes" },
	{ "keyctl", "reaches the kernel's key rings" }, { "add_key", "reaches the kernel's key rings" },
	{ "request_key", "reaches the kernel's key rings" },
};

/* what no list of calls grants */
static const struct { const char *why, *note; } fixed[] = {
	{ "no capabilities", "needs a capability, and a confined command has none" },
	{ "process group", "the process group is the caller's too; of a single process it is allowed" },
	{ "message queue", "message queues cannot be opened in a confined run, whatever is granted" },
	{ "socket family", "a socket family that only --network host has" },
};

static int suggest_call(struct suggesting *s, struct finding *f)
{
	struct profile *p = &s->lesson->suggestion;
	const char *risk = "base denies it for what it can do to the kernel or the machine";
	if (f->judgement.verdict == V_DENIED)
		return 0;
	for (size_t i = 0; i < LEN(fixed); i++)
		if (f->judgement.why && !strcmp(f->judgement.why, fixed[i].why))
			return finding_note(&s->facts->found, f, fixed[i].note);
	if (!s->facts->userns && judge_needs_capability(f->what))
		return finding_note(&s->facts->found, f, "needs a capability, and a confined command has none");
	const struct sys_group *group = sys_group_of(f->what);
	if (group && !strcmp(group->name, "mount")) /* Landlock: enforce/st_landlock.c */
		return finding_note(&s->facts->found, f, "nothing can be mounted in a confined run, whatever is granted");
	for (size_t i = 0; i < LEN(turned); i++)
		if (!strcmp(turned[i].name, f->what))
			return turn_on(s, f, turned[i].turn);
	for (size_t i = 0; i < LEN(risks); i++)
		if (!strcmp(risks[i].name, f->what))
			risk = risks[i].risk;
	int err = finding_note(&s->facts->found, f, arena_fmt(s->facts->arena, "%s: a commented line, for you to decide", risk));
	return err ? err : suggest_comment(s, "syscalls.allow", arena_str(&p->arena, f->what), risk);
}

/* ---- /sys ---- */

static int suggest_sys(struct suggesting *s, struct finding *f)
{
	if (f->judgement.verdict != V_MISSING || !f->counts)
		return 0;
	if (f->kind == NEED_READ || f->kind == NEED_LIST)
		return turn_on(s, f, TURN_SYS);
	return finding_note(&s->facts->found, f, "changes the host's kernel or devices: special.sys is read-only");
}

/* ---- /dev/shm ---- */

enum { SHM_SIZE = 64 << 20 }; /* what containers have by default; how much was used is not recorded */

static int suggest_shm(struct suggesting *s, struct finding *f)
{
	struct profile *p = &s->lesson->suggestion;
	const struct profile *asked = s->base;
	struct arena *a = s->facts->arena;
	if (f->judgement.verdict != V_MISSING || !f->counts)
		return 0;
	if (asked->shm.src.origin && !asked->shm.v)
		return finding_note(&s->facts->found, f, arena_fmt(a, "%s says special.shm: false", line_text(a, &asked->shm.src)));
	p->shm.v = SHM_SIZE;
	p->shm.src.origin = "suggested";
	f->grant = arena_str(&p->arena, "special.shm: 64MiB");
	return f->grant ? 0 : -ENOMEM;
}

/* By list, then text: the order of events does not show. */
static int comment_order(const void *a, const void *b)
{
	const struct word *x = a, *y = b;
	int r = strcmp(x->src.origin, y->src.origin);
	return r ? r : strcmp(x->text, y->text);
}

int suggest_special(struct suggesting *s)
{
	struct lesson *l = s->lesson;
	int err = 0;
	for (size_t i = 0; !err && i < l->nfindings; i++) {
		struct finding *f = &l->findings[i];
		if (f->heading != HEAD_NEEDS)
			continue;
		if (f->kind == NEED_SYSCALL)
			err = suggest_call(s, f);
		else if (f->path && path_under(f->path, "/sys"))
			err = suggest_sys(s, f);
		else if (f->path && path_under(f->path, "/dev/shm"))
			err = suggest_shm(s, f);
	}
	if (l->suggestion.comments.n)
		qsort(l->suggestion.comments.items, l->suggestion.comments.n, sizeof(*l->suggestion.comments.items), comment_order);
	return err;
}
