/* resolve_test.c - from profiles and host facts to the list of places */
#include "base/path.h"
#include "base/str.h"
#include "profiles/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct hop usr_links[] = { { "/bin", "usr/bin" }, { "/lib", "usr/lib" } };

/* A world of user u with a project; @facts: "path type[ real type]" lines, see fact(). */
struct world {
	struct host host;
	struct hop hops[16];
	size_t nhops;
};

static void world_drop(struct world *w)
{
	host_drop(&w->host);
}

static void world_make(struct world *w)
{
	w->host = (struct host){ .cwd = "/home/u/p", .project = "/home/u/p", .home = "/home/u", .tmp = "/tmp",
	                         .config = "/home/u/.config", .user = "u", .uid = 1000, .gid = 1000 };
	w->host.links = w->hops;
	memcpy(w->hops, usr_links, sizeof(usr_links));
	w->host.nlinks = w->nhops = LEN(usr_links);
}

static void has(struct world *w, const char *path, enum file_type type)
{
	const struct host_file f = { .path = path, .type = type, .real = path, .real_type = type };
	assert_int_equal(host_add_file(&w->host, &f), 0);
}

/* @path is reached through the link @at with @text and ends at @real. */
static void linked(struct world *w, const char *path, const char *at, const char *text, const char *real, enum file_type type)
{
	struct hop hop = { at, text };
	const struct host_file f = { .path = path, .type = strcmp(path, at) ? type : FT_LINK, .real = real, .real_type = type,
	                             .hops = &hop, .nhops = 1 };
	assert_int_equal(host_add_file(&w->host, &f), 0);
}

static int resolve(struct policy *pol, struct world *w, const char *text, bool strict, bool inlined, struct err *e)
{
	OWN(profile) p = { 0 };
	OWN(profile) one = { 0 };
	struct err first = { 0 };
	const char *origin = inlined ? "--flag" : "user:x";
	if (profile_read(&one, text, strlen(text), origin, origin, &first))
		fail_msg("%s: %s", text, first.msg);
	if (profile_merge(&p, &one, inlined, false, &first))
		fail_msg("%s", first.msg);
	return policy_resolve(pol, &p, &w->host, strict, e);
}

static void show(struct str *out, const struct policy *pol)
{
	static const char *const kinds[] = {
		[PLACE_BIND] = "bind", [PLACE_COPY] = "copy", [PLACE_TMPFS] = "tmpfs", [PLACE_LINK] = "link", [PLACE_PROC] = "proc",
		[PLACE_DEV] = "dev", [PLACE_SHM] = "shm", [PLACE_SYS] = "sys", [PLACE_STUB] = "stub", [PLACE_MASK] = "mask",
		[PLACE_FENCE] = "fence", [PLACE_PIN] = "pin",
	};
	for (size_t i = 0; i < pol->nplaces; i++) {
		const struct place *p = &pol->places[i];
		str_fmt(out, "%s%s %s", kinds[p->kind], p->kind != PLACE_BIND ? "" : p->mode == BIND_RW ? " rw" : " ro", p->path);
		if (p->source && strcmp(p->source, p->path) != 0)
			str_fmt(out, " from %s", p->source);
		str_add_char(out, '\n');
	}
}

static void check(struct world *w, const char *text, const char *want)
{
	OWN(policy) pol = { 0 };
	OWN(str) got = { 0 };
	struct err e = { 0 };
	if (resolve(&pol, w, text, true, false, &e))
		fail_msg("%s: %s", text, e.msg);
	show(&got, &pol);
	if (strcmp(str_c(&got), want) != 0)
		fail_msg("%s\ngot:\n%swanted:\n%s", text, str_c(&got), want);
	/* the index leads to the place */
	for (size_t i = 0; i < pol.nplaces; i++)
		assert_ptr_equal(map_get(&pol.by_path, pol.places[i].path), (void *)(i + 1));
}

/* The same of a command line's grants. */
static void flagged(struct world *w, const char *text, const char *want)
{
	OWN(policy) pol = { 0 };
	OWN(str) got = { 0 };
	struct err e = { 0 };
	if (resolve(&pol, w, text, true, true, &e))
		fail_msg("%s: %s", text, e.msg);
	show(&got, &pol);
	if (strcmp(str_c(&got), want) != 0)
		fail_msg("%s\ngot:\n%swanted:\n%s", text, str_c(&got), want);
}

static void refused(struct world *w, const char *text, const char *want)
{
	OWN(policy) pol = { 0 };
	struct err e = { 0 };
	int r = resolve(&pol, w, text, true, false, &e);
	if (r != -EINVAL || !strstr(e.msg, want) || strncmp(e.msg, "user:x:", 7) != 0)
		fail_msg("%s: %d %s", text, r, e.msg);
	/* the judge goes on with a note */
	OWN(policy) lax = { 0 };
	struct err untouched = { 0 };
	assert_int_equal(resolve(&lax, w, text, false, false, &untouched), 0);
	assert_int_equal(untouched.code, 0);
	bool noted = false;
	for (size_t i = 0; i < lax.notes.n; i++)
		noted |= strstr(lax.notes.items[i].text, want) != NULL;
	if (!noted)
		fail_msg("%s: not noted", text);
}

static bool noted(struct world *w, const char *text, const char *want)
{
	OWN(policy) pol = { 0 };
	struct err e = { 0 };
	bool found = false;
	if (resolve(&pol, w, text, true, false, &e))
		fail_msg("%s: %s", text, e.msg);
	for (size_t i = 0; i < pol.notes.n; i++)
		found |= strstr(pol.notes.items[i].text, want) != NULL;
	return found;
}

