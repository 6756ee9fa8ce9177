/* yaml_out_test.c - the canonical writer: what it writes is read back as the same profile */
#include "base/str.h"
#include "profiles/builtin.h"
#include "profiles/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- random profiles ---- */

struct gen {
	uint64_t state;
	struct arena *a;
};

static uint32_t draw(struct gen *g, uint32_t below)
{
	/* splitmix64 */
	uint64_t z = g->state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)((z ^ z >> 31) >> 33) % below;
}

/* Pieces that trip quoting: YAML syntax, escapes, control and reordering characters, bytes that are not UTF-8. */
static const char *const pieces[] = {
	"a", "Z", "0", "no", "null", "~", "true", "017", "1e3", "12:30:45", " ", "  ", "#", " #", ": ", ":", "- ", "? ", "&x",
	"*x", "!!str", "|", ">", "%", "@", "`", "{", "}", "[", "]", ",", "\"", "'", "\\", "\\x41", "\\\\", "\n", "\t", "\r",
	"\x01", "\x7f", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xae", "\xef\xbb\xbf", "\xc3\xa9", "\xf0\x9f\x98\x80", "$HOME",
	"${X}", "$(id)", "{home}", "{project}", "{other}", "<<", "---", "...",
};
static const char *const bad_bytes[] = { "\xe8", "\xff", "\xc0\x80", "\xed\xa0\x80", "\x80" };

static const char *text(struct gen *g, bool bytes)
{
	OWN(str) s = { 0 };
	for (uint32_t n = draw(g, 6); n; n--) {
		if (bytes && !draw(g, 8))
			str_add(&s, bad_bytes[draw(g, LEN(bad_bytes))]);
		else
			str_add(&s, pieces[draw(g, LEN(pieces))]);
	}
	return arena_str(g->a, str_c(&s));
}

static const char *path(struct gen *g)
{
	static const char *const heads[] = { "/", "~/", "{home}/", "{project}/", "{cache}/", "/a/", "{runtime}/" };
	static const char *const whole[] = { "/", "~", "{home}", "{project}", "{scratch}" };
	if (!draw(g, 8))
		return whole[draw(g, LEN(whole))];
	return arena_fmt(g->a, "%s%s", heads[draw(g, LEN(heads))], text(g, true));
}

static const char *env_name(struct gen *g)
{
	static const char *const names[] = { "A", "no", "npm_config_//x:_y", "LC_*", "BASH_FUNC_x%%", "\xc3\xa9", "null", "?", "-S" };
	return arena_fmt(g->a, "%s%u", names[draw(g, LEN(names))], draw(g, 100));
}

static void words(struct gen *g, struct wordlist *l, const char *(*each)(struct gen *))
{
	for (uint32_t n = draw(g, 3) ? 0 : draw(g, 4); n; n--) {
		struct word *w = ARENA_PUSH(g->a, l, items, n);
		assert_non_null(w);
		w->text = each(g);
	}
}

static void paths(struct gen *g, struct pathlist *l)
{
	for (uint32_t n = draw(g, 3) ? 0 : draw(g, 4); n; n--) {
		struct pathent *p = ARENA_PUSH(g->a, l, items, n);
		assert_non_null(p);
		p->path = path(g);
		p->optional = draw(g, 2);
	}
}

static const char *name(struct gen *g)
{
	static const char *const names[] = { "node", "no", "y", "A.b-c_d", "null", "1", "true", "web" };
	return names[draw(g, LEN(names))];
}

static const char *host(struct gen *g)
{
	static const char *const hosts[] = { "no", "*.x.org", ".x.org", "x.org:*", "10.0.0.0/8", "[fd00::/8]:443", "*:*", "::1" };
	return hosts[draw(g, LEN(hosts))];
}

static const char *call(struct gen *g)
{
	static const char *const calls[] = { "bpf", "mount", "_sysctl", "ptrace" };
	return calls[draw(g, LEN(calls))];
}

static const char *comment(struct gen *g)
{
	return draw(g, 2) ? text(g, true) : NULL;
}

static void binds(struct gen *g, struct profile *p)
{
	for (uint32_t n = draw(g, 5); n; n--) {
		struct bind *b = ARENA_PUSH(g->a, &p->binds, items, n);
		assert_non_null(b);
		b->source = path(g);
		b->target = draw(g, 3) ? NULL : path(g);
		b->mode = (enum bind_mode)draw(g, 3);
		b->create = b->mode == BIND_COPY ? CREATE_NO : (enum bind_create)draw(g, 3);
		b->optional = draw(g, 2);
		b->comment = comment(g);
	}
}

static void sets(struct gen *g, struct profile *p)
{
	for (uint32_t n = draw(g, 3); n; n--) {
		struct envset *s = ARENA_PUSH(g->a, &p->env_set, items, n);
		assert_non_null(s);
		/* names differ: a duplicate key is an error */
		s->name = arena_fmt(g->a, "V%zu_\xc3\xa9", p->env_set.n);
		s->value = text(g, false);
	}
}

