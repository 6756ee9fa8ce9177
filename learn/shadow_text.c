/* shadow_text.c - what a shadow holds, for people and machines; pure */
#include "learn/shadow.h"

#include "base/esc.h"
#include "base/path.h"
#include "base/str.h"
#include "profiles/access.h"

static const char *const words[] = {
	[SHADOW_SAME] = "same", [SHADOW_NEW] = "new", [SHADOW_CHANGED] = "changed", [SHADOW_REPLACED] = "replaced",
	[SHADOW_REMOVED] = "removed",
};

void shadow_size(struct str *out, uint64_t bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	uint64_t tenths = bytes * 10 / 1024;
	size_t u = 0;
	if (bytes < 1024) {
		str_fmt(out, "%llu B", (unsigned long long)bytes);
		return;
	}
	for (; tenths >= 10240 && u + 1 < LEN(units); u++)
		tenths /= 1024;
	str_fmt(out, "%llu.%llu %s", (unsigned long long)tenths / 10, (unsigned long long)tenths % 10, units[u]);
}

/* Does it stand for all that is in it? */
static bool whole(const struct shadow_item *i)
{
	return i->type == FT_DIR && (i->what == SHADOW_NEW || i->what == SHADOW_REPLACED || i->what == SHADOW_REMOVED);
}

/* Index behind the items that @at stands for; their files and bytes are summed. */
static size_t group(const struct shadow_list *l, size_t at, size_t *files, uint64_t *bytes)
{
	const struct shadow_item *top = &l->items[at];
	size_t i = at + 1;
	*files = 0;
	*bytes = 0;
	for (; whole(top) && i < l->n && path_below(l->items[i].path, top->path); i++) {
		if (l->items[i].type == FT_DIR)
			continue;
		++*files;
		*bytes += l->items[i].link ? 0 : l->items[i].size;
	}
	return i;
}

static void row(struct str *out, const struct shadow_item *i, size_t files, uint64_t bytes, const char *name)
{
	str_fmt(out, "  %-8s  ", words[i->what]);
	esc_term(out, name);
	if (i->type == FT_DIR)
		str_add_char(out, '/');
	if (whole(i) && i->what != SHADOW_REMOVED) {
		str_fmt(out, "  %zu file%s, ", files, files == 1 ? "" : "s");
		shadow_size(out, bytes);
	} else if (i->type == FT_FILE && i->link && i->what != SHADOW_REMOVED) {
		str_add(out, "  another name of a file");
	} else if (i->type == FT_FILE) {
		str_add(out, "  ");
		shadow_size(out, i->size);
	} else if (i->type == FT_DIR && i->what == SHADOW_CHANGED) {
		str_fmt(out, "  mode %04o", i->mode);
	} else if (i->type == FT_LINK && i->text) {
		str_add(out, " -> ");
		esc_term(out, i->text);
	}
	if (i->type == FT_FILE && i->what != SHADOW_REMOVED && i->mode & 06000)
		str_fmt(out, "  mode %04o", i->mode);
	if (i->store)
		str_add(out, "  (a credential store, or masked)");
	str_add_char(out, '\n');
}

void shadow_text(struct str *out, const struct shadow_list *l, const struct host *h, size_t rows)
{
	size_t shown = 0, more = 0, files;
	uint64_t bytes;
	OWN(arena) a = { 0 };
	for (size_t i = 0; i < l->n;) {
		const struct shadow_item *item = &l->items[i];
		i = group(l, i, &files, &bytes);
		const char *name = host_shorten(h, &a, item->path);
		if (rows && shown == rows)
			more++;
		else
			row(out, item, files, bytes, name ? name : item->path), shown++;
	}
	if (more)
		str_fmt(out, "  %zu more\n", more);
}

void shadow_json(struct str *out, const struct shadow_list *l, const struct host *h)
{
	OWN(arena) a = { 0 };
	str_add_char(out, '[');
	for (size_t i = 0; i < l->n; i++) {
		const struct shadow_item *item = &l->items[i];
		const char *name = host_shorten(h, &a, item->path);
		str_fmt(out, "%s{\"what\":\"%s\",\"path\":", i ? "," : "", words[item->what]);
		esc_json(out, name ? name : item->path);
		str_fmt(out, ",\"type\":\"%s\",\"size\":%llu%s}", file_type_word(item->type), (unsigned long long)item->size,
		        item->store ? ",\"store\":true" : "");
	}
	str_add_char(out, ']');
}
