/* hostinfo.c - asks kernel and environment who and where we are */
#include "enforce/box.h"

#include "base/path.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* @value cleaned when it is an absolute path, else NULL: the XDG specification says to ignore relative ones. */
static const char *absolute(struct arena *a, const char *value)
{
	return value && value[0] == '/' ? path_join(a, "/", value) : NULL;
}

/* Has it a "." or ".." in it? */
static bool has_dots(const char *path)
{
	for (const char *p = strstr(path, "/."); p; p = strstr(p + 1, "/."))
		if (p[2] == '/' || !p[2] || (p[2] == '.' && (p[3] == '/' || !p[3])))
			return true;
	return false;
}

/* The directory as its user spells it, where that is another name of h->cwd: scripts and tools pass $PWD on. */
static void probe_pwd(struct host *h, const char *cwd, char *const *envp)
{
	const char *pwd = env_get(envp, "PWD"), *name = NULL;
	struct stat here, there;
	/* POSIX: a PWD with "." or ".." in it, or one that leads elsewhere, is none */
	if (!pwd || pwd[0] != '/' || has_dots(pwd) || stat(pwd, &there) != 0 || stat(".", &here) != 0 ||
	    here.st_dev != there.st_dev || here.st_ino != there.st_ino)
		pwd = NULL;
	if (!cwd || cwd[0] == '/' || pwd)
		name = path_join(&h->arena, pwd ? pwd : "/", cwd ? cwd : pwd ? "" : h->cwd);
	if (name && strcmp(name, h->cwd) != 0 && stat(name, &there) == 0 && stat(h->cwd, &here) == 0 &&
	    here.st_dev == there.st_dev && here.st_ino == there.st_ino)
		h->pwd = name;
}

static int probe_cwd(struct host *h, const char *cwd, char *const *envp, struct err *e)
{
	char buf[PATH_MAX];
	if (cwd) {
		struct stat st;
		if (!realpath(cwd, buf) || stat(buf, &st) != 0)
			return err_set(e, errno, "working directory %s: %s; -C wants a directory that exists", cwd, strerror(errno));
		if (!S_ISDIR(st.st_mode))
			return err_set(e, ENOTDIR, "working directory %s: not a directory; name one with -C DIR", cwd);
	} else if (!getcwd(buf, sizeof(buf)) || buf[0] != '/') {
		return err_set(e, ENOENT, "the working directory is gone or out of reach: "
		               "change to one that exists, or name one with -C DIR");
	}
	h->cwd = arena_str(&h->arena, buf);
	if (!h->cwd)
		return err_set(e, ENOMEM, "out of memory");
	probe_pwd(h, cwd, envp);
	return 0;
}

/* A project that is home, or holds it, would hand over all that home hides. */
static int probe_project(struct host *h, const char *project, struct err *e)
{
	char buf[PATH_MAX];
	if (project) {
		struct stat st;
		if (!realpath(project, buf) || stat(buf, &st) != 0)
			return err_set(e, errno, "project directory %s: %s; --project wants a directory that exists", project,
			               strerror(errno));
		if (!S_ISDIR(st.st_mode))
			return err_set(e, ENOTDIR, "project directory %s: not a directory; name one with --project DIR", project);
		h->project = arena_str(&h->arena, buf);
		return h->project ? 0 : err_set(e, ENOMEM, "out of memory");
	}
	h->project = strcmp(h->cwd, "/") == 0 || host_holds_home(h, h->cwd) ? NULL : h->cwd;
	return 0;
}

/* HOME may be set to something else, as build tools do; @path may hold the real one all the same. */
static const char *passwd_home(const struct host *h, struct arena *a)
{
	const char *home = NULL;
	FILE *f = fopen("/etc/passwd", "re");
	/* this file alone, not the user database, which may load modules and ask daemons */
	for (const struct passwd *pw; f && !home && (pw = fgetpwent(f));)
		if (pw->pw_uid == h->uid)
			home = absolute(a, pw->pw_dir);
	if (f)
		fclose(f);
	return home;
}

