/* resolve.c - from a composed profile to a policy: the only home of defaults */
#include "profiles/resolve.h"

#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void policy_drop(struct policy *p)
{
	map_drop(&p->by_path);
	map_drop(&p->vacant);
	arena_drop(&p->arena);
	*p = (struct policy){ 0 };
}

int resolve_memory(const struct resolver *r)
{
	return err_set(r->e, ENOMEM, "out of memory");
}

int resolve_note(const struct resolver *r, const struct src *src, const char *fmt, ...)
{
	char msg[600];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < r->pol->notes.n; i++)
		if (!strcmp(r->pol->notes.items[i].text, msg))
			return 0;
	struct word *w = ARENA_PUSH(&r->pol->arena, &r->pol->notes, items, n);
	if (!w)
		return resolve_memory(r);
	w->text = arena_str(&r->pol->arena, msg);
	w->src = *src;
	return w->text ? 0 : resolve_memory(r);
}

int resolve_trouble(const struct resolver *r, const struct src *src, const char *fmt, ...)
{
	char msg[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	if (!r->strict)
		return resolve_note(r, src, "%s", msg);
	OWN(str) by = { 0 };
	src_text(&by, src);
	return err_set(r->e, EINVAL, "%s: %s", str_c(&by), msg);
}

const char *resolve_show(const struct resolver *r, const char *path)
{
	const char *s = host_shorten(r->h, &r->pol->arena, path);
	return s ? s : path;
}

int resolve_path(const struct resolver *r, const char **out, const char *text, const struct src *src, bool optional)
{
	*out = NULL;
	int x = path_expand(out, &r->pol->arena, r->h, text, src, r->e);
	if (x != -EINVAL || (r->strict && !optional))
		return x;
	return resolve_note(r, src, "'%s' is left out: %s", text, r->e->msg);
}

int spot_find(const struct resolver *r, struct spot *out, const char *path)
{
	const struct host_file *f = host_file(r->h, path);
	*out = (struct spot){ .real = path, .type = FT_UNKNOWN };
	if (f) {
		*out = (struct spot){ f->real ? f->real : path, f->real_type, f->type == FT_LINK, f->hops, f->nhops };
		return 0;
	}
	/* nobody looked: the merged /usr is known all the same */
	for (size_t i = 0; i < r->h->nlinks; i++) {
		const struct hop *l = &r->h->links[i];
		if (!path_under(path, l->path))
			continue;
		const char *to = path_join(&r->pol->arena, "/", l->text);
		const char *rest = path + strlen(l->path);
		out->real = to && *rest ? path_join(&r->pol->arena, to, rest + 1) : to;
		return out->real ? 0 : resolve_memory(r);
	}
	return 0;
}

/* ---- everything that is no place ---- */

static struct src own_src(const struct resolver *r, const struct src *s)
{
	struct src out = *s;
	out.origin = s->origin ? arena_str(&r->pol->arena, s->origin) : "default";
	return out;
}

static int copy_words(const struct resolver *r, struct wordlist *out, const struct wordlist *in)
{
	for (size_t i = 0; i < in->n; i++) {
		struct word *w = ARENA_PUSH(&r->pol->arena, out, items, n);
		if (!w)
			return resolve_memory(r);
		w->text = arena_str(&r->pol->arena, in->items[i].text);
		w->src = own_src(r, &in->items[i].src);
		if (!w->text)
			return resolve_memory(r);
	}
	return 0;
}

static int add_hosts(const struct resolver *r, const struct wordlist *in, struct host_rule **out, size_t *n, bool deny)
{
	*out = arena_array(&r->pol->arena, in->n, sizeof(**out));
	if (!*out)
		return resolve_memory(r);
	for (size_t i = 0; i < in->n; i++) {
		struct host_rule *rule = &(*out)[i];
		int x = host_rule_parse(rule, &r->pol->arena, in->items[i].text, r->e);
		if (x) {
			OWN(str) by = { 0 };
			src_text(&by, &in->items[i].src);
			return err_wrap(r->e, "%s", str_c(&by));
		}
		rule->src = own_src(r, &in->items[i].src);
		/* a refused host is refused on every port */
		if (deny && rule->port == 0)
			rule->port = -1;
		if (!deny && rule->name && !strcmp(rule->name, "*") && rule->port == -1)
			r->pol->all_hosts = true;
	}
	*n = in->n;
	return 0;
}

static int resolve_network(const struct resolver *r)
{
	const struct profile *p = r->p;
	r->pol->network.v = p->network.v == NET_UNSET ? NET_NONE : p->network.v;
	r->pol->network.src = p->network.src;
	if (p->network.src.origin)
		r->pol->network.src = own_src(r, &p->network.src);
	int x = add_hosts(r, &p->allow_hosts, &r->pol->allow_hosts, &r->pol->nallow_hosts, false);
	if (!x)
		x = add_hosts(r, &p->deny_hosts, &r->pol->deny_hosts, &r->pol->ndeny_hosts, true);
	/* a deny that nothing can hold to is no deny */
	if (!x && r->pol->network.v == NET_HOST && p->deny_hosts.n)
		x = resolve_trouble(r, &p->deny_hosts.items[0].src, "network mode host reaches every host, %s too: with "
		                    "--network proxy the deny holds", p->deny_hosts.items[0].text);
	if (!x && r->pol->network.v == NET_NONE && p->allow_hosts.n && p->network.src.origin)
		x = resolve_note(r, &r->pol->network.src, "network mode none: the %zu listed hosts are not reachable",
		                 p->allow_hosts.n);
	return x;
}

static int set_env(const struct resolver *r, const char *name, const char *value, const struct src *src)
{
	static const struct src unsaid = { .origin = "default" };
	for (size_t i = 0; i < r->pol->env_set.n; i++)
		if (!strcmp(r->pol->env_set.items[i].name, name))
			return 0;
	if (!value)
		return 0;
	struct envset *set = ARENA_PUSH(&r->pol->arena, &r->pol->env_set, items, n);
	if (!set)
		return resolve_memory(r);
	set->name = arena_str(&r->pol->arena, name);
	set->value = arena_str(&r->pol->arena, value);
	set->src = src ? own_src(r, src) : unsaid;
	return set->name && set->value ? 0 : resolve_memory(r);
}

/* A denied variable is not set either, unless the line that sets it may lift denies. */
static void drop_denied_env(const struct resolver *r)
{
	struct envlist *l = &r->pol->env_set;
	size_t keep = 0;
	for (size_t i = 0; i < l->n; i++)
		if (policy_ask_env(r->pol, l->items[i].name, NULL) != V_DENIED)
			l->items[keep++] = l->items[i];
	l->n = keep;
}

static int resolve_env(const struct resolver *r)
{
	const struct host *h = r->h;
	struct arena *a = &r->pol->arena;
	int x = copy_words(r, &r->pol->env_allow, &r->p->env_allow);
	if (!x)
		x = copy_words(r, &r->pol->env_deny, &r->p->env_deny);
	for (size_t i = 0; i < r->p->env_set.n && !x; i++) {
		const struct envset *s = &r->p->env_set.items[i];
		const char *value = NULL;
		x = value_expand(&value, a, h, s->value, &s->src, r->e);
		if (x == -EINVAL && !r->strict)
			x = resolve_note(r, &s->src, "%s is not set: %s", s->name, r->e->msg);
		if (!x)
			x = set_env(r, s->name, value, &s->src);
	}
	const char *user = h->user ? h->user : "user";
	const struct { const char *name, *value; } rows[] = {
		{ "PATH", "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin" },
		{ "HOME", h->home_as ? h->home_as : h->home ? h->home : "/" }, { "USER", user }, { "LOGNAME", user }, { "TMPDIR", "/tmp" },
		{ "PWD", h->pwd && h->cwd && !strcmp(r->pol->cwd, h->cwd) ? h->pwd : r->pol->cwd },
		{ "XDG_CACHE_HOME", h->cache }, { "XDG_CONFIG_HOME", h->config },
		{ "XDG_DATA_HOME", h->data }, { "XDG_STATE_HOME", h->state },
	};
	for (size_t i = 0; i < LEN(rows) && !x; i++)
		x = set_env(r, rows[i].name, rows[i].value, NULL);
	for (size_t i = 0; i < r->p->prepend_path.n && !x; i++) {
		const struct word *w = &r->p->prepend_path.items[i];
		const char *dir = NULL;
		x = resolve_path(r, &dir, w->text, &w->src, false);
		struct word *slot = dir ? ARENA_PUSH(a, &r->pol->prepend_path, items, n) : NULL;
		if (slot)
			*slot = (struct word){ .text = dir, .src = own_src(r, &w->src) };
		else if (dir)
			x = resolve_memory(r);
	}
	r->pol->clear_env = r->p->clear_env.v == TRI_UNSET ? TRI_YES : r->p->clear_env.v;
	drop_denied_env(r);
	return x;
}

static bool has_word(const struct wordlist *l, const char *text)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->items[i].text, text))
			return true;
	return false;
}