#define WORLD(w) \
	__attribute__((cleanup(world_drop))) struct world w = { 0 }; \
	world_make(&w)

static void without_a_word_there_is_the_project_and_an_empty_home(void **state)
{
	(void)state;
	WORLD(w);
	check(&w, "name: x", "tmpfs /home/u\nbind rw /home/u/p\n");
	check(&w, "project: ro", "tmpfs /home/u\nbind ro /home/u/p\n");
	check(&w, "home: host", "bind ro /home/u\nbind rw /home/u/p\n");
	check(&w, "home: { persist: \"/srv/h\" }", "bind rw /home/u from /srv/h\nbind rw /home/u/p\n");
	w.host.project = NULL;
	check(&w, "name: x", "tmpfs /home/u\n");
	w.host.home = NULL;
	check(&w, "name: x", "");
}

static void placeholders_are_expanded_and_unset_ones_named(void **state)
{
	(void)state; /* Y07 */
	WORLD(w);
	w.host.home = "/home/a: {}\nb";
	w.host.project = NULL;
	check(&w, "binds: [{ source: \"~/.x\" }, { source: \"{home}/.y\" }, { source: \"{config}/z\" }, { source: \"{cache}/w\" }]",
	      "tmpfs /home/a: {}\nb\nbind ro /home/a: {}\nb/.cache/w\nbind ro /home/a: {}\nb/.x\nbind ro /home/a: {}\nb/.y\n"
	      "bind ro /home/u/.config/z\n");
	refused(&w, "binds: [{ source: \"{project}/x\" }]", "{project} has no value here");
	refused(&w, "binds: [{ source: \"{runtime}/x\" }]", "{runtime} has no value here: XDG_RUNTIME_DIR is not set");
	w.host.home = NULL;
	refused(&w, "mask: [\"~/x\"]", "{home} has no value here");
	refused(&w, "env: { set: { A: \"{home}/x\" } }", "{home} has no value here");
	assert_true(noted(&w, "binds: [{ source: \"~/x\", optional: true }]", "'~/x' is left out"));
}

static void links_stand_as_links_and_binds_at_the_final_object(void **state)
{
	(void)state; /* G06 S02 S09 G08 */
	WORLD(w);
	linked(&w, "/home/u/.bashrc", "/home/u/.bashrc", "dot/bashrc", "/home/u/dot/bashrc", FT_FILE);
	linked(&w, "/bin/tool", "/bin", "usr/bin", "/usr/bin/tool", FT_FILE);
	linked(&w, "/etc/resolv.conf", "/etc/resolv.conf", "../run/r/stub.conf", "/run/r/stub.conf", FT_FILE);
	check(&w, "binds: [{ source: \"~/.bashrc\" }]\nproject: rw",
	      "tmpfs /home/u\nlink /home/u/.bashrc\nbind ro /home/u/dot/bashrc\nbind rw /home/u/p\n");
	check(&w, "binds: [{ source: /bin/tool }, { source: /usr }]",
	      "link /bin\ntmpfs /home/u\nbind rw /home/u/p\nlink /lib\nbind ro /usr\n");
	check(&w, "binds: [{ source: /etc/resolv.conf }]\ntmpfs: [/run]",
	      "link /etc/resolv.conf\ntmpfs /home/u\nbind rw /home/u/p\ntmpfs /run\nbind ro /run/r/stub.conf\n");
	/* a target is a place in the view: the merged /usr counts there too */
	check(&w, "binds: [{ source: /srv/t, target: /bin/t }]",
	      "link /bin\ntmpfs /home/u\nbind rw /home/u/p\nbind ro /usr/bin/t from /srv/t\n");
}

static void a_denied_file_is_denied_under_each_of_its_names(void **state)
{
	(void)state; /* G06 */
	WORLD(w);
	has(&w, "/usr", FT_DIR);
	linked(&w, "/bin/curl", "/bin", "usr/bin", "/usr/bin/curl", FT_FILE);
	check(&w, "binds: [{ source: /usr }]\ndeny: { read: [/bin/curl] }",
	      "link /bin\ntmpfs /home/u\nbind rw /home/u/p\nlink /lib\nbind ro /usr\nmask /usr/bin/curl\n");
}

static void what_is_shown_already_is_left_out(void **state)
{
	(void)state;
	WORLD(w);
	check(&w, "binds: [{ source: \"{project}/sub\", mode: rw }, { source: /usr }, { source: /usr/lib/x }]",
	      "link /bin\ntmpfs /home/u\nbind rw /home/u/p\nlink /lib\nbind ro /usr\n");
	check(&w, "binds: [{ source: \"{project}/vendor\", mode: ro }]",
	      "tmpfs /home/u\nbind rw /home/u/p\nbind ro /home/u/p/vendor\n");
	check(&w, "binds: [{ source: \"{project}\", mode: ro }]", "tmpfs /home/u\nbind rw /home/u/p\n");
	check(&w, "project: ro\nbinds: [{ source: \"{project}\", mode: rw }]", "tmpfs /home/u\nbind ro /home/u/p\n");
	/* a flag wins in both directions, but not from the directory above */
	flagged(&w, "binds: [{ source: \"{project}\", mode: ro }]", "tmpfs /home/u\nbind ro /home/u/p\n");
	flagged(&w, "binds: [{ source: \"{project}\", mode: rw }]", "tmpfs /home/u\nbind rw /home/u/p\n");
	flagged(&w, "binds: [{ source: /home/u, mode: ro }]", "bind ro /home/u\nbind rw /home/u/p\n");
	check(&w, "binds: [{ source: /x }]\ntmpfs: [/x, /y]", "tmpfs /home/u\nbind rw /home/u/p\nbind ro /x\ntmpfs /y\n");
}

