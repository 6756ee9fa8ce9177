/* main.c - leak list | try ROOM CONF | tell MANIFEST OPEN SHUT | outside DIR | member FILE | swap A B */
#include "leak.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHECKS_MAX = 1000, CHECK_SECONDS = 4, BITING_MIN = 150 };

static struct check checks[CHECKS_MAX];
static size_t nchecks;
static char confs[64][2][256];
static size_t nconfs;
static int answer = -1;

void add(const struct check *c)
{
	if (nchecks == CHECKS_MAX)
		abort();
	checks[nchecks++] = *c;
}

const char *conf(const char *name)
{
	for (size_t i = 0; i < nconfs; i++)
		if (!strcmp(confs[i][0], name))
			return confs[i][1];
	return "";
}

long conf_number(const char *name)
{
	return atol(conf(name));
}

static void read_conf(const char *path)
{
	char line[600];
	FILE *f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f) && nconfs < 64) {
		char *eq = strchr(line, '=');
		line[strcspn(line, "\n")] = 0;
		if (!eq)
			continue;
		*eq = 0;
		snprintf(confs[nconfs][0], 256, "%.200s", line);
		snprintf(confs[nconfs++][1], 256, "%.250s", eq + 1);
	}
	if (f)
		fclose(f);
}

void skip(const char *fmt, ...)
{
	char text[200] = "skip: ";
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text + 6, sizeof(text) - 6, fmt, ap);
	va_end(ap);
	if (write(answer, text, strlen(text)) < 0)
		_exit(1);
	_exit(0);
}

static void make_all(void)
{
	add_files();
	add_proc();
	add_calls();
	add_sockets();
	add_descriptors();
	add_self();
}

/* Each in a process of its own: what it breaks, it breaks for itself. */
static void try_one(const struct check *c)
{
	char text[256] = "";
	int p[2], status;
	if (pipe(p))
		exit(1);
	pid_t pid = fork();
	if (pid == 0) {
		close(p[0]);
		answer = p[1];
		alarm(CHECK_SECONDS);
		int err = c->run(c);
		const char *name = err ? strerrorname_np(err) : "OK";
		if (!name)
			name = "EUNKNOWN";
		_exit(write(answer, name, strlen(name)) < 0);
	}
	close(p[1]);
	size_t n = 0;
	for (ssize_t r; n < sizeof(text) - 1 && (r = read(p[0], text + n, sizeof(text) - 1 - n)) > 0;)
		n += (size_t)r;
	text[n] = 0;
	close(p[0]);
	waitpid(pid, &status, 0);
	if (!n)
		snprintf(text, sizeof(text), "%s", WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : "nothing");
	printf("%s\t%s\n", c->id, text);
	fflush(stdout);
}

static bool one_of(const char *result_, const char *set)
{
	size_t n = strlen(result_);
	if (!strcmp(set, "*"))
		return !strcmp(result_, "OK") || *result_ == 'E';
	for (const char *p = set; p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
		if (!strncmp(p, result_, n) && (!p[n] || p[n] == '|'))
			return true;
	return false;
}

static bool look_up(char *out, size_t size, const char *file, const char *id)
{
	char line[400];
	size_t n = strlen(id);
	bool found = false;
	FILE *f = fopen(file, "r");
	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		found = !strncmp(line, id, n) && line[n] == '\t';
	}
	if (f)
		fclose(f);
	if (found)
		snprintf(out, size, "%s", line + n + 1);
	return found;
}

static const struct check *check_of(const char *id)
{
	for (size_t i = 0; i < nchecks; i++)
		if (!strcmp(checks[i].id, id))
			return &checks[i];
	return NULL;
}

/* One line of TAP for each line of the manifest; what it lists and nobody tried is a failure. */
static int tell(const char *manifest, const char *opened, const char *shut)
{
	char id[200], was[300], is[300];
	size_t n = 0, bad = 0, bit = 0;
	FILE *f = fopen(manifest, "r");
	while (f && fgets(id, sizeof(id), f)) {
		id[strcspn(id, "\n")] = 0;
		const struct check *c = check_of(id);
		if (!c || !look_up(was, sizeof(was), opened, id) || !look_up(is, sizeof(is), shut, id)) {
			printf("not ok %zu - %s: listed, and printed nothing\n", ++n, id);
			bad++;
		} else if (!one_of(was, c->open)) {
			printf("ok %zu - %s # SKIP unconfined it gives %s\n", ++n, id, was);
		} else if (!one_of(is, c->shut)) {
			printf("not ok %zu - %s: %s inside, wanted %s\n", ++n, id, is, c->shut);
			bad++;
		} else {
			printf("ok %zu - %s\n", ++n, id);
			bit++;
		}
	}
	for (size_t i = 0; i < nchecks; i++) {
		bool listed = false;
		for (rewind(f); !listed && fgets(id, sizeof(id), f);) {
			id[strcspn(id, "\n")] = 0;
			listed = !strcmp(id, checks[i].id);
		}
		if (!listed) {
			printf("not ok %zu - %s: is not in the manifest\n", ++n, checks[i].id);
			bad++;
		}
	}
	fclose(f);
	printf("%sok %zu - %zu checks that can bite, of at least %d\n", bit < BITING_MIN ? "not " : "", n + 1, bit + bad,
	       BITING_MIN);
	printf("1..%zu\n", n + 1);
	return bad != 0 || bit < BITING_MIN;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	if (!strcmp(mode, "outside") && argc == 3)
		return outside(argv[2]);
	if (!strcmp(mode, "member") && argc == 3)
		return member(argv[2]);
	if (!strcmp(mode, "swap") && argc == 4)
		return swap(argv[2], argv[3]);
	signal(SIGUSR1, SIG_IGN); /* a check sends it to its whole group */
	if (!strcmp(mode, "try") && argc == 4)
		read_conf(argv[3]);
	make_all();
	if (!strcmp(mode, "list") && argc == 2) {
		for (size_t i = 0; i < nchecks; i++)
			puts(checks[i].id);
	} else if (!strcmp(mode, "rooms") && argc == 2) {
		for (size_t i = 0; i < nchecks; i++)
			printf("%s\t%s\n", checks[i].room, checks[i].id);
	} else if (!strcmp(mode, "try") && argc == 4) {
		for (size_t i = 0; i < nchecks; i++)
			if (!strcmp(checks[i].room, argv[2]))
				try_one(&checks[i]);
	} else if (!strcmp(mode, "tell") && argc == 5) {
		return tell(argv[2], argv[3], argv[4]);
	} else {
		fprintf(stderr, "usage: leak list | rooms | try ROOM CONF | tell MANIFEST OPEN SHUT | outside DIR | member FILE | swap A B\n");
		return 2;
	}
	return 0;
}