static void comments(struct gen *g, struct profile *p)
{
	static const char *const at[] = { "binds", "env.allow", "proxy.allow_hosts", "deny.write", "env.set", NULL, "nowhere" };
	for (uint32_t n = draw(g, 3); n; n--) {
		struct word *w = ARENA_PUSH(g->a, &p->comments, items, n);
		struct word *h = ARENA_PUSH(g->a, &p->header, items, n);
		assert_true(w && h);
		*w = (struct word){ .text = text(g, true), .src.origin = at[draw(g, LEN(at))], .comment = comment(g) };
		h->text = text(g, true);
	}
}

#define MAYBE(g, member, value) \
	do { \
		if (draw(g, 2)) { \
			(member).v = (value); \
			(member).src.origin = "x"; \
		} \
	} while (0)

static void random_profile(struct gen *g, struct profile *p)
{
	g->a = &p->arena;
	p->name = draw(g, 2) ? name(g) : NULL;
	p->description = draw(g, 2) ? text(g, false) : NULL;
	words(g, &p->use, name);
	p->override = draw(g, 2);
	MAYBE(g, p->project, draw(g, 2) ? PROJECT_RO : PROJECT_RW);
	MAYBE(g, p->home, (enum home_mode)(HOME_EMPTY + draw(g, 3)));
	p->home_persist = p->home.v == HOME_PERSIST ? path(g) : NULL;
	binds(g, p);
	paths(g, &p->tmpfs);
	paths(g, &p->mask);
	paths(g, &p->deny_read);
	paths(g, &p->deny_write);
	words(g, &p->env_allow, env_name);
	words(g, &p->env_deny, env_name);
	words(g, &p->prepend_path, path);
	sets(g, p);
	MAYBE(g, p->network, (enum net_mode)(NET_NONE + draw(g, 3)));
	words(g, &p->allow_hosts, host);
	words(g, &p->deny_hosts, host);
	p->has_allow_hosts = p->allow_hosts.n || draw(g, 2);
	MAYBE(g, p->action, (enum sys_action)(ACT_ERRNO + draw(g, 3)));
	words(g, &p->sys_deny, call);
	words(g, &p->sys_allow, call);
	MAYBE(g, p->proc, draw(g, 2) ? TRI_YES : TRI_NO);
	MAYBE(g, p->dev, draw(g, 2) ? TRI_YES : TRI_NO);
	MAYBE(g, p->shm, (uint64_t)draw(g, 5000) << draw(g, 30));
	MAYBE(g, p->sys, draw(g, 2) ? TRI_YES : TRI_NO);
	MAYBE(g, p->userns, draw(g, 2) ? TRI_YES : TRI_NO);
	MAYBE(g, p->ptrace, draw(g, 2) ? TRI_YES : TRI_NO);
	MAYBE(g, p->cwd, path(g));
	MAYBE(g, p->clear_env, draw(g, 2) ? TRI_YES : TRI_NO);
	MAYBE(g, p->tmp_size, (uint64_t)draw(g, 5000) << draw(g, 30));
	comments(g, p);
}

static void what_is_written_is_read_back_as_the_same_profile(void **state)
{
	(void)state;
	struct gen g = { .state = 20261129 };
	for (int i = 0; i < 20000; i++) {
		OWN(profile) p = { 0 };
		OWN(profile) q = { 0 };
		OWN(str) one = { 0 };
		OWN(str) two = { 0 };
		struct err e = { 0 };
		random_profile(&g, &p);
		profile_write(&one, &p);
		assert_false(one.oom);
		if (profile_read(&q, str_c(&one), one.len, "written", NULL, &e))
			fail_msg("case %d: %s\n%s", i, e.msg, str_c(&one));
		if (!profile_equal(&p, &q))
			fail_msg("case %d is not equal:\n%s", i, str_c(&one));
		/* and the text is a fixed point, but for its comments */
		q.comments = p.comments;
		q.header = p.header;
		for (size_t j = 0; j < p.binds.n; j++)
			q.binds.items[j].comment = p.binds.items[j].comment;
		profile_write(&two, &q);
		assert_string_equal(str_c(&one), str_c(&two));
	}
}

static void built_ins_are_read_and_written(void **state)
{
	(void)state;
	for (const struct builtin *b = builtins; b->name; b++) {
		OWN(profile) p = { 0 };
		OWN(profile) q = { 0 };
		OWN(str) s = { 0 };
		struct err e = { 0 };
		if (profile_read(&p, b->text, b->len, b->name, NULL, &e))
			fail_msg("%s", e.msg);
		assert_string_equal(p.name, b->name);
		assert_non_null(p.description);
		assert_int_equal(p.warnings.n, 0);
		profile_write(&s, &p);
		assert_int_equal(profile_read(&q, str_c(&s), s.len, b->name, NULL, &e), 0);
		assert_true(profile_equal(&p, &q));
	}
}

static struct word at(const char *key, const char *line, const char *why)
{
	return (struct word){ .text = line, .src.origin = key, .comment = why };
}