static void order_is_parents_first_and_subtrees_in_one_piece(void **state)
{
	(void)state;
	WORLD(w);
	w.host.home = w.host.project = NULL;
	check(&w, "binds: [{ source: /a-b }, { source: /a/b/c, mode: rw }, { source: /a }, { source: /a.x }, { source: /a/b, target: /z }]",
	      "bind ro /a\nbind rw /a/b/c\nbind ro /a-b\nbind ro /a.x\nbind ro /z from /a/b\n");
}

static void absent_sources_are_errors_skipped_or_made(void **state)
{
	(void)state;
	WORLD(w);
	has(&w, "/home/u/.x", FT_NONE);
	linked(&w, "/home/u/.l", "/home/u/.l", "nowhere", "/home/u/nowhere", FT_NONE);
	refused(&w, "binds: [{ source: \"~/.x\" }]", "~/.x does not exist; make it, or say optional: true or create: dir");
	refused(&w, "binds: [{ source: \"~/.l\" }]", "~/.l is a link to /home/u/nowhere, which does not exist");
	refused(&w, "binds: [{ source: \"~/.l\", mode: rw, create: file }]", "~/.l is a link to");
	assert_true(noted(&w, "binds: [{ source: \"~/.x\", optional: true }]", "~/.x is absent"));
	check(&w, "binds: [{ source: \"~/.x\", optional: true }]", "tmpfs /home/u\nbind rw /home/u/p\n");
	check(&w, "binds: [{ source: \"~/.x\", mode: rw, create: dir }]", "tmpfs /home/u\nbind rw /home/u/.x\nbind rw /home/u/p\n");
	check(&w, "binds: [{ source: \"~/.x\", mode: copy }]", "tmpfs /home/u\ncopy /home/u/.x\nbind rw /home/u/p\n");
}

static void a_copy_needs_a_private_place_and_a_file(void **state)
{
	(void)state;
	WORLD(w);
	has(&w, "/home/u/d", FT_DIR);
	has(&w, "/home/u", FT_DIR);
	refused(&w, "home: host\nbinds: [{ source: \"~/.x\", mode: copy }]", "mode copy needs a private place, and ~ is shown from the host");
	refused(&w, "binds: [{ source: \"{project}/x\", mode: copy }]", "use mode rw");
	refused(&w, "binds: [{ source: /opt/x, mode: copy }]", "/opt is not in the view");
	refused(&w, "binds: [{ source: \"~/d\", mode: copy }]", "~/d is no regular file");
	/* a link to the file: the program renames over the link's place, the host file behind it is written */
	linked(&w, "/home/u/.gitconfig", "/home/u/.gitconfig", "dot/git", "/home/u/dot/git", FT_FILE);
	check(&w, "binds: [{ source: \"~/.gitconfig\", mode: copy }]",
	      "tmpfs /home/u\ncopy /home/u/.gitconfig from /home/u/dot/git\nbind rw /home/u/p\n");
}

static void a_protected_object_pins_its_ancestors_up_to_the_writable_root(void **state)
{
	(void)state; /* S19 */
	WORLD(w);
	has(&w, "/home/u/p/.git/hooks", FT_DIR);
	has(&w, "/home/u/p/a/b/.env", FT_FILE);
	check(&w, "deny: { write: [\"{project}/.git/hooks\"] }",
	      "tmpfs /home/u\nbind rw /home/u/p\npin /home/u/p/.git\nfence /home/u/p/.git/hooks\n");
	check(&w, "mask: [\"{project}/a/b/.env\"]",
	      "tmpfs /home/u\nbind rw /home/u/p\npin /home/u/p/a\npin /home/u/p/a/b\nmask /home/u/p/a/b/.env\n");
	check(&w, "project: ro\nmask: [\"{project}/a/b/.env\"]", "tmpfs /home/u\nbind ro /home/u/p\nmask /home/u/p/a/b/.env\n");
	assert_true(noted(&w, "mask: [\"{project}/a/b/.env\"]", "renames and links into or out of {project}/a fail (EXDEV)"));
	/* a read-only bind inside is no fence until its parents cannot be renamed */
	check(&w, "binds: [{ source: \"{project}/.git/hooks\" }]\ndeny: { write: [\"{project}/.git/hooks\"] }",
	      "tmpfs /home/u\nbind rw /home/u/p\npin /home/u/p/.git\nbind ro /home/u/p/.git/hooks\n");
}

static void a_mask_inside_a_fence_does_not_reopen_it(void **state)
{
	(void)state;
	WORLD(w);
	has(&w, "/home/u/p/.git", FT_DIR);
	has(&w, "/home/u/p/.git/a/key", FT_FILE);
	has(&w, "/home/u/p/.git/a", FT_DIR);
	check(&w, "mask: [\"{project}/.git/a/key\"]\ndeny: { write: [\"{project}/.git\", \"{project}/.git/a\"] }",
	      "tmpfs /home/u\nbind rw /home/u/p\nfence /home/u/p/.git\nmask /home/u/p/.git/a/key\n");
	check(&w, "mask: [\"{project}/.git\", \"{project}/.git/a/key\"]", "tmpfs /home/u\nbind rw /home/u/p\nmask /home/u/p/.git\n");
}

