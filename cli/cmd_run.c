/* cmd_run.c - snug run: a command inside its policy */
#include "base/esc.h"
#include "base/str.h"
#include "cli/absent.h"
#include "cli/audit.h"
#include "cli/cmd.h"
#include "cli/finish.h"
#include "cli/confine.h"
#include "cli/setup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void say_notes(const struct str *notes)
{
	for (const char *line = str_c(notes); *line;) {
		size_t len = strcspn(line, "\n");
		fprintf(stderr, "snug: %.*s\n", (int)len, line);
		line += len + (line[len] != 0);
	}
}

/* A grant of "/" is no slip to pass in silence. */
static void say_whole_tree(const struct policy *pol)
{
	const struct place *root = policy_place(pol, "/"), *sys = policy_place(pol, "/sys");
	const struct place *home = pol->home ? policy_place(pol, pol->home) : NULL;
	if (root && root->kind == PLACE_BIND && !strcmp(root->source, "/"))
		fprintf(stderr, "snug: the whole host tree%s is readable%s%s (%s)\n",
		        home && home->kind == PLACE_TMPFS ? " but home and what else is the run's own" : "",
		        root->mode == BIND_RW ? " and writable" : "",
		        root->mode == BIND_RW && sys->mode == BIND_RO ? ", /sys only readable" : "", root->src.origin ? root->src.origin : "policy");
}

/* A variable that a line sets and the proxy sets too: the command must find the proxy, and the user is told. */
static void say_overruled(const struct policy *pol, char *const *env)
{
	for (size_t i = 0; i < pol->env_set.n; i++) {
		const struct envset *v = &pol->env_set.items[i];
		const char *now = env_get(env, v->name);
		if (!now || !strcmp(now, v->value) || !strcmp(v->name, "PATH")) /* PATH gets directories in front */
			continue;
		OWN(str) by = { 0 };
		esc_term(&by, v->src.origin ? v->src.origin : "policy");
		fprintf(stderr, "snug: %s (%s) is not used: with network mode proxy snug sets it\n", v->name, str_c(&by));
	}
}

/* Facts that a recording carries, beyond those that starting needs. */
static int prepare_denials(struct setup *s, struct err *e)
{
	s->host.network_view = s->policy.network.v == NET_PROXY ? "names" : "addresses";
	return setup_facts(s, e);
}

/* Keep and tell what the command asked for and did not get, as an audit does. Return: @code, or 125 where it was 0. */
static int tell_denials(struct cli_opts *o, struct setup *s, struct confine *c, int code, struct err *e)
{
	OWN(audit) a = { .o = o };
	a.setup = TAKE(*s);
	a.setup.finder.host = &a.setup.host;
	policy_drop(&a.setup.policy);
	a.rec.rec = TAKE(c->rec);
	a.rec.timed_out = o->timeout_s && code == EXIT_TIMED_OUT;
	/* as a judge sees it: what is absent is a note there, no error */
	int r = policy_resolve(&a.setup.policy, &a.setup.profile, &a.setup.host, false, e);
	if (r == 0) {
		audit_open(&a);
		r = audit_after(&a, e);
	}
	if (r >= 0 && a.lesson.suggests && a.root && !o->quiet)
		fputs("snug: to keep it: snug learn --update=FILE last\n", stderr);
	if (r < 0 && code) { /* its own status says more */
		record_warn(e);
		return code;
	}
	return r < 0 ? r : code;
}

/* Where somebody looks at the terminal, the way on. */
static void offer_denials(const struct cli_opts *o, int code)
{
	if (code > 0 && code < EXIT_TIMED_OUT && !o->denials && !o->quiet && isatty(2))
		fprintf(stderr, "snug: it ended with %d; snug run --denials tells what it asked for and did not get\n", code);
}

static int run(struct cli_opts *o, struct setup *s, struct err *e)
{
	OWN(confine) c = {
		.box = { .argv = o->cmd, .best_effort = o->best_effort, .keep_fd = o->keep_fd, .nkeep_fd = o->nkeep_fd,
		         .area = o->area, .area_len = o->area_len },
		.envp = o->envp, .timeout_ms = o->timeout_s ? o->timeout_s * 1000 : -1,
	};
	int code = confine_env(&c, &s->policy, e);
	if (code < 0)
		return code;
	for (size_t i = 0; i < s->finder.notes.n && !o->quiet; i++)
		fprintf(stderr, "snug: %s\n", s->finder.notes.items[i].text);
	setup_warn(s);
	say_whole_tree(&s->policy);
	if (s->policy.network.v == NET_PROXY)
		say_overruled(&s->policy, c.box.env);
	const char *lacks = o->best_effort ? box_lacks(&s->policy) : NULL;
	if (lacks)
		fprintf(stderr, "snug: --best-effort: doing without: %s\n", lacks);
	absent_hint(o, s);
	if (o->denials && (code = prepare_denials(s, e)) < 0)
		return code;
	c.host = o->denials ? &s->host : NULL;
	code = confine_run(&c, &s->policy, e);
	if (code < 0)
		return code;
	say_notes(&c.notes);
	if (c.exec_err)
		absent_command(o, s, c.box.env, c.exec_err, c.exec_interp);
	else if (o->denials)
		code = tell_denials(o, s, &c, code, e);
	else
		offer_denials(o, code);
	/* success is not to be told where work or a protection was lost; a failure of the command's own says more */
	return code == 0 && (c.unwritten || c.unprotected) ? EXIT_SNUG : code;
}

int cmd_run(struct cli_opts *o, struct err *e)
{
	OWN(setup) s = { 0 };
	int r = setup_make(&s, o, FIND_APPLY, true, e);
	if (setup_refused(o, &s.host, e) < 0)
		return -EPERM; /* whatever else is wrong follows from it */
	r = r < 0 ? r : run(o, &s, e);
	if (r >= 0)
		leave(r);
	return r;
}
