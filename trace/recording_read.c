/* recording_read.c - a recording from NDJSON; every byte is hostile */
#include "trace/recording.h"

#include "base/esc.h"
#include "base/map.h"
#include "base/path.h"
#include "base/str.h"
#include "trace/recording_format.h"

#include <json-c/json.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/*
 * How this works: a record is parsed by json-c with a depth limit, then each member is fetched by name with its
 * type and range checked; the first failure of a line is kept in @bad and reported once, with file and line.
 * Strings are interned, since a recording names the same directories over and over.
 */
struct reader {
	struct recording *r;
	const char *name;
	size_t line;
	struct str text, undone;
	struct map seen;
	size_t counts[REC_COUNT];
	uint64_t last_seq;
	uint32_t max_proc;
	const char *bad, *key;
	bool oom;
};

static void fail(struct reader *rd, const char *key, const char *bad)
{
	if (!rd->bad) {
		rd->bad = bad;
		rd->key = key;
	}
}

/* Into @a: the host's facts die with the host, all else with the recording, which shares equal strings. */
static const char *keep(struct reader *rd, struct arena *a)
{
	const char *s = str_c(&rd->undone);
	bool share = a == &rd->r->arena;
	void **slot = share ? map_find(&rd->seen, s, rd->undone.len) : NULL;
	if (slot)
		return *slot;
	char *copy = rd->undone.oom ? NULL : arena_str(a, s);
	if (copy && share) {
		slot = map_put(&rd->seen, copy, rd->undone.len, NULL);
		if (slot)
			*slot = copy;
	}
	if (!copy || (share && !slot))
		rd->oom = true;
	return copy;
}

static const char *text_of(struct reader *rd, const char *key, json_object *v, struct arena *a)
{
	if (!json_object_is_type(v, json_type_string)) {
		fail(rd, key, "must be a string");
		return NULL;
	}
	const char *s = json_object_get_string(v);
	if (strlen(s) != (size_t)json_object_get_string_len(v)) {
		fail(rd, key, "must hold no NUL");
		return NULL;
	}
	str_clear(&rd->undone);
	esc_undo(&rd->undone, s);
	if (strlen(str_c(&rd->undone)) != rd->undone.len) {
		fail(rd, key, "must hold no NUL");
		return NULL;
	}
	return keep(rd, a);
}

static json_object *member(json_object *o, const char *key)
{
	json_object *v = NULL;
	return json_object_object_get_ex(o, key, &v) ? v : NULL;
}

static const char *get_text_in(struct reader *rd, json_object *o, const char *key, struct arena *a)
{
	json_object *v = member(o, key);
	return v ? text_of(rd, key, v, a) : NULL;
}

static const char *get_text(struct reader *rd, json_object *o, const char *key)
{
	return get_text_in(rd, o, key, &rd->r->arena);
}

/* As get_text(), and the member must be there. */
static const char *need_text(struct reader *rd, json_object *o, const char *key, struct arena *a)
{
	const char *s = get_text_in(rd, o, key, a);
	if (!s)
		fail(rd, key, "is missing");
	return s;
}

/* Absent: @fallback; null: NULL. */
static const char *get_text_or(struct reader *rd, json_object *o, const char *key, const char *fallback,
                               struct arena *a)
{
	json_object *v = NULL;
	if (!json_object_object_get_ex(o, key, &v))
		return fallback;
	return v ? text_of(rd, key, v, a) : NULL;
}

static uint64_t number(struct reader *rd, const char *key, json_object *v, uint64_t max)
{
	uint64_t n = 0;
	if (!json_object_is_type(v, json_type_int) || json_object_get_int64(v) < 0)
		fail(rd, key, "must be a whole number");
	else if ((n = json_object_get_uint64(v)) > max)
		fail(rd, key, "is too big");
	return n > max ? 0 : n;
}

static uint64_t get_num(struct reader *rd, json_object *o, const char *key, uint64_t max)
{
	json_object *v = member(o, key);
	return v ? number(rd, key, v, max) : 0;
}

static bool get_bool(struct reader *rd, json_object *o, const char *key)
{
	json_object *v = member(o, key);
	if (v && !json_object_is_type(v, json_type_boolean))
		fail(rd, key, "must be true or false");
	return v && json_object_get_boolean(v);
}

