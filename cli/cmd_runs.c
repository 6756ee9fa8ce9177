/* cmd_runs.c - snug runs: list, remove, name stored runs */
#include "cli/cmd.h"
#include "cli/opts.h"
#include "cli/runs.h"

#include "base/esc.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { REPORT_MAX = 8 << 20 };

/* A text of the stored report; "" where there is none. */
static void summary(const char *dir, struct str *outcome, struct str *command)
{
	OWN(arena) a = { 0 };
	struct err ignored = { 0 };
	OWN(fd) f = { 0 };
	OWN(str) text = { 0 };
	const char *path = path_join(&a, dir, "report.json");
	char buf[65536];
	ssize_t n;
	str_add(outcome, "unfinished");
	if (!path || fd_open_at(&f, AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, &ignored) < 0)
		return;
	while ((n = read(fd_no(f), buf, sizeof(buf))) > 0 && text.len < REPORT_MAX)
		str_add_mem(&text, buf, (size_t)n);
	json_object *root = json_tokener_parse(str_c(&text)), *v;
	if (json_object_object_get_ex(root, "outcome", &v)) {
		str_clear(outcome);
		esc_term(outcome, json_object_get_string(v));
	}
	if (json_object_object_get_ex(root, "command", &v) && json_object_is_type(v, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(v) && i < 8; i++) {
			str_add(command, i ? " " : "");
			esc_term(command, json_object_get_string(json_object_array_get_idx(v, i)));
		}
	}
	json_object_put(root);
}

static int list(const char *root, struct err *e)
{
	OWN(arena) a = { 0 };
	const char **ids;
	size_t n;
	int r = runs_list(&a, root, &ids, &n, e);
	for (size_t i = n; r == 0 && i-- > 0;) {
		OWN(str) outcome = { 0 };
		OWN(str) command = { 0 };
		const char *dir = path_join(&a, root, ids[i]);
		if (!dir)
			return err_set(e, ENOMEM, "out of memory");
		summary(dir, &outcome, &command);
		printf("%s  %-14s  %s\n", ids[i], str_c(&outcome), str_c(&command));
	}
	return r;
}

static int remove_runs(const char *root, char **words, size_t n, struct err *e)
{
	OWN(arena) a = { 0 };
	for (size_t i = 0; i < n; i++) {
		const char *dir = runs_find(&a, root, words[i], e);
		int r = dir ? runs_remove(root, path_base(dir), e) : -e->code;
		if (r < 0)
			return r;
	}
	return 0;
}

int cmd_runs(struct cli_opts *o, struct err *e)
{
	OWN(arena) a = { 0 };
	const char *root = runs_root(&a, o->envp, e);
	if (!root)
		return -e->code;
	const char *verb = o->nargs ? o->args[0] : "list";
	if (!strcmp(verb, "list") && o->nargs <= 1)
		return list(root, e);
	if (!strcmp(verb, "rm") && o->nargs > 1)
		return remove_runs(root, o->args + 1, o->nargs - 1, e);
	if (!strcmp(verb, "path") && o->nargs <= 2) {
		const char *dir = runs_find(&a, root, o->nargs == 2 ? o->args[1] : "last", e);
		if (!dir)
			return -e->code;
		printf("%s\n", dir);
		return 0;
	}
	fprintf(stderr, "snug: usage: snug runs [list | rm RUN.. | path [RUN]]\n");
	return EXIT_USAGE;
}
