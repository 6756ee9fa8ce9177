/* recording_read.c - a recording from NDJSON; every byte is hostile */
#include "trace/recording_fields.h"

#include "base/path.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/*
 * How this works: a line is parsed where it lies (base/jsonline), then each member is fetched by name with its type and
 * range checked; the first failure of a line is kept in the reader and reported once, with file and line.
 */

enum { PIECE = 256 << 10 }; /* read at once */

static const char *type_word(unsigned i)   { return file_type_word((enum file_type)i); }
static const char *fam_word(unsigned i)    { return family_word((enum family)i); }
static const char *oper_word(unsigned i)   { return op_word((enum op)i); }
static const char *source_word(unsigned i) { return rec_sources[i]; }
static const char *kind_word(unsigned i)   { return rec_words[i]; }

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

static void on_host(struct reader *rd, uint32_t o)
{
	struct host *h = &rd->r->host;
	struct arena *a = &h->arena;
	rd->r->id = field_get(rd, o, "id");
#define HOST_TEXT(field) h->field = field_text_in(rd, o, #field, a);
	REC_HOST_TEXTS(HOST_TEXT)
#undef HOST_TEXT
	h->uid = (uint32_t)field_num(rd, o, "uid", UINT32_MAX);
	h->gid = (uint32_t)field_num(rd, o, "gid", UINT32_MAX);
	h->privileged = field_bool(rd, o, "privileged");
	size_t n;
	uint32_t at = field_list(rd, o, "groups", REC_GROUPS_MAX, "must be a list of at most 65536 numbers", &n);
	h->groups = at ? arena_array(a, n, sizeof(*h->groups)) : NULL;
	rd->oom |= at && !h->groups;
	for (; h->groups && h->ngroups < n; at = rd->json.items[at].end)
		h->groups[h->ngroups++] = (uint32_t)field_number(rd, "groups", &rd->json.items[at], UINT32_MAX);
}

static void on_link(struct reader *rd, uint32_t o)
{
	struct host *h = &rd->r->host;
	struct hop *l = APPEND(rd, &h->arena, h, links, nlinks);
	if (!l)
		return;
	l->path = field_need(rd, o, "path", &h->arena);
	l->text = field_need(rd, o, "text", &h->arena);
}

static void on_mount(struct reader *rd, uint32_t o)
{
	struct host *h = &rd->r->host;
	struct host_mount *m = APPEND(rd, &h->arena, h, mounts, nmounts);
	if (!m)
		return;
	m->point = field_need(rd, o, "point", &h->arena);
	m->fstype = field_text_in(rd, o, "fstype", &h->arena);
	m->ro = field_bool(rd, o, "ro");
}

static void on_file(struct reader *rd, uint32_t o)
{
	struct host *h = &rd->r->host;
	struct host_file f = { .path = field_need(rd, o, "path", &h->arena) };
	if (!f.path)
		return;
	if (!field_clean_path(f.path))
		field_bad(rd, "path", "must be absolute and clean");
	f.type = (enum file_type)field_word(rd, o, "type", type_word, FT_BLK + 1, FT_UNKNOWN);
	f.real = field_get_or(rd, o, "real", f.path, &h->arena);
	f.real_type = (enum file_type)field_word(rd, o, "rtype", type_word, FT_BLK + 1, FT_UNKNOWN);
	f.hops = field_hops(rd, o, &h->arena, &f.nhops);
	f.mode = (uint32_t)field_num(rd, o, "mode", 0177777);
	f.uid = (uint32_t)field_num(rd, o, "uid", UINT32_MAX);
	f.gid = (uint32_t)field_num(rd, o, "gid", UINT32_MAX);
	if (!rd->bad && !rd->oom && host_add_file(h, &f))
		rd->oom = true;
}

static void on_env(struct reader *rd, uint32_t o)
{
	struct host *h = &rd->r->host;
	const char *name = field_need(rd, o, "name", &h->arena);
	const char **slot = name ? APPEND(rd, &h->arena, h, env, nenv) : NULL;
	if (slot)
		*slot = name;
}

static void on_arg(struct reader *rd, uint32_t o)
{
	const char *text = field_need(rd, o, "text", &rd->r->arena);
	const char **slot = text ? APPEND(rd, &rd->r->arena, rd->r, argv, nargv) : NULL;
	if (slot)
		*slot = text;
}

