#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/path.h"
#include "base/str.h"
#include "trace/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- a generator of recordings, seeded ---- */

static uint64_t seed;

static uint64_t rnd(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return n ? seed % n : seed;
}

static const char *pick_text(struct arena *a)
{
	static const char *const texts[] = {
		"", "x", "a b", "quote\" back\\slash \\x41", "new\nline\ttab\x01\x7f", "zo\xe8.mp3", "caf\xc3\xa9",
		"\xff\xfe", ("\xe2\x80\xae" "bidi"), "{project}", "null", "\\\\x",
	};
	if (rnd(4))
		return arena_str(a, texts[rnd(LEN(texts))]);
	char buf[40];
	size_t n = rnd(sizeof(buf));
	for (size_t i = 0; i < n; i++)
		buf[i] = (char)(1 + rnd(255));
	return arena_mem(a, buf, n);
}

static const char *maybe_text(struct arena *a)
{
	return rnd(2) ? pick_text(a) : NULL;
}

static const char *pick_path(struct arena *a)
{
	static const char *const dirs[] = { "/", "/home/u", "/usr/lib", "/tmp/x y", "/proc/self" };
	return path_join(a, dirs[rnd(LEN(dirs))], arena_fmt(a, "n%u\xe9", (unsigned)rnd(50)));
}

static void some_hops(struct arena *a, struct hop **hops, size_t *n)
{
	*n = rnd(3);
	*hops = *n ? arena_array(a, *n, sizeof(**hops)) : NULL;
	for (size_t i = 0; i < *n; i++)
		(*hops)[i] = (struct hop){ pick_path(a), pick_text(a) };
}

static void an_object(struct arena *a, struct object *o, bool file)
{
	if (file)
		o->path = pick_path(a);
	o->spelled = file && rnd(2) ? o->path : pick_text(a);
	o->dir = file && rnd(2) ? path_parent(a, o->path) : rnd(2) ? pick_path(a) : NULL;
	some_hops(a, &o->hops, &o->nhops);
	o->type = (enum file_type)rnd(FT_BLK + 1);
	o->mode = (uint32_t)rnd(010000);
	o->uid = (uint32_t)rnd(0);
	o->gid = (uint32_t)rnd(2);
	o->dev = rnd(0);
	o->ino = rnd(3) ? rnd(0) : UINT64_MAX;
	o->size = rnd(2);
	o->nlink = (uint32_t)rnd(3);
	o->missing = (uint32_t)rnd(3);
	o->dir_mode = (uint32_t)rnd(010000);
	o->dir_uid = (uint32_t)rnd(2);
	o->dir_gid = UINT32_MAX;
	o->blocked = rnd(2) ? pick_path(a) : NULL;
	o->walk_err = rnd(2) ? ELOOP : 0;
}

static void an_event(struct recording *r, uint64_t seq)
{
	struct event *ev = recording_add_event(r);
	ev->seq = seq;
	ev->first_ns = rnd(0);
	ev->count = rnd(100);
	ev->proc = (uint32_t)rnd(r->nprocs + 1);
	ev->at_least = rnd(2);
	ev->survives = rnd(2);
	ev->outcome = rnd(2) ? ENOENT : 0;
	ev->source = (enum outcome_source)rnd(3);
	struct access *a = &ev->acc;
	a->op = (enum op)rnd(OP_COUNT);
	a->family = (enum family)rnd(FAM_OTHER + 1);
	a->flags = (uint32_t)rnd(0);
	a->marks = (uint32_t)rnd(128);
	a->uid = (uint32_t)rnd(2);
	a->gid = (uint32_t)rnd(2);
	a->caps = rnd(2);
	a->port = (uint16_t)rnd(0);
	a->text = maybe_text(&r->arena);
	for (int i = 0; i < op_objects(a->op); i++)
		an_object(&r->arena, &a->obj[i], access_is_file(a));
}

