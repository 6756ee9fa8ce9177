/* grants.c - what the view shows: home, project, binds, private directories, and their order */
#include "profiles/resolve.h"

#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct src unsaid = { .origin = "default" };

static struct src said(const struct resolver *r, const struct src *s)
{
	struct src out = *s;
	out.origin = s->origin ? arena_str(&r->pol->arena, s->origin) : unsaid.origin;
	return out;
}

int place_push(struct resolver *r, const struct place *p)
{
	struct place *slot = ARENA_PUSH(&r->pol->arena, &r->places, items, n);
	if (!slot || !p->path || !p->src.origin)
		return resolve_memory(r);
	*slot = *p;
	return 0;
}

/* Each link passed on the way stands inside as on the host. */
static int push_links(struct resolver *r, const struct spot *s, const struct src *src)
{
	int x = 0;
	for (size_t i = 0; i < s->nhops && !x; i++) {
		if (!strcmp(s->hops[i].text, ".."))
			continue;
		const struct place link = {
			.kind = PLACE_LINK, .path = arena_str(&r->pol->arena, s->hops[i].path),
			.text = arena_str(&r->pol->arena, s->hops[i].text), .type = FT_LINK, .src = *src,
		};
		x = link.text ? place_push(r, &link) : resolve_memory(r);
	}
	return x;
}

static int push_copy(struct resolver *r, const struct bind *b, const char *source, const char *target,
                     const struct spot *s, struct src src)
{
	struct arena *a = &r->pol->arena;
	struct spot up = { 0 };
	struct place p = { .kind = PLACE_COPY, .mode = BIND_COPY, .path = target, .source = s->real, .type = s->type,
	                   .optional = b->optional, .src = src };
	if (s->type != FT_UNKNOWN && s->type != FT_FILE && s->type != FT_NONE)
		return resolve_trouble(r, &src, "%s is no regular file: mode copy is for files", resolve_show(r, source));
	if (!b->target) {
		const char *parent = path_parent(a, source);
		int x = parent ? spot_find(r, &up, parent) : resolve_memory(r);
		if (!x)
			x = push_links(r, &up, &src);
		if (x)
			return x;
		p.path = path_join(a, up.real, path_base(source));
	}
	return place_push(r, &p);
}

/* The source is not there: 0 and *@go_on says whether it is shown all the same. */
static int absent(struct resolver *r, const struct bind *b, const char *source, const struct spot *s, bool *go_on)
{
	*go_on = b->create != CREATE_NO && !s->link;
	if (*go_on)
		return 0;
	if (s->link)
		return b->optional ? resolve_note(r, &b->src, "%s is a dangling link: not shown", resolve_show(r, source)) :
		       resolve_trouble(r, &b->src, "%s is a link to %s, which does not exist", resolve_show(r, source), s->real);
	/* base lists what some hosts have: no news */
	if (b->optional)
		return src_class(&b->src) < 0 ? 0 : resolve_note(r, &b->src, "%s is absent", resolve_show(r, source));
	return resolve_trouble(r, &b->src, "%s does not exist; make it, or say optional: true or create: dir",
	                       resolve_show(r, source));
}

static int push_bind(struct resolver *r, const struct bind *b)
{
	const char *source, *target = NULL;
	struct spot s, t = { 0 };
	struct src src = said(r, &b->src);
	int x = resolve_path(r, &source, b->source, &src, b->optional);
	if (!x && source && b->target)
		x = resolve_path(r, &target, b->target, &src, b->optional);
	if (x || !source || (b->target && !target))
		return x;
	x = spot_find(r, &s, source);
	if (!x && target) {
		/* a place in the view, where only the merged /usr is known to be links */
		struct host only = { .links = r->h->links, .nlinks = r->h->nlinks };
		struct resolver in = *r;
		in.h = &only;
		x = spot_find(&in, &t, target);
		target = t.real;
	}
	if (x)
		return x;
	if (b->mode == BIND_COPY)
		return push_copy(r, b, source, target ? target : source, &s, src);
	if (s.type == FT_NONE) {
		bool go_on;
		x = absent(r, b, source, &s, &go_on);
		if (x || !go_on)
			return x;
		s.type = b->create == CREATE_DIR ? FT_DIR : FT_FILE;
	}
	struct place p = { .kind = PLACE_BIND, .path = target ? target : s.real, .source = s.real, .mode = b->mode,
	                   .create = b->create, .type = s.type, .optional = b->optional, .src = src };
	x = target ? 0 : push_links(r, &s, &src);
	r->rooted |= !strcmp(p.path, "/");
	return x ? x : place_push(r, &p);
}

