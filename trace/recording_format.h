/* recording_format.h - words of the recording's format that its reader and writer share; pure */
#pragma once

#include <stddef.h>

#define REC_VERSION "recording/v1"

/* Line: the reader's bound. Argv: what a process record may hold. */
enum {
	REC_LINE_MAX = 1 << 20,
	REC_ARGV_BYTES = 256 << 10,
	REC_PROC_WORDS = 64,
	REC_ITEMS_MAX = 1 << 24,
	REC_HOPS_MAX = 4096,
	REC_GROUPS_MAX = 65536,
};

enum rec {
	REC_HOST, REC_LINK, REC_MOUNT, REC_FILE, REC_ENV, REC_ARG, REC_PROC, REC_EVENT, REC_DIR, REC_NET,
	REC_INCOMPLETE, REC_END, REC_COUNT
};

static const char *const rec_words[REC_COUNT] = {
	[REC_HOST] = "host", [REC_LINK] = "link", [REC_MOUNT] = "mount", [REC_FILE] = "file",
	[REC_ENV] = "env",   [REC_ARG] = "arg",   [REC_PROC] = "proc",   [REC_EVENT] = "ev",
	[REC_DIR] = "dir",   [REC_NET] = "net",   [REC_INCOMPLETE] = "incomplete", [REC_END] = "end",
};

/* by enum outcome_source */
static const char *const rec_sources[] = { "unknown", "observed", "predicted" };

/* text members of the host record that are named like their field of struct host */
#define REC_HOST_TEXTS(F)                                                                     \
	F(cwd) F(project) F(home) F(tmp) F(cache) F(config) F(data) F(state) F(runtime) F(user) \
	F(recorder) F(network_view) F(pwd) F(home_as)

/* number members of an object: name, field, greatest value */
#define REC_OBJECT_NUMS(F)                                                                    \
	F("mode", mode, 0177777) F("uid", uid, UINT32_MAX) F("gid", gid, UINT32_MAX)            \
	F("dev", dev, UINT64_MAX) F("ino", ino, UINT64_MAX) F("size", size, UINT64_MAX)       \
	F("nlink", nlink, UINT32_MAX) F("missing", missing, 4096) F("dmode", dir_mode, 0177777) \
	F("duid", dir_uid, UINT32_MAX) F("dgid", dir_gid, UINT32_MAX) F("werr", walk_err, 4095)
