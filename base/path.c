#include "base/path.h"

#include "base/arena.h"
#include "base/str.h"

#include <string.h>

/* Most paths by far. */
bool path_is_clean(const char *path)
{
	if (path[0] != '/')
		return false;
	for (const char *p = path; *p; p++) {
		if (*p != '/')
			continue;
		if (p[1] == '/' || (!p[1] && p != path))
			return false;
		if (p[1] == '.' && (!p[2] || p[2] == '/' || (p[2] == '.' && (!p[3] || p[3] == '/'))))
			return false;
	}
	return true;
}

void path_clean(struct str *out, const char *path)
{
	if (path_is_clean(path)) {
		str_add(out, path);
		return;
	}
	size_t start = out->len;
	bool abs = path[0] == '/';
	size_t ups = 0; /* leading ".." of a relative path, which cannot be taken away */
	if (abs)
		str_add_char(out, '/');
	size_t root = out->len;
	while (*path) {
		path += strspn(path, "/");
		size_t n = strcspn(path, "/");
		if (!n)
			break;
		if (n == 1 && path[0] == '.') {
			path += n;
			continue;
		}
		if (n == 2 && path[0] == '.' && path[1] == '.') {
			path += n;
			size_t floor = root + (ups ? ups * 3 - 1 : 0);
			if (out->len > floor) {
				size_t end = out->len;
				while (end > floor && out->p[end - 1] != '/')
					end--;
				if (end > root && end > floor)
					end--; /* the slash before the dropped name */
				str_cut(out, end < floor ? floor : end);
				continue;
			}
			if (abs)
				continue;
			ups++;
			if (out->len > root)
				str_add_char(out, '/');
			str_add(out, "..");
			continue;
		}
		if (out->len > root)
			str_add_char(out, '/');
		str_add_mem(out, path, n);
		path += n;
	}
	if (out->len == start)
		str_add_char(out, '.');
}

char *path_join(struct arena *a, const char *dir, const char *name)
{
	if (path_is_clean(name))
		return arena_str(a, name);
	OWN(str) raw = { 0 };
	OWN(str) out = { 0 };
	if (name[0] != '/') {
		str_add(&raw, dir);
		str_add_char(&raw, '/');
	}
	str_add(&raw, name);
	path_clean(&out, str_c(&raw));
	if (raw.oom || out.oom)
		return NULL;
	return arena_mem(a, str_c(&out), out.len);
}

bool path_under(const char *path, const char *dir)
{
	size_t n = strlen(dir);
	if (n == 1 && dir[0] == '/')
		return path[0] == '/';
	return !strncmp(path, dir, n) && (path[n] == '\0' || path[n] == '/');
}

bool path_below(const char *path, const char *dir)
{
	return path_under(path, dir) && strcmp(path, dir) != 0;
}

size_t path_parent_len(const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		return 0;
	return slash == path ? 1 : (size_t)(slash - path);
}

char *path_parent(struct arena *a, const char *path)
{
	return arena_mem(a, path, path_parent_len(path));
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

size_t path_depth(const char *path)
{
	size_t n = 0;
	for (const char *p = path; *p; p++)
		if (*p == '/' && p[1])
			n++;
	return n;
}
