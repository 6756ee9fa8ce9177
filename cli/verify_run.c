/* verify_run.c - one confined run in a process of its own, and what it left behind */
#include "cli/verify_run.h"

#include "cli/cmd.h"
#include "cli/confine.h"


#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * How this works: the run is a child of snug's, so that standard streams, signals and the proxy are its own, and a ^C
 * ends it without ending snug. What it may change are copies: the places of its policy show them at the paths of the
 * originals, so the command meets the same names, and the engine is the one that `run` uses.
 */

enum { KILL_AFTER_MS = 3000 };

void ran_drop(struct ran *r)
{
	recording_drop(&r->rec);
	arena_drop(&r->arena);
	*r = (struct ran){ 0 };
}

/* ---- set-up ---- */

/* Facts about @path as they were before the audit. */
static int fact(struct setup *s, const struct trial *t, const char *path, struct err *e)
{
	const struct host_file *known = host_file(t->before, path);
	struct word w = { .text = path };
	const struct wordlist one = { &w, 1 };
	int r = known ? 0 : host_look(&s->host, &one, e);
	if (r < 0)
		return r;
	if (!known) {
		known = host_file(&s->host, path);
		if (!known || !known->real || !map_find(t->absent, known->real, strlen(known->real)))
			return 0;
		struct host_file gone = *known;
		gone.real_type = FT_NONE;
		gone.type = strcmp(known->real, path) == 0 ? FT_NONE : known->type;
		return host_add_file(&s->host, &gone) < 0 ? err_set(e, ENOMEM, "out of memory") : 0;
	}
	return host_add_file(&s->host, known) < 0 ? err_set(e, ENOMEM, "out of memory") : 0;
}

static int compose(struct setup *s, const struct trial *t, const char *suggestion, struct err *e)
{
	struct cli_opts o = *t->o;
	struct wordlist names = { 0 };
	for (size_t i = 0; i < o.profiles.n + (suggestion != NULL); i++) {
		struct word *w = ARENA_PUSH(&t->keep->arena, &names, items, n);
		if (!w)
			return err_set(e, ENOMEM, "out of memory");
		*w = i < o.profiles.n ? o.profiles.items[i] :
		     (struct word){ .text = suggestion, .src = { .origin = "--profile", .inlined = true } };
	}
	o.profiles = names;
	return setup_compose(s, &o, FIND_APPLY, e);
}

int trial_setup(struct setup *s, const struct trial *t, const char *suggestion, struct err *e)
{
	struct wordlist paths = { 0 };
	int r = compose(s, t, suggestion, e);
	if (r == 0)
		r = setup_refused(t->o, &s->host, e);
	if (r == 0)
		r = profile_paths(&s->profile, &s->host, &s->finder.arena, &paths, e);
	for (size_t i = 0; r == 0 && i < paths.n; i++)
		r = fact(s, t, paths.items[i].text, e);
	return r < 0 ? r : policy_resolve(&s->policy, &s->profile, &s->host, true, e);
}

/* ---- the child ---- */

/* What it tells at its end; plain data. */
struct told {
	int code;
	bool lost; /* something was not written back */
	struct err e;
};

