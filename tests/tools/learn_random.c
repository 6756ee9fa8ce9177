/* learn_random.c - drawn runs, and what must hold of every lesson; suite: user. usage: learn_random [SEED [COUNT]] */
#include "tests/tools/golden_ops.h"

#include "learn/lesson.h"
#include "learn/tiers.h"
#include "profiles/builtin.h"

/*
 * A run is drawn from a small language over a few dozen paths that hit every tier. Then: the suggestion reads back
 * equal; it binds nothing forbidden and nothing protected; each need that counts has a line or a note; the order
 * of runs does not show; and judged again with the suggestion added, from facts a second look at the host would
 * find, no need that counts is left but those that were noted.
 */

static uint64_t state;

static unsigned draw(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)((state >> 11) % n);
}

static const char *const dirs[] = {
	"~", "~/.config", "~/.config/app", "~/.cache", "~/.cache/dep", "~/.cache/dep/v1", "~/.local/share", "~/.local/share/db",
	"~/src", "~/src/t", "~/src/t/in", "~/Documents", "~/Documents/letters", "/tmp", "/opt/tool", "/etc", "~/.ssh", "~/.aws",
	"{project}", "{project}/sub", "~/.tool", "~/.tool/deep/er", "{runtime}", "/var/tmp", "~/linked", "/srv/data", "~/.local/state",
};
static const char *const names[] = {
	"a", "b", "c", "conf", "conf.lock", "x.db", "x.db-journal", "x.db-wal", "t.k3J9xQ", "123e4567-e89b-12d3-a456-426614174000",
	"run-2026-11-29-202829.log", "app.4711.pid", "v1.2.3", "n", "m", "o", ".hidden", "LOCK", "zo\\xe8", "with space",
};

static void path_of(char *out, size_t size)
{
	const char *d = dirs[draw(LEN(dirs))], *n = names[draw(LEN(names) - 1)];
	if (draw(6))
		snprintf(out, size, "%s/%s", d, n);
	else
		snprintf(out, size, "%s", d);
}

static struct fake_file *at(struct fake *f, const char *word, struct object *o, bool follow)
{
	*o = (struct object){ 0 };
	fake_walk(f, o, fake_path(f, word), follow, 0);
	return fake_find(f, o->path);
}

static bool parent_is_dir(struct fake *f, const struct object *o)
{
	struct fake_file *d = fake_find(f, path_parent(&f->r->arena, o->path));
	return d && d->type == FT_DIR;
}

static bool empty(struct fake *f, const char *dir)
{
	for (size_t i = 0; i < f->files.n; i++) {
		struct fake_file *x = f->files.items[i].value;
		if (x->type != FT_NONE && path_below(x->path, dir))
			return false;
	}
	return true;
}

static void say(struct fake *f, const char *verb, char *a, char *b)
{
	char word[16];
	snprintf(word, sizeof(word), "%s", verb);
	char *words[] = { word, a, b, NULL };
	if (getenv("SHOW"))
		fprintf(stderr, "%s %s %s\n", verb, a, b ? b : "");
	fake_statement(f, words, b ? 3 : 2);
}

/* A verb that works on what is there, or a look in vain. */
static void one_object(struct fake *f, char *path)
{
	static const char *const on_file[] = { "r", "r", "w", "st", "ch", "acc", "tr", "rm", "ex" };
	static const char *const on_dir[] = { "ls", "st", "cd", "st", "ls" };
	static const char *const on_none[] = { "c", "x", "md", "md700", "c" };
	struct object o;
	struct fake_file *x = at(f, path, &o, true);
	if (x && x->type == FT_LINK)
		return;
	if (!x && (!parent_is_dir(f, &o) || !draw(3))) {
		char word[] = "!ENOENT";
		char verb[] = "r";
		char *words[] = { word, verb, path, NULL };
		fake_statement(f, words, 3);
		return;
	}
	if (!x) {
		say(f, on_none[draw(LEN(on_none))], path, NULL);
	} else if (x->type == FT_DIR) {
		if (!draw(8) && !x->pre && empty(f, x->path))
			say(f, "rm", path, NULL);
		else
			say(f, on_dir[draw(LEN(on_dir))], path, NULL);
	} else {
		say(f, on_file[draw(LEN(on_file))], path, NULL);
	}
}

