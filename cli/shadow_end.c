/* shadow_end.c - listed, then kept, applied or thrown away */
#include "cli/shadow_end.h"

#include "base/esc.h"
#include "base/str.h"
#include "cli/shadow_apply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

enum { ROWS = 25 };

int shadow_prepare(const struct cli_opts *o, struct err *e)
{
	if (o->apply && !(isatty(0) && isatty(2)))
		return err_set(e, EPERM, "--apply asks before it writes, and standard input or standard error is no terminal: "
		               "use --keep-shadow=DIR and look at what is there");
	if (o->keep_shadow && mkdir(o->keep_shadow, 0700) != 0)
		return errno == EEXIST ? err_set(e, EEXIST, "--keep-shadow: %s exists: name a directory that does not", o->keep_shadow) :
		                         err_sys(e, "--keep-shadow: making %s", o->keep_shadow);
	return 0;
}

void shadow_unprepare(const struct cli_opts *o)
{
	if (o->keep_shadow)
		(void)rmdir(o->keep_shadow); /* as it was before */
}

/* Each line of @text with "snug: " in front of the first. */
void shadow_head(struct str *out, const struct shadow *s, const struct recording *rec)
{
	OWN(str) stores = { 0 };
	shadow_stores(&stores, s, rec);
	if (stores.len)
		str_fmt(out, "snug: %s", str_c(&stores));
}

static uint64_t bytes(const struct shadow_list *l)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].type == FT_FILE && !l->items[i].link && l->items[i].what != SHADOW_REMOVED)
			sum += l->items[i].size;
	return sum;
}

void shadow_tail(struct str *out, const struct shadow *s, const struct cli_opts *o, const struct host *h)
{
	if (!s->list.n) {
		str_add(out, "snug: shadow: nothing would have been written\n");
		return;
	}
	str_add(out, "snug: shadow: would have been written (");
	shadow_size(out, bytes(&s->list));
	str_add(out, ")\n");
	shadow_text(out, &s->list, h, o->apply ? 0 : ROWS); /* who is asked must have seen all */
	if (s->kept) {
		str_add(out, "snug: shadow: kept in ");
		esc_term(out, o->keep_shadow);
		str_add(out, ": tree/, and removed (a list)\n");
	} else if (!o->keep_shadow && !o->apply) {
		str_add(out, "snug: shadow: thrown away\n");
	}
}

void shadow_object(struct str *out, const struct shadow *s, const struct recording *rec)
{
	str_fmt(out, "{\"egress\":\"open\",\"bytes\":%llu,\"stores\":", (unsigned long long)bytes(&s->list));
	shadow_stores_json(out, s, rec);
	str_add(out, ",\"changes\":");
	shadow_json(out, &s->list, &rec->host);
	str_add_char(out, '}');
}

/* A word typed after the question was put; what was typed before it answers nothing. */
static bool agreed(const struct shadow *s, int status)
{
	char answer[16] = "";
	(void)tcflush(0, TCIFLUSH);
	if (status)
		fprintf(stderr, "snug: it ended with %d\n", status);
	fprintf(stderr, "snug: shadow: do this to the host, %zu change%s? [y/N] ", s->list.n, s->list.n == 1 ? "" : "s");
	ssize_t n = read(0, answer, sizeof(answer) - 1);
	answer[n > 0 ? strcspn(answer, "\n") : 0] = 0;
	return strcmp(answer, "y") == 0 || strcmp(answer, "yes") == 0;
}

static int apply(struct shadow *s, const struct cli_opts *o, struct err *e)
{
	OWN(str) skipped = { 0 };
	size_t done;
	int r = shadow_apply(s, &done, &skipped, e);
	if (!o->quiet)
		fputs(str_c(&skipped), stderr);
	if (r == 0) {
		fprintf(stderr, "snug: shadow: applied\n");
		return 0;
	}
	err_wrap(e, "--apply stopped after %zu steps; the rest lies in %s", done, s->dir);
	s->dir = NULL; /* not to be thrown away */
	return r;
}

int shadow_put(struct shadow *s, const struct cli_opts *o, struct err *e)
{
	int r = o->keep_shadow ? shadow_keep(s, o->keep_shadow, e) : 0;
	s->kept = o->keep_shadow && r == 0;
	if (r < 0) {
		err_wrap(e, "--keep-shadow; the layers lie in %s", s->dir);
		s->dir = NULL; /* not to be thrown away */
	}
	return r;
}

int shadow_ask(struct shadow *s, const struct cli_opts *o, int status, struct err *e)
{
	if (!o->apply || !s->list.n)
		return 0;
	if (agreed(s, status))
		return apply(s, o, e);
	fprintf(stderr, "snug: shadow: thrown away\n");
	return 0;
}
