/* job.h - what the supervisor and pid 1 tell each other about a command on a private terminal; private to enforce/ */
#pragma once

#include "enforce/step.h"

enum job_word {
	JOB_STOPPED = 's', /* to the supervisor: the command has stopped, by @sig */
	JOB_FRONT = 'f',   /* to pid 1: the command has its terminal, and goes on */
	JOB_BACK = 'b',    /* to pid 1: it goes on in the background of its terminal */
	JOB_SIGNAL = 'k',  /* to pid 1: @sig for the command's process group, as a terminal sends it */
};

/**
 * struct job_msg - one word
 * @sig:    of JOB_STOPPED and JOB_SIGNAL
 * @serial: counts the words to go on; JOB_STOPPED carries that of the last one, so that a stop that was over before it
 *          was heard of is known as such
 */
struct job_msg {
	char word;
	unsigned char sig, serial;
};

/* Before the command is forked: what job_main() needs. */
int job_prepare(struct build *b, struct err *e) MUST;

/* Process group of the command, in front where the supervisor is; in the command's own process. */
int job_lead(const struct build *b, struct err *e) MUST;

/* pid 1 of a run with a private terminal, once @command runs. Never returns. */
_Noreturn void job_main(struct build *b, pid_t command);
