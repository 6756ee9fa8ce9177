/* cmd_check.c - snug check: can this host audit, and can it run? Each is tried, not guessed */
#include "cli/cmd.h"
#include "cli/offer.h"
#include "cli/setup.h"

#include "base/esc.h"
#include "base/str.h"
#include "enforce/box.h"
#include "enforce/probe.h"
#include "trace/trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

enum { TRY_MS = 10000 };

/**
 * struct trial - one thing tried
 * @needs: what it stands on, for people
 * @try:   does it; -errno with the reason and the remedy
 */
struct trial {
	const char *name, *what, *needs;
	int (*try)(const struct cli_opts *o, const struct setup *s, struct err *e);
};

static int try_audit(const struct cli_opts *o, const struct setup *s, struct err *e)
{
	struct recording rec = { 0 };
	char word[] = "true", *const argv[] = { word, NULL };
	int exec_err = 0;
	const struct trace_opts t = {
		.argv = argv, .env = o->envp, .real_env = o->envp, .timeout_ms = TRY_MS, .log_fd = -1,
	};
	int r = trace_run(&rec, &s->host, &t, &exec_err, e);
	if (r == 0 && !rec.nevents && !exec_err)
		r = err_set(e, ENOTSUP, "nothing was seen of a command: this kernel or container hides its calls");
	recording_drop(&rec);
	return r;
}

static int try_hosts(const struct cli_opts *o, const struct setup *s UNUSED, struct err *e)
{
	OWN(offer) offer = { 0 };
	return offer_start(&offer, o->envp, e);
}

static int try_run(const struct cli_opts *o, const struct setup *s, struct err *e)
{
	OWN(arena) mem = { 0 };
	OWN(box) box = { 0 };
	char word[] = "true", *const argv[] = { word, NULL };
	const struct box_opts opts = { .argv = argv, .env = env_build(&mem, &s->policy, o->envp, 0) };
	if (!opts.env)
		return err_set(e, ENOMEM, "out of memory");
	int r = box_start(&box, &s->policy, &opts, e);
	if (r == 0)
		r = box_wait(&box, TRY_MS, e);
	return r < 0 ? r : 0;
}

static const struct trial trials[] = {
	{ "audit", "record a command", "seccomp notification", try_audit },
	{ "hosts", "know hosts by name", "a proxy on loopback", try_hosts },
	{ "run", "run it confined", "namespaces, mounts, seccomp", try_run },
};

static void text_row(const struct trial *t, int r, const struct err *e)
{
	OWN(str) s = { 0 };
	str_fmt(&s, "%-6s %-20s ", t->name, t->what);
	if (r < 0) {
		str_add(&s, "no: ");
		esc_term(&s, e->msg);
	} else {
		str_fmt(&s, "works (%s)", t->needs);
	}
	printf("%s\n", str_c(&s));
}

static void json_row(struct str *out, const struct trial *t, int r, const struct err *e)
{
	str_fmt(out, ",\"%s\":{\"works\":%s", t->name, r < 0 ? "false" : "true");
	if (r < 0) {
		str_add(out, ",\"reason\":");
		esc_json(out, e->msg);
	}
	str_add_char(out, '}');
}

/* Not verbs but what they stand on, and what later ones would: for whoever sets the host up. */
static void tell_probes(struct str *json)
{
	if (json)
		str_add(json, ",\"host\":{");
	else
		printf("\nwhat they stand on\n");
	for (const struct probe *p = probes; p->name; p++) {
		struct err why = { 0 };
		char note[PROBE_NOTE] = "";
		OWN(str) line = { 0 };
		int r = probe_try(p, note, &why);
		if (json) {
			str_fmt(json, "%s\"%s\":{\"works\":%s,\"serves\":", p == probes ? "" : ",", p->name, r < 0 ? "false" : "true");
			esc_json(json, p->serves);
			str_fmt(json, ",\"%s\":", r < 0 ? "reason" : "note");
			esc_json(json, r < 0 ? why.msg : note);
			str_add_char(json, '}');
			continue;
		}
		str_fmt(&line, "  %-9s %-37s ", p->name, p->what);
		str_add(&line, r < 0 ? "no: " : "works");
		if (r < 0)
			esc_term(&line, why.msg);
		else if (*note)
			str_fmt(&line, " (%s)", note);
		printf("%s%s%s%s\n", str_c(&line), r < 0 ? " (for: " : "", r < 0 ? p->serves : "", r < 0 ? ")" : "");
	}
	if (json)
		str_add_char(json, '}');
}

int cmd_check(struct cli_opts *o, struct err *e)
{
	OWN(setup) s = { 0 };
	OWN(str) json = { 0 };
	struct utsname u;
	bool run_works = true;
	if (o->nargs) {
		fprintf(stderr, "snug: usage: snug check [--json]\n");
		return EXIT_USAGE;
	}
	if (uname(&u) < 0)
		return err_sys(e, "uname");
	o->cwd = "/"; /* no project: nothing of the user's is touched */
	int r = setup_make(&s, o, FIND_READ, false, e);
	if (r < 0)
		return r;
	str_add(&json, "{\"schema\":\"snug-check/v1\",\"kernel\":");
	esc_json(&json, u.release);
	str_fmt(&json, ",\"user\":\"%s\"", s.host.privileged ? "root" : s.host.uid ? "ordinary" : "root without capabilities");
	for (size_t i = 0; i < LEN(trials); i++) {
		struct err why = { 0 };
		r = trials[i].try(o, &s, &why);
		if (trials[i].try == try_run)
			run_works = r >= 0;
		if (o->json)
			json_row(&json, &trials[i], r, &why);
		else
			text_row(&trials[i], r, &why);
	}
	fflush(stdout); /* what is tried is tried in processes of its own */
	tell_probes(o->json ? &json : NULL);
	if (o->json)
		printf("%s}\n", str_c(&json));
	return run_works ? 0 : EXIT_USAGE;
}