static void a_host(struct host *h)
{
	struct arena *a = &h->arena;
	h->cwd = pick_text(a);
	h->home = maybe_text(a);
	h->project = maybe_text(a);
	h->runtime = maybe_text(a);
	h->user = maybe_text(a);
	h->recorder = maybe_text(a);
	h->uid = (uint32_t)rnd(0);
	h->privileged = rnd(2);
	h->ngroups = rnd(3);
	h->groups = arena_array(a, h->ngroups + 1, sizeof(*h->groups));
	h->nlinks = rnd(3);
	h->links = arena_array(a, h->nlinks + 1, sizeof(*h->links));
	for (size_t i = 0; i < h->nlinks; i++)
		h->links[i] = (struct hop){ pick_path(a), pick_text(a) };
	h->nmounts = rnd(3);
	h->mounts = arena_array(a, h->nmounts + 1, sizeof(*h->mounts));
	for (size_t i = 0; i < h->nmounts; i++)
		h->mounts[i] = (struct host_mount){ pick_path(a), maybe_text(a), rnd(2) };
	h->nenv = rnd(3);
	h->env = arena_array(a, h->nenv + 1, sizeof(*h->env));
	for (size_t i = 0; i < h->nenv; i++)
		h->env[i] = pick_text(a);
	for (size_t i = rnd(4); i; i--) {
		struct host_file f = { .path = pick_path(a), .type = (enum file_type)rnd(FT_BLK + 1), .real = maybe_text(a),
		                       .mode = 0644, .uid = 5 };
		some_hops(a, &f.hops, &f.nhops);
		assert_int_equal(host_add_file(h, &f), 0);
	}
}

static void a_recording(struct recording *r)
{
	struct arena *a = &r->arena;
	*r = (struct recording){ 0 };
	a_host(&r->host);
	r->id = maybe_text(a);
	r->nargv = rnd(4);
	r->argv = arena_array(a, r->nargv + 1, sizeof(*r->argv));
	for (size_t i = 0; i < r->nargv; i++)
		r->argv[i] = pick_text(a);
	r->nprocs = rnd(5);
	r->procs = arena_array(a, r->nprocs + 1, sizeof(*r->procs));
	for (size_t i = 0; i < r->nprocs; i++) {
		r->procs[i] = (struct proc){ .id = (uint32_t)i + 1, .parent = (uint32_t)rnd(r->nprocs + 1), .pid = 4711,
		                             .replaces = rnd(2), .exe = maybe_text(a), .cwd = maybe_text(a),
		                             .package = maybe_text(a), .script = maybe_text(a) };
		size_t n = rnd(4);
		if (n)
			r->procs[i].argv = arena_array(a, n, sizeof(char *));
		for (size_t k = 0; k + 1 < n; k++)
			r->procs[i].argv[k] = pick_text(a);
	}
	uint64_t seq = 0;
	for (size_t i = rnd(8); i; i--)
		an_event(r, seq += 1 + rnd(3));
	r->ndirs = rnd(3);
	r->dirs = arena_array(a, r->ndirs + 1, sizeof(*r->dirs));
	for (size_t i = 0; i < r->ndirs; i++)
		r->dirs[i] = (struct dirfact){ pick_path(a), (uint32_t)rnd(0), (uint32_t)rnd(3), rnd(2) };
	r->nnets = rnd(3);
	r->nets = arena_array(a, r->nnets + 1, sizeof(*r->nets));
	for (size_t i = 0; i < r->nnets; i++)
		r->nets[i] = (struct netfact){ pick_text(a), 443, rnd(2), rnd(0), rnd(3), rnd(3), (int)rnd(5),
		                               (uint32_t)rnd(r->nprocs + 1) };
	for (size_t i = rnd(3); i; i--)
		assert_int_equal(recording_add_incomplete(r, pick_text(a)), 0);
	r->status = (int)rnd(256) - 1;
	r->ended = true;
}

/* ---- comparing ---- */

static void same_text(const char *a, const char *b)
{
	if (!a || !b)
		assert_true(a == b);
	else
		assert_string_equal(a, b);
}

static void same_object(const struct object *a, const struct object *b)
{
	struct object x = *a, y = *b;
	same_text(a->spelled, b->spelled);
	same_text(a->path, b->path);
	same_text(a->dir, b->dir);
	same_text(a->blocked, b->blocked);
	assert_int_equal(a->nhops, b->nhops);
	for (size_t i = 0; i < a->nhops; i++) {
		same_text(a->hops[i].path, b->hops[i].path);
		same_text(a->hops[i].text, b->hops[i].text);
	}
	x.spelled = x.path = x.dir = x.blocked = y.spelled = y.path = y.dir = y.blocked = NULL;
	x.hops = y.hops = NULL;
	assert_memory_equal(&x, &y, sizeof(x));
}

static void same_events(const struct recording *a, const struct recording *b)
{
	assert_int_equal(a->nevents, b->nevents);
	for (size_t i = 0; i < a->nevents; i++) {
		const struct event *x = &a->events[i], *y = &b->events[i];
		assert_true(x->seq == y->seq && x->first_ns == y->first_ns && x->count == y->count && x->proc == y->proc);
		assert_true(x->at_least == y->at_least && x->survives == y->survives && x->source == y->source);
		assert_int_equal(x->outcome, y->outcome);
		assert_true(x->acc.op == y->acc.op && x->acc.family == y->acc.family && x->acc.flags == y->acc.flags);
		assert_true(x->acc.marks == y->acc.marks && x->acc.uid == y->acc.uid && x->acc.gid == y->acc.gid);
		assert_true(x->acc.caps == y->acc.caps && x->acc.port == y->acc.port);
		same_text(x->acc.text, y->acc.text);
		same_object(&x->acc.obj[0], &y->acc.obj[0]);
		same_object(&x->acc.obj[1], &y->acc.obj[1]);
	}
}

