/* optdefs.c - the rows of the option table and their plain setters */
#include "cli/cmd.h"
#include "cli/optdef.h"

#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void *field(struct cli_opts *o, const struct optdef *d)
{
	return (char *)o + d->off;
}

static int set_flag(struct cli_opts *o, const struct optdef *d, const char *text UNUSED, struct err *e UNUSED)
{
	*(bool *)field(o, d) = true;
	return 0;
}

static int set_count(struct cli_opts *o, const struct optdef *d, const char *text UNUSED, struct err *e UNUSED)
{
	++*(int *)field(o, d);
	return 0;
}

static int set_text(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	if (!*text)
		return err_set(e, EINVAL, "--%s needs a %s, not an empty word", d->name, d->value);
	*(const char **)field(o, d) = text;
	return 0;
}

static int number(const struct optdef *d, const char *text, int max, int *out, struct err *e)
{
	char *end;
	errno = 0;
	long n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < 0 || n > max || *text < '0' || *text > '9')
		return err_set(e, EINVAL, "--%s=%s: a whole number up to %d is wanted", d->name, text, max);
	*out = (int)n;
	return 0;
}

static int set_number(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	return number(d, text, 2000000, field(o, d), e);
}

/* "512MiB": a number and one of few units. */
static int set_size(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	static const struct { const char *unit; int shift; } units[] = {
		{ "", 0 }, { "B", 0 }, { "KiB", 10 }, { "MiB", 20 }, { "GiB", 30 }, { "TiB", 40 },
	};
	char *end;
	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);
	for (size_t i = 0; !errno && end != text && *text >= '0' && *text <= '9' && i < LEN(units); i++) {
		if (strcmp(end, units[i].unit) != 0 || !n || n > UINT64_MAX >> units[i].shift)
			continue;
		*(uint64_t *)field(o, d) = (uint64_t)n << units[i].shift;
		return 0;
	}
	return err_set(e, EINVAL, "--%s=%s: a size is wanted, like 512MiB or 2GiB", d->name, text);
}

static int set_minimise(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	o->verify = true;
	return set_flag(o, d, text, e);
}

static int set_apply(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	o->shadow = true;
	return set_flag(o, d, text, e);
}

static int set_keep_shadow(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	o->shadow = true;
	return set_text(o, d, text, e);
}

static int set_format(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	o->json = !strcmp(text, "json");
	return set_text(o, d, text, e);
}

static int set_json(struct cli_opts *o, const struct optdef *d, const char *text UNUSED, struct err *e)
{
	return set_format(o, d, "json", e);
}

static int set_check(struct cli_opts *o, const struct optdef *d UNUSED, const char *text, struct err *e UNUSED)
{
	o->check = true;
	o->check_all |= text != NULL;
	return 0;
}

static int set_profile(struct cli_opts *o, const struct optdef *d UNUSED, const char *text, struct err *e)
{
	if (!*text)
		return err_set(e, EINVAL, "--profile needs a name");
	struct word *w = ARENA_PUSH(&o->arena, &o->profiles, items, n);
	if (!w)
		return err_set(e, ENOMEM, "out of memory");
	w->text = text;
	w->src = (struct src){ .origin = "--profile", .inlined = true };
	return 0;
}

static int set_keep_fd(struct cli_opts *o, const struct optdef *d, const char *text, struct err *e)
{
	int n;
	int r = number(d, text, 1 << 20, &n, e);
	if (r < 0)
		return r;
	if (n < 3)
		return err_set(e, EINVAL, "--keep-fd=%d: 0, 1 and 2 are always kept", n);
	struct { int *items; size_t n; } v = { o->keep_fd, o->nkeep_fd };
	int *slot = ARENA_PUSH(&o->arena, &v, items, n);
	if (!slot)
		return err_set(e, ENOMEM, "out of memory");
	size_t at = v.n - 1;
	for (; at && v.items[at - 1] > n; at--) /* ascending, as box_opts wants them */
		v.items[at] = v.items[at - 1];
	v.items[at] = n;
	o->keep_fd = v.items;
	o->nkeep_fd = v.n;
	return 0;
}

#define OFF(f) offsetof(struct cli_opts, f)
#define RAT    (FOR_RUN | FOR_AUDIT | FOR_TRACE)