static void a_deny_that_cannot_be_promised_is_an_error_with_remedies(void **state)
{
	(void)state; /* S09 */
	WORLD(w);
	has(&w, "/home/u/p/.git", FT_NONE);
	linked(&w, "/home/u/p/hooks", "/home/u/p/hooks", "elsewhere", "/home/u/p/elsewhere", FT_DIR);
	refused(&w, "deny: { write: [\"{project}/.git\"] }",
	        "{project}/.git does not exist in a writable tree, so the deny cannot be promised; create it first, or deny write");
	assert_true(noted(&w, "deny: { write: [{ path: \"{project}/.git\", optional: true }] }", "writes there are not held back"));
	refused(&w, "deny: { write: [\"{project}/hooks\"] }", "is reached through the link {project}/hooks, which can be replaced");
	/* whatever else protects its target, in whatever order; not where the link itself is held */
	has(&w, "/home/u/p/elsewhere", FT_DIR);
	refused(&w, "deny: { write: [\"{project}/elsewhere\", \"{project}/hooks\"] }", "through the link {project}/hooks");
	refused(&w, "deny: { write: [\"{project}/hooks\", \"{project}/elsewhere\"] }", "through the link {project}/hooks");
	refused(&w, "binds: [{ source: \"{project}/elsewhere\" }]\ndeny: { write: [\"{project}/hooks\"] }",
	        "through the link {project}/hooks");
	check(&w, "project: ro\ndeny: { write: [\"{project}/hooks\"] }", "tmpfs /home/u\nbind ro /home/u/p\n");
	linked(&w, "/home/u/p/d/l", "/home/u/p/d/l", "../elsewhere", "/home/u/p/elsewhere", FT_DIR);
	has(&w, "/home/u/p/d", FT_DIR);
	check(&w, "deny: { write: [\"{project}/d/l\", \"{project}/d\"] }",
	      "tmpfs /home/u\nbind rw /home/u/p\nfence /home/u/p/d\nfence /home/u/p/elsewhere\n");
	check(&w, "deny: { write: [{ path: \"{project}/hooks\", optional: true }] }",
	      "tmpfs /home/u\nbind rw /home/u/p\nfence /home/u/p/elsewhere\n");
	/* absent under a mask is nothing to hide */
	assert_true(noted(&w, "mask: [\"{project}/.git\"]", "{project}/.git is absent: nothing to hide"));
	assert_true(noted(&w, "deny: { read: [\"/srv/x\"] }", "/srv/x is not in the view: nothing to hide"));
	assert_true(noted(&w, "deny: { write: [\"~/.x\"] }", "~/.x is not shown from the host: no write reaches it"));
}

static void the_hosts_proc_is_neither_shown_nor_hidden_by_process(void **state)
{
	(void)state;
	WORLD(w);
	linked(&w, "/etc/mtab", "/etc/mtab", "../proc/self/mounts", "/proc/77/mounts", FT_FILE);
	linked(&w, "/proc/self/environ", "/proc/self", "77", "/proc/77/environ", FT_FILE);
	has(&w, "/proc", FT_DIR);
	has(&w, "/proc/version", FT_FILE);
	static const char *const refuses[] = {
		"special: { proc: true }\nbinds: [{ source: /proc, target: /hp }]", "binds: [{ source: /proc/version, mode: rw }]",
		"special: { proc: true }\nbinds: [{ source: /etc/mtab, target: /hp }]", "binds: [{ source: /etc/mtab }]",
		"special: { proc: true }\nbinds: [{ source: /proc/self/environ, optional: true }]",
		"special: { proc: true }\nbinds: [{ source: /proc/version, mode: copy, target: /v }]",
	};
	for (size_t i = 0; i < LEN(refuses); i++)
		refused(&w, refuses[i], "lies in the host's /proc, which is not shown");
	refused(&w, "home: { persist: /proc/version }", "/proc keeps nothing");
	/* the link stands, and leads to the run's own */
	check(&w, "special: { proc: true }\nbinds: [{ source: /etc/mtab }]",
	      "link /etc/mtab\ntmpfs /home/u\nbind rw /home/u/p\nproc /proc\n");
	static const char *const own[] = { "/proc/self/environ", "/proc/12/maps", "/proc/thread-self", "/etc/mtab" };
	for (size_t i = 0; i < LEN(own); i++) {
		const char *const keys[][2] = { { "deny: { read: [", "] }" }, { "deny: { write: [", "] }" }, { "mask: [", "]" } };
		for (size_t k = 0; k < LEN(keys); k++) {
			char text[200];
			snprintf(text, sizeof(text), "special: { proc: true }\n%s%s%s", keys[k][0], own[i], keys[k][1]);
			refused(&w, text, "is each process's own, so the deny cannot be promised");
		}
	}
	/* what is the same for all is masked as ever */
	check(&w, "special: { proc: true }\ndeny: { read: [/proc/version] }",
	      "tmpfs /home/u\nbind rw /home/u/p\nproc /proc\nmask /proc/version\n");
	assert_true(noted(&w, "deny: { read: [/proc/self/environ] }", "is not in the view"));
}

