/* hint.c - judges what is missing under each built-in profile */
#include "cli/hint.h"

#include "cli/setup.h"
#include "profiles/builtin.h"

#include <string.h>

/* With more findings than this, no profile of a tool is the answer. */
enum { HINT_MAX = 2000 };

/* insecure and shadow grant too much and untrusted nothing: none is advice. Base is there already. */
static bool is_advice(const char *name)
{
	return strcmp(name, "insecure") != 0 && strcmp(name, "untrusted") != 0 && strcmp(name, "shadow") != 0 && strcmp(name, "base") != 0;
}

/* Resolve what @o asks for and the profile @name. False where the two do not go together. */
static bool resolve_with(struct setup *s, struct arena *a, const struct cli_opts *asked, const char *name,
                         const struct host *h)
{
	struct err ignored = { 0 };
	struct cli_opts o = *asked;
	o.profiles.items = arena_array(a, o.profiles.n + 1, sizeof(*o.profiles.items));
	if (!o.profiles.items)
		return false;
	for (size_t i = 0; i < o.profiles.n; i++)
		o.profiles.items[i] = asked->profiles.items[i];
	o.profiles.items[o.profiles.n++] = (struct word){ .text = name, .src = { .origin = "+" } };
	return setup_recorded(s, &o, h, &ignored) == 0;
}

static bool grants(const struct setup *s, const struct recording *rec, const struct event *ev)
{
	struct judgement j = policy_judge(&s->policy, &ev->acc, &rec->host, NULL);
	return j.verdict == V_GRANTED && j.err == ev->outcome;
}

const char *hint_event(struct arena *a, const struct cli_opts *o, const struct recording *rec, const struct event *ev)
{
	for (const struct builtin *b = builtins; b->name; b++) {
		OWN(setup) s = { 0 };
		if (is_advice(b->name) && resolve_with(&s, a, o, b->name, &rec->host) && grants(&s, rec, ev))
			return b->name;
	}
	return NULL;
}

static const struct event *event_of(const struct recording *rec, uint64_t seq)
{
	size_t lo = 0, hi = rec->nevents;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (rec->events[mid].seq < seq)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < rec->nevents && rec->events[lo].seq == seq ? &rec->events[lo] : NULL;
}

const char *hint_lesson(struct arena *a, const struct cli_opts *o, const struct recording *rec, const struct lesson *l,
                        size_t *covers)
{
	const char *best = NULL;
	size_t counted = 0;
	*covers = 0;
	for (size_t i = 0; i < l->nfindings; i++)
		counted += l->findings[i].counts;
	if (!counted || counted > HINT_MAX)
		return NULL;
	for (const struct builtin *b = builtins; b->name; b++) {
		OWN(setup) s = { 0 };
		size_t n = 0;
		if (!is_advice(b->name) || !resolve_with(&s, a, o, b->name, &rec->host))
			continue;
		for (size_t i = 0; i < l->nfindings; i++) {
			const struct event *ev = l->findings[i].counts ? event_of(rec, l->findings[i].seq) : NULL;
			n += ev && grants(&s, rec, ev);
		}
		if (n > *covers) {
			best = b->name;
			*covers = n;
		}
	}
	return best;
}
