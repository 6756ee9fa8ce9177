/* merge.c - composing profiles: unions for lists, the strongest and most restrictive for single values */
#include "profiles/keys.h"

#include "base/map.h"
#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>

struct merger {
	struct profile *into;
	const struct profile *add;
	bool inlined, force;
	struct err *e;
};

static int no_memory(const struct merger *m)
{
	return err_set(m->e, ENOMEM, "out of memory");
}

static const char *copy(const struct merger *m, const char *s)
{
	return s ? arena_str(&m->into->arena, s) : NULL;
}

static struct src copy_src(const struct merger *m, const struct src *s)
{
	struct src out = *s;
	out.origin = copy(m, s->origin);
	if (m->inlined) {
		out.inlined = true;
		out.overrides = m->force;
	}
	return out;
}

/* @path as a key of comparison: one spelling of home, no needless slashes. */
static const char *path_key(struct arena *a, const char *path)
{
	if (path_is_clean(path))
		return path; /* of the merged profile, as the keys are */
	OWN(str) raw = { 0 };
	OWN(str) clean = { 0 };
	if (path[0] == '~') {
		str_add(&raw, "{home}");
		path++;
	}
	str_add(&raw, path);
	path_clean(&clean, str_c(&raw));
	return raw.oom || clean.oom ? NULL : arena_mem(a, str_c(&clean), clean.len);
}

/* "what is X in A and Y in B" */
static int conflict(const struct merger *m, const char *what, const char *name, const char *was, const struct src *by,
                    const char *is, const struct src *now)
{
	OWN(str) a = { 0 };
	OWN(str) b = { 0 };
	src_text(&a, by);
	src_text(&b, now);
	return err_set(m->e, EINVAL, "%s '%.80s' is '%.60s' in %s and '%.60s' in %s; change one, or --override takes the last",
	               what, name, was, str_c(&a), is, str_c(&b));
}

/* Which of two lines about the same thing stands: > 0 the new one, < 0 the old one, 0 nobody says. */
static int stronger(const struct merger *m, const struct src *was, const struct src *now)
{
	int a = src_class(was), b = src_class(now);
	return a != b ? b - a : m->force ? 1 : 0;
}

/* ---- lists ---- */

static int merge_words(const struct merger *m, struct wordlist *into, const struct wordlist *add)
{
	OWN(map) seen = { 0 };
	for (size_t i = 0; i < into->n + add->n; i++) {
		bool old = i < into->n;
		const struct word *w = old ? &into->items[i] : &add->items[i - into->n];
		void **slot = map_put(&seen, w->text, strlen(w->text), NULL);
		if (!slot)
			return no_memory(m);
		if (old)
			*slot = (void *)(uintptr_t)(i + 1);
	}
	for (size_t i = 0; i < add->n; i++) {
		const struct word *w = &add->items[i];
		void **slot = map_find(&seen, w->text, strlen(w->text));
		struct word n = { copy(m, w->text), copy_src(m, &w->src), copy(m, w->comment) };
		if (!n.text)
			return no_memory(m);
		if (*slot) {
			struct word *was = &into->items[(uintptr_t)*slot - 1];
			if (src_class(&n.src) > src_class(&was->src))
				was->src = n.src;
			continue;
		}
		struct word *item = ARENA_PUSH(&m->into->arena, into, items, n);
		if (!item)
			return no_memory(m);
		*item = n;
		*slot = (void *)(uintptr_t)into->n;
	}
	return 0;
}

/* Fill @seen with path_key() -> index + 1 for @n items at @items, whose path is at @offset. */
static int index_paths(const struct merger *m, struct map *seen, const char *key, size_t index)
{
	void **slot = key ? map_put(seen, key, strlen(key), NULL) : NULL;
	if (!slot)
		return no_memory(m);
	*slot = (void *)(uintptr_t)(index + 1);
	return 0;
}

