/* load.c - reads recordings that a command line names */
#include "cli/load.h"

#include "cli/request.h"
#include "cli/runs.h"

#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void load_drop(struct load *l)
{
	lesson_drop(&l->lesson);
	setup_drop(&l->setup);
	for (size_t i = 0; i < l->n; i++)
		recording_drop(l->recs[i]);
	arena_drop(&l->arena);
	*l = (struct load){ 0 };
}

/*
 * For JSON the last run goes by the name that stays the same when it is audited again; people get the run's own, since
 * `last` may be another one when they paste it.
 */
static const char *last_of(struct load *l, const struct cli_opts *o, const char *recording)
{
	char *real = o->json ? NULL : realpath(recording, NULL);
	const char *own = real ? arena_str(&l->arena, real) : NULL;
	free(real);
	if (own)
		return path_parent(&l->arena, own);
	const char *dir = path_parent(&l->arena, recording);
	const char *root = dir ? path_parent(&l->arena, dir) : NULL;
	return root ? path_join(&l->arena, root, "last") : NULL;
}

static int load_one(struct load *l, const struct cli_opts *o, const char *word, struct err *e)
{
	const char *path = run_recording(&l->arena, o->envp, word, e);
	struct recording *rec = path ? arena_alloc(&l->arena, sizeof(*rec)) : NULL;
	if (!rec)
		return path ? err_set(e, ENOMEM, "out of memory") : -e->code;
	FILE *f = fopen(path, "re");
	if (!f)
		return err_sys(e, "opening %s", path);
	int r = recording_read(rec, f, path, e);
	fclose(f);
	if (r < 0)
		return r;
	l->recs[l->n++] = rec;
	if (!l->stored && (!strcmp(word, "last") || runs_is_id(word)))
		l->stored = strcmp(word, "last") ? path_parent(&l->arena, path) : last_of(l, o, path);
	return 0;
}

int load_runs(struct load *l, struct cli_opts *o, char *const *words, size_t n, struct err *e)
{
	l->recs = arena_array(&l->arena, n ? n : 1, sizeof(*l->recs));
	if (!l->recs)
		return err_set(e, ENOMEM, "out of memory");
	int r = n ? 0 : load_one(l, o, "last", e);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = load_one(l, o, words[i], e);
	return r == 0 && l->stored ? request_apply(o, l->stored, e) : r;
}

int load_policy(struct load *l, const struct cli_opts *o, struct err *e)
{
	return setup_recorded(&l->setup, o, &l->recs[0]->host, e);
}

/* Runs of two checkouts or users have no policy in common: what is home, and what the project, is another in each. */
static int same_ground(const struct load *l, struct err *e)
{
	const struct host *one = &l->recs[0]->host;
	for (size_t i = 1; i < l->n; i++) {
		const struct host *h = &l->recs[i]->host;
		const struct { const char *what, *a, *b; } rows[] = {
			{ "home directory", one->home, h->home }, { "project", one->project, h->project },
		};
		for (size_t k = 0; k < LEN(rows); k++)
			if (strcmp(rows[k].a ? rows[k].a : "", rows[k].b ? rows[k].b : "") != 0)
				return err_set(e, EINVAL, "these runs differ in their %s (%s, %s), by which each has to be judged: take them one "
				               "by one, and add to one profile with snug learn --update=FILE RUN", rows[k].what,
				               rows[k].a ? rows[k].a : "none", rows[k].b ? rows[k].b : "none");
	}
	return 0;
}

int load_lesson(struct load *l, const struct cli_opts *o, const char *name, struct err *e)
{
	int r = same_ground(l, e);
	if (r == 0)
		r = load_policy(l, o, e);
	return r < 0 ? r : lesson_make(&l->lesson, l->recs, l->n, &l->setup.policy, &l->setup.profile, name, e);
}
