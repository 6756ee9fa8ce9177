/* edit_text.h - places in the text of a profile and what is put in there; private to profiles/; pure */
#pragma once

#include "base/str.h"
#include "profiles/keys.h"
#include "profiles/yaml_node.h"

/* Which of several texts for one place comes first. */
enum { EDIT_ITEM, EDIT_SECTION, EDIT_FILE, EDIT_TAIL };

struct splice {
	size_t at, cut; /* bytes of the old text replaced */
	int rank;       /* at one place: items before keys of their section, before keys of the file */
	const char *text;
};

/* What comes into a map in braces; @section: a map of this name is to be made in it for them. */
struct inbraces {
	const struct ynode *map;
	const char *section, *text;
};

struct edit {
	const char *text, *file;
	size_t len, skip; /* bytes of a byte order mark */
	struct arena arena;
	const size_t *lines; /* offset of each line's start */
	size_t nlines;
	const char *eol;
	const struct ynode *root;
	struct profile all;  /* old and new; new items stand behind the old ones */
	const struct profile *old;
	struct { struct splice *items; size_t n; } splices;
	struct { struct inbraces *items; size_t n; } braces;
	struct str tail;     /* sections that go to the end of the file */
	int rank;            /* of the splices that follow */
	bool ended;          /* the missing end of the last line is made */
	int added;
	struct err *e;
};

int edit_memory(struct edit *d);
/* Find the lines; -EINVAL where a line ends in a way that editors do not show. */
int edit_split(struct edit *d);
/* Byte offset of a 1-based line and column in characters. */
size_t edit_offset(const struct edit *d, uint32_t line, uint32_t col);
/* Last line that holds something of @n. */
uint32_t edit_last_line(const struct ynode *n);
/* Spaces in front of the first other character of a line; -1 for a blank one. */
int edit_indent(const struct edit *d, uint32_t line);
bool edit_is_comment(const struct edit *d, uint32_t line);
/* The value of "key:" with nothing behind it at all. */
bool edit_nothing(const struct ynode *n);
int edit_put(struct edit *d, size_t at, size_t cut, const struct str *text);
/* Put whole lines in after line @line (0: in front of the first). */
int edit_put_after(struct edit *d, uint32_t line, const struct str *text);
/* "key: value" @text into the map in braces @map, or into one in it that is called @section and is not there yet. */
int edit_put_pair(struct edit *d, const struct ynode *map, const char *section, const struct str *text);
/* All pairs of edit_put_pair() become splices. */
int edit_put_pairs(struct edit *d);
/* The new text. */
int edit_apply(struct edit *d, struct str *out);

/* ---- edit_list.c ---- */

/* Items of the list that the row @k of the key table stands for. */
size_t edit_list_n(const struct profile *p, const struct key *k);
/* The pair of @map with this key; NULL where there is none, or no map. */
struct ypair *edit_find(const struct ynode *map, const char *key);
/* The items of a list that the old profile lacks, into its text; the errors of profile_edit(). */
int edit_add_list(struct edit *d, const struct key *k);
