/* difftest.c - suite: root user: does the judge say what the engine does? */
#include "tests/difftest/lessen.h"
#include "tests/difftest/stage.h"

#include "base/path.h"
#include "profiles/find.h"
#include "profiles/judge.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Each round draws a tree, a profile and accesses (tests/difftest/gen.c, which knows nothing of the judge), performs
 * the accesses outside under the recorder, asks the judge about what was recorded, performs them again on a fresh
 * tree in the engine, and compares. The same answers are then judged with one rule inverted at a time: each
 * inversion must be noticed.
 */

int judge_mutation; /* read by RULE() in the judge's copy that is linked here */

static const char *const classes[C_COUNT] = {
	[C_READ] = "read", [C_WRITE] = "write", [C_CREATE] = "create", [C_REMOVE] = "remove", [C_TWO] = "two-object",
	[C_META] = "metadata", [C_EXEC] = "exec", [C_SOCKET] = "socket", [C_OTHER] = "(no file)",
};

static const char *const mutations[RULE_COUNT] = {
	[RULE_NONE] = "none",
	[RULE_LINK_VISIBLE] = "links on the way must be in the view",
	[RULE_AUTO_DIR] = "directories that lead to a place exist",
	[RULE_READ_ONLY] = "a write to a read-only mount is EROFS",
	[RULE_MOUNT_BUSY] = "a mount point cannot be removed or moved",
	[RULE_CROSS_MOUNT] = "rename and link across mounts are EXDEV",
	[RULE_EXISTS_FIRST] = "EEXIST comes before EROFS",
	[RULE_MASK_CLOSED] = "a masked object has mode 000",
	[RULE_PRIVATE_EMPTY] = "home and /tmp begin empty",
	[RULE_MODE_BITS] = "mode bits hold without capabilities",
	[RULE_SPECIAL_WRITE] = "fifos and devices may be written on a read-only mount",
	[RULE_SECOND_LAYER] = "Landlock keeps them where no place lets write",
	[RULE_NO_DEVICES] = "device nodes in a bound tree are shut off",
	[RULE_MUST_BE_DIR] = "a slash at the end wants a directory",
	[RULE_DIR_WRITE] = "a directory cannot be opened for writing",
	[RULE_NOT_EMPTY] = "what the command has put into a directory keeps it",
	[RULE_MADE_SEEN] = "what the command made is there, what it removed is not",
	[RULE_OWN_NET] = "without the host's network there is loopback only",
	[RULE_LOW_PORT] = "ports below 1024 are nobody's",
	[RULE_FAR_NAMES] = "abstract sockets of others are out of reach",
	[RULE_CALL_OFF] = "denied system calls answer an errno",
	[RULE_ENV_SHUT] = "variables that nobody grants are not there",
};

/* not drawn, since nobody can know the answer beforehand */
static const char *const limits[] = {
	"removing or replacing a directory that is not empty: what a directory holds is not recorded; the errno is the same",
	"reads of content: a granted directory lists fewer names where only some of them are granted",
	"hosts granted by names that a name server would have to be asked for",
	"objects below a bind with another target: nobody looked at them; judged as if they were like those outside",
};

struct options {
	size_t pairs, floor;
	uint64_t seed;
	bool verbose, one, quiet, endless;
	int mutation; /* as if the judge had it, to try what follows */
	const char *doer, *dir;
};

struct tally {
	size_t pairs, rounds, refused, mismatches, cells[C_COUNT][4], caught[RULE_COUNT];
	const struct want *first; /* of the last round, the first one that is wrong, and why */
	const char *what;
};

struct facts {
	struct access *acc; /* per want */
	bool *known;
	int *outside, *inside, *predicted;
	struct judgement *said;
	const struct policy *pol;
};

static enum op op_of(const char *word, long flags)
{
	static const struct { const char *word; enum op op; } rows[] = {
		{ "lstat", OP_STAT }, { "install", OP_OPEN }, { "openat", OP_OPEN },
		{ "cinet", OP_CONNECT }, { "binet", OP_BIND }, { "env", OP_ENV },
	};
	for (size_t i = 0; i < LEN(rows); i++)
		if (!strcmp(rows[i].word, word))
			return rows[i].op;
	if ((!strcmp(word, "access") && !flags) || (!strcmp(word, "open") && flags & O_PATH))
		return OP_STAT; /* recorded as what they are: looks */
	return op_from_word(word);
}