static void a_deny_beats_every_allow_unless_overridden_by_name(void **state)
{
	(void)state;
	WORLD(w);
	static const char deny[] = "deny: { read: [\"~/.ssh\"], write: [\"~/w\"] }\n"
		"binds: [{ source: \"~/.ssh/config\" }, { source: \"~/.ssh\" }, { source: \"~/w\", mode: rw }, { source: \"~/w/x\", mode: rw }]\n";
	check(&w, deny, "tmpfs /home/u\nbind rw /home/u/p\nbind ro /home/u/w\n");
	assert_true(noted(&w, deny, "~/.ssh/config is not shown: denied by user:x:1"));
	assert_true(noted(&w, deny, "~/w is read-only: write denied by user:x:1"));
	/* flags are no exception */
	OWN(policy) pol = { 0 };
	OWN(str) s = { 0 };
	struct err e = { 0 };
	assert_int_equal(resolve(&pol, &w, deny, true, true, &e), 0);
	show(&s, &pol);
	assert_string_equal(str_c(&s), "tmpfs /home/u\nbind rw /home/u/p\nbind ro /home/u/w\n");
	assert_int_equal(pol.nbans, 2);
	assert_string_equal(pol.bans[0].path, "/home/u/.ssh");
	assert_false(pol.bans[0].write_only);
	assert_true(pol.bans[1].write_only);
	/* an overriding profile lifts the deny of the path it names, no other */
	check(&w, "override: true\ndeny: { read: [\"~/.ssh\"] }\nbinds: [{ source: \"~/.ssh\" }]",
	      "tmpfs /home/u\nbind ro /home/u/.ssh\nbind rw /home/u/p\n");
	refused(&w, "override: true\ndeny: { read: [\"~/.ssh\"] }\nbinds: [{ source: \"~/.ssh/config\" }]",
	        "~/.ssh/config lies in what user:x:2 denies: override by naming ~/.ssh itself");
}

static void the_judge_names_the_deny_of_what_no_place_shows(void **state)
{
	(void)state; /* G03 */
	WORLD(w);
	static const char text[] = "mask: [\"~/.ssh\"]\ndeny: { write: [/srv/d] }\nbinds: [{ source: /srv/d, mode: rw }]\n";
	static const struct { const char *path; enum op op; uint32_t flags; enum verdict want; int err; uint32_t line; } rows[] = {
		{ "/home/u/.ssh/id", OP_OPEN, O_RDONLY, V_DENIED, ENOENT, 1 },
		{ "/home/u/.sshx", OP_OPEN, O_RDONLY, V_MISSING, ENOENT, 0 },
		{ "/srv/d/f", OP_OPEN, O_WRONLY, V_DENIED, EROFS, 2 },
		{ "/srv/d/f", OP_OPEN, O_RDONLY, V_GRANTED, 0, 3 },
	};
	OWN(policy) pol = { 0 };
	struct err e = { 0 };
	assert_int_equal(resolve(&pol, &w, text, true, false, &e), 0);
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(arena) a = { 0 };
		struct access acc = { .op = rows[i].op, .flags = rows[i].flags, .uid = 1000, .gid = 1000 };
		acc.obj[0] = (struct object){ .spelled = rows[i].path, .path = rows[i].path, .type = FT_FILE, .mode = 0644, .uid = 1000,
		                              .gid = 1000, .dir = path_parent(&a, rows[i].path), .dir_mode = 0755, .nlink = 1 };
		struct judgement j = policy_judge(&pol, &acc, &w.host, NULL);
		if (j.verdict != rows[i].want || j.err != rows[i].err || (rows[i].line && j.by->line != rows[i].line))
			fail_msg("%s: %s %d", rows[i].path, verdict_word(j.verdict), j.err);
	}
}

static void below_another_target_only_what_is_known_of_the_source_is_granted(void **state)
{
	(void)state;
	WORLD(w);
	has(&w, "/srv/x/key", FT_FILE);
	const struct host_file mine[] = {
		{ .path = "/srv/x", .type = FT_DIR, .real = "/srv/x", .real_type = FT_DIR, .mode = 0755, .uid = 1000 },
		{ .path = "/srv/x/sub/conf", .type = FT_FILE, .real = "/srv/x/sub/conf", .real_type = FT_FILE, .mode = 0644, .uid = 1000 },
	};
	for (size_t i = 0; i < LEN(mine); i++)
		assert_int_equal(host_add_file(&w.host, &mine[i]), 0);
	static const char text[] = "binds: [{ source: /srv/x, target: /opt/x, mode: rw }]\ndeny: { write: [/srv/x/sub/conf] }\n"
		"mask: [/srv/x/key]\n";
	static const struct { const char *path; uint32_t flags; bool there; enum verdict want; int err; } rows[] = {
		{ "/opt/x/g", O_RDONLY, true, V_MISSING, ENOENT },
		{ "/opt/x/g/h", O_RDONLY, true, V_MISSING, ENOENT },
		{ "/opt/x/g", O_RDONLY, false, V_GRANTED, ENOENT }, /* as outside */
		{ "/opt/x/new", O_WRONLY | O_CREAT, false, V_GRANTED, 0 },
		{ "/opt/x/sub/conf", O_RDONLY, true, V_GRANTED, 0 },
		{ "/opt/x/sub/conf", O_WRONLY, true, V_DENIED, EROFS },
		{ "/opt/x/key", O_RDONLY, true, V_DENIED, EACCES },
	};
	OWN(policy) pol = { 0 };
	struct err e = { 0 };
	assert_int_equal(resolve(&pol, &w, text, true, false, &e), 0);
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(arena) a = { 0 };
		struct access acc = { .op = OP_OPEN, .flags = rows[i].flags, .uid = 1000, .gid = 1000 };
		acc.obj[0] = (struct object){ .spelled = rows[i].path, .path = rows[i].path, .mode = 0644, .uid = 1000,
		                              .gid = 1000, .dir = path_parent(&a, rows[i].path), .dir_mode = 0755, .dir_uid = 1000,
		                              .nlink = 1, .missing = rows[i].there ? 0 : 1, .type = rows[i].there ? FT_FILE : FT_NONE };
		struct judgement j = policy_judge(&pol, &acc, &w.host, NULL);
		if (j.verdict != rows[i].want || j.err != rows[i].err)
			fail_msg("%s: %s %d", rows[i].path, verdict_word(j.verdict), j.err);
	}
}

