/* audit.c - a recording kept, learnt from, verified and told, in this order */
#include "cli/audit.h"

#include "cli/hint.h"
#include "cli/output.h"
#include "cli/request.h"
#include "cli/shadow_end.h"
#include "cli/tell.h"
#include "cli/update.h"

#include "base/path.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "report/json.h"
#include "report/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Fewer are learnt from before one could read so. */
enum { PROGRESS_EVENTS = 20000 };

void audit_drop(struct audit *a)
{
	lesson_drop(&a->lesson);
	verify_drop(&a->verify);
	shadow_drop(&a->shadow);
	record_drop(&a->rec);
	run_drop(&a->run);
	setup_drop(&a->setup);
	arena_drop(&a->arena);
}

/* Something that the user asked for failed after the command had run: said, and the exit code tells. */
static void fail(struct audit *a, const struct err *e)
{
	record_warn(e);
	a->failed = true;
}

void audit_open(struct audit *a)
{
	struct err e = { 0 };
	if (a->o->no_keep)
		return;
	a->root = runs_root(&a->arena, a->o->envp, &e);
	if (a->root && run_create(&a->run, a->root, a->o->cmd[0], &e) == 0)
		return;
	a->root = NULL;
	err_wrap(&e, "this run is not kept");
	record_warn(&e);
}

void audit_forget(struct audit *a)
{
	struct err ignored = { 0 };
	fd_drop(&a->run.dir); /* the lock */
	if (a->root && runs_remove(a->root, a->run.id, &ignored) < 0)
		record_warn(&ignored);
	a->root = NULL;
}

/* A file in the run's directory; trouble there is a warning. */
static bool keep(struct audit *a, const char *name, const char *text, size_t len)
{
	struct err e = { 0 };
	if (!a->root)
		return false;
	const char *path = path_join(&a->arena, a->run.path, name);
	if (path && output_write(path, true, 0600, text, len, &e) == 0)
		return true;
	record_warn(&e);
	return false;
}

static void keep_recording(struct audit *a)
{
	char *text = NULL;
	size_t len = 0;
	struct err e = { 0 };
	if (!a->root && !a->o->record)
		return;
	int r = record_bytes(&a->rec.rec, &text, &len, &e);
	if (r == 0)
		(void)keep(a, "recording.ndjson", text, len); /* it warned */
	if (r == 0 && a->o->record)
		r = output_write(a->o->record, a->o->force, 0600, text, len, &e);
	if (r < 0)
		fail(a, &e);
	free(text);
}

static void keep_request(struct audit *a)
{
	OWN(str) s = { 0 };
	request_write(&s, a->o);
	(void)keep(a, "request.json", str_c(&s), s.len); /* it warned */
}

/* Returns how the file is named to the user, NULL where there is none. */
static const char *keep_suggestion(struct audit *a)
{
	OWN(str) yaml = { 0 };
	struct err e = { 0 };
	const struct cli_opts *o = a->o;
	const char *home = a->setup.host.home;
	profile_write(&yaml, &a->lesson.suggestion);
	/* what is a credential stands in it as commented lines, which grant nothing by themselves */
	bool worth = a->lesson.suggests || a->lesson.suggestion.comments.n;
	bool kept = worth && keep(a, "suggested.yaml", str_c(&yaml), yaml.len);
	if (o->out) {
		if (output_write(o->out, o->force, 0666, str_c(&yaml), yaml.len, &e) < 0) {
			fail(a, &e);
			return NULL;
		}
		if (!output_found_again(o->out))
			return NULL;
		/* a bare file name would be taken for a profile's name unless it ends in .yaml */
		const char *path = strchr(o->out, '/') ? o->out : arena_fmt(&a->arena, "./%s", o->out);
		return path ? tell_path(&a->arena, path, home) : NULL;
	}
	const char *path = kept ? arena_fmt(&a->arena, "%s/last/suggested.yaml", a->root) : NULL;
	return path ? tell_path(&a->arena, path, home) : NULL;
}

