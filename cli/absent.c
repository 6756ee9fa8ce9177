/* absent.c - names what a command lacks, and the grant for it */
#include "cli/absent.h"

#include "base/esc.h"
#include "base/path.h"
#include "base/str.h"
#include "enforce/box.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ARGS_MAX = 256, NAMED_MAX = 4 };

/* Host path that @word names (also behind the '=' of an option), clean and absolute; NULL when it names none. */
static const char *named_path(struct arena *a, const struct policy *pol, const char *word)
{
	const char *eq = word[0] == '-' ? strchr(word, '=') : NULL;
	if (word[0] == '-' && !eq)
		return NULL;
	word = eq ? eq + 1 : word;
	if (!strchr(word, '/') || strlen(word) >= 4096)
		return NULL;
	const char *path = path_join(a, pol->cwd ? pol->cwd : "/", word);
	return path && access(path, F_OK) == 0 ? path : NULL;
}

/* The line that hides @path and beats every grant, or NULL. */
static const struct src *hidden_by(const struct policy *pol, const char *path)
{
	for (size_t i = 0; i < pol->nbans; i++)
		if (!pol->bans[i].write_only && path_under(path, pol->bans[i].path))
			return &pol->bans[i].src;
	return NULL;
}

static void add_src(struct str *line, const struct src *src)
{
	OWN(str) by = { 0 };
	src_text(&by, src);
	esc_term(line, str_c(&by));
}

/* Would a stat of @path find it inside? */
static bool shown(struct setup *s, const char *path)
{
	struct word w = { .text = path };
	struct wordlist one = { &w, 1 };
	struct err e = { 0 };
	if (host_look(&s->host, &one, &e) < 0)
		return true;
	const struct host_file *f = host_file(&s->host, path);
	struct arena *a = &s->host.arena;
	struct access acc = {
		.op = OP_STAT, .uid = s->host.uid, .gid = s->host.gid, .caps = s->host.privileged,
		.obj[0] = {
			.spelled = path, .path = f->real, .hops = f->hops, .nhops = f->nhops, .type = f->real_type,
			.mode = f->mode, .uid = f->uid, .gid = f->gid, .dir = path_parent(a, f->real),
			.dir_mode = 0755,
		},
	};
	struct judgement j = policy_judge(&s->policy, &acc, &s->host, NULL);
	return j.verdict == V_GRANTED || j.verdict == V_PRIVATE;
}

void absent_hint(const struct cli_opts *o, struct setup *s)
{
	OWN(str) line = { 0 };
	OWN(str) list = { 0 };
	size_t n = 0;
	for (size_t i = 0; i < o->ncmd && i < ARGS_MAX && n < NAMED_MAX; i++) {
		const char *path = named_path(&s->host.arena, &s->policy, o->cmd[i]);
		if (!path || shown(s, path))
			continue;
		const struct host_file *f = host_file(&s->host, path);
		const struct src *by = hidden_by(&s->policy, f && f->real ? f->real : path);
		if (by) {
			OWN(str) told = { 0 };
			str_add(&told, "snug: not in the confined view: ");
			esc_term(&told, path);
			str_add(&told, "; hidden by ");
			add_src(&told, by);
			fprintf(stderr, "%s\n", str_c(&told));
			continue;
		}
		if (n++)
			str_add_char(&list, ',');
		str_add(&list, path);
	}
	if (!n)
		return;
	str_add(&line, "snug: not in the confined view: ");
	esc_term(&line, str_c(&list));
	str_add(&line, "; grant with --allow-read=");
	esc_shell(&line, str_c(&list));
	fprintf(stderr, "%s\n", str_c(&line));
}

/* Where the caller's own PATH has @name, or NULL. */
static const char *outside(struct arena *a, char *const *envp, const char *name)
{
	const char *dirs = env_get(envp, "PATH");
	while (dirs && *dirs) {
		size_t len = strcspn(dirs, ":");
		const char *path = arena_fmt(a, "%.*s/%s", (int)len, dirs, name);
		if (len && dirs[0] == '/' && path && access(path, X_OK) == 0)
			return path;
		dirs += len + (dirs[len] == ':');
	}
	return NULL;
}

/* The interpreter that the first line of the script @path names, or NULL. */
static const char *interpreter(struct arena *a, const char *path)
{
	char buf[256] = "";
	FILE *f = path ? fopen(path, "re") : NULL;
	if (f) {
		if (!fgets(buf, sizeof(buf), f))
			*buf = '\0';
		fclose(f);
	}
	if (strncmp(buf, "#!", 2) != 0)
		return NULL;
	const char *at = buf + 2 + strspn(buf + 2, " \t");
	return *at == '/' ? arena_fmt(a, "%.*s", (int)strcspn(at, " \t\r\n"), at) : NULL;
}

static void say_interpreter(struct str *line, const char *path)
{
	if (!path) {
		str_add(line, ": the interpreter that it names (first line, or ELF loader) is not in the confined view; "
		              "grant it with --allow-read=PATH");
		return;
	}
	str_add(line, ": the interpreter that its first line names, ");
	esc_term(line, path);
	if (access(path, F_OK) < 0) {
		str_add(line, ", does not exist on this host either: install it or correct the line");
		return;
	}
	str_add(line, ", is not in the confined view; grant it with --allow-read=");
	esc_shell(line, path);
}

/* The program is at @path on the host. */
static void say_outside(struct str *line, struct setup *s, const char *path)
{
	const struct src *by = hidden_by(&s->policy, path);
	const char *dir = path_parent(&s->host.arena, path);
	str_add(line, "; outside it is ");
	esc_term(line, path);
	if (by) {
		str_add(line, ", which is hidden by ");
		add_src(line, by);
		return;
	}
	str_add(line, ": grant it with --allow-read=");
	esc_shell(line, path);
	str_add(line, " and put its directory in front of PATH with env.prepend_path: [");
	esc_term(line, dir ? dir : "");
	str_add_char(line, ']');
}

void absent_command(const struct cli_opts *o, struct setup *s, char *const *env, int err, bool interp)
{
	const char *name = o->cmd[0];
	struct arena *a = &s->host.arena;
	OWN(str) line = { 0 };
	str_add(&line, "snug: ");
	esc_term(&line, name);
	if (err == ENOENT && interp) {
		say_interpreter(&line, interpreter(a, strchr(name, '/') ? name : outside(a, env, name)));
	} else if (err != ENOENT) {
		str_fmt(&line, ": cannot execute: %s", strerror(err));
	} else if (strchr(name, '/')) {
		str_add(&line, ": not found in the confined view");
	} else {
		const char *there = outside(a, o->envp, name), *path = env_get(env, "PATH");
		str_add(&line, ": command not found in the confined PATH (");
		esc_term(&line, path ? path : "");
		str_add_char(&line, ')');
		if (there)
			say_outside(&line, s, there);
	}
	fprintf(stderr, "%s\n", str_c(&line));
}