static void what_is_denied_is_denied_at_another_target_too(void **state)
{
	(void)state;
	WORLD(w);
	has(&w, "/srv/x/key", FT_FILE);
	has(&w, "/srv/x/sub/conf", FT_FILE);
	check(&w, "binds: [{ source: /srv/x, target: /opt/x, mode: rw }]\nmask: [/srv/x/key]\ndeny: { write: [/srv/x/sub/conf] }",
	      "tmpfs /home/u\nbind rw /home/u/p\nbind rw /opt/x from /srv/x\nmask /opt/x/key from /srv/x/key\n"
	      "pin /opt/x/sub from /srv/x/sub\nfence /opt/x/sub/conf from /srv/x/sub/conf\n");
	check(&w, "binds: [{ source: /srv/x, target: /opt/x }]\nmask: [/opt/x/key]",
	      "tmpfs /home/u\nbind rw /home/u/p\nbind ro /opt/x from /srv/x\nmask /opt/x/key from /srv/x/key\n");
	check(&w, "binds: [{ source: /srv/x, target: /opt/x }]\ndeny: { read: [/srv] }", "tmpfs /home/u\nbind rw /home/u/p\n");
}

static void the_whole_tree_stays_whole(void **state)
{
	(void)state;
	WORLD(w);
	OWN(policy) pol = { 0 };
	OWN(profile) base = { 0 };
	OWN(profile) all = { 0 };
	OWN(profile) flag = { 0 };
	OWN(str) s = { 0 };
	struct err e = { 0 };
	static const char text[] = "binds: [{ source: /usr }]\ntmpfs: [/tmp]\nspecial: { proc: true, dev: true }";
	static const char grant[] = "binds: [{ source: /, mode: rw }]";
	assert_int_equal(profile_read(&base, text, sizeof(text) - 1, "builtin:base", "builtin:base", &e), 0);
	assert_int_equal(profile_read(&flag, grant, sizeof(grant) - 1, "--allow-write", "--allow-write", &e), 0);
	assert_int_equal(profile_merge(&all, &base, false, false, &e), 0);
	assert_int_equal(profile_merge(&all, &flag, true, false, &e), 0);
	assert_int_equal(policy_resolve(&pol, &all, &w.host, true, &e), 0);
	show(&s, &pol);
	assert_string_equal(str_c(&s), "bind rw /\ndev /dev\nproc /proc\nsys /sys\n");
}

static void base_brings_stubs_that_a_bind_replaces(void **state)
{
	(void)state; /* S07 */
	WORLD(w);
	OWN(profile) base = { 0 };
	OWN(profile) all = { 0 };
	struct err e = { 0 };
	static const char text[] = "binds: [{ source: /etc/group }]";
	struct word part = { .text = "builtin:base" };
	assert_int_equal(profile_read(&base, text, sizeof(text) - 1, "user:x", "user:x", &e), 0);
	base.parts = (struct wordlist){ &part, 1 };
	assert_int_equal(profile_merge(&all, &base, false, false, &e), 0);
	static const struct { uint32_t uid; const char *user, *home, *want; } rows[] = {
		{ 1000, "u", "/home/u", "root:x:0:0:root:/root:/bin/sh\nu:x:1000:1000::/home/u:/bin/sh\nnobody:" },
		{ 54321, NULL, NULL, "root:x:0:0:root:/root:/bin/sh\nuser:x:54321:1000::/:/bin/sh\nnobody:" },
		{ 1000, "a:b\n", "/x:y", "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000::/:/bin/sh\nnobody:" },
		{ 0, "root", "/root", "root:x:0:1000::/root:/bin/sh\nnobody:" },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(policy) pol = { 0 };
		w.host.uid = rows[i].uid;
		w.host.user = rows[i].user;
		w.host.home = rows[i].home;
		assert_int_equal(policy_resolve(&pol, &all, &w.host, true, &e), 0);
		const struct place *p = &pol.places[(uintptr_t)map_get(&pol.by_path, "/etc/passwd") - 1];
		assert_int_equal(p->kind, PLACE_STUB);
		if (strncmp(p->text, rows[i].want, strlen(rows[i].want)) != 0)
			fail_msg("%s", p->text);
		p = &pol.places[(uintptr_t)map_get(&pol.by_path, "/etc/group") - 1];
		assert_int_equal(p->kind, PLACE_BIND);
	}
}

static bool denies(const struct policy *pol, const char *name)
{
	for (size_t i = 0; i < pol->sys_deny.n; i++)
		if (!strcmp(pol->sys_deny.items[i].text, name))
			return true;
	return false;
}