/* Facts of a want that is performed inside only. */
static void plain_access(struct access *a, const struct want *w, struct arena *mem)
{
	*a = (struct access){ .op = op_of(w->word, w->flags), .uid = getuid(), .gid = getgid(), .caps = !getuid() };
	a->obj[0].spelled = w->path;
	if (a->op == OP_ENV || a->op == OP_SYSCALL)
		return;
	bool six = strchr(w->path, ':') != NULL;
	a->family = six ? FAM_INET6 : FAM_INET;
	a->port = (uint16_t)w->flags;
	a->flags = w->second[0] == 'd' ? 2 : 1; /* SOCK_DGRAM, SOCK_STREAM */
	a->obj[0].spelled = arena_fmt(mem, six ? "[%s]:%ld" : "%s:%ld", w->path, w->flags);
}

/* The same object by another spelling: a recording is a set. */
static const struct event *find_object(const struct recording *rec, const struct want *w)
{
	OWN(str) clean = { 0 };
	path_clean(&clean, w->path);
	for (size_t i = 0; i < rec->nevents; i++) {
		const struct access *a = &rec->events[i].acc;
		if (a->op == op_of(w->word, w->flags) && a->obj[0].path && !strcmp(a->obj[0].path, str_c(&clean)))
			return &rec->events[i];
	}
	return NULL;
}

static const struct event *find_event(const struct recording *rec, const struct want *w, size_t from, size_t to)
{
	const char *as = strcmp(w->word, "openat") ? w->path : w->second;
	for (size_t i = from; i < to && i < rec->nevents; i++) {
		const struct event *ev = &rec->events[i];
		if (ev->acc.op == op_of(w->word, w->flags) && ev->acc.obj[0].spelled && !strcmp(ev->acc.obj[0].spelled, as))
			return ev;
	}
	return NULL;
}

static size_t find_mark(const struct recording *rec, size_t n, size_t from)
{
	char text[32];
	snprintf(text, sizeof(text), "/.difft/%zu", n);
	for (size_t i = from; i < rec->nevents; i++)
		if (rec->events[i].acc.obj[0].spelled &&
		    !strcmp(rec->events[i].acc.obj[0].spelled, text))
			return i;
	return from;
}

static void collect(struct facts *f, const struct round *r, const struct recording *rec, struct arena *mem)
{
	size_t at = 0;
	for (size_t i = 0; i < r->nwants; i++) {
		const struct want *w = &r->wants[i];
		f->predicted[i] = -1;
		at = find_mark(rec, i, at);
		if (w->inside) {
			plain_access(&f->acc[i], w, mem);
			f->known[i] = true;
			continue;
		}
		const struct event *ev = find_event(rec, w, at, find_mark(rec, i + 1, at + 1));
		if (!ev && strcmp(w->word, "openat") != 0) /* seen before: a recording is a set */
			ev = find_event(rec, w, 0, rec->nevents);
		if (!ev)
			ev = find_object(rec, w);
		f->known[i] = ev != NULL;
		if (!ev)
			continue;
		f->acc[i] = ev->acc;
		if (ev->source != OUT_UNKNOWN)
			f->predicted[i] = ev->outcome;
	}
}

static int judge_all(struct facts *f, const struct round *r, const struct policy *pol, const struct host *h)
{
	OWN(made) m = { 0 };
	f->pol = pol;
	for (size_t i = 0; i < r->nwants; i++) {
		if (!f->known[i])
			continue;
		f->said[i] = policy_judge(pol, &f->acc[i], h, &m);
		int err = made_apply(&m, pol, &f->acc[i], &f->said[i]);
		if (err)
			return err;
	}
	return 0;
}

static const char *name_of(int err)
{
	return err < 0 ? "not performed" : err ? strerrorname_np(err) : "ok";
}

/* Before 6.14 truncate(2) looked at the mount before the mode bits. */
static bool old_kernel(void)
{
	struct utsname u;
	int major = 0, minor = 0;
	return !uname(&u) && sscanf(u.release, "%d.%d", &major, &minor) == 2 && (major < 6 || (major == 6 && minor < 14));
}