static int push_tmpfs(struct resolver *r, const char *path, uint64_t size, const struct src *src)
{
	struct spot s;
	int x = spot_find(r, &s, path);
	if (!x)
		x = push_links(r, &s, src);
	const struct place p = { .kind = PLACE_TMPFS, .path = s.real, .type = FT_DIR, .mode = BIND_RW, .size = size, .src = *src };
	return x ? x : place_push(r, &p);
}

static int push_home(struct resolver *r)
{
	const struct profile *p = r->p;
	struct src src = said(r, &p->home.src);
	const char *home = r->h->home, *dir = NULL;
	struct spot s;
	if (!home || !strcmp(home, "/"))
		return 0;
	if (p->home.v == HOME_UNSET || p->home.v == HOME_EMPTY)
		/* who grants the whole tree means home too, unless a profile says otherwise */
		return p->home.v == HOME_UNSET && r->rooted ? 0 : push_tmpfs(r, home, p->tmp_size.v, &src);
	int x = spot_find(r, &s, home);
	struct place place = { .kind = PLACE_BIND, .path = s.real, .source = s.real, .mode = BIND_RO, .type = FT_DIR, .src = src };
	if (!x)
		x = push_links(r, &s, &src);
	if (!x && p->home.v == HOME_PERSIST) {
		x = resolve_path(r, &dir, p->home_persist, &src, false);
		if (x || !dir)
			return x;
		x = spot_find(r, &s, dir);
		place.source = s.real;
		place.mode = BIND_RW;
		place.create = CREATE_DIR;
		place.kept = true;
	}
	return x ? x : place_push(r, &place);
}

static int push_project(struct resolver *r)
{
	struct spot s;
	struct src src = said(r, &r->p->project.src);
	if (!r->h->project)
		return 0;
	int x = spot_find(r, &s, r->h->project);
	if (!x)
		x = push_links(r, &s, &src);
	const struct place p = { .kind = PLACE_BIND, .path = s.real, .source = s.real, .type = FT_DIR, .src = src,
	                         .mode = r->pol->project_mode == PROJECT_RO ? BIND_RO : BIND_RW };
	return x ? x : place_push(r, &p);
}

static int push_special(struct resolver *r)
{
	const struct profile *p = r->p;
	const struct { bool on; const struct src *src; enum place_kind kind; const char *path; uint64_t size; } rows[] = {
		{ p->proc.v == TRI_YES, &p->proc.src, PLACE_PROC, "/proc", 0 },
		{ p->dev.v == TRI_YES, &p->dev.src, PLACE_DEV, "/dev", 0 },
		{ p->shm.v > 0, &p->shm.src, PLACE_SHM, "/dev/shm", p->shm.v },
		{ p->sys.v == TRI_YES, &p->sys.src, PLACE_SYS, "/sys", 0 },
	};
	int x = 0;
	for (size_t i = 0; i < LEN(rows) && !x; i++) {
		const struct place place = { .kind = rows[i].kind, .path = rows[i].path, .type = FT_DIR, .size = rows[i].size,
		                             .mode = rows[i].kind == PLACE_SYS ? BIND_RO : BIND_RW, .src = said(r, rows[i].src) };
		x = rows[i].on ? place_push(r, &place) : 0;
	}
	return x;
}

/* A field of passwd(5) cannot hold ':' or a line's end. */
static const char *passwd_field(const char *s, const char *otherwise)
{
	return s && *s && !strpbrk(s, ":\n\r") ? s : otherwise;
}

static int push_stub(struct resolver *r, const char *path, const struct str *text)
{
	static const struct src base = { .origin = "builtin:base" };
	const struct place p = { .kind = PLACE_STUB, .path = path, .text = arena_mem(&r->pol->arena, str_c(text), text->len),
	                         .type = FT_FILE, .mode = BIND_RO, .src = base };
	return text->oom || !p.text ? resolve_memory(r) : place_push(r, &p);
}

static int push_stubs(struct resolver *r)
{
	const struct host *h = r->h;
	OWN(str) passwd = { 0 };
	OWN(str) group = { 0 };
	const char *user = passwd_field(h->user, h->uid ? "user" : "root"), *home = passwd_field(h->home, "/");
	if (!r->based || r->rooted)
		return 0;
	if (h->uid)
		str_add(&passwd, "root:x:0:0:root:/root:/bin/sh\n");
	str_fmt(&passwd, "%s:x:%u:%u::%s:/bin/sh\n", user, h->uid, h->gid, home);
	str_add(&passwd, "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n");
	if (h->gid)
		str_add(&group, "root:x:0:\n");
	str_fmt(&group, "%s:x:%u:\n", user, h->gid);
	str_add(&group, "nogroup:x:65534:\n");
	int x = push_stub(r, "/etc/passwd", &passwd);
	return x ? x : push_stub(r, "/etc/group", &group);
}

