/* listening.c - does anybody listen on a loopback port? */
#include "trace/listening.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * How this works. A connect over loopback to a port where nobody listens is refused at once, so that is all there is to
 * know about it before it is made. The kernel's tables list the sockets that listen first, whatever their address.
 */
static int in_table(const char *path, uint16_t port)
{
	enum { TCP_LISTENS = 0x0a };
	char line[512];
	FILE *f = fopen(path, "re");
	if (!f)
		return -errno;
	bool found = false;
	(void)!fgets(line, sizeof(line), f); /* the titles of the columns */
	while (!found && fgets(line, sizeof(line), f)) {
		unsigned at, state;
		if (sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x", &at, &state) != 2 || state != TCP_LISTENS)
			break;
		found = at == port;
	}
	int err = ferror(f) ? -EIO : 0;
	fclose(f);
	return found ? 1 : err;
}

int port_listening(pid_t pid, uint16_t port)
{
	static const char *const tables[] = { "tcp", "tcp6" };
	char path[64];
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/proc/%d/net/%s", pid, tables[i]);
		int r = in_table(path, port);
		if (r == -ENOENT && i == 1) /* a kernel without IPv6 */
			r = 0;
		if (r)
			return r;
	}
	return 0;
}
