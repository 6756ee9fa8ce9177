#include "trace/hangs.h"

#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void forget(struct hangs *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->points[i]);
	free(h->points);
	h->points = NULL;
	h->n = 0;
}

void hangs_drop(struct hangs *h)
{
	forget(h);
	free(h->before);
	*h = (struct hangs){ 0 };
}

/* Undo the octal escapes of proc_pid_mountinfo(5) in place. */
static void unescape(char *s)
{
	char *to = s;
	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] && s[3]) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
}

static bool known(const struct hangs *h, int id)
{
	for (size_t i = 0; i < h->nbefore; i++)
		if (h->before[i] == id)
			return true;
	return false;
}

static int add_point(struct hangs *h, char *point)
{
	char **more = reallocarray(h->points, h->n + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	h->points = more;
	unescape(point);
	h->points[h->n] = strdup(point);
	return h->points[h->n] ? (h->n++, 0) : -ENOMEM;
}

static int add_before(struct hangs *h, int id)
{
	int *more = reallocarray(h->before, h->nbefore + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	h->before = more;
	h->before[h->nbefore++] = id;
	return 0;
}

/* One line: "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw" */
static int line(struct hangs *h, char *text, bool first)
{
	char *save, *point = NULL, *word = strtok_r(text, " ", &save);
	int id = word ? atoi(word) : 0;
	if (first)
		return add_before(h, id);
	for (int i = 1; (word = strtok_r(NULL, " ", &save)); i++) {
		if (i == 4)
			point = word;
		if (i > 4 && !strcmp(word, "-"))
			break;
	}
	word = word ? strtok_r(NULL, " ", &save) : NULL;
	if (!word || !point || strncmp(word, "fuse", 4) != 0 || !strcmp(word, "fusectl") || known(h, id))
		return 0;
	return add_point(h, point);
}

static int read_all(struct hangs *h, const char *mountinfo, bool first)
{
	FILE *f = fopen(mountinfo, "re");
	char *text = NULL;
	size_t size = 0;
	int err = 0;
	if (!f)
		return -errno;
	while (!err && getline(&text, &size, f) > 0)
		err = line(h, text, first);
	free(text);
	fclose(f);
	return err;
}

int hangs_open(struct hangs *h, const char *mountinfo)
{
	return read_all(h, mountinfo, true);
}

int hangs_read(struct hangs *h, const char *mountinfo)
{
	forget(h);
	return read_all(h, mountinfo, false);
}

bool hangs_at(const struct hangs *h, const char *path)
{
	for (size_t i = 0; i < h->n; i++)
		if (path_under(path, h->points[i]))
			return true;
	return false;
}
