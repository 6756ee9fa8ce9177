#include "trace/envuse.h"

#include "base/path.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a confined run has without being asked (product.md), and the shell's own bookkeeping. */
static const char *const given[] = { "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LANGUAGE", "TZ",
                                     "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_", "COLUMNS", "LINES", "HOSTNAME",
                                     "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
                                     "all_proxy", "NO_PROXY", "no_proxy", "NODE_USE_ENV_PROXY" };
/* Values that say nothing when they turn up elsewhere. */
static const char *const plain[] = { "true", "false", "auto", "none", "always", "never", "yes", "no", "utf-8",
                                     "UTF-8", "less", "bash", "node", "production", "development", "root" };

void envuse_drop(struct envuse *u)
{
	for (size_t i = 0; i < u->n; i++)
		free(u->vars[i].name);
	map_drop(&u->by_name);
	*u = (struct envuse){ 0 };
}

static bool among(const char *const *list, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], word))
			return true;
	return false;
}

/* Does a PATH entry lie below @value? Then programs found there prove nothing about the variable. */
static bool leads_path(const char *path, const char *value)
{
	size_t n = strlen(value);
	for (; path && *path; path += strcspn(path, ":"), path += *path == ':')
		if (!strncmp(path, value, n) && (!path[n] || path[n] == ':' || path[n] == '/'))
			return true;
	return false;
}

static const char *value_of(const char *const *env, const char *name)
{
	size_t n = strlen(name);
	for (; env && *env; env++)
		if (!strncmp(*env, name, n) && (*env)[n] == '=')
			return *env + n + 1;
	return NULL;
}

static bool telling(const char *const *env, const char *value)
{
	static const char *const places[] = { "HOME", "PWD", "OLDPWD", "TMPDIR" };
	if (strlen(value) < ENV_VALUE_MIN || among(plain, LEN(plain), value) ||
	    strspn(value, "0123456789") == strlen(value))
		return false;
	if (value[0] != '/')
		return true;
	for (size_t i = 0; i < LEN(places); i++) {
		const char *place = value_of(env, places[i]);
		if (place && path_under(place, value))
			return false;
	}
	/* "/usr", "/tmp" and the like are everybody's */
	if (path_under(value, "/dev") || path_under(value, "/proc"))
		return false; /* "/dev/null" is used by everybody, for reasons of their own */
	return path_depth(value) > 1 && !leads_path(value_of(env, "PATH"), value);
}

int envuse_open(struct envuse *u, const char *const *env)
{
	for (const char *const *v = env; v && *v && u->n < ENV_VARS; v++) {
		const char *eq = strchr(*v, '=');
		if (!eq || eq == *v)
			continue;
		char *name = strndup(*v, (size_t)(eq - *v));
		if (!name)
			return -ENOMEM;
		if (among(given, LEN(given), name) || !strncmp(name, "LC_", 3) || map_get(&u->by_name, name)) {
			free(name);
			continue;
		}
		struct envvar *var = &u->vars[u->n];
		*var = (struct envvar){ .name = name, .value = eq + 1, .by_value = telling(env, eq + 1) };
		u->n++;
		void **slot = map_put(&u->by_name, name, strlen(name), NULL);
		if (!slot)
			return -ENOMEM;
		*slot = var;
	}
	for (size_t i = 0; i < u->n; i++)
		for (size_t k = 0; k < u->n; k++)
			if (i != k && !strcmp(u->vars[i].value, u->vars[k].value))
				u->vars[i].shared = true;
	return 0;
}

static bool ident(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool ends(const char *start, const char *p, const char *word)
{
	size_t n = strlen(word);
	return (size_t)(p - start) >= n && !memcmp(p - n, word, n);
}

/* Does what stands before the name at @p make it a read of the environment? */
static bool read_before(const char *start, const char *p)
{
	static const char *const bare[] = { "$", "${", "process.env.", "import.meta.env.", "$env:", "ENV." };
	static const char *const quoted[] = { "environ[", "environ.get(", "getenv(", "environ.pop(", "ENV[", "ENV.fetch(",
	                                      "process.env[", "env::var(", "env::var_os(", "Getenv(", "LookupEnv(",
	                                      "$ENV{", "printenv " };
	for (size_t i = 0; i < LEN(bare); i++)
		if (ends(start, p, bare[i]))
			return true;
	if (ends(start, p, "printenv ") || ends(start, p, "$ENV{"))
		return true;
	if (p == start || (p[-1] != '"' && p[-1] != '\'' && p[-1] != '`'))
		return false;
	for (size_t i = 0; i < LEN(quoted); i++)
		if (ends(start, p - 1, quoted[i]))
			return true;
	return false;
}

void envuse_scan(struct envuse *u, uint32_t proc, const char *text, size_t len)
{
	const char *end = text + len;
	for (const char *p = text; p < end;) {
		if (!ident(*p)) {
			p++;
			continue;
		}
		const char *q = p;
		while (q < end && ident(*q))
			q++;
		void **slot = map_find(&u->by_name, p, (size_t)(q - p));
		struct envvar *var = slot ? *slot : NULL;
		if (var && !var->proc && read_before(text, p))
			var->proc = proc;
		p = q;
	}
}

/* NODE_EXTRA_CA_CERTS is node's, PIP_CERT is pip's. */
static bool named_like(const char *var, const char *program)
{
	const char *p = program ? path_base(program) : "";
	size_t n = 0;
	while (ident(p[n]) && !(p[n] >= '0' && p[n] <= '9') && toupper((unsigned char)p[n]) == var[n])
		n++;
	return n && var[n] == '_' && !((p[n] >= 'a' && p[n] <= 'z') || p[n] == '_');
}

static bool open_to(const struct envvar *v, const char *program)
{
	return !v->proc && v->by_value && (!v->shared || named_like(v->name, program));
}

void envuse_path(struct envuse *u, uint32_t proc, const char *program, const char *path)
{
	for (size_t i = 0; i < u->n; i++) {
		struct envvar *v = &u->vars[i];
		if (!v->proc && v->by_value && v->value[0] == '/' && path_under(path, v->value) && open_to(v, program))
			v->proc = proc;
	}
}

/* @value as a whole word of @text: nothing that could be part of the same name on either side. */
static bool has_word(const char *text, const char *value)
{
	size_t n = strlen(value);
	for (const char *p = text; n && (p = strstr(p, value)); p++)
		if ((p == text || !ident(p[-1])) && !ident(p[n]))
			return true;
	return false;
}

void envuse_word(struct envuse *u, uint32_t proc, const char *program, const char *word)
{
	for (size_t i = 0; i < u->n; i++) {
		struct envvar *v = &u->vars[i];
		if (!v->proc && v->by_value && has_word(word, v->value) && open_to(v, program))
			v->proc = proc;
	}
}