/* Not every file system knows attributes, O_TMPFILE and flags of rename; nobody records that. */
static bool unsupported(const struct want *w, int outside, int inside)
{
	if (!strcmp(w->word, "setxattr") || (!strcmp(w->word, "open") && (w->flags & O_TMPFILE) == O_TMPFILE))
		return inside == EOPNOTSUPP;
	return !strcmp(w->word, "rename") && w->flags && inside == EINVAL && outside == EINVAL;
}

/* Below a bind that stands elsewhere nothing was recorded: the judge cannot know it. */
static bool is_elsewhere(const struct policy *pol, const char *path)
{
	for (size_t i = 0; path && i < pol->nplaces; i++)
		if (place_moved(&pol->places[i]) && path_below(path, pol->places[i].path))
			return true;
	return false;
}

static bool unrecorded(const struct facts *f, size_t i)
{
	const struct access *a = &f->acc[i];
	bool is = false;
	for (int k = 0; k < op_objects(a->op); k++) {
		is = is || is_elsewhere(f->pol, a->obj[k].path);
		for (size_t h = 0; h < a->obj[k].nhops; h++)
			is = is || is_elsewhere(f->pol, a->obj[k].hops[h].path);
	}
	return is;
}

/* Why the judge was wrong about want @i, or NULL. */
static const char *wrong(const struct facts *f, const struct round *r, size_t i)
{
	const struct judgement *j = &f->said[i];
	const struct want *w = &r->wants[i];
	struct stat st;
	if (!f->known[i])
		return "the recorder has no such access";
	if (unrecorded(f, i))
		return NULL;
	bool swapped = !strcmp(w->word, "truncate") && j->err == EACCES && f->inside[i] == EROFS && old_kernel();
	if (!judge_mutation && unsupported(w, f->outside[i], f->inside[i]))
		return NULL;
	if (j->err != f->inside[i] && !swapped)
		return "another errno";
	if (j->verdict == V_GRANTED && !w->inside && j->err && f->outside[i] != f->inside[i])
		return "granted, and not as outside";
	if (!j->err && (j->verdict == V_MISSING || j->verdict == V_DENIED))
		return "succeeds and is said to be missing";
	if (judge_mutation)
		return NULL;
	if (j->verdict == V_DENIED && (!j->by || !j->by->line || strncmp(j->by->origin, "builtin:", 8) == 0))
		return "denied by no line of the profile";
	if (j->verdict == V_GRANTED && access_is_file(&f->acc[i]) && !j->by && !j->err)
		return "granted by no line";
	if (w->makes && !w->chain && !j->err && !lstat(w->makes, &st) != (j->verdict == V_GRANTED))
		return j->verdict == V_GRANTED ? "granted, and not on the host" : "private, and on the host";
	if (f->predicted[i] >= 0 && f->predicted[i] != f->outside[i])
		return "the recorder predicts another outcome";
	return NULL;
}

static void tell(const struct options *o, const struct facts *f, const struct round *r, size_t i, const char *what)
{
	const struct want *w = &r->wants[i];
	const struct judgement *j = &f->said[i];
	printf("# %s: --seed %llu --round, access %zu: %s 0x%lx %s %s\n", what, (unsigned long long)r->seed, i, w->word,
	       (unsigned long)w->flags, w->path, w->second);
	printf("#   judge: %s %s (%s)%s%s by %s:%u; outside %s, inside %s, predicted %s\n", verdict_word(j->verdict),
	       name_of(j->err), j->why ? j->why : "", j->at ? " at " : "", j->at ? j->at : "",
	       j->by && j->by->origin ? j->by->origin : "-", j->by ? j->by->line : 0, name_of(f->outside[i]),
	       name_of(f->inside[i]), name_of(f->predicted[i]));
	for (int k = 0; k < op_objects(f->acc[i].op) && f->known[i]; k++) {
		const struct object *x = &f->acc[i].obj[k];
		printf("#   object: %s %s missing %u dir %s blocked %s walk %s marks %x\n", x->path ? x->path : "-",
		       file_type_word(x->type), x->missing, x->dir ? x->dir : "-", x->blocked ? x->blocked : "-",
		       name_of(x->walk_err), f->acc[i].marks);
		for (size_t h = 0; o->verbose && h < x->nhops; h++)
			printf("#     hop %s -> %s\n", x->hops[h].path, x->hops[h].text);
	}
}

