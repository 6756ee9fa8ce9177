/* suggest_links.c - lines for symbolic links on the way to what is granted */
#include "learn/suggest.h"

#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int path_order(const void *a, const void *b)
{
	return strcmp(((const struct pathent *)a)->path, ((const struct pathent *)b)->path);
}

/* Where @l's text leads, lexically. */
static char *link_target(struct arena *a, const struct passed *l)
{
	char *dir = path_parent(a, l->link);
	return dir ? path_join(a, dir, l->text) : NULL;
}

/* What a line for a link says: its source, where that leads, and how. */
struct link_line {
	const char *source, *real;
	enum bind_mode mode;
	bool whole, empty;
};

/*
 * A grant of a path that goes through a link makes the link inside too. So the line names the link itself where it
 * leads to a file or to a directory that is granted whole, else the granted thing as seen through the link.
 * Return: 1 and @out filled, 0 no line can be made.
 */
static int link_line(struct suggesting *s, const struct passed *l, struct link_line *out)
{
	struct arena *a = &s->lesson->suggestion.arena;
	const struct rule *r = rules_cover(s->rules, l->path);
	const char *empty = r ? NULL : suggest_empty_at(s, l->path, false);
	const struct node *end = objects_find(&s->facts->objects, l->path, strlen(l->path));
	char *to = link_target(a, l);
	if (!to)
		return -ENOMEM;
	if (!r && !empty && !l->granted)
		return 0;
	const char *granted = r ? r->path : empty ? empty : l->path;
	bool file = !strcmp(to, l->path) && (!end || end->type != FT_DIR);
	*out = (struct link_line){ .source = l->link, .real = file ? l->path : to, .empty = empty,
	                           .mode = r && r->mode != BIND_COPY ? r->mode : BIND_RO };
	out->whole = !strcmp(granted, to) || path_below(to, granted) || file;
	if (out->whole)
		return 1;
	if (path_below(granted, to)) {
		out->source = arena_fmt(a, "%s%s", l->link, granted + strlen(to));
		out->real = granted;
		return out->source ? 1 : -ENOMEM;
	}
	/* the text leads through further links, which have lines of their own */
	out->real = l->path;
	return l->at + 1 < l->o->nhops ? 1 : 0;
}

static int add_link(struct suggesting *s, const struct passed *l, struct map *done)
{
	struct profile *p = &s->lesson->suggestion;
	struct link_line line;
	if (rules_cover(s->rules, l->link) || map_find(done, l->link, strlen(l->link)))
		return 0;
	int got = link_line(s, l, &line);
	if (got <= 0)
		return got;
	/* the engine makes every link on the way from here */
	size_t to = line.source == l->link ? l->o->nhops : l->at + 1;
	for (size_t i = l->at; i < to; i++)
		if (!map_put(done, l->o->hops[i].path, strlen(l->o->hops[i].path), NULL))
			return -ENOMEM;
	struct host_file *fact = ARENA_PUSH(&p->arena, &s->link_facts, items, n);
	if (!fact)
		return -ENOMEM;
	const struct node *real = objects_find(&s->facts->objects, line.real, strlen(line.real));
	*fact = (struct host_file){
		.path = line.source, .type = line.source == l->link ? FT_LINK : FT_UNKNOWN, .real = line.real,
		.hops = l->o->hops + l->at, .nhops = l->o->nhops - l->at,
		.real_type = real ? (enum file_type)real->type : FT_UNKNOWN,
	};
	const char *to_text = host_shorten(s->host, &p->arena, l->text);
	const char *text = NULL, *why = to_text ? arena_fmt(&p->arena, "link to %s", to_text) : NULL;
	struct rule rule = { .path = line.source, .mode = line.mode };
	if (!line.empty && suggest_conflict(s, &rule))
		return 0;
	int err = !why ? -ENOMEM : line.empty ? suggest_tmpfs(s, line.source, &text) : suggest_bind(s, &rule, why, &text);
	struct finding *f = findings_get(&s->facts->found, l->path);
	if (f && !f->grant && f->heading == HEAD_NEEDS)
		f->grant = text;
	return err;
}

static int bind_order(const void *a, const void *b)
{
	return strcmp(((const struct bind *)a)->source, ((const struct bind *)b)->source);
}

int suggest_links(struct suggesting *s)
{
	struct profile *p = &s->lesson->suggestion;
	OWN(map) done = { 0 };
	int err = 0;
	for (size_t i = 0; !err && i < s->facts->links.n; i++)
		err = add_link(s, &s->facts->links.items[i], &done);
	if (p->tmpfs.n)
		qsort(p->tmpfs.items, p->tmpfs.n, sizeof(*p->tmpfs.items), path_order);
	if (p->binds.n)
		qsort(p->binds.items, p->binds.n, sizeof(*p->binds.items), bind_order);
	return err;
}
