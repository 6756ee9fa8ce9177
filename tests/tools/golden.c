/* golden.c - learning from described accesses against stored profiles: golden [--update] [--dump] DIR.. ; TAP */
#include "tests/tools/golden_ops.h"

#include "learn/lesson.h"
#include "profiles/builtin.h"
#include "report/view.h"

enum { RUNS_MAX = 8 };

/* One case, loaded. */
struct golden {
	struct recording runs[RUNS_MAX];
	struct recording *order[RUNS_MAX];
	size_t n;
	struct profile base;
	struct policy pol;
};

static void golden_drop(struct golden *g)
{
	for (size_t i = 0; i < g->n; i++)
		recording_drop(&g->runs[i]);
	policy_drop(&g->pol);
	profile_drop(&g->base);
	*g = (struct golden){ 0 };
}

static char *slurp(const char *dir, const char *name)
{
	OWN(str) path = { 0 };
	str_fmt(&path, "%s/%s", dir, name);
	FILE *f = fopen(str_c(&path), "r");
	struct str s = { 0 };
	if (!f)
		return NULL;
	char buf[4096];
	for (size_t n; (n = fread(buf, 1, sizeof(buf), f));)
		str_add_mem(&s, buf, n);
	fclose(f);
	return s.p ? s.p : strdup("");
}

static int put(const char *dir, const char *name, const struct str *text)
{
	OWN(str) path = { 0 };
	str_fmt(&path, "%s/%s", dir, name);
	FILE *f = fopen(str_c(&path), "w");
	if (!f)
		return -1;
	fputs(str_c(text), f);
	return fclose(f);
}

static int compose(struct profile *out, const char *requested, struct err *e)
{
	int rc = 0;
	OWN(profile) base = { 0 };
	OWN(profile) own = { 0 };
	for (const struct builtin *b = builtins; b->name && !rc; b++)
		if (!strcmp(b->name, "base"))
			rc = profile_read(&base, b->text, b->len, "base", "builtin:base", e);
	if (!rc)
		rc = profile_merge(out, &base, false, false, e);
	ARENA_PUSH(&out->arena, &out->parts, items, n)->text = "builtin:base";
	if (!rc && requested) {
		rc = profile_read(&own, requested, strlen(requested), "requested.yaml", "user:requested", e);
		if (!rc)
			rc = profile_merge(out, &own, false, false, e);
		ARENA_PUSH(&out->arena, &out->parts, items, n)->text = "user:requested";
	}
	return rc;
}

/* Through the format and back: what learns is what a file would have held. */
static int through_file(struct recording *r, struct err *e)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	int rc = recording_write(r, f, e);
	fclose(f);
	recording_drop(r);
	f = fmemopen(text, len, "r");
	if (!rc)
		rc = recording_read(r, f, "golden", e);
	fclose(f);
	free(text);
	return rc;
}

static int load(struct golden *g, const char *dir, struct err *e)
{
	char *ops = slurp(dir, "ops"), *requested = slurp(dir, "requested.yaml");
	int rc = ops ? 0 : err_set(e, ENOENT, "%s/ops is missing", dir);
	if (!rc)
		g->n = fake_recordings(g->runs, RUNS_MAX, ops);
	for (size_t i = 0; i < g->n && !rc; i++) {
		rc = through_file(&g->runs[i], e);
		g->order[i] = &g->runs[i];
	}
	if (!rc)
		rc = compose(&g->base, requested, e);
	if (!rc)
		rc = policy_resolve(&g->pol, &g->base, &g->runs[0].host, false, e);
	free(ops);
	free(requested);
	return rc;
}

static void findings_text(struct str *out, const struct lesson *l)
{
	for (size_t i = 0; i < l->nfindings; i++) {
		const struct finding *f = &l->findings[i];
		str_fmt(out, "%s: %s %s (%s, %s%s%s)%s", heading_word(f->heading), kind_word(f->kind), f->what,
		        necessity_word(f->necessity), verdict_word(f->judgement.verdict), f->counts ? ", counts" : "",
		        f->credential ? ", credential" : "", f->grant ? " <- " : "");
		str_add(out, f->grant ? f->grant : "");
		if (f->note)
			str_fmt(out, " [%s]", f->note);
		if (l->nruns > 1)
			str_fmt(out, " %u/%u", f->runs, l->nruns);
		str_add_char(out, '\n');
	}
	for (size_t i = 0; i < l->nuses; i++)
		if (strcmp(l->uses[i].src->origin, "builtin:base") != 0)
			str_fmt(out, "line: %s used %d\n", l->uses[i].text, (int)l->uses[i].count);
	if (l->network_none_by)
		str_fmt(out, "no network by %s:%u\n", l->network_none_by->origin, l->network_none_by->line);
}

