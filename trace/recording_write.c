/* recording_write.c - a recording as NDJSON */
#include "trace/recording.h"

#include "base/esc.h"
#include "base/path.h"
#include "base/str.h"
#include "trace/recording_format.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/*
 * One record is one line: "{" members "}". Members that are zero, false or NULL are left out, so the common
 * event is short; the reader puts the same values back.
 */
struct writer {
	struct str line;
	FILE *f;
	size_t counts[REC_COUNT];
	size_t too_long;
};

static void open_record(struct writer *w, enum rec kind)
{
	str_clear(&w->line);
	str_fmt(&w->line, "{\"k\":\"%s\"", rec_words[kind]);
}

static void member_text(struct str *s, const char *key, const char *v)
{
	if (!v)
		return;
	str_fmt(s, ",\"%s\":", key);
	esc_json(s, v);
}

static void member_num(struct str *s, const char *key, uint64_t v)
{
	if (v)
		str_fmt(s, ",\"%s\":%" PRIu64, key, v);
}

static void member_bool(struct str *s, const char *key, bool v)
{
	if (v)
		str_fmt(s, ",\"%s\":true", key);
}

/* As member_text(), where the reader's default is not NULL. */
static void member_text_or(struct str *s, const char *key, const char *v, const char *fallback)
{
	if (!v && fallback)
		str_fmt(s, ",\"%s\":null", key);
	else if (v && (!fallback || strcmp(v, fallback) != 0))
		member_text(s, key, v);
}

static void member_hops(struct str *s, const struct hop *hops, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		str_add(s, i ? ",[" : ",\"hops\":[[");
		esc_json(s, hops[i].path);
		str_add_char(s, ',');
		esc_json(s, hops[i].text);
		str_add_char(s, ']');
	}
	if (n)
		str_add_char(s, ']');
}

static int put(struct writer *w, enum rec kind, struct err *e)
{
	str_add(&w->line, "}\n");
	if (w->line.oom)
		return err_set(e, ENOMEM, "out of memory");
	if (w->line.len > REC_LINE_MAX) {
		w->too_long++;
		return 0;
	}
	errno = 0;
	if (fwrite(w->line.p, 1, w->line.len, w->f) != w->line.len)
		return err_set(e, errno ? errno : EIO, "write recording: %s", strerror(errno ? errno : EIO));
	w->counts[kind]++;
	return 0;
}

static int put_host(struct writer *w, const struct recording *r, struct err *e)
{
	const struct host *h = &r->host;
	str_clear(&w->line);
	str_fmt(&w->line, "{\"snug\":\"%s\",\"k\":\"%s\"", REC_VERSION, rec_words[REC_HOST]);
	struct str *s = &w->line;
	member_text(s, "id", r->id);
#define HOST_TEXT(field) member_text(s, #field, h->field);
	REC_HOST_TEXTS(HOST_TEXT)
#undef HOST_TEXT
	member_num(s, "uid", h->uid);
	member_num(s, "gid", h->gid);
	for (size_t i = 0; i < h->ngroups; i++)
		str_fmt(s, "%s%" PRIu32, i ? "," : ",\"groups\":[", h->groups[i]);
	if (h->ngroups)
		str_add_char(s, ']');
	member_bool(s, "privileged", h->privileged);
	return put(w, REC_HOST, e);
}