static bool holds(const char *path, const char *home)
{
	if (!home || !strcmp(home, "/"))
		return false;
	char *real = realpath(home, NULL);
	bool yes = path_under(home, path) || (real && path_under(real, path));
	free(real);
	return yes;
}

bool host_holds_home(const struct host *h, const char *path)
{
	OWN(arena) a = { 0 };
	/* what lies in HOME holds no other one: the file is read for few */
	return holds(path, h->home) || (!(h->home && path_below(path, h->home)) && holds(path, passwd_home(h, &a)));
}

/* The user database only where it is needed: it may load modules and ask daemons. */
static void probe_passwd(struct host *h)
{
	const struct passwd *pw = getpwuid(h->uid);
	if (!h->home && pw)
		h->home = absolute(&h->arena, pw->pw_dir);
	if (!h->user && pw)
		h->user = arena_str(&h->arena, pw->pw_name);
}

static void probe_user(struct host *h, char *const *envp)
{
	const char *home = env_get(envp, "HOME");
	const char *user = env_get(envp, "USER");
	char real[PATH_MAX];
	if (!user || !*user)
		user = env_get(envp, "LOGNAME");
	h->home = absolute(&h->arena, home);
	h->user = user && *user ? arena_str(&h->arena, user) : NULL;
	if (!h->home || !h->user)
		probe_passwd(h);
	/* every file is known by its name without links, so home is, too: what is below it is told by that */
	if (h->home && realpath(h->home, real) && strcmp(real, h->home) != 0) {
		h->home_as = h->home;
		h->home = arena_str(&h->arena, real);
	}
}

static void probe_xdg(struct host *h, char *const *envp)
{
	const struct { const char **to; const char *name, *below; } rows[] = {
		{ &h->cache, "XDG_CACHE_HOME", ".cache" },
		{ &h->config, "XDG_CONFIG_HOME", ".config" },
		{ &h->data, "XDG_DATA_HOME", ".local/share" },
		{ &h->state, "XDG_STATE_HOME", ".local/state" },
		{ &h->runtime, "XDG_RUNTIME_DIR", NULL },
	};
	for (size_t i = 0; i < LEN(rows); i++) {
		*rows[i].to = absolute(&h->arena, env_get(envp, rows[i].name));
		if (!*rows[i].to && h->home && rows[i].below)
			*rows[i].to = path_join(&h->arena, h->home, rows[i].below);
	}
	h->tmp = "/tmp";
}

/* Root whose capabilities let it make every namespace without a user namespace. */
static bool probe_privileged(uint32_t uid)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };
	return uid == 0 && syscall(SYS_capget, &head, data) == 0 &&
	       (data[0].effective & (1U << CAP_SYS_ADMIN)) && (data[0].effective & (1U << CAP_SETPCAP));
}

static int probe_groups(struct host *h, struct err *e)
{
	int n = getgroups(0, NULL);
	if (n < 0)
		return err_sys(e, "getgroups");
	gid_t *list = arena_array(&h->arena, (size_t)n + 1, sizeof(*list));
	if (!list)
		return err_set(e, ENOMEM, "out of memory");
	n = getgroups(n, list);
	if (n < 0)
		return err_sys(e, "getgroups");
	h->groups = list;
	h->ngroups = (size_t)n;
	return 0;
}

static int hop_order(const void *a, const void *b)
{
	return strcmp(((const struct hop *)a)->path, ((const struct hop *)b)->path);
}

static int probe_links(struct host *h, struct err *e)
{
	DIR *d = opendir("/");
	if (!d)
		return err_sys(e, "open /");
	struct { struct hop *items; size_t n; } v = { 0 };
	char text[PATH_MAX];
	for (struct dirent *de; (de = readdir(d));) {
		if (de->d_type != DT_LNK)
			continue;
		ssize_t n = readlinkat(dirfd(d), de->d_name, text, sizeof(text) - 1);
		if (n <= 0)
			continue;
		text[n] = 0;
		struct hop *hop = ARENA_PUSH(&h->arena, &v, items, n);
		if (hop)
			*hop = (struct hop){ arena_fmt(&h->arena, "/%s", de->d_name), arena_str(&h->arena, text) };
		if (!hop || !hop->path || !hop->text) {
			closedir(d);
			return err_set(e, ENOMEM, "out of memory");
		}
	}
	closedir(d);
	if (v.n)
		qsort(v.items, v.n, sizeof(*v.items), hop_order);
	h->links = v.items;
	h->nlinks = v.n;
	return 0;
}

