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
 * event is short; the reader puts the same values back. Lines are gathered and written in large pieces.
 * @text: lines, the last of which begins at @start
 */
struct writer {
	struct str text;
	size_t start;
	FILE *f;
	size_t counts[REC_COUNT];
	size_t too_long;
};

enum { PIECE = 256 << 10, DIGITS = 20 };

static void open_record(struct writer *w, enum rec kind)
{
	w->start = w->text.len;
	str_add(&w->text, "{\"k\":\"");
	str_add(&w->text, rec_words[kind]);
	str_add_char(&w->text, '"');
}

/* ,"KEY": with room for @more bytes behind it, where the value goes. */
static char *key(struct str *s, const char *name, size_t more)
{
	size_t n = strlen(name);
	char *p = str_room(s, n + 4 + more);
	if (!p)
		return NULL;
	*p++ = ',';
	*p++ = '"';
	p = mempcpy(p, name, n);
	*p++ = '"';
	*p++ = ':';
	str_end(s, n + 4);
	return p;
}

static void member_text(struct str *s, const char *name, const char *v)
{
	if (v && key(s, name, 0))
		esc_json(s, v);
}

/* A value that needs no quoting inside: a word of ours. */
static void member_word(struct str *s, const char *name, const char *word)
{
	size_t n = strlen(word);
	char *p = key(s, name, n + 2);
	if (!p)
		return;
	*p++ = '"';
	p = mempcpy(p, word, n);
	*p = '"';
	str_end(s, n + 2);
}

static void member_num(struct str *s, const char *name, uint64_t v)
{
	char digits[DIGITS];
	size_t n = 0;
	char *p = v ? key(s, name, DIGITS) : NULL;
	if (!p)
		return;
	for (; v; v /= 10)
		digits[n++] = (char)('0' + v % 10);
	for (size_t i = 0; i < n; i++)
		p[i] = digits[n - 1 - i];
	str_end(s, n);
}

static void member_bool(struct str *s, const char *name, bool v)
{
	if (v && key(s, name, 0))
		str_add(s, "true");
}

/* As member_text(), where the reader's default is not NULL. */
static void member_text_or(struct str *s, const char *name, const char *v, const char *fallback)
{
	if (!v && fallback && key(s, name, 0))
		str_add(s, "null");
	else if (v && (!fallback || strcmp(v, fallback) != 0))
		member_text(s, name, v);
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

static int flush(struct writer *w, struct err *e)
{
	size_t n = w->text.len;
	errno = 0;
	if (n && fwrite(w->text.p, 1, n, w->f) != n)
		return err_set(e, errno ? errno : EIO, "write recording: %s", strerror(errno ? errno : EIO));
	str_clear(&w->text);
	return 0;
}

static int put(struct writer *w, enum rec kind, struct err *e)
{
	str_add(&w->text, "}\n");
	if (w->text.oom)
		return err_set(e, ENOMEM, "out of memory");
	if (w->text.len - w->start > REC_LINE_MAX) {
		w->too_long++;
		str_cut(&w->text, w->start);
		return 0;
	}
	w->counts[kind]++;
	return w->text.len < PIECE ? 0 : flush(w, e);
}

static int put_host(struct writer *w, const struct recording *r, struct err *e)
{
	const struct host *h = &r->host;
	struct str *s = &w->text;
	str_fmt(s, "{\"snug\":\"%s\",\"k\":\"%s\"", REC_VERSION, rec_words[REC_HOST]);
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
	struct str *s = &w->text;
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
		member_word(s, "type", file_type_word(f->type));
		member_text_or(s, "real", f->real, f->path);
		member_word(s, "rtype", file_type_word(f->real_type));
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
	struct str *s = &w->text;
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

static void member_object(struct str *s, const char *name, const struct object *o)
{
	if (!key(s, name, 0))
		return;
	str_add(s, "{\"type\":\"");
	str_add(s, file_type_word(o->type));
	str_add_char(s, '"');
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
	struct str *s = &w->text;
	const struct access *a = &ev->acc;
	open_record(w, REC_EVENT);
	member_num(s, "seq", ev->seq);
	member_num(s, "ns", ev->first_ns);
	member_num(s, "n", ev->count);
	member_bool(s, "more", ev->at_least);
	member_num(s, "proc", ev->proc);
	member_word(s, "op", op_word(a->op));
	if (a->family)
		member_word(s, "family", family_word(a->family));
	member_num(s, "flags", a->flags);
	member_num(s, "marks", a->marks);
	member_num(s, "uid", a->uid);
	member_num(s, "gid", a->gid);
	member_bool(s, "caps", a->caps);
	member_num(s, "port", a->port);
	member_text(s, "text", a->text);
	if (ev->source)
		member_word(s, "by", rec_sources[ev->source]);
	member_num(s, "err", (uint64_t)(ev->outcome > 0 ? ev->outcome : 0));
	member_bool(s, "survives", ev->survives);
	member_object(s, "a", &a->obj[0]);
	if (!object_empty(&a->obj[1]))
		member_object(s, "b", &a->obj[1]);
	return put(w, REC_EVENT, e);
}

static int put_sums(struct writer *w, const struct recording *r, struct err *e)
{
	struct str *s = &w->text;
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
	member_text(&w->text, "why", why);
	return put(w, REC_INCOMPLETE, e);
}

static int put_tail(struct writer *w, const struct recording *r, struct err *e)
{
	struct str *s = &w->text;
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
		member_text(&w->text, "text", r->argv[i]);
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
	if (!rc)
		rc = flush(&w, e);
	str_drop(&w.text);
	if (!rc && fflush(f))
		rc = err_sys(e, "write recording");
	return rc;
}