/*
 * The command as typed goes only to a terminal, where it was typed; elsewhere as it is recorded, with what looked
 * secret replaced.
 */
static const char *next(struct audit *a, const char *file, bool typed)
{
	const struct cli_opts *o = a->o;
	const struct recording *rec = &a->rec.rec;
	return tell_next(&a->arena, typed ? &o->again : &o->stored, &a->lesson, &a->setup.host, o->update ? NULL : file,
	                 typed ? (const char *const *)o->cmd : rec->argv, typed ? o->ncmd : rec->nargv);
}

/* Why no command line would do, NULL where one does. */
static const char *no_next(struct audit *a, const char *file)
{
	bool gone = a->o->out && !output_found_again(a->o->out);
	struct err why = { 0 };
	if (setup_refused(a->o, &a->setup.host, &why) < 0)
		return arena_fmt(&a->arena, "run refuses: %s", why.msg);
	if (a->refused)
		return arena_fmt(&a->arena, "run refuses: %s", a->refused);
	if (a->o->network_only)
		return "files were not looked at; audit it without --network-only, too";
	if (a->lesson.suggests && gone)
		return arena_fmt(&a->arena, "the suggestion went to %s; write it to a FILE, then snug --profile FILE",
		                 strcmp(a->o->out, "-") ? a->o->out : "standard output");
	if (a->lesson.suggests && !file && !a->o->update)
		return "the suggestion was not kept; audit with --audit-out=FILE, then snug --profile FILE";
	return NULL;
}

/*
 * What is printed here and pasted later names this run's own directory: `last` may be another audit's by then. What is
 * written to a file says `last`, so that the same run twice gives the same bytes.
 */
static void name_own(struct audit *a, struct report *r)
{
	if (r->suggestion && !a->o->out) {
		const char *path = path_join(&a->arena, a->run.path, "suggested.yaml");
		r->suggestion = path ? tell_path(&a->arena, path, a->setup.host.home) : NULL;
	}
	if (r->next)
		r->next = next(a, r->suggestion, isatty(2));
}

static void update(struct audit *a)
{
	struct err e = { 0 };
	int n = update_file(&a->setup.finder, a->o->update, &a->lesson.suggestion, 2, &e);
	if (n < 0)
		fail(a, &e);
	else if (!a->o->quiet)
		fprintf(stderr, "snug: updated: %d line%s added\n", n, n == 1 ? "" : "s");
}

/* The report where it was asked for; @last is --check's line, the last one of standard error and of a text report. */
static void show(struct audit *a, const struct report *r, const char *last)
{
	const struct cli_opts *o = a->o;
	OWN(str) text = { 0 };
	struct err e = { 0 };
	if (o->shadow && !o->json)
		shadow_head(&text, &a->shadow, &a->rec.rec);
	int rc = tell_report(&text, r, o->json, o->report ? -1 : 2, TEXT_ROWS, o->envp, &e);
	if (o->shadow && !o->json)
		shadow_tail(&text, &a->shadow, o, &a->setup.host);
	if (!o->json)
		str_add(&text, last);
	if (rc == 0 && o->report)
		rc = output_write(o->report, o->force, 0666, str_c(&text), text.len, &e);
	else if (rc == 0 && !o->quiet && write_all(2, str_c(&text), text.len) < 0)
		return; /* standard error is closed: nobody asked to be told */
	if (o->report || o->quiet || o->json)
		fputs(last, stderr);
	if (rc < 0)
		fail(a, &e);
}

static void keep_report(struct audit *a, const struct report *r)
{
	OWN(str) json = { 0 };
	struct err e = { 0 };
	if (json_write(&json, r, &e) < 0)
		fail(a, &e);
	else
		(void)keep(a, "report.json", str_c(&json), json.len); /* it warned */
}

/* On a terminal, while there is something to wait for; the terminal is the command's until it has ended. */
static void progress(const struct audit *a, bool begin)
{
	if (a->o->quiet || a->rec.rec.nevents < PROGRESS_EVENTS || !isatty(2))
		return;
	if (begin)
		fprintf(stderr, "snug: learning from %zu accesses", a->rec.rec.nevents);
	else
		fputs("\r\033[K", stderr);
}

