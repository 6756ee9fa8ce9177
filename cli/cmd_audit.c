/* cmd_audit.c - snug audit: check, prepare, record; the rest is in audit.c */
#include "cli/audit.h"
#include "cli/cmd.h"
#include "cli/output.h"
#include "cli/shadow_end.h"
#include "cli/update.h"

#include "base/str.h"
#include "report/json.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int check_outputs(const struct cli_opts *o, struct err *e)
{
	const struct { const char *option, *path; } rows[] = {
		{ "--audit-out", o->out }, { "--report", o->report }, { "--record", o->record },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		for (size_t j = 0; j < i; j++)
			if (rows[i].path && rows[j].path && !strcmp(rows[i].path, rows[j].path))
				return err_set(e, EINVAL, "%s and %s both name %s", rows[j].option, rows[i].option,
				               rows[i].path);
		int r = output_check(rows[i].option, rows[i].path, o->force, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static void banner(const struct cli_opts *o)
{
	if (o->quiet || (o->json && !o->report))
		return;
	if (o->shadow)
		fputs("snug: audit: in a shadow: what it writes is not written to the host; the network is open\n", stderr);
	else
		fputs(o->network_only ? "snug: audit: watching hosts only: files are not seen, nothing is confined\n" :
		                        "snug: audit: watching only: nothing is confined (--shadow: written to copies)\n", stderr);
}

/* The requested directory of process.cwd, where a confined run would start; NULL: there is none, or it is this one. */
static const char *start_dir(const struct audit *a)
{
	const struct policy *pol = &a->setup.policy;
	bool asked = a->setup.profile.cwd.src.origin && pol->cwd && a->setup.host.cwd;
	return asked && strcmp(pol->cwd, a->setup.host.cwd) != 0 ? pol->cwd : NULL;
}

/* Start where a confined run would. A directory that only that would have (a target, a tmpfs) makes the recording incomplete. */
static int record(struct audit *a, struct err *e)
{
	struct stat st;
	const char *dir = start_dir(a);
	bool there = dir && stat(dir, &st) == 0 && S_ISDIR(st.st_mode);
	if (there)
		a->rec.cwd = dir;
	int r = record_run(&a->rec, a->o, &a->setup.host, e);
	if (r < 0 || !dir || there)
		return r;
	const char *why = arena_fmt(&a->arena, "process.cwd %s is no directory of the host: it was recorded in another", dir);
	return why && recording_add_incomplete(&a->rec.rec, why) == 0 ? r : err_set(e, ENOMEM, "out of memory");
}

/* An audit passes over what run does not: a deny of what is not there, a bind without a source. Told with what was learnt. */
static void try_strictly(struct audit *a)
{
	OWN(policy) strict = { 0 };
	struct err why = { 0 };
	if (policy_resolve(&strict, &a->setup.profile, &a->setup.host, true, &why) < 0)
		a->refused = arena_str(&a->arena, why.msg);
}

static int run(struct audit *a, struct err *e)
{
	int r = check_outputs(a->o, e);
	if (r == 0 && a->o->shadow)
		r = shadow_prepare(a->o, e);
	if (r == 0)
		r = update_prepare(a->o, e);
	if (r == 0)
		r = setup_make(&a->setup, a->o, FIND_READ, false, e);
	if (r == 0)
		try_strictly(a);
	if (r == 0)
		r = setup_facts(&a->setup, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < a->setup.finder.notes.n && !a->o->quiet; i++)
		fprintf(stderr, "snug: %s\n", a->setup.finder.notes.items[i].text);
	if (!a->o->quiet)
		setup_warn(&a->setup);
	audit_open(a);
	if (a->o->verify)
		r = verify_begin(&a->verify, a->o, &a->setup, a->root ? a->run.path : NULL, a->root, e);
	if (r == 0 && a->o->shadow)
		r = shadow_begin(&a->shadow, a->o, a->root ? a->run.path : NULL, e);
	if (r < 0) {
		verify_clean(&a->verify);
		shadow_drop(&a->shadow);
		audit_forget(a);
		return r == -EINTR ? 128 + SIGINT : r;
	}
	banner(a->o);
	if (a->verify.keep.dir) {
		a->rec.before_change = keeper_original;
		a->rec.change_arg = &a->verify.keep;
	}
	r = a->o->shadow ? shadow_run(&a->shadow, &a->rec, a->o, &a->setup.host, e) : record(a, e);
	if (r < 0 || a->rec.exec_err) {
		verify_clean(&a->verify);
		shadow_drop(&a->shadow);
		audit_forget(a);
	}
	if (r < 0)
		return r;
	if (a->rec.exec_err)
		return record_no_command(&a->rec, a->o);
	r = audit_after(a, e);
	if (r < 0 && a->rec.rec.status) { /* it ran: its status is what counts */
		record_warn(e);
		return a->rec.rec.status;
	}
	return r;
}

int cmd_audit(struct cli_opts *o, struct err *e)
{
	struct audit a = { .o = o };
	int r = run(&a, e);
	if (r < 0 || a.rec.exec_err)
		shadow_unprepare(o);
	if (r < 0 && o->json) {
		OWN(str) s = { 0 };
		struct err ignored = { 0 };
		json_failed(&s, o->cmd, e->msg);
		if (!o->report || output_write(o->report, o->force, 0666, str_c(&s), s.len, &ignored) < 0)
			fputs(str_c(&s), stderr);
	}
	audit_drop(&a);
	return r;
}