static int put_host_lists(struct writer *w, const struct host *h, struct err *e)
{
	struct str *s = &w->line;
	int rc = 0;
	for (size_t i = 0; !rc && i < h->nlinks; i++) {
		open_record(w, REC_LINK);
		member_text(s, "path", h->links[i].path);
		member_text(s, "text", h->links[i].text);
		rc = put(w, REC_LINK, e);
	}
	for (size_t i = 0; !rc && i < h->nmounts; i++) {
		open_record(w, REC_MOUNT);
		member_text(s, "point", h->mounts[i].point);
		member_text(s, "fstype", h->mounts[i].fstype);
		member_bool(s, "ro", h->mounts[i].ro);
		rc = put(w, REC_MOUNT, e);
	}
	for (size_t i = 0; !rc && i < h->nfiles; i++) {
		const struct host_file *f = &h->files[i];
		open_record(w, REC_FILE);
		member_text(s, "path", f->path);
		str_fmt(s, ",\"type\":\"%s\"", file_type_word(f->type));
		member_text_or(s, "real", f->real, f->path);
		str_fmt(s, ",\"rtype\":\"%s\"", file_type_word(f->real_type));
		member_hops(s, f->hops, f->nhops);
		member_num(s, "mode", f->mode);
		member_num(s, "uid", f->uid);
		member_num(s, "gid", f->gid);
		rc = put(w, REC_FILE, e);
	}
	for (size_t i = 0; !rc && i < h->nenv; i++) {
		open_record(w, REC_ENV);
		member_text(s, "name", h->env[i]);
		rc = put(w, REC_ENV, e);
	}
	return rc;
}

static int put_proc(struct writer *w, const struct proc *p, struct err *e)
{
	struct str *s = &w->line;
	open_record(w, REC_PROC);
	member_num(s, "id", p->id);
	member_num(s, "parent", p->parent);
	member_num(s, "pid", (uint64_t)(p->pid > 0 ? p->pid : 0));
	member_bool(s, "replaces", p->replaces);
	member_text(s, "exe", p->exe);
	member_text(s, "cwd", p->cwd);
	member_text(s, "package", p->package);
	member_text(s, "script", p->script);
	if (p->argv) {
		size_t from = s->len, at;
		str_add(s, ",\"argv\":[");
		for (size_t i = 0; i < REC_PROC_WORDS && p->argv[i]; i++) {
			at = s->len;
			if (i)
				str_add_char(s, ',');
			esc_json(s, p->argv[i]);
			if (s->len - from > REC_ARGV_BYTES) {
				str_cut(s, at);
				break;
			}
		}
		str_add_char(s, ']');
	}
	return put(w, REC_PROC, e);
}

static void member_object(struct str *s, const char *key, const struct object *o)
{
	str_fmt(s, ",\"%s\":{\"type\":\"%s\"", key, file_type_word(o->type));
	member_text(s, "path", o->path);
	member_text_or(s, "as", o->spelled, o->path);
	if (o->path && o->path[0] == '/') {
		size_t n = path_parent_len(o->path);
		if (!o->dir)
			str_add(s, ",\"dir\":null");
		else if (strlen(o->dir) != n || memcmp(o->dir, o->path, n) != 0)
			member_text(s, "dir", o->dir);
	} else {
		member_text(s, "dir", o->dir);
	}
	member_hops(s, o->hops, o->nhops);
#define OBJ_NUM(name, field, max) member_num(s, name, (uint64_t)o->field);
	REC_OBJECT_NUMS(OBJ_NUM)
#undef OBJ_NUM
	member_text(s, "blocked", o->blocked);
	str_add_char(s, '}');
}

static bool object_empty(const struct object *o)
{
	static const struct object none;
	return !memcmp(o, &none, sizeof(none));
}

static int put_event(struct writer *w, const struct event *ev, struct err *e)
{
	struct str *s = &w->line;
	const struct access *a = &ev->acc;
	open_record(w, REC_EVENT);
	str_fmt(s, ",\"seq\":%" PRIu64, ev->seq);
	member_num(s, "ns", ev->first_ns);
	member_num(s, "n", ev->count);
	member_bool(s, "more", ev->at_least);
	member_num(s, "proc", ev->proc);
	str_fmt(s, ",\"op\":\"%s\"", op_word(a->op));
	if (a->family)
		str_fmt(s, ",\"family\":\"%s\"", family_word(a->family));
	member_num(s, "flags", a->flags);
	member_num(s, "marks", a->marks);
	member_num(s, "uid", a->uid);
	member_num(s, "gid", a->gid);
	member_bool(s, "caps", a->caps);
	member_num(s, "port", a->port);
	member_text(s, "text", a->text);
	if (ev->source)
		str_fmt(s, ",\"by\":\"%s\"", rec_sources[ev->source]);
	member_num(s, "err", (uint64_t)(ev->outcome > 0 ? ev->outcome : 0));
	member_bool(s, "survives", ev->survives);
	member_object(s, "a", &a->obj[0]);
	if (!object_empty(&a->obj[1]))
		member_object(s, "b", &a->obj[1]);
	return put(w, REC_EVENT, e);
}