/* base's denies and the defaults give way to any allow, a profile's deny only to one that may lift it. */
static bool is_lifted(const struct resolver *r, const char *name, const struct src *deny)
{
	for (size_t i = 0; i < r->p->sys_allow.n; i++) {
		const struct word *w = &r->p->sys_allow.items[i];
		if (!strcmp(w->text, name))
			return !deny->origin || src_class(deny) < 0 || w->src.overrides;
	}
	return false;
}

static int deny_call(const struct resolver *r, const char *name, const struct src *src)
{
	if (has_word(&r->pol->sys_deny, name) || is_lifted(r, name, src))
		return 0;
	struct word *w = ARENA_PUSH(&r->pol->arena, &r->pol->sys_deny, items, n);
	if (!w)
		return resolve_memory(r);
	*w = (struct word){ .text = arena_str(&r->pol->arena, name), .src = own_src(r, src) };
	return w->text ? 0 : resolve_memory(r);
}

static int resolve_syscalls(const struct resolver *r)
{
	/* clone3 hides its flags behind a pointer: where namespaces are denied it is denied as a whole */
	static const char *const userns[] = { "unshare", "setns", "clone3" };
	static const char *const ptrace[] = { "ptrace", "process_vm_readv", "process_vm_writev" };
	const struct profile *p = r->p;
	int x = 0;
	r->pol->userns = p->userns.v == TRI_YES;
	r->pol->ptrace = p->ptrace.v == TRI_YES;
	r->pol->shm = p->shm.v > 0;
	r->pol->action.v = p->action.v == ACT_UNSET ? ACT_ERRNO : p->action.v;
	r->pol->action.src = own_src(r, &p->action.src);
	if (r->pol->userns && r->h->uid == 0)
		x = resolve_note(r, &p->userns.src, "special.userns has little use for root: without capabilities the kernel lets it map "
		                 "no ids into a user namespace; run snug as an ordinary user for that");
	for (size_t i = 0; i < p->sys_deny.n && !x; i++)
		x = deny_call(r, p->sys_deny.items[i].text, &p->sys_deny.items[i].src);
	for (size_t i = 0; i < LEN(userns) && !x && !r->pol->userns; i++)
		x = deny_call(r, userns[i], &p->userns.src);
	for (size_t i = 0; i < LEN(ptrace) && !x && !r->pol->ptrace; i++)
		x = deny_call(r, ptrace[i], &p->ptrace.src);
	return x;
}

