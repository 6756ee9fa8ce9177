/* lines.c - lists and switches of a suggestion, walked as one */
#include "learn/lines.h"

#include "base/str.h"

#include <errno.h>
#include <string.h>

/* All lists of a profile look like this one. */
struct list {
	char *items;
	size_t n;
};

static const char *bind_mark(const void *item) { return ((const struct bind *)item)->source; }
static const char *path_mark(const void *item) { return ((const struct pathent *)item)->path; }
static const char *word_mark(const void *item) { return ((const struct word *)item)->text; }

static const struct {
	size_t at, size;
	const char *(*mark)(const void *item);
	bool is_path;
} lists[] = {
	{ offsetof(struct profile, binds), sizeof(struct bind), bind_mark, true },
	{ offsetof(struct profile, tmpfs), sizeof(struct pathent), path_mark, true },
	{ offsetof(struct profile, prepend_path), sizeof(struct word), word_mark, true },
	{ offsetof(struct profile, env_allow), sizeof(struct word), word_mark, false },
	{ offsetof(struct profile, allow_hosts), sizeof(struct word), word_mark, false },
	{ offsetof(struct profile, sys_allow), sizeof(struct word), word_mark, false },
};

/* The source of a switch: without one it says nothing. */
static const struct {
	size_t src;
	const char *mark;
} switches[] = {
	{ offsetof(struct profile, userns.src), "special.userns" },
	{ offsetof(struct profile, ptrace.src), "special.ptrace" },
	{ offsetof(struct profile, sys.src), "special.sys" },
	{ offsetof(struct profile, shm.src), "special.shm" },
};

static struct list list_get(const struct profile *p, size_t k)
{
	struct list l;
	memcpy(&l, (const char *)p + lists[k].at, sizeof(l));
	return l;
}

static void list_set(struct profile *p, size_t k, struct list l)
{
	memcpy((char *)p + lists[k].at, &l, sizeof(l));
}

static bool switched(const struct profile *p, size_t k)
{
	struct src s;
	memcpy(&s, (const char *)p + switches[k].src, sizeof(s));
	return s.origin != NULL;
}

size_t lines_count(const struct profile *p)
{
	size_t n = 0;
	for (size_t k = 0; k < LEN(lists); k++)
		n += list_get(p, k).n;
	for (size_t k = 0; k < LEN(switches); k++)
		n += switched(p, k);
	return n;
}

/* Back to unsaid: value and source. */
static void switch_off(struct profile *p, size_t k)
{
	const struct src none = { 0 };
	memcpy((char *)p + switches[k].src, &none, sizeof(none));
	if (k == 0)
		p->userns.v = TRI_UNSET;
	else if (k == 1)
		p->ptrace.v = TRI_UNSET;
	else if (k == 2)
		p->sys.v = TRI_UNSET;
	else
		p->shm.v = 0;
}

void lines_drop(struct profile *p, const bool *keep)
{
	for (size_t k = 0; k < LEN(lists); k++) {
		struct list l = list_get(p, k);
		size_t kept = 0, size = lists[k].size;
		for (size_t i = 0; i < l.n; i++)
			if (*keep++ && kept++ != i)
				memcpy(l.items + (kept - 1) * size, l.items + i * size, size);
		l.n = kept;
		list_set(p, k, l);
	}
	for (size_t k = 0; k < LEN(switches); k++)
		if (switched(p, k) && !*keep++)
			switch_off(p, k);
	/* a list that is there and empty would say: no host */
	p->has_allow_hosts = p->allow_hosts.n > 0;
}

int lines_some(struct profile *out, const struct profile *from, const bool *keep)
{
	struct profile p = *from;
	p.arena = (struct arena){ 0 };
	for (size_t k = 0; k < LEN(lists); k++) {
		struct list l = list_get(from, k);
		char *items = arena_array(&p.arena, l.n + 1, lists[k].size);
		if (!items) {
			arena_drop(&p.arena);
			return -ENOMEM;
		}
		if (l.n)
			memcpy(items, l.items, l.n * lists[k].size);
		l.items = items;
		list_set(&p, k, l);
	}
	lines_drop(&p, keep);
	*out = p;
	return 0;
}

const char *lines_mark(const struct profile *p, size_t i, struct arena *a)
{
	for (size_t k = 0; k < LEN(lists); k++) {
		struct list l = list_get(p, k);
		if (i < l.n) {
			OWN(str) s = { 0 };
			const char *text = lists[k].mark(l.items + i * lists[k].size);
			if (lists[k].is_path)
				profile_quote_path(&s, text);
			else
				str_add(&s, text);
			return s.oom ? NULL : arena_str(a, str_c(&s));
		}
		i -= l.n;
	}
	for (size_t k = 0; k < LEN(switches); k++)
		if (switched(p, k) && i-- == 0)
			return switches[k].mark;
	return "";
}
