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

/* Who looks for it confined learns what is true outside, too, by this line. */
static int vacant(struct resolver *r, const struct bind *b, const char *path)
{
	struct src *by = b->target ? NULL : arena_alloc(&r->pol->arena, sizeof(*by));
	void **slot = by ? map_put(&r->pol->vacant, path, strlen(path), NULL) : NULL;
	if (!slot)
		return b->target ? 0 : -ENOMEM;
	*by = said(r, &b->src);
	*slot = by;
	return 0;
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
	if (b->optional && vacant(r, b, s->real))
		return resolve_memory(r);
	if (b->optional)
		return src_class(&b->src) < 0 ? 0 : resolve_note(r, &b->src, "%s is absent", resolve_show(r, source));
	return resolve_trouble(r, &b->src, "%s does not exist; make it, or say optional: true or create: dir",
	                       resolve_show(r, source));
}

/* The host's processes are not shown. A link that leads there from elsewhere (/etc/mtab) stands, and leads to the own ones. */
static int push_proc(struct resolver *r, const struct bind *b, const char *source, const struct spot *s, const struct src *src)
{
	if (path_under(source, "/proc") || b->target || b->mode == BIND_COPY || r->p->proc.v != TRI_YES)
		return resolve_trouble(r, src, "the source %s lies in the host's /proc, which is not shown: every run has its own at "
		                       "/proc (special: { proc: true }); leave this line out", resolve_show(r, source));
	struct spot links = *s;
	for (size_t i = 0; i < s->nhops; i++)
		if (path_under(s->hops[i].path, "/proc")) {
			links.nhops = i;
			break;
		}
	return push_links(r, &links, src);
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
	if (proc_bound(source, s.real))
		return push_proc(r, b, source, &s, &src);
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
	                   .create = b->create, .type = s.type, .optional = b->optional, .apart = b->apart, .src = src,
	                   .hops = s.hops, .nhops = s.nhops };
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
		if (!x && proc_bound(dir, s.real))
			return resolve_trouble(r, &src, "home cannot persist in %s: /proc keeps nothing", dir);
		place.source = s.real;
		place.hops = s.hops;
		place.nhops = s.nhops;
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
	if (!x && (proc_bound(r->h->project, s.real) || kernfs_at(r->h, s.real) == KERNFS_PROC))
		return resolve_trouble(r, &src, "the project %s lies in /proc, which every run has its own of: name another one with "
		                       "--project", r->h->project);
	if (!x)
		x = push_links(r, &s, &src);
	struct place p = { .kind = PLACE_BIND, .path = s.real, .source = s.real, .type = FT_DIR, .src = src,
	                   .mode = r->pol->project_mode == PROJECT_RO ? BIND_RO : BIND_RW };
	if (!x && kernfs_at(r->h, s.real) && p.mode != BIND_RO) {
		p.mode = BIND_RO;
		x = resolve_note(r, &src, "the project %s lies in a file system of the kernel: read-only, unless a line names it",
		                 r->h->project);
	}
	return x ? x : place_push(r, &p);
}

/* The links in another name of @real stand inside as well. */
static int push_name(struct resolver *r, const char *name, const char *real)
{
	struct spot s;
	const struct host_file *f = name ? host_file(r->h, name) : NULL;
	/* it may lead elsewhere by now */
	if (!f || !f->real || !real || strcmp(f->real, real) != 0)
		return 0;
	int x = spot_find(r, &s, name);
	return x ? x : push_links(r, &s, &unsaid);
}

/* The working directory and home are found by the names they go by. */
static int push_names(struct resolver *r)
{
	int x = push_name(r, r->h->pwd, r->h->cwd);
	return x ? x : push_name(r, r->h->home_as, r->h->home);
}

/*
 * Who is granted the whole tree did not mean the kernel's knobs: /proc is the run's own, and /sys, where root needs no
 * capability to write, stays read-only unless a line names it.
 */
static int push_sys(struct resolver *r)
{
	static const struct src own = { .origin = "snug" };
	const struct place p = { .kind = PLACE_SYS, .path = "/sys", .type = FT_DIR, .mode = BIND_RO, .optional = true, .src = own };
	for (size_t i = 0; i < r->places.n; i++) {
		const struct place *q = &r->places.items[i];
		if (q->kind == PLACE_BIND && q->mode == BIND_RW && !strcmp(q->path, "/") && !strcmp(q->source, "/"))
			return r->p->sys.v == TRI_YES ? 0 : place_push(r, &p);
	}
	return 0;
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
		x = push_names(r);
	if (!x)
		x = push_special(r);
	if (!x)
		x = push_sys(r);
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
