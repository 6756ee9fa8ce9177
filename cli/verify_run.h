/* verify_run.h - the command once more, confined, from the state that was kept */
#pragma once

#include "cli/setup.h"
#include "cli/verify_keep.h"
#include "cli/verify_stdin.h"

/**
 * struct trial - what all confined runs of one verification share; borrowed
 * @before:  facts about the host from before the audit
 * @absent:  paths that the audit made, see absent_before()
 * @want:    what the audit changed, see changes_find(), and @status how it ended
 * @out, @err: files for what the command prints
 */
struct trial {
	struct cli_opts *o;
	const struct host *before;
	const struct map *absent;
	struct keeper *keep;
	const struct spool *in;
	const char *out, *err;
	const struct changes *want;
	int status, timeout_ms;
};

/**
 * struct ran - how one confined run went; zero is empty
 * @why: in words why it is not as good as the audit, NULL where it is
 * @rec: what it asked for, as if it had been on the host
 * @tried: it ran, so @rec tells something
 */
struct ran {
	struct arena arena;
	struct recording rec;
	int status;
	const char *why;
	bool tried;
};
void ran_drop(struct ran *r);

/**
 * trial_setup() - the policy that `run` would make of the options, with @suggestion as a further profile
 * @suggestion: a file, or NULL
 *
 * As before the audit: facts about what it made are not believed. Return: 0 or -errno with @e, as setup_make().
 */
int trial_setup(struct setup *s, const struct trial *t, const char *suggestion, struct err *e) MUST;

/* Run under @s->policy, which is changed. Return: 0; -EINTR: a signal asked to stop; -errno: it could not be tried. */
int trial_run(struct ran *out, const struct trial *t, struct setup *s, struct err *e) MUST;