static int resolve_ids(const struct resolver *r)
{
	const struct host *h = r->h;
	struct policy *pol = r->pol;
	pol->uid = h->uid;
	pol->gid = h->gid;
	pol->privileged = h->privileged;
	pol->groups = arena_array(&pol->arena, h->ngroups, sizeof(*pol->groups));
	if (!pol->groups)
		return resolve_memory(r);
	if (h->ngroups)
		memcpy(pol->groups, h->groups, h->ngroups * sizeof(*pol->groups));
	pol->ngroups = h->ngroups;
	pol->home = h->home ? arena_str(&pol->arena, h->home) : NULL;
	pol->project = h->project ? arena_str(&pol->arena, h->project) : NULL;
	pol->tmp = "/tmp";
	pol->project_mode = r->p->project.v == PROJECT_UNSET ? PROJECT_RW : r->p->project.v;
	pol->home_mode = r->p->home.v == HOME_UNSET ? HOME_EMPTY : r->p->home.v;
	pol->cwd = h->cwd ? arena_str(&pol->arena, h->cwd) : "/";
	if (r->p->cwd.src.origin) {
		/* without a project the working directory stays what it is */
		const char *cwd = NULL;
		int x = resolve_path(r, &cwd, r->p->cwd.v, &r->p->cwd.src, !r->p->cwd.src.inlined);
		if (x)
			return x;
		pol->cwd = cwd ? cwd : pol->cwd;
	}
	if (r->p->override) {
		struct src by = own_src(r, &r->p->override_src);
		int x = resolve_note(r, &by, "override: its lines loosen what other profiles restrict");
		if (x)
			return x;
	}
	return copy_words(r, &pol->profiles, &r->p->parts);
}

int policy_resolve(struct policy *out, const struct profile *p, const struct host *h, bool strict, struct err *e)
{
	OWN(policy) pol = { 0 };
	struct resolver r = { .pol = &pol, .p = p, .h = h, .strict = strict, .e = e };
	struct err before = *e;
	*out = (struct policy){ 0 };
	r.based = has_word(&p->parts, "builtin:base");
	int (*const steps[])(const struct resolver *) = {
		resolve_ids, resolve_network, resolve_env, resolve_syscalls,
	};
	int x = 0;
	for (size_t i = 0; i < LEN(steps) && !x; i++)
		x = steps[i](&r);
	if (!x)
		x = grants_make(&r);
	if (!x)
		x = bans_make(&r);
	if (!x)
		x = grants_settle(&r);
	if (!x)
		x = guards_make(&r);
	if (!x)
		x = points_check(&r);
	if (x)
		return x;
	*e = before; /* notes may have passed through it */
	*out = TAKE(pol);
	return 0;
}