const struct optdef optdefs[] = {
	{ "profile", NULL, 0, ARG_NEEDED, "NAME", NULL, FOR_POLICY, true,
	  "as +NAME; a file where NAME holds a / or ends in .yaml", 0, set_profile },
	{ "allow-read", NULL, 0, ARG_NEEDED, "PATH,..", NULL, FOR_POLICY, true,
	  "show these files and directories, read-only", 0, grant_read },
	{ "allow-write", NULL, 0, ARG_MAYBE, "PATH,..", NULL, FOR_POLICY, true,
	  "make these writable; without PATH the whole host tree", 0, grant_write },
	{ "deny-read", NULL, 0, ARG_NEEDED, "PATH,..", NULL, FOR_POLICY, false,
	  "hide these; beats every allow", 0, grant_deny_read },
	{ "deny-write", NULL, 0, ARG_NEEDED, "PATH,..", NULL, FOR_POLICY, false,
	  "never write these; beats every allow", 0, grant_deny_write },
	{ "allow-net", NULL, 0, ARG_MAYBE, "HOST,..", NULL, FOR_POLICY, true,
	  "hosts (HOST, .HOST, CIDR, with :PORT) through the proxy; bare: every host", 0, grant_net },
	{ "deny-net", NULL, 0, ARG_NEEDED, "HOST,..", NULL, FOR_POLICY, false,
	  "never these hosts; beats every allow", 0, grant_deny_net },
	{ "network", NULL, 0, ARG_NEEDED, "MODE", "none|proxy|host", FOR_POLICY, false,
	  "none, through the proxy, or the raw network of the host", 0, grant_network },
	{ "allow-env", NULL, 0, ARG_MAYBE, "NAME,..", NULL, FOR_POLICY, true,
	  "pass these variables (globs allowed); bare: all", 0, grant_env },
	{ "deny-env", NULL, 0, ARG_NEEDED, "NAME,..", NULL, FOR_POLICY, false,
	  "never pass these variables", 0, grant_deny_env },
	{ "env", NULL, 0, ARG_NEEDED, "NAME=VALUE", NULL, FOR_POLICY, false,
	  "set a variable", 0, grant_env_set },
	{ "no-base", NULL, 0, ARG_NONE, NULL, NULL, FOR_POLICY, false,
	  "do without the base profile", OFF(no_base), set_flag },
	{ "override", NULL, 0, ARG_NONE, NULL, NULL, FOR_POLICY, false,
	  "let the grants of this line lift a deny, and settle conflicts", OFF(override), set_flag },
	{ "network-only", NULL, 0, ARG_NONE, NULL, NULL, FOR_AUDIT, true,
	  "which hosts does it reach? no file is traced", OFF(network_only), set_flag },
	{ "show-granted", NULL, 0, ARG_NONE, NULL, NULL, FOR_AUDIT | FOR_REPORT, true,
	  "list too what was granted, and grants nobody used", OFF(show_granted), set_flag },
	{ "audit-out", NULL, 'o', ARG_NEEDED, "FILE", NULL, FOR_AUDIT, true,
	  "write the suggested profile to FILE", OFF(out), set_text },
	{ "output", NULL, 'o', ARG_NEEDED, "FILE", NULL, FOR_TRACE | FOR_LEARN, true,
	  "write to FILE (- is standard output)", OFF(out), set_text },
	{ "update", NULL, 0, ARG_NEEDED, "FILE", NULL, FOR_AUDIT | FOR_LEARN, true,
	  "add what is missing to this profile, in place", OFF(update), set_text },
	{ "check", NULL, 0, ARG_MAYBE, "all", "all", FOR_AUDIT | FOR_REPORT, true,
	  "exit 3 where a required access is not granted; all: lost and probed ones too", 0, set_check },
	{ "report", NULL, 0, ARG_NEEDED, "FILE", NULL, FOR_AUDIT, false,
	  "write the report to FILE, not to standard error", OFF(report), set_text },
	{ "format", NULL, 0, ARG_NEEDED, "FORMAT", "text|json", FOR_AUDIT | FOR_REPORT | FOR_CHECK, true,
	  "text or json", OFF(format), set_format },
	{ "json", NULL, 0, ARG_NONE, NULL, NULL, FOR_AUDIT | FOR_REPORT | FOR_CHECK, false,
	  "short for --format=json", OFF(format), set_json },
	{ "record", NULL, 0, ARG_NEEDED, "FILE", NULL, FOR_AUDIT, false,
	  "write the recording to FILE too", OFF(record), set_text },
	{ "no-keep", NULL, 0, ARG_NONE, NULL, NULL, FOR_AUDIT, false,
	  "store nothing of this run", OFF(no_keep), set_flag },
	{ "backend", NULL, 0, ARG_NEEDED, "NAME", "auto|notify", FOR_AUDIT | FOR_TRACE, false,
	  "recorder: auto or notify", OFF(backend), set_text },
	{ "network-trace", NULL, 0, ARG_NEEDED, "VIEW", "names|addresses|off", FOR_AUDIT | FOR_TRACE, false,
	  "names through a proxy (default), only addresses, or no network at all", OFF(network_trace), set_text },
	{ "timeout", NULL, 0, ARG_NEEDED, "SECONDS", NULL, RAT, true,
	  "end the command after SECONDS (exit 124); the report is written", OFF(timeout_s), set_number },
	{ "force", NULL, 0, ARG_NONE, NULL, NULL, FOR_AUDIT | FOR_TRACE | FOR_LEARN, false,
	  "overwrite existing output files", OFF(force), set_flag },
	{ "verify", NULL, 0, ARG_NONE, NULL, NULL, FOR_AUDIT, true,
	  "run it again, confined, from the state before: does the suggestion hold?", OFF(verify), set_flag },
	{ "verify-limit", NULL, 0, ARG_NEEDED, "SIZE", NULL, FOR_AUDIT, false,
	  "bytes that --verify may copy (1GiB)", OFF(verify_limit), set_size },
	{ "minimise", NULL, 0, ARG_NONE, NULL, NULL, FOR_AUDIT, false,
	  "--verify, then leave out suggested lines that it does without", OFF(minimise), set_minimise },
	{ "shadow", NULL, 0, ARG_NONE, NULL, NULL, FOR_AUDIT, true,
	  "write to copies: the host stays as it is, credentials are absent; the network is open", OFF(shadow), set_flag },
	{ "keep-shadow", NULL, 0, ARG_NEEDED, "DIR", NULL, FOR_AUDIT, false,
	  "--shadow, then put what was written into DIR, which is new", OFF(keep_shadow), set_keep_shadow },
	{ "apply", NULL, 0, ARG_NONE, NULL, NULL, FOR_AUDIT, false,
	  "--shadow, then ask on the terminal whether to do it for real", OFF(apply), set_apply },
	{ "denials", NULL, 0, ARG_NONE, NULL, NULL, FOR_RUN, true,
	  "record what it asks for and does not get, and tell at the end", OFF(denials), set_flag },
	{ "keep-fd", NULL, 0, ARG_NEEDED, "N", NULL, FOR_RUN, false,
	  "leave descriptor N open in the command", 0, set_keep_fd },
	{ "best-effort", NULL, 0, ARG_NONE, NULL, NULL, FOR_RUN | FOR_AUDIT, false,
	  "run, audit --shadow: do without a second layer that this host lacks, and name it", OFF(best_effort), set_flag },
	{ "project-anyway", NULL, 0, ARG_NONE, NULL, NULL, FOR_RUN | FOR_EXPLAIN, false,
	  "take / or home as the project", OFF(project_anyway), set_flag },
	{ "project", NULL, 0, ARG_NEEDED, "DIR", NULL, FOR_POLICY | FOR_TRACE, false,
	  "the project; else the working directory", OFF(project), set_text },
	{ "cwd", NULL, 'C', ARG_NEEDED, "DIR", NULL, FOR_POLICY | FOR_TRACE | FOR_PROFILE | FOR_TRUST, false,
	  "start the command in DIR", OFF(cwd), set_text },
	{ "quiet", NULL, 'q', ARG_NONE, NULL, NULL, FOR_ALL, true,
	  "no report on standard error, no banner", OFF(quiet), set_flag },
	{ "verbose", "debug", 'v', ARG_NONE, NULL, NULL, FOR_ALL, false,
	  "say what snug does; twice for more", OFF(verbose), set_count },
	{ 0 },
};

