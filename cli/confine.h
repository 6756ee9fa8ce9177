/* confine.h - a command inside a policy, with its proxy where the policy has one: what run and --verify share */
#pragma once

#include "enforce/box.h"
#include "trace/recording.h"

#include <linux/filter.h>

/**
 * struct confine - how to run, and how it went
 * @box:     what the engine wants to know; env and proxy_port come by confine_env()
 * @envp:    snug's own environment, from which the command's is built
 * @timeout_ms: -1 none
 * @host:    facts for a recording; NULL: none is made
 * @in_view: for that recording, names are looked up in what the command is shown
 * @offered: port of a proxy that is offered on the host's loopback and, on socket @rows, tells of connections; 0 none
 * @rec:     what the command asked for, as if it had been on the host, or @in_view as it was shown
 * @notes, @exec_err, @exec_interp, @unwritten: as in struct box; @notes tells of lost protection too
 * @unprotected: a mask or fence was lost while the command ran
 */
struct confine {
	struct box_opts box;
	char *const *envp;
	int timeout_ms;
	const struct host *host;
	bool in_view;
	uint16_t offered;
	int rows;
	struct recording rec;
	struct arena arena;
	struct str notes;
	int exec_err;
	bool exec_interp, unwritten, unprotected;
	/* private */
	struct sock_fprog program;
};
void confine_drop(struct confine *c);

/* Build the command's environment under @pol. -ENOMEM. */
int confine_env(struct confine *c, const struct policy *pol, struct err *e) MUST;

/* Start and wait, after confine_env(). Return: exit code as box_wait() has it, or -errno. */
int confine_run(struct confine *c, struct policy *pol, struct err *e) MUST;