static void on_proc(struct reader *rd, uint32_t o)
{
	struct recording *r = rd->r;
	struct proc *p = APPEND(rd, &r->arena, r, procs, nprocs);
	if (!p)
		return;
	p->id = (uint32_t)field_num(rd, o, "id", UINT32_MAX);
	if (p->id != r->nprocs)
		field_bad(rd, "id", "must count from 1 in the order of the records");
	p->parent = (uint32_t)field_num(rd, o, "parent", REC_ITEMS_MAX);
	rd->max_proc = MAX(rd->max_proc, p->parent);
	p->pid = (int32_t)field_num(rd, o, "pid", INT32_MAX);
	p->replaces = field_bool(rd, o, "replaces");
	p->exe = field_get(rd, o, "exe");
	p->cwd = field_get(rd, o, "cwd");
	p->package = field_get(rd, o, "package");
	p->script = field_get(rd, o, "script");
	size_t n;
	uint32_t at = field_list(rd, o, "argv", REC_PROC_WORDS, "must be a list of at most 64 words", &n);
	p->argv = at ? arena_array(&r->arena, n + 1, sizeof(*p->argv)) : NULL;
	rd->oom |= at && !p->argv;
	for (size_t i = 0; p->argv && i < n; i++, at = rd->json.items[at].end)
		p->argv[i] = field_text(rd, "argv", &rd->json.items[at], &r->arena);
}

static void get_object(struct reader *rd, uint32_t ev, const char *key, struct object *out)
{
	const struct json_value *v = field_of(rd, ev, key);
	struct arena *a = &rd->r->arena;
	if (!v)
		return;
	if (v->kind != JSON_OBJECT) {
		field_bad(rd, key, "must be an object");
		return;
	}
	uint32_t o = (uint32_t)(v - rd->json.items);
	out->type = (enum file_type)field_word(rd, o, "type", type_word, FT_BLK + 1, FT_UNKNOWN);
	out->path = field_get(rd, o, "path");
	out->spelled = field_get_or(rd, o, "as", out->path, a);
	const char *dir = NULL;
	if (out->path && out->path[0] == '/' && !jsonline_get(&rd->json, o, "dir"))
		dir = field_keep(rd, out->path, path_parent_len(out->path), a);
	out->dir = field_get_or(rd, o, "dir", dir, a);
	out->hops = field_hops(rd, o, a, &out->nhops);
#define OBJ_NUM(name, field, max) out->field = (__typeof__(out->field))field_num(rd, o, name, max);
	REC_OBJECT_NUMS(OBJ_NUM)
#undef OBJ_NUM
	out->blocked = field_get(rd, o, "blocked");
}

/* A path is clean and absolute, or of a file without a place: "memfd:x", "deleted:/x". */
static bool clean_object(const struct object *o)
{
	bool placed = !strncmp(o->path, "memfd:", 6) || !strncmp(o->path, "deleted:", 8) || field_clean_path(o->path);
	for (size_t i = 0; placed && i < o->nhops; i++)
		placed = field_clean_path(o->hops[i].path);
	return placed && (!o->dir || field_clean_path(o->dir)) && (!o->blocked || field_clean_path(o->blocked));
}

/* A file access names its files by path, any other has a name. */
static bool names_its_objects(const struct access *a)
{
	for (int i = 0; access_is_file(a) && i < op_objects(a->op); i++)
		if (!a->obj[i].path || !clean_object(&a->obj[i]))
			return false;
	return a->obj[0].spelled;
}

