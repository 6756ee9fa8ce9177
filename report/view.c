/* view.c - order of rows and the words of a report */
#include "report/view.h"

#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void view_drop(struct view *v)
{
	arena_drop(&v->arena);
	*v = (struct view){ 0 };
}

static int text_order(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

bool finding_is_remark(const struct finding *f)
{
	return f->heading == HEAD_NEEDS && !f->counts && f->judgement.verdict == V_PRIVATE;
}

/*
 * Probes of what was there (cpu lists, cgroup limits) come and go with the threads of a runtime, and whoever made them
 * does without: they would make two reports of the same command differ.
 */
static bool fleeting(const struct finding *f)
{
	return f->heading == HEAD_PROBE && f->outcome == 0;
}

/* A total order over what is shown, so that equal input gives equal bytes. */
static int row_order(const void *pa, const void *pb)
{
	const struct finding *a = *(const struct finding *const *)pa, *b = *(const struct finding *const *)pb;
	if (a->heading != b->heading)
		return a->heading < b->heading ? -1 : 1;
	if (a->credential != b->credential)
		return a->credential ? -1 : 1;
	if (finding_is_remark(a) != finding_is_remark(b))
		return finding_is_remark(b) ? -1 : 1;
	int r = text_order(a->who, b->who);
	if (r == 0 && a->kind != b->kind)
		r = a->kind < b->kind ? -1 : 1;
	if (r == 0)
		r = text_order(a->what, b->what);
	if (r == 0)
		r = text_order(a->grant, b->grant);
	return r ? r : text_order(a->note, b->note);
}

int view_make(struct view *out, const struct lesson *l, bool all, struct err *e)
{
	struct view v = { 0 };
	v.rows = arena_array(&v.arena, l->nfindings, sizeof(*v.rows));
	if (!v.rows)
		return err_set(e, ENOMEM, "out of memory");
	for (size_t i = 0; i < l->nfindings; i++) {
		const struct finding *f = &l->findings[i];
		if (!all && (fleeting(f) || (f->heading == HEAD_GRANTED && f->kind != NEED_HOST)))
			continue;
		v.nremarks += finding_is_remark(&l->findings[i]);
		v.rows[v.nrows++] = &l->findings[i];
		v.counts[l->findings[i].heading]++;
	}
	if (v.nrows)
		qsort(v.rows, v.nrows, sizeof(*v.rows), row_order);
	*out = v;
	return 0;
}

enum risk finding_risk(const struct finding *f, const struct host *h)
{
	bool write = f->kind == NEED_WRITE || f->kind == NEED_CREATE || f->kind == NEED_REMOVE;
	const struct risk_path *at = f->path ? risk_of_path(f->path, h->home, write) : NULL;
	enum risk r = at ? at->risk : RISK_NONE;
	if (f->kind == NEED_SYSCALL)
		r = risk_of_call(f->what);
	else if (f->kind == NEED_ENV)
		r = risk_of_variable(f->what);
	return r == RISK_NONE && f->credential ? RISK_DATA : r;
}

size_t report_findings(const struct lesson *l, bool all)
{
	size_t n = 0;
	for (size_t i = 0; i < l->nfindings; i++)
		n += l->findings[i].counts || (all && l->findings[i].counts_all);
	return n;
}

size_t report_left(const struct lesson *l)
{
	size_t n = 0;
	for (size_t i = 0; i < l->nfindings; i++)
		n += l->findings[i].counts && !l->findings[i].grant;
	return n;
}

const char *report_scope(const struct report *r)
{
	if (r->network_only)
		return "hosts";
	for (size_t i = 0; i < r->nrecs; i++) {
		const char *view = r->recs[i]->host.network_view;
		if (view && !strcmp(view, "off"))
			return "files";
	}
	return "all";
}

enum outcome report_outcome(const struct report *r)
{
	const struct lesson *l = r->lesson;
	if (r->timed_out)
		return OUTCOME_TIMEOUT;
	if (l->status > 0)
		return OUTCOME_COMMAND_FAILED;
	if (report_findings(l, r->check_all))
		return OUTCOME_FINDINGS;
	return l->nincomplete ? OUTCOME_INCOMPLETE : OUTCOME_CLEAN;
}

void proof_text(struct str *out, const struct proof *p)
{
	const char *denied = p->minimised && p->kept < p->lines ? "" : ", was denied nothing";
	if (!p->holds)
		str_fmt(out, "unverified: %s", p->reason ? p->reason : "it was not tried");
	else
		str_fmt(out, "verified: confined, it ended the same%s and left the same files", denied);
	if (p->holds && p->without && (!p->minimised || p->kept))
		str_fmt(out, "; without this, %s", p->without);
}

void proof_min_text(struct str *out, const struct proof *p)
{
	str_fmt(out, "minimised: %u of %u suggested lines left: ", p->kept, p->lines);
	if (!p->min_done)
		str_add(out, "after 20 runs some were not tried one by one");
	else
		str_add(out, p->kept ? "without any one of them it goes otherwise" : "it does without all of them");
}

const char *outcome_word(enum outcome o)
{
	switch (o) {
	case OUTCOME_SNUG_FAILED:
		return "snug-failed";
	case OUTCOME_TIMEOUT:
		return "timeout";
	case OUTCOME_COMMAND_FAILED:
		return "command-failed";
	case OUTCOME_FINDINGS:
		return "findings";
	case OUTCOME_INCOMPLETE:
		return "incomplete";
	case OUTCOME_CLEAN:
		return "clean";
	}
	return "snug-failed";
}

const char *heading_word(enum heading h)
{
	switch (h) {
	case HEAD_NEEDS:
		return "needs";
	case HEAD_LOST:
		return "written, then lost";
	case HEAD_PROBE:
		return "tried, not there";
	case HEAD_FAILED:
		return "failed anyway";
	case HEAD_SELF:
		return "made and used itself";
	case HEAD_GRANTED:
		return "already granted by";
	}
	return "?";
}

const char *kind_word(enum need_kind k)
{
	switch (k) {
	case NEED_READ:
		return "read";
	case NEED_LIST:
		return "list";
	case NEED_WRITE:
		return "write";
	case NEED_CREATE:
		return "create";
	case NEED_REMOVE:
		return "remove";
	case NEED_EXEC:
		return "run";
	case NEED_SOCKET:
		return "socket";
	case NEED_HOST:
		return "host";
	case NEED_LISTEN:
		return "listen";
	case NEED_SYSCALL:
		return "syscall";
	case NEED_ENV:
		return "variable";
	}
	return "?";
}

const char *necessity_word(enum necessity n)
{
	switch (n) {
	case NEC_REQUIRED:
		return "required";
	case NEC_CREATED:
		return "created";
	case NEC_PROBE:
		return "probe";
	case NEC_FAILED_ANYWAY:
		return "failed-anyway";
	case NEC_SELF_CREATED:
		return "self-created";
	case NEC_UNKNOWN:
		return "unknown";
	}
	return "?";
}

const char *errno_word(struct arena *a, int code)
{
	const char *name = strerrorname_np(code);
	return name ? name : arena_fmt(a, "%d", code);
}
