#include "profiles/keys.h"

#include <string.h>

const struct key profile_keys[] = {
#define KEY(sec, name, kind, member, doc) \
	{ sec, #name, KIND_##kind, offsetof(struct profile, member), 0, doc },
#define SAYS(sec, name, kind, member, doc) \
	{ sec, #name, KIND_##kind, offsetof(struct profile, member.v), offsetof(struct profile, member.src), doc },
#include "profiles/profile.def"
#undef KEY
#undef SAYS
};
const size_t nprofile_keys = LEN(profile_keys);

const struct key_word *key_words(enum key_kind kind)
{
	static const struct key_word project[] = { { "ro", PROJECT_RO }, { "rw", PROJECT_RW }, { 0 } };
	static const struct key_word home[] = { { "empty", HOME_EMPTY }, { "host", HOME_HOST }, { 0 } };
	static const struct key_word net[] = { { "none", NET_NONE }, { "proxy", NET_PROXY }, { "host", NET_HOST }, { 0 } };
	static const struct key_word act[] = { { "kill", ACT_KILL }, { "errno", ACT_ERRNO }, { "log", ACT_LOG }, { 0 } };
	static const struct key_word tri[] = { { "false", TRI_NO }, { "true", TRI_YES }, { 0 } };
	static const struct key_word sys[] = { { "false", TRI_NO }, { "ro", TRI_YES }, { 0 } };
	static const struct { enum key_kind kind; const struct key_word *words; } rows[] = {
		{ KIND_PROJECT, project }, { KIND_HOME, home }, { KIND_NET, net },
		{ KIND_ACTION, act }, { KIND_TRI, tri }, { KIND_FLAG, tri }, { KIND_SYS, sys },
	};
	for (size_t i = 0; i < LEN(rows); i++)
		if (rows[i].kind == kind)
			return rows[i].words;
	return NULL;
}

const char *key_path(struct arena *a, const struct key *k)
{
	const char *s = k->section[0] ? arena_fmt(a, "%s.%s", k->section, k->key) : k->key;
	return s ? s : k->key;
}

const char *const key_placeholders[] = {
	"project", "home", "tmp", "scratch", "cache", "config", "data", "state", "runtime", NULL,
};

size_t key_placeholder_len(const char *s)
{
	for (size_t i = 0; *s == '{' && key_placeholders[i]; i++) {
		size_t n = strlen(key_placeholders[i]);
		if (!strncmp(s + 1, key_placeholders[i], n) && s[n + 1] == '}')
			return n + 2;
	}
	return 0;
}