static int same(const char *dir, const char *name, const struct str *got, bool update)
{
	char *want = slurp(dir, name);
	bool equal = want && !strcmp(want, str_c(got));
	if (!equal && update && !put(dir, name, got))
		equal = true;
	if (!equal)
		printf("# %s/%s differs; got:\n", dir, name);
	int shown = 0;
	for (const char *p = str_c(got), *end; !equal && *p && shown++ < 25; p = end + 1) {
		end = strchr(p, '\n');
		if (!end)
			break;
		printf("#   %.*s\n", (int)(end - p), p);
	}
	free(want);
	return equal ? 0 : -1;
}

/* The suggestion's bytes for runs in this order. */
static int suggestion(struct str *out, struct golden *g, const size_t *order, size_t n, struct err *e)
{
	struct recording *runs[RUNS_MAX * 2];
	OWN(lesson) l = { 0 };
	for (size_t i = 0; i < n; i++)
		runs[i] = g->order[order[i]];
	int rc = lesson_make(&l, runs, n, &g->pol, &g->base, "suggested", e);
	if (!rc)
		profile_write(out, &l.suggestion);
	if (!rc)
		findings_text(out, &l);
	return rc;
}

/* Any order of runs, and one of them twice, say the same. */
static int order_free(struct golden *g, struct err *e)
{
	size_t forth[RUNS_MAX], back[RUNS_MAX * 2];
	OWN(str) a = { 0 };
	OWN(str) b = { 0 };
	for (size_t i = 0; i < g->n; i++) {
		forth[i] = i;
		back[i] = g->n - 1 - i;
		back[g->n + i] = i;
	}
	int rc = suggestion(&a, g, forth, g->n, e);
	if (!rc)
		rc = suggestion(&b, g, back, g->n * 2, e);
	if (!rc && strcmp(str_c(&a), str_c(&b)) != 0)
		rc = err_set(e, EINVAL, "the order of runs shows:\n# --- one way\n%.150s\n# --- other way\n%.150s", str_c(&a), str_c(&b));
	return rc;
}

static int loads(const struct lesson *l, const struct str *yaml, struct err *e)
{
	OWN(profile) back = { 0 };
	int rc = profile_read(&back, str_c(yaml), yaml->len, "suggested.yaml", NULL, e);
	if (!rc && !profile_equal(&back, &l->suggestion))
		return err_set(e, EINVAL, "the suggestion reads back as another profile");
	return rc;
}

static int check(const char *dir, bool update, struct err *e)
{
	struct golden g = { 0 };
	OWN(lesson) l = { 0 };
	OWN(str) yaml = { 0 };
	OWN(str) text = { 0 };
	int rc = load(&g, dir, e);
	if (!rc)
		rc = lesson_make(&l, g.order, g.n, &g.pol, &g.base, "suggested", e);
	if (!rc) {
		profile_write(&yaml, &l.suggestion);
		findings_text(&text, &l);
		rc = loads(&l, &yaml, e);
		if (same(dir, "want.yaml", &yaml, update) | same(dir, "want.txt", &text, update))
			rc = rc ? rc : err_set(e, EINVAL, "differs");
	}
	if (!rc)
		rc = order_free(&g, e);
	lesson_drop(&l);
	golden_drop(&g);
	return rc;
}

static int dump(const char *dir)
{
	struct golden g = { 0 };
	struct err e = { 0 };
	int rc = load(&g, dir, &e);
	for (size_t i = 0; i < g.n && !rc; i++)
		rc = recording_write(&g.runs[i], stdout, &e);
	if (rc)
		fprintf(stderr, "%s\n", e.msg);
	golden_drop(&g);
	return rc ? 1 : 0;
}

int main(int argc, char **argv)
{
	bool update = false;
	int bad = 0, n = 0;
	for (int i = 1; i < argc; i++) {
		struct err e = { 0 };
		if (!strcmp(argv[i], "--update")) {
			update = true;
			continue;
		}
		if (!strcmp(argv[i], "--dump"))
			return i + 1 < argc ? dump(argv[i + 1]) : 2;
		size_t len = strlen(argv[i]);
		if (len && argv[i][len - 1] == '/')
			argv[i][len - 1] = '\0';
		int rc = check(argv[i], update, &e);
		if (rc)
			printf("# %s\n", e.msg);
		char *ops = slurp(argv[i], "ops");
		size_t title = ops && ops[0] == '#' ? strcspn(ops, "\n") : 0;
		printf("%s %d - golden %s: %.*s\n", rc ? "not ok" : "ok", ++n, path_base(argv[i]), title ? (int)title - 2 : 0,
		       title ? ops + 2 : "");
		free(ops);
		bad |= rc;
	}
	printf("1..%d\n", n);
	return bad ? 1 : 0;
}
