/* opts.c - argv to struct cli_opts by the option table */
#include "cli/opts.h"

#include "base/path.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/optdef.h"
#include "profiles/near.h"
#include "trace/redact.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was asked for instead of work. */
enum ask { ASK_NOTHING, ASK_HELP, ASK_HELP_ALL, ASK_VERSION, ASK_COMPLETION };

/**
 * struct parse - the state of one pass over argv
 * @used: rows given by long name, and letters, whose verbs are checked when the verb is known
 */
struct parse {
	struct cli_opts *o;
	char **argv;
	int argc, at;
	enum ask ask;
	struct { const struct optdef *items[256]; size_t n; } used;
};

void cli_opts_drop(struct cli_opts *o)
{
	arena_drop(&o->grants.arena);
	arena_drop(&o->arena);
	*o = (struct cli_opts){ 0 };
}

const char *nearest_word(const char *word, const char *const *words)
{
	struct near n = { 0 };
	for (; *words; words++)
		near_try(&n, word, *words);
	return n.best;
}

static int refused(const char *word, size_t len, const struct opt_later *rows, struct err *e)
{
	for (; rows->name; rows++)
		if (strlen(rows->name) == len && !memcmp(rows->name, word, len))
			return err_set(e, ENOTSUP, "%s: %s", rows->name,
			               rows->why ? rows->why : "not available in this version");
	return 0;
}

static int unknown_option(const char *word, size_t len, struct err *e)
{
	const char *names[128] = { "--help", "--help-all", "--version" };
	char *text = strndup(word, len);
	struct arena a = { 0 };
	size_t n = 3;
	for (const struct optdef *d = optdefs; d->name && n + 1 < LEN(names); d++) {
		const char *s = arena_fmt(&a, "--%s", d->name);
		if (s)
			names[n++] = s;
	}
	const char *near = text ? nearest_word(text, names) : NULL;
	int r = err_set(e, EINVAL, near ? "unknown option %.*s; did you mean %s?" : "unknown option %.*s%s",
	                (int)len, word, near ? near : "");
	arena_drop(&a);
	free(text);
	return r;
}

static bool one_of(const char *words, const char *text)
{
	size_t len = strlen(text);
	for (const char *p = words; p && *p; p += strcspn(p, "|") + (p[strcspn(p, "|")] == '|'))
		if (strcspn(p, "|") == len && !memcmp(p, text, len))
			return true;
	return false;
}

/* What the next command line repeats; and the same to be stored, a value of --env that looks secret taken out. */
static int add_again(struct cli_opts *o, const char *word, struct err *e)
{
	static const char env[] = "--env=";
	const struct redactor none = { 0 };
	OWN(str) s = { 0 };
	size_t lead = word && !strncmp(word, env, sizeof(env) - 1) ? sizeof(env) - 1 : 0;
	if (lead) {
		str_add(&s, env);
		redact_arg(&none, &s, word + lead, NULL);
	}
	const char *stored = lead ? arena_str(&o->arena, str_c(&s)) : word;
	struct word *w = word ? ARENA_PUSH(&o->arena, &o->again, items, n) : NULL;
	struct word *safe = stored && !s.oom ? ARENA_PUSH(&o->arena, &o->stored, items, n) : NULL;
	if (!w || !safe)
		return err_set(e, ENOMEM, "out of memory");
	w->text = word;
	safe->text = stored;
	return 0;
}

/* A value of a later version, or none at all. */
static int bad_value(const struct optdef *d, const char *text, struct err *e)
{
	OWN(str) word = { 0 };
	str_fmt(&word, "--%s=%s", d->name, text);
	int r = refused(str_c(&word), word.len, opts_later, e);
	return r ? r : err_set(e, EINVAL, "%s: one of %s is wanted", str_c(&word), d->words);
}

static int apply(struct parse *p, const struct optdef *d, const char *text, struct err *e)
{
	if (text && d->words && !one_of(d->words, text))
		return bad_value(d, text, e);
	if (p->used.n == LEN(p->used.items))
		return err_set(e, EINVAL, "more than %zu options", LEN(p->used.items));
	p->used.items[p->used.n++] = d;
	if ((d->verbs & FOR_POLICY) == FOR_POLICY && d->verbs != FOR_ALL) {
		const char *word = text ? arena_fmt(&p->o->arena, "--%s=%s", d->name, text) :
		                          arena_fmt(&p->o->arena, "--%s", d->name);
		int r = add_again(p->o, word, e);
		if (r < 0)
			return r;
	}
	return d->set(p->o, d, text, e);
}

/* The argument that stands in the next word. */
static int next_word(struct parse *p, const char *spelled, const struct optdef *d, const char **text, struct err *e)
{
	if (p->at + 1 >= p->argc || !strcmp(p->argv[p->at + 1], "--"))
		return err_set(e, EINVAL, "%s needs an argument: %s", spelled, d->value);
	*text = p->argv[++p->at];
	return 0;
}

