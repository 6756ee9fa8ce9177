/* gen.c - the scratch tree and the profile of one round */
#include "tests/difftest/draw.h"

#include "base/path.h"

#include <errno.h>
#include <string.h>

/*
 * The tree has areas: directories in home, project, a data directory and /tmp, each under a rule drawn for it. An
 * area holds slots with the same set of objects; each access takes a slot of its own, so accesses do not disturb
 * each other and one sandbox serves many.
 */

uint64_t draw(struct round *r, uint64_t n)
{
	r->state += 0x9e3779b97f4a7c15ULL; /* splitmix64 */
	uint64_t z = r->state;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (z ^ (z >> 31)) % n;
}

bool chance(struct round *r, unsigned percent)
{
	return draw(r, 100) < percent;
}

void round_drop(struct round *r)
{
	str_drop(&r->yaml);
	map_drop(&r->used);
	arena_drop(&r->arena);
	*r = (struct round){ 0 };
}

#define PATH(...) arena_fmt(&r->arena, __VA_ARGS__)

static void node(struct round *r, enum node_kind kind, const char *path, const char *text, unsigned mode, unsigned uid)
{
	struct { struct node *items; size_t n; } v = { r->nodes, r->nnodes };
	struct node *n = ARENA_PUSH(&r->arena, &v, items, n);
	*n = (struct node){ kind, path, text, mode, uid, r->in_slot };
	r->nodes = v.items;
	r->nnodes = v.n;
}

void use(struct round *r, const char *path)
{
	const char *key = arena_str(&r->arena, path);
	map_put(&r->used, key, strlen(key), NULL);
}

/* An area with another source shows objects like its own: both have the same. */
static bool is_used(struct round *r, const char *path)
{
	const char *src = strstr(path, ".src");
	if (src)
		path = PATH("%.*s%s", (int)(src - path), path, src + 4);
	return map_find(&r->used, path, strlen(path)) != NULL;
}

/* Keep what is used and what that leads to; a node stands behind what it needs. */
static void prune(struct round *r)
{
	for (size_t i = r->nnodes; i-- > 0;) {
		const struct node *n = &r->nodes[i];
		if (!is_used(r, n->path))
			continue;
		size_t up = path_parent_len(n->path);
		use(r, arena_mem(&r->arena, n->path, up));
		if (n->kind != N_LINK)
			continue;
		use(r, path_join(&r->arena, arena_mem(&r->arena, n->path, up), n->text));
		if (!strncmp(n->text, "d/", 2))
			use(r, PATH("%.*s/d", (int)up, n->path));
	}
	size_t keep = 0;
	for (size_t i = 0; i < r->nnodes; i++)
		if (!r->nodes[i].object || is_used(r, r->nodes[i].path))
			r->nodes[keep++] = r->nodes[i];
	r->nnodes = keep;
}

/* Objects of other users. */
static void slot_of_others(struct round *r, const char *at)
{
	node(r, N_FILE, PATH("%s/q", at), "theirs\n", 0600, 12345);
	node(r, N_FILE, PATH("%s/Q", at), "theirs too\n", 0644, 12345);
	node(r, N_DIR, PATH("%s/D", at), NULL, 0755, 12345);
	node(r, N_FILE, PATH("%s/D/in", at), "in\n", 0644, 0);
	node(r, N_DIR, PATH("%s/w", at), NULL, 0777, 12345);
	node(r, N_FILE, PATH("%s/w/q", at), "sticky\n", 0644, 12346);
	node(r, N_DIR, PATH("%s/w", at), NULL, 01777, 12345);
	node(r, N_DIR, PATH("%s/C", at), NULL, 0755, 12345);
	node(r, N_FILE, PATH("%s/C/in", at), "shut\n", 0644, 0);
	node(r, N_DIR, PATH("%s/C", at), NULL, 0700, 12345);
}

/* Other file systems. */
static void slot_of_mounts(struct round *r, const char *at)
{
	node(r, N_MOUNT, PATH("%s/m", at), NULL, 0, 0);
	node(r, N_FILE, PATH("%s/m/in", at), "mounted\n", 0644, 0);
	node(r, N_DIR, PATH("%s/m/e", at), NULL, 0755, 0);
	node(r, N_MOUNT, PATH("%s/M", at), NULL, 1, 0);
	node(r, N_DEVICE, PATH("%s/y", at), NULL, 0666, 0);
}

