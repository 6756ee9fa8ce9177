#include "trace/sysdef.h"

#include "profiles/sysno.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* file_setattr(2), the last call of Linux 6.18 (include/uapi/asm-generic/unistd.h) */
enum { NEWEST = 469 };

static const struct sysdef table[] = {
#define SYS(name_, generic_, kind_, ...) \
	{ .name = #name_, .generic = (generic_), .kind = (kind_), __VA_ARGS__ },
#include "trace/sysdef.def"
#undef SYS
};

void sysdefs_drop(struct sysdefs *s)
{
	free(s->rows);
	*s = (struct sysdefs){ 0 };
}

int sysdefs_load(struct sysdefs *out)
{
	_Static_assert(LEN(table) < 255, "by_nr holds index + 1 in a byte");
	struct sysdef *rows = malloc(sizeof(table));
	if (!rows)
		return -ENOMEM;
	memcpy(rows, table, sizeof(table));
	*out = (struct sysdefs){ .rows = rows, .n = LEN(table), .newest = NEWEST };
	for (size_t i = 0; i < LEN(table); i++) {
		int nr = sysno(rows[i].name);
		if (nr < 0 && rows[i].generic)
			nr = rows[i].generic;
		/* sysno() answers negative pseudo numbers for calls this architecture lacks */
		rows[i].nr = nr >= 0 && nr < (int)LEN(out->by_nr) ? nr : -1;
		if (rows[i].nr >= 0)
			out->by_nr[nr] = (uint8_t)(i + 1);
	}
	return 0;
}

const struct sysdef *sysdefs_get(const struct sysdefs *s, int nr)
{
	if (nr < 0 || nr >= (int)LEN(s->by_nr) || !s->by_nr[nr])
		return NULL;
	return &s->rows[s->by_nr[nr] - 1];
}