static const char later_backend[] = "not available in this version; use --backend=notify";

const struct opt_later opts_later[] = {
	{ "--backend=ebpf", later_backend }, { "--backend=fast", later_backend }, { "--backend=ptrace", later_backend },
	{ "--pcap", NULL }, { "--dns", NULL },
	{ "--secret", NULL }, { "--secret-host", NULL }, { "--session-id", NULL },
	{ "--detach", NULL }, { "--allow-host-abstract-sockets", NULL },
	{ "--no-sandbox", "refused: snug without a sandbox is the command itself; run it without snug" },
	{ "-A", "refused: there is no grant for everything; name what is needed, or run the command without snug" },
	{ 0 },
};

const struct optdef *optdef_find(const char *name, size_t len)
{
	for (const struct optdef *d = optdefs; d->name; d++)
		if ((strlen(d->name) == len && !memcmp(d->name, name, len)) ||
		    (d->alias && strlen(d->alias) == len && !memcmp(d->alias, name, len)))
			return d;
	return NULL;
}

const struct optdef *optdef_letter(char letter, unsigned verbs)
{
	const struct optdef *any = NULL;
	for (const struct optdef *d = optdefs; d->name; d++) {
		if (d->letter != letter)
			continue;
		if (d->verbs & verbs)
			return d;
		any = d;
	}
	return any;
}
