#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cli/cmd.h"
#include "cli/optdef.h"

#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 16 };

/* Parse the blank-separated @line. */
static int parse(struct cli_opts *o, char *line, struct err *e)
{
	static char *argv[WORDS];
	static char *envp[] = { NULL };
	int argc = 0;
	*o = (struct cli_opts){ 0 };
	for (char *w = strtok(line, " "); w && argc + 1 < WORDS; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	return opts_parse(o, argc, argv, envp, e);
}

static void wrong_lines_say_what_is_wrong(void **state)
{
	(void)state;
	static const struct { const char *line; int want; const char *message; } cases[] = {
		{ "snug audit --shwo-granted -- ls", -EINVAL, "unknown option --shwo-granted; did you mean --show-granted?" },
		{ "snug audit --zzzzzz -- ls", -EINVAL, "unknown option --zzzzzz" },
		{ "snug audit -Z -- ls", -EINVAL, "unknown option -Z" },
		{ "snug audit", -EINVAL, "no command: it goes after --, as in snug audit -- ls" },
		{ "snug audit --", -EINVAL, "no command: it goes after --, as in snug audit -- ls" },
		{ "snug +node", -EINVAL, "no command: it goes after --, as in snug run -- ls" },
		{ "snug audit npm install", -EINVAL, "unexpected word npm: the command goes after --" },
		{ "snug audti -- ls", -EINVAL, "unknown verb audti; did you mean audit?" },
		{ "snug npm install", -EINVAL, "unknown verb npm; a command to run goes after --: snug -- npm .." },
		{ "snug audit + -- ls", -EINVAL, "a lone + names no profile; +NAME is wanted" },
		{ "snug audit --audit-out -- ls", -EINVAL, "--audit-out needs an argument: FILE" },
		{ "snug audit --audit-out= -- ls", -EINVAL, "--audit-out needs a FILE, not an empty word" },
		{ "snug audit --force=yes -- ls", -EINVAL, "--force takes no argument" },
		{ "snug audit --check=some -- ls", -EINVAL, "--check=some: one of all is wanted" },
		{ "snug audit --format=yaml -- ls", -EINVAL, "--format=yaml: one of text|json is wanted" },
		{ "snug audit --timeout=1h -- ls", -EINVAL, "--timeout=1h: a whole number up to 2000000 is wanted" },
		{ "snug audit --keep-fd=5 -- ls", -EINVAL, "--keep-fd does not belong to audit" },
		{ "snug run --keep-fd=2 -- ls", -EINVAL, "--keep-fd=2: 0, 1 and 2 are always kept" },
		{ "snug run --check -- ls", -EINVAL, "--check does not belong to run" },
		{ "snug run --env=X -- ls", -EINVAL, "--env=X: NAME=VALUE is wanted; --allow-env=NAME passes yours on" },
		{ "snug run --allow-read=/a,,/b -- ls", -EINVAL, "--allow-read=/a,,/b: an item of the list is empty" },
		{ "snug run --network=host --allow-net=x -- ls", -EINVAL,
		  "--network host contradicts --allow-net: on the raw network nobody asks which hosts were granted; leave one of them out" },
		{ "snug runs -- ls", -EINVAL, "runs takes no command after --" },
		{ "snug runs +node", -EINVAL, "runs takes no profile" },
		{ "snug audit --verify-limit=1M -- ls", -EINVAL, "--verify-limit=1M: a size is wanted, like 512MiB or 2GiB" },
		{ "snug audit --verify --network-only -- ls", -EINVAL,
		  "--verify needs to see files, which --network-only does not look at" },
		{ "snug audit --secret=x -- ls", -ENOTSUP, "--secret: not available in this version" },
		{ "snug audit --backend=ebpf -- ls", -ENOTSUP, "--backend=ebpf: not available in this version; use --backend=notify" },
		{ "snug run --no-sandbox -- ls", -ENOTSUP,
		  "--no-sandbox: refused: snug without a sandbox is the command itself; run it without snug" },
		{ "snug run -A -- ls", -ENOTSUP,
		  "-A: refused: there is no grant for everything; name what is needed, or run the command without snug" },
		{ "snug exec 1 -- ls", -ENOTSUP, "exec: not available in this version" },
	};
	for (size_t i = 0; i < LEN(cases); i++) {
		OWN(cli_opts) o = { 0 };
		struct err e = { 0 };
		char line[256];
		snprintf(line, sizeof(line), "%s", cases[i].line);
		int r = parse(&o, line, &e);
		if (r != cases[i].want || strcmp(e.msg, cases[i].message))
			fail_msg("%s: %d %s", cases[i].line, r, e.msg);
	}
}

static void options_stand_anywhere_before_the_dashes(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"snug audit +node --audit-out=f -C /tmp -q +./p.yaml -- npm install --help",
		"snug +node audit --audit-out f +./p.yaml --cwd=/tmp --quiet -- npm install --help",
		"snug --profile node -q audit -of -C/tmp --profile=./p.yaml -- npm install --help",
		"audit +node -qo f -C /tmp +./p.yaml -- npm install --help",
		"/usr/bin/audit +node -qo f -C /tmp +./p.yaml -- npm install --help",
	};
	for (size_t i = 0; i < LEN(lines); i++) {
		OWN(cli_opts) o = { 0 };
		struct err e = { 0 };
		char line[256];
		snprintf(line, sizeof(line), "%s", lines[i]);
		assert_int_equal(parse(&o, line, &e), 0);
		assert_string_equal(o.verb->name, "audit");
		assert_int_equal(o.profiles.n, 2);
		assert_string_equal(o.profiles.items[0].text, "node");
		assert_string_equal(o.profiles.items[1].text, "./p.yaml");
		assert_string_equal(o.out, "f");
		assert_string_equal(o.cwd, "/tmp");
		assert_true(o.quiet);
		assert_int_equal(o.ncmd, 3);
		assert_string_equal(o.cmd[2], "--help");
	}
}