static void same_procs(const struct recording *a, const struct recording *b)
{
	assert_int_equal(a->nprocs, b->nprocs);
	for (size_t i = 0; i < a->nprocs; i++) {
		const struct proc *x = &a->procs[i], *y = &b->procs[i];
		assert_true(x->id == y->id && x->parent == y->parent && x->pid == y->pid && x->replaces == y->replaces);
		same_text(x->exe, y->exe);
		same_text(x->cwd, y->cwd);
		same_text(x->package, y->package);
		same_text(x->script, y->script);
		assert_true(!x->argv == !y->argv);
		for (size_t k = 0; x->argv && (x->argv[k] || y->argv[k]); k++)
			same_text(x->argv[k], y->argv[k]);
	}
}

static void same_host(const struct host *a, const struct host *b)
{
	same_text(a->cwd, b->cwd);
	same_text(a->home, b->home);
	same_text(a->project, b->project);
	same_text(a->runtime, b->runtime);
	same_text(a->user, b->user);
	same_text(a->recorder, b->recorder);
	assert_true(a->uid == b->uid && a->gid == b->gid && a->privileged == b->privileged);
	assert_true(a->ngroups == b->ngroups && a->nlinks == b->nlinks && a->nmounts == b->nmounts);
	assert_true(a->nfiles == b->nfiles && a->nenv == b->nenv);
	for (size_t i = 0; i < a->nenv; i++)
		same_text(a->env[i], b->env[i]);
	for (size_t i = 0; i < a->nfiles; i++) {
		same_text(a->files[i].path, b->files[i].path);
		same_text(a->files[i].real, b->files[i].real);
		assert_true(a->files[i].type == b->files[i].type && a->files[i].nhops == b->files[i].nhops);
		assert_ptr_equal(host_file(b, a->files[i].path), &b->files[i]);
	}
}

static char *write_text(const struct recording *r, size_t *len)
{
	char *text = NULL;
	struct err e = { 0 };
	FILE *f = open_memstream(&text, len);
	assert_int_equal(recording_write(r, f, &e), 0);
	fclose(f);
	return text;
}

static int read_text(struct recording *out, const char *text, size_t len, struct err *e)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, len ? len : 1, "r");
	if (!len)
		(void)getc(f);
	int rc = recording_read(out, f, "run", e);
	fclose(f);
	return rc;
}

static void what_is_written_reads_back_equal(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 500; i++) {
		seed = i * 0x9e3779b97f4a7c15u;
		OWN(recording) a = { 0 };
		OWN(recording) b = { 0 };
		struct err e = { 0 };
		a_recording(&a);
		size_t len, len2;
		char *text = write_text(&a, &len);
		if (read_text(&b, text, len, &e))
			fail_msg("seed %d: %s", (int)i, e.msg);
		same_host(&a.host, &b.host);
		same_procs(&a, &b);
		same_events(&a, &b);
		assert_true(a.nargv == b.nargv && a.nnets == b.nnets && a.ndirs == b.ndirs);
		assert_true(a.nincomplete == b.nincomplete && a.status == b.status && b.ended);
		same_text(a.id, b.id);
		char *again = write_text(&b, &len2);
		assert_int_equal(len, len2);
		assert_memory_equal(text, again, len);
		free(text);
		free(again);
	}
}

static void every_cut_reads_as_far_as_it_goes(void **state)
{
	(void)state;
	seed = 77;
	OWN(recording) a = { 0 };
	a_recording(&a);
	size_t len;
	char *text = write_text(&a, &len);
	size_t first = (size_t)((char *)memchr(text, '\n', len) - text) + 1;
	for (size_t cut = 0; cut < len; cut++) {
		OWN(recording) b = { 0 };
		struct err e = { 0 };
		int rc = read_text(&b, text, cut, &e);
		assert_int_equal(rc, cut < first ? -EINVAL : 0);
		assert_true(rc || (b.nincomplete && !b.ended));
	}
	free(text);
}

#define HOST "{\"snug\":\"recording/v1\",\"k\":\"host\"}\n"

