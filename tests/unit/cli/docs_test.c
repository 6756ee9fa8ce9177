#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cli/cmd.h"
#include "cli/optdef.h"

#include "base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void slurp(struct str *out, const char *path)
{
	char buf[65536];
	size_t n;
	FILE *f = fopen(path, "re");
	if (!f)
		fail_msg("%s cannot be read; unit tests start in the top directory", path);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		str_add_mem(out, buf, n);
	fclose(f);
}

/* Does @text hold the option @name as a whole word? */
static bool mentions(const char *text, const char *name)
{
	size_t len = strlen(name);
	for (const char *p = strstr(text, name); p; p = strstr(p + 1, name))
		if (!isalnum((unsigned char)p[len]) && p[len] != '-')
			return true;
	return false;
}

static void man_pages_and_completion_know_every_option(void **state)
{
	(void)state;
	OWN(str) man = { 0 };
	OWN(str) plain = { 0 };
	OWN(str) completion = { 0 };
	slurp(&man, "docs/man/snug.1");
	slurp(&man, "docs/man/snug-audit.1");
	for (const char *p = str_c(&man); *p; p++)
		if (*p != '\\') /* roff writes a dash as \- */
			str_add_char(&plain, *p);
	slurp(&completion, "cli/completion/snug.bash");
	for (const struct optdef *d = optdefs; d->name; d++) {
		char name[64];
		snprintf(name, sizeof(name), "--%s", d->name);
		if (!mentions(str_c(&plain), name))
			fail_msg("no man page has %s", name);
		if (!mentions(str_c(&completion), name))
			fail_msg("cli/completion/snug.bash lacks %s; make it anew: snug --completion=bash", name);
	}
	for (const struct cmd *c = cmds; c->name; c++)
		assert_true(mentions(str_c(&plain), c->name));
	for (const struct opt_later *l = opts_later; l->name; l++)
		if (mentions(str_c(&plain), l->name))
			fail_msg("a man page has %s, which is not available", l->name);
}

static void the_committed_completion_is_what_the_tables_give(void **state)
{
	(void)state;
	OWN(str) want = { 0 };
	OWN(str) have = { 0 };
	completion_bash(&want);
	slurp(&have, "cli/completion/snug.bash");
	if (strcmp(str_c(&want), str_c(&have)))
		fail_msg("cli/completion/snug.bash is stale; make it anew: snug --completion=bash");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(man_pages_and_completion_know_every_option),
		cmocka_unit_test(the_committed_completion_is_what_the_tables_give),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