static int put_sums(struct writer *w, const struct recording *r, struct err *e)
{
	struct str *s = &w->line;
	int rc = 0;
	for (size_t i = 0; !rc && i < r->ndirs; i++) {
		open_record(w, REC_DIR);
		member_text(s, "path", r->dirs[i].path);
		member_num(s, "files", r->dirs[i].files);
		member_num(s, "dirs", r->dirs[i].dirs);
		member_bool(s, "more", r->dirs[i].at_least);
		rc = put(w, REC_DIR, e);
	}
	for (size_t i = 0; !rc && i < r->nnets; i++) {
		const struct netfact *n = &r->nets[i];
		open_record(w, REC_NET);
		member_text(s, "host", n->host);
		member_num(s, "port", n->port);
		member_bool(s, "bypass", n->bypass);
		member_num(s, "connections", n->connections);
		member_num(s, "sent", n->sent);
		member_num(s, "received", n->received);
		member_num(s, "err", (uint64_t)(n->outcome > 0 ? n->outcome : 0));
		member_num(s, "proc", n->proc);
		rc = put(w, REC_NET, e);
	}
	return rc;
}

static int put_why(struct writer *w, const char *why, struct err *e)
{
	open_record(w, REC_INCOMPLETE);
	member_text(&w->line, "why", why);
	return put(w, REC_INCOMPLETE, e);
}

static int put_tail(struct writer *w, const struct recording *r, struct err *e)
{
	struct str *s = &w->line;
	int rc = 0;
	for (size_t i = 0; !rc && i < r->nincomplete; i++)
		rc = put_why(w, r->incomplete[i], e);
	if (!rc && w->too_long)
		rc = put_why(w, "an access was too long to be stored", e);
	if (rc || !r->ended)
		return rc;
	open_record(w, REC_END);
	str_fmt(s, ",\"status\":%d,\"procs\":%zu,\"events\":%zu,\"dirs\":%zu,\"nets\":%zu", r->status,
	        w->counts[REC_PROC], w->counts[REC_EVENT], w->counts[REC_DIR], w->counts[REC_NET]);
	return put(w, REC_END, e);
}

static int put_all(struct writer *w, const struct recording *r, struct err *e)
{
	int rc = put_host(w, r, e);
	if (!rc)
		rc = put_host_lists(w, &r->host, e);
	for (size_t i = 0; !rc && i < r->nargv; i++) {
		open_record(w, REC_ARG);
		member_text(&w->line, "text", r->argv[i]);
		rc = put(w, REC_ARG, e);
	}
	for (size_t i = 0; !rc && i < r->nprocs; i++)
		rc = put_proc(w, &r->procs[i], e);
	for (size_t i = 0; !rc && i < r->nevents; i++)
		rc = put_event(w, &r->events[i], e);
	if (!rc)
		rc = put_sums(w, r, e);
	if (!rc)
		rc = put_tail(w, r, e);
	return rc;
}

int recording_write(const struct recording *r, FILE *f, struct err *e)
{
	struct writer w = { .f = f };
	int rc = put_all(&w, r, e);
	str_drop(&w.line);
	if (!rc && fflush(f))
		rc = err_sys(e, "write recording");
	return rc;
}
