/* term.c - asks the terminal and the environment */
#include "report/term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *env_of(char *const *envp, const char *name)
{
	size_t len = strlen(name);
	for (; envp && *envp; envp++)
		if (!strncmp(*envp, name, len) && (*envp)[len] == '=')
			return *envp + len + 1;
	return "";
}

struct term term_of(int fd, char *const *envp)
{
	struct term t = { .tty = isatty(fd) == 1, .width = 100 };
	struct winsize ws;
	t.colour = t.tty && !*env_of(envp, "NO_COLOR") && strcmp(env_of(envp, "TERM"), "dumb") != 0;
	if (t.tty && ioctl(fd, TIOCGWINSZ, &ws) == 0 && ws.ws_col >= 40)
		t.width = MIN((unsigned)ws.ws_col, 200u);
	return t;
}
