/* box_try.c - run a command in a hand-made list of places: the engine without profiles */
#include "enforce/box.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* usage: box_try [net=none|proxy|host] [deny=SYSCALL] [cwd=DIR] [hold] PLACE.. -- CMD..
 * PLACE: ro:PATH[=TARGET] rw:PATH[=TARGET] copy:PATH=TARGET tmp:PATH link:PATH=TEXT stub:PATH=TEXT mask:PATH fence:PATH
 * pin:PATH proc:PATH dev:PATH shm:PATH sys:PATH; a leading '?' makes it optional */
static const struct { const char *word; enum place_kind kind; enum bind_mode mode; } kinds[] = {
	{ "ro:", PLACE_BIND, BIND_RO }, { "rw:", PLACE_BIND, BIND_RW }, { "copy:", PLACE_COPY, BIND_COPY },
	{ "tmp:", PLACE_TMPFS, 0 },     { "link:", PLACE_LINK, 0 },     { "stub:", PLACE_STUB, 0 },
	{ "mask:", PLACE_MASK, 0 },     { "fence:", PLACE_FENCE, 0 },   { "pin:", PLACE_PIN, 0 },
	{ "proc:", PLACE_PROC, 0 },     { "dev:", PLACE_DEV, 0 },       { "shm:", PLACE_SHM, 0 },
	{ "sys:", PLACE_SYS, 0 },
};

static int add(struct policy *pol, char *word)
{
	struct place *p = ARENA_PUSH(&pol->arena, pol, places, nplaces);
	if (!p)
		return -1;
	p->optional = *word == '?';
	word += p->optional;
	for (size_t i = 0; i < LEN(kinds); i++) {
		size_t len = strlen(kinds[i].word);
		if (strncmp(word, kinds[i].word, len) != 0)
			continue;
		char *eq = strchr(word + len, '=');
		if (eq)
			*eq++ = 0;
		bool text = kinds[i].kind == PLACE_LINK || kinds[i].kind == PLACE_STUB;
		p->kind = kinds[i].kind;
		p->mode = kinds[i].mode;
		p->source = word + len;
		p->path = eq && !text ? eq : word + len;
		p->text = text ? eq : NULL;
		return 0;
	}
	fprintf(stderr, "box_try: what is '%s'?\n", word);
	return -1;
}

static int option(struct policy *pol, struct box_opts *o, char *word)
{
	if (strncmp(word, "net=", 4) == 0)
		pol->network.v = word[4] == 'n' ? NET_NONE : word[4] == 'p' ? NET_PROXY : NET_HOST;
	else if (strncmp(word, "cwd=", 4) == 0)
		pol->cwd = word + 4;
	else if (strncmp(word, "home=", 5) == 0)
		pol->home = word + 5;
	else if (strcmp(word, "hold") == 0)
		o->hold = true;
	else if (strncmp(word, "deny=", 5) == 0) {
		struct word *w = ARENA_PUSH(&pol->arena, &pol->sys_deny, items, n);
		if (w)
			w->text = word + 5;
	} else
		return add(pol, word);
	return 0;
}

int main(int argc, char **argv, char **envp)
{
	struct policy pol = { .network.v = NET_NONE };
	OWN(host) host = { 0 };
	OWN(box) box = { 0 };
	struct box_opts o = { .env = envp };
	struct err e = { 0 };
	int i = 1;
	if (host_probe_self(&host, NULL, NULL, envp, &e) < 0) {
		fprintf(stderr, "box_try: %s\n", e.msg);
		return 125;
	}
	pol.uid = host.uid;
	pol.gid = host.gid;
	pol.privileged = host.privileged;
	for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (option(&pol, &o, argv[i]) < 0)
			return 2;
	}
	if (i >= argc - 1)
		return 2;
	o.argv = argv + i + 1;
	int r = box_start(&box, &pol, &o, &e);
	if (r == 0 && (o.hold || pol.network.v == NET_PROXY))
		r = box_go(&box, &e);
	if (r == 0)
		r = box_wait(&box, -1, &e);
	if (r < 0)
		fprintf(stderr, "box_try: %s\n", e.msg);
	if (box.exec_err)
		fprintf(stderr, "box_try: %s: %s\n", o.argv[0], strerror(box.exec_err));
	fprintf(stderr, "%s", str_c(&box.notes));
	arena_drop(&pol.arena);
	return r < 0 ? 125 : r;
}
