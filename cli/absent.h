/* absent.h - says which grant a command seems to want, before it starts and when it could not be executed */
#pragma once

#include "cli/opts.h"
#include "cli/setup.h"

/* One line on stderr when the command or an argument names a host path that the view does not show. */
void absent_hint(const struct cli_opts *o, struct setup *s);

/* Why execve failed and what would help, on stderr; @env is the command's. */
void absent_command(const struct cli_opts *o, struct setup *s, char *const *env, int err, bool interp);