static int merge_paths(const struct merger *m, struct pathlist *into, const struct pathlist *add)
{
	OWN(map) seen = { 0 };
	OWN(arena) keys = { 0 };
	int r = 0;
	for (size_t i = 0; i < into->n && !r; i++)
		r = index_paths(m, &seen, path_key(&keys, into->items[i].path), i);
	for (size_t i = 0; i < add->n && !r; i++) {
		struct pathent n = add->items[i];
		const char *key = path_key(&keys, n.path);
		n.path = copy(m, n.path);
		n.comment = copy(m, n.comment);
		n.src = copy_src(m, &n.src);
		if (!key || !n.path)
			return no_memory(m);
		uintptr_t had = (uintptr_t)map_get(&seen, key);
		if (had) {
			struct pathent *was = &into->items[had - 1];
			was->optional = was->optional && n.optional;
			if (src_class(&n.src) > src_class(&was->src))
				was->src = n.src;
			continue;
		}
		struct pathent *item = ARENA_PUSH(&m->into->arena, into, items, n);
		if (!item)
			return no_memory(m);
		*item = n;
		r = index_paths(m, &seen, key, into->n - 1);
	}
	return r;
}

static const char *bind_place(const struct bind *b)
{
	return b->target ? b->target : b->source;
}

static int merge_bind(const struct merger *m, struct bind *was, const struct bind *now)
{
	static const char *const modes[] = { [BIND_RO] = "ro", [BIND_RW] = "rw", [BIND_COPY] = "copy" };
	static const char *const makes[] = { [CREATE_NO] = "not created", [CREATE_DIR] = "dir", [CREATE_FILE] = "file" };
	OWN(arena) a = { 0 };
	const char *s = path_key(&a, was->source), *t = path_key(&a, now->source);
	if (!s || !t)
		return no_memory(m);
	bool same_source = !strcmp(s, t);
	bool same_create = was->create == now->create || !was->create || !now->create;
	bool optional = was->optional && now->optional;
	if (!same_source || was->mode != now->mode || !same_create) {
		int s_new = stronger(m, &was->src, &now->src);
		if (!s_new && !same_source)
			return conflict(m, "bind at", bind_place(now), was->source, &was->src, now->source, &now->src);
		if (!s_new && was->mode != now->mode)
			return conflict(m, "bind", bind_place(now), modes[was->mode], &was->src, modes[now->mode], &now->src);
		if (!s_new)
			return conflict(m, "create of", bind_place(now), makes[was->create], &was->src, makes[now->create], &now->src);
		if (s_new > 0)
			*was = *now;
	} else {
		was->create = was->create ? was->create : now->create;
		if (src_class(&now->src) > src_class(&was->src))
			was->src = now->src;
	}
	was->optional = optional;
	return 0;
}

static int merge_binds(const struct merger *m)
{
	OWN(map) seen = { 0 };
	OWN(arena) keys = { 0 };
	struct bindlist *into = &m->into->binds;
	int r = 0;
	for (size_t i = 0; i < into->n && !r; i++)
		r = index_paths(m, &seen, path_key(&keys, bind_place(&into->items[i])), i);
	for (size_t i = 0; i < m->add->binds.n && !r; i++) {
		struct bind n = m->add->binds.items[i];
		const char *key = path_key(&keys, bind_place(&n));
		n.source = copy(m, n.source);
		n.target = copy(m, n.target);
		n.comment = copy(m, n.comment);
		n.src = copy_src(m, &n.src);
		if (!key || !n.source)
			return no_memory(m);
		uintptr_t had = (uintptr_t)map_get(&seen, key);
		if (had) {
			r = merge_bind(m, &into->items[had - 1], &n);
			continue;
		}
		struct bind *item = ARENA_PUSH(&m->into->arena, into, items, n);
		if (!item)
			return no_memory(m);
		*item = n;
		r = index_paths(m, &seen, key, into->n - 1);
	}
	return r;
}

