/* help.c - --help and bash completion, from the tables */
#include "cli/cmd.h"
#include "cli/optdef.h"

#include "base/str.h"

#include <string.h>

enum { COLUMN = 28 };

static void option_line(struct str *out, const struct optdef *d)
{
	OWN(str) s = { 0 };
	if (d->letter)
		str_fmt(&s, "-%c, ", d->letter);
	str_fmt(&s, "--%s", d->name);
	if (d->arg == ARG_NEEDED)
		str_fmt(&s, "=%s", d->value);
	if (d->arg == ARG_MAYBE)
		str_fmt(&s, "[=%s]", d->value);
	if (s.len > COLUMN - 2)
		str_fmt(out, "  %s\n  %*s%s\n", str_c(&s), COLUMN, "", d->help);
	else
		str_fmt(out, "  %-*s%s\n", COLUMN, str_c(&s), d->help);
}

static void options(struct str *out, unsigned verbs, bool all)
{
	str_add(out, "\nOptions:\n");
	for (const struct optdef *d = optdefs; d->name; d++)
		if ((d->verbs & verbs) && (all || d->common))
			option_line(out, d);
	if (all)
		str_fmt(out, "  %-*s%s\n  %-*s%s\n", COLUMN, "-h, --help, --help-all", "the common options; all of them",
		        COLUMN, "-V, --version", "say which version this is");
}

void help_text(struct str *out, const struct cmd *verb, bool all)
{
	if (verb) {
		str_fmt(out, "snug %s\n  %s\n", verb->synopsis, verb->help);
		options(out, verb->bit, all);
		if (!all)
			str_fmt(out, "\nMore: snug %s --help-all, man snug\n", verb->name);
		return;
	}
	str_add(out, "Run it once. Keep exactly what it needed.\n\n"
	             "  snug audit +node -- npm install     what does this need beyond +node?\n"
	             "  snug +node -- npm test              run it confined under +node\n\nVerbs:\n");
	for (const struct cmd *c = cmds; c->name; c++)
		str_fmt(out, "  %-*s%s\n", COLUMN, c->name, c->help);
	if (all)
		options(out, FOR_ALL, true);
	str_add(out, "\n+NAME selects a profile, anywhere before --. After -- nothing is parsed.\n"
	             "More: snug VERB --help, man snug\n");
}

static void verb_words(struct str *out, const struct cmd *c)
{
	for (const struct optdef *d = optdefs; d->name; d++) {
		if (!(d->verbs & c->bit))
			continue;
		str_fmt(out, " --%s%s", d->name, d->arg == ARG_NEEDED ? "=" : "");
		if (d->alias)
			str_fmt(out, " --%s", d->alias);
		if (d->letter)
			str_fmt(out, " -%c", d->letter);
	}
	str_add(out, " --help --help-all --version");
}

static void value_words(struct str *out)
{
	for (const struct optdef *d = optdefs; d->name; d++) {
		if (!d->words)
			continue;
		str_fmt(out, "\t--%s) words='", d->name);
		for (const char *p = d->words; *p; p++)
			str_add_char(out, *p == '|' ? ' ' : *p);
		str_add(out, "' ;;\n");
	}
}

void completion_bash(struct str *out)
{
	str_add(out, "# bash completion for snug; made by snug --completion=bash from its option table\n"
	             "_snug()\n{\n"
	             "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb='' words='' i\n"
	             "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	             "\t\tcase ${COMP_WORDS[i]} in\n"
	             "\t\t--) _command_offset $((i + 1)) 2>/dev/null; return ;;\n"
	             "\t\t-*|+*) ;;\n"
	             "\t\t*) [ -n \"$verb\" ] || verb=${COMP_WORDS[i]} ;;\n"
	             "\t\tesac\n"
	             "\tdone\n"
	             "\t[ \"${COMP_WORDS[0]##*/}\" = audit ] && verb=audit\n"
	             "\t[ \"$cur\" = = ] && cur=''\n"
	             "\t[ \"$prev\" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
	             "\tcase $prev in\n");
	value_words(out);
	str_add(out, "\tesac\n"
	             "\tif [ -n \"$words\" ]; then\n"
	             "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	             "\t\treturn\n"
	             "\tfi\n"
	             "\tcase $cur in\n"
	             "\t+*) words=$(\"${COMP_WORDS[0]}\" profile list 2>/dev/null | sed -n 's/^\\([a-z0-9][^ ]*\\).*/+\\1/p') ;;\n"
	             "\t-*) case $verb in\n");
	for (const struct cmd *c = cmds; c->name; c++) {
		str_fmt(out, "\t\t%s) words='", c == cmds ? "run|''" : c->name);
		verb_words(out, c);
		str_add(out, "' ;;\n");
	}
	str_add(out, "\t\tesac ;;\n"
	             "\t*) [ -n \"$verb\" ] || words='");
	for (const struct cmd *c = cmds; c->name; c++)
		str_fmt(out, "%s%s", c == cmds ? "" : " ", c->name);
	str_add(out, "' ;;\n"
	             "\tesac\n"
	             "\tif [ -n \"$words\" ]; then\n"
	             "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	             "\t\t[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
	             "\telse\n"
	             "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	             "\tfi\n"
	             "}\n"
	             "complete -F _snug snug audit\n");
}
