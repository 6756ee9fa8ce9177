/* unseen.c - denied system calls that a recording cannot tell of: it names operations, and few calls */
#include "learn/unseen.h"

#include "learn/facts.h"
#include "trace/sysdef.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static const struct sysdef table[] = {
#define SYS(name_, generic_, kind_, ...) { .name = #name_, .generic = (generic_), .kind = (kind_), __VA_ARGS__ },
#include "trace/sysdef.def"
#undef SYS
};

static const struct sysdef *row_of(const char *name)
{
	for (size_t i = 0; i < LEN(table); i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

/* Did the recorder look at files, and was none met by @op? */
static bool is_absent(const struct recording *r, enum op op)
{
	bool files = false;
	for (size_t i = 0; i < r->nevents; i++) {
		if (r->events[i].acc.op == op)
			return false;
		files = files || access_is_file(&r->events[i].acc);
	}
	return files;
}

int unseen_call(const char **why, struct arena *a, const struct recording *r, const struct policy *pol,
                const struct word *deny)
{
	const struct src *s = &deny->src;
	bool asked = s->inlined || (s->origin && s->line && strncmp(s->origin, "builtin:", 8) != 0);
	const struct sysdef *row = row_of(deny->text);
	*why = NULL;
	if (!asked || pol->action.v == ACT_LOG)
		return 0;
	if (row && row->test == TEST_NONE && (row->kind == CALL_NAME || row->also_name))
		return 0;
	if (row && row->kind == CALL_PATH && row->test == TEST_NONE && is_absent(r, row->op))
		return 0;
	*why = arena_fmt(a, "%s denies the system call %s, and a recording does not tell whether it was made",
	                 line_text(a, s), deny->text);
	return *why ? 0 : -ENOMEM;
}