/* The word of member @key among @n of @words; @fallback when absent. */
static unsigned get_word(struct reader *rd, json_object *o, const char *key, const char *(*word)(unsigned),
                         unsigned n, unsigned fallback)
{
	json_object *v = member(o, key);
	if (!v)
		return fallback;
	if (!json_object_is_type(v, json_type_string)) {
		fail(rd, key, "must be a string");
		return fallback;
	}
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(word(i), json_object_get_string(v)))
			return i;
	fail(rd, key, "is no word this version knows");
	return fallback;
}

static const char *type_word(unsigned i)   { return file_type_word((enum file_type)i); }
static const char *fam_word(unsigned i)    { return family_word((enum family)i); }
static const char *oper_word(unsigned i)   { return op_word((enum op)i); }
static const char *source_word(unsigned i) { return rec_sources[i]; }
static const char *kind_word(unsigned i)   { return rec_words[i]; }

static struct hop *get_hops(struct reader *rd, json_object *o, struct arena *a, size_t *n)
{
	json_object *list = member(o, "hops");
	*n = 0;
	if (!list)
		return NULL;
	size_t len = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : SIZE_MAX;
	if (len > REC_HOPS_MAX) {
		fail(rd, "hops", "must be a list of at most 4096 pairs");
		return NULL;
	}
	struct hop *hops = arena_array(a, len, sizeof(*hops));
	if (!hops) {
		rd->oom = true;
		return NULL;
	}
	for (size_t i = 0; i < len; i++) {
		json_object *pair = json_object_array_get_idx(list, i);
		if (!json_object_is_type(pair, json_type_array) || json_object_array_length(pair) != 2) {
			fail(rd, "hops", "must be a list of pairs");
			return NULL;
		}
		hops[i].path = text_of(rd, "hops", json_object_array_get_idx(pair, 0), a);
		hops[i].text = text_of(rd, "hops", json_object_array_get_idx(pair, 1), a);
	}
	*n = len;
	return hops;
}

/* One more item of a list that lives in @arena; items and count are fields of @where. */
#define APPEND(rd, arena, where, list, count)                                                 \
	__extension__({                                                                       \
		struct { __typeof__((where)->list) items; size_t n; } v_ = { (where)->list, (where)->count }; \
		__typeof__((where)->list) new_ = ARENA_PUSH((arena), &v_, items, n);           \
		if (new_)                                                                      \
			(where)->list = v_.items, (where)->count = v_.n;                       \
		else                                                                           \
			(rd)->oom = true;                                                      \
		new_;                                                                          \
	})

/* Absolute, and as path_clean() would leave it. */
static bool clean(const char *path)
{
	if (path[0] != '/')
		return false;
	for (const char *p = path; p[0]; p++) {
		if (p[0] != '/' || (p == path && !p[1]))
			continue;
		size_t n = strcspn(p + 1, "/");
		if (n == 0 || (n == 1 && p[1] == '.') || (n == 2 && p[1] == '.' && p[2] == '.'))
			return false;
	}
	return true;
}

static void on_host(struct reader *rd, json_object *o)
{
	struct host *h = &rd->r->host;
	struct arena *a = &h->arena;
	rd->r->id = get_text(rd, o, "id");
#define HOST_TEXT(field) h->field = get_text_in(rd, o, #field, a);
	REC_HOST_TEXTS(HOST_TEXT)
#undef HOST_TEXT
	h->uid = (uint32_t)get_num(rd, o, "uid", UINT32_MAX);
	h->gid = (uint32_t)get_num(rd, o, "gid", UINT32_MAX);
	h->privileged = get_bool(rd, o, "privileged");
	json_object *groups = member(o, "groups");
	if (!groups)
		return;
	size_t n = json_object_is_type(groups, json_type_array) ? json_object_array_length(groups) : SIZE_MAX;
	if (n > REC_GROUPS_MAX) {
		fail(rd, "groups", "must be a list of at most 65536 numbers");
		return;
	}
	h->groups = arena_array(a, n, sizeof(*h->groups));
	rd->oom |= !h->groups;
	for (size_t i = 0; h->groups && i < n; i++)
		h->groups[h->ngroups++] =
			(uint32_t)number(rd, "groups", json_object_array_get_idx(groups, i), UINT32_MAX);
}