static void commented_grants_stand_where_they_would_belong(void **state)
{
	(void)state;
	struct bind bind = { .source = "~/.npmrc", .optional = true, .comment = "npm\nreads it" };
	struct word env = { .text = "CI" }, head = { .text = "made by a test" };
	struct word notes[] = {
		at("binds", "{ source: \"~/.ssh\", mode: ro }", "holds keys"), at("env.allow", "\"TOKEN\"", NULL),
		at("proxy.allow_hosts", "\"x.org\"", NULL), at("mask", "\"/x\"", NULL), at(NULL, "names that change", NULL),
	};
	struct profile p = { .name = "web", .binds = { &bind, 1 }, .env_allow = { &env, 1 }, .header = { &head, 1 },
	                     .comments = { notes, LEN(notes) } };
	OWN(str) s = { 0 };
	profile_write(&s, &p);
	assert_string_equal(str_c(&s),
		"# made by a test\n"
		"schema: snug-profile/v1\n"
		"name: web\n"
		"binds:\n"
		"  - { source: \"~/.npmrc\", mode: ro, optional: true }  # npm\\x0areads it\n"
		"  # - { source: \"~/.ssh\", mode: ro }  # holds keys\n"
		"# mask:\n"
		"#   - \"/x\"\n"
		"env:\n"
		"  allow:\n"
		"    - \"CI\"\n"
		"    # - \"TOKEN\"\n"
		"# proxy:\n"
		"#   allow_hosts:\n"
		"#     - \"x.org\"\n"
		"# names that change\n");
	/* uncommented it is a profile with all of them */
	OWN(str) live = { 0 };
	OWN(profile) q = { 0 };
	struct err e = { 0 };
	for (const char *c = str_c(&s); *c; c++) {
		bool first = c == s.p || c[-1] == '\n' || c[-1] == ' ';
		if (first && c[0] == '#' && c[1] == ' ' && strncmp(c + 2, "n", 1) && strncmp(c + 2, "made", 4) &&
		    strncmp(c + 2, "holds", 5))
			c++;
		else
			str_add_char(&live, *c);
	}
	if (profile_read(&q, str_c(&live), live.len, "live", NULL, &e))
		fail_msg("%s\n%s", e.msg, str_c(&live));
	assert_int_equal(q.binds.n, 2);
	assert_int_equal(q.env_allow.n, 2);
	assert_int_equal(q.allow_hosts.n, 1);
	assert_int_equal(q.mask.n, 1);
}

static void profiles_that_differ_in_one_thing_are_not_equal(void **state)
{
	(void)state;
	static const char base[] = "binds: [{source: /x, mode: ro}]\nmask: [/m]\nenv: {set: {A: b}, allow: [X]}\nproxy: {allow_hosts: [x]}\n"
	                           "special: {shm: 1MiB}\nproject: rw\nhome: empty\nprocess: {cwd: /x}\n";
	static const char *const others[] = {
		"binds: [{source: /x, mode: rw}]", "binds: [{source: /x, optional: true}]", "binds: [{source: /x, create: dir}]",
		"binds: [{source: /x, target: /y}]", "binds: [{source: /y}]", "binds: []", "mask: [{path: /m, optional: true}]",
		"mask: [/n]", "env: {set: {A: c}}", "env: {set: {B: b}}", "special: {shm: 2MiB}", "special: {shm: false}",
		"project: ro", "home: host", "home: {persist: /x}", "override: true", "name: n", "description: d",
		"proxy: {allow_hosts: []}", "process: {cwd: /y}", "network: {mode: none}", "use: [x]",
	};
	struct err e = { 0 };
	OWN(profile) p = { 0 };
	assert_int_equal(profile_read(&p, base, strlen(base), "b", NULL, &e), 0);
	assert_true(profile_equal(&p, &p));
	for (size_t i = 0; i < LEN(others); i++) {
		OWN(profile) q = { 0 };
		assert_int_equal(profile_read(&q, others[i], strlen(others[i]), "o", NULL, &e), 0);
		assert_false(profile_equal(&p, &q));
	}
}

static void the_schema_names_every_key(void **state)
{
	(void)state;
	OWN(str) s = { 0 };
	static const char *const keys[] = {
		"schema", "name", "description", "use", "override", "project", "home", "binds", "tmpfs", "mask", "deny", "env",
		"network", "proxy", "syscalls", "special", "process", "tmp", "prepend_path", "clear_env", "source", "optional",
	};
	profile_schema(&s);
	for (size_t i = 0; i < LEN(keys); i++) {
		char want[40];
		snprintf(want, sizeof(want), "\"%s\": {", keys[i]);
		if (!strstr(str_c(&s), want))
			fail_msg("%s", want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_back_as_the_same_profile),
		cmocka_unit_test(built_ins_are_read_and_written),
		cmocka_unit_test(commented_grants_stand_where_they_would_belong),
		cmocka_unit_test(profiles_that_differ_in_one_thing_are_not_equal),
		cmocka_unit_test(the_schema_names_every_key),
	};
	return cmocka_run_group_tests_name("yaml_out", tests, NULL, NULL);
}
