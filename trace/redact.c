#include "trace/redact.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HIDDEN "***"

enum { VALUE_MIN = 4, WORD = 24 };

void redactor_drop(struct redactor *r)
{
	free(r->values);
	*r = (struct redactor){ 0 };
}

/* Words of a name, as NPM_AUTH_TOKEN, api-key and authToken have them. */
static size_t next_word(const char *p, size_t len, size_t *at, char *word)
{
	size_t i = *at, n = 0;
	while (i < len && !isalnum((unsigned char)p[i]))
		i++;
	for (; i < len && isalnum((unsigned char)p[i]); i++) {
		if (n && isupper((unsigned char)p[i]) && islower((unsigned char)p[i - 1]))
			break;
		if (n < WORD - 1)
			word[n++] = (char)tolower((unsigned char)p[i]);
	}
	word[n] = 0;
	*at = i;
	return n;
}

static bool in(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

bool redact_secret_name(const char *name, size_t len)
{
	static const char *const alone[] = { "password", "passwd", "passphrase", "passwort", "pass", "pwd", "secret",
	                                     "secrets", "token", "tokens", "auth", "authorization", "apikey",
	                                     "credential", "credentials", "cookie", "bearer", "jwt", "pat",
	                                     "authtoken", "accesskey", "secretkey", "privatekey", "userpass", NULL };
	static const char *const before_key[] = { "api", "access", "private", "secret", "auth", "signing", "encryption",
	                                          "account", "master", "deploy", NULL };
	char word[WORD], prev[WORD] = "";
	size_t at = 0;
	/* names of the shell's own variables, and a socket's place is no secret */
	if ((len == 3 && !memcmp(name, "PWD", 3)) || (len == 6 && !memcmp(name, "OLDPWD", 6)) ||
	    (len == 13 && !memcmp(name, "SSH_AUTH_SOCK", 13)))
		return false;
	while (next_word(name, len, &at, word)) {
		if (in(word, alone) || ((!strcmp(word, "key") || !strcmp(word, "keys")) && in(prev, before_key)))
			return true;
		memcpy(prev, word, sizeof(prev));
	}
	return false;
}

int redactor_add(struct redactor *r, const char *assignment)
{
	const char *eq = strchr(assignment, '=');
	if (!eq || strlen(eq + 1) < VALUE_MIN || !redact_secret_name(assignment, (size_t)(eq - assignment)))
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
	return len > 1 && word[0] == '-' && !name_len(word, len) && redact_secret_name(word, len);
}

/* "Authorization:" and the like: the rest of the text, up to a quote, is the secret. */
static bool header(const char *word, size_t len)
{
	return len > 1 && word[len - 1] == ':' && redact_secret_name(word, len - 1);
}

static void add_word(struct str *out, const char *word, size_t len)
{
	size_t n = name_len(word, len);
	/* in a URL's query "=" belongs to the query */
	if (n && !memmem(word, n, "://", 3) && redact_secret_name(word, n)) {
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

void redact_arg(const struct redactor *r, struct str *out, const char *arg, const char *prev)
{
	OWN(str) hidden = { 0 };
	hide_values(r, &hidden, arg);
	if (hidden.oom) {
		out->oom = 1;
		return;
	}
	arg = str_c(&hidden);
	bool secret = prev && asks_secret(prev, strlen(prev));
	/* an argument may itself hold a command line, as that of "sh -c" does */
	for (const char *p = arg; *p;) {
		size_t gap = strspn(p, " \t\n"), len = strcspn(p + gap, " \t\n");
		str_add_mem(out, p, gap);
		p += gap;
		if (secret && len && *p != '-')
			str_add(out, HIDDEN);
		else
			add_word(out, p, len);
		secret = asks_secret(p, len);
		if (header(p, len)) {
			str_add(out, " " HIDDEN);
			p += len + strcspn(p + len, "\"'");
			continue;
		}
		p += len;
	}
}
