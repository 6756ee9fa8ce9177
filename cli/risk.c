#include "cli/risk.h"

#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>

static int add(struct wordlist *out, struct arena *a, const struct src *src, const char *text)
{
	struct word *w = text ? ARENA_PUSH(a, out, items, n) : NULL;
	if (!w)
		return -ENOMEM;
	*w = (struct word){ .text = text, .src = *src };
	return 0;
}

/* Places whose content is a secret, or a way out. @below_home: of home, else absolute. */
static const struct {
	const char *path;
	bool below_home, write_only;
	const char *why;
} paths[] = {
	{ ".ssh", true, false, "holds SSH keys" },
	{ ".gnupg", true, false, "holds GnuPG keys" },
	{ ".aws", true, false, "holds cloud credentials" },
	{ ".azure", true, false, "holds cloud credentials" },
	{ ".config/gcloud", true, false, "holds cloud credentials" },
	{ ".config/gh", true, false, "holds a GitHub token" },
	{ ".kube", true, false, "holds cluster credentials" },
	{ ".docker", true, false, "holds registry credentials" },
	{ ".netrc", true, false, "holds passwords" },
	{ ".git-credentials", true, false, "holds passwords" },
	{ ".npmrc", true, false, "often holds a registry token" },
	{ ".pypirc", true, false, "often holds a registry token" },
	{ ".password-store", true, false, "holds passwords" },
	{ ".local/share/keyrings", true, false, "holds passwords" },
	{ ".mozilla", true, false, "holds browser sessions" },
	{ ".bashrc", true, true, "runs in your next shell" },
	{ ".profile", true, true, "runs in your next shell" },
	{ ".bash_profile", true, true, "runs in your next shell" },
	{ ".zshrc", true, true, "runs in your next shell" },
	{ ".zshenv", true, true, "runs in your next shell" },
	{ ".local/bin", true, true, "programs there run later, outside" },
	{ ".config/autostart", true, true, "starts with your next session, outside" },
	{ ".config/systemd", true, true, "starts with your next session, outside" },
	{ ".gitconfig", true, true, "names programs that git runs later, outside" },
	{ "/etc/shadow", false, false, "holds password hashes" },
	{ "/run/docker.sock", false, false, "gives root on the host" },
	{ "/run/podman", false, false, "starts containers on the host" },
	{ "/run/dbus", false, false, "talks to services of the host" },
	{ "/tmp/.X11-unix", false, false, "sees and types into your windows" },
};

static int path_risks(struct wordlist *out, struct arena *a, const struct policy *pol)
{
	for (size_t i = 0; i < LEN(paths); i++) {
		if (paths[i].below_home && !pol->home)
			continue;
		const char *path = paths[i].below_home ? path_join(a, pol->home, paths[i].path) : paths[i].path;
		if (!path)
			return -ENOMEM;
		for (size_t j = 0; j < pol->nplaces; j++) {
			const struct place *p = &pol->places[j];
			if ((p->kind != PLACE_BIND && p->kind != PLACE_COPY) || (paths[i].write_only && p->mode == BIND_RO))
				continue;
			/* grants of something inside, of it, or of all around it that no place on it takes back */
			bool around = path_below(path, p->source) && policy_place(pol, path) == p && p->type != FT_FILE;
			if ((!path_under(p->source, path) && !around) ||
			    (around && p->src.origin && !strcmp(p->src.origin, "default")))
				continue;
			if (add(out, a, &p->src, arena_fmt(a, "%s %s", path, paths[i].why)))
				return -ENOMEM;
		}
	}
	return 0;
}

int risk_find(struct wordlist *out, struct arena *a, const struct policy *pol)
{
	static const struct src unsaid = { .origin = "default" };
	const struct src *network = pol->network.src.origin ? &pol->network.src : &unsaid;
	int r = path_risks(out, a, pol);
	if (!r && pol->network.v == NET_HOST)
		r = add(out, a, network, "the raw network of the host: every host, port and local service, unlogged");
	for (size_t i = 0; i < pol->nallow_hosts && !r && pol->network.v == NET_PROXY; i++) {
		const struct host_rule *h = &pol->allow_hosts[i];
		if (h->name && !strcmp(h->name, "*"))
			r = add(out, a, &h->src, "every host may be sent what the command can read");
	}
	for (size_t i = 0; i < pol->env_allow.n && !r; i++)
		if (!strcmp(pol->env_allow.items[i].text, "*"))
			r = add(out, a, &pol->env_allow.items[i].src, "all variables are passed on, tokens among them");
	if (!r && pol->clear_env == TRI_NO)
		r = add(out, a, &unsaid, "all variables are passed on, tokens among them");
	if (!r && pol->action.v == ACT_LOG)
		r = add(out, a, &pol->action.src, "denied system calls are let through and only logged");
	if (!r && !pol->sys_deny.n)
		r = add(out, a, &unsaid, "no system call is denied");
	if (!r && pol->userns)
		r = add(out, a, &unsaid, "user namespaces open much kernel code to the command");
	if (!r && pol->ptrace)
		r = add(out, a, &unsaid, "processes inside may read and change each other");
	for (size_t i = 0; i < pol->nplaces && !r; i++) {
		const struct place *p = &pol->places[i];
		if (p->kind == PLACE_BIND && p->type == FT_SOCK)
			r = add(out, a, &p->src, arena_fmt(a, "%s is a socket: who listens acts outside, and may hand in open files", p->path));
		else if (p->kind == PLACE_BIND && p->mode == BIND_RW && !strcmp(p->source, "/"))
			r = add(out, a, &p->src, "the whole host tree is writable");
		else if (p->kind == PLACE_BIND && !strcmp(p->source, "/"))
			r = add(out, a, &p->src, "the whole host tree is readable");
	}
	return r;
}