static int long_option(struct parse *p, const char *word, struct err *e)
{
	static const struct { const char *word; enum ask ask; } asks[] = {
		{ "--help", ASK_HELP }, { "--help-all", ASK_HELP_ALL }, { "--version", ASK_VERSION },
		{ "--completion=bash", ASK_COMPLETION },
	};
	for (size_t i = 0; i < LEN(asks); i++) {
		if (!strcmp(word, asks[i].word)) {
			p->ask = asks[i].ask;
			return 0;
		}
	}
	size_t len = strcspn(word, "=");
	const struct optdef *d = optdef_find(word + 2, len - 2);
	if (!d) {
		int r = refused(word, len, opts_later, e);
		return r ? r : unknown_option(word, len, e);
	}
	const char *text = word[len] ? word + len + 1 : NULL;
	if (text && d->arg == ARG_NONE)
		return err_set(e, EINVAL, "--%s takes no argument", d->name);
	if (!text && d->arg == ARG_NEEDED) {
		int r = next_word(p, word, d, &text, e);
		if (r < 0)
			return r;
	}
	return apply(p, d, text, e);
}

/* "-qv", "-o FILE", "-oFILE"; which row a letter means depends on the verb, found beforehand. */
static int letters(struct parse *p, const char *word, struct err *e)
{
	for (const char *c = word + 1; *c; c++) {
		if (*c == 'V' || *c == 'h') {
			p->ask = *c == 'V' ? ASK_VERSION : ASK_HELP;
			continue;
		}
		const struct optdef *d = optdef_letter(*c, p->o->verb ? p->o->verb->bit : 0);
		if (!d) {
			char name[] = { '-', *c, '\0' };
			int r = refused(name, 2, opts_later, e);
			return r ? r : err_set(e, EINVAL, "unknown option %s", name);
		}
		if (d->arg == ARG_NONE) {
			int r = apply(p, d, NULL, e);
			if (r < 0)
				return r;
			continue;
		}
		const char *text = c[1] ? c + 1 : NULL;
		char name[] = { '-', *c, '\0' };
		int r = text ? 0 : next_word(p, name, d, &text, e);
		return r < 0 ? r : apply(p, d, text, e);
	}
	return 0;
}

static int add_arg(struct parse *p, char *word, struct err *e)
{
	struct { char **items; size_t n; } v = { p->o->args, p->o->nargs };
	char **slot = ARENA_PUSH(&p->o->arena, &v, items, n);
	if (!slot)
		return err_set(e, ENOMEM, "out of memory");
	*slot = word;
	p->o->args = v.items;
	p->o->nargs = v.n;
	return 0;
}

static int add_profile(struct parse *p, const char *name, struct err *e)
{
	if (!*name)
		return err_set(e, EINVAL, "a lone + names no profile; +NAME is wanted");
	struct word *w = ARENA_PUSH(&p->o->arena, &p->o->profiles, items, n);
	if (!w)
		return err_set(e, ENOMEM, "out of memory");
	w->text = name;
	w->src = (struct src){ .origin = "+", .inlined = true };
	return add_again(p->o, name - 1, e);
}

/* Does the option @word take the next word as its argument? */
static bool takes_next(const char *word)
{
	if (word[1] == '-') {
		const struct optdef *d = strchr(word, '=') ? NULL : optdef_find(word + 2, strlen(word + 2));
		return d && d->arg == ARG_NEEDED;
	}
	for (const char *c = word + 1; *c; c++) {
		const struct optdef *d = optdef_letter(*c, 0);
		if (d && d->arg == ARG_NEEDED)
			return !c[1];
	}
	return false;
}

/* The first plain word before "--" names the verb; the letters' meaning hangs on it, so it is found first. */
static int find_verb(struct parse *p, int *where, struct err *e)
{
	*where = -1;
	for (int i = 1; i < p->argc && strcmp(p->argv[i], "--"); i++) {
		const char *w = p->argv[i];
		if (w[0] == '+' && w[1])
			continue;
		if (w[0] == '-' && w[1]) {
			i += takes_next(w);
			continue;
		}
		*where = i;
		break;
	}
	if (p->o->verb) /* by argv[0] */
		return 0;
	const char *word = *where < 0 ? NULL : p->argv[*where];
	p->o->verb = word ? cmd_find(word) : &cmds[0];
	if (p->o->verb || !strcmp(word, "help"))
		return 0;
	int r = refused(word, strlen(word), verbs_later, e);
	if (r < 0)
		return r;
	const char *names[32] = { "help" };
	size_t n = 1;
	for (const struct cmd *c = cmds; c->name && n + 1 < LEN(names); c++)
		names[n++] = c->name;
	const char *near = nearest_word(word, names);
	return near ? err_set(e, EINVAL, "unknown verb %s; did you mean %s?", word, near) :
	              err_set(e, EINVAL, "unknown verb %s; a command to run goes after --: snug -- %s ..",
	                      word, word);
}

