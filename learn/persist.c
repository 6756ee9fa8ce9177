/* persist.c - comparing what two runs of one command left behind */
#include "learn/persist.h"

#include "base/path.h"
#include "base/str.h"
#include "learn/shape.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

void listing_drop(struct listing *l)
{
	arena_drop(&l->arena);
	*l = (struct listing){ 0 };
}

int listing_add(struct listing *l, const struct left *item)
{
	struct left *slot = ARENA_PUSH(&l->arena, l, items, n);
	if (!slot)
		return -ENOMEM;
	*slot = *item;
	slot->path = arena_str(&l->arena, item->path);
	return slot->path ? 0 : -ENOMEM;
}

static int left_order(const void *a, const void *b)
{
	return strcmp(((const struct left *)a)->path, ((const struct left *)b)->path);
}

void listing_sort(struct listing *l)
{
	if (l->n)
		qsort(l->items, l->n, sizeof(*l->items), left_order);
}

static int add_change(struct changes *out, struct arena *a, const struct left *of, enum change_kind kind)
{
	struct change *c = ARENA_PUSH(a, out, items, n);
	if (!c)
		return -ENOMEM;
	*c = (struct change){ .path = of->path, .kind = kind, .type = of->type, .mode = of->mode, .size = of->size };
	return 0;
}

static bool altered(const struct left *a, const struct left *b)
{
	if (a->type != b->type || a->mode != b->mode)
		return true;
	return a->type != FT_DIR && (a->size != b->size || a->time_ns != b->time_ns);
}

int changes_find(struct changes *out, struct arena *a, const struct listing *before, const struct listing *after)
{
	size_t i = 0, k = 0;
	int err = 0;
	while (!err && (i < before->n || k < after->n)) {
		const struct left *x = i < before->n ? &before->items[i] : NULL, *y = k < after->n ? &after->items[k] : NULL;
		int order = !x ? 1 : !y ? -1 : strcmp(x->path, y->path);
		if (order < 0)
			err = add_change(out, a, x, CHANGE_REMOVED);
		else if (order > 0)
			err = add_change(out, a, y, CHANGE_MADE);
		else if (altered(x, y))
			err = add_change(out, a, y, CHANGE_ALTERED);
		i += order <= 0;
		k += order >= 0;
	}
	return err;
}

/* ---- from a recording ---- */

/* What is known of one path after some accesses. */
struct fate {
	const char *path;
	enum file_type before, type;
	uint32_t mode;
	bool altered, removed, stays;
};

struct fates {
	struct arena arena;
	struct map by_path;
	struct { struct fate *items; size_t n; } all;
};

static void fates_drop(struct fates *f)
{
	map_drop(&f->by_path);
	arena_drop(&f->arena);
}

/* The fate of @o's path; NULL where it has none, with *@err set when memory is out. */
static struct fate *fate_of(struct fates *f, const struct object *o, int *err)
{
	int fresh = 0;
	if (!o->path || o->path[0] != '/')
		return NULL;
	void **slot = map_put(&f->by_path, o->path, strlen(o->path), &fresh);
	struct fate *t = slot && fresh ? ARENA_PUSH(&f->arena, &f->all, items, n) : NULL;
	if (!slot || (fresh && !t)) {
		*err = -ENOMEM;
		return NULL;
	}
	if (fresh) {
		*t = (struct fate){ .path = o->path, .before = o->type, .type = o->type, .mode = o->mode };
		*slot = (void *)(uintptr_t)f->all.n;
	}
	return &f->all.items[(uintptr_t)*slot - 1];
}

static void was_made(struct fate *t, enum file_type type, bool stays)
{
	t->type = type;
	t->removed = false;
	t->altered = true;
	t->stays |= stays;
}

static void was_removed(struct fate *t)
{
	t->removed = true;
}

/* What @ev did to its first object @x and second @y (NULL where the operation has none). */
static void apply(const struct event *ev, struct fate *x, struct fate *y)
{
	const struct access *a = &ev->acc;
	switch (a->op) {
	case OP_OPEN:
		if (a->marks & MARK_FD)
			break; /* handed over open: whose it is and what is written is the caller's affair */
		if (a->obj[0].type == FT_NONE && a->flags & O_CREAT)
			was_made(x, FT_FILE, ev->survives);
		else if (a->obj[0].type == FT_FILE && ((a->flags & O_ACCMODE) != O_RDONLY || a->flags & O_TRUNC))
			x->altered = true;
		break;
	case OP_MKDIR:
		was_made(x, FT_DIR, ev->survives);
		break;
	case OP_SYMLINK:
		was_made(x, FT_LINK, ev->survives);
		break;
	case OP_MKNOD:
		was_made(x, FT_FILE, ev->survives);
		break;
	case OP_TRUNCATE: case OP_CHMOD: case OP_CHOWN: case OP_UTIME: case OP_SETXATTR:
		x->altered = true;
		break;
	case OP_RMDIR: case OP_UNLINK:
		was_removed(x);
		break;
	case OP_RENAME:
		was_removed(x);
		if (y)
			was_made(y, a->obj[0].type, ev->survives);
		break;
	case OP_LINK:
		if (y)
			was_made(y, a->obj[0].type, ev->survives);
		break;
	case OP_STAT: case OP_ACCESS: case OP_READLINK: case OP_CHDIR: case OP_EXEC: case OP_LOAD: case OP_CONNECT:
	case OP_BIND: case OP_LISTEN: case OP_SEND: case OP_HOST: case OP_SYSCALL: case OP_ENV: case OP_COUNT:
		break;
	}
}