static int head(struct profile *p, const char *text)
{
	struct word *w = ARENA_PUSH(&p->arena, &p->header, items, n);
	if (w)
		w->text = arena_str(&p->arena, text);
	return w && w->text ? 0 : -ENOMEM;
}

/* Before what is suggested is written: it says at its head how this went. */
static int verify(struct audit *a)
{
	OWN(str) line = { 0 };
	struct profile *p = &a->lesson.suggestion;
	if (!a->o->verify)
		return 0;
	if (!a->o->quiet && (!a->o->json || a->o->report))
		fputs("snug: verifying: the command runs again, confined, in copies of what it may change\n", stderr);
	verify_end(&a->verify, a->o, &a->setup, &a->rec, &a->lesson, &a->proof);
	verify_clean(&a->verify);
	proof_text(&line, &a->proof);
	if (head(p, str_c(&line)) < 0)
		return -ENOMEM;
	str_clear(&line);
	if (a->proof.minimised)
		proof_min_text(&line, &a->proof);
	return line.len ? head(p, str_c(&line)) : 0;
}

int audit_after(struct audit *a, struct err *e)
{
	const struct cli_opts *o = a->o;
	struct recording *recs[] = { &a->rec.rec };
	struct err late = { 0 };
	if (o->shadow) {
		struct err why = { 0 };
		if (shadow_read(&a->shadow, &a->rec.rec, &why) < 0) {
			err_wrap(&why, "reading what was written in the shadow");
			fail(a, &why);
			a->o->apply = false; /* not in part */
			if (recording_add_incomplete(&a->rec.rec, why.msg) < 0)
				return err_set(e, ENOMEM, "out of memory");
		}
	}
	progress(a, true);
	keep_recording(a);
	keep_request(a);
	int r = lesson_make(&a->lesson, recs, 1, &a->setup.policy, &a->setup.profile,
	                    tell_name(&a->arena, o->out, o->cmd[0]), e);
	progress(a, false);
	if (r < 0 && a->root && run_finish(&a->run, a->root, &late) == 0)
		return err_wrap(e, "learning from the recording, which is kept as run 'last', failed");
	if (r == 0 && verify(a) < 0)
		r = err_set(e, ENOMEM, "out of memory");
	if (r < 0)
		return r;
	struct report rep = {
		.lesson = &a->lesson, .recs = recs, .nrecs = 1, .pol = &a->setup.policy,
		.timed_out = a->rec.timed_out, .check_all = o->check_all, .show_granted = o->show_granted,
		.network_only = o->network_only, .proof = a->proof,
		.more = !a->root ? NULL : o->show_granted ? "snug report --show-granted last" : "snug report last",
	};
	OWN(str) shadow = { 0 };
	if (o->shadow)
		shadow_object(&shadow, &a->shadow, &a->rec.rec);
	rep.shadow = o->shadow ? str_c(&shadow) : NULL;
	rep.suggestion = keep_suggestion(a);
	rep.hint = hint_lesson(&a->arena, o, &a->rec.rec, &a->lesson, &rep.hint_covers);
	rep.no_next = no_next(a, rep.suggestion);
	if (!rep.no_next)
		rep.next = next(a, rep.suggestion, false);
	OWN(str) last = { 0 };
	int code = o->check ? tell_check_code(&rep) : a->rec.rec.status;
	if (o->check)
		tell_check(&last, &rep, code);
	keep_report(a, &rep);
	if (!o->json && !o->report)
		name_own(a, &rep);
	if (o->update)
		update(a);
	if (o->shadow && shadow_put(&a->shadow, o, &late) < 0)
		fail(a, &late);
	show(a, &rep, str_c(&last));
	if (o->shadow && shadow_ask(&a->shadow, o, a->rec.rec.status, &late) < 0)
		fail(a, &late);
	if (a->root && run_finish(&a->run, a->root, &late) < 0)
		record_warn(&late);
	return a->failed && code == 0 ? EXIT_SNUG : code;
}