static int merge_sets(const struct merger *m)
{
	struct envlist *into = &m->into->env_set;
	for (size_t i = 0; i < m->add->env_set.n; i++) {
		const struct envset *add = &m->add->env_set.items[i];
		struct envset n = { copy(m, add->name), copy(m, add->value), copy_src(m, &add->src), copy(m, add->comment) };
		struct envset *was = NULL;
		if (!n.name || !n.value)
			return no_memory(m);
		for (size_t j = 0; j < into->n && !was; j++)
			if (!strcmp(into->items[j].name, n.name))
				was = &into->items[j];
		if (!was) {
			was = ARENA_PUSH(&m->into->arena, into, items, n);
			if (!was)
				return no_memory(m);
			*was = n;
			continue;
		}
		int s = stronger(m, &was->src, &n.src);
		if (!s && strcmp(was->value, n.value) != 0)
			return conflict(m, "variable", n.name, was->value, &was->src, n.value, &n.src);
		if (s > 0)
			*was = n;
	}
	return 0;
}

/* ---- single values ---- */

/* Place of a value from the most restrictive, 0, upward. */
static uint64_t rank(const struct key *k, uint64_t v)
{
	if (k->kind == KIND_SIZE)
		return v;
	if (k->kind == KIND_HOME)
		return v == HOME_EMPTY ? 0 : v == HOME_PERSIST ? 1 : 2;
	if (k->at == offsetof(struct profile, clear_env.v))
		return v == TRI_YES ? 0 : 1;
	const struct key_word *w = key_words(k->kind);
	uint64_t i = 0;
	while (w && w[i].word && (uint64_t)w[i].value != v)
		i++;
	return i;
}

static uint64_t load_value(const struct profile *p, const struct key *k)
{
	int v;
	uint64_t size;
	if (k->kind == KIND_SIZE) {
		memcpy(&size, key_at(p, k->at), sizeof(size));
		return size;
	}
	memcpy(&v, key_at(p, k->at), sizeof(v));
	return (uint64_t)v;
}

static int take_value(const struct merger *m, const struct key *k)
{
	struct src src = copy_src(m, key_at(m->add, k->src));
	const char *text;
	if (k->kind == KIND_CWD) {
		memcpy(&text, key_at(m->add, k->at), sizeof(text));
		text = copy(m, text);
		if (!text)
			return no_memory(m);
		memcpy(key_at(m->into, k->at), &text, sizeof(text));
	} else {
		memcpy(key_at(m->into, k->at), key_at(m->add, k->at), k->kind == KIND_SIZE ? sizeof(uint64_t) : sizeof(int));
	}
	if (k->kind == KIND_HOME)
		m->into->home_persist = copy(m, m->add->home_persist);
	memcpy(key_at(m->into, k->src), &src, sizeof(src));
	return 0;
}

/* A line that wants less than base says and may not: it is void, and who wrote it should know. */
static int say_void(const struct merger *m, const struct key *k, const struct src *base, const struct src *said)
{
	const struct key_word *w = key_words(k->kind);
	struct arena *a = &m->into->arena;
	OWN(str) by = { 0 };
	OWN(str) where = { 0 };
	const char *was = NULL, *now = NULL;
	for (; w && w->word; w++) {
		was = (uint64_t)w->value == load_value(m->into, k) ? w->word : was;
		now = (uint64_t)w->value == load_value(m->add, k) ? w->word : now;
	}
	if (!was || !now)
		return 0;
	src_text(&by, base);
	src_text(&where, said);
	struct word *item = ARENA_PUSH(a, &m->into->warnings, items, n);
	if (!item)
		return no_memory(m);
	*item = (struct word){ 0 };
	item->text = arena_fmt(a, "%s: %s: %s has no effect: %s says %s and the stricter wins; override: true makes it count",
	                       str_c(&where), key_path(a, k), now, str_c(&by), was);
	return item->text ? 0 : no_memory(m);
}