static bool uses_scratch(const struct profile *p)
{
	static const char word[] = "{scratch}";
	for (size_t i = 0; i < p->binds.n; i++)
		if (!strncmp(p->binds.items[i].source, word, sizeof(word) - 1) ||
		    (p->binds.items[i].target && !strncmp(p->binds.items[i].target, word, sizeof(word) - 1)))
			return true;
	for (size_t i = 0; i < p->env_set.n; i++)
		if (strstr(p->env_set.items[i].value, word))
			return true;
	for (size_t i = 0; i < p->prepend_path.n; i++)
		if (!strncmp(p->prepend_path.items[i].text, word, sizeof(word) - 1))
			return true;
	return p->cwd.src.origin && !strncmp(p->cwd.v, word, sizeof(word) - 1);
}

int grants_make(struct resolver *r)
{
	int x = 0;
	for (size_t i = 0; i < r->p->binds.n && !x; i++)
		x = push_bind(r, &r->p->binds.items[i]);
	for (size_t i = 0; i < r->p->tmpfs.n && !x; i++) {
		const struct pathent *t = &r->p->tmpfs.items[i];
		const char *path = NULL;
		struct src src = said(r, &t->src);
		if (r->rooted && src_class(&src) < 0)
			continue;
		x = resolve_path(r, &path, t->path, &src, t->optional);
		if (!x && path)
			x = push_tmpfs(r, path, r->p->tmp_size.v, &src);
	}
	if (!x)
		x = push_home(r);
	if (!x)
		x = push_project(r);
	if (!x)
		x = push_special(r);
	if (!x && uses_scratch(r->p))
		x = push_tmpfs(r, SCRATCH_DIR, r->p->tmp_size.v, &unsaid);
	if (!x)
		x = push_stubs(r);
	for (size_t i = 0; i < r->h->nlinks && !x; i++) {
		const struct spot s = { .hops = &r->h->links[i], .nhops = 1 };
		x = push_links(r, &s, &unsaid);
	}
	return x;
}

/* ---- order, one place per path ---- */

int path_order(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	/* the separator sorts before every other byte, the end before it */
	int x = *a == '/' ? 1 : *a ? 2 + (unsigned char)*a : 0;
	int y = *b == '/' ? 1 : *b ? 2 + (unsigned char)*b : 0;
	return x - y;
}

static bool is_bind(const struct place *p)
{
	return p->kind == PLACE_BIND || p->kind == PLACE_COPY;
}

/* Which of two places at one path stands; more wins. */
static int weight(const struct place *p)
{
	switch (p->kind) {
	case PLACE_MASK: return 9;
	case PLACE_BIND: case PLACE_COPY: return 8;
	case PLACE_STUB: return 7;
	case PLACE_SHM: return 6;
	case PLACE_PROC: case PLACE_DEV: case PLACE_SYS: return 5;
	case PLACE_TMPFS: return 4;
	case PLACE_FENCE: return 3;
	case PLACE_PIN: return 2;
	case PLACE_LINK: return 1;
	}
	return 0;
}

static int by_path(const void *x, const void *y)
{
	const struct place *a = x, *b = y;
	int d = path_order(a->path, b->path);
	if (d)
		return d;
	if (weight(a) != weight(b))
		return weight(b) - weight(a);
	/* qsort is not stable: the order of two binds at one path must not depend on it */
	d = src_class(&b->src) - src_class(&a->src);
	if (!d)
		d = strcmp(a->src.origin, b->src.origin);
	if (!d)
		d = (a->src.line > b->src.line) - (a->src.line < b->src.line);
	return d ? d : (int)a->mode - (int)b->mode;
}

static bool is_project(const struct resolver *r, const struct place *p)
{
	const struct src *s = &r->p->project.src;
	return r->pol->project && p->kind == PLACE_BIND && p->src.line == s->line &&
	       !strcmp(p->src.origin, s->origin ? s->origin : unsaid.origin);
}

/* Two binds at one path: @a, which sorts first, takes in @b. */
static int unite(const struct resolver *r, struct place *a, const struct place *b)
{
	bool same = a->kind == b->kind && a->mode == b->mode && !strcmp(a->source, b->source);
	a->optional = a->optional && b->optional;
	if (same) {
		a->create = a->create ? a->create : b->create;
		return 0;
	}
	bool project_a = is_project(r, a), project_b = is_project(r, b);
	if (project_a || project_b) {
		/* a bind of the project directory grants no less than `project` says, and more only by a stronger line */
		const struct place project = project_a ? *a : *b, other = project_a ? *b : *a;
		bool wins = src_class(&other.src) > src_class(&project.src) && other.mode == BIND_RW;
		*a = wins || strcmp(other.source, project.source) != 0 ? other : project;
		return 0;
	}
	if (src_class(&a->src) != src_class(&b->src))
		return 0;
	OWN(str) by = { 0 };
	src_text(&by, &b->src);
	return resolve_trouble(r, &a->src, "%s is bound in two ways, the other by %s", resolve_show(r, a->path), str_c(&by));
}

