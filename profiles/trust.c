/* trust.c - which profiles of checkouts the user has agreed to: one record per file, with the text agreed to */
#include "profiles/builtin.h"
#include "profiles/places.h"

#include "base/esc.h"
#include "base/fd.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A record is $XDG_STATE_HOME/snug/trust/<SHA-256 of the path>:
 *   snug-trust/v1
 *   <SHA-256 of the text>
 *   <path, in the form of base/esc.h>
 *
 *   <the text>
 */
#define RECORD_HEAD "snug-trust/v1\n"

static void sha256(char hex[SHA256_DIGEST_STRING_LENGTH], const void *p, size_t len)
{
	SHA256Data(p, len, hex);
}

static const char *trust_dir(struct finder *f)
{
	const struct host *h = f->host;
	const char *state = h->state ? h->state : h->home ? path_join(&f->arena, h->home, ".local/state") : NULL;
	return state && state[0] == '/' ? path_join(&f->arena, state, "snug/trust") : NULL;
}

static const char *record_path(struct finder *f, const char *path)
{
	char hex[SHA256_DIGEST_STRING_LENGTH];
	const char *dir = trust_dir(f);
	sha256(hex, path, strlen(path));
	return dir ? path_join(&f->arena, dir, hex) : NULL;
}

/* A record that somebody else could have written is none. */
static bool is_ours(struct finder *f, const char *record)
{
	struct stat st;
	const char *dir = path_parent(&f->arena, record);
	if (!dir || stat(dir, &st) || st.st_uid != f->host->uid || (st.st_mode & 022))
		return false;
	return !lstat(record, &st) && S_ISREG(st.st_mode) && st.st_uid == f->host->uid && !(st.st_mode & 022);
}

static void record_head(struct str *out, const char *path, const struct str *text)
{
	char hex[SHA256_DIGEST_STRING_LENGTH];
	sha256(hex, str_c(text), text->len);
	str_add(out, RECORD_HEAD);
	str_fmt(out, "%s\n", hex);
	esc_term(out, path);
	str_add(out, "\n\n");
}

int trust_check(struct trust_state *out, struct finder *f, const char *path, const struct str *text, struct str *old,
                struct err *e)
{
	const char *record = record_path(f, path);
	OWN(str) have = { 0 };
	OWN(str) head = { 0 };
	*out = (struct trust_state){ 0 };
	if (!record || !is_ours(f, record))
		return 0;
	int r = proffile_read(&have, record, false, e);
	if (r)
		return r == -ENOENT ? 0 : r;
	record_head(&head, path, text);
	const char *body = strstr(str_c(&have), "\n\n");
	if (head.oom || !body)
		return head.oom ? err_set(e, ENOMEM, "out of memory") : 0;
	out->known = true;
	out->same = have.len >= head.len && !memcmp(have.p, head.p, head.len);
	if (old)
		str_add(old, body + 2);
	return 0;
}

/* mkdir -p with mode 0700. */
static int make_dirs(struct finder *f, const char *dir, struct err *e)
{
	if (!mkdir(dir, 0700) || errno == EEXIST)
		return 0;
	if (errno != ENOENT)
		return err_sys(e, "make %s", dir);
	const char *up = path_parent(&f->arena, dir);
	int r = up && strcmp(up, dir) != 0 ? make_dirs(f, up, e) : err_set(e, ENOENT, "make %s", dir);
	if (!r && mkdir(dir, 0700) && errno != EEXIST)
		return err_sys(e, "make %s", dir);
	return r;
}

static int write_all(int fd, const char *p, size_t len, const char *path, struct err *e)
{
	while (len) {
		ssize_t n = write(fd, p, len);
		if (n < 0 && errno != EINTR)
			return err_sys(e, "write %s", path);
		p += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return fsync(fd) ? err_sys(e, "write %s", path) : 0;
}

int trust_store(struct finder *f, const char *path, const struct str *text, struct err *e)
{
	const char *dir = trust_dir(f), *record = record_path(f, path);
	OWN(str) data = { 0 };
	if (!record)
		return err_set(e, ENOENT, "no place to remember trust: set HOME or XDG_STATE_HOME");
	int r = make_dirs(f, dir, e);
	if (r)
		return r;
	record_head(&data, path, text);
	str_add_mem(&data, str_c(text), text->len);
	char *temp = arena_fmt(&f->arena, "%s/.tmp-XXXXXX", dir);
	if (!temp || data.oom)
		return err_set(e, ENOMEM, "out of memory");
	OWN(fd) fd = fd_own(mkostemp(temp, O_CLOEXEC)); /* mode 0600 */
	if (fd_no(fd) < 0)
		return err_sys(e, "make a file in %s", dir);
	r = write_all(fd_no(fd), data.p, data.len, temp, e);
	if (!r && rename(temp, record))
		r = err_sys(e, "rename %s to %s", temp, record);
	if (r)
		unlink(temp);
	return r;
}

static int trust_file(struct finder *f, const struct profdir *dir, const char *name, FILE *out, struct err *e)
{
	OWN(str) text = { 0 };
	OWN(str) shown = { 0 };
	OWN(profile) p = { 0 };
	struct err why = { 0 };
	const char *path = arena_fmt(&f->arena, "%s/%s.yaml", dir->path, name);
	if (!path)
		return err_set(e, ENOMEM, "out of memory");
	int r = proffile_read(&text, path, false, &why);
	if (!r)
		r = profile_read(&p, str_c(&text), text.len, path, NULL, &why);
	if (r == -ENOMEM)
		return err_set(e, ENOMEM, "out of memory");
	if (r) {
		fprintf(out, "not trusted: %s\n", why.msg);
		return 0;
	}
	r = trust_store(f, path, &text, e);
	if (r)
		return r;
	esc_term(&shown, path);
	fprintf(out, "trusted: %s%s%s\n", str_c(&shown), builtin_named(name) ? ", which stands before builtin:" : "",
	        builtin_named(name) ? name : "");
	return 1;
}

int find_trust(struct finder *f, const char *dir, FILE *out, struct err *e)
{
	struct profdirs dirs = { 0 };
	int count = 0;
	const char *start = dir ? dir : f->host->cwd;
	int r = profdirs_find(&dirs, f, start, e);
	for (size_t i = 0; i < dirs.n && !r; i++) {
		struct wordlist names = { 0 };
		if (dirs.items[i].origin != ORIGIN_REPO)
			continue;
		r = profdir_names(&names, &f->arena, &dirs.items[i], e);
		for (size_t j = 0; j < names.n && r >= 0; j++) {
			r = trust_file(f, &dirs.items[i], names.items[j].text, out, e);
			count += r > 0;
		}
		r = r > 0 ? 0 : r;
	}
	if (!r && !count)
		return err_set(e, ENOENT, "no profile to trust: %s has no .snug/profiles/*.yaml that is yours and loads",
		               start ? start : "the working directory");
	return r ? r : count;
}

int find_retrust(struct finder *f, const char *path, const char *old_text, size_t old_len, struct err *e)
{
	OWN(str) old = { 0 };
	OWN(str) now = { 0 };
	struct trust_state state;
	char *real = realpath(path, NULL);
	const char *at = real ? arena_str(&f->arena, real) : NULL;
	free(real);
	if (!at)
		return 0;
	str_add_mem(&old, old_text, old_len);
	int r = trust_check(&state, f, at, &old, NULL, e);
	if (r || !state.same)
		return r;
	r = proffile_read(&now, at, false, e);
	return r ? r : trust_store(f, at, &now, e);
}
