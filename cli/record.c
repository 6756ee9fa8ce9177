/* record.c - proxy, tracer, and the command between them */
#include "cli/record.h"

#include "base/esc.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "trace/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { DAEMON_WAIT_MS = 2000 };

void record_drop(struct record *r)
{
	recording_drop(&r->rec);
	offer_drop(&r->offer);
	*r = (struct record){ 0 };
}

void record_warn(const struct err *e)
{
	OWN(str) s = { 0 };
	str_add(&s, "snug: ");
	esc_term(&s, e->msg);
	str_add_char(&s, '\n');
	fputs(str_c(&s), stderr);
}

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* --network-trace=off: what the command did on the network is nobody's business, so it is not kept either. */
void record_forget_network(struct recording *r)
{
	size_t n = 0;
	for (size_t i = 0; i < r->nevents; i++) {
		enum family f = r->events[i].acc.family;
		if (r->events[i].acc.op != OP_HOST && f != FAM_INET && f != FAM_INET6)
			r->events[n++] = r->events[i];
	}
	r->nevents = n;
	r->nnets = 0;
}

/* The command's time is over: neither an impatient ^C nor a closed stderr nor a limit on files may cost the report or the status. */
void record_over(void)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ };
	for (size_t i = 0; i < LEN(signals); i++)
		signal(signals[i], SIG_IGN);
}

int record_run(struct record *out, const struct cli_opts *o, struct host *h, struct err *e)
{
	const char *view = o->network_trace ? o->network_trace : "names";
	bool names = !strcmp(view, "names");
	if (names) {
		int r = offer_start(&out->offer, o->envp, e);
		if (r < 0)
			return err_wrap(e, "offering a proxy (--network-trace=addresses does without)");
	}
	h->network_view = view;
	const struct trace_opts t = {
		.argv = o->cmd, .env = names ? out->offer.env : o->envp, .real_env = o->envp,
		.cwd = out->cwd ? out->cwd : o->cwd ? h->cwd : NULL, .network_only = o->network_only, .proxy_port = out->offer.port,
		.timeout_ms = o->timeout_s ? o->timeout_s * 1000 : -1,
		.log_fd = names ? fd_no(out->offer.relay.log) : -1,
		.daemon_wait_ms = DAEMON_WAIT_MS,
		.before_change = out->before_change, .change_arg = out->change_arg,
	};
	uint64_t begin = now_ms();
	int r = trace_run(&out->rec, h, &t, &out->exec_err, e);
	if (r < 0)
		return r;
	record_over();
	out->timed_out = o->timeout_s && out->rec.status == EXIT_TIMED_OUT &&
	                 now_ms() - begin >= (uint64_t)t.timeout_ms;
	if (!strcmp(view, "off"))
		record_forget_network(&out->rec);
	return 0;
}

int record_no_command(const struct record *r, const struct cli_opts *o)
{
	OWN(str) s = { 0 };
	bool absent = r->exec_err == ENOENT;
	str_add(&s, "snug: ");
	esc_term(&s, o->cmd[0]);
	if (!absent)
		str_fmt(&s, ": cannot execute: %s\n", strerror(r->exec_err));
	else if (strchr(o->cmd[0], '/'))
		str_add(&s, ": not found (the file, or the interpreter that its first line names)\n");
	else
		str_add(&s, ": command not found; is its directory in PATH?\n");
	fputs(str_c(&s), stderr);
	return absent ? EXIT_NOT_FOUND : EXIT_NOT_EXEC;
}

int record_bytes(const struct recording *rec, char **text, size_t *len, struct err *e)
{
	FILE *f = open_memstream(text, len);
	if (!f)
		return err_sys(e, "open_memstream");
	int r = recording_write(rec, f, e);
	if (fclose(f) != 0 && r == 0)
		r = err_sys(e, "writing the recording");
	return r;
}