static void grants_become_lines_of_a_profile(void **state)
{
	(void)state;
	OWN(cli_opts) o = { 0 };
	struct err e = { 0 };
	char line[] = "snug --allow-read=/a,~/b,/c\\,d --allow-write --deny-write=/x --allow-net=example.org,.x:8443 "
	              "--allow-env --deny-env=Y --env A=b=c --override -- ls";
	assert_int_equal(parse(&o, line, &e), 0);
	const struct profile *g = &o.grants;
	assert_string_equal(o.verb->name, "run");
	assert_int_equal(g->binds.n, 4);
	assert_string_equal(g->binds.items[1].source, "~/b");
	assert_string_equal(g->binds.items[2].source, "/c,d");
	assert_int_equal(g->binds.items[2].mode, BIND_RO);
	assert_string_equal(g->binds.items[3].source, "/");
	assert_int_equal(g->binds.items[3].mode, BIND_RW);
	assert_string_equal(g->binds.items[3].src.origin, "--allow-write");
	assert_true(g->binds.items[3].src.inlined && g->binds.items[3].src.overrides);
	assert_string_equal(g->deny_write.items[0].path, "/x");
	assert_int_equal(g->network.v, NET_PROXY);
	assert_string_equal(g->network.src.origin, "--allow-net");
	assert_int_equal(g->allow_hosts.n, 2);
	assert_string_equal(g->allow_hosts.items[1].text, ".x:8443");
	assert_string_equal(g->env_allow.items[0].text, "*");
	assert_string_equal(g->env_deny.items[0].text, "Y");
	assert_string_equal(g->env_set.items[0].name, "A");
	assert_string_equal(g->env_set.items[0].value, "b=c");
}

static void a_relative_path_is_meant_from_where_it_was_typed(void **state)
{
	(void)state;
	OWN(cli_opts) o = { 0 };
	struct err e = { 0 };
	char line[] = "snug --allow-read=./docs/../cli -- ls";
	assert_int_equal(parse(&o, line, &e), 0);
	const char *p = o.grants.binds.items[0].source;
	assert_int_equal(*p, '/');
	assert_string_equal(strrchr(p, '/'), "/cli");
	assert_null(strstr(p, ".."));
}

