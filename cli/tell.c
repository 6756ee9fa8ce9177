/* tell.c - next command, report in either form, --check's last line */
#include "cli/tell.h"

#include "base/esc.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "report/group.h"
#include "report/json.h"
#include "report/text.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* Harmless on a terminal? esc_term() doubles backslashes, which harm nobody, and changes what does. */
static bool harmless(const char *s)
{
	OWN(str) t = { 0 };
	size_t want = strlen(s);
	for (const char *p = strchr(s, '\\'); p; p = strchr(p + 1, '\\'))
		want++;
	esc_term(&t, s);
	return !t.oom && t.len == want;
}

/* A word that can be shown and pasted: bytes that would steer the terminal become $'\xHH'. */
static void shell_word(struct str *out, const char *s)
{
	if (harmless(s)) {
		esc_shell(out, s);
		return;
	}
	str_add(out, "$'");
	for (; *s; s++) {
		if (*s == '\'' || *s == '\\')
			str_add_char(out, '\\');
		if (*s >= ' ' && *s <= '~')
			str_add_char(out, *s);
		else
			str_fmt(out, "\\x%02x", (unsigned char)*s);
	}
	str_add_char(out, '\'');
}

const char *tell_path(struct arena *a, const char *path, const char *home)
{
	OWN(str) s = { 0 };
	if (home && strcmp(home, "/") != 0 && path_below(path, home)) {
		str_add(&s, "~/");
		shell_word(&s, path + strlen(home) + 1);
	} else {
		shell_word(&s, path);
	}
	return s.oom ? NULL : arena_str(a, str_c(&s));
}

const char *tell_next(struct arena *a, const struct wordlist *again, const struct lesson *l, const struct host *h,
                      const char *file, const char *const *argv, size_t argc)
{
	OWN(str) s = { 0 };
	str_add(&s, "snug");
	for (size_t i = 0; i < again->n; i++) {
		str_add_char(&s, ' ');
		shell_word(&s, again->items[i].text);
	}
	if (l->network_none_by && l->needs_network)
		str_add(&s, " --network proxy");
	/* commented lines, too: once the "# " is off, the same command uses them */
	if (file && (l->suggests || l->suggestion.comments.n))
		str_fmt(&s, " --profile %s", file);
	str_add(&s, " --");
	for (size_t i = 0; i < argc; i++) {
		const char *word = *argv[i] == '/' ? tell_path(a, argv[i], h->home) : NULL;
		str_add_char(&s, ' ');
		if (word)
			str_add(&s, word);
		else
			shell_word(&s, argv[i]);
	}
	return s.oom ? NULL : arena_str(a, str_c(&s));
}

const char *tell_name(struct arena *a, const char *file, const char *program)
{
	const char *from = file ? file : program;
	const char *slash = strrchr(from, '/');
	char name[48];
	size_t n = 0;
	for (from = slash ? slash + 1 : from; *from && n + 1 < sizeof(name); from++) {
		if (file && !strcmp(from, ".yaml"))
			break;
		bool fine = isalnum((unsigned char)*from) || (n && strchr("._-", *from));
		if (fine)
			name[n++] = (char)tolower((unsigned char)*from);
		else if (n && name[n - 1] != '-')
			name[n++] = '-';
	}
	name[n] = '\0';
	return arena_str(a, n ? name : "learnt");
}

int tell_report(struct str *out, const struct report *r, bool json, int fd, size_t rows, char *const *envp,
                struct err *e)
{
	if (json)
		return json_write(out, r, e);
	struct term t = term_of(fd, envp);
	return text_write(out, r, &t, rows, e);
}

int tell_check_code(const struct report *r)
{
	if (r->lesson->status > 0)
		return r->lesson->status;
	if (report_findings(r->lesson, r->check_all))
		return EXIT_FINDINGS;
	return r->lesson->nincomplete ? EXIT_INCOMPLETE : 0;
}

void tell_check(struct str *out, const struct report *r, int code)
{
	OWN(str) findings = { 0 };
	const char *scope = report_scope(r);
	if (!strcmp(scope, "hosts"))
		str_add(out, "snug: check: hosts only; files were not looked at\n");
	else if (!strcmp(scope, "files"))
		str_add(out, "snug: check: files only; hosts were not looked at\n");
	if (r->lesson->status > 0)
		str_fmt(out, "snug: check: the command failed (exit %d)\n", code);
	else if (findings_text(&findings, r->lesson, r->check_all))
		str_fmt(out, "snug: check: %s (exit %d)\n", str_c(&findings), EXIT_FINDINGS);
	else if (r->lesson->nincomplete) {
		str_add(out, "snug: check: incomplete: ");
		esc_term(out, r->lesson->incomplete[0]);
		str_fmt(out, " (exit %d)\n", EXIT_INCOMPLETE);
	} else
		str_add(out, "snug: check: clean\n");
}