static void calls_are_denied_unless_allowed(void **state)
{
	(void)state;
	WORLD(w);
	static const struct { const char *text, *call; bool want; } rows[] = {
		{ "name: x", "unshare", true }, { "name: x", "clone3", true }, { "name: x", "ptrace", true },
		{ "special: { userns: true }", "unshare", false }, { "special: { userns: true }", "clone3", false },
		{ "special: { userns: true }", "ptrace", true }, { "special: { ptrace: true }", "process_vm_readv", false },
		{ "syscalls: { deny: [bpf] }", "bpf", true },
		/* a profile's own deny beats an allow, base's and the defaults give way */
		{ "syscalls: { deny: [bpf], allow: [bpf] }", "bpf", true }, { "syscalls: { allow: [ptrace] }", "ptrace", false },
		{ "override: true\nsyscalls: { deny: [bpf], allow: [bpf] }", "bpf", false },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		OWN(policy) pol = { 0 };
		struct err e = { 0 };
		assert_int_equal(resolve(&pol, &w, rows[i].text, true, false, &e), 0);
		if (denies(&pol, rows[i].call) != rows[i].want)
			fail_msg("%s: %s", rows[i].text, rows[i].call);
	}
}

static void the_environment_has_defaults_and_denied_names_are_not_set(void **state)
{
	(void)state;
	WORLD(w);
	OWN(policy) pol = { 0 };
	struct err e = { 0 };
	static const char text[] = "env: { set: { A: \"{home}/x:{project}\", HOME: /elsewhere, B: \"{nothing}\" }, deny: [USER], "
	                           "prepend_path: [\"~/.local/bin\"] }";
	static const struct { const char *name, *value; } want[] = {
		{ "A", "/home/u/x:/home/u/p" }, { "HOME", "/elsewhere" }, { "B", "{nothing}" }, { "TMPDIR", "/tmp" }, { "USER", NULL },
		{ "LOGNAME", "u" }, { "PWD", "/home/u/p" }, { "XDG_CONFIG_HOME", "/home/u/.config" }, { "XDG_DATA_HOME", NULL },
	};
	assert_int_equal(resolve(&pol, &w, text, true, false, &e), 0);
	for (size_t i = 0; i < LEN(want); i++) {
		const char *got = NULL;
		for (size_t j = 0; j < pol.env_set.n; j++)
			if (!strcmp(pol.env_set.items[j].name, want[i].name))
				got = pol.env_set.items[j].value;
		if ((got == NULL) != (want[i].value == NULL) || (got && strcmp(got, want[i].value) != 0))
			fail_msg("%s=%s", want[i].name, got ? got : "(unset)");
	}
	assert_string_equal(pol.prepend_path.items[0].text, "/home/u/.local/bin");
	assert_int_equal(pol.clear_env, TRI_YES);
}

static void the_network_is_none_where_nobody_speaks(void **state)
{
	(void)state;
	WORLD(w);
	OWN(policy) none = { 0 };
	OWN(policy) all = { 0 };
	struct err e = { 0 };
	assert_int_equal(resolve(&none, &w, "name: x", true, false, &e), 0);
	assert_int_equal(none.network.v, NET_NONE);
	assert_null(none.network.src.origin);
	assert_int_equal(resolve(&all, &w, "proxy: { allow_hosts: [\"*:*\", a.test], deny_hosts: [b.test] }", true, false, &e), 0);
	assert_int_equal(all.network.v, NET_PROXY);
	assert_true(all.all_hosts);
	const struct src *by;
	assert_int_equal(policy_ask_host(&all, "b.test", 25, &by), V_DENIED);
	assert_int_equal(policy_ask_host(&all, "c.test", 25, &by), V_GRANTED);
	assert_true(noted(&w, "network: { mode: none }\nproxy: { allow_hosts: [a.test] }", "the 1 listed hosts are not reachable"));
}

static void a_mount_point_inside_a_bind_of_the_host_must_be_there(void **state)
{
	(void)state;
	WORLD(w);
	has(&w, "/srv/s", FT_DIR);
	has(&w, "/home/u/p", FT_DIR);
	has(&w, "/home/u/p/none", FT_NONE);
	has(&w, "/home/u/p/dir", FT_DIR);
	has(&w, "/home/u/p/file", FT_FILE);
	linked(&w, "/home/u/p/l/x", "/home/u/p/l", "/etc", "/etc/x", FT_DIR);
	has(&w, "/srv/s/none", FT_NONE);
	has(&w, "/srv/s/dir", FT_DIR);
	has(&w, "/home/u/none", FT_NONE);
	static const struct { const char *text, *want; } rows[] = {
		{ "binds: [{ source: /srv/s, target: \"{project}/none\" }]", "make it first (mkdir {project}/none)" },
		{ "binds: [{ source: /srv/s, target: \"{project}/none\", create: dir, optional: true }]", "{project}/none is not there" },
		{ "tmpfs: [\"{project}/none\"]", "{project}/none is not there to be mounted on" },
		{ "tmpfs: [\"{project}/file\"]", "{project}/file is no directory" },
		{ "binds: [{ source: /srv/s, target: \"{project}/l/x\" }]", "through a symbolic link" },
		{ "binds: [{ source: /srv/s, target: /opt/t }, { source: /srv/s, target: /opt/t/none }]", "(mkdir /srv/s/none)" },
	};
	for (size_t i = 0; i < LEN(rows); i++)
		refused(&w, rows[i].text, rows[i].want);
	/* what is there, what lies in a place of the run's own, and what nobody has looked at */
	static const char *const fine[] = {
		"binds: [{ source: /srv/s, target: \"{project}/dir\" }]", "tmpfs: [\"{project}/dir\"]",
		"binds: [{ source: /srv/s, target: \"~/none\" }]", "binds: [{ source: /srv/s, target: /opt/none }]",
		"binds: [{ source: /srv/s, target: \"{project}/unknown\" }]",
		"binds: [{ source: /srv/s, target: /opt/t }, { source: /srv/s, target: /opt/t/dir }]",
	};
	for (size_t i = 0; i < LEN(fine); i++)
		assert_false(noted(&w, fine[i], "mounted"));
}