static void print_profile(const struct round *r)
{
	OWN(str) y = { 0 };
	str_add(&y, str_c(&r->yaml));
	for (char *line = strtok(y.p, "\n"); line; line = strtok(NULL, "\n"))
		printf("#   | %s\n", line);
}

static void compare(const struct options *o, struct tally *t, const struct facts *f, const struct round *r)
{
	size_t bad = 0;
	for (size_t i = 0; i < r->nwants; i++) {
		const char *what = wrong(f, r, i);
		t->pairs++;
		if (f->known[i])
			t->cells[r->wants[i].class][f->said[i].verdict]++;
		if (!what && !(o->verbose && o->one))
			continue;
		if (what && !bad++) {
			t->first = &r->wants[i];
			t->what = what;
		}
		if (o->quiet)
			continue;
		if (t->mismatches + bad <= 40 || o->one)
			tell(o, f, r, i, what ? what : "fine");
	}
	t->mismatches += bad;
	if (bad && !o->quiet && (o->one || t->mismatches == bad))
		print_profile(r);
}

/* Base, then the drawn profile, as the command line would compose them. */
static int compose(struct profile *p, struct host *h, const struct round *r, char **env, struct err *e)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/tool/drawn.yaml", r->base);
	FILE *out = fopen(path, "w");
	if (!out || fputs(str_c(&r->yaml), out) < 0 || fclose(out))
		return err_sys(e, "write %s", path);
	struct word name = { .text = path };
	struct wordlist names = { &name, 1 }, paths = { 0 };
	OWN(finder) f = { .host = h, .purpose = FIND_READ };
	OWN(arena) a = { 0 };
	int err = host_probe(h, r->project, NULL, env, e);
	if (!err)
		err = find_compose(p, &f, &names, NULL, false, false, e);
	if (!err)
		err = profile_paths(p, h, &a, &paths, e);
	return err ? err : host_look(h, &paths, e);
}

/* Through a file and back: the judge sees what another machine would. */
static int reread(struct recording *out, const struct recording *rec, struct err *e)
{
	FILE *f = tmpfile();
	if (!f)
		return err_sys(e, "a temporary file");
	int err = recording_write(rec, f, e);
	rewind(f);
	if (!err)
		err = recording_read(out, f, "written recording", e);
	fclose(f);
	return err;
}

static int run_round(const struct options *o, struct tally *t, const struct round *r, struct err *e)
{
	OWN(arena) mem = { 0 };
	OWN(profile) prof = { 0 };
	OWN(host) h = { 0 };
	OWN(policy) pol = { 0 };
	OWN(policy) run = { 0 };
	OWN(recording) made = { 0 };
	OWN(recording) rec = { 0 };
	struct stage w = { .round = r, .doer = o->doer };
	size_t n = r->nwants;
	struct facts f = { arena_array(&mem, n, sizeof(*f.acc)), arena_array(&mem, n, sizeof(bool)),
		           arena_array(&mem, n, sizeof(int)), arena_array(&mem, n, sizeof(int)),
		           arena_array(&mem, n, sizeof(int)), arena_array(&mem, n, sizeof(*f.said)), NULL };
	int err = stage_build(&w, e);
	if (!err && chdir(r->project))
		err = err_sys(e, "enter %s", r->project);
	if (!err)
		err = compose(&prof, &h, r, stage_env(r, &mem), e);
	if (!err)
		err = policy_resolve(&run, &prof, &h, true, e);
	if (err == -EINVAL && !run.nplaces) { /* not every drawn profile is one that run takes */
		if (!o->quiet)
			printf("# refused, --seed %llu: %s\n", (unsigned long long)r->seed, e->msg);
		stage_remove(&w);
		t->refused++;
		return 0;
	}
	if (!err)
		err = stage_outside(&w, &h, &made, f.outside, e);
	if (!err)
		err = reread(&rec, &made, e);
	if (!err)
		err = policy_resolve(&pol, &prof, &rec.host, false, e);
	stage_remove(&w);
	if (!err)
		err = stage_build(&w, e);
	if (!err)
		err = stage_inside(&w, &run, f.inside, e);
	if (err) {
		stage_remove(&w);
		return err;
	}
	collect(&f, r, &rec, &mem);
	for (judge_mutation = RULE_COUNT - 1; judge_mutation > 0; judge_mutation--) {
		err = judge_all(&f, r, &pol, &rec.host);
		for (size_t i = 0; i < n; i++)
			t->caught[judge_mutation] += wrong(&f, r, i) != NULL;
	}
	judge_mutation = o->mutation;
	err = judge_all(&f, r, &pol, &rec.host);
	compare(o, t, &f, r);
	judge_mutation = RULE_NONE;
	stage_remove(&w);
	t->rounds++;
	return err;
}

