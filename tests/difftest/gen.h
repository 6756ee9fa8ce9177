/* gen.h - draws scratch trees, profiles and accesses; knows nothing of the judge or its tables */
#pragma once

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum want_class { C_READ, C_WRITE, C_CREATE, C_REMOVE, C_TWO, C_META, C_EXEC, C_SOCKET, C_OTHER, C_COUNT };

enum node_kind { N_DIR, N_FILE, N_PROGRAM, N_LINK, N_FIFO, N_SOCKET, N_MOUNT, N_DEVICE };

/**
 * struct node - one object of the scratch tree, parents first
 * @object: of a slot: made only where something names it
 * @mode: of N_MOUNT, an empty tmpfs: 1 read-only
 * @uid: 0 the runner's, else this one (only where the runner is root)
 */
struct node {
	enum node_kind kind;
	const char *path, *text;
	unsigned mode, uid;
	bool object;
};

/**
 * struct want - one access to perform
 * @word, @flags, @path, @second: as tests/targets/difft_do.c reads them
 * @inside: performed in the sandbox only; the facts are plain (a port, a call, a variable)
 * @chain:  part of a sequence on the same objects; no look at the host afterwards
 * @makes:  a name that is on the host afterwards if and only if the access was granted
 */
struct want {
	enum want_class class;
	const char *word;
	long flags;
	const char *path, *second;
	bool inside, chain;
	const char *makes;
};

struct round {
	struct arena arena;
	uint64_t seed, state;
	unsigned port;
	bool root, in_slot, net_host, net_proxy, persist, rooted, project_rw, userns, ptrace;
	const char *base, *home, *home_as, *project, *project_as, *data, *tmp; /* tmp: a directory in /tmp outside, absent inside */
	const char *loose, *shm;                        /* prefixes of names made in /tmp and /dev/shm themselves */
	const char *home_says; /* line of the profile */
	struct node *nodes;
	size_t nnodes;
	struct want *wants;
	size_t nwants;
	struct str yaml;
	struct map used; /* objects of slots that an access or a line names */
};

void round_drop(struct round *r);

/**
 * round_draw() - everything of one round from @seed
 * @base: a directory of its own, with short name; @tmp likewise in /tmp
 * @port: where somebody listens on this host's loopback
 */
int round_draw(struct round *r, uint64_t seed, const char *base, const char *tmp, unsigned port, bool root);
