/* suggest.h - rules and findings to the profile a person reviews; pure */
#pragma once

#include "learn/fold.h"
#include "learn/lesson.h"

/**
 * struct suggesting - what the suggestion is made from
 * @host: of the first run: shortens paths
 * @base: the composed requested profile
 * @empties: absolute paths of suggested empty directories, filled by suggest()
 * @link_facts: what the link lines name, filled by suggest(); for verify()
 */
struct suggesting {
	struct lesson *lesson;
	struct facts *facts;
	struct plan *plan;
	const struct rules *rules;
	const struct host *host;
	const struct profile *base;
	const struct recording *run;
	struct { struct host_file *items; size_t n; } link_facts;
	struct { const char **items; size_t n; } empties;
};

/* Fill lesson.suggestion, suggests, and each finding's grant. -ENOMEM. */
int suggest(struct suggesting *s, const char *name);

/* Does the suggestion grant anything? */
bool suggest_any(const struct suggesting *s);

/* ---- parts of suggest() ---- */

/* Does a finding ask for a line about a path? */
bool suggest_wants(const struct finding *f);
/* Is a rule at or below @path? */
bool suggest_rule_below(const struct rules *r, const char *path);
/* One more bind; @text gets the line for people. -ENOMEM. */
int suggest_bind(struct suggesting *s, const struct rule *r, const char *why, const char **text);
int suggest_tmpfs(struct suggesting *s, const char *path, const char **text);
/* The empty directory that is suggested at or above @path, or (@below) below it; NULL. */
const char *suggest_empty_at(const struct suggesting *s, const char *path, bool below);
/* A requested line for the same path in another mode, which would not compose: it stands. */
const struct bind *suggest_conflict(struct suggesting *s, const struct rule *r);
int suggest_looks(struct suggesting *s);
int suggest_links(struct suggesting *s);
/* deny.write for programs inside what becomes writable, mask for credential stores inside what is shown. */
int suggest_fences(struct suggesting *s);
/* Hosts, variables, search directories; and suggest_special(). */
int suggest_other(struct suggesting *s);
/* System calls, and what `special` turns on. */
int suggest_special(struct suggesting *s);

/* One more word, of a list of the suggestion. -ENOMEM. */
int suggest_word(struct suggesting *s, struct wordlist *l, const char *text, const char *why);
/* One more commented line; @key: its list. -ENOMEM. */
int suggest_comment(struct suggesting *s, const char *key, const char *text, const char *why);
/* Sort and keep each once. */
void suggest_settle(struct wordlist *l);