/* Is a cell not filled yet? */
static bool short_of(const struct options *o, const struct tally *t)
{
	for (int c = 0; c < C_OTHER; c++)
		for (int v = 0; v < 4; v++)
			if (t->cells[c][v] < o->floor)
				return true;
	return false;
}

static bool goes_on(const struct options *o, const struct tally *t)
{
	if (o->one)
		return !t->rounds && !t->refused;
	if (o->endless)
		return true;
	return t->refused <= t->rounds / 4 + 3 &&
	       (t->pairs < o->pairs || (short_of(o, t) && t->pairs < 4 * o->pairs));
}

static int report(const struct options *o, const struct tally *t)
{
	int test = 0, bad = 0;
	printf("# %zu pairs in %zu rounds, %zu profiles refused\n# %-12s %8s %8s %8s %8s\n", t->pairs, t->rounds,
	       t->refused, "", "granted", "private", "missing",
	       "denied");
	for (int c = 0; c < C_COUNT; c++)
		printf("# %-12s %8zu %8zu %8zu %8zu\n", classes[c], t->cells[c][0], t->cells[c][1], t->cells[c][2],
		       t->cells[c][3]);
	printf("# no cell is impossible: in each class each verdict can come\n");
	for (size_t i = 0; i < LEN(limits); i++)
		printf("# not drawn: %s\n", limits[i]);
	bool wrong_once = t->mismatches || (!o->one && t->pairs < o->pairs);
	printf("%sok %d - the judge says what the engine does (%zu pairs)\n", wrong_once ? "not " : "", ++test, t->pairs);
	bad += wrong_once;
	for (int c = 0; c < C_OTHER; c++) {
		size_t low = t->cells[c][0];
		for (int v = 1; v < 4; v++)
			low = MIN(low, t->cells[c][v]);
		printf("%sok %d - %s: at least %zu pairs under each verdict (%zu)\n", low < o->floor ? "not " : "", ++test,
		       classes[c], o->floor, low);
		bad += low < o->floor;
	}
	for (int m = 1; m < RULE_COUNT; m++) {
		bool seen = t->caught[m] > t->mismatches;
		printf("%sok %d - caught when inverted: %s (%zu)\n", seen ? "" : "not ", ++test, mutations[m], t->caught[m]);
		bad += !seen;
	}
	return bad != 0;
}

static int options(struct options *o, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		if (!strcmp(argv[i], "--verbose"))
			o->verbose = true;
		else if (!strcmp(argv[i], "--round"))
			o->one = true;
		else if (!strcmp(argv[i], "--endless"))
			o->endless = true;
		else if (!strcmp(argv[i], "--mutation"))
			o->mutation = atoi(value), i++;
		else if (!strcmp(argv[i], "--pairs"))
			o->pairs = strtoul(value, NULL, 10), i++;
		else if (!strcmp(argv[i], "--seed"))
			o->seed = strtoull(value, NULL, 10), i++;
		else
			return fprintf(stderr, "usage: difftest [--pairs N] [--seed N] [--round] [--endless] [--mutation N] [--verbose]\n"), 2;
	}
	return 0;
}

/* Mounts of the drawn trees are nobody else's; an ordinary user needs a user namespace for the engine. */
static bool can_run(void)
{
	if (!getuid())
		return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	pid_t pid = fork();
	int status;
	if (!pid)
		_exit(unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0);
	return waitpid(pid, &status, 0) == pid && status == 0;
}

struct wanted {
	struct options o;
	const char *what, *word, *path;
};

