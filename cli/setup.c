/* setup.c - host facts, profiles, policy: the steps that run, audit and explain share */
#include "cli/setup.h"

#include "base/esc.h"
#include "base/log.h"
#include "base/path.h"
#include "base/str.h"
#include "enforce/box.h"
#include "profiles/builtin.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void setup_drop(struct setup *s)
{
	policy_drop(&s->policy);
	profile_drop(&s->profile);
	finder_drop(&s->finder);
	host_drop(&s->host);
	*s = (struct setup){ 0 };
}

static int fence(struct setup *s, const char *path)
{
	struct profile *p = &s->profile;
	struct pathent *e = path ? ARENA_PUSH(&p->arena, &p->deny_write, items, n) : NULL;
	if (!e)
		return -ENOMEM;
	*e = (struct pathent){ .path = path, .optional = true, .src = { .origin = PROFILE_SNUG } };
	return 0;
}

/* As the file was opened: from the directory snug was started in, whatever -C says. */
static int fence_file(struct setup *s, const char *name)
{
	char *real = realpath(name, NULL);
	int r = real ? fence(s, arena_str(&s->profile.arena, real)) : 0;
	free(real);
	return r;
}

/*
 * What the next run under the same command line relies on is not the command's to change, however wide the grants: a
 * profile given by path, snug's store of trust, the user's profiles.
 */
static int protect(struct setup *s, const struct cli_opts *o, struct err *e)
{
	const struct { const char *dir, *path; } own[] = {
		{ s->host.state, "{state}/snug" }, { s->host.config, "{config}/snug" },
	};
	int r = 0;
	for (size_t i = 0; i < LEN(own) && r == 0; i++)
		r = own[i].dir ? fence(s, own[i].path) : 0;
	for (size_t i = 0; i < o->profiles.n && r == 0; i++) {
		const char *name = o->profiles.items[i].text;
		size_t n = strlen(name);
		if (strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".yaml")))
			r = fence_file(s, name);
	}
	return r < 0 ? err_set(e, ENOMEM, "out of memory") : 0;
}

int setup_compose(struct setup *s, const struct cli_opts *o, enum find_purpose purpose, struct err *e)
{
	const char *project = o->project || !o->project_anyway ? o->project : o->cwd ? o->cwd : ".";
	int r = host_probe(&s->host, o->cwd, project, o->envp, e);
	if (r < 0)
		return r;
	s->finder.host = &s->host;
	s->finder.purpose = purpose;
	s->finder.diff = stderr;
	r = find_compose(&s->profile, &s->finder, &o->profiles, &o->grants, o->no_base, o->override, e);
	if (o->cwd)
		s->profile.cwd.src = (struct src){ 0 }; /* -C is the stronger word, and is what host.cwd is by now */
	return r < 0 ? r : protect(s, o, e);
}

/*
 * Profiles, facts and policy take some forty pages of heap, and each costs a fault where it is touched first: half as
 * much as all of the work on them. So they are asked for in one piece. Where that does not work nothing is lost.
 */
static void warm_heap(void)
{
	enum { WARM = 156 << 10, POPULATE_WRITE = 23 /* MADV_POPULATE_WRITE, Linux 5.14 */ };
	mallopt(M_TOP_PAD, WARM + (16 << 10));
	char *first = malloc(16);
	if (first) {
		char *at = first + (-(uintptr_t)first & 4095);
		(void)madvise(at, WARM, POPULATE_WRITE);
	}
	free(first);
}

int setup_make(struct setup *s, const struct cli_opts *o, enum find_purpose purpose, bool strict, struct err *e)
{
	warm_heap();
	struct wordlist paths = { 0 };
	int r = setup_compose(s, o, purpose, e);
	if (r == 0)
		r = profile_paths(&s->profile, &s->host, &s->finder.arena, &paths, e);
	if (r == 0)
		r = host_look(&s->host, &paths, e);
	return r < 0 ? r : policy_resolve(&s->policy, &s->profile, &s->host, strict, e);
}

void setup_warn(const struct setup *s)
{
	for (size_t i = 0; i < s->profile.warnings.n; i++) {
		OWN(str) text = { 0 };
		esc_term(&text, s->profile.warnings.items[i].text);
		fprintf(stderr, "snug: warning: %s\n", str_c(&text));
	}
}

int setup_recorded(struct setup *s, const struct cli_opts *o, const struct host *recorded, struct err *e)
{
	int r = setup_compose(s, o, FIND_READ, e);
	return r < 0 ? r : policy_resolve(&s->policy, &s->profile, recorded, false, e);
}

int setup_facts(struct setup *s, struct err *e)
{
	struct wordlist paths = { 0 };
	for (const struct builtin *b = builtins; b->name; b++) {
		OWN(profile) p = { 0 };
		struct err why = { 0 };
		if (builtin_read(&p, b, b->name, &why) < 0 ||
		    profile_paths(&p, &s->host, &s->finder.arena, &paths, &why) < 0)
			log_line(1, "%s: not looked up here: %s", b->name, why.msg);
	}
	return host_look(&s->host, &paths, e);
}

static bool is_whole(const struct host *h)
{
	return strcmp(h->project, "/") == 0 || host_holds_home(h, h->project);
}

int setup_refused(const struct cli_opts *o, const struct host *h, struct err *e)
{
	if (h->project && !o->project_anyway && is_whole(h))
		return err_set(e, EPERM, "the project %s is / or holds the home directory, which would be granted as a whole: "
		               "name a directory inside it with --project DIR, or insist with --project-anyway", h->project);
	if (!h->project && h->cwd)
		return err_set(e, EPERM, "the working directory %s is / or holds the home directory, which would be handed "
		               "over whole: change to the project's directory, name it with --project DIR, or insist with "
		               "--project-anyway", h->cwd);
	return 0;
}