static void two_objects(struct fake *f, char *a, char *b)
{
	struct object oa, ob;
	struct fake_file *x = at(f, a, &oa, false), *y = at(f, b, &ob, false);
	if (!x || x->type != FT_FILE || !strcmp(oa.path, ob.path) || !parent_is_dir(f, &ob))
		return;
	if (!y && !draw(3))
		say(f, "ln", a, b);
	else if (!y || y->type == FT_FILE)
		say(f, "mv", a, b);
}

/* All runs find the same world, so @seed draws it. */
static void drawn_run(struct fake *f, struct recording *r, unsigned run, uint64_t seed)
{
	char path[200], other[200];
	uint64_t later = state;
	state = seed;
	fake_start(f, r, arena_fmt(&r->arena, "20261129-202829-tool-%04u", run));
	fake_line(f, "pre /var/tmp/");
	fake_line(f, "pre /srv/data/d1");
	fake_line(f, "pre ~/linked -> ../../srv/data");
	fake_line(f, "pre ~/shortcut -> .config/app/conf");
	for (unsigned i = 4 + draw(20); i; i--) {
		path_of(path, sizeof(path));
		struct object o;
		at(f, path, &o, true);
		/* only what can be: no file as a directory */
		const char *up = path_parent(&r->arena, o.path);
		struct fake_file *d = fake_find(f, up);
		if (!fake_find(f, o.path) && (!d || d->type == FT_DIR) && strcmp(path, dirs[0]) != 0 && strchr(path, '/') && path_base(path)[0])
			fake_pre(f, o.path, draw(6) ? FT_FILE : FT_DIR, NULL);
	}
	state = run ? later : state;
	fake_line(f, "as 4711 tool");
	for (unsigned i = 1 + draw(12); i; i--) {
		path_of(path, sizeof(path));
		path_of(other, sizeof(other));
		if (strstr(path, " ") || strstr(other, " "))
			continue;
		if (draw(4))
			one_object(f, path);
		else
			two_objects(f, path, other);
	}
}

/* ---- what must hold ---- */

static int base_profile(struct profile *out, struct err *e)
{
	for (const struct builtin *b = builtins; b->name; b++)
		if (!strcmp(b->name, "base"))
			return profile_read(out, b->text, b->len, "base", "builtin:base", e);
	return err_set(e, ENOENT, "no base");
}

/* Lines that a requested profile may hold: about half of all lessons have some. */
static void requested(struct str *out, struct fake *f)
{
	static const char *const modes[] = { "ro", "ro", "rw", "copy" };
	static const char *const lists[] = { "tmpfs", "mask", "deny" };
	char path[200];
	(void)f;
	if (draw(2))
		return;
	str_add(out, draw(5) ? "" : "home: host\n");
	str_add(out, draw(5) ? "" : "project: ro\n");
	str_add(out, "binds:\n");
	for (unsigned i = 1 + draw(3); i; i--) {
		path_of(path, sizeof(path));
		if (strchr(path, '\\') || strchr(path, ' '))
			snprintf(path, sizeof(path), "~/.tool");
		str_fmt(out, "  - { source: \"%s\", mode: %s, optional: true }\n", path, modes[draw(LEN(modes))]);
	}
	for (unsigned k = 0; k < LEN(lists); k++) {
		if (draw(3))
			continue;
		path_of(path, sizeof(path));
		if (strchr(path, '\\') || strchr(path, ' ') || !strcmp(path, "~"))
			continue;
		if (k == 2)
			str_fmt(out, "deny: { %s: [{ path: \"%s\", optional: true }] }\n", draw(2) ? "read" : "write", path);
		else
			str_fmt(out, "%s: [{ path: \"%s\", optional: true }]\n", lists[k], path);
	}
}

