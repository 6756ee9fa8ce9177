/* tiers.c - which paths a suggestion may name */
#include "learn/tiers.h"

#include "base/path.h"
#include "profiles/stores.h"

#include <errno.h>
#include <string.h>

enum dir_tier { FORBIDDEN = 1, CONTAINER = 2, USER_DIR = 4, GUARDED = 8, GUARDED_BELOW = 16 };

/* "~" stands for home; the rest is taken as it is. */
static const struct { const char *path; unsigned bits; } dir_rows[] = {
	{ "/", FORBIDDEN }, { "~", FORBIDDEN },
	{ "/tmp", FORBIDDEN | GUARDED_BELOW }, { "/var/tmp", FORBIDDEN | GUARDED_BELOW }, { "/dev/shm", FORBIDDEN },
	{ "/run", FORBIDDEN | GUARDED_BELOW }, { "/run/user", FORBIDDEN }, { "/etc", FORBIDDEN | GUARDED_BELOW },
	{ "/var", FORBIDDEN | GUARDED_BELOW }, { "/var/lib", FORBIDDEN }, { "/var/cache", FORBIDDEN },
	{ "/var/log", FORBIDDEN }, { "/var/spool", FORBIDDEN }, { "/var/run", FORBIDDEN }, { "/opt", FORBIDDEN },
	{ "/srv", FORBIDDEN }, { "/mnt", FORBIDDEN }, { "/media", FORBIDDEN }, { "/usr/lib", FORBIDDEN },
	{ "/usr/local", FORBIDDEN }, { "/usr/share", FORBIDDEN },
	{ "~/.config", FORBIDDEN | CONTAINER }, { "~/.cache", FORBIDDEN | CONTAINER },
	{ "~/.local", FORBIDDEN | CONTAINER }, { "~/.local/share", FORBIDDEN | CONTAINER },
	{ "~/.local/state", FORBIDDEN | CONTAINER }, { "~/.local/lib", FORBIDDEN | CONTAINER },
	{ "~/.local/bin", FORBIDDEN | CONTAINER | GUARDED | GUARDED_BELOW }, { "~/.var", FORBIDDEN | CONTAINER },
	{ "~/.var/app", FORBIDDEN | CONTAINER }, { "~/snap", FORBIDDEN | CONTAINER },
	{ "~/Desktop", USER_DIR | GUARDED }, { "~/Documents", USER_DIR | GUARDED }, { "~/Downloads", USER_DIR | GUARDED },
	{ "~/Music", USER_DIR | GUARDED }, { "~/Pictures", USER_DIR | GUARDED }, { "~/Public", USER_DIR | GUARDED },
	{ "~/Templates", USER_DIR | GUARDED }, { "~/Videos", USER_DIR | GUARDED },
	{ "~/.npmrc", GUARDED }, { "~/.gitconfig", GUARDED },
	{ "~/.config/autostart", GUARDED | GUARDED_BELOW }, { "~/.config/systemd", GUARDED | GUARDED_BELOW },
};

enum store_where { WHOLE, INSIDE };

/* None lies in another. */
static const struct { const char *path, *why; enum store_where where; } store_rows[] = {
#define STORE_ROW(path, risk, what, where) { "~/" path, what, where },
	CREDENTIAL_STORES(STORE_ROW)
#undef STORE_ROW
	{ "/etc/shadow", "password hashes", WHOLE }, { "/etc/gshadow", "password hashes", WHOLE },
	{ "/etc/sudoers", "who may become root", WHOLE },
	{ "/etc/sudoers.d", "who may become root", WHOLE }, { "/etc/ssl/private", "private keys", WHOLE },
	{ "/run/docker.sock", "controls the container engine, hence the host", WHOLE },
	{ "/var/run/docker.sock", "controls the container engine, hence the host", WHOLE },
	{ "/run/containerd/containerd.sock", "controls the container engine, hence the host", WHOLE },
	{ "/run/podman/podman.sock", "controls the container engine, hence the host", WHOLE },
	{ "{runtime}/docker.sock", "controls the container engine", WHOLE },
	{ "{runtime}/podman", "controls the container engine", WHOLE }, { "{runtime}/gnupg", "signs with your keys", WHOLE },
	{ "{runtime}/bus", "the session bus starts programs outside", WHOLE }, { "{runtime}/systemd", "starts programs outside", WHOLE },
	{ "/run/dbus/system_bus_socket", "has system services act outside", WHOLE },
	{ "/run/systemd/private", "starts programs outside", WHOLE },
	{ "/run/nscd", "looks names up outside: a way out for data", WHOLE },
	{ "/run/systemd/resolve/io.systemd.Resolve", "looks names up outside: a way out for data", WHOLE },
	{ "/tmp/.X11-unix", "reads and types in your other windows", WHOLE },
	{ "{runtime}/keyring", "hands out passwords", WHOLE }, { "{runtime}/ssh-agent.socket", "signs with your keys", WHOLE },
};