static void hostile_lines_are_named(void **state)
{
	(void)state;
	static const struct { const char *text, *want; } cases[] = {
		{ "", "run: not a recording: it has no complete first record" },
		{ "{}\n", "run:1: snug is missing: this is no recording" },
		{ "{\"snug\":\"recording/v2\",\"k\":\"host\"}\n",
		  "run:1: snug is a version this snug does not know (it reads recording/v1)" },
		{ "[]\n", "run:1: not a JSON object" },
		{ "{\"snug\":\"recording/v1\",\"k\":\"end\"}\n", "run:1: k must be host in the first record" },
		{ HOST HOST, "run:2: k may be host only in the first record" },
		{ HOST "\n", "run:2: empty line" },
		{ HOST "{\"k\":\"wat\"}\n", "run:2: k is no word this version knows" },
		{ HOST "{\"k\":\"dir\",\"path\":\"/a\",\"files\":-1}\n", "run:2: files must be a whole number" },
		{ HOST "{\"k\":\"dir\",\"path\":\"/a\",\"files\":4294967296}\n", "run:2: files is too big" },
		{ HOST "{\"k\":\"dir\",\"path\":\"/a\",\"files\":1.5}\n", "run:2: files must be a whole number" },
		{ HOST "{\"k\":\"dir\"}\n", "run:2: path is missing" },
		{ HOST "{\"k\":\"dir\",\"path\":\"/a\\u0000b\"}\n", "run:2: path must hold no NUL" },
		{ HOST "{\"k\":\"dir\",\"path\":\"/a\\\\x00b\"}\n", "run:2: path must hold no NUL" },
		{ HOST "{\"k\":\"dir\",\"path\":7}\n", "run:2: path must be a string" },
		{ HOST "{\"k\":\"proc\",\"id\":2}\n", "run:2: id must count from 1 in the order of the records" },
		{ HOST "{\"k\":\"ev\",\"op\":\"open\"}\n", "run:2: seq must grow from record to record" },
		{ HOST "{\"k\":\"ev\",\"seq\":1,\"op\":\"opne\"}\n", "run:2: op is no word this version knows" },
		{ HOST "{\"k\":\"ev\",\"seq\":1,\"op\":\"stat\",\"a\":{\"path\":\"/a\",\"hops\":[[\"/b\"]]}}\n",
		  "run:2: hops must be a list of pairs" },
		{ HOST "{\"k\":\"ev\",\"seq\":1,\"proc\":3,\"op\":\"stat\",\"a\":{\"path\":\"/a\"}}\n"
		       "{\"k\":\"end\",\"status\":0,\"events\":1}\n", "run: a record names process 3, there are 0" },
		{ HOST "{\"k\":\"end\",\"status\":256}\n", "run:2: status must be -1 to 255" },
		{ HOST "{\"k\":\"end\",\"status\":0}\n{\"k\":\"dir\",\"path\":\"/\"}\n", "run:3: k follows the end record" },
		{ HOST "{\"k\":\"end\",\"status\":0}\nx", "run:3: bytes follow the end record" },
		{ HOST "{\"k\":\"dir\",\"path\":\"/\"} 1\n", "run:2: unexpected character" },
		{ HOST "{\"k\":\n", "run:2: the line ends inside a value" },
	};
	for (size_t i = 0; i < LEN(cases); i++) {
		OWN(recording) r = { 0 };
		struct err e = { 0 };
		assert_int_equal(read_text(&r, cases[i].text, strlen(cases[i].text), &e), -EINVAL);
		assert_string_equal(e.msg, cases[i].want);
	}
}

static void depth_and_line_length_are_bounded(void **state)
{
	(void)state;
	OWN(str) s = { 0 };
	struct err e = { 0 };
	OWN(recording) r = { 0 };
	str_add(&s, HOST "{\"k\":");
	for (int i = 0; i < 1000; i++)
		str_add_char(&s, '[');
	str_add_char(&s, '\n');
	assert_int_equal(read_text(&r, s.p, s.len, &e), -EINVAL);
	str_clear(&s);
	str_add(&s, HOST "{\"k\":\"");
	for (int i = 0; i < 2 << 20; i++)
		str_add_char(&s, 'x');
	assert_int_equal(read_text(&r, s.p, s.len, &e), -EINVAL);
	assert_string_equal(e.msg, "run:2: line longer than 1 MiB");
}