static const char *expanded(struct arena *a, const char *source)
{
	static const struct { const char *word, *dir; } rows[] = {
		{ "~", fake_home }, { "{project}", fake_project }, { "{runtime}", "/run/user/1000" },
	};
	for (size_t i = 0; i < LEN(rows); i++)
		if (!strncmp(source, rows[i].word, strlen(rows[i].word)))
			return arena_fmt(a, "%s%s", rows[i].dir, source + strlen(rows[i].word));
	return source;
}

static int tight(const struct lesson *l, const struct host *h, const struct host *facts, struct err *e)
{
	OWN(tiers) t = { 0 };
	OWN(arena) a = { 0 };
	if (tiers_make(&t, h))
		return err_set(e, ENOMEM, "memory");
	for (size_t i = 0; i < l->suggestion.binds.n; i++) {
		const struct bind *b = &l->suggestion.binds.items[i];
		const char *path = expanded(&a, b->source);
		const struct host_file *f = host_file(facts, path);
		bool dir = b->create == CREATE_DIR || (f && f->real_type == FT_DIR);
		if (dir && tier_forbidden(&t, f && f->real ? f->real : path))
			return err_set(e, EINVAL, "grants %s, which is forbidden", b->source);
		if (tier_protected(&t, path, NULL) || (f && f->real && tier_protected(&t, f->real, NULL)))
			return err_set(e, EINVAL, "grants %s, which is protected", b->source);
	}
	for (size_t i = 0; i < l->nfindings; i++)
		if (l->findings[i].counts && !l->findings[i].grant && !l->findings[i].note)
			return err_set(e, EINVAL, "%s has neither line nor note", l->findings[i].what);
	return 0;
}

static int reads_back(const struct lesson *l, struct str *yaml, struct err *e)
{
	OWN(profile) back = { 0 };
	profile_write(yaml, &l->suggestion);
	int x = profile_read(&back, str_c(yaml), yaml->len, "s.yaml", NULL, e);
	return x ? x : profile_equal(&back, &l->suggestion) ? 0 : err_set(e, EINVAL, "reads back as another profile");
}

static const struct finding *same_finding(const struct lesson *l, const struct finding *f)
{
	for (size_t i = 0; i < l->nfindings; i++)
		if (l->findings[i].path && f->path && !strcmp(l->findings[i].path, f->path))
			return &l->findings[i];
	return NULL;
}

/* With the suggestion requested as well: only noted needs are left. */
static int closes(struct recording *const *runs, size_t n, const struct lesson *l, const struct host *facts,
                  const struct profile *base, struct err *e)
{
	OWN(profile) all = { 0 };
	OWN(policy) pol = { 0 };
	OWN(lesson) again = { 0 };
	struct host h = runs[0]->host;
	h.by_path = facts->by_path;
	h.files = facts->files;
	h.nfiles = facts->nfiles;
	int x = profile_merge(&all, base, false, false, e);
	if (!x)
		x = profile_merge(&all, &l->suggestion, false, false, e);
	/* what a requested profile says may be more than a strict resolver takes; the suggestion alone may not */
	bool alone = base->parts.n == 1;
	if (!x)
		x = policy_resolve(&pol, &all, &h, alone, e);
	if (!x)
		x = lesson_make(&again, runs, n, &pol, &all, "again", e);
	for (size_t i = 0; i < again.nfindings && !x; i++) {
		const struct finding *f = &again.findings[i], *was = f->counts ? same_finding(l, f) : NULL;
		/* drawn lines may make nonsense of each other; then it is enough that all composes */
		if (!f->counts || (was && was->note) || f->note || !alone)
			continue;
		x = err_set(e, EINVAL, "with the suggestion %s still counts (%s)", f->what, strerror(f->judgement.err));
	}
	return x;
}