/* The objects of a slot, met as @as; wants.c knows them by these names. */
static void slot(struct round *r, const char *at, const char *as)
{
	node(r, N_DIR, at, NULL, 0755, 0);
	r->in_slot = true;
	node(r, N_FILE, PATH("%s/f", at), "hello\n", 0644, 0);
	node(r, N_FILE, PATH("%s/g", at), "mine\n", 0600, 0);
	node(r, N_FILE, PATH("%s/r", at), "read\n", 0444, 0);
	node(r, N_FILE, PATH("%s/z", at), "none\n", 0000, 0);
	node(r, N_FILE, PATH("%s/n", at), "no program\n", 0644, 0);
	node(r, N_PROGRAM, PATH("%s/x", at), NULL, 0755, 0);
	node(r, N_DIR, PATH("%s/d", at), NULL, 0755, 0);
	node(r, N_FILE, PATH("%s/d/in", at), "in\n", 0644, 0);
	node(r, N_DIR, PATH("%s/e", at), NULL, 0755, 0);
	node(r, N_DIR, PATH("%s/c", at), NULL, 0755, 0);
	node(r, N_FILE, PATH("%s/c/in", at), "shut\n", 0644, 0);
	node(r, N_DIR, PATH("%s/c", at), NULL, 0000, 0);
	node(r, N_DIR, PATH("%s/v", at), NULL, 0555, 0);
	node(r, N_FIFO, PATH("%s/p", at), NULL, 0644, 0);
	node(r, N_SOCKET, PATH("%s/k", at), NULL, 0755, 0);
	node(r, N_LINK, PATH("%s/lr", at), "f", 0, 0);
	node(r, N_LINK, PATH("%s/la", at), PATH("%s/f", as), 0, 0);
	node(r, N_LINK, PATH("%s/lc", at), "lr", 0, 0);
	node(r, N_LINK, PATH("%s/ld", at), "nope", 0, 0);
	node(r, N_LINK, PATH("%s/lD", at), "d", 0, 0);
	node(r, N_LINK, PATH("%s/lu", at), "d/../f", 0, 0);
	node(r, N_LINK, PATH("%s/lx", at), PATH("%s/x", as), 0, 0);
	node(r, N_LINK, PATH("%s/lk", at), "k", 0, 0);
	node(r, N_LINK, PATH("%s/lo", at), PATH("%s/o/%s", r->data, as[strlen(as) - 1] & 1 ? "open" : "shut"), 0, 0);
	node(r, N_LINK, PATH("%s/l2", at), "l1", 0, 0);
	node(r, N_LINK, PATH("%s/l1", at), "l2", 0, 0);
	if (r->root) {
		slot_of_others(r, at);
		slot_of_mounts(r, at);
	}
	r->in_slot = false;
}
/* YAML sections, put together at the end */
struct sections {
	struct str binds, tmpfs, mask, deny_read, deny_write;
};

static void sections_drop(struct sections *s)
{
	str_drop(&s->binds);
	str_drop(&s->tmpfs);
	str_drop(&s->mask);
	str_drop(&s->deny_read);
	str_drop(&s->deny_write);
}

static void bind(struct round *r, struct sections *s, const char *source, const char *more)
{
	use(r, source);
	str_fmt(&s->binds, "  - { source: \"%s\", %s }\n", source, more);
}

static void entry(struct round *r, struct str *list, const char *path, bool optional)
{
	use(r, path);
	if (optional)
		str_fmt(list, "  - { path: \"%s\", optional: true }\n", path);
	else
		str_fmt(list, "  - \"%s\"\n", path);
}

/* Single objects of a slot, each with a bind of its own. */
static void bind_objects(struct round *r, struct sections *s, const char *at, bool copies, bool no_links)
{
	static const char *const modes[] = { "mode: ro", "mode: rw" };
	static const char *const names[] = { "f", "g", "x", "d", "k", "p", "la", "lD", "z", "y" };
	bool file = false, dir = false; /* a link and its target are one place */
	for (size_t i = 0; i < LEN(names); i++) {
		bool plain = strchr("fgx", names[i][0]) != NULL;
		if ((!strcmp(names[i], "y") && !r->root) || (names[i][0] == 'l' && no_links))
			continue;
		if (chance(r, 35) || (!strcmp(names[i], "la") && file) || (!strcmp(names[i], "lD") && dir))
			continue;
		file = file || !strcmp(names[i], "f");
		dir = dir || !strcmp(names[i], "d");
		const char *mode = copies && plain && chance(r, 60) ? "mode: copy" : modes[draw(r, 2)];
		bind(r, s, PATH("%s/%s", at, names[i]), chance(r, 20) ? PATH("%s, optional: true", mode) : mode);
	}
	if (chance(r, 60))
		bind(r, s, PATH("%s/made", at), "mode: rw, create: dir");
	if (chance(r, 60))
		bind(r, s, PATH("%s/madef", at), "mode: rw, create: file");
	if (chance(r, 40))
		bind(r, s, PATH("%s/absent", at), "mode: ro, optional: true");
}