void tiers_drop(struct tiers *t)
{
	map_drop(&t->dirs);
	arena_drop(&t->arena);
	*t = (struct tiers){ 0 };
}

/* NULL where the placeholder has no value, or memory is out (then *oom). */
static const char *expand(struct tiers *t, const char *text, bool *oom)
{
	const char *dir = NULL, *rest = text;
	if (text[0] == '~') {
		dir = t->host->home;
		rest = text + 1;
	} else if (!strncmp(text, "{runtime}", 9)) {
		dir = t->host->runtime;
		rest = text + 9;
	} else {
		return text;
	}
	if (!dir || dir[0] != '/')
		return NULL;
	const char *s = dir[1] ? arena_fmt(&t->arena, "%s%s", dir, rest) : *rest ? rest : "/";
	*oom |= !s;
	return s;
}

static int add_bits(struct tiers *t, const char *path, unsigned bits)
{
	void **slot = map_put(&t->dirs, path, strlen(path), NULL);
	if (!slot)
		return -ENOMEM;
	*slot = (void *)((uintptr_t)*slot | bits);
	return 0;
}

static unsigned bits_of(const struct tiers *t, const char *path, size_t len)
{
	void **slot = map_find(&t->dirs, path, len);
	return slot ? (unsigned)(uintptr_t)*slot : 0;
}

/* Every directory above @path. */
static int forbid_above(struct tiers *t, const char *path)
{
	for (size_t n = path_parent_len(path); n > 1; n = path_parent_len(path)) {
		path = arena_mem(&t->arena, path, n);
		if (!path || add_bits(t, path, FORBIDDEN))
			return -ENOMEM;
	}
	return 0;
}

static int add_store(struct tiers *t, const char *path, const char *why, enum store_where where)
{
	struct store *s = ARENA_PUSH(&t->arena, &t->stores, items, n);
	if (!s)
		return -ENOMEM;
	*s = (struct store){ path, why };
	return where == WHOLE ? forbid_above(t, path) : 0;
}

/* What is written for ~/.config and ~/.local/share holds where XDG variables say otherwise, too. */
static int add_row(struct tiers *t, const char *text, const char *why, enum store_where where)
{
	const struct { const char *usual, *dir; } xdg[] = {
		{ "~/.config/", t->host->config }, { "~/.local/share/", t->host->data }, { "~/.cache/", t->host->cache },
	};
	bool oom = false;
	const char *usual = expand(t, text, &oom);
	if (oom || (usual && add_store(t, usual, why, where)))
		return -ENOMEM;
	for (size_t i = 0; i < LEN(xdg); i++) {
		size_t n = strlen(xdg[i].usual);
		if (strncmp(text, xdg[i].usual, n) != 0 || !xdg[i].dir || xdg[i].dir[0] != '/')
			continue;
		const char *path = path_join(&t->arena, xdg[i].dir, text + n);
		if (!path)
			return -ENOMEM;
		if ((!usual || strcmp(path, usual) != 0) && add_store(t, path, why, where))
			return -ENOMEM;
	}
	return 0;
}

/* Where GnuPG keeps keys below its home, wherever that is. */
static const char gnupg_keys[] = "/private-keys-v1.d";

static size_t gnupg_home_len(const char *path)
{
	const char *at = strstr(path, gnupg_keys);
	char end = at ? at[sizeof(gnupg_keys) - 1] : 'x';
	return at && at > path && (!end || end == '/') ? (size_t)(at - path) : 0;
}

int tiers_used(struct tiers *t, const char *path)
{
	size_t n = gnupg_home_len(path);
	const char *store = NULL;
	for (size_t i = 0; i < t->stores.n && !store; i++)
		if (path_under(path, t->stores.items[i].path))
			store = t->stores.items[i].path;
	if (store)
		return forbid_above(t, store);
	if (!n)
		return 0;
	store = arena_mem(&t->arena, path, n);
	return store ? add_store(t, store, "private keys", WHOLE) : -ENOMEM;
}

int tiers_copy(struct tiers *t, const char *path)
{
	return forbid_above(t, path);
}

