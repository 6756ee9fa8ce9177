#include "base/log.h"

#include "base/esc.h"
#include "base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

static int current;

void log_set_level(int level)
{
	current = level;
}

int log_level(void)
{
	return current;
}

void log_line(int level, const char *fmt, ...)
{
	if (level > current)
		return;
	int saved = errno;
	OWN(str) raw = { 0 };
	OWN(str) out = { 0 };
	va_list ap;
	va_start(ap, fmt);
	str_vfmt(&raw, fmt, ap);
	va_end(ap);
	str_add(&out, "snug: ");
	esc_term(&out, str_c(&raw));
	str_add_char(&out, '\n');
	if (write(2, str_c(&out), out.len) < 0)
		errno = saved; /* nobody left to tell */
	errno = saved;
}
