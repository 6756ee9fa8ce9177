#include "profiles/access.h"

#include <string.h>

static const struct {
	const char *word;
	int objects, file;
} ops[OP_COUNT] = {
#define OP(id, word, objects, file) [OP_##id] = { word, objects, file },
	ACCESS_OPS(OP)
#undef OP
};

static const char *const types[] = {
	[FT_UNKNOWN] = "unknown", [FT_NONE] = "none", [FT_FILE] = "file", [FT_DIR] = "dir",
	[FT_LINK] = "link",       [FT_SOCK] = "sock", [FT_FIFO] = "fifo", [FT_CHR] = "chr",
	[FT_BLK] = "blk",
};

static const char *const families[] = {
	[FAM_NONE] = "none",   [FAM_UNIX] = "unix",       [FAM_ABSTRACT] = "abstract", [FAM_INET] = "inet",
	[FAM_INET6] = "inet6", [FAM_NETLINK] = "netlink", [FAM_OTHER] = "other",
};

const char *op_word(enum op op)
{
	return ops[op].word;
}

enum op op_from_word(const char *word)
{
	for (int i = 0; i < OP_COUNT; i++)
		if (!strcmp(ops[i].word, word))
			return (enum op)i;
	return OP_COUNT;
}

int op_objects(enum op op)
{
	return ops[op].objects;
}

bool access_is_file(const struct access *a)
{
	return ops[a->op].file || (a->op != OP_HOST && a->family == FAM_UNIX);
}

static int find(const char *const *words, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(words[i], word))
			return (int)i;
	return 0;
}

const char *file_type_word(enum file_type t)
{
	return types[t];
}

enum file_type file_type_from_word(const char *word)
{
	return (enum file_type)find(types, LEN(types), word);
}

const char *family_word(enum family f)
{
	return families[f];
}

enum family family_from_word(const char *word)
{
	return (enum family)find(families, LEN(families), word);
}
