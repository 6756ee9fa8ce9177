/* request.c - the request of a stored run, written and read */
#include "cli/request.h"

#include "cli/optdef.h"

#include "base/esc.h"
#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCHEMA "snug-request/v1"

enum { REQUEST_MAX = 1 << 20 };

/* Words about where the command runs; the recording's own host says that. */
static bool about_place(const char *word)
{
	return !strncmp(word, "--cwd=", 6) || !strncmp(word, "--project=", 10);
}

/* "+./p.yaml" names another file elsewhere. */
static void one_word(struct str *out, const char *word)
{
	static const char profile[] = "--profile=";
	size_t lead = *word == '+' ? 1 : !strncmp(word, profile, sizeof(profile) - 1) ? sizeof(profile) - 1 : 0;
	const char *name = word + lead;
	size_t len = strlen(name);
	bool file = lead && (strchr(name, '/') || (len > 5 && !strcmp(name + len - 5, ".yaml")));
	char cwd[4096];
	OWN(arena) a = { 0 };
	if (file && *name != '/' && getcwd(cwd, sizeof(cwd)))
		word = arena_fmt(&a, "%.*s%s/%s", (int)lead, word, cwd, name);
	esc_json(out, word ? word : "");
}

void request_write(struct str *out, const struct cli_opts *o)
{
	const char *lead = "";
	str_add(out, "{\"schema\":\"" SCHEMA "\",\"words\":[");
	for (size_t i = 0; i < o->stored.n; i++) {
		if (about_place(o->stored.items[i].text))
			continue;
		str_add(out, lead);
		one_word(out, o->stored.items[i].text);
		lead = ",";
	}
	str_add(out, "]}\n");
}

/* Anything typed that decides what is granted? */
static bool asks(const struct cli_opts *o)
{
	for (size_t i = 0; i < o->again.n; i++)
		if (!about_place(o->again.items[i].text))
			return true;
	return false;
}

int request_apply(struct cli_opts *o, const char *dir, struct err *e)
{
	const char *path = path_join(&o->arena, dir, "request.json");
	struct stat st;
	if (asks(o) || !path || stat(path, &st) < 0)
		return 0;
	json_object *doc = st.st_size <= REQUEST_MAX ? json_object_from_file(path) : NULL, *words = NULL, *schema = NULL;
	int r = 0;
	if (!json_object_object_get_ex(doc, "schema", &schema) || strcmp(json_object_get_string(schema), SCHEMA) != 0 ||
	    !json_object_object_get_ex(doc, "words", &words) || !json_object_is_type(words, json_type_array))
		r = err_set(e, EINVAL, "%s: not a request that this version knows", path);
	for (size_t i = 0; r == 0 && i < json_object_array_length(words); i++) {
		OWN(str) s = { 0 };
		const char *text = json_object_get_string(json_object_array_get_idx(words, i));
		esc_undo(&s, text ? text : "");
		const char *word = str_c(&s);
		r = opts_apply(o, &word, 1, e);
		if (r < 0)
			err_wrap(e, "%s", path);
	}
	json_object_put(doc);
	return r;
}
