/* find_test.c - search order, trust, composition; on real directories */
#include "base/str.h"
#include "profiles/find.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A home with settings and a checkout in a temporary directory. */
struct tree {
	char top[64];
	struct host host;
	struct arena a;
};

static const char *in(struct tree *t, const char *path)
{
	return arena_fmt(&t->a, "%s/%s", t->top, path);
}

static void dirs(struct tree *t, const char *path)
{
	char *p = arena_str(&t->a, in(t, path));
	for (char *s = p + 1; *s; s++) {
		if (*s != '/')
			continue;
		*s = '\0';
		(void)mkdir(p, 0755);
		*s = '/';
	}
	(void)mkdir(p, 0755);
}

static void put(struct tree *t, const char *path, const char *text)
{
	char *dir = arena_str(&t->a, path);
	*strrchr(dir, '/') = '\0';
	dirs(t, dir);
	FILE *f = fopen(in(t, path), "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void tree_make(struct tree *t)
{
	snprintf(t->top, sizeof(t->top), "/tmp/snug-find-XXXXXX");
	assert_non_null(mkdtemp(t->top));
	dirs(t, "home/.config/snug/profiles");
	dirs(t, "co/.git");
	dirs(t, "co/.snug/profiles");
	dirs(t, "co/sub/deep");
	t->host = (struct host){ .uid = getuid(), .home = in(t, "home"), .config = in(t, "home/.config"),
	                         .state = in(t, "home/.local/state"), .cwd = in(t, "co/sub/deep") };
}

static void tree_drop(struct tree *t)
{
	if (t->top[0]) {
		char cmd[128];
		snprintf(cmd, sizeof(cmd), "rm -rf '%s'", t->top);
		assert_int_equal(system(cmd), 0);
	}
	arena_drop(&t->a);
}

#define TREE(t) \
	OWN(tree) t = { 0 }; \
	tree_make(&t)

static int find(struct tree *t, struct profile *p, const char *name, enum find_purpose why, struct err *e)
{
	OWN(finder) f = { .host = &t->host, .purpose = why };
	return find_profile(p, &f, name, NULL, e);
}

static const char *origin(struct tree *t, const char *name)
{
	OWN(profile) p = { 0 };
	struct err e = { 0 };
	if (find(t, &p, name, FIND_READ, &e))
		return arena_str(&t->a, e.msg);
	return arena_str(&t->a, p.origin);
}

static void the_nearest_place_wins_and_a_prefix_names_one(void **state)
{
	(void)state;
	TREE(t);
	assert_string_equal(origin(&t, "node"), "builtin:node");
	put(&t, "home/.config/snug/profiles/node.yaml", "name: node\n");
	assert_string_equal(origin(&t, "node"), "user:node");
	put(&t, "co/.snug/profiles/node.yaml", "name: node\ndescription: top\n");
	assert_string_equal(origin(&t, "node"), "repo:node");
	assert_string_equal(origin(&t, "user:node"), "user:node");
	assert_string_equal(origin(&t, "builtin:node"), "builtin:node");
	assert_string_equal(origin(&t, "repo:node"), "repo:node");
	assert_non_null(strstr(origin(&t, "system:node"), "no profile 'system:node'"));
	/* nearer to the working directory first */
	OWN(profile) p = { 0 };
	struct err e = { 0 };
	put(&t, "co/sub/.snug/profiles/node.yaml", "name: node\ndescription: sub\n");
	assert_int_equal(find(&t, &p, "node", FIND_READ, &e), 0);
	assert_string_equal(p.description, "sub");
	/* above the checkout nothing counts */
	put(&t, ".snug/profiles/outer.yaml", "name: outer\n");
	assert_non_null(strstr(origin(&t, "outer"), "no profile 'outer'"));
}

static void without_a_checkout_only_the_working_directory_counts(void **state)
{
	(void)state;
	TREE(t);
	put(&t, "plain/.snug/profiles/a.yaml", "name: a\n");
	put(&t, "plain/sub/.snug/profiles/b.yaml", "name: b\n");
	t.host.cwd = in(&t, "plain/sub");
	assert_string_equal(origin(&t, "b"), "repo:b");
	assert_non_null(strstr(origin(&t, "a"), "no profile 'a'"));
	t.host.cwd = in(&t, "gone");
	assert_string_equal(origin(&t, "node"), "builtin:node");
	t.host.cwd = NULL;
	assert_string_equal(origin(&t, "node"), "builtin:node");
}

static void a_checkout_of_somebody_else_does_not_count(void **state)
{
	(void)state;
	TREE(t);
	put(&t, "co/.snug/profiles/x.yaml", "name: x\n");
	assert_string_equal(origin(&t, "x"), "repo:x");
	t.host.uid++;
	assert_non_null(strstr(origin(&t, "x"), "no profile 'x'"));
	assert_non_null(strstr(origin(&t, "x"), "co/.snug/profiles is not yours and was not searched"));
	OWN(finder) f = { .host = &t.host };
	OWN(profile) p = { 0 };
	struct err e = { 0 };
	assert_int_equal(find_profile(&p, &f, "builtin:node", NULL, &e), 0);
	assert_int_equal(f.notes.n, 0);
	profile_drop(&p);
	assert_int_equal(find_profile(&p, &f, "node", NULL, &e), 0);
	assert_int_equal(f.notes.n, 1);
}

static void unknown_names_come_with_the_nearest(void **state)
{
	(void)state;
	TREE(t);
	put(&t, "co/.snug/profiles/npm-install.yaml", "name: npm-install\n");
	assert_non_null(strstr(origin(&t, "nod"), "did you mean 'node'?"));
	assert_non_null(strstr(origin(&t, "npm-instal"), "did you mean 'npm-install'?"));
	assert_non_null(strstr(origin(&t, "zzzz"), "snug profile list shows all"));
	assert_non_null(strstr(origin(&t, ".."), "no profile '..'"));
	assert_non_null(strstr(origin(&t, "a:b"), "no profile 'a:b'"));
	assert_non_null(strstr(origin(&t, "./nope.yaml"), "no profile file ./nope.yaml"));
}

static void names_agree_with_files_in_profile_directories_only(void **state)
{
	(void)state;
	TREE(t);
	OWN(profile) p = { 0 };
	struct err e = { 0 };
	put(&t, "co/.snug/profiles/a.yaml", "name: b\n");
	put(&t, "co/.snug/profiles/c.yaml", "description: no name\n");
	put(&t, "elsewhere/x.yaml", "name: y\n");
	assert_non_null(strstr(origin(&t, "a"), "its name is 'b', its file's name is 'a'"));
	assert_int_equal(find(&t, &p, "c", FIND_READ, &e), 0);
	assert_string_equal(p.name, "c");
	assert_string_equal(origin(&t, in(&t, "elsewhere/x.yaml")), in(&t, "elsewhere/x.yaml"));
}

static void what_is_no_plain_file_is_refused(void **state)
{
	(void)state; /* Y08 */
	TREE(t);
	assert_int_equal(mkfifo(in(&t, "co/.snug/profiles/pipe.yaml"), 0600), 0);
	assert_non_null(strstr(origin(&t, "pipe"), "is no regular file"));
	assert_int_equal(symlink("/etc/passwd", in(&t, "co/.snug/profiles/link.yaml")), 0);
	assert_null(strstr(origin(&t, "link"), "root:"));
	dirs(&t, "co/.snug/profiles/dir.yaml");
	assert_non_null(strstr(origin(&t, "dir"), "is no regular file"));
	/* the user's own directory may hold links, as dot file managers make them */
	put(&t, "dots/mine.yaml", "name: mine\n");
	assert_int_equal(symlink(in(&t, "dots/mine.yaml"), in(&t, "home/.config/snug/profiles/mine.yaml")), 0);
	assert_string_equal(origin(&t, "mine"), "user:mine");
	/* longer than any profile may be: read no further than that */
	FILE *f = fopen(in(&t, "co/.snug/profiles/big.yaml"), "w");
	for (int i = 0; i < (2 << 20); i++)
		fputc('#', f);
	fclose(f);
	assert_non_null(strstr(origin(&t, "big"), "more than the 1048576"));
}

static int trust(struct tree *t, const char *dir, struct err *e)
{
	OWN(finder) f = { .host = &t->host };
	FILE *out = fopen("/dev/null", "w");
	int r = find_trust(&f, dir, out, e);
	fclose(out);
	return r;
}

static void a_checkouts_profile_is_applied_only_when_trusted(void **state)
{
	(void)state;
	TREE(t);
	struct err e = { 0 };
	OWN(profile) p = { 0 };
	OWN(profile) q = { 0 };
	OWN(profile) r = { 0 };
	put(&t, "co/.snug/profiles/node.yaml", "name: node\n");
	assert_int_equal(find(&t, &p, "node", FIND_APPLY, &e), -EACCES);
	assert_non_null(strstr(e.msg, "is not trusted"));
	assert_non_null(strstr(e.msg, "then type: snug trust "));
	assert_non_null(strstr(e.msg, in(&t, "co")));
	/* never a silent fall to the next place, and the file itself is consent */
	assert_int_equal(find(&t, &q, in(&t, "co/.snug/profiles/node.yaml"), FIND_APPLY, &e), 0);
	assert_int_equal(trust(&t, NULL, &e), 1);
	assert_int_equal(find(&t, &r, "node", FIND_APPLY, &e), 0);
	assert_string_equal(r.origin, "repo:node");
}

static void a_changed_profile_is_untrusted_again_and_the_change_is_shown(void **state)
{
	(void)state;
	TREE(t);
	struct err e = { 0 };
	OWN(profile) p = { 0 };
	char *shown = NULL;
	size_t len;
	put(&t, "co/.snug/profiles/web.yaml", "name: web\nproject: ro\n");
	assert_int_equal(trust(&t, in(&t, "co"), &e), 1);
	put(&t, "co/.snug/profiles/web.yaml", "name: web\nproject: rw\n");
	OWN(finder) f = { .host = &t.host, .purpose = FIND_APPLY };
	FILE *diff = open_memstream(&shown, &len);
	assert_int_equal(find_profile(&p, &f, "web", diff, &e), -EACCES);
	fclose(diff);
	assert_non_null(strstr(e.msg, "has changed since you trusted it"));
	assert_non_null(strstr(shown, "-project: ro\n+project: rw\n"));
	free(shown);
	/* the same text again is trusted again */
	put(&t, "co/.snug/profiles/web.yaml", "name: web\nproject: ro\n");
	assert_int_equal(find(&t, &p, "web", FIND_APPLY, &e), 0);
}

static void trust_is_of_one_path_and_kept_where_nobody_else_writes(void **state)
{
	(void)state;
	TREE(t);
	struct err e = { 0 };
	struct stat st;
	OWN(profile) p = { 0 };
	put(&t, "co/.snug/profiles/web.yaml", "name: web\n");
	put(&t, "other/.git/x", "");
	put(&t, "other/.snug/profiles/web.yaml", "name: web\n");
	assert_int_equal(trust(&t, NULL, &e), 1);
	t.host.cwd = in(&t, "other");
	assert_int_equal(find(&t, &p, "web", FIND_APPLY, &e), -EACCES);
	t.host.cwd = in(&t, "co");
	const char *store = in(&t, "home/.local/state/snug/trust");
	assert_int_equal(stat(store, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	/* a store that others may write is worth nothing */
	assert_int_equal(chmod(store, 0777), 0);
	assert_int_equal(find(&t, &p, "web", FIND_APPLY, &e), -EACCES);
	assert_int_equal(chmod(store, 0700), 0);
	assert_int_equal(find(&t, &p, "web", FIND_APPLY, &e), 0);
}

static void trusting_says_what_it_did_and_broken_files_stay_out(void **state)
{
	(void)state;
	TREE(t);
	struct err e = { 0 };
	char *said = NULL;
	size_t len;
	assert_int_equal(trust(&t, NULL, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "no profile to trust"));
	put(&t, "co/.snug/profiles/good.yaml", "name: good\n");
	put(&t, "co/.snug/profiles/bad.yaml", "nme: bad\n");
	OWN(finder) f = { .host = &t.host };
	FILE *out = open_memstream(&said, &len);
	assert_int_equal(find_trust(&f, NULL, out, &e), 1);
	fclose(out);
	assert_non_null(strstr(said, "trusted: "));
	assert_non_null(strstr(said, "not trusted: "));
	assert_non_null(strstr(said, "unknown key 'nme'"));
	free(said);
	t.host.state = NULL;
	t.host.home = NULL;
	assert_int_equal(trust(&t, NULL, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "set HOME or XDG_STATE_HOME"));
}

static void what_snug_changes_in_a_trusted_file_stays_trusted(void **state)
{
	(void)state;
	TREE(t);
	struct err e = { 0 };
	OWN(profile) p = { 0 };
	static const char old[] = "name: web\n", later[] = "name: web\nmask: [/x]\n";
	const char *path = in(&t, "co/.snug/profiles/web.yaml");
	put(&t, "co/.snug/profiles/web.yaml", old);
	OWN(finder) f = { .host = &t.host, .purpose = FIND_APPLY };
	put(&t, "co/.snug/profiles/web.yaml", later);
	/* untrusted before: stays so */
	assert_int_equal(find_retrust(&f, path, old, sizeof(old) - 1, &e), 0);
	assert_int_equal(find(&t, &p, "web", FIND_APPLY, &e), -EACCES);
	put(&t, "co/.snug/profiles/web.yaml", old);
	assert_int_equal(trust(&t, NULL, &e), 1);
	put(&t, "co/.snug/profiles/web.yaml", later);
	assert_int_equal(find_retrust(&f, path, old, sizeof(old) - 1, &e), 0);
	assert_int_equal(find(&t, &p, "web", FIND_APPLY, &e), 0);
}

static int compose(struct tree *t, struct profile *p, const char *const *names, size_t n, bool no_base, struct err *e)
{
	struct word w[8];
	OWN(finder) f = { .host = &t->host };
	for (size_t i = 0; i < n; i++)
		w[i] = (struct word){ .text = names[i] };
	const struct wordlist list = { w, n };
	return find_compose(p, &f, &list, NULL, no_base, false, e);
}

static void parts(const struct profile *p, struct str *out)
{
	for (size_t i = 0; i < p->parts.n; i++)
		str_fmt(out, "%s%s", i ? " " : "", p->parts.items[i].text);
}

static void each_profile_comes_once_after_what_it_uses(void **state)
{
	(void)state;
	TREE(t);
	struct err e = { 0 };
	OWN(profile) p = { 0 };
	OWN(profile) bare = { 0 };
	OWN(str) got = { 0 };
	OWN(str) none = { 0 };
	put(&t, "co/.snug/profiles/a.yaml", "name: a\nuse: [b, c]\n");
	put(&t, "co/.snug/profiles/b.yaml", "name: b\nuse: [c]\n");
	put(&t, "co/.snug/profiles/c.yaml", "name: c\nmask: [/c]\n");
	const char *names[] = { "a", "node", "c", "a" };
	if (compose(&t, &p, names, 4, false, &e))
		fail_msg("%s", e.msg);
	parts(&p, &got);
	assert_string_equal(str_c(&got), "builtin:base repo:c repo:b repo:a builtin:node");
	assert_string_equal(p.mask.items[0].src.origin, "repo:c");
	assert_int_equal(compose(&t, &bare, names + 2, 1, true, &e), 0);
	parts(&bare, &none);
	assert_string_equal(str_c(&none), "repo:c");
}

static void a_cycle_is_told_with_its_chain(void **state)
{
	(void)state;
	TREE(t);
	struct err e = { 0 };
	OWN(profile) p = { 0 };
	put(&t, "co/.snug/profiles/a.yaml", "name: a\nuse: [b]\n");
	put(&t, "co/.snug/profiles/b.yaml", "name: b\nuse: [c]\n");
	put(&t, "co/.snug/profiles/c.yaml", "name: c\nuse: [b]\n");
	put(&t, "co/.snug/profiles/node.yaml", "name: node\nuse: [node]\n");
	put(&t, "co/.snug/profiles/d.yaml", "name: d\nuse:\n  - nothere\n");
	const char *a[] = { "a" }, *node[] = { "node" }, *d[] = { "d" };
	assert_int_equal(compose(&t, &p, a, 1, false, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "profiles use each other in a circle: repo:b -> repo:c -> repo:b"));
	assert_int_equal(compose(&t, &p, node, 1, false, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "repo:node -> repo:node; the built-in one is builtin:node"));
	assert_int_equal(compose(&t, &p, d, 1, false, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "repo:d:3: no profile 'nothere'"));
}

static void a_chain_that_is_too_long_ends(void **state)
{
	(void)state;
	TREE(t);
	struct err e = { 0 };
	OWN(profile) p = { 0 };
	for (int i = 0; i < 40; i++)
		put(&t, arena_fmt(&t.a, "co/.snug/profiles/p%d.yaml", i), arena_fmt(&t.a, "name: p%d\nuse: [p%d]\n", i, i + 1));
	put(&t, "co/.snug/profiles/p40.yaml", "name: p40\n");
	const char *far[] = { "p0" }, *near[] = { "p20" };
	assert_int_equal(compose(&t, &p, far, 1, false, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "more than 32 deep"));
	assert_int_equal(compose(&t, &p, near, 1, false, &e), 0);
}

static void shadowing_is_said_once(void **state)
{
	(void)state;
	TREE(t);
	struct err e = { 0 };
	OWN(profile) p = { 0 };
	OWN(profile) q = { 0 };
	OWN(finder) f = { .host = &t.host };
	put(&t, "home/.config/snug/profiles/git.yaml", "name: git\n");
	assert_int_equal(find_profile(&p, &f, "git", NULL, &e), 0);
	assert_int_equal(find_profile(&q, &f, "git", NULL, &e), 0);
	assert_int_equal(f.notes.n, 1);
	assert_non_null(strstr(f.notes.items[0].text, "user:git"));
	assert_non_null(strstr(f.notes.items[0].text, "builtin:git"));
}

static void the_list_has_all_with_their_state(void **state)
{
	(void)state;
	TREE(t);
	struct err e = { 0 };
	struct find_row *rows;
	size_t n;
	OWN(finder) f = { .host = &t.host };
	put(&t, "co/.snug/profiles/node.yaml", "name: node\ndescription: ours\n");
	put(&t, "home/.config/snug/profiles/broken.yaml", "bnds: []\n");
	put(&t, "home/.config/snug/profiles/.hidden.yaml", "name: hidden\n");
	put(&t, "home/.config/snug/profiles/readme.txt", "no profile\n");
	assert_int_equal(find_list(&f, &rows, &n, &e), 0);
	bool repo = false, builtin = false, broken = false;
	for (size_t i = 0; i < n; i++) {
		assert_true(!i || strcmp(rows[i - 1].name, rows[i].name) <= 0);
		assert_null(strstr(rows[i].name, "hidden"));
		if (!strcmp(rows[i].name, "node") && !strcmp(rows[i].origin, "repo"))
			repo = rows[i].untrusted && !rows[i].shadowed && !strcmp(rows[i].description, "ours");
		if (!strcmp(rows[i].name, "node") && !strcmp(rows[i].origin, "builtin"))
			builtin = rows[i].shadowed && !rows[i].path;
		if (!strcmp(rows[i].name, "broken"))
			broken = rows[i].broken && strstr(rows[i].broken, "did you mean 'binds'?");
	}
	assert_true(repo && builtin && broken);
}

static void the_text_of_a_profile_is_its_authors(void **state)
{
	(void)state;
	TREE(t);
	struct err e = { 0 };
	OWN(str) text = { 0 };
	OWN(str) bad = { 0 };
	const char *from, *path;
	OWN(finder) f = { .host = &t.host };
	put(&t, "co/.snug/profiles/x.yaml", "# why\nname:   x\n");
	put(&t, "co/.snug/profiles/y.yaml", "nme: y\n");
	assert_int_equal(find_text(&text, &from, &path, &f, "x", &e), 0);
	assert_string_equal(str_c(&text), "# why\nname:   x\n");
	assert_string_equal(from, "repo:x");
	assert_string_equal(path, in(&t, "co/.snug/profiles/x.yaml"));
	assert_int_equal(find_text(&bad, &from, &path, &f, "y", &e), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_place_wins_and_a_prefix_names_one),
		cmocka_unit_test(without_a_checkout_only_the_working_directory_counts),
		cmocka_unit_test(a_checkout_of_somebody_else_does_not_count),
		cmocka_unit_test(unknown_names_come_with_the_nearest),
		cmocka_unit_test(names_agree_with_files_in_profile_directories_only),
		cmocka_unit_test(what_is_no_plain_file_is_refused),
		cmocka_unit_test(a_checkouts_profile_is_applied_only_when_trusted),
		cmocka_unit_test(a_changed_profile_is_untrusted_again_and_the_change_is_shown),
		cmocka_unit_test(trust_is_of_one_path_and_kept_where_nobody_else_writes),
		cmocka_unit_test(trusting_says_what_it_did_and_broken_files_stay_out),
		cmocka_unit_test(what_snug_changes_in_a_trusted_file_stays_trusted),
		cmocka_unit_test(each_profile_comes_once_after_what_it_uses),
		cmocka_unit_test(a_cycle_is_told_with_its_chain),
		cmocka_unit_test(a_chain_that_is_too_long_ends),
		cmocka_unit_test(shadowing_is_said_once),
		cmocka_unit_test(the_list_has_all_with_their_state),
		cmocka_unit_test(the_text_of_a_profile_is_its_authors),
	};
	return cmocka_run_group_tests_name("find", tests, NULL, NULL);
}
