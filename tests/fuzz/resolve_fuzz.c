/* resolve_fuzz.c - two profiles (split at a form feed) composed and resolved on an invented host: whatever they say, the
 * list of places is in order, has one place per path, and no guard is undone by what stands inside it */
/* covers: profiles/merge.c profiles/resolve.c profiles/grants.c profiles/settle.c profiles/guards.c profiles/expand.c */
#include "base/map.h"
#include "base/path.h"
#include "base/str.h"
#include "profiles/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Facts follow from the path alone, so that a run can be repeated. */
static void invent(struct host *h, const char *path)
{
	struct hop hop = { path, "elsewhere" };
	struct host_file f = { .path = path, .real = path, .type = FT_DIR, .real_type = FT_DIR };
	switch (map_hash(path, strlen(path)) % 6) {
	case 0: f.type = f.real_type = FT_NONE; break;
	case 1: f.type = f.real_type = FT_FILE; break;
	case 2: f.type = FT_LINK; f.real = "/h/elsewhere"; f.hops = &hop; f.nhops = 1; break;
	case 3: return; /* nobody looked */
	}
	if (host_add_file(h, &f))
		abort();
}

static void check(const struct policy *pol)
{
	for (size_t i = 0; i < pol->nplaces; i++) {
		const struct place *p = &pol->places[i];
		if (p->path[0] != '/' || !p->src.origin || map_get(&pol->by_path, p->path) != (void *)(uintptr_t)(i + 1))
			abort();
		for (size_t j = 0; j < i && i < 200; j++) {
			const struct place *q = &pol->places[j];
			if (path_under(q->path, p->path))
				abort(); /* a child before its parent, or a path twice */
			if (path_below(p->path, q->path) && q->kind == PLACE_MASK && p->kind != PLACE_LINK)
				abort();
			if (path_below(p->path, q->path) && q->kind == PLACE_FENCE &&
			    (p->kind == PLACE_PIN || (p->kind == PLACE_BIND && p->mode == BIND_RW)))
				abort();
		}
		for (size_t j = 0; j < pol->nbans; j++) {
			bool shows = p->kind == PLACE_BIND || p->kind == PLACE_COPY;
			if (shows && path_under(p->source, pol->bans[j].path) && !p->src.overrides &&
			    (!pol->bans[j].write_only || p->mode != BIND_RO))
				abort();
		}
	}
}

/* @draw: some hosts have root as the caller, some no home and no runtime directory */
static void resolve(const struct profile *p, bool strict, size_t draw)
{
	static struct hop links[] = { { "/bin", "usr/bin" }, { "/lib", "usr/lib" } };
	OWN(policy) pol = { 0 };
	OWN(arena) a = { 0 };
	OWN(host) h = { .cwd = "/h/p", .project = "/h/p", .home = "/h", .runtime = "/r", .links = links, .nlinks = 2, .uid = draw % 7 ? 7 : 0 };
	struct wordlist paths = { 0 };
	struct err e = { 0 };
	if (draw % 11 == 0)
		h.home = h.runtime = h.project = NULL;
	if (profile_paths(p, &h, &a, &paths, &e))
		abort();
	for (size_t i = 0; i < paths.n; i++)
		invent(&h, paths.items[i].text);
	int r = policy_resolve(&pol, p, &h, strict, &e);
	if (r && (r != -EINVAL || !e.msg[0]))
		abort();
	if (r)
		return;
	check(&pol);
	(void)policy_ask_host(&pol, "a.example.org", 443, NULL);
	(void)policy_ask_env(&pol, "HOME", NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	OWN(profile) all = { 0 };
	struct err e = { 0 };
	const char *text = (const char *)data, *cut = len ? memchr(data, '\f', len) : NULL;
	const size_t lens[] = { cut ? (size_t)(cut - text) : len, cut ? len - (size_t)(cut - text) - 1 : 0 };
	for (int i = 0; i < (cut ? 2 : 1); i++) {
		OWN(profile) p = { 0 };
		const char *origin = i ? "--flag" : lens[0] % 2 ? "builtin:base" : "user:x";
		struct word part = { .text = origin };
		if (profile_read(&p, i ? cut + 1 : text, lens[i], origin, origin, &e))
			return 0;
		p.parts = (struct wordlist){ &part, 1 };
		if (profile_merge(&all, &p, i && lens[i] % 2, lens[i] % 3 == 0, &e)) {
			if (e.code != EINVAL)
				abort();
			return 0;
		}
	}
	resolve(&all, true, len);
	resolve(&all, false, len);
	return 0;
}