static void on_event(struct reader *rd, uint32_t o)
{
	struct event *ev = recording_add_event(rd->r);
	if (!ev) {
		rd->oom = true;
		return;
	}
	struct access *a = &ev->acc;
	ev->seq = field_num(rd, o, "seq", UINT64_MAX);
	if (ev->seq <= rd->last_seq)
		field_bad(rd, "seq", "must grow from record to record");
	rd->last_seq = ev->seq;
	ev->first_ns = field_num(rd, o, "ns", UINT64_MAX);
	ev->count = field_num(rd, o, "n", UINT64_MAX);
	ev->at_least = field_bool(rd, o, "more");
	ev->proc = (uint32_t)field_num(rd, o, "proc", REC_ITEMS_MAX);
	rd->max_proc = MAX(rd->max_proc, ev->proc);
	ev->source = (enum outcome_source)field_word(rd, o, "by", source_word, LEN(rec_sources), OUT_UNKNOWN);
	ev->outcome = (int)field_num(rd, o, "err", 4095);
	ev->survives = field_bool(rd, o, "survives");
	if (!field_of(rd, o, "op"))
		field_bad(rd, "op", "is missing");
	a->op = (enum op)field_word(rd, o, "op", oper_word, OP_COUNT, OP_STAT);
	a->family = (enum family)field_word(rd, o, "family", fam_word, FAM_OTHER + 1, FAM_NONE);
	a->flags = (uint32_t)field_num(rd, o, "flags", UINT32_MAX);
	a->marks = (uint32_t)field_num(rd, o, "marks", UINT32_MAX);
	a->uid = (uint32_t)field_num(rd, o, "uid", UINT32_MAX);
	a->gid = (uint32_t)field_num(rd, o, "gid", UINT32_MAX);
	a->caps = field_bool(rd, o, "caps");
	a->port = (uint16_t)field_num(rd, o, "port", UINT16_MAX);
	a->text = field_get(rd, o, "text");
	get_object(rd, o, "a", &a->obj[0]);
	get_object(rd, o, "b", &a->obj[1]);
	if (rd->bad || names_its_objects(a))
		return;
	/* later stages take this for granted; the recording stays usable, and says so */
	rd->r->nevents--;
	rd->oom |= recording_add_incomplete(rd->r, "an access without a name was left out") != 0;
}

static void on_dir(struct reader *rd, uint32_t o)
{
	struct recording *r = rd->r;
	struct dirfact *d = APPEND(rd, &r->arena, r, dirs, ndirs);
	if (!d)
		return;
	d->path = field_need(rd, o, "path", &r->arena);
	d->files = (uint32_t)field_num(rd, o, "files", UINT32_MAX);
	d->dirs = (uint32_t)field_num(rd, o, "dirs", UINT32_MAX);
	d->at_least = field_bool(rd, o, "more");
}

static void on_net(struct reader *rd, uint32_t o)
{
	struct recording *r = rd->r;
	struct netfact *n = APPEND(rd, &r->arena, r, nets, nnets);
	if (!n)
		return;
	n->host = field_need(rd, o, "host", &r->arena);
	n->port = (uint16_t)field_num(rd, o, "port", UINT16_MAX);
	n->bypass = field_bool(rd, o, "bypass");
	n->connections = field_num(rd, o, "connections", UINT64_MAX);
	n->sent = field_num(rd, o, "sent", UINT64_MAX);
	n->received = field_num(rd, o, "received", UINT64_MAX);
	n->outcome = (int)field_num(rd, o, "err", 4095);
	n->proc = (uint32_t)field_num(rd, o, "proc", REC_ITEMS_MAX);
	rd->max_proc = MAX(rd->max_proc, n->proc);
}

static void on_incomplete(struct reader *rd, uint32_t o)
{
	const char *why = field_need(rd, o, "why", &rd->r->arena);
	if (why && recording_add_incomplete(rd->r, why))
		rd->oom = true;
}

static void on_end(struct reader *rd, uint32_t o)
{
	static const struct { const char *key; enum rec kind; } sums[] = {
		{ "procs", REC_PROC }, { "events", REC_EVENT }, { "dirs", REC_DIR }, { "nets", REC_NET },
	};
	const struct json_value *status = field_of(rd, o, "status");
	bool below = status && status->minus && status->n;
	if (!status || status->kind != JSON_WHOLE || status->n > (below ? 1 : 255))
		field_bad(rd, "status", "must be -1 to 255");
	else
		rd->r->status = below ? -1 : (int)status->n;
	rd->r->ended = true;
	for (size_t i = 0; i < LEN(sums); i++)
		if (field_num(rd, o, sums[i].key, UINT64_MAX) != rd->counts[sums[i].kind] && !rd->bad &&
		    recording_add_incomplete(rd->r, "records are missing from the recording"))
			rd->oom = true;
}

static void (*const handlers[REC_COUNT])(struct reader *, uint32_t) = {
	[REC_HOST] = on_host, [REC_LINK] = on_link,   [REC_MOUNT] = on_mount,           [REC_FILE] = on_file,
	[REC_ENV] = on_env,   [REC_ARG] = on_arg,     [REC_PROC] = on_proc,             [REC_EVENT] = on_event,
	[REC_DIR] = on_dir,   [REC_NET] = on_net,     [REC_INCOMPLETE] = on_incomplete, [REC_END] = on_end,
};