/* Undo the kernel's \ooo for blanks and backslashes, in place. */
static void unescape(char *s)
{
	char *to = s;
	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' && s[3] >= '0' &&
		    s[3] <= '7') {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
}

/* "36 35 98:0 /root /point rw,noatime master:1 - ext4 /dev/sda rw": see proc(5) */
static bool mount_line(struct host_mount *m, char *line, struct arena *a)
{
	char *save = NULL, *word[6];
	for (size_t i = 0; i < LEN(word); i++) {
		word[i] = strtok_r(i ? NULL : line, " \n", &save);
		if (!word[i])
			return false;
	}
	char *w;
	while ((w = strtok_r(NULL, " \n", &save)) && strcmp(w, "-") != 0)
		;
	char *type = w ? strtok_r(NULL, " \n", &save) : NULL;
	if (!type)
		return false;
	unescape(word[4]);
	*m = (struct host_mount){
		.point = arena_str(a, word[4]),
		.fstype = arena_str(a, type),
		.ro = strcmp(word[5], "ro") == 0 || strncmp(word[5], "ro,", 3) == 0,
	};
	return m->point && m->fstype;
}

int host_mounts(struct host *h, struct err *e)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	if (!f)
		return errno == ENOENT ? 0 : err_sys(e, "open /proc/self/mountinfo");
	struct { struct host_mount *items; size_t n; } v = { 0 };
	char *line = NULL;
	size_t cap = 0;
	int r = 0;
	while (r == 0 && getline(&line, &cap, f) > 0) {
		struct host_mount m = { 0 };
		if (!mount_line(&m, line, &h->arena))
			continue;
		struct host_mount *slot = ARENA_PUSH(&h->arena, &v, items, n);
		if (slot)
			*slot = m;
		else
			r = err_set(e, ENOMEM, "out of memory");
	}
	free(line);
	fclose(f);
	h->mounts = v.items;
	h->nmounts = v.n;
	return r;
}

static int name_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int probe_env(struct host *h, char *const *envp, struct err *e)
{
	struct { const char **items; size_t n; } v = { 0 };
	for (; envp && *envp; envp++) {
		const char *eq = strchr(*envp, '=');
		if (!eq || eq == *envp)
			continue;
		const char **slot = ARENA_PUSH(&h->arena, &v, items, n);
		if (slot)
			*slot = arena_mem(&h->arena, *envp, (size_t)(eq - *envp));
		if (!slot || !*slot)
			return err_set(e, ENOMEM, "out of memory");
	}
	if (v.n)
		qsort(v.items, v.n, sizeof(*v.items), name_order);
	h->env = v.items;
	h->nenv = v.n;
	return 0;
}

int host_probe_self(struct host *out, const char *cwd, const char *project, char *const *envp, struct err *e)
{
	OWN(host) h = { .uid = geteuid(), .gid = getegid() };
	int r = probe_cwd(&h, cwd, envp, e);
	if (r < 0)
		return r;
	probe_user(&h, envp);
	probe_xdg(&h, envp);
	h.privileged = probe_privileged(h.uid);
	r = probe_project(&h, project, e);
	if (r == 0)
		r = probe_groups(&h, e);
	if (r == 0)
		r = probe_links(&h, e);
	if (r == 0)
		r = probe_env(&h, envp, e);
	if (r == 0)
		*out = TAKE(h);
	return r;
}

int host_probe(struct host *out, const char *cwd, const char *project, char *const *envp, struct err *e)
{
	OWN(host) h = { 0 };
	int r = host_probe_self(&h, cwd, project, envp, e);
	if (r == 0)
		r = host_mounts(&h, e);
	if (r == 0)
		*out = TAKE(h);
	return r;
}
