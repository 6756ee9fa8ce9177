/* cmd_profile.c - snug profile: list, show, validate, schema, diff */
#include "cli/cmd.h"
#include "cli/opts.h"

#include "base/diff.h"
#include "base/esc.h"
#include "base/str.h"
#include "enforce/box.h"
#include "profiles/find.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct verbs {
	struct cli_opts *o;
	struct finder *f;
	char **args; /* behind the word itself */
	size_t nargs;
};

static int usage(const char *text)
{
	fprintf(stderr, "snug: %s\n", text);
	return EXIT_USAGE;
}

static int out_of_memory(struct err *e)
{
	return err_set(e, ENOMEM, "out of memory");
}

/* ---- list ---- */

static void put_padded(const char *text, size_t width)
{
	OWN(str) s = { 0 };
	esc_term(&s, text);
	printf("%-*s  ", (int)width, str_c(&s));
}

static int verb_list(struct verbs *v, struct err *e)
{
	struct find_row *rows;
	size_t n, width = 4;
	int r = find_list(v->f, &rows, &n, e);
	if (r)
		return r;
	for (size_t i = 0; i < n; i++)
		width = MAX(width, strlen(rows[i].name));
	for (size_t i = 0; i < n; i++) {
		OWN(str) text = { 0 };
		esc_term(&text, rows[i].broken ? rows[i].broken : rows[i].description ? rows[i].description : "");
		put_padded(rows[i].name, width);
		put_padded(rows[i].origin, 7);
		printf("%s%s%s%s\n", rows[i].broken ? "broken: " : "", str_c(&text), rows[i].untrusted ? " (not trusted)" : "",
		       rows[i].shadowed ? " (shadowed)" : "");
	}
	return 0;
}

/* ---- show ---- */

static int show_one(struct verbs *v, const char *name, struct err *e)
{
	OWN(str) text = { 0 };
	OWN(str) shown = { 0 };
	const char *origin, *path;
	int r = find_text(&text, &origin, &path, v->f, name, e);
	if (r)
		return r;
	str_add(&shown, "# ");
	esc_term(&shown, origin);
	if (path && strcmp(path, origin) != 0) {
		str_add(&shown, " ");
		esc_term(&shown, path);
	}
	str_add_char(&shown, '\n');
	/* a file for a pipe is the file; for a terminal its comments may hold what moves the cursor */
	if (!isatty(STDOUT_FILENO))
		str_add_mem(&shown, str_c(&text), text.len);
	for (const char *p = str_c(&text); isatty(STDOUT_FILENO) && *p;) {
		OWN(str) line = { 0 };
		size_t n = strcspn(p, "\n");
		str_add_mem(&line, p, n);
		esc_term(&shown, str_c(&line));
		str_add_char(&shown, '\n');
		p += n + (p[n] == '\n');
	}
	if (shown.oom)
		return out_of_memory(e);
	fputs(str_c(&shown), stdout);
	return 0;
}

static int verb_show(struct verbs *v, struct err *e)
{
	if (!v->nargs)
		return usage("profile show needs a name; snug profile list shows all");
	int r = 0;
	for (size_t i = 0; i < v->nargs && !r; i++)
		r = show_one(v, v->args[i], e);
	return r;
}

/* ---- validate ---- */

static int verb_validate(struct verbs *v, struct err *e UNUSED)
{
	int code = 0;
	if (!v->nargs)
		return usage("profile validate needs a name or a file");
	for (size_t i = 0; i < v->nargs; i++) {
		OWN(profile) p = { 0 };
		OWN(str) shown = { 0 };
		struct word name = { .text = v->args[i] };
		const struct wordlist one = { &name, 1 };
		struct err why = { 0 };
		/* with what it uses: a cycle or an unknown name is trouble too */
		int r = find_compose(&p, v->f, &one, NULL, false, false, &why);
		esc_term(&shown, v->args[i]);
		if (r) {
			fprintf(stderr, "snug: %s\n", why.msg);
			code = EXIT_SNUG;
			continue;
		}
		for (size_t j = 0; j < p.warnings.n; j++)
			fprintf(stderr, "snug: warning: %s\n", p.warnings.items[j].text);
		printf("%s: ok\n", str_c(&shown));
	}
	return code;
}

/* ---- schema ---- */

static int verb_schema(struct verbs *v UNUSED, struct err *e)
{
	OWN(str) s = { 0 };
	profile_schema(&s);
	if (s.oom)
		return out_of_memory(e);
	fputs(str_c(&s), stdout);
	return 0;
}

/* ---- diff ---- */

static int verb_diff(struct verbs *v, struct err *e)
{
	OWN(profile) a = { 0 };
	OWN(profile) b = { 0 };
	OWN(str) ta = { 0 };
	OWN(str) tb = { 0 };
	OWN(str) out = { 0 };
	if (v->nargs != 2)
		return usage("profile diff needs two names or files");
	int r = 0;
	if (!r)
		r = find_profile(&a, v->f, v->args[0], NULL, e);
	if (!r)
		r = find_profile(&b, v->f, v->args[1], NULL, e);
	if (!r && profile_equal(&a, &b))
		return 0;
	if (!r) {
		profile_write(&ta, &a);
		profile_write(&tb, &b);
		r = ta.oom || tb.oom ? out_of_memory(e) :
		    diff_text(&out, str_c(&ta), ta.len, str_c(&tb), tb.len, v->args[0], v->args[1]);
	}
	if (r < 0) {
		/* as diff(1): trouble is 2 */
		fprintf(stderr, "snug: %s\n", e->msg);
		return 2;
	}
	fputs(str_c(&out), stdout);
	return r;
}

static const struct {
	const char *word;
	int (*run)(struct verbs *v, struct err *e);
} words[] = {
	{ "list", verb_list },
	{ "show", verb_show },
	{ "validate", verb_validate },
	{ "schema", verb_schema },
	{ "diff", verb_diff },
};

int cmd_profile(struct cli_opts *o, struct err *e)
{
	OWN(host) host = { 0 };
	OWN(finder) finder = { .purpose = FIND_READ, .host = &host };
	const char *word = o->nargs ? o->args[0] : "list";
	size_t i = 0;
	while (i < LEN(words) && strcmp(words[i].word, word) != 0)
		i++;
	if (i == LEN(words)) {
		fprintf(stderr, "snug: profile takes list, show, validate, schema or diff\n");
		return EXIT_USAGE;
	}
	int r = host_probe(&host, o->cwd, o->project, o->envp, e);
	struct verbs v = { o, &finder, o->nargs ? o->args + 1 : NULL, o->nargs ? o->nargs - 1 : 0 };
	return r ? r : words[i].run(&v, e);
}
