/* cmd_report.c - snug report: findings of stored recordings, all of them */
#include "cli/cmd.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/setup.h"
#include "cli/tell.h"

#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Recorded with --network-only? Else at least the command's own file stands there; a unix socket may in both. */
static bool hosts_only(const struct load *l)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->recs[i]->nevents; k++) {
			const struct access *acc = &l->recs[i]->events[k].acc;
			if (acc->family == FAM_NONE && access_is_file(acc))
				return false;
		}
	return true;
}

/* Why no command line would do, NULL where one does. */
static const char *no_next(struct load *l, const struct cli_opts *o)
{
	struct err why = { 0 };
	const char *file = path_join(&l->arena, l->stored, "suggested.yaml");
	if (setup_refused(o, &l->recs[0]->host, &why) < 0)
		return arena_fmt(&l->arena, "run refuses: %s", why.msg);
	if (hosts_only(l))
		return "files were not looked at; audit it without --network-only, too";
	if (l->lesson.suggests && (!file || access(file, R_OK) < 0))
		return "the suggestion was not kept; snug learn RUN -o FILE, then snug --profile FILE";
	return NULL;
}

/* The audit's next command: its request, its suggestion, its command as far as that was stored. */
static const char *stored_next(struct load *l, const struct cli_opts *o)
{
	const struct recording *rec = l->recs[0];
	const char *file = path_join(&l->arena, l->stored, "suggested.yaml");
	return tell_next(&l->arena, &o->stored, &l->lesson, &rec->host,
	                 file ? tell_path(&l->arena, file, rec->host.home) : NULL,
	                 rec->argv, rec->nargv);
}

int cmd_report(struct cli_opts *o, struct err *e)
{
	OWN(load) l = { 0 };
	OWN(str) text = { 0 };
	int r = load_runs(&l, o, o->args, o->nargs, e);
	if (r == 0)
		r = load_lesson(&l, o, "learnt", e);
	if (r < 0)
		return r;
	struct report rep = {
		.lesson = &l.lesson, .recs = l.recs, .nrecs = l.n, .pol = &l.setup.policy,
		.check_all = o->check_all, .show_granted = o->show_granted,
		.network_only = hosts_only(&l),
	};
	if (l.stored && l.n == 1)
		rep.no_next = no_next(&l, o);
	if (l.stored && l.n == 1 && !rep.no_next)
		rep.next = stored_next(&l, o);
	r = tell_report(&text, &rep, o->json, 1, 0, o->envp, e);
	if (r < 0)
		return r;
	r = write_all(1, str_c(&text), text.len);
	if (r < 0 && r != -EPIPE)
		return err_set(e, -r, "writing to standard output: %s", strerror(-r));
	if (!o->check)
		return 0;
	int code = tell_check_code(&rep);
	OWN(str) line = { 0 };
	tell_check(&line, &rep, code);
	fputs(str_c(&line), stderr);
	return code;
}