static void on_link(struct reader *rd, json_object *o)
{
	struct host *h = &rd->r->host;
	struct hop *l = APPEND(rd, &h->arena, h, links, nlinks);
	if (!l)
		return;
	l->path = need_text(rd, o, "path", &h->arena);
	l->text = need_text(rd, o, "text", &h->arena);
}

static void on_mount(struct reader *rd, json_object *o)
{
	struct host *h = &rd->r->host;
	struct host_mount *m = APPEND(rd, &h->arena, h, mounts, nmounts);
	if (!m)
		return;
	m->point = need_text(rd, o, "point", &h->arena);
	m->fstype = get_text_in(rd, o, "fstype", &h->arena);
	m->ro = get_bool(rd, o, "ro");
}

static void on_file(struct reader *rd, json_object *o)
{
	struct host *h = &rd->r->host;
	struct host_file f = { .path = need_text(rd, o, "path", &h->arena) };
	if (!f.path)
		return;
	if (!clean(f.path))
		fail(rd, "path", "must be absolute and clean");
	f.type = (enum file_type)get_word(rd, o, "type", type_word, FT_BLK + 1, FT_UNKNOWN);
	f.real = get_text_or(rd, o, "real", f.path, &h->arena);
	f.real_type = (enum file_type)get_word(rd, o, "rtype", type_word, FT_BLK + 1, FT_UNKNOWN);
	f.hops = get_hops(rd, o, &h->arena, &f.nhops);
	f.mode = (uint32_t)get_num(rd, o, "mode", 0177777);
	f.uid = (uint32_t)get_num(rd, o, "uid", UINT32_MAX);
	f.gid = (uint32_t)get_num(rd, o, "gid", UINT32_MAX);
	if (!rd->bad && !rd->oom && host_add_file(h, &f))
		rd->oom = true;
}

static void on_env(struct reader *rd, json_object *o)
{
	struct host *h = &rd->r->host;
	const char *name = need_text(rd, o, "name", &h->arena);
	const char **slot = name ? APPEND(rd, &h->arena, h, env, nenv) : NULL;
	if (slot)
		*slot = name;
}

static void on_arg(struct reader *rd, json_object *o)
{
	const char *text = need_text(rd, o, "text", &rd->r->arena);
	const char **slot = text ? APPEND(rd, &rd->r->arena, rd->r, argv, nargv) : NULL;
	if (slot)
		*slot = text;
}

static void on_proc(struct reader *rd, json_object *o)
{
	struct recording *r = rd->r;
	struct proc *p = APPEND(rd, &r->arena, r, procs, nprocs);
	if (!p)
		return;
	p->id = (uint32_t)get_num(rd, o, "id", UINT32_MAX);
	if (p->id != r->nprocs)
		fail(rd, "id", "must count from 1 in the order of the records");
	p->parent = (uint32_t)get_num(rd, o, "parent", REC_ITEMS_MAX);
	rd->max_proc = MAX(rd->max_proc, p->parent);
	p->pid = (int32_t)get_num(rd, o, "pid", INT32_MAX);
	p->replaces = get_bool(rd, o, "replaces");
	p->exe = get_text(rd, o, "exe");
	p->cwd = get_text(rd, o, "cwd");
	p->package = get_text(rd, o, "package");
	p->script = get_text(rd, o, "script");
	json_object *argv = member(o, "argv");
	if (!argv)
		return;
	size_t n = json_object_is_type(argv, json_type_array) ? json_object_array_length(argv) : SIZE_MAX;
	if (n > REC_PROC_WORDS) {
		fail(rd, "argv", "must be a list of at most 64 words");
		return;
	}
	p->argv = arena_array(&r->arena, n + 1, sizeof(*p->argv));
	rd->oom |= !p->argv;
	for (size_t i = 0; p->argv && i < n; i++)
		p->argv[i] = text_of(rd, "argv", json_object_array_get_idx(argv, i), &r->arena);
}

