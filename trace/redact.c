#include "trace/redact.h"

#include "base/secret.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HIDDEN "***"

enum { VALUE_MIN = 4 };

void redactor_drop(struct redactor *r)
{
	free(r->values);
	*r = (struct redactor){ 0 };
}

int redactor_add(struct redactor *r, const char *assignment)
{
	const char *eq = strchr(assignment, '=');
	if (!eq || strlen(eq + 1) < VALUE_MIN || !secret_name(assignment, (size_t)(eq - assignment)))
		return 0;
	const char **more = reallocarray(r->values, r->n + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	r->values = more;
	r->values[r->n++] = eq + 1;
	return 0;
}

int redactor_add_env(struct redactor *r, const char *const *env)
{
	for (; env && *env; env++)
		if (redactor_add(r, *env) < 0)
			return -ENOMEM;
	return 0;
}

/* Length of a secret value that begins at @p. */
static size_t secret_at(const struct redactor *r, const char *p)
{
	size_t best = 0;
	for (size_t i = 0; i < r->n; i++) {
		size_t n = strlen(r->values[i]);
		if (n > best && !strncmp(p, r->values[i], n))
			best = n;
	}
	return best;
}

/* User information and query of the URL whose "://" ends at @p; returns where the text goes on. */
static const char *url_tail(struct str *out, const char *p)
{
	size_t host = strcspn(p, "/?# \t\n\"'");
	const char *at = memrchr(p, '@', host);
	if (at) {
		str_add(out, HIDDEN);
		p = at;
	}
	return p;
}

/* Text that is no whole secret itself. */
static void add_text(struct str *out, const char *p)
{
	bool url = false;
	while (*p) {
		if (!strncmp(p, "://", 3)) {
			str_add(out, "://");
			p = url_tail(out, p + 3);
			url = true;
		} else if (url && *p == '?') {
			str_add(out, "?" HIDDEN);
			p += strcspn(p, "# \t\n\"'");
			url = false;
		} else {
			url = url && !strchr(" \t\n", *p);
			str_add_char(out, *p++);
		}
	}
}

/* Length of a name in front of "=", 0 if there is none. */
static size_t name_len(const char *word, size_t len)
{
	size_t n = 0;
	while (n < len && word[n] != '=')
		n++;
	return n < len ? n : 0;
}

/* An option without a value of its own, whose name says that a secret follows. */
static bool asks_secret(const char *word, size_t len)
{
	return len > 1 && word[0] == '-' && !name_len(word, len) && secret_name(word, len);
}

/* "Authorization:" and the like: the rest of the text, up to a quote, is the secret. */
static bool header(const char *word, size_t len)
{
	return len > 1 && word[len - 1] == ':' && secret_name(word, len - 1);
}

/* Length of the option in @word that takes NAME:PASSWORD, as curl has it: -u, --user, --proxy-user=; 0 none. */
static size_t takes_login(const char *word, size_t len)
{
	static const char *const options[] = { "--user", "--proxy-user", "--http-user", "--login", "--auth-user", "-u", "-U" };
	for (size_t i = 0; i < LEN(options); i++) {
		size_t n = strlen(options[i]);
		bool whole = len == n || (len > n && (n == 2 || word[n] == '='));
		if (whole && !memcmp(word, options[i], n))
			return len > n && word[n] == '=' ? n + 1 : n;
	}
	return 0;
}

/*
 * Length of NAME: in @word, behind which a password stands; 0 where it is no such thing: ids (docker -u 1000:1000),
 * URLs, and, behind options that mean other things elsewhere (@loose), paths (rsync -u host:/path).
 */
static size_t login(const char *word, size_t len, bool loose)
{
	static const char digits[] = "0123456789";
	const char *colon = memchr(word, ':', len);
	size_t n = colon ? (size_t)(colon - word) + 1 : 0;
	if (!n || n == len || (len - n > 1 && !memcmp(colon, "://", 3)))
		return 0;
	if (loose && strchr("/.~", word[n]))
		return 0;
	return strspn(word, digits) == n - 1 && strspn(word + n, digits) >= len - n ? 0 : n;
}

/* -uNAME:PASSWORD, --user=NAME:PASSWORD, or with @behind NAME:PASSWORD alone. Return: false, it is none of them. */
static bool add_login(struct str *out, const char *word, size_t len, bool behind, bool loose)
{
	const char *quotes = "\"'";
	size_t opt = behind ? 0 : takes_login(word, len);
	if ((!behind && !opt) || opt >= len)
		return false;
	size_t open = strchr(quotes, word[opt]) != NULL;
	size_t n = login(word + opt + open, len - opt - open, loose || opt == 2);
	if (!n)
		return false;
	str_add_mem(out, word, opt + open + n);
	str_add(out, HIDDEN);
	if (open && word[len - 1] == word[opt])
		str_add_char(out, word[opt]);
	return true;
}

static void add_word(struct str *out, const char *word, size_t len)
{
	size_t n = name_len(word, len);
	/* in a URL's query "=" belongs to the query */
	if (n && !memmem(word, n, "://", 3) && secret_name(word, n)) {
		str_add_mem(out, word, n + 1);
		str_add(out, HIDDEN);
		return;
	}
	char *copy = strndup(word, len);
	if (!copy) {
		out->oom = 1;
		return;
	}
	add_text(out, copy);
	free(copy);
}

/* Known values go first, wherever they stand: in a name, or across blanks. */
static void hide_values(const struct redactor *r, struct str *out, const char *arg)
{
	while (*arg) {
		size_t n = secret_at(r, arg);
		if (n)
			str_add(out, HIDDEN);
		else
			str_add_char(out, *arg);
		arg += n ? n : 1;
	}
}

/* An argument that is one option's value holds blanks as part of it. */
static bool whole_value(struct str *out, const char *arg, bool secret, size_t behind)
{
	size_t len = strlen(arg), eq = arg[0] == '-' ? name_len(arg, len) : 0;
	if (secret && len && *arg != '-') {
		str_add(out, HIDDEN);
		return true;
	}
	if (eq && eq == strcspn(arg, "= \t\n") && secret_name(arg, eq)) {
		str_add_mem(out, arg, eq + 1);
		str_add(out, HIDDEN);
		return true;
	}
	return *arg == '-' ? add_login(out, arg, len, false, false) : behind && add_login(out, arg, len, true, behind == 2);
}

void redact_arg(const struct redactor *r, struct str *out, const char *arg, const char *prev)
{
	OWN(str) hidden = { 0 };
	hide_values(r, &hidden, arg);
	if (hidden.oom) {
		out->oom = 1;
		return;
	}
	arg = str_c(&hidden);
	size_t plen = prev ? strlen(prev) : 0;
	bool secret = prev && asks_secret(prev, plen);
	size_t behind = plen && takes_login(prev, plen) == plen ? plen : 0;
	if (whole_value(out, arg, secret, behind))
		return;
	/* an argument may itself hold a command line, as that of "sh -c" does */
	for (const char *p = arg; *p;) {
		size_t gap = strspn(p, " \t\n"), len = strcspn(p + gap, " \t\n");
		str_add_mem(out, p, gap);
		p += gap;
		if (secret && len && *p != '-')
			str_add(out, HIDDEN);
		else if (!add_login(out, p, len, behind && *p != '-', behind == 2))
			add_word(out, p, len);
		secret = asks_secret(p, len);
		behind = len && takes_login(p, len) == len ? len : 0;
		if (header(p, len)) {
			str_add(out, " " HIDDEN);
			p += len + strcspn(p + len, "\"'");
			continue;
		}
		p += len;
	}
}
