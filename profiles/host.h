/* host.h - who runs us and where, as plain data that a recording carries and a test can fake; pure */
#pragma once

#include "base/arena.h"
#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum file_type { FT_UNKNOWN, FT_NONE, FT_FILE, FT_DIR, FT_LINK, FT_SOCK, FT_FIFO, FT_CHR, FT_BLK };

/**
 * struct hop - one step of a path walk that needs more than the final object
 * @path: canonical place of a symbolic link, or of a directory that was entered and left by ".."
 * @text: the link's target as stored, or ".." for such a directory
 */
struct hop {
	const char *path, *text;
};

/**
 * struct host_file - what a path named by a profile was on this host
 * @path:  clean absolute path as the profile means it
 * @type:  of the object itself (FT_LINK for a symbolic link, FT_NONE absent)
 * @real:  canonical path of the final object; for an absent one the canonical parent + the rest
 * @real_type: of the final object; FT_NONE for absent or dangling
 * @hops:  every link on the way, in walking order
 */
struct host_file {
	const char *path;
	enum file_type type;
	const char *real;
	enum file_type real_type;
	struct hop *hops;
	size_t nhops;
	uint32_t mode, uid, gid;
};

struct host_mount {
	const char *point, *fstype;
	bool ro;
};

/**
 * struct host - facts that expanding, resolving and judging may use; nothing else is looked at
 * @pwd:     the working directory as $PWD or -C spells it, through links; NULL where that is no other name
 * @project: NULL where there is none ("/" or home as the working directory)
 * @home:    as it is without links; NULL when unknown (no HOME, no passwd entry): a profile that says ~ is then an error
 * @home_as: as $HOME spells it, through links; NULL where that is no other name
 * @privileged: who-runs-it (b): root with CAP_SYS_ADMIN, so no user namespace and mere mode bits
 * @links:   links at the top of the tree ("/bin" -> "usr/bin"), the merged /usr
 * @files:   host_file facts, found by host_file(); a path that is not there is unknown
 * @env:     names of the environment's variables, never values
 * @recorder, @network_view: how a recording was made, NULL outside one
 */
struct host {
	struct arena arena;
	const char *cwd, *pwd, *project, *home, *home_as;
	const char *tmp, *cache, *config, *data, *state, *runtime;
	const char *user;
	uint32_t uid, gid;
	uint32_t *groups;
	size_t ngroups;
	bool privileged;
	struct hop *links;
	size_t nlinks;
	struct host_mount *mounts;
	size_t nmounts;
	struct host_file *files;
	size_t nfiles;
	struct map by_path; /* path -> index + 1 into files */
	const char **env;
	size_t nenv;
	const char *recorder, *network_view;
};

void host_drop(struct host *h);

/* The fact about @path (clean, absolute), or NULL when nobody looked. */
const struct host_file *host_file(const struct host *h, const char *path);

/* Add or replace one fact; strings are copied. -ENOMEM. */
int host_add_file(struct host *h, const struct host_file *f);

/**
 * host_shorten() - @path with the longest fitting of {project}, ~, {runtime} in front, for people and profiles
 *
 * Return: a string in @a (or @path itself); NULL when memory is out.
 */
const char *host_shorten(const struct host *h, struct arena *a, const char *path);
