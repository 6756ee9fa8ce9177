#include "base/secret.h"

#include <ctype.h>
#include <string.h>

enum { WORD = 32 };

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

/* A word that ends like this is one: PGPASSWORD, SSHPASS, AWSSECRET. */
static bool ends_as_secret(const char *word, size_t n)
{
	static const char *const ends[] = { "password", "passwd", "passphrase", "pass", "secret", "token", "apikey", "accesskey",
	                                    "secretkey", "privatekey", "credential", "credentials", "cookie" };
	static const char *const harmless[] = { "bypass", "compass", "trespass", "encompass", "surpass", "underpass", "overpass",
	                                        "multipass", NULL };
	for (size_t i = 0; i < LEN(ends); i++) {
		size_t len = strlen(ends[i]);
		if (n >= len && !memcmp(word + n - len, ends[i], len))
			return !in(word, harmless);
	}
	return false;
}

static bool is(const char *name, size_t len, const char *what)
{
	return len == strlen(what) && !memcmp(name, what, len);
}

bool secret_name(const char *name, size_t len)
{
	static const char *const alone[] = { "passwort", "pwd", "pw", "secrets", "tokens", "auth", "authorization", "bearer",
	                                     "jwt", "pat", "dsn", NULL };
	static const char *const before_key[] = { "api", "access", "private", "secret", "auth", "signing", "encryption",
	                                          "account", "master", "deploy", NULL };
	char word[WORD], prev[WORD] = "";
	size_t at = 0, n;
	/* names of the shell's own variables, and a socket's place is no secret */
	if (is(name, len, "PWD") || is(name, len, "OLDPWD") || is(name, len, "SSH_AUTH_SOCK"))
		return false;
	/* variables that are spelled like this alone */
	if (is(name, len, "DATABASE_URL") || (len > 4 && !memcmp(name + len - 4, "_KEY", 4)))
		return true;
	while ((n = next_word(name, len, &at, word))) {
		if (ends_as_secret(word, n) || in(word, alone))
			return true;
		if ((!strcmp(word, "key") || !strcmp(word, "keys")) && in(prev, before_key))
			return true;
		if (!strcmp(word, "id") && !strcmp(prev, "session"))
			return true;
		memcpy(prev, word, sizeof(prev));
	}
	return false;
}

const char *secret_userinfo(const char *path, size_t *len)
{
	for (const char *p = path; (p = strstr(p, ":/")); p += 2) {
		size_t scheme = 0;
		while (p - scheme > path && (isalnum((unsigned char)p[-1 - (ptrdiff_t)scheme]) || strchr("+-.", p[-1 - (ptrdiff_t)scheme])))
			scheme++;
		const char *host = p + 1 + strspn(p + 1, "/");
		const char *at = memrchr(host, '@', strcspn(host, "/"));
		if (scheme > 1 && at && at > host) {
			*len = (size_t)(at - host);
			return host;
		}
	}
	return NULL;
}