static void shut_objects(struct round *r, struct sections *s, const char *at, struct str *list)
{
	static const char *const names[] = { "f", "d", "x", "k", "d/in", "e", "lr" };
	for (size_t i = 0; i < LEN(names); i++) /* d/in may lie behind a mask of d */
		if (chance(r, 40))
			entry(r, list, PATH("%s/%s", at, names[i]), chance(r, 20));
	(void)s;
}

static const char *bind_mode(struct round *r)
{
	return chance(r, 50) ? "mode: ro" : "mode: rw";
}

/* A grant through a link that the command could replace is refused. */
static bool is_writable(const struct round *r, enum where where)
{
	return (where == W_PROJECT && r->project_rw) || (where == W_HOME && r->persist);
}

/* The rule over area @a; slots are drawn already. */
static void area_rule(struct round *r, struct sections *s, const struct area *a)
{
	bool covered = a->where == W_PROJECT;
	bool private = !r->rooted && (a->where == W_TMP || (a->where == W_HOME && !r->persist && !strstr(r->home_says, "host")));
	if (a->rule == OVER_BIND)
		bind(r, s, a->path, bind_mode(r));
	else if (a->rule == OVER_LINK)
		bind(r, s, a->link, bind_mode(r));
	else if (a->rule == OVER_TMPFS)
		entry(r, &s->tmpfs, a->path, false);
	else if (a->rule == OVER_TARGET)
		bind(r, s, PATH("%s.src", a->path), PATH("target: \"%s\", %s", a->path, bind_mode(r)));
	else if (a->rule != OVER_NOTHING && a->rule != OVER_OBJECTS && !covered)
		bind(r, s, a->path, "mode: rw");
	if (a->rule == OVER_DENY_ALL)
		entry(r, &s->deny_read, a->path, false);
	if (a->rule == OVER_FENCE_ALL)
		entry(r, &s->deny_write, a->path, false);
	for (int i = 0; i < SLOTS; i++) {
		const char *at = PATH("%s/%d", a->path, i);
		switch (a->rule) {
		case OVER_OBJECTS: bind_objects(r, s, at, private, is_writable(r, a->where)); break;
		case OVER_MASK: shut_objects(r, s, at, &s->mask); break;
		case OVER_DENY_READ: shut_objects(r, s, at, &s->deny_read); break;
		case OVER_FENCE:
			entry(r, &s->deny_write, chance(r, 50) ? PATH("%s/d", at) : PATH("%s/f", at), false);
			break;
		case OVER_NEST:
			if (chance(r, 50))
				bind(r, s, PATH("%s/d", at), "mode: ro");
			if (chance(r, 50))
				bind(r, s, PATH("%s/f", at), "mode: ro");
			break;
		case OVER_NOTHING: case OVER_BIND: case OVER_TMPFS: case OVER_TARGET: case OVER_DENY_ALL:
		case OVER_FENCE_ALL: case OVER_LINK: case OVER_KINDS:
			break;
		}
	}
}

static void section(struct str *out, const char *head, struct str *body)
{
	if (body->len)
		str_fmt(out, "%s\n%s", head, str_c(body));
}

static void write_profile(struct round *r, struct sections *s)
{
	struct str *y = &r->yaml;
	str_add(y, "schema: snug-profile/v1\n");
	str_fmt(y, "project: %s\n", r->project_rw ? "rw" : "ro");
	str_add(y, r->home_says);
	section(y, "binds:", &s->binds);
	section(y, "tmpfs:", &s->tmpfs);
	section(y, "mask:", &s->mask);
	if (s->deny_read.len || s->deny_write.len)
		str_add(y, "deny:\n");
	section(y, "  read:", &s->deny_read);
	section(y, "  write:", &s->deny_write);
	str_fmt(y, "network: { mode: %s }\n", r->net_host ? "host" : r->net_proxy ? "proxy" : "none");
	if (r->net_proxy)
		str_fmt(y, "proxy: { allow_hosts: [\"127.0.0.1:%u\", \"localhost:%u\", \".granted.example\"], deny_hosts: [\"*.denied.example\", \"shut.granted.example\"] }\n",
		        r->port, r->port);
	str_fmt(y, "special: { proc: true%s%s%s%s }\n", chance(r, 50) ? ", shm: 16MiB" : "", chance(r, 30) ? ", sys: ro" : "",
	        r->userns ? ", userns: true" : "", r->ptrace ? ", ptrace: true" : "");
	str_add(y, "env: { allow: [\"DIFFT_A*\"], deny: [\"DIFFT_AB\"], set: { DIFFT_SET: \"1\" } }\n");
	if (chance(r, 50))
		str_add(y, "syscalls: { deny: [sched_setaffinity] }\n");
}

