/* lost.c - masks and fences that the kernel took away while the command ran */
#include "enforce/box.h"

#include "base/esc.h"
#include "base/map.h"
#include "base/path.h"

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

/* Does the host decide what is at @path, or is the directory the view's own? */
static bool on_host(const struct policy *pol, const char *path)
{
	const struct place *at = NULL;
	size_t n = 0;
	for (size_t i = 0; i < pol->nplaces; i++) {
		const struct place *p = &pol->places[i];
		if (p->kind != PLACE_LINK && path_below(path, p->path) && strlen(p->path) > n) {
			at = p;
			n = strlen(p->path);
		}
	}
	return at && (at->kind == PLACE_BIND || at->kind == PLACE_FENCE || at->kind == PLACE_PIN);
}

/*
 * Nobody inside can change the view's mounts. The kernel does when what something was mounted on is replaced on the
 * host: it takes the mount away, and a mask or fence was one. In a directory of the view's own, as / mostly is, there is
 * nothing to replace; what a mask hides there (/proc) is not even made.
 */
size_t box_lost(const struct box *b, const struct policy *pol, struct str *notes)
{
	OWN(map) points = { 0 };
	OWN(arena) a = { 0 };
	size_t lost = 0;
	bool known = false;
	for (size_t i = 0; b->mounts.plus1 && i < pol->nplaces; i++) {
		const struct place *p = &pol->places[i];
		if (p->kind != PLACE_MASK && p->kind != PLACE_FENCE)
			continue;
		if (!known && read_points(fd_no(b->mounts), &points, &a) < 0)
			return 0;
		known = true;
		if (map_find(&points, p->path, strlen(p->path)) || !on_host(pol, p->path))
			continue;
		/* nobody could look whether there is something to hide, and nobody can now */
		if (p->type == FT_UNKNOWN && access(p->source, F_OK) != 0)
			continue;
		esc_term(notes, p->path);
		str_fmt(notes, " was replaced on the host during the run, and from then on was not %s: deny the directory around it "
		        "instead\n", p->kind == PLACE_MASK ? "hidden" : "protected from writes");
		lost++;
	}
	return lost;
}
