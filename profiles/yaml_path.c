/* yaml_path.c - paths of a profile: from text to bytes */
#include "profiles/yaml_reader.h"

#include "profiles/near.h"

#include "base/esc.h"
#include "base/str.h"

#include <string.h>

static bool is_name_start(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What a person may have meant to be expanded must not be taken for a file name in silence. */
static int check_expansions(const struct reader *r, const struct ynode *n, const char *s)
{
	for (const char *p = s; *p; p++) {
		bool first = p == s || p[-1] == '/';
		if (*p == '$' && (p[1] == '{' || p[1] == '(' || (first && is_name_start(p[1]))))
			return reader_bad(r, n, "variables and commands are not expanded in paths (a plain dollar sign is \"\\\\x24\")", s);
		if (p != s && key_placeholder_len(p))
			return reader_bad(r, n, "a placeholder stands at the start of a path (a plain brace is \"\\\\x7b\")", s);
	}
	return 0;
}

static int check_path(const struct reader *r, const struct ynode *n, const char *s)
{
	if (s[0] == '{') {
		size_t len = key_placeholder_len(s);
		if (!len || (s[len] && s[len] != '/')) {
			struct near near = { 0 };
			char word[32] = "";
			size_t end = strcspn(s + 1, "}/");
			memcpy(word, s + 1, MIN(end, sizeof(word) - 1));
			for (size_t i = 0; key_placeholders[i]; i++)
				near_try(&near, word, key_placeholders[i]);
			return ynode_bad(r->e, r->file, n, "unknown placeholder in '%s'; %s%s%s", ynode_show(&r->p->arena, s),
			                 near.best ? "did you mean '{" : "known are {project} {home} {tmp} {scratch} {cache} ",
			                 near.best ? near.best : "{config} {data} {state} {runtime}", near.best ? "}'?" : "");
		}
	} else if (s[0] == '~') {
		if (s[1] && s[1] != '/')
			return reader_bad(r, n, "homes of other users (~name) are not expanded: write the absolute path", s);
	} else if (s[0] != '/') {
		int x = check_expansions(r, n, s);
		return x ? x : reader_bad(r, n, "a path starts with '/', '~' or a placeholder like {project}", s);
	}
	return check_expansions(r, n, s);
}

int reader_path(const struct reader *r, const struct ynode *n, const char *key, const char **out)
{
	const char *s = "";
	OWN(str) raw = { 0 };
	int x = reader_text(r, n, key, &s);
	if (!x)
		x = check_path(r, n, s);
	if (x)
		return x;
	esc_undo(&raw, s);
	if (strlen(str_c(&raw)) != raw.len)
		return reader_bad(r, n, "a path holds no NUL byte", s);
	if (strpbrk(s, "*?")) {
		/* legal in a name, but more often the hope for a pattern */
		struct word *w = ARENA_PUSH(&r->p->arena, &r->p->warnings, items, n);
		if (!w)
			return reader_memory(r);
		w->text = arena_fmt(&r->p->arena, "%s:%u: '%s' is taken literally: paths have no patterns", r->file, n->line,
		                    ynode_show(&r->p->arena, s));
		w->src = reader_src(r, n);
	}
	*out = arena_mem(&r->p->arena, str_c(&raw), raw.len);
	return raw.oom || !*out ? reader_memory(r) : 0;
}