static void get_object(struct reader *rd, json_object *ev, const char *key, struct object *out)
{
	json_object *o = member(ev, key);
	struct arena *a = &rd->r->arena;
	if (!o)
		return;
	if (!json_object_is_type(o, json_type_object)) {
		fail(rd, key, "must be an object");
		return;
	}
	out->type = (enum file_type)get_word(rd, o, "type", type_word, FT_BLK + 1, FT_UNKNOWN);
	out->path = get_text(rd, o, "path");
	out->spelled = get_text_or(rd, o, "as", out->path, a);
	const char *dir = NULL;
	if (out->path && out->path[0] == '/' && !json_object_object_get_ex(o, "dir", NULL)) {
		str_clear(&rd->undone);
		str_add_mem(&rd->undone, out->path, path_parent_len(out->path));
		dir = keep(rd, a);
	}
	out->dir = get_text_or(rd, o, "dir", dir, a);
	out->hops = get_hops(rd, o, a, &out->nhops);
#define OBJ_NUM(name, field, max) out->field = (__typeof__(out->field))get_num(rd, o, name, max);
	REC_OBJECT_NUMS(OBJ_NUM)
#undef OBJ_NUM
	out->blocked = get_text(rd, o, "blocked");
}

/* A path is clean and absolute, or of a file without a place: "memfd:x", "deleted:/x". */
static bool clean_object(const struct object *o)
{
	bool placed = !strncmp(o->path, "memfd:", 6) || !strncmp(o->path, "deleted:", 8) || clean(o->path);
	for (size_t i = 0; placed && i < o->nhops; i++)
		placed = clean(o->hops[i].path);
	return placed && (!o->dir || clean(o->dir)) && (!o->blocked || clean(o->blocked));
}

/* A file access names its files by path, any other has a name. */
static bool names_its_objects(const struct access *a)
{
	for (int i = 0; access_is_file(a) && i < op_objects(a->op); i++)
		if (!a->obj[i].path || !clean_object(&a->obj[i]))
			return false;
	return a->obj[0].spelled;
}

static void on_event(struct reader *rd, json_object *o)
{
	struct event *ev = recording_add_event(rd->r);
	if (!ev) {
		rd->oom = true;
		return;
	}
	struct access *a = &ev->acc;
	ev->seq = get_num(rd, o, "seq", UINT64_MAX);
	if (ev->seq <= rd->last_seq)
		fail(rd, "seq", "must grow from record to record");
	rd->last_seq = ev->seq;
	ev->first_ns = get_num(rd, o, "ns", UINT64_MAX);
	ev->count = get_num(rd, o, "n", UINT64_MAX);
	ev->at_least = get_bool(rd, o, "more");
	ev->proc = (uint32_t)get_num(rd, o, "proc", REC_ITEMS_MAX);
	rd->max_proc = MAX(rd->max_proc, ev->proc);
	ev->source = (enum outcome_source)get_word(rd, o, "by", source_word, LEN(rec_sources), OUT_UNKNOWN);
	ev->outcome = (int)get_num(rd, o, "err", 4095);
	ev->survives = get_bool(rd, o, "survives");
	if (!member(o, "op"))
		fail(rd, "op", "is missing");
	a->op = (enum op)get_word(rd, o, "op", oper_word, OP_COUNT, OP_STAT);
	a->family = (enum family)get_word(rd, o, "family", fam_word, FAM_OTHER + 1, FAM_NONE);
	a->flags = (uint32_t)get_num(rd, o, "flags", UINT32_MAX);
	a->marks = (uint32_t)get_num(rd, o, "marks", UINT32_MAX);
	a->uid = (uint32_t)get_num(rd, o, "uid", UINT32_MAX);
	a->gid = (uint32_t)get_num(rd, o, "gid", UINT32_MAX);
	a->caps = get_bool(rd, o, "caps");
	a->port = (uint16_t)get_num(rd, o, "port", UINT16_MAX);
	a->text = get_text(rd, o, "text");
	get_object(rd, o, "a", &a->obj[0]);
	get_object(rd, o, "b", &a->obj[1]);
	if (rd->bad || names_its_objects(a))
		return;
	/* later stages take this for granted; the recording stays usable, and says so */
	rd->r->nevents--;
	rd->oom |= recording_add_incomplete(rd->r, "an access without a name was left out") != 0;
}

