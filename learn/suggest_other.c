/* suggest_other.c - hosts, variables and PATH directories of a suggestion */
#include "learn/suggest.h"

#include "base/secret.h"
#include "base/str.h"
#include "profiles/judge.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int word_order(const void *a, const void *b)
{
	return strcmp(((const struct word *)a)->text, ((const struct word *)b)->text);
}

void suggest_settle(struct wordlist *l)
{
	size_t kept = 0;
	if (l->n)
		qsort(l->items, l->n, sizeof(*l->items), word_order);
	for (size_t i = 0; i < l->n; i++)
		if (!kept || strcmp(l->items[kept - 1].text, l->items[i].text) != 0)
			l->items[kept++] = l->items[i];
	l->n = kept;
}

int suggest_word(struct suggesting *s, struct wordlist *l, const char *text, const char *why)
{
	struct profile *p = &s->lesson->suggestion;
	struct word *w = text ? ARENA_PUSH(&p->arena, l, items, n) : NULL;
	if (!w)
		return -ENOMEM;
	*w = (struct word){ .text = text, .comment = why, .src = { .origin = "suggested" } };
	return 0;
}

int suggest_comment(struct suggesting *s, const char *key, const char *text, const char *why)
{
	struct profile *p = &s->lesson->suggestion;
	int err = suggest_word(s, &p->comments, text, why);
	if (!err)
		p->comments.items[p->comments.n - 1].src.origin = key;
	return err;
}

/* ---- hosts ---- */

static uint16_t port_of(const char *what)
{
	const char *colon = strrchr(what, ':');
	return colon ? (uint16_t)atoi(colon + 1) : 0;
}

/* "example.org:443" -> "example.org": a bare name means 80 and 443. */
static const char *host_line(struct arena *a, const char *what)
{
	/* which spelling the program will ask the proxy for is not known: this name covers them all */
	if (judge_loopback(what))
		what = arena_fmt(a, "localhost:%u", port_of(what));
	if (!what)
		return NULL;
	size_t n = strlen(what);
	static const char *const usual[] = { ":80", ":443" };
	for (size_t i = 0; i < LEN(usual); i++) {
		size_t k = strlen(usual[i]);
		if (n > k && !strcmp(what + n - k, usual[i]))
			return arena_mem(a, what, n - k);
	}
	return arena_str(a, what);
}

/* Is the host granted by a line, and only the mode in the way? */
static bool listed(const struct suggesting *s, const struct finding *f)
{
	char name[256];
	const char *start = f->what + (f->what[0] == '['), *end = strrchr(f->what, f->what[0] == '[' ? ']' : ':');
	if (!end || (size_t)(end - start) >= sizeof(name))
		return false;
	memcpy(name, start, (size_t)(end - start));
	name[end - start] = '\0';
	/* the mode hides the lists from policy_ask_host() */
	const struct policy *pol = s->facts->pol;
	for (size_t i = 0; i < pol->nallow_hosts; i++)
		if (host_rule_match(&pol->allow_hosts[i], name, port_of(f->what)))
			return true;
	return false;
}

static int suggest_host(struct suggesting *s, struct finding *f, struct finding *none)
{
	struct profile *p = &s->lesson->suggestion;
	const struct policy *pol = s->facts->pol;
	bool closed = pol->network.v == NET_NONE;
	if (f->judgement.verdict == V_DENIED)
		return 0;
	s->lesson->needs_network = true;
	if (f->direct)
		return 0;
	if (closed && listed(s, f)) {
		none->count += f->count;
		none->at_least |= f->at_least;
		none->runs = MAX(none->runs, f->runs);
		if (!none->who || strcmp(f->who ? f->who : "", none->who) < 0) {
			none->who = f->who;
			none->proc = f->proc;
		}
		none->seq = MIN(none->seq, f->seq);
		none->judgement = f->judgement;
		f->heading = HEAD_GRANTED;
		f->counts = f->counts_all = false;
		return 0;
	}
	const char *line = host_line(&p->arena, f->what);
	struct host_rule rule;
	struct err why = { 0 };
	if (line && host_rule_parse(&rule, &p->arena, line, &why) == -EINVAL)
		return finding_note(&s->facts->found, f, "a name that no profile can hold");
	int err = line ? suggest_word(s, &p->allow_hosts, line, NULL) : -ENOMEM;
	f->grant = err ? NULL : arena_fmt(&p->arena, "allow_hosts: \"%s\"", line);
	return f->grant ? 0 : -ENOMEM;
}