static int to_file(const char *path, int as, struct err *e)
{
	OWN(fd) f = fd_own(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
	return f.plus1 && dup2(fd_no(f), as) >= 0 ? 0 : err_sys(e, "%s", path);
}

static int stream(const struct trial *t, struct err *e)
{
	int r = spool_again(t->in, e);
	if (r == 0)
		r = to_file(t->out, 1, e);
	return r < 0 ? r : to_file(t->err, 2, e);
}

static void default_signals(void)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ };
	sigset_t none;
	for (size_t i = 0; i < LEN(signals); i++)
		signal(signals[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int tell_recording(const struct recording *rec, int memory, struct err *e)
{
	FILE *f = fdopen(memory, "w");
	if (!f)
		return err_sys(e, "handing the recording over");
	int r = recording_write(rec, f, e);
	return fflush(f) != 0 && r == 0 ? err_sys(e, "handing the recording over") : r;
}

_Noreturn static void child(const struct trial *t, struct setup *s, int to, int memory)
{
	struct told told = { 0 };
	struct confine c = { .host = &s->host, .box = { .argv = t->o->cmd, .area = t->o->area, .area_len = t->o->area_len }, .envp = t->o->envp, .timeout_ms = t->timeout_ms };
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	default_signals();
	told.code = stream(t, &told.e);
	if (told.code == 0)
		told.code = confine_env(&c, &s->policy, &told.e);
	if (told.code == 0)
		told.code = confine_run(&c, &s->policy, &told.e);
	told.lost = c.notes.len > 0;
	if (told.code >= 0) {
		int r = tell_recording(&c.rec, memory, &told.e);
		told.code = r < 0 ? r : told.code;
	}
	fputs(str_c(&c.notes), stderr); /* beside what the command said */
	fflush(NULL);
	ssize_t n = write(to, &told, sizeof(told));
	_exit(n == sizeof(told) ? 0 : EXIT_SNUG);
}

/* ---- waiting ---- */

/* Wait for @pid to say what it has to say. A signal that asks to stop is handed on, and -EINTR returned at the end. */
static int await(pid_t pid, int from, struct told *told, struct err *e)
{
	sigset_t set;
	sigemptyset(&set);
	const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	for (size_t i = 0; i < LEN(signals); i++)
		sigaddset(&set, signals[i]);
	OWN(fd) sigs = fd_own(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
	struct pollfd p[] = { { from, POLLIN, 0 }, { fd_no(sigs), POLLIN, 0 } };
	bool asked = false;
	ssize_t n = -1;
	if (!sigs.plus1)
		err_sys(e, "signalfd");
	while (sigs.plus1) {
		int got = poll(p, asked ? 1 : 2, asked ? KILL_AFTER_MS : -1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got > 0 && p[0].revents) {
			n = read(from, told, sizeof(*told));
			break;
		}
		if (asked || got < 0)
			break;
		asked = true; /* the signal stays pending for whoever asks keeper_stop() */
		kill(pid, SIGTERM);
	}
	if (n != sizeof(*told))
		kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (asked)
		return err_set(e, EINTR, "interrupted");
	if (n == sizeof(*told))
		return 0;
	return e->code ? -e->code : err_set(e, EIO, "the process that confines died");
}

static int run_child(struct told *told, struct recording *rec, const struct trial *t, struct setup *s, struct err *e)
{
	int ends[2];
	OWN(fd) memory = fd_own(memfd_create("recording", MFD_CLOEXEC));
	if (!memory.plus1)
		return err_sys(e, "memfd_create");
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	OWN(fd) from = fd_own(ends[0]), to = fd_own(ends[1]);
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (pid == 0)
		child(t, s, fd_no(to), fd_no(memory));
	fd_drop(&to);
	int r = await(pid, fd_no(from), told, e);
	if (r < 0 || told->code < 0)
		return r;
	FILE *f = fdopen(fd_no(memory), "r");
	if (!f)
		return err_sys(e, "reading the recording");
	memory.plus1 = 0;
	rewind(f);
	r = recording_read(rec, f, "recording", e);
	fclose(f);
	return r;
}

/* ---- comparing ---- */

static const char *ended(struct arena *a, int status)
{
	return status > 128 && status < 255 ? arena_fmt(a, "signal %d", status - 128) : arena_fmt(a, "%d", status);
}

static const char *why_status(struct ran *r, const struct trial *t, const struct told *told)
{
	struct arena *a = &r->arena;
	if (told->code < 0)
		return arena_fmt(a, "it could not be confined: %s", told->e.msg);
	if (told->code == EXIT_TIMED_OUT && t->status != EXIT_TIMED_OUT)
		return arena_fmt(a, "it did not end within %d s", t->timeout_ms / 1000);
	if (told->code != t->status) {
		const char *now = ended(a, told->code), *then = ended(a, t->status);
		return now && then ? arena_fmt(a, "it ended with %s instead of %s", now, then) : NULL;
	}
	return told->lost ? "a copied file could not be written back" : NULL;
}

static int why_lost(struct ran *r, const struct trial *t, const struct listing *before, struct err *e)
{
	OWN(arena) mem = { 0 };
	OWN(listing) after = { 0 };
	struct changes have = { 0 };
	struct losses lost = { 0 };
	int err = keeper_list(&after, t->keep, true, e);
	if (err < 0)
		return err;
	if (changes_find(&have, &mem, before, &after) < 0 || changes_lost(&lost, &mem, t->want, &have) < 0)
		return err_set(e, ENOMEM, "out of memory");
	if (!lost.n)
		return 0;
	const char *path = host_shorten(t->before, &mem, lost.items[0].path);
	r->why = arena_fmt(&r->arena, "%s is %s at its end", path ? path : lost.items[0].path, lost.items[0].why);
	if (r->why && lost.n > 1)
		r->why = arena_fmt(&r->arena, "%s, and so for %zu more", r->why, lost.n - 1);
	return r->why ? 0 : err_set(e, ENOMEM, "out of memory");
}

int trial_run(struct ran *out, const struct trial *t, struct setup *s, struct err *e)
{
	OWN(listing) before = { 0 };
	struct told told = { 0 };
	int r = keeper_work(t->keep, e);
	if (r == 0)
		r = keeper_list(&before, t->keep, true, e);
	if (r == 0 && keeper_redirect(t->keep, &s->policy) < 0)
		r = err_set(e, ENOMEM, "out of memory");
	if (r == 0)
		r = run_child(&told, &out->rec, t, s, e);
	if (r < 0)
		return r;
	out->status = told.code;
	out->tried = told.code >= 0;
	out->why = why_status(out, t, &told);
	return out->why ? 0 : why_lost(out, t, &before, e);
}
