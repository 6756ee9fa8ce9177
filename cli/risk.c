#include "cli/risk.h"

#include "base/path.h"
#include "base/str.h"
#include "profiles/risk.h"
#include "profiles/sysgroup.h"

#include <errno.h>
#include <string.h>

static int add(struct wordlist *out, struct arena *a, const struct src *src, enum risk risk, const char *text)
{
	const char *line = text ? arena_fmt(a, "%s: %s", risk_word(risk), text) : NULL;
	struct word *w = line ? ARENA_PUSH(a, out, items, n) : NULL;
	if (!w)
		return -ENOMEM;
	*w = (struct word){ .text = line, .src = *src };
	return 0;
}

static int path_risks(struct wordlist *out, struct arena *a, const struct policy *pol)
{
	for (const struct risk_path *row = risk_paths; row->path; row++) {
		if (row->below_home && !pol->home)
			continue;
		const char *path = row->below_home ? path_join(a, pol->home, row->path) : row->path;
		if (!path)
			return -ENOMEM;
		for (size_t j = 0; j < pol->nplaces; j++) {
			const struct place *p = &pol->places[j];
			if ((p->kind != PLACE_BIND && p->kind != PLACE_COPY) || (row->write_only && p->mode == BIND_RO))
				continue;
			/* grants of something inside, of it, or of all around it that no place on it takes back */
			bool around = path_below(path, p->source) && policy_place(pol, path) == p && p->type != FT_FILE;
			if ((!path_under(p->source, path) && !around) ||
			    (around && p->src.origin && !strcmp(p->src.origin, "default")))
				continue;
			if (add(out, a, &p->src, row->risk, arena_fmt(a, "%s %s", path, row->why)))
				return -ENOMEM;
		}
	}
	return 0;
}

/* A call of base's groups that a profile lets through; those of special: have lines of their own. */
static int group_risk(struct wordlist *out, struct arena *a, const struct policy *pol, const struct sys_group *g)
{
	static const struct src unsaid = { .origin = "default" };
	bool special = (!strcmp(g->name, "namespace") && pol->userns) || (!strcmp(g->name, "ptrace") && pol->ptrace);
	for (size_t i = 0; i < LEN(g->names) && g->names[i] && !special; i++) {
		bool denied = false;
		for (size_t j = 0; j < pol->sys_deny.n && !denied; j++)
			denied = !strcmp(pol->sys_deny.items[j].text, g->names[i]);
		if (!denied && add(out, a, &unsaid, risk_of_call(g->names[i]), arena_fmt(a, "%s may be called: %s", g->names[i], g->what)))
			return -ENOMEM;
	}
	return 0;
}

int risk_find(struct wordlist *out, struct arena *a, const struct policy *pol)
{
	static const struct src unsaid = { .origin = "default" };
	const struct src *network = pol->network.src.origin ? &pol->network.src : &unsaid;
	int r = path_risks(out, a, pol);
	if (!r && pol->network.v == NET_HOST)
		r = add(out, a, network, RISK_DATA, "the raw network of the host: every host, port and local service, unlogged");
	for (size_t i = 0; i < pol->nallow_hosts && !r && pol->network.v == NET_PROXY; i++) {
		const struct host_rule *h = &pol->allow_hosts[i];
		if (h->name && !strcmp(h->name, "*"))
			r = add(out, a, &h->src, RISK_DATA, "every host may be sent what the command can read");
	}
	for (size_t i = 0; i < pol->env_allow.n && !r; i++)
		if (!strcmp(pol->env_allow.items[i].text, "*"))
			r = add(out, a, &pol->env_allow.items[i].src, RISK_DATA, "all variables are passed on, tokens among them");
	if (!r && pol->clear_env == TRI_NO)
		r = add(out, a, &unsaid, RISK_DATA, "all variables are passed on, tokens among them");
	if (!r && pol->action.v == ACT_LOG)
		r = add(out, a, &pol->action.src, RISK_KERNEL, "denied system calls are let through and only logged");
	if (!r && !pol->sys_deny.n)
		r = add(out, a, &unsaid, RISK_KERNEL, "no system call is denied");
	if (!r && pol->userns)
		r = add(out, a, &unsaid, RISK_KERNEL, "user namespaces open much kernel code to the command");
	if (!r && pol->ptrace)
		r = add(out, a, &unsaid, RISK_TRUST, "processes inside may read and change each other");
	for (const struct sys_group *g = sys_groups; g->name && !r && pol->sys_deny.n; g++)
		r = group_risk(out, a, pol, g);
	for (size_t i = 0; i < pol->nplaces && !r; i++) {
		const struct place *p = &pol->places[i];
		if (p->kind == PLACE_BIND && p->type == FT_SOCK)
			r = add(out, a, &p->src, RISK_TRUST, arena_fmt(a, "%s is a socket: who listens acts outside, and may hand in open files", p->path));
		else if (p->kind == PLACE_BIND && p->mode == BIND_RW && !strcmp(p->source, "/"))
			r = add(out, a, &p->src, RISK_ROOT, "the whole host tree is writable");
		else if (p->kind == PLACE_BIND && !strcmp(p->source, "/"))
			r = add(out, a, &p->src, RISK_DATA, "the whole host tree is readable");
	}
	return r;
}
