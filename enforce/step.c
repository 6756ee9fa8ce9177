/* step.c - the order of everything between clone and execve */
#include "enforce/step.h"

#include "enforce/knobs.h"

/*
 * The order is the design. User namespace first, since it gives the power for all else; every mount before the pivot,
 * since the host's tree is gone after it; sealing after the last mount; the network while the port below 1024 may still
 * be bound; capabilities when nothing is left to build. What needs no power is done before there is a child, where memory
 * is not yet copied page by page. What restricts the command alone comes in its own process; it
 * reads nothing of the policy, since pid 1 wipes its arguments, in which a caller's strings may lie, before it forks.
 */
const struct step before_steps[] = {
	{ "system calls", st_filter, NULL, "the command's filter, made" },
	{ "arguments", st_title, NULL, "a copy of the command's arguments" },
	{ 0 },
};

const struct step box_steps[] = {
	{ "user namespace", st_userns, "the ids of everybody else", "capabilities over the new namespaces" },
	{ "host", st_open_host, NULL, "the host's tree by descriptor" },
	{ "terminal", st_pty, "the caller's terminal, session and process group", "a private one, where one was handed over" },
	{ "standard streams", st_stdio, "write access to what was opened for reading", NULL },
	{ "network", st_net_begin, NULL, "a helper that makes the namespaces no mount needs" },
	{ "root", st_root, "mount propagation", "an empty root" },
	{ "view", st_places, NULL, "all places mounted" },
	{ "pivot", st_pivot, "the host's tree", "/ is the view" },
	{ "seal", st_seal, "making anything in / or /dev", NULL },
	{ "landlock", st_rules, NULL, "rules for the command" },
	{ "working directory", st_cwd, NULL, "cwd in the view" },
	{ "network", st_net, "the host's network, System V IPC, host name", "loopback up; in mode proxy a listener" },
	{ "names", st_names, "the host's name, the session's keys", NULL },
	{ "capabilities", st_caps, "every capability; being traced by anyone", NULL },
	{ "report", st_report, "descriptors the supervisor wanted", "leave to go on" },
	{ 0 },
};

const struct step command_steps[] = {
	{ "no new privileges", st_nnp, "gaining anything by execve", "leave to install a filter" },
	{ "session", st_session, "the caller's session with its terminal, its process group", NULL },
	{ "signals", st_signals, NULL, "mask and ignored set of the caller" },
	{ "descriptors", st_fds, "every descriptor above 2, at execve", "those of --keep-fd" },
	{ "landlock", st_landlock, "files outside of the view, by whatever descriptor; writing where no place lets; mounting; "
	                           "signals and abstract sockets of those outside", NULL },
	{ "watch", st_watch, NULL, "a listener with whoever watches" },
	{ "system calls", st_seccomp, "what the policy denies", NULL },
	{ 0 },
};

int steps_run(const struct step *steps, struct build *b, struct err *e)
{
	for (; steps->name; steps++) {
		if (knob_out("step", steps->name))
			continue;
		int r = steps->run(b, e);
		if (r < 0)
			return err_wrap(e, "%s", steps->name);
	}
	return 0;
}