static void what_is_hidden_under_another_name_is_no_news_under_its_own(void **state)
{
	(void)state;
	WORLD(w);
	has(&w, "/srv/s", FT_DIR);
	has(&w, "/srv/s/f", FT_FILE);
	has(&w, "/tmp", FT_DIR);
	static const char bind[] = "binds: [{ source: /srv/s, target: /opt/t, mode: rw }]\n";
	static const struct { const char *deny, *never; } rows[] = {
		{ "deny: { read: [/srv/s/f] }", "nothing to hide" },
		{ "mask: [/srv/s/f]", "nothing to hide" },
		{ "deny: { write: [/srv/s/f] }", "no write reaches it" },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		char text[256];
		snprintf(text, sizeof(text), "%s%s", bind, rows[i].deny);
		assert_false(noted(&w, text, rows[i].never));
		/* without the bind it is */
		assert_true(noted(&w, rows[i].deny, rows[i].never));
	}
	assert_true(noted(&w, "tmpfs: [/tmp]\nmask: [/tmp]", "/tmp is the run's own, not the host's"));
}

static void behind_a_mask_nothing_is_guarded(void **state)
{
	(void)state;
	WORLD(w);
	has(&w, "/home/u/p/k", FT_DIR);
	has(&w, "/home/u/p/k/d", FT_DIR);
	has(&w, "/home/u/p/k/d/x", FT_FILE);
	static const char want[] = "tmpfs /home/u\nbind rw /home/u/p\nmask /home/u/p/k\n";
	check(&w, "deny: { read: [\"{project}/k\", \"{project}/k/d/x\"] }", want);
	check(&w, "deny: { read: [\"{project}/k/d/x\", \"{project}/k\"] }", want);
	check(&w, "deny: { read: [\"{project}/k\"], write: [\"{project}/k/d/x\", \"{project}/k/d\"] }", want);
}

static void a_resolver_asks_for_the_facts_it_uses(void **state)
{
	(void)state;
	WORLD(w);
	OWN(arena) a = { 0 };
	OWN(profile) p = { 0 };
	struct wordlist paths = { 0 };
	struct err e = { 0 };
	static const char text[] =
		"binds: [{ source: \"~/.x\", mode: copy }, { source: /srv/s, target: /opt/t }, { source: \"{runtime}/no\" }]\n"
		"tmpfs: [/t]\nmask: [/opt/t/m, \"~/.x\"]\ndeny: { read: [/r], write: [/w] }\nhome: { persist: /ph }\n";
	static const char *const want[] = {
		"/home/u/.x", "/home/u", "/srv/s", "/opt/t", "/t", "/opt/t/m", "/srv/s/m", "/ph/.x", "/r", "/w", "/home/u/p", "/ph",
	};
	assert_int_equal(profile_read(&p, text, sizeof(text) - 1, "x", NULL, &e), 0);
	assert_int_equal(profile_paths(&p, &w.host, &a, &paths, &e), 0);
	assert_int_equal(paths.n, LEN(want));
	for (size_t i = 0; i < LEN(want); i++) {
		bool found = false;
		for (size_t j = 0; j < paths.n; j++)
			found |= !strcmp(paths.items[j].text, want[i]);
		if (!found)
			fail_msg("%s", want[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_word_there_is_the_project_and_an_empty_home),
		cmocka_unit_test(placeholders_are_expanded_and_unset_ones_named),
		cmocka_unit_test(links_stand_as_links_and_binds_at_the_final_object),
		cmocka_unit_test(a_denied_file_is_denied_under_each_of_its_names),
		cmocka_unit_test(what_is_shown_already_is_left_out),
		cmocka_unit_test(order_is_parents_first_and_subtrees_in_one_piece),
		cmocka_unit_test(absent_sources_are_errors_skipped_or_made),
		cmocka_unit_test(a_copy_needs_a_private_place_and_a_file),
		cmocka_unit_test(a_protected_object_pins_its_ancestors_up_to_the_writable_root),
		cmocka_unit_test(a_mask_inside_a_fence_does_not_reopen_it),
		cmocka_unit_test(a_deny_that_cannot_be_promised_is_an_error_with_remedies),
		cmocka_unit_test(the_hosts_proc_is_neither_shown_nor_hidden_by_process),
		cmocka_unit_test(a_deny_beats_every_allow_unless_overridden_by_name),
		cmocka_unit_test(the_judge_names_the_deny_of_what_no_place_shows),
		cmocka_unit_test(below_another_target_only_what_is_known_of_the_source_is_granted),
		cmocka_unit_test(what_is_denied_is_denied_at_another_target_too),
		cmocka_unit_test(the_whole_tree_stays_whole),
		cmocka_unit_test(base_brings_stubs_that_a_bind_replaces),
		cmocka_unit_test(calls_are_denied_unless_allowed),
		cmocka_unit_test(the_environment_has_defaults_and_denied_names_are_not_set),
		cmocka_unit_test(the_network_is_none_where_nobody_speaks),
		cmocka_unit_test(a_mount_point_inside_a_bind_of_the_host_must_be_there),
		cmocka_unit_test(what_is_hidden_under_another_name_is_no_news_under_its_own),
		cmocka_unit_test(behind_a_mask_nothing_is_guarded),
		cmocka_unit_test(a_resolver_asks_for_the_facts_it_uses),
	};
	return cmocka_run_group_tests_name("resolve", tests, NULL, NULL);
}
