/* shadow_end.h - what is said and done with a shadow when the command has ended */
#pragma once

#include "cli/shadow.h"

/* Before anything runs: can what --keep-shadow and --apply ask for be done? Makes the directory of --keep-shadow. */
int shadow_prepare(const struct cli_opts *o, struct err *e) MUST;
/* Nothing ran: take that directory away again. */
void shadow_unprepare(const struct cli_opts *o);

/* The lines that come before the report, and those that come after it, for people. */
void shadow_head(struct str *out, const struct shadow *s, const struct recording *rec);
void shadow_tail(struct str *out, const struct shadow *s, const struct cli_opts *o, const struct host *h);
/* For machines: one JSON object. */
void shadow_object(struct str *out, const struct shadow *s, const struct recording *rec);

/* Before the report: what --keep-shadow asks for. -errno with @e; the layers stay then. */
int shadow_put(struct shadow *s, const struct cli_opts *o, struct err *e) MUST;

/* After the report: ask what --apply asks, and do it. Likewise. */
int shadow_ask(struct shadow *s, const struct cli_opts *o, int status, struct err *e) MUST;