static int fates_make(struct fates *f, const struct recording *r)
{
	int err = 0;
	for (size_t i = 0; !err && i < r->nevents; i++) {
		const struct event *ev = &r->events[i];
		if (!access_is_file(&ev->acc) || ev->acc.marks & (MARK_OTHER_MNT | MARK_OTHER_ROOT))
			continue;
		bool two = op_objects(ev->acc.op) == 2;
		/* the second first: adding one may move the other */
		if (two && !fate_of(f, &ev->acc.obj[1], &err) && err)
			break;
		struct fate *x = fate_of(f, &ev->acc.obj[0], &err), *y = two ? fate_of(f, &ev->acc.obj[1], &err) : NULL;
		if (x && ev->outcome == 0)
			apply(ev, x, y);
	}
	return err;
}

static int change_order(const void *a, const void *b)
{
	return strcmp(((const struct change *)a)->path, ((const struct change *)b)->path);
}

int changes_recorded(struct changes *out, struct arena *a, const struct recording *r)
{
	struct fates f = { 0 };
	int err = fates_make(&f, r);
	for (size_t i = 0; !err && i < f.all.n; i++) {
		const struct fate *t = &f.all.items[i];
		bool was = t->before != FT_NONE, is = was ? !t->removed || t->stays : t->stays;
		const struct left of = { .path = t->path, .type = is ? t->type : t->before, .mode = t->mode, .size = 1 };
		if (!was && is)
			err = add_change(out, a, &of, CHANGE_MADE);
		else if (was && !is)
			err = add_change(out, a, &of, CHANGE_REMOVED);
		else if (was && t->altered)
			err = add_change(out, a, &of, CHANGE_ALTERED);
	}
	fates_drop(&f);
	if (out->n)
		qsort(out->items, out->n, sizeof(*out->items), change_order);
	return err;
}

int absent_before(struct map *out, const struct recording *r)
{
	struct fates f = { 0 };
	int err = fates_make(&f, r);
	for (size_t i = 0; !err && i < f.all.n; i++) {
		const struct fate *t = &f.all.items[i];
		void **slot = t->before == FT_NONE ? map_put(out, t->path, strlen(t->path), NULL) : NULL;
		if (slot)
			*slot = out;
		else if (t->before == FT_NONE)
			err = -ENOMEM;
	}
	fates_drop(&f);
	return err;
}

bool persist_scratch(const struct host *h, const char *path)
{
	const char *const dirs[] = { "/tmp", "/var/tmp", "/run", "/var/run", "/dev", "/proc", "/sys", h->tmp, h->cache, h->runtime };
	for (size_t i = 0; i < LEN(dirs); i++)
		if (dirs[i] && path_under(path, dirs[i]))
			return true;
	return false;
}

/* ---- comparing ---- */

enum { LOOK_MAX = 100 }; /* losses after which nobody looks for names that were drawn: there are enough */

static bool is_hex(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isxdigit((unsigned char)s[i]))
			return false;
	return true;
}

/* A directory of a store that is ordered by hashes is named by two digits of them. */
static bool drawn(const char *name)
{
	const struct shape_hints h = { .created = true, .temp_like = true };
	return (strlen(name) == 2 && is_hex(name, 2)) || shape_volatile(shape_of(name, &h));
}

static void form_name(struct str *out, const char *name)
{
	if (drawn(name)) {
		str_add_char(out, '*');
		return;
	}
	for (; *name; name++) {
		bool digit = isdigit((unsigned char)*name);
		if (!digit || !out->len || str_c(out)[out->len - 1] != '#')
			str_add_char(out, digit ? '#' : *name);
	}
}

