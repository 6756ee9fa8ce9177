/* risk.c - what a grant gives away; pure */
#include "profiles/risk.h"

#include "base/path.h"
#include "profiles/stores.h"
#include "profiles/sysgroup.h"

#include <string.h>

const char *risk_word(enum risk r)
{
	static const char *const words[] = {
		[RISK_NONE] = "none",       [RISK_TRUST] = "trust",           [RISK_DATA] = "data",
		[RISK_SIGNING] = "signing", [RISK_KERNEL] = "kernel-surface", [RISK_ROOT] = "root-equivalent",
	};
	return words[r];
}

/* Of two rows that a path belongs to, the first counts. */
const struct risk_path risk_paths[] = {
#define STORE_ROW(path, risk, what, where) { path, true, false, RISK_##risk, "holds " what },
	CREDENTIAL_STORES(STORE_ROW)
#undef STORE_ROW
	{ ".npmrc", true, false, RISK_DATA, "often holds a registry token" },
	{ ".bashrc", true, true, RISK_TRUST, "runs in your next shell" },
	{ ".profile", true, true, RISK_TRUST, "runs in your next shell" },
	{ ".bash_profile", true, true, RISK_TRUST, "runs in your next shell" },
	{ ".zshrc", true, true, RISK_TRUST, "runs in your next shell" },
	{ ".zshenv", true, true, RISK_TRUST, "runs in your next shell" },
	{ ".local/bin", true, true, RISK_TRUST, "programs there run later, outside" },
	{ ".config/autostart", true, true, RISK_TRUST, "starts with your next session, outside" },
	{ ".config/systemd", true, true, RISK_TRUST, "starts with your next session, outside" },
	{ ".gitconfig", true, true, RISK_TRUST, "names programs that git runs later, outside" },
	{ ".config/git", true, true, RISK_TRUST, "names programs that git runs later, outside" },
	{ "/etc/shadow", false, false, RISK_DATA, "holds password hashes" },
	{ "/etc", false, true, RISK_ROOT, "configures the host" },
	{ "/usr", false, true, RISK_ROOT, "programs there run later, outside, as root too" },
	{ "/boot", false, true, RISK_ROOT, "is what the host starts from" },
	{ "/run/docker.sock", false, false, RISK_ROOT, "gives root on the host" },
	{ "/var/run/docker.sock", false, false, RISK_ROOT, "gives root on the host" },
	{ "/run/containerd", false, false, RISK_ROOT, "gives root on the host" },
	{ "/run/podman", false, false, RISK_ROOT, "starts containers on the host" },
	{ "/run/systemd", false, true, RISK_ROOT, "talks to the host's service manager" },
	{ "/run/dbus", false, false, RISK_TRUST, "talks to services of the host" },
	{ "/run/user", false, false, RISK_TRUST, "talks to services of your session" },
	{ "/tmp/.X11-unix", false, false, RISK_TRUST, "sees and types into your windows" },
	{ "/dev/mem", false, false, RISK_ROOT, "is the memory of the host" },
	{ "/dev/kvm", false, false, RISK_KERNEL, "makes virtual machines" },
	{ "/dev/fuse", false, false, RISK_KERNEL, "makes file systems" },
	{ "/dev/dri", false, false, RISK_KERNEL, "drives the graphics card" },
	{ "/dev/net/tun", false, false, RISK_KERNEL, "makes network interfaces" },
	{ "/sys", false, false, RISK_DATA, "shows the devices of the host" },
	{ NULL, false, false, RISK_NONE, NULL },
};

/* @path is at or below the row's place. */
static bool in_row(const struct risk_path *row, const char *path, const char *home)
{
	if (!row->below_home)
		return path_under(path, row->path);
	return home && path_below(path, home) && path_under(path + strlen(home) + (home[1] != 0), row->path);
}

const struct risk_path *risk_of_path(const char *path, const char *home, bool write)
{
	/* agents make theirs below /tmp, under names of their own */
	static const struct risk_path agent = { "/tmp/ssh-", false, false, RISK_SIGNING, "talks to an SSH agent" };
	if (!strncmp(path, agent.path, strlen(agent.path)))
		return &agent;
	for (const struct risk_path *row = risk_paths; row->path; row++)
		if ((write || !row->write_only) && in_row(row, path, home))
			return row;
	return NULL;
}

enum risk risk_of_call(const char *name)
{
	static const struct { const char *group; enum risk risk; } rows[] = {
		{ "ptrace", RISK_TRUST }, { "keyring", RISK_DATA }, { "handle", RISK_DATA }, { "kexec", RISK_ROOT },
		{ "module", RISK_ROOT },  { "machine", RISK_ROOT },
	};
	const struct sys_group *g = sys_group_of(name);
	for (size_t i = 0; g && i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].group, g->name))
			return rows[i].risk;
	return g ? RISK_KERNEL : RISK_NONE;
}

enum risk risk_of_variable(const char *name)
{
	static const struct { const char *name; enum risk risk; } rows[] = {
		{ "SSH_AUTH_SOCK", RISK_SIGNING }, { "GPG_AGENT_INFO", RISK_SIGNING }, { "DOCKER_HOST", RISK_ROOT },
		{ "DBUS_SESSION_BUS_ADDRESS", RISK_TRUST },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].risk;
	return RISK_NONE;
}
