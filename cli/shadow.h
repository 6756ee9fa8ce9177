/* shadow.h - audit --shadow: the command runs in overlays of what it may write; what it wrote is told, and kept or applied on demand */
#pragma once

#include "cli/record.h"
#include "cli/setup.h"
#include "cli/shadow_upper.h"

/**
 * struct shadow - zero is empty; shadow_drop() throws the layers away
 * @dir:    of the layers
 * @tops:   what is shown through an overlay each
 * @hidden: credential stores that are there on the host, in those
 * @set:    the layout: the built-in profile `shadow`; @asked: the requested profiles as run would apply them: environment
 * @list:   what would have been written; @kept: it lies where --keep-shadow says
 */
struct shadow {
	struct arena arena;
	const char *dir;
	struct { struct shadow_top *items; size_t n; } tops;
	struct wordlist hidden;
	struct setup set, asked;
	struct shadow_list list;
	bool kept;
};
void shadow_drop(struct shadow *s);

/**
 * shadow_begin() - find what is to be shadowed, make the layers and the policy
 * @run: directory of the run, or NULL where none is kept
 *
 * Return: 0; -EACCES a checkout's profile that is not trusted; other -errno with the remedy: nothing ran.
 */
int shadow_begin(struct shadow *s, struct cli_opts *o, const char *run, struct err *e) MUST;

/* Run and record, as record_run(). @h: what the recording says of the host. */
int shadow_run(struct shadow *s, struct record *out, const struct cli_opts *o, struct host *h, struct err *e) MUST;

/*
 * After the run: read the layers into @s->list, and make the recording incomplete where the shadow is not what the host
 * would have been.
 */
int shadow_read(struct shadow *s, struct recording *rec, struct err *e) MUST;

/* Credential stores that were asked for, as lines for people; nothing where none was. */
void shadow_stores(struct str *out, const struct shadow *s, const struct recording *rec);
/* The same as a JSON array. */
void shadow_stores_json(struct str *out, const struct shadow *s, const struct recording *rec);
