/* rec.c - run a command under the recorder and print what was recorded, one line per event */
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static void print_object(const struct object *o)
{
	for (size_t i = 0; i < o->nhops; i++)
		printf(" [%s -> %s]", o->hops[i].path, o->hops[i].text);
	printf(" %s", o->path ? o->path : o->spelled ? o->spelled : "?");
	if (o->path)
		printf(" (%s%s%s)", file_type_word(o->type), o->missing > 1 ? ", parent missing" : "",
		       o->blocked ? ", blocked" : "");
}

static void print_proc(const struct proc *p)
{
	printf("proc %u parent %u%s exe %s cwd %s argv", p->id, p->parent, p->replaces ? " replaces" : "",
	       p->exe ? p->exe : "?", p->cwd ? p->cwd : "?");
	for (size_t k = 0; p->argv && p->argv[k]; k++)
		printf(" <%s>", p->argv[k]);
	if (p->package)
		printf(" package %s script %s", p->package, p->script ? p->script : "?");
	printf("\n");
}

static void print_event(const struct event *ev)
{
	printf("event %u %s flags %x marks %x%s%s", ev->proc, op_word(ev->acc.op), ev->acc.flags, ev->acc.marks,
	       ev->acc.family ? " " : "", ev->acc.family ? family_word(ev->acc.family) : "");
	for (int k = 0; k < op_objects(ev->acc.op); k++)
		print_object(&ev->acc.obj[k]);
	printf(" = %s%s x%llu%s\n", ev->outcome ? strerrorname_np(ev->outcome) : "ok",
	       ev->source == OUT_UNKNOWN ? "?" : "", (unsigned long long)ev->count, ev->survives ? " survives" : "");
}

static void print(const struct recording *r)
{
	for (size_t i = 0; i < r->nprocs; i++)
		print_proc(&r->procs[i]);
	for (size_t i = 0; i < r->nevents; i++)
		print_event(&r->events[i]);
	for (size_t i = 0; i < r->ndirs; i++)
		printf("dir %s files %u dirs %u\n", r->dirs[i].path, r->dirs[i].files, r->dirs[i].dirs);
	for (size_t i = 0; i < r->nincomplete; i++)
		printf("incomplete %s\n", r->incomplete[i]);
	printf("status %d ended %d\n", r->status, r->ended);
}

int main(int argc, char **argv)
{
	struct trace_opts o = { .env = environ, .real_env = environ, .timeout_ms = -1, .log_fd = -1,
	                        .daemon_wait_ms = 2000 };
	const char *out = NULL;
	int opt;
	while ((opt = getopt(argc, argv, "+nt:w:o:p:")) > 0) {
		switch (opt) {
		case 'n': o.network_only = true; break;
		case 't': o.timeout_ms = atoi(optarg); break;
		case 'w': o.daemon_wait_ms = atoi(optarg); break;
		case 'o': out = optarg; break;
		case 'p': o.proxy_port = (uint16_t)atoi(optarg); break;
		default: return 2;
		}
	}
	o.argv = argv + optind;
	if (argc <= optind)
		return 2;
	char cwd[4096];
	struct host host = { .uid = geteuid(), .gid = getegid(), .cwd = getcwd(cwd, sizeof(cwd)), .home = getenv("HOME") };
	struct recording rec = { 0 };
	struct err e = { 0 };
	int exec_err;
	int err = trace_run(&rec, &host, &o, &exec_err, &e);
	if (err) {
		fprintf(stderr, "rec: %s\n", e.msg);
		return 125;
	}
	if (out && !freopen(out, "w", stdout))
		return 125;
	print(&rec);
	int status = exec_err ? exec_err == ENOENT ? 127 : 126 : rec.status;
	recording_drop(&rec);
	return status;
}
