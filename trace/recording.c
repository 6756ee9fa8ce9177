/* recording.c - a recording as values: owner, reasons, chains of programs */
#include "trace/recording.h"

#include "base/path.h"
#include "base/str.h"
#include "base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void recording_drop(struct recording *r)
{
	if (r->cap_events)
		free(r->events);
	host_drop(&r->host);
	arena_drop(&r->arena);
	*r = (struct recording){ 0 };
}

struct event *recording_add_event(struct recording *r)
{
	struct event *items = vec_grow(r->events, r->nevents, &r->cap_events, sizeof(*items));
	if (!items)
		return NULL;
	r->events = items;
	return &items[r->nevents++];
}

int recording_add_incomplete(struct recording *r, const char *why)
{
	size_t at = 0;
	for (; at < r->nincomplete; at++) {
		int c = strcmp(r->incomplete[at], why);
		if (!c)
			return 0;
		if (c > 0)
			break;
	}
	struct { const char **items; size_t n; } v = { r->incomplete, r->nincomplete };
	char *copy = arena_str(&r->arena, why);
	if (!copy || !ARENA_PUSH(&r->arena, &v, items, n))
		return -ENOMEM;
	memmove(v.items + at + 1, v.items + at, (v.n - 1 - at) * sizeof(*v.items));
	v.items[at] = copy;
	r->incomplete = v.items;
	r->nincomplete = v.n;
	return 0;
}

/* ---- chains of programs ---- */

enum { CHAIN_IMAGES = 64, CHAIN_WORDS = 4, CHAIN_WORD_BYTES = 32 };

static size_t words(char *const *argv)
{
	size_t n = 0;
	while (argv && argv[n])
		n++;
	return n;
}

static bool same_words(const char *const *a, const char *const *b)
{
	while (*a && *b && !strcmp(*a, *b))
		a++, b++;
	return !*a && !*b;
}

/* A forked copy of its parent's program, or an interpreter that the kernel or env put in front of the same words. */
static bool repeats(const struct proc *p, const struct proc *parent)
{
	if (!p->argv || !p->argv[0])
		return !p->exe || (parent->exe && !strcmp(p->exe, parent->exe));
	if (!parent->argv || !parent->argv[0])
		return false;
	const char *const *a = (const char *const *)p->argv, *const *b = (const char *const *)parent->argv;
	if (same_words(a, b))
		return true;
	return p->replaces && a[1] && !strcmp(path_base(a[1]), path_base(b[0])) && same_words(a + 2, b + 1);
}

static void program(struct str *out, const struct proc *p)
{
	if (!p->argv || !p->argv[0]) {
		str_add(out, p->exe ? path_base(p->exe) : "?");
		return;
	}
	str_add(out, path_base(p->argv[0]));
	size_t n = words((char *const *)(uintptr_t)p->argv);
	for (size_t i = 1; i < n; i++) {
		const char *w = p->argv[i][0] == '/' ? path_base(p->argv[i]) : p->argv[i];
		if (i == CHAIN_WORDS) {
			str_add(out, " ...");
			return;
		}
		bool plain = *w && strlen(w) <= CHAIN_WORD_BYTES && !strpbrk(w, " \t\n;&|<>()$`\"'");
		str_add(out, " ");
		str_add(out, plain ? w : "...");
	}
}

void recording_chain(const struct recording *r, uint32_t id, struct str *out)
{
	const struct proc *line[CHAIN_IMAGES];
	size_t n = 0;
	/* parents may be hostile numbers in a read file: the walk is bounded, not trusted to end */
	while (id && id <= r->nprocs && n < CHAIN_IMAGES) {
		line[n] = &r->procs[id - 1];
		id = line[n++]->parent;
	}
	bool first = true;
	for (size_t i = n; i-- > 0;) {
		if (i + 1 < n && repeats(line[i], line[i + 1]))
			continue;
		if (!first)
			str_add(out, " > ");
		program(out, line[i]);
		first = false;
	}
}

void recording_who(const struct recording *r, uint32_t id, struct str *out)
{
	if (!id || id > r->nprocs)
		return;
	const struct proc *p = &r->procs[id - 1];
	if (p->package)
		str_fmt(out, "%s%s%s: ", p->package, p->script ? " " : "", p->script ? p->script : "");
	program(out, p);
}