static int order_free(struct recording *const *runs, const struct policy *pol, const struct profile *base,
                      const struct str *yaml, struct err *e)
{
	struct recording *const turned[] = { runs[1], runs[0], runs[1] };
	OWN(lesson) l = { 0 };
	OWN(str) text = { 0 };
	int x = lesson_make(&l, turned, 3, pol, base, "suggested", e);
	profile_write(&text, &l.suggestion);
	return x ? x : strcmp(str_c(&text), str_c(yaml)) ? err_set(e, EINVAL, "the order of runs shows") : 0;
}

static int one(uint64_t seed, bool show, struct err *e)
{
	struct recording runs[2] = { 0 };
	struct recording *const order[] = { &runs[0], &runs[1] };
	struct host facts = { 0 };
	OWN(profile) base = { 0 };
	OWN(policy) pol = { 0 };
	OWN(lesson) l = { 0 };
	OWN(str) yaml = { 0 };
	state = seed * 0x9e3779b97f4a7c15u + 1;
	unsigned n = 1 + draw(2);
	for (unsigned i = 0; i < n; i++) {
		struct fake f;
		drawn_run(&f, &runs[i], i, seed * 0x2545f4914f6cdd1du + 7);
		f.facts = &facts;
		fake_end(&f);
	}
	OWN(profile) own = { 0 };
	OWN(str) text = { 0 };
	struct err no = { 0 };
	int x = base_profile(&base, e);
	ARENA_PUSH(&base.arena, &base.parts, items, n)->text = "builtin:base";
	requested(&text, NULL);
	/* two modes for one path do not compose: then there is nothing to learn against */
	if (text.len && (profile_read(&own, str_c(&text), text.len, "own.yaml", "user:own", &no) ||
	                 profile_merge(&base, &own, false, false, &no)))
		goto out;
	if (text.len)
		ARENA_PUSH(&base.arena, &base.parts, items, n)->text = "user:own";
	struct host first = runs[0].host;
	first.by_path = facts.by_path;
	first.files = facts.files;
	first.nfiles = facts.nfiles;
	if (!x)
		x = policy_resolve(&pol, &base, &first, false, e);
	for (unsigned i = 0; i < n; i++) {
		runs[i].host.by_path = facts.by_path;
		runs[i].host.files = facts.files;
		runs[i].host.nfiles = facts.nfiles;
	}
	if (!x)
		x = lesson_make(&l, order, n, &pol, &base, "suggested", e);
	if (!x)
		x = reads_back(&l, &yaml, e);
	if (!x)
		x = tight(&l, &runs[0].host, &facts, e);
	if (!x && n == 2)
		x = order_free(order, &pol, &base, &yaml, e);
	if (!x)
		x = closes(order, n, &l, &facts, &base, e);
	for (size_t i = 0; i < l.nincomplete && !x; i++)
		x = err_set(e, EINVAL, "%s", l.incomplete[i]);
	if (show) {
		fputs(str_c(&text), stderr);
		fputs(str_c(&yaml), stderr);
		for (size_t i = 0; i < l.nfindings; i++)
			fprintf(stderr, "%d %s %s%s %s\n", l.findings[i].heading, l.findings[i].what, l.findings[i].counts ? "counts " : "",
			        l.findings[i].grant ? l.findings[i].grant : "-", l.findings[i].note ? l.findings[i].note : "");
	}
out:
	for (unsigned i = 0; i < 2; i++) {
		runs[i].host.files = NULL;
		runs[i].host.by_path = (struct map){ 0 };
		recording_drop(&runs[i]);
	}
	host_drop(&facts);
	return x;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	unsigned count = argc > 2 ? (unsigned)atoi(argv[2]) : argc > 1 ? 1 : 3000, bad = 0;
	for (unsigned i = 0; i < count; i++) {
		struct err e = { 0 };
		if (!one(seed + i, count == 1, &e))
			continue;
		if (bad++ < 10)
			printf("# seed %llu: %s\n", (unsigned long long)(seed + i), e.msg);
	}
	printf("%s 1 - what must hold of every lesson holds for %u drawn runs\n1..1\n", bad ? "not ok" : "ok", count);
	if (bad)
		printf("# %u do not\n", bad);
	return bad != 0;
}