static void on_dir(struct reader *rd, json_object *o)
{
	struct recording *r = rd->r;
	struct dirfact *d = APPEND(rd, &r->arena, r, dirs, ndirs);
	if (!d)
		return;
	d->path = need_text(rd, o, "path", &r->arena);
	d->files = (uint32_t)get_num(rd, o, "files", UINT32_MAX);
	d->dirs = (uint32_t)get_num(rd, o, "dirs", UINT32_MAX);
	d->at_least = get_bool(rd, o, "more");
}

static void on_net(struct reader *rd, json_object *o)
{
	struct recording *r = rd->r;
	struct netfact *n = APPEND(rd, &r->arena, r, nets, nnets);
	if (!n)
		return;
	n->host = need_text(rd, o, "host", &r->arena);
	n->port = (uint16_t)get_num(rd, o, "port", UINT16_MAX);
	n->bypass = get_bool(rd, o, "bypass");
	n->connections = get_num(rd, o, "connections", UINT64_MAX);
	n->sent = get_num(rd, o, "sent", UINT64_MAX);
	n->received = get_num(rd, o, "received", UINT64_MAX);
	n->outcome = (int)get_num(rd, o, "err", 4095);
	n->proc = (uint32_t)get_num(rd, o, "proc", REC_ITEMS_MAX);
	rd->max_proc = MAX(rd->max_proc, n->proc);
}

static void on_incomplete(struct reader *rd, json_object *o)
{
	const char *why = need_text(rd, o, "why", &rd->r->arena);
	if (why && recording_add_incomplete(rd->r, why))
		rd->oom = true;
}

static void on_end(struct reader *rd, json_object *o)
{
	static const struct { const char *key; enum rec kind; } sums[] = {
		{ "procs", REC_PROC }, { "events", REC_EVENT }, { "dirs", REC_DIR }, { "nets", REC_NET },
	};
	json_object *status = member(o, "status");
	if (!json_object_is_type(status, json_type_int) || json_object_get_int64(status) < -1 ||
	    json_object_get_int64(status) > 255)
		fail(rd, "status", "must be -1 to 255");
	else
		rd->r->status = json_object_get_int(status);
	rd->r->ended = true;
	for (size_t i = 0; i < LEN(sums); i++)
		if (get_num(rd, o, sums[i].key, UINT64_MAX) != rd->counts[sums[i].kind] && !rd->bad &&
		    recording_add_incomplete(rd->r, "records are missing from the recording"))
			rd->oom = true;
}

static void (*const handlers[REC_COUNT])(struct reader *, json_object *) = {
	[REC_HOST] = on_host, [REC_LINK] = on_link,   [REC_MOUNT] = on_mount,           [REC_FILE] = on_file,
	[REC_ENV] = on_env,   [REC_ARG] = on_arg,     [REC_PROC] = on_proc,             [REC_EVENT] = on_event,
	[REC_DIR] = on_dir,   [REC_NET] = on_net,     [REC_INCOMPLETE] = on_incomplete, [REC_END] = on_end,
};

static void on_record(struct reader *rd, json_object *o)
{
	if (rd->line == 1) {
		const char *v = get_text(rd, o, "snug");
		if (!v || strcmp(v, REC_VERSION) != 0) {
			fail(rd, "snug", v ? "is a version this snug does not know (it reads " REC_VERSION ")"
			                   : "is missing: this is no recording");
			return;
		}
	}
	enum rec kind = (enum rec)get_word(rd, o, "k", kind_word, REC_COUNT, REC_COUNT);
	if (kind == REC_COUNT)
		fail(rd, "k", "is missing");
	else if ((kind == REC_HOST) != (rd->line == 1))
		fail(rd, "k", rd->line == 1 ? "must be host in the first record" : "may be host only in the first record");
	else if (rd->r->ended)
		fail(rd, "k", "follows the end record");
	else if (rd->counts[kind]++ == REC_ITEMS_MAX)
		fail(rd, "k", "stands in too many records");
	if (!rd->bad)
		handlers[kind](rd, o);
}