static void draw_areas(struct round *r, struct area *areas, struct sections *s)
{
	const char *where[] = { [W_HOME] = r->home, [W_PROJECT] = r->project, [W_DATA] = r->data, [W_TMP] = r->tmp };
	for (size_t i = 0; i < AREAS; i++) {
		struct area *a = &areas[i];
		*a = (struct area){ .where = (enum where)(i % 4), .rule = (enum area_rule)draw(r, OVER_KINDS) };
		a->path = PATH("%s/%c%zu", where[a->where], 'a', i);
		node(r, N_DIR, a->path, NULL, 0755, 0);
		if (a->rule == OVER_TARGET)
			node(r, N_DIR, PATH("%s.src", a->path), NULL, 0755, 0);
		for (int k = 0; k < SLOTS; k++) {
			const char *at = PATH("%s/%d", a->path, k);
			slot(r, at, at);
			if (a->rule == OVER_TARGET)
				slot(r, PATH("%s.src/%d", a->path, k), at);
		}
		size_t at_link = draw(r, 4);
		if (a->rule == OVER_LINK && is_writable(r, (enum where)at_link))
			at_link = W_DATA;
		a->link = PATH("%s/L%zu", where[at_link], i);
		node(r, N_LINK, a->link, a->path, 0, 0);
		area_rule(r, s, a);
	}
}

int round_draw(struct round *r, uint64_t seed, const char *base, const char *tmp, unsigned port, bool root)
{
	struct sections s __attribute__((cleanup(sections_drop))) = { 0 };
	static const char *const homes[] = { "home: empty\n", "home: empty\n", "home: empty\n", "home: host\n", "" };
	struct area areas[AREAS];
	*r = (struct round){ .seed = seed, .state = seed, .root = root, .port = port };
	r->base = arena_str(&r->arena, base);
	r->tmp = arena_str(&r->arena, tmp);
	r->loose = PATH("%s-", tmp);
	r->shm = PATH("/dev/shm/%s-", path_base(tmp));
	r->project_rw = chance(r, 75);
	r->userns = chance(r, 20);
	r->ptrace = chance(r, 20);
	r->home = PATH("%s/h", base);
	r->data = PATH("%s/data", base);
	r->persist = chance(r, 12);
	r->home_as = PATH("%s/%s", base, chance(r, 15) ? "hl" : "h"); /* HOME may pass a link */
	r->project = chance(r, 50) ? PATH("%s/h/p", base) : PATH("%s/p", base);
	r->project_as = chance(r, 30) ? PATH("%s/pl", base) : r->project; /* the working directory, too */
	r->net_host = chance(r, 20);
	r->net_proxy = !r->net_host && chance(r, 25);
	r->home_says = homes[draw(r, LEN(homes))];
	if (r->persist) {
		node(r, N_DIR, PATH("%s/keep", base), NULL, 0755, 0);
		r->home_says = PATH("home: { persist: \"%s/keep\" }\n", base);
	}
	r->rooted = !r->persist && chance(r, 5);
	if (r->rooted)
		bind(r, &s, "/", "mode: ro");
	const char *dirs[] = { r->home, r->project, r->data, r->tmp, PATH("%s/o", r->data) };
	for (size_t i = 0; i < LEN(dirs); i++)
		node(r, N_DIR, dirs[i], NULL, 0755, 0);
	node(r, N_LINK, PATH("%s/hl", base), "h", 0, 0);
	node(r, N_LINK, PATH("%s/pl", base), r->project + strlen(base) + 1, 0, 0);
	node(r, N_FILE, PATH("%s/o/open", r->data), "elsewhere\n", 0644, 0);
	node(r, N_FILE, PATH("%s/o/shut", r->data), "elsewhere\n", 0644, 0);
	bind(r, &s, PATH("%s/o/open", r->data), "mode: ro");
	node(r, N_DIR, PATH("%s/tool", base), NULL, 0755, 0);
	node(r, N_PROGRAM, PATH("%s/tool/do", base), NULL, 0755, 0);
	bind(r, &s, PATH("%s/tool", base), "mode: ro");
	draw_areas(r, areas, &s);
	write_profile(r, &s);
	draw_wants(r, areas);
	/* made elsewhere where the line has another source */
	for (size_t i = 0; i < r->nwants; i++)
		if (r->persist && r->wants[i].makes && path_under(r->wants[i].makes, r->home))
			r->wants[i].makes = NULL;
	for (size_t i = 0; i < r->nwants; i++)
		for (size_t k = 0; k < AREAS; k++)
			if (areas[k].rule == OVER_TARGET && r->wants[i].makes && path_under(r->wants[i].makes, areas[k].path))
				r->wants[i].makes = NULL;
	prune(r);
	return r->yaml.oom ? -ENOMEM : 0;
}
