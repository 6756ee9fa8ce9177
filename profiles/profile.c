/* profile.c - dropping and comparing profiles */
#include "profiles/keys.h"

#include "base/str.h"

#include <string.h>

void profile_drop(struct profile *p)
{
	arena_drop(&p->arena);
	*p = (struct profile){ 0 };
}

void src_text(struct str *out, const struct src *s)
{
	str_add(out, s->origin ? s->origin : "default");
	if (s->line)
		str_fmt(out, ":%u", s->line);
}

int src_class(const struct src *s)
{
	if (s->inlined)
		return 2;
	if (s->overrides)
		return 1;
	return s->origin && !strcmp(s->origin, "builtin:base") ? -1 : 0;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_words(const struct wordlist *a, const struct wordlist *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->items[i].text, b->items[i].text))
			return false;
	return a->n == b->n;
}

static bool same_paths(const struct pathlist *a, const struct pathlist *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->items[i].path, b->items[i].path) || a->items[i].optional != b->items[i].optional)
			return false;
	return a->n == b->n;
}

static bool same_binds(const struct bindlist *a, const struct bindlist *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++) {
		const struct bind *x = &a->items[i], *y = &b->items[i];
		if (strcmp(x->source, y->source) || !same_text(x->target, y->target) || x->mode != y->mode ||
		    x->create != y->create || x->optional != y->optional)
			return false;
	}
	return a->n == b->n;
}

static bool same_sets(const struct envlist *a, const struct envlist *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->items[i].name, b->items[i].name) || strcmp(a->items[i].value, b->items[i].value))
			return false;
	return a->n == b->n;
}

static bool same_key(const struct profile *a, const struct profile *b, const struct key *k)
{
	const void *x = key_at(a, k->at), *y = key_at(b, k->at);
	const char *s, *t;
	switch (k->kind) {
	case KIND_SCHEMA:
		return true;
	case KIND_FLAG:
		return a->override == b->override;
	case KIND_NAME: case KIND_TEXT: case KIND_CWD:
		memcpy(&s, x, sizeof(s));
		memcpy(&t, y, sizeof(t));
		return same_text(s, t);
	case KIND_PROFILES: case KIND_ENVNAMES: case KIND_HOSTS: case KIND_SYSCALLS: case KIND_DIRS:
		return same_words(x, y);
	case KIND_PATHS:
		return same_paths(x, y);
	case KIND_BINDS:
		return same_binds(x, y);
	case KIND_ENVSET:
		return same_sets(x, y);
	case KIND_PROJECT: case KIND_HOME: case KIND_NET: case KIND_ACTION: case KIND_TRI: case KIND_SYS:
		return !memcmp(x, y, sizeof(int));
	case KIND_SIZE:
		/* "false" and unsaid both hold 0: said counts */
		return !memcmp(x, y, sizeof(uint64_t)) &&
		       !((const struct src *)key_at(a, k->src))->origin == !((const struct src *)key_at(b, k->src))->origin;
	}
	return false;
}

bool profile_equal(const struct profile *a, const struct profile *b)
{
	for (size_t i = 0; i < nprofile_keys; i++)
		if (!same_key(a, b, &profile_keys[i]))
			return false;
	return same_text(a->home_persist, b->home_persist) && a->has_allow_hosts == b->has_allow_hosts;
}
