/* yaml_out.c - the canonical text of a profile, key by key in the order of profile.def */
#include "profiles/keys.h"

#include "base/esc.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

/* ---- quoting ---- */

void profile_quote_text(struct str *out, const char *text)
{
	esc_yaml_text(out, text);
}

static bool is_name_start(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void profile_quote_path(struct str *out, const char *path)
{
	OWN(str) plain = { 0 };
	OWN(str) text = { 0 };
	/* what the reader would refuse as a variable or a misplaced placeholder goes through the \xHH form */
	esc_yaml(&plain, path);
	for (const char *p = str_c(&plain); *p; p++) {
		bool first = p[-(p != plain.p)] == '/';
		bool dollar = *p == '$' && (p[1] == '{' || p[1] == '(' || (first && is_name_start(p[1])));
		if (dollar || (*p == '{' && p != plain.p + 1))
			str_fmt(&text, "\\\\x%02x", (unsigned char)*p);
		else
			str_add_char(&text, *p);
	}
	str_add_mem(out, str_c(&text), text.len);
	out->oom |= plain.oom | text.oom;
}

/* A name stays bare where YAML 1.1 and 1.2 agree that it is a text. */
static void write_name(struct str *out, const char *s)
{
	static const char *const taken[] = { "y", "n", "yes", "no", "on", "off", "true", "false", "null" };
	bool bare = *s >= 'a' && *s <= 'z' && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == strlen(s);
	for (size_t i = 0; i < LEN(taken); i++)
		bare = bare && strcmp(s, taken[i]) != 0;
	if (bare)
		str_add(out, s);
	else
		esc_yaml_text(out, s);
}

static void write_comment(struct str *out, const char *s)
{
	esc_term(out, s);
}

static void write_size(struct str *out, uint64_t v)
{
	static const char *const units[] = { "", "KiB", "MiB", "GiB", "TiB" };
	size_t i = 0;
	while (v && !(v & 1023) && i + 1 < LEN(units)) {
		v >>= 10;
		i++;
	}
	if (v)
		str_fmt(out, "%llu%s", (unsigned long long)v, units[i]);
	else
		str_add(out, "false");
}

static const char *word_of(enum key_kind kind, int value)
{
	const struct key_word *w = key_words(kind);
	while (w->word && w->value != value)
		w++;
	return w->word;
}

/* ---- lists ---- */

static void end_line(struct str *out, const char *comment)
{
	if (comment) {
		str_add(out, "  # ");
		write_comment(out, comment);
	}
	str_add_char(out, '\n');
}

static void write_bind(struct str *out, const struct bind *b)
{
	static const char *const modes[] = { [BIND_RO] = "ro", [BIND_RW] = "rw", [BIND_COPY] = "copy" };
	static const char *const makes[] = { [CREATE_NO] = "", [CREATE_DIR] = "dir", [CREATE_FILE] = "file" };
	str_add(out, "{ source: ");
	profile_quote_path(out, b->source);
	if (b->target) {
		str_add(out, ", target: ");
		profile_quote_path(out, b->target);
	}
	str_fmt(out, ", mode: %s", modes[b->mode]);
	if (b->create != CREATE_NO)
		str_fmt(out, ", create: %s", makes[b->create]);
	str_add(out, b->optional ? ", optional: true }" : " }");
}

static void write_pathent(struct str *out, const struct pathent *p)
{
	if (p->optional)
		str_add(out, "{ path: ");
	profile_quote_path(out, p->path);
	if (p->optional)
		str_add(out, ", optional: true }");
}

bool key_write_item(struct str *out, const struct profile *p, const struct key *k, size_t i, const char **comment)
{
	const void *at = key_at(p, k->at);
	if (k->kind == KIND_BINDS) {
		const struct bindlist *l = at;
		if (i >= l->n)
			return false;
		write_bind(out, &l->items[i]);
		*comment = l->items[i].comment;
	} else if (k->kind == KIND_PATHS) {
		const struct pathlist *l = at;
		if (i >= l->n)
			return false;
		write_pathent(out, &l->items[i]);
		*comment = l->items[i].comment;
	} else if (k->kind == KIND_ENVSET) {
		const struct envlist *l = at;
		if (i >= l->n)
			return false;
		esc_yaml_text(out, l->items[i].name);
		str_add(out, ": ");
		esc_yaml_text(out, l->items[i].value);
		*comment = l->items[i].comment;
	} else {
		const struct wordlist *l = at;
		if (i >= l->n)
			return false;
		if (k->kind == KIND_DIRS)
			profile_quote_path(out, l->items[i].text);
		else if (k->kind == KIND_PROFILES || k->kind == KIND_SYSCALLS)
			write_name(out, l->items[i].text);
		else
			esc_yaml_text(out, l->items[i].text);
		*comment = l->items[i].comment;
	}
	return true;
}

bool key_is_list(const struct key *k)
{
	switch ((int)k->kind) {
	case KIND_PROFILES: case KIND_ENVNAMES: case KIND_HOSTS: case KIND_SYSCALLS: case KIND_DIRS:
	case KIND_PATHS: case KIND_BINDS: case KIND_ENVSET:
		return true;
	}
	return false;
}

static size_t list_len(const struct profile *p, const struct key *k)
{
	/* every list is { items, n } */
	size_t n;
	memcpy(&n, (char *)key_at(p, k->at) + offsetof(struct wordlist, n), sizeof(n));
	return n;
}

static bool belongs(const struct word *comment, const struct key *k)
{
	const char *at = comment->src.origin;
	size_t n = strlen(k->section);
	if (!at)
		return false;
	return n ? !strncmp(at, k->section, n) && at[n] == '.' && !strcmp(at + n + 1, k->key) : !strcmp(at, k->key);
}

static size_t count_comments(const struct profile *p, const struct key *k)
{
	size_t n = 0;
	for (size_t i = 0; i < p->comments.n; i++)
		n += belongs(&p->comments.items[i], k);
	return n;
}

/* Commented grants of @k behind @prefix. */
static void write_commented(struct str *out, const struct profile *p, const struct key *k, const char *prefix)
{
	for (size_t i = 0; i < p->comments.n; i++) {
		const struct word *w = &p->comments.items[i];
		if (!belongs(w, k))
			continue;
		str_fmt(out, "%s%s", prefix, k->kind == KIND_ENVSET ? "" : "- ");
		write_comment(out, w->text);
		end_line(out, w->comment);
	}
}

static void write_list(struct str *out, const struct profile *p, const struct key *k, const char *indent)
{
	const char *comment = NULL;
	size_t n = list_len(p, k);
	str_fmt(out, "%s%s:%s\n", indent, k->key, n || count_comments(p, k) ? "" : " []");
	for (size_t i = 0; i < n; i++) {
		str_fmt(out, "%s  %s", indent, k->kind == KIND_ENVSET ? "" : "- ");
		key_write_item(out, p, k, i, &comment);
		end_line(out, comment);
	}
	write_commented(out, p, k, indent[0] ? "    # " : "  # ");
}

/* A key that has nothing but commented grants: taking "# " away from each line makes it a key. */
static void write_dead_list(struct str *out, const struct profile *p, const struct key *k, const char *prefix)
{
	char deep[16];
	str_fmt(out, "%s%s:\n", prefix, k->key);
	snprintf(deep, sizeof(deep), "%s  ", prefix);
	write_commented(out, p, k, deep);
}

/* ---- keys ---- */

static bool is_said(const struct profile *p, const struct key *k)
{
	const char *s;
	if (k->src)
		return ((const struct src *)key_at(p, k->src))->origin != NULL;
	if (key_is_list(k))
		return list_len(p, k) || (p->has_allow_hosts && k->at == offsetof(struct profile, allow_hosts));
	if (k->kind == KIND_FLAG)
		return p->override;
	if (k->kind == KIND_SCHEMA)
		return true;
	memcpy(&s, key_at(p, k->at), sizeof(s));
	return s != NULL;
}

static void write_value(struct str *out, const struct profile *p, const struct key *k)
{
	const void *at = key_at(p, k->at);
	const char *s = NULL;
	int v = 0;
	uint64_t size = 0;
	switch ((int)k->kind) {
	case KIND_SCHEMA:
		str_add(out, PROFILE_SCHEMA);
		return;
	case KIND_NAME: case KIND_TEXT: case KIND_CWD:
		memcpy(&s, at, sizeof(s));
		if (k->kind == KIND_CWD)
			profile_quote_path(out, s);
		else if (k->kind == KIND_NAME)
			write_name(out, s);
		else
			esc_yaml_text(out, s);
		return;
	case KIND_SIZE:
		memcpy(&size, at, sizeof(size));
		write_size(out, size);
		return;
	case KIND_FLAG:
		str_add(out, "true");
		return;
	}
	memcpy(&v, at, sizeof(v));
	if (k->kind == KIND_HOME && v == HOME_PERSIST) {
		str_add(out, "{ persist: ");
		profile_quote_path(out, p->home_persist);
		str_add(out, " }");
		return;
	}
	s = word_of(k->kind, v);
	str_add(out, s ? s : "");
}

static bool has_said(const struct profile *p, const char *section)
{
	for (size_t i = 0; i < nprofile_keys; i++)
		if (!strcmp(profile_keys[i].section, section) && is_said(p, &profile_keys[i]))
			return true;
	return false;
}

static bool has_dead(const struct profile *p, const char *section)
{
	for (size_t i = 0; i < nprofile_keys; i++)
		if (!strcmp(profile_keys[i].section, section) && count_comments(p, &profile_keys[i]))
			return true;
	return false;
}

static void write_key(struct str *out, const struct profile *p, const struct key *k, bool live)
{
	const char *indent = k->section[0] ? "  " : "";
	if (!is_said(p, k)) {
		if (count_comments(p, k))
			write_dead_list(out, p, k, !k->section[0] ? "# " : live ? "  # " : "#   ");
	} else if (key_is_list(k)) {
		write_list(out, p, k, indent);
	} else {
		str_fmt(out, "%s%s: ", indent, k->key);
		write_value(out, p, k);
		str_add_char(out, '\n');
	}
}

void profile_write(struct str *out, const struct profile *p)
{
	for (size_t i = 0; i < p->header.n; i++) {
		str_add(out, p->header.items[i].text[0] ? "# " : "#");
		write_comment(out, p->header.items[i].text);
		str_add_char(out, '\n');
	}
	const char *section = "";
	bool live = true;
	for (size_t i = 0; i < nprofile_keys; i++) {
		const struct key *k = &profile_keys[i];
		if (strcmp(k->section, section) != 0) {
			section = k->section;
			live = has_said(p, section);
			if (live || has_dead(p, section))
				str_fmt(out, "%s%s:\n", live ? "" : "# ", section);
		}
		write_key(out, p, k, live);
	}
	for (size_t i = 0; i < p->comments.n; i++) {
		const struct word *w = &p->comments.items[i];
		bool placed = false;
		for (size_t j = 0; j < nprofile_keys && !placed; j++)
			placed = key_is_list(&profile_keys[j]) && belongs(w, &profile_keys[j]);
		if (placed)
			continue;
		str_add(out, "# ");
		write_comment(out, w->text);
		end_line(out, w->comment);
	}
}