static int parse_line(struct reader *rd, json_tokener *tok, struct err *e)
{
	json_tokener_reset(tok);
	json_object *o = json_tokener_parse_ex(tok, rd->text.p, (int)rd->text.len);
	enum json_tokener_error je = json_tokener_get_error(tok);
	if (je == json_tokener_success && json_tokener_get_parse_end(tok) != rd->text.len)
		fail(rd, NULL, "more than one value in a line");
	else if (je != json_tokener_success)
		fail(rd, NULL, je == json_tokener_continue ? "the line ends inside a value" : json_tokener_error_desc(je));
	else if (!json_object_is_type(o, json_type_object))
		fail(rd, NULL, "not a JSON object");
	else
		on_record(rd, o);
	json_object_put(o);
	if (rd->oom)
		return err_set(e, ENOMEM, "out of memory");
	if (rd->bad)
		return err_set(e, EINVAL, "%s:%zu: %s%s%s", rd->name, rd->line, rd->key ? rd->key : "",
		               rd->key ? " " : "", rd->bad);
	return 0;
}

/* One line without its newline into rd->text. Return: 1 a line, 0 the end, 2 cut off inside a line; -errno. */
static int next_line(struct reader *rd, FILE *f, struct err *e)
{
	char buf[4096];
	size_t n = 0;
	int c;
	str_clear(&rd->text);
	while ((c = getc_unlocked(f)) != EOF && c != '\n') {
		buf[n++] = (char)c;
		if (n == sizeof(buf)) {
			str_add_mem(&rd->text, buf, n);
			n = 0;
			if (rd->text.len > REC_LINE_MAX)
				return err_set(e, EINVAL, "%s:%zu: line longer than 1 MiB", rd->name, rd->line + 1);
		}
	}
	str_add_mem(&rd->text, buf, n);
	if (rd->text.oom)
		return err_set(e, ENOMEM, "out of memory");
	if (ferror(f))
		return err_sys(e, "read %s", rd->name);
	rd->line++;
	return c == '\n' ? 1 : rd->text.len ? 2 : 0;
}

/* A cut-off recording may name processes whose records are lost. */
static void forget_unknown_procs(struct recording *r)
{
	for (size_t i = 0; i < r->nprocs; i++)
		if (r->procs[i].parent > r->nprocs)
			r->procs[i].parent = 0;
	for (size_t i = 0; i < r->nevents; i++)
		if (r->events[i].proc > r->nprocs)
			r->events[i].proc = 0;
	for (size_t i = 0; i < r->nnets; i++)
		if (r->nets[i].proc > r->nprocs)
			r->nets[i].proc = 0;
}

static int read_all(struct reader *rd, FILE *f, json_tokener *tok, struct err *e)
{
	int got;
	while ((got = next_line(rd, f, e)) == 1) {
		int rc = rd->text.len ? parse_line(rd, tok, e) : err_set(e, EINVAL, "%s:%zu: empty line", rd->name, rd->line);
		if (rc)
			return rc;
	}
	if (got < 0)
		return got;
	if (!rd->counts[REC_HOST])
		return err_set(e, EINVAL, "%s: not a recording: it has no complete first record", rd->name);
	if (got == 2 && rd->r->ended)
		return err_set(e, EINVAL, "%s:%zu: bytes follow the end record", rd->name, rd->line);
	if (!rd->r->ended && recording_add_incomplete(rd->r, "the recording has no end record"))
		return err_set(e, ENOMEM, "out of memory");
	if (rd->max_proc > rd->r->nprocs && rd->r->ended)
		return err_set(e, EINVAL, "%s: a record names process %" PRIu32 ", there are %zu", rd->name,
		               rd->max_proc, rd->r->nprocs);
	if (rd->max_proc > rd->r->nprocs)
		forget_unknown_procs(rd->r);
	return 0;
}

int recording_read(struct recording *out, FILE *f, const char *name, struct err *e)
{
	*out = (struct recording){ .status = -1 };
	struct reader rd = { .r = out, .name = name };
	json_tokener *tok = json_tokener_new_ex(REC_DEPTH);
	int rc = tok ? 0 : err_set(e, ENOMEM, "out of memory");
	if (tok)
		json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	if (!rc)
		rc = read_all(&rd, f, tok, e);
	if (tok)
		json_tokener_free(tok);
	map_drop(&rd.seen);
	str_drop(&rd.text);
	str_drop(&rd.undone);
	if (rc)
		recording_drop(out);
	return rc;
}