static void bare_allow_net_is_every_host_through_the_proxy(void **state)
{
	(void)state;
	OWN(cli_opts) o = { 0 };
	struct err e = { 0 };
	char line[] = "snug --allow-net -- ls";
	assert_int_equal(parse(&o, line, &e), 0);
	assert_int_equal(o.grants.network.v, NET_PROXY);
	assert_string_equal(o.grants.allow_hosts.items[0].text, "*:*");
}

static void kept_descriptors_are_ascending(void **state)
{
	(void)state;
	OWN(cli_opts) o = { 0 };
	struct err e = { 0 };
	char line[] = "snug --keep-fd=9 --keep-fd=3 --keep-fd=5 -- ls";
	assert_int_equal(parse(&o, line, &e), 0);
	assert_int_equal(o.nkeep_fd, 3);
	assert_int_equal(o.keep_fd[0], 3);
	assert_int_equal(o.keep_fd[1], 5);
	assert_int_equal(o.keep_fd[2], 9);
}

static void what_is_granted_can_be_typed_again(void **state)
{
	(void)state;
	OWN(cli_opts) o = { 0 };
	struct err e = { 0 };
	char line[] = "snug audit +node --allow-read /a -q --check --no-base -- ls";
	assert_int_equal(parse(&o, line, &e), 0);
	static const char *const want[] = { "+node", "--allow-read=/a", "--no-base" };
	assert_int_equal(o.again.n, LEN(want));
	for (size_t i = 0; i < LEN(want); i++)
		assert_string_equal(o.again.items[i].text, want[i]);
}

static void no_help_shows_more_than_fifteen_options(void **state)
{
	(void)state;
	for (const struct cmd *c = cmds; c->name; c++) {
		OWN(str) s = { 0 };
		size_t n = 0;
		help_text(&s, c, false);
		for (const char *p = strstr(str_c(&s), "\n  "); p; p = strstr(p + 1, "\n  "))
			n += p[3] == '-' || (p[3] == ' ' && strstr(p, "--") == p + 3);
		if (n > 15)
			fail_msg("%s --help shows %zu options", c->name, n);
	}
}

static void help_all_names_every_option_and_hides_later_ones(void **state)
{
	(void)state;
	OWN(str) s = { 0 };
	help_text(&s, NULL, true);
	for (const struct optdef *d = optdefs; d->name; d++) {
		char want[64];
		snprintf(want, sizeof(want), "--%s", d->name);
		if (!strstr(str_c(&s), want))
			fail_msg("--help-all lacks %s", want);
	}
	for (const struct opt_later *l = opts_later; l->name; l++)
		assert_null(strstr(str_c(&s), l->name));
}

static void long_names_and_letters_are_unique(void **state)
{
	(void)state;
	for (const struct optdef *d = optdefs; d->name; d++) {
		assert_ptr_equal(optdef_find(d->name, strlen(d->name)), d);
		if (d->letter)
			assert_ptr_equal(optdef_letter(d->letter, d->verbs), d);
		assert_true(d->arg == ARG_NONE || d->value);
		assert_non_null(d->set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_lines_say_what_is_wrong),
		cmocka_unit_test(options_stand_anywhere_before_the_dashes),
		cmocka_unit_test(grants_become_lines_of_a_profile),
		cmocka_unit_test(a_relative_path_is_meant_from_where_it_was_typed),
		cmocka_unit_test(bare_allow_net_is_every_host_through_the_proxy),
		cmocka_unit_test(kept_descriptors_are_ascending),
		cmocka_unit_test(what_is_granted_can_be_typed_again),
		cmocka_unit_test(no_help_shows_more_than_fifteen_options),
		cmocka_unit_test(help_all_names_every_option_and_hides_later_ones),
		cmocka_unit_test(long_names_and_letters_are_unique),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