static int parse_words(struct parse *p, int verb_at, struct err *e)
{
	struct cli_opts *o = p->o;
	for (p->at = 1; p->at < p->argc; p->at++) {
		char *w = p->argv[p->at];
		int r = 0;
		if (!strcmp(w, "--")) {
			o->cmd = p->argv + p->at + 1;
			o->ncmd = (size_t)(p->argc - p->at - 1);
			return 0;
		}
		if (w[0] == '+')
			r = add_profile(p, w + 1, e);
		else if (w[0] == '-' && w[1] == '-')
			r = long_option(p, w, e);
		else if (w[0] == '-' && w[1])
			r = letters(p, w, e);
		else if (p->at != verb_at)
			r = add_arg(p, w, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int check_audit(const struct cli_opts *o, struct err *e)
{
	if (o->verb->bit == FOR_AUDIT && o->network_only && o->network_trace && !strcmp(o->network_trace, "off"))
		return err_set(e, EINVAL, "--network-only and --network-trace=off leave nothing to watch");
	if (o->network_only && o->verify)
		return err_set(e, EINVAL, "--verify needs to see files, which --network-only does not look at");
	if (o->shadow && o->network_only)
		return err_set(e, EINVAL, "--shadow needs to see files, which --network-only does not look at");
	if (o->shadow && o->verify)
		return err_set(e, EINVAL, "--shadow leaves the host as it is, so there is nothing that --verify could compare with: "
		               "audit with one of them at a time");
	if (o->best_effort && !o->shadow && o->verb->bit == FOR_AUDIT)
		return err_set(e, EINVAL, "--best-effort is about the confinement of --shadow; an audit without it has none");
	if (o->check && o->apply)
		return err_set(e, EINVAL, "--check is for scripts and never asks, --apply does");
	if (o->keep_shadow && o->apply)
		return err_set(e, EINVAL, "--keep-shadow and --apply: one of them at a time");
	return 0;
}

static int check_verb(const struct parse *p, struct err *e)
{
	const struct cli_opts *o = p->o;
	for (size_t i = 0; i < p->used.n; i++)
		if (!(p->used.items[i]->verbs & o->verb->bit))
			return err_set(e, EINVAL, "--%s does not belong to %s", p->used.items[i]->name, o->verb->name);
	if (o->profiles.n && !(o->verb->bit & FOR_POLICY))
		return err_set(e, EINVAL, "%s takes no profile", o->verb->name);
	if (!o->verb->wants_cmd)
		return o->ncmd && o->verb->bit != FOR_EXPLAIN ?
		       err_set(e, EINVAL, "%s takes no command after --", o->verb->name) : 0;
	if (o->nargs)
		return err_set(e, EINVAL, "unexpected word %s: the command goes after --", o->args[0]);
	if (!o->ncmd)
		return err_set(e, EINVAL, "no command: it goes after --, as in snug %s -- ls", o->verb->name);
	if (!*o->cmd[0])
		return err_set(e, EINVAL, "the command's name, the first word after --, is empty (an unset variable in quotes?)");
	return check_audit(o, e);
}

static int answer(struct parse *p)
{
	OWN(str) s = { 0 };
	switch (p->ask) {
	case ASK_NOTHING:
		return 0;
	case ASK_VERSION:
		str_fmt(&s, "snug %s\n", SNUG_VERSION);
		break;
	case ASK_HELP:
	case ASK_HELP_ALL:
		help_text(&s, p->o->verb, p->ask == ASK_HELP_ALL);
		break;
	case ASK_COMPLETION:
		completion_bash(&s);
		break;
	}
	fwrite(str_c(&s), 1, s.len, stdout);
	return 1;
}

int opts_parse(struct cli_opts *o, int argc, char **argv, char **envp, struct err *e)
{
	struct parse p = { .o = o, .argv = argv, .argc = argc };
	int verb_at;
	o->envp = envp;
	if (argc && argv[argc - 1] >= argv[0]) { /* in one piece, proc_pid_cmdline(5) */
		o->area = argv[0];
		o->area_len = (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) + 1 - argv[0]);
	}
	o->grants.name = "command line";
	bool as_audit = argc && !strcmp(path_base(argv[0]), "audit");
	if (as_audit)
		o->verb = cmd_find("audit");
	if (argc < 2) {
		p.ask = ASK_HELP;
		(void)answer(&p);
		return err_set(e, EINVAL, "nothing to do");
	}
	int r = find_verb(&p, &verb_at, e);
	if (r < 0)
		return r;
	if (!o->verb) { /* snug help [VERB] */
		if (verb_at + 1 < argc)
			o->verb = cmd_find(argv[verb_at + 1]);
		p.ask = ASK_HELP;
		return answer(&p);
	}
	r = parse_words(&p, as_audit ? -1 : verb_at, e);
	if (r < 0)
		return r;
	if (verb_at < 0 && !as_audit && p.ask)
		o->verb = NULL; /* snug --help is about all of it */
	if (p.ask)
		return answer(&p);
	r = check_verb(&p, e);
	return r < 0 ? r : grants_finish(o, e);
}

int opts_apply(struct cli_opts *o, const char *const *words, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		char *word = arena_str(&o->arena, words[i]);
		if (!word)
			return err_set(e, ENOMEM, "out of memory");
		struct parse p = { .o = o, .argv = &word, .argc = 1 };
		int r = *word == '+' ? add_profile(&p, word + 1, e) : long_option(&p, word, e);
		if (r < 0)
			return r;
	}
	return grants_finish(o, e);
}