/* Is the first mismatch of @r the same one? */
static bool shows(void *arg, const struct round *r)
{
	const struct wanted *w = arg;
	struct tally t = { 0 };
	struct err e = { 0 };
	if (!r->nwants || run_round(&w->o, &t, r, &e) < 0 || !t.mismatches)
		return false;
	return !strcmp(t.what, w->what) && !strcmp(t.first->word, w->word) && !strcmp(t.first->path, w->path);
}

/* Find the smallest round that shows the mismatch of @r, and print it. */
static void reproduce(const struct options *o, struct round *r, const struct tally *found)
{
	static const char *const kinds[] = { [N_DIR] = "directory", [N_FILE] = "file", [N_PROGRAM] = "program", [N_LINK] = "link",
		[N_FIFO] = "fifo", [N_SOCKET] = "socket", [N_MOUNT] = "mount", [N_DEVICE] = "device" };
	struct wanted w = { *o, found->what, found->first->word, found->first->path };
	struct tally t = { 0 };
	struct err e = { 0 };
	printf("# seed %llu: %s; making it smaller\n", (unsigned long long)r->seed, found->what);
	fflush(stdout);
	w.o.quiet = true;
	round_lessen(r, shows, &w);
	printf("# minimal, HOME=%s, in %s, with:\n", r->home_as, r->project_as);
	for (size_t i = 0; i < r->nnodes; i++)
		printf("#   %s %s %s %o uid %u\n", kinds[r->nodes[i].kind], r->nodes[i].path, r->nodes[i].text ? r->nodes[i].text : "",
		       r->nodes[i].mode, r->nodes[i].uid);
	w.o.quiet = false;
	w.o.one = true;
	w.o.verbose = true;
	if (run_round(&w.o, &t, r, &e) < 0)
		printf("# %s\n", e.msg);
}

/* Somebody who listens on the loopback as long as we live. Return: the port, 0 none. */
static unsigned listener(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) || listen(fd, 64) || getsockname(fd, (struct sockaddr *)&at, &len))
		return 0;
	return ntohs(at.sin_port);
}

int main(int argc, char **argv)
{
	struct options o = { .pairs = 1500, .floor = 30, .seed = 1 };
	struct tally t = { 0 };
	if (getenv("SNUG_LONG"))
		o.pairs = 5000;
	if (options(&o, argc, argv))
		return 2;
	o.quiet = o.endless; /* the small one is told at the end */
	char self[4096], doer[4200], base[] = "/var/tmp/dtXXXXXX", short_base[] = "/tmp/dtXXXXXX", tmp[] = "/tmp/dsXXXXXX";
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0)
		return 2;
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	snprintf(doer, sizeof(doer), "%s/../targets/difft_do", self);
	o.doer = doer;
	umask(022);
	if (!can_run())
		return printf("1..1\nok 1 - all of it # SKIP this account gets no %s here\n",
		              getuid() ? "user namespace" : "mount namespace"), 0;
	if (!mkdtemp(base) || !mkdtemp(short_base) || !mkdtemp(tmp) || chmod(base, 0755) || chmod(short_base, 0755))
		return perror("scratch directory"), 2;
	unsigned port = listener();
	if (!port)
		return perror("listen"), 2;
	printf("1..%d\n", 1 + C_OTHER + RULE_COUNT - 1);
	int failed = 0;
	while (!failed && goes_on(&o, &t)) {
		struct err e = { 0 };
		OWN(round) r = { 0 };
		uint64_t seed = o.seed + t.rounds + t.refused;
		int err = round_draw(&r, seed, seed % 2 ? base : short_base, tmp, port, getuid() == 0);
		if (!err)
			err = run_round(&o, &t, &r, &e);
		if (!err && o.endless && t.mismatches) {
			reproduce(&o, &r, &t);
			failed = 2;
		}
		if (o.endless && t.rounds % 100 == 0 && isatty(1))
			printf("# %zu pairs in %zu rounds\n", t.pairs, t.rounds);
		if (err) {
			printf("# seed %llu: %s\n", (unsigned long long)seed, e.msg);
			print_profile(&r);
			failed = 1;
		}
	}
	rmdir(base);
	rmdir(short_base);
	rmdir(tmp);
	if (failed == 1)
		printf("Bail out! the accesses could not be performed\n");
	return failed ? 1 : report(&o, &t);
}