static void lost_records_and_nameless_accesses_make_it_incomplete(void **state)
{
	(void)state;
	static const char lost[] = HOST "{\"k\":\"end\",\"status\":0,\"events\":3}\n";
	static const char nameless[] = HOST "{\"k\":\"ev\",\"seq\":1,\"op\":\"rename\",\"a\":{\"path\":\"/a\"}}\n"
		"{\"k\":\"end\",\"status\":0,\"events\":1}\n";
	OWN(recording) r = { 0 };
	OWN(recording) n = { 0 };
	struct err e = { 0 };
	assert_int_equal(read_text(&r, lost, sizeof(lost) - 1, &e), 0);
	assert_int_equal(r.nincomplete, 1);
	assert_string_equal(r.incomplete[0], "records are missing from the recording");
	assert_int_equal(read_text(&n, nameless, sizeof(nameless) - 1, &e), 0);
	assert_int_equal(n.nevents, 0);
	assert_string_equal(n.incomplete[0], "an access without a name was left out");
}

static void an_unclean_path_is_left_out_and_said(void **state)
{
	(void)state;
	static const char *const bad[] = { "rel", "/a//b", "/a/", "//", "/a/../b", "/./a", "/a/.", "" };
	static const char *const good[] = { "/", "/a", "/a/..b/.c", "memfd:x", "deleted:/a/b" };
	for (size_t i = 0; i < LEN(bad) + LEN(good); i++) {
		OWN(recording) r = { 0 };
		OWN(str) s = { 0 };
		struct err e = { 0 };
		bool fine = i >= LEN(bad);
		str_fmt(&s, HOST "{\"k\":\"ev\",\"seq\":1,\"op\":\"stat\",\"a\":{\"path\":\"%s\"}}\n{\"k\":\"end\",\"status\":0,\"events\":1}\n",
		        fine ? good[i - LEN(bad)] : bad[i]);
		assert_int_equal(read_text(&r, s.p, s.len, &e), 0);
		assert_int_equal(r.nevents, fine);
		assert_int_equal(r.nincomplete, !fine);
	}
}

static void a_huge_access_is_left_out_and_said(void **state)
{
	(void)state;
	OWN(recording) a = { 0 };
	OWN(recording) b = { 0 };
	struct err e = { 0 };
	char *big = malloc(2 << 20);
	memset(big, 'x', 2 << 20);
	big[0] = '/';
	big[(2 << 20) - 1] = '\0';
	struct event *ev = recording_add_event(&a);
	ev->seq = 1;
	ev->acc.op = OP_STAT;
	ev->acc.obj[0].path = ev->acc.obj[0].spelled = big;
	a.ended = true;
	size_t len;
	char *text = write_text(&a, &len);
	assert_int_equal(read_text(&b, text, len, &e), 0);
	assert_int_equal(b.nevents, 0);
	assert_string_equal(b.incomplete[0], "an access was too long to be stored");
	free(text);
	free(big);
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	OWN(recording) a = { 0 };
	struct err e = { 0 };
	FILE *f = fopen("/dev/full", "w");
	if (!f)
		skip();
	assert_int_equal(recording_write(&a, f, &e), -ENOSPC);
	fclose(f);
}

static void a_chain_names_each_program_once(void **state)
{
	(void)state;
	const char *npm[] = { "npm", "install", NULL }, *node_npm[] = { "node", "/usr/bin/npm", "install", NULL };
	const char *sh[] = { "sh", "-c", "node install.js && true", NULL }, *node[] = { "node", "install.js", NULL };
	struct proc procs[] = {
		{ .id = 1, .argv = npm }, { .id = 2, .parent = 1, .replaces = true, .argv = node_npm },
		{ .id = 3, .parent = 2, .argv = node_npm }, { .id = 4, .parent = 3, .replaces = true, .argv = sh },
		{ .id = 5, .parent = 4, .argv = sh }, { .id = 6, .parent = 5, .replaces = true, .argv = node },
		{ .id = 7, .parent = 7, .exe = "/bin/loop" },
	};
	struct recording r = { .procs = procs, .nprocs = LEN(procs) };
	OWN(str) s = { 0 };
	recording_chain(&r, 6, &s);
	assert_string_equal(str_c(&s), "npm install > sh -c ... > node install.js");
	str_clear(&s);
	recording_chain(&r, 7, &s);
	assert_string_equal(str_c(&s), "loop");
	str_clear(&s);
	recording_chain(&r, 99, &s);
	assert_string_equal(str_c(&s), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_reads_back_equal),
		cmocka_unit_test(every_cut_reads_as_far_as_it_goes),
		cmocka_unit_test(hostile_lines_are_named),
		cmocka_unit_test(depth_and_line_length_are_bounded),
		cmocka_unit_test(lost_records_and_nameless_accesses_make_it_incomplete),
		cmocka_unit_test(an_unclean_path_is_left_out_and_said),
		cmocka_unit_test(a_huge_access_is_left_out_and_said),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(a_chain_names_each_program_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
