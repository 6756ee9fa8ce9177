/* lost.c - masks and fences that the kernel took away while the command ran */
#include "enforce/box.h"

#include "base/esc.h"
#include "base/map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The fifth word of a line, its \ooo undone (proc_pid_mountinfo(5)); NULL for a line that has none. */
static char *point_of(char *line)
{
	char *save, *word = strtok_r(line, " ", &save);
	for (int i = 1; word && i < 5; i++)
		word = strtok_r(NULL, " ", &save);
	char *to = word;
	for (char *s = word; s && *s; s++) {
		unsigned byte;
		if (s[0] == '\\' && sscanf(s + 1, "%3o", &byte) == 1) {
			*to++ = (char)byte;
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	if (to)
		*to = 0;
	return word;
}

/* Every mount point of the view, into @points. */
static int read_points(int mountinfo, struct map *points, struct arena *a)
{
	int copy = dup(mountinfo);
	FILE *f = copy < 0 ? NULL : fdopen(copy, "r");
	char *line = NULL;
	size_t cap = 0;
	int r = f ? 0 : -errno;
	if (f)
		rewind(f);
	else if (copy >= 0)
		close(copy);
	while (r == 0 && getline(&line, &cap, f) > 0) {
		const char *point = point_of(line), *kept = point ? arena_str(a, point) : NULL;
		if (point && (!kept || !map_put(points, kept, strlen(kept), NULL)))
			r = -ENOMEM;
	}
	free(line);
	if (f)
		fclose(f);
	return r;
}

size_t box_lost(const struct box *b, const struct policy *pol, struct str *notes)
{
	OWN(map) points = { 0 };
	OWN(arena) a = { 0 };
	size_t lost = 0;
	if (!b->changed.plus1)
		return 0;
	int r = read_points(fd_no(b->changed), &points, &a);
	for (size_t i = 0; r == 0 && i < pol->nplaces; i++) {
		const struct place *p = &pol->places[i];
		if ((p->kind != PLACE_MASK && p->kind != PLACE_FENCE) || map_find(&points, p->path, strlen(p->path)))
			continue;
		esc_term(notes, p->path);
		str_fmt(notes, " was replaced on the host during the run, and from then on was not %s: deny the directory around it "
		        "instead\n", p->kind == PLACE_MASK ? "hidden" : "protected from writes");
		lost++;
	}
	if (r == 0 && lost)
		return lost;
	/* some other mount, or nobody can tell which */
	str_add(notes, "a path that something was mounted on was replaced on the host during the run: what was mounted is gone\n");
	return r < 0;
}
