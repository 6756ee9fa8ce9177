/* update.c - reads a profile, adds to its text, writes it back */
#include "cli/update.h"

#include "base/diff.h"
#include "base/esc.h"
#include "base/fd.h"
#include "base/str.h"
#include "cli/optdef.h"
#include "cli/output.h"
#include "profiles/edit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int slurp(struct str *out, const char *path, struct err *e)
{
	OWN(fd) f = { 0 };
	char buf[65536];
	ssize_t n;
	struct stat st;
	int r = fd_open_at(&f, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, e);
	if (r < 0)
		return r;
	if (fstat(fd_no(f), &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "%s is no regular file", path);
	while ((n = read(fd_no(f), buf, sizeof(buf))) > 0 && out->len <= PROFILE_BYTES_MAX)
		str_add_mem(out, buf, (size_t)n);
	if (n < 0)
		return err_sys(e, "reading %s", path);
	return out->oom ? err_set(e, ENOMEM, "out of memory") : 0;
}

/* "p.yaml" and "./p.yaml" are one file. */
static const char *plain_name(const char *path)
{
	while (!strncmp(path, "./", 2))
		path += 2;
	return path;
}

static int try_one(const char *path, const struct str *text, const char *trial, struct err *e)
{
	OWN(profile) add = { 0 };
	OWN(str) out = { 0 };
	OWN(str) notes = { 0 };
	int r = profile_read(&add, trial, strlen(trial), "trial", NULL, e);
	if (r == 0)
		r = profile_edit(&out, str_c(text), text->len, path, &add, &notes, e);
	return MIN(r, 0);
}

/* Whatever the run will ask for, there must be a place to write it: said before the command starts. */
static int try_out(const char *path, const struct str *text, struct err *e)
{
	static const char *const trials[] = {
		"binds: [{ source: /.snug/trial, mode: ro }]\n", "tmpfs: [/.snug/trial]\n", "deny: { write: [/.snug/trial] }\n",
		"env: { allow: [SNUG_TRIAL], prepend_path: [/.snug/trial] }\n", "network: { mode: proxy }\n",
		"proxy: { allow_hosts: [trial.example.org] }\n", "syscalls: { allow: [ptrace] }\n",
		"special: { sys: ro, userns: true, ptrace: true }\n",
	};
	OWN(str) all = { 0 };
	int r = 0;
	for (size_t i = 0; i < LEN(trials) && r == 0; i++) {
		str_add(&all, trials[i]);
		r = try_one(path, text, trials[i], e);
	}
	return r < 0 ? r : try_one(path, text, str_c(&all), e);
}

int update_prepare(struct cli_opts *o, struct err *e)
{
	OWN(str) text = { 0 };
	OWN(profile) p = { 0 };
	const char *path = o->update;
	if (!path)
		return 0;
	if (access(path, F_OK) < 0 && errno == ENOENT)
		return err_set(e, ENOENT, "--update=%s: there is no such file; --audit-out (-o) makes a new one", path);
	int r = slurp(&text, path, e);
	if (r == 0)
		r = profile_read(&p, str_c(&text), text.len, path, NULL, e);
	if (r == 0)
		r = try_out(path, &text, e);
	if (r == 0)
		r = output_check("--update", path, true, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < o->profiles.n; i++)
		if (!strcmp(plain_name(o->profiles.items[i].text), plain_name(path)))
			return 0;
	const char *word = arena_fmt(&o->arena, "--profile=%s%s", strchr(path, '/') ? "" : "./", path);
	return word ? opts_apply(o, &word, 1, e) : err_set(e, ENOMEM, "out of memory");
}

static void say(const struct str *notes)
{
	for (const char *line = str_c(notes); *line;) {
		OWN(str) s = { 0 };
		OWN(str) one = { 0 };
		size_t len = strcspn(line, "\n");
		str_add_mem(&one, line, len);
		str_add(&s, "snug: ");
		esc_term(&s, str_c(&one));
		str_add_char(&s, '\n');
		fputs(str_c(&s), stderr);
		line += len + (line[len] != 0);
	}
}

int update_file(struct finder *f, const char *path, const struct profile *add, int fd, struct err *e)
{
	OWN(str) old = { 0 };
	OWN(str) new = { 0 };
	OWN(str) notes = { 0 };
	OWN(str) diff = { 0 };
	int r = slurp(&old, path, e);
	if (r < 0)
		return r;
	int added = profile_edit(&new, str_c(&old), old.len, path, add, &notes, e);
	if (added < 0)
		return added;
	say(&notes);
	if (!added)
		return 0;
	r = output_replace(path, str_c(&new), new.len, e);
	if (r == 0)
		r = find_retrust(f, path, str_c(&old), old.len, e);
	if (r < 0)
		return r;
	r = diff_text(&diff, str_c(&old), old.len, str_c(&new), new.len, path, path);
	if (r < 0)
		return err_set(e, -r, "out of memory");
	(void)!write_all(fd, str_c(&diff), diff.len); /* nobody reads it: the file is changed all the same */
	return added;
}