static void on_record(struct reader *rd, uint32_t o)
{
	if (rd->line == 1) {
		const char *v = field_get(rd, o, "snug");
		if (!v || strcmp(v, REC_VERSION) != 0) {
			field_bad(rd, "snug", v ? "is a version this snug does not know (it reads " REC_VERSION ")"
			                   : "is missing: this is no recording");
			return;
		}
	}
	enum rec kind = (enum rec)field_word(rd, o, "k", kind_word, REC_COUNT, REC_COUNT);
	if (kind == REC_COUNT)
		field_bad(rd, "k", "is missing");
	else if ((kind == REC_HOST) != (rd->line == 1))
		field_bad(rd, "k", rd->line == 1 ? "must be host in the first record" : "may be host only in the first record");
	else if (rd->r->ended)
		field_bad(rd, "k", "follows the end record");
	else if (rd->counts[kind]++ == REC_ITEMS_MAX)
		field_bad(rd, "k", "stands in too many records");
	if (!rd->bad && kind < REC_COUNT)
		handlers[kind](rd, o);
}

static int parse_line(struct reader *rd, char *text, size_t len, struct err *e)
{
	int rc = jsonline_read(&rd->json, text, len);
	if (rc == -EINVAL)
		field_bad(rd, NULL, rd->json.bad);
	else if (!rc && rd->json.items[0].kind != JSON_OBJECT)
		field_bad(rd, NULL, "not a JSON object");
	else if (!rc)
		on_record(rd, 0);
	if (rd->oom || rc == -ENOMEM)
		return err_set(e, ENOMEM, "out of memory");
	if (rd->bad)
		return err_set(e, EINVAL, "%s:%zu: %s%s%s", rd->name, rd->line, rd->key ? rd->key : "",
		               rd->key ? " " : "", rd->bad);
	return 0;
}

/* More bytes of the file behind those that wait in rd->text. Return: how many, or -errno. */
static ssize_t fill(struct reader *rd, FILE *f, struct err *e)
{
	size_t left = rd->text.len - rd->from;
	if (left)
		memmove(rd->text.p, rd->text.p + rd->from, left);
	str_cut(&rd->text, left);
	rd->from = 0;
	char *p = str_room(&rd->text, PIECE);
	if (!p)
		return err_set(e, ENOMEM, "out of memory");
	errno = 0;
	size_t n = fread(p, 1, PIECE, f);
	str_end(&rd->text, n);
	return ferror(f) ? err_sys(e, "read %s", rd->name) : (ssize_t)n;
}

/* One line without its newline. Return: 1 a line, 0 the end, 2 cut off inside a line; -errno. */
static int next_line(struct reader *rd, FILE *f, char **line, size_t *len, struct err *e)
{
	size_t looked = 0;
	for (;;) {
		size_t left = rd->text.len - rd->from;
		char *at = left ? rd->text.p + rd->from : NULL;
		char *end = left > looked ? memchr(at + looked, '\n', left - looked) : NULL;
		if ((end ? (size_t)(end - at) : left) > REC_LINE_MAX)
			return err_set(e, EINVAL, "%s:%zu: line longer than 1 MiB", rd->name, rd->line + 1);
		if (end) {
			*line = at;
			*len = (size_t)(end - at);
			rd->from += *len + 1;
			rd->line++;
			return 1;
		}
		looked = left;
		ssize_t more = fill(rd, f, e);
		if (more < 0)
			return (int)more;
		if (!more) {
			rd->line++;
			return left ? 2 : 0;
		}
	}
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

static int read_all(struct reader *rd, FILE *f, struct err *e)
{
	int got;
	char *line = NULL;
	size_t len = 0;
	while ((got = next_line(rd, f, &line, &len, e)) == 1) {
		int rc = len ? parse_line(rd, line, len, e) : err_set(e, EINVAL, "%s:%zu: empty line", rd->name, rd->line);
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
	int rc = read_all(&rd, f, e);
	jsonline_drop(&rd.json);
	map_drop(&rd.seen);
	str_drop(&rd.text);
	str_drop(&rd.undone);
	if (rc)
		recording_drop(out);
	return rc;
}
