/* points.c - places inside a bind of the host stand on something that must be there already; pure */
#include "profiles/resolve.h"

#include "base/path.h"

#include <string.h>

/* Is @p mounted on a name in its parent (and not, like links and guards, put or found there)? */
static bool is_mount(const struct place *p)
{
	switch (p->kind) {
	case PLACE_BIND: case PLACE_TMPFS: case PLACE_SHM: case PLACE_PROC: case PLACE_DEV: case PLACE_SYS:
		return true;
	case PLACE_COPY: case PLACE_STUB: case PLACE_LINK: case PLACE_MASK: case PLACE_FENCE: case PLACE_PIN:
		break;
	}
	return false;
}

static int check(struct resolver *r, const struct place *p, const char *host)
{
	const struct host_file *f = host_file(r->h, host);
	const char *shown = resolve_show(r, p->path);
	struct spot s;
	int x = f ? spot_find(r, &s, host) : 0;
	if (!f || x)
		return x;
	if (s.link || strcmp(s.real, host) != 0)
		return resolve_trouble(r, &p->src, "the way to %s leads through a symbolic link inside: name the place it leads to",
		                       shown);
	if (s.type == FT_NONE)
		return resolve_trouble(r, &p->src, "%s is not there to be mounted on, and snug makes nothing on the host: make it first "
		                       "(%s %s)", shown, p->type == FT_DIR ? "mkdir" : "touch", resolve_show(r, host));
	if (s.type != FT_UNKNOWN && p->type != FT_UNKNOWN && (s.type == FT_DIR) != (p->type == FT_DIR))
		return resolve_trouble(r, &p->src, "%s is %s, and what should be mounted there is %s", shown,
		                       s.type == FT_DIR ? "a directory" : "no directory",
		                       p->type == FT_DIR ? "a directory" : "none");
	return 0;
}

int points_check(struct resolver *r)
{
	int x = 0;
	for (size_t i = 0; i < r->pol->nplaces && !x; i++) {
		const struct place *p = &r->pol->places[i];
		const char *above = is_mount(p) && strcmp(p->path, "/") ? path_parent(&r->pol->arena, p->path) : NULL;
		const struct place *c = above ? place_cover(r->pol, above) : NULL;
		/* the home that persists is made for this: what leads to places may be made in it */
		if (!c || c->kind != PLACE_BIND || c->kept)
			continue;
		const char *host = place_source(r, c, p->path);
		if (!host)
			return resolve_memory(r);
		if (p->kind != PLACE_BIND || strcmp(p->source, host) != 0)
			x = check(r, p, host);
	}
	return x;
}