/* Hosts are listed and the mode says none: one finding, not one per host. */
static int add_none(struct suggesting *s, struct finding *none)
{
	struct facts *f = s->facts;
	const struct policy *pol = f->pol;
	none->note = arena_fmt(f->arena, "hosts are listed, but %s",
	                       pol->network.src.origin ? arena_fmt(f->arena, "%s says no network", line_text(f->arena, &pol->network.src))
	                                               : "nothing says network: proxy");
	uint32_t runs = none->runs;
	struct finding *to = none->note ? findings_add(&f->found, "host:", none, 0) : NULL;
	if (!to)
		return -ENOMEM;
	to->runs = runs;
	s->lesson->findings = f->found.items;
	s->lesson->nfindings = f->found.n;
	return 0;
}

static int suggest_hosts(struct suggesting *s)
{
	struct lesson *l = s->lesson;
	struct profile *p = &l->suggestion;
	const struct policy *pol = s->facts->pol;
	struct finding none = {
		.kind = NEED_HOST, .heading = HEAD_NEEDS, .necessity = NEC_REQUIRED, .what = "network", .counts = true,
		.counts_all = true, .seq = UINT64_MAX,
	};
	int err = 0;
	for (size_t i = 0; !err && i < l->nfindings; i++)
		if (l->findings[i].kind == NEED_HOST && l->findings[i].heading == HEAD_NEEDS)
			err = suggest_host(s, &l->findings[i], &none);
	suggest_settle(&p->allow_hosts);
	if (!err && none.count)
		err = add_none(s, &none);
	p->has_allow_hosts = p->allow_hosts.n;
	if ((p->allow_hosts.n || none.count) && pol->network.v == NET_NONE) {
		p->network.v = NET_PROXY;
		p->network.src.origin = "suggested";
	}
	if (l->needs_network && pol->network.v == NET_NONE && pol->network.src.origin)
		l->network_none_by = &pol->network.src;
	return err;
}

/* ---- variables ---- */

/* What a shell takes for a name; anything else in an environment is no variable that a profile could let through. */
static bool env_name(const char *s)
{
	if (!*s || isdigit((unsigned char)*s))
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	return true;
}

static int suggest_env(struct suggesting *s, struct finding *f)
{
	struct profile *p = &s->lesson->suggestion;
	if (f->judgement.verdict == V_DENIED)
		return 0;
	if (!env_name(f->what))
		return finding_note(&s->facts->found, f, "a name that no profile can hold");
	const char *name = arena_str(&p->arena, f->what);
	if (!name)
		return -ENOMEM;
	if (secret_name(name, strlen(name))) {
		f->credential = true;
		int err = finding_note(&s->facts->found, f, "looks like a secret: a commented line, for you to decide");
		return err ? err : suggest_comment(s, "env.allow", name, "looks like a secret");
	}
	f->grant = arena_fmt(&p->arena, "env.allow: %s", name);
	return f->grant ? suggest_word(s, &p->env_allow, name, NULL) : -ENOMEM;
}

/* ---- directories of programs ---- */

static int suggest_path(struct suggesting *s)
{
	struct profile *p = &s->lesson->suggestion;
	const struct policy *pol = s->facts->pol;
	int err = 0;
	for (size_t i = 0; !err && i < s->facts->prepend.n; i++) {
		const char *dir = s->facts->prepend.items[i];
		bool known = false;
		for (size_t k = 0; k < pol->prepend_path.n; k++)
			known |= !strcmp(pol->prepend_path.items[k].text, dir);
		if (!known)
			err = suggest_word(s, &p->prepend_path, host_shorten(s->host, &p->arena, dir), "programs found through PATH");
	}
	suggest_settle(&p->prepend_path);
	return err;
}

int suggest_other(struct suggesting *s)
{
	struct lesson *l = s->lesson;
	struct profile *p = &l->suggestion;
	int err = suggest_hosts(s);
	for (size_t i = 0; !err && i < l->nfindings; i++) {
		struct finding *f = &l->findings[i];
		if (f->heading != HEAD_NEEDS)
			continue;
		if (f->kind == NEED_ENV)
			err = suggest_env(s, f);
	}
	suggest_settle(&p->env_allow);
	if (!err && s->plan->tmpdir)
		err = suggest_comment(s, "env.set", "TMPDIR: \"{project}\"",
		                      "temporary files beside what they become: a rename out of /tmp is EXDEV");
	if (!err)
		err = suggest_special(s);
	return err ? err : suggest_path(s);
}