/* Does @cover show at @p's path already what @p would? */
static bool is_shown(const struct place *p, const struct place *cover)
{
	bool plain = cover->kind == PLACE_BIND && !strcmp(cover->path, cover->source);
	if (p->kind == PLACE_LINK)
		return plain || cover->kind == PLACE_PROC || cover->kind == PLACE_DEV || cover->kind == PLACE_SYS;
	if (!plain || p->kind != PLACE_BIND || strcmp(p->path, p->source) != 0)
		return false;
	if (p->mode == cover->mode)
		return true;
	return cover->mode == BIND_RW && src_class(&cover->src) > src_class(&p->src);
}

/* Keep the items of the sorted list that add something. @create of what is shown already still has to happen. */
static void drop_shown(struct placelist *l)
{
	size_t keep = 0;
	for (size_t i = 0; i < l->n; i++) {
		const struct place *cover = NULL;
		/* kept places above, the innermost last: a subtree is in one piece */
		for (size_t j = keep; j > 0 && !cover; j--)
			if (l->items[j - 1].kind != PLACE_LINK && path_below(l->items[i].path, l->items[j - 1].path))
				cover = &l->items[j - 1];
		if (cover && is_shown(&l->items[i], cover) && l->items[i].create == CREATE_NO)
			continue;
		l->items[keep++] = l->items[i];
	}
	l->n = keep;
}

static int index_places(struct resolver *r)
{
	struct policy *pol = r->pol;
	map_drop(&pol->by_path);
	pol->places = r->places.items;
	pol->nplaces = r->places.n;
	for (size_t i = 0; i < pol->nplaces; i++) {
		void **slot = map_put(&pol->by_path, pol->places[i].path, strlen(pol->places[i].path), NULL);
		if (!slot)
			return resolve_memory(r);
		*slot = (void *)(uintptr_t)(i + 1);
	}
	return 0;
}

/* A link to nothing in the view is left out: /bin where nobody shows /usr/bin. */
static bool leads_somewhere(const struct resolver *r, const struct place *link)
{
	const char *dir = path_parent(&r->pol->arena, link->path);
	const char *to = dir ? path_join(&r->pol->arena, dir, link->text) : NULL;
	if (!to || link->src.line || strcmp(link->src.origin, unsaid.origin) != 0)
		return true;
	for (size_t i = 0; i < r->places.n; i++) {
		const struct place *p = &r->places.items[i];
		if (p->kind != PLACE_LINK && (path_under(p->path, to) || path_under(to, p->path)))
			return true;
	}
	return false;
}

static int check_copies(const struct resolver *r)
{
	int x = 0;
	for (size_t i = 0; i < r->places.n && !x; i++) {
		const struct place *p = &r->places.items[i];
		if (p->kind != PLACE_COPY)
			continue;
		const char *parent = path_parent(&r->pol->arena, p->path);
		const struct place *cover = parent ? place_cover(r->pol, parent) : NULL;
		if (!cover || (cover->kind != PLACE_TMPFS && cover->kind != PLACE_SHM))
			x = resolve_trouble(r, &p->src, "mode copy needs a private place, and %s is %s: use mode %s",
			                    resolve_show(r, parent ? parent : p->path), cover ? "shown from the host" : "not in the view",
			                    cover && cover->mode == BIND_RW ? "rw" : "rw, or a tmpfs above it");
	}
	return x;
}

int grants_settle(struct resolver *r)
{
	struct placelist *l = &r->places;
	size_t keep = 0;
	if (l->n)
		qsort(l->items, l->n, sizeof(*l->items), by_path);
	for (size_t i = 0; i < l->n; i++) {
		struct place *p = &l->items[i], *last = keep ? &l->items[keep - 1] : NULL;
		int x = 0;
		if (last && !strcmp(last->path, p->path)) {
			if (is_bind(last) && is_bind(p))
				x = unite(r, last, p);
		} else {
			l->items[keep++] = *p;
		}
		if (x)
			return x;
	}
	l->n = keep;
	drop_shown(l);
	keep = 0;
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].kind != PLACE_LINK || leads_somewhere(r, &l->items[i]))
			l->items[keep++] = l->items[i];
	l->n = keep;
	int x = index_places(r);
	return x ? x : check_copies(r);
}

const struct place *place_cover(const struct policy *pol, const char *path)
{
	size_t n = strlen(path);
	for (;;) {
		void **slot = n ? map_find(&pol->by_path, path, n) : NULL;
		const struct place *p = slot ? &pol->places[(uintptr_t)*slot - 1] : NULL;
		if (p && p->kind != PLACE_LINK)
			return p;
		if (n <= 1)
			return NULL;
		while (n > 1 && path[n - 1] != '/')
			n--;
		n -= n > 1;
	}
}
