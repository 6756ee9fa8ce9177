/* suggest_looks.c - directories that only have to be there: empty ones stand in */
#include "learn/suggest.h"

#include "base/path.h"

#include <errno.h>
#include <string.h>

/* Is an empty directory suggested at or above @path, or (@below) below it? */
const char *suggest_empty_at(const struct suggesting *s, const char *path, bool below)
{
	for (size_t i = 0; i < s->empties.n; i++) {
		const char *dir = s->empties.items[i];
		if (below ? path_below(dir, path) : path_under(path, dir))
			return dir;
	}
	return NULL;
}

int suggest_tmpfs(struct suggesting *s, const char *path, const char **text)
{
	struct profile *p = &s->lesson->suggestion;
	const char *shown = host_shorten(s->host, &p->arena, path);
	struct pathent *e = shown ? ARENA_PUSH(&p->arena, &p->tmpfs, items, n) : NULL;
	if (!e)
		return -ENOMEM;
	e->path = arena_str(&p->arena, shown);
	e->src.origin = "suggested";
	*text = arena_fmt(&p->arena, "tmpfs: \"%s\"", shown);
	return e->path && *text ? 0 : -ENOMEM;
}

static bool is_runtime(const struct suggesting *s, const char *path)
{
	return s->host->runtime && !strcmp(path, s->host->runtime);
}

enum { EMPTIES_MAX = 40 };

/* A directory that has to be there, and is not opened for what is in it. */
static int add_empty(struct suggesting *s, uint32_t at)
{
	const struct node *n = &s->facts->objects.nodes[at];
	struct profile *p = &s->lesson->suggestion;
	struct finding *f = findings_get(&s->facts->found, n->path);
	if ((f && (f->heading != HEAD_NEEDS || f->grant || f->note)) || rules_cover(s->rules, n->path) ||
	    suggest_rule_below(s->rules, n->path) || suggest_empty_at(s, n->path, false))
		return 0;
	if ((tier_forbidden(s->facts->tiers, n->path) && !is_runtime(s, n->path)) ||
	    tier_protected(s->facts->tiers, n->path, NULL))
		return 0;
	if (s->empties.n >= EMPTIES_MAX) /* a list nobody reads helps nobody */
		return f ? finding_note(&s->facts->found, f, "only looked at, like many others") : 0;
	const char *text = NULL, **dir = ARENA_PUSH(&p->arena, &s->empties, items, n);
	if (!dir)
		return -ENOMEM;
	*dir = n->path;
	if (f && finding_note(&s->facts->found, f, "only looked at: an empty directory stands in"))
		return -ENOMEM;
	int err = suggest_tmpfs(s, n->path, &text);
	if (f)
		f->grant = text;
	return err;
}

/* What has no line of its own: it comes with another one, or a person must know. */
static int settle_looks(struct suggesting *s)
{
	int err = 0;
	for (uint32_t i = 1; !err && i < s->facts->objects.n; i++) {
		const struct node *n = &s->facts->objects.nodes[i];
		struct finding *f = s->plan->want[i] & WANT_EXIST ? findings_get(&s->facts->found, n->path) : NULL;
		if (!f || f->heading != HEAD_NEEDS || f->grant || f->note)
			continue;
		if (rules_cover(s->rules, n->path))
			continue;
		if (suggest_empty_at(s, n->path, false) || suggest_empty_at(s, n->path, true)) {
			f->grant = "made for what is granted below it";
			continue;
		}
		f->counts = n->uses & USE_CHDIR;
		err = finding_note(&s->facts->found, f, f->counts ? "entered, and never granted as a whole"
		                                                  : "only looked at, and never granted as a whole");
	}
	/* what the run makes below an empty directory works there */
	for (size_t i = 0; !err && i < s->lesson->nfindings; i++) {
		struct finding *f = &s->lesson->findings[i];
		bool open = suggest_wants(f) && !f->grant && !f->note && f->kind == NEED_CREATE;
		const char *dir = open ? suggest_empty_at(s, f->path, false) : NULL;
		const struct node *up = open ? objects_find(&s->facts->objects, f->path, path_parent_len(f->path)) : NULL;
		if (!dir && up && s->plan->want[up - s->facts->objects.nodes] & WANT_EXIST && suggest_rule_below(s->rules, up->path))
			f->grant = "works where other lines make its directory";
		if (dir)
			f->grant = arena_fmt(&s->lesson->suggestion.arena, "tmpfs: \"%s\"",
			                     host_shorten(s->host, &s->lesson->suggestion.arena, dir));
	}
	return err;
}

int suggest_looks(struct suggesting *s)
{
	int err = 0;
	for (uint32_t i = 1; !err && i < s->facts->objects.n; i++)
		if (s->plan->want[i] & WANT_EXIST)
			err = add_empty(s, i);
	return err ? err : settle_looks(s);
}
