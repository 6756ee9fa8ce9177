/* replay.h - one run while it is gone through: the parts of facts among themselves; pure */
#pragma once

#include "learn/facts.h"

/* A name the run made. */
struct mine {
	const char *path;
	uint32_t how;      /* USE_MADE .. USE_MKDIR */
	uint32_t proc;
	uint8_t type;      /* of a special file, else FT_UNKNOWN */
	bool alive, survives;
	bool temp_like;    /* O_EXCL or a private mkdir */
	bool counts;       /* outside what is granted: facts follow from it */
	bool excl;         /* made with O_EXCL under an earlier name */
	bool moved;        /* a directory renamed to where it is */
	bool missing;      /* its directory is not in the view */
	bool probed;       /* looked for, and absent, before */
	bool strict, lenient; /* a mkdir that fails where it exists; one of a program that bears failing ones */
};

/**
 * struct replay - one run while it is gone through
 * @mine: path -> struct mine, names the run made
 * @listed: "PROC PATH" of directories a program listed, and could list confined too
 * @anew: files that were there, and whose content is the command's own since it truncated or replaced them
 * @lenient: process images that had a mkdir fail because something was there, or not there, and went on
 * @who:  per process image, made when first asked
 */
struct replay {
	struct facts *f;
	const struct recording *r;
	uint32_t run;
	struct arena arena;
	struct made made;
	struct map mine, listed, lenient, anew;
	const char **who;
	uint64_t now_s;
};

const char *replay_who(struct replay *p, uint32_t proc);
/* Sockets by address, hosts, system calls, variables. */
int facts_other(struct replay *p, const struct event *ev, const struct judgement *j);
/* Destinations the relay counted that no event tells. */
int facts_nets(struct replay *p);

/* ---- names.c: what the run made itself, and what operations do to names ---- */

/* The name the run made and that is there, or NULL. */
struct mine *mine_at(const struct replay *p, const char *path, size_t len);
/* The topmost directory of the run's own making that holds @path, NULL if none does; containers are looked through. */
struct mine *mine_dir(const struct replay *p, const char *path);
bool mine_is(const struct replay *p, const struct object *o);
/* NULL when memory is out. */
struct node *replay_node(struct replay *p, const char *path);
/* Note @uses of an object that was there; @why of the directory above @path. -ENOMEM. */
int replay_use(struct replay *p, const struct object *o, uint32_t uses);
int replay_use_dir(struct replay *p, const char *path, uint32_t why);
/* Is the program a mkdir(1) without -p, which fails where the directory exists? */
bool names_strict(const struct replay *p, uint32_t proc);
/* "x-wal", "x-shm": what sqlite keeps beside a database "x". */
bool names_log(const char *path);
/* What @ev does to names; @counts: facts follow from it. -ENOMEM. */
int names_apply(struct replay *p, const struct event *ev, bool counts);

/* ---- tell.c: one access as a finding ---- */

/* In the private home itself, where what is made is thrown away although nobody asked for that. */
bool tell_lost_in_home(const struct facts *f, const char *path);
/*
 * Does it read what a file held before the run, in a private place where that is not? The file itself was made there by an
 * earlier or this very open, so that the judge, who knows of names and not of bytes, lets it pass. -ENOMEM.
 */
int tell_emptied(struct replay *p, const struct event *ev, const struct judgement *j);
int tell_listing(struct replay *p, const struct event *ev, const struct judgement *j);
enum necessity tell_necessity(struct replay *p, const struct event *ev, const struct judgement *j);
enum need_kind tell_kind(const struct access *a);
/* The path a person would name: the directory the run made, not each file in it. */
const char *tell_object(const struct replay *p, const struct event *ev);
int tell_access(struct replay *p, const struct event *ev, const struct judgement *j, enum necessity n);

/* ---- asks.c: does an access ask for a grant? ---- */

/* 1: facts follow, 0: none, with a note where a person wants to know why. -ENOMEM. */
int asks_grant(struct replay *p, const struct event *ev, const struct judgement *j);
/* Links on the way to @o; @granted: the object itself is. */
int asks_hops(struct replay *p, const struct object *o, bool granted);
/* Is only a link on the way missing? */
bool asks_link_only(const struct replay *p, const struct access *a, const struct judgement *j);
int asks_path(struct replay *p, const struct event *ev, const struct judgement *j);

/* ---- run_end.c ---- */

/* What survived, what was a side-car, what directories hold. -ENOMEM. */
int run_end(struct replay *p);