static int merge_value(const struct merger *m, const struct key *k)
{
	const struct src *was = key_at(m->into, k->src), *said = key_at(m->add, k->src);
	if (!said->origin)
		return 0;
	struct src now = *said;
	now.inlined |= m->inlined;
	if (!was->origin)
		return take_value(m, k);
	int s = src_class(&now) - src_class(was);
	if (k->kind == KIND_CWD)
		return s >= 0 ? take_value(m, k) : 0;
	if (k->kind == KIND_HOME && m->into->home.v == HOME_PERSIST && m->add->home.v == HOME_PERSIST && !s && !m->force &&
	    strcmp(m->into->home_persist, m->add->home_persist) != 0)
		return conflict(m, "key", "home.persist", m->into->home_persist, was, m->add->home_persist, said);
	uint64_t old = rank(k, load_value(m->into, k)), new = rank(k, load_value(m->add, k));
	/* base only says what holds when nobody else does, or what protects: it never loosens */
	if (s > 0 && src_class(was) < 0 && src_class(&now) == 0) {
		s = 0;
		int r = new > old ? say_void(m, k, was, said) : 0;
		if (r)
			return r;
	}
	if (s < 0 && src_class(&now) < 0)
		s = 0;
	return s > 0 || (s == 0 && new < old) ? take_value(m, k) : 0;
}

static int merge_mode(const struct merger *m)
{
	for (size_t i = 0; i < nprofile_keys; i++) {
		const struct key *k = &profile_keys[i];
		if (k->kind != KIND_NET)
			continue;
		if (m->add->network.src.origin || !m->add->has_allow_hosts)
			return merge_value(m, k);
		/* allow_hosts alone says proxy */
		struct profile said = { .network = { NET_PROXY, m->add->allow_hosts_src } };
		struct merger sub = *m;
		if (!said.network.src.origin)
			said.network.src = m->add->allow_hosts.n ? m->add->allow_hosts.items[0].src :
			                                           (struct src){ .origin = "proxy.allow_hosts" };
		sub.add = &said;
		return merge_value(&sub, k);
	}
	return 0;
}

static int merge_key(const struct merger *m, const struct key *k)
{
	switch (k->kind) {
	case KIND_SCHEMA: case KIND_NAME: case KIND_TEXT:
		return 0;
	case KIND_FLAG:
		if (m->add->override && !m->into->override) {
			m->into->override = true;
			m->into->override_src = copy_src(m, &m->add->override_src);
		}
		return 0;
	case KIND_PROFILES: case KIND_ENVNAMES: case KIND_HOSTS: case KIND_SYSCALLS: case KIND_DIRS:
		return merge_words(m, key_at(m->into, k->at), key_at(m->add, k->at));
	case KIND_PATHS:
		return merge_paths(m, key_at(m->into, k->at), key_at(m->add, k->at));
	case KIND_BINDS:
		return merge_binds(m);
	case KIND_ENVSET:
		return merge_sets(m);
	case KIND_NET:
		return merge_mode(m);
	case KIND_PROJECT: case KIND_HOME: case KIND_ACTION: case KIND_TRI: case KIND_SYS: case KIND_SIZE: case KIND_CWD:
		return merge_value(m, k);
	}
	return 0;
}

int profile_merge(struct profile *into, const struct profile *add, bool inlined, bool force, struct err *e)
{
	const struct merger m = { into, add, inlined, force, e };
	for (size_t i = 0; i < nprofile_keys; i++) {
		int r = merge_key(&m, &profile_keys[i]);
		if (r)
			return r;
	}
	if (add->has_allow_hosts && !into->has_allow_hosts) {
		into->has_allow_hosts = true;
		into->allow_hosts_src = copy_src(&m, &add->allow_hosts_src);
	}
	int r = merge_words(&m, &into->warnings, &add->warnings);
	return r ? r : merge_words(&m, &into->parts, &add->parts);
}