const char *persist_form(struct arena *a, const char *path)
{
	OWN(str) s = { 0 };
	OWN(str) name = { 0 };
	while (*path) {
		size_t n = strcspn(path, "/");
		str_clear(&name);
		str_add_mem(&name, path, n);
		form_name(&s, str_c(&name));
		if (path[n])
			str_add_char(&s, '/');
		path += n + (path[n] != 0);
	}
	return s.oom || name.oom ? NULL : arena_str(a, str_c(&s));
}

static const struct change *change_at(const struct changes *c, const char *path)
{
	const struct change key = { .path = path };
	return c->n ? bsearch(&key, c->items, c->n, sizeof(key), change_order) : NULL;
}

/* NULL where @have is as good as @want. */
static const char *differs(const struct change *want, const struct change *have)
{
	if (want->kind != have->kind)
		return want->kind == CHANGE_REMOVED ? "not removed" : have->kind == CHANGE_REMOVED ? "removed" : "not the same change";
	if (want->kind == CHANGE_REMOVED)
		return NULL;
	if (want->type != have->type)
		return "of another type";
	if (want->type != FT_LINK && !want->any_mode && want->mode != have->mode)
		return "with another mode";
	return want->type == FT_FILE && want->size && !have->size ? "empty" : NULL;
}

static const char *absence(const struct change *want)
{
	static const char *const words[] = {
		[CHANGE_MADE] = "not there", [CHANGE_ALTERED] = "not changed", [CHANGE_REMOVED] = "not removed",
	};
	return words[want->kind];
}

/*
 * The forms of what only @have has, and those of the directories above: what lies in one shows it, too. Others stand for
 * themselves: "part2" is not to be had for "part1".
 */
static int forms_of(struct map *out, struct arena *a, const struct changes *want, const struct changes *have)
{
	for (size_t i = 0; i < have->n; i++) {
		if (have->items[i].kind == CHANGE_REMOVED || change_at(want, have->items[i].path))
			continue;
		const char *form = persist_form(a, have->items[i].path);
		for (int fresh = 1; form && fresh && form[1]; form = path_parent(a, form))
			if (!map_put(out, form, strlen(form), &fresh))
				return -ENOMEM;
		if (!form)
			return -ENOMEM;
	}
	return 0;
}

/* No word: a digit, "_", or both cases of letters. */
static bool odd(const char *s, size_t n)
{
	bool lower = false, upper = false;
	for (size_t i = 0; i < n; i++) {
		if (!isalpha((unsigned char)s[i]))
			return true;
		lower |= islower((unsigned char)s[i]) != 0;
		upper |= isupper((unsigned char)s[i]) != 0;
	}
	return lower && upper;
}

static bool token(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_')
			return false;
	return true;
}

/* As mkstemp(3) and its like draw them: one place, one length, and a stretch of 4 to 12 letters, digits and "_" differs. */
static bool drawn_alike(const char *x, const char *y)
{
	size_t n = strlen(x), first = 0, last = n;
	if (strlen(y) != n)
		return false;
	while (first < n && x[first] == y[first])
		first++;
	while (last > first && x[last - 1] == y[last - 1])
		last--;
	size_t len = last - first;
	return len >= 4 && len <= 12 && token(x + first, len) && token(y + first, len) &&
	       (odd(x + first, len) || odd(y + first, len));
}

/* Is among what only @have has one that was made like @w? */
static bool made_alike(const struct change *w, const struct changes *want, const struct changes *have)
{
	for (size_t i = 0; w->kind == CHANGE_MADE && i < have->n; i++) {
		const struct change *h = &have->items[i];
		if (h->kind == CHANGE_MADE && h->type == w->type && drawn_alike(w->path, h->path) && !change_at(want, h->path))
			return true;
	}
	return false;
}

int changes_lost(struct losses *out, struct arena *a, const struct changes *want, const struct changes *have)
{
	struct map forms = { 0 };
	OWN(arena) mem = { 0 };
	int err = forms_of(&forms, &mem, want, have);
	for (size_t i = 0; !err && i < want->n; i++) {
		const struct change *w = &want->items[i], *h = change_at(have, w->path);
		const char *why = h ? differs(w, h) : absence(w);
		if (why && !h && w->kind != CHANGE_ALTERED) {
			const char *form = persist_form(&mem, w->path);
			if (!form)
				err = -ENOMEM;
			else if (strcmp(form, w->path) != 0 && (w->kind == CHANGE_REMOVED || map_find(&forms, form, strlen(form))))
				why = NULL;
			else if (out->n < LOOK_MAX && made_alike(w, want, have))
				why = NULL;
		}
		struct loss *l = why && !err ? ARENA_PUSH(a, out, items, n) : NULL;
		if (l)
			*l = (struct loss){ w->path, why };
		else if (why)
			err = -ENOMEM;
	}
	map_drop(&forms);
	return err;
}
