/* embed.c - run while building: prints the built-in profiles as C, read already, and the system calls' numbers */
#include "profiles/sysno.h"
#include "profiles/yaml_node.h"

#include "base/str.h"

#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 1024, COLUMN = 110 };

/* A C string literal with the NULs that stand inside it. */
static void literal(const char *text, size_t len)
{
	size_t col = 0;
	fputs("\t\"", stdout);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c == '\n' || col > COLUMN) {
			fputs(c == '\n' ? "\\n\"\n\t\"" : "\"\n\t\"", stdout);
			col = 0;
			if (c == '\n')
				continue;
		}
		col += (size_t)(c < ' ' || c > '~' ? printf("\\%03o", c) : printf(c == '"' || c == '\\' ? "\\%c" : "%c", c));
	}
	puts("\";");
}

/* Offset of @text in @pool, where each is kept once. */
static size_t keep(struct str *pool, const char *text)
{
	size_t len = strlen(text) + 1;
	for (size_t at = 0; at < pool->len; at += strlen(str_c(pool) + at) + 1) {
		if (strcmp(str_c(pool) + at, text) == 0)
			return at;
	}
	size_t at = pool->len;
	str_add_mem(pool, text, len);
	return at;
}

/* A node, then what it holds; a map's keys before their values. */
static void node(const struct ynode *n, struct str *pool)
{
	size_t text = n->text ? keep(pool, n->text) : 0;
	printf("\t{ %d, %d, %d, %zu, %zu, %u, %u, %u, %u },\n", n->kind, n->plain, n->flow, text, n->n, n->line, n->col,
	       n->end_line, n->end_col);
	for (size_t i = 0; i < n->n; i++) {
		if (n->items[i].key)
			node(n->items[i].key, pool);
		node(n->items[i].value, pool);
	}
}

struct call {
	char *name;
	int nr;
};

struct calls {
	struct call rows[NUMBERS + NUMBERS];
	size_t n;
};

/* Names that a profile uses and this architecture lacks: libseccomp need not be asked again. */
static void foreign(struct calls *c, const struct ynode *n)
{
	if (n->kind == Y_SCALAR && c->n < NUMBERS && seccomp_syscall_resolve_name(n->text) < __NR_SCMP_ERROR)
		c->rows[c->n++] = (struct call){ strdup(n->text), SYSNO_FOREIGN };
	for (size_t i = 0; i < n->n; i++)
		foreign(c, n->items[i].value);
}

static int profile(struct calls *c, const char *path, char name[64])
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	OWN(str) text = { 0 };
	OWN(str) pool = { 0 };
	OWN(arena) a = { 0 };
	struct err e = { 0 };
	struct ynode *root;
	char buf[4096];
	FILE *f = fopen(path, "r");
	snprintf(name, 64, "%.*s", (int)strcspn(base, "."), base);
	for (size_t n; f && (n = fread(buf, 1, sizeof(buf), f)) > 0;)
		str_add_mem(&text, buf, n);
	int r = f ? ynode_read(&root, &a, str_c(&text), text.len, path, &e) : err_sys(&e, "open %s", path);
	if (r < 0) {
		fprintf(stderr, "embed: %s\n", e.msg);
		return r;
	}
	fclose(f);
	printf("static const char text_%s[] =\n", name);
	literal(str_c(&text), text.len);
	printf("\nstatic const struct builtin_node nodes_%s[] = {\n", name);
	node(root, &pool);
	foreign(c, root);
	printf("};\nstatic const char words_%s[] =\n", name);
	literal(str_c(&pool), pool.len);
	putchar('\n');
	return pool.oom || pool.len > UINT16_MAX ? -1 : 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct call *)a)->name, ((const struct call *)b)->name);
}

static int calls(struct calls *c)
{
	OWN(str) pool = { 0 };
	size_t all = 0;
	for (int nr = 0; nr < NUMBERS; nr++) {
		c->rows[c->n] = (struct call){ seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, nr), nr };
		c->n += c->rows[c->n].name != NULL;
	}
	qsort(c->rows, c->n, sizeof(*c->rows), by_name);
	puts("const struct sysno_row sysno_rows[] = {");
	for (size_t i = 0; i < c->n; i++) {
		if (i && strcmp(c->rows[i].name, c->rows[i - 1].name) == 0)
			continue;
		printf("\t{ %zu, %d },\n", pool.len, c->rows[i].nr);
		str_add_mem(&pool, c->rows[i].name, strlen(c->rows[i].name) + 1);
		all++;
	}
	printf("};\nconst size_t nsysno_rows = %zu;\nconst char sysno_names[] =\n", all);
	literal(str_c(&pool), pool.len);
	return pool.oom || pool.len > UINT16_MAX ? -1 : 0;
}

int main(int argc, char **argv)
{
	static struct calls found;
	char names[32][64];
	int r = argc <= (int)LEN(names) ? 0 : -1;
	puts("/* made by profiles/std/embed.c */\n#include \"profiles/builtin.h\"\n#include \"profiles/sysno.h\"\n");
	for (int i = 1; i < argc && r == 0; i++)
		r = profile(&found, argv[i], names[i]);
	puts("const struct builtin builtins[] = {");
	for (int i = 1; i < argc && r == 0; i++)
		printf("\t{ \"%s\", text_%s, sizeof(text_%s) - 1, nodes_%s, LEN(nodes_%s), words_%s },\n", names[i], names[i],
		       names[i], names[i], names[i], names[i]);
	puts("\t{ 0 },\n};\n");
	if (r == 0)
		r = calls(&found);
	return r == 0 && fflush(stdout) == 0 ? 0 : 1;
}