int tiers_make(struct tiers *out, const struct host *h)
{
	*out = (struct tiers){ .host = h };
	struct tiers *t = out;
	bool oom = false;
	for (size_t i = 0; i < LEN(dir_rows); i++) {
		const char *p = expand(t, dir_rows[i].path, &oom);
		if (oom || (p && add_bits(t, p, dir_rows[i].bits)))
			return -ENOMEM;
	}
	const char *const xdg[] = { h->config, h->cache, h->data, h->state };
	for (size_t i = 0; i < LEN(xdg); i++)
		if (xdg[i] && xdg[i][0] == '/' && add_bits(t, xdg[i], FORBIDDEN | CONTAINER))
			return -ENOMEM;
	if (h->runtime && h->runtime[0] == '/' && add_bits(t, h->runtime, FORBIDDEN | GUARDED_BELOW))
		return -ENOMEM;
	for (size_t i = 0; i < LEN(store_rows); i++)
		if (add_row(t, store_rows[i].path, store_rows[i].why, store_rows[i].where))
			return -ENOMEM;
	if (h->project && h->project[0] == '/' && forbid_above(t, h->project))
		return -ENOMEM;
	return 0;
}

bool tier_forbidden(const struct tiers *t, const char *path)
{
	return path_depth(path) < 2 || bits_of(t, path, strlen(path)) & FORBIDDEN;
}

bool tier_container(const struct tiers *t, const char *path)
{
	return bits_of(t, path, strlen(path)) & CONTAINER;
}

/* Bits of the nearest ancestor (or @path itself) that has one of @want. */
static size_t nearest(const struct tiers *t, const char *path, size_t len, unsigned want)
{
	for (size_t n = len; n > 1;) {
		if (bits_of(t, path, n) & want)
			return n;
		while (n > 1 && path[n - 1] != '/')
			n--;
		n = n > 1 ? n - 1 : n;
	}
	return 0;
}

bool tier_user_dir(const struct tiers *t, const char *path)
{
	return nearest(t, path, strlen(path), USER_DIR) != 0;
}

bool tier_guarded(const struct tiers *t, const char *path)
{
	size_t len = strlen(path), above = path_parent_len(path);
	if (bits_of(t, path, len) & GUARDED || tier_user_dir(t, path))
		return true;
	return bits_of(t, path, above) & GUARDED_BELOW;
}

bool tier_plain_child(const struct tiers *t, const char *path)
{
	const char *home = t->host->home;
	size_t n = path_parent_len(path);
	if (bits_of(t, path, strlen(path)) & USER_DIR)
		return true;
	return home && n == strlen(home) && !memcmp(path, home, n) && path_base(path)[0] != '.';
}

/* Host keys: /etc/ssh/ssh_host_*_key, but not the .pub beside it. */
static bool host_key(const char *path)
{
	static const char prefix[] = "/etc/ssh/ssh_host_";
	size_t n = strlen(path);
	return !strncmp(path, prefix, sizeof(prefix) - 1) && n > 4 && !strcmp(path + n - 4, "_key");
}

/* Where ssh-agent and its forwarding put their socket: /tmp/ssh-XXXXXXXX/agent.PID */
static bool agent_socket(const char *path)
{
	return !strncmp(path, "/tmp/ssh-", 9) && !strncmp(path_base(path), "agent.", 6);
}

const char *tier_protected(const struct tiers *t, const char *path, const char **store)
{
	for (size_t i = 0; i < t->stores.n; i++) {
		if (!path_under(path, t->stores.items[i].path))
			continue;
		if (store)
			*store = t->stores.items[i].path;
		return t->stores.items[i].why;
	}
	if (store)
		*store = path;
	if (path_depth(path) > 1 && !strncmp(path, "/tmp/tmux-", 10))
		return "types into your terminals";
	return host_key(path) || gnupg_home_len(path) ? "private keys" : agent_socket(path) ? "signs with your keys" : NULL;
}

size_t tier_unit(const struct tiers *t, const char *path)
{
	const char *home = t->host->home;
	size_t len = strlen(path), n = path_parent_len(path);
	size_t box = nearest(t, path, n, CONTAINER);
	bool dotted = false;
	if (!box) {
		if (!home || !path_below(path, home) || !home[1])
			return 0;
		box = strlen(home);
		dotted = true;
	}
	if (len <= box + 1 || (dotted && path[box + 1] != '.'))
		return 0;
	size_t end = box + 1;
	while (end < len && path[end] != '/')
		end++;
	return end;
}
