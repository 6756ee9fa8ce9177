#include "profiles/yaml_node.h"

#include "profiles/profile.h"

#include "base/esc.h"
#include "base/map.h"
#include "base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

struct load {
	yaml_parser_t yaml;
	struct arena *a;
	const char *file;
	size_t nodes, depth;
	struct err *e;
};

const char *ynode_show(struct arena *a, const char *text)
{
	OWN(str) s = { 0 };
	esc_term(&s, text);
	const char *out = s.len <= 40 ? arena_str(a, str_c(&s)) : arena_fmt(a, "%.37s...", str_c(&s));
	return out && !s.oom ? out : "?";
}

int ynode_bad(struct err *e, const char *file, const struct ynode *n, const char *fmt, ...)
{
	char msg[320];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	return err_set(e, EINVAL, "%s:%u:%u: %s", file, n->line, n->col, msg);
}

static int no_memory(struct load *l)
{
	return err_set(l->e, ENOMEM, "%s: out of memory", l->file);
}

/* libyaml reports bytes it cannot read without a useful place: find them first. */
static int check_bytes(struct load *l, const char *text, size_t len)
{
	struct ynode at = { .line = 1, .col = 1 };
	for (size_t i = 0, n; i < len; i += n) {
		unsigned cp = 0;
		n = esc_utf8(text + i, len - i, &cp);
		if (!n)
			return ynode_bad(l->e, l->file, &at, "byte 0x%02x is not UTF-8; write \"\\\\x%02x\" for it in a path",
			                 (unsigned char)text[i], (unsigned char)text[i]);
		if (!cp)
			return ynode_bad(l->e, l->file, &at, "a NUL byte");
		at.col++;
		if (cp == '\n') {
			at.line++;
			at.col = 1;
		}
	}
	return 0;
}

static int next(struct load *l, yaml_event_t *ev)
{
	if (yaml_parser_parse(&l->yaml, ev))
		return 0;
	const yaml_parser_t *y = &l->yaml;
	struct ynode at = { .line = (uint32_t)y->problem_mark.line + 1, .col = (uint32_t)y->problem_mark.column + 1 };
	if (y->error == YAML_MEMORY_ERROR)
		return no_memory(l);
	return ynode_bad(l->e, l->file, &at, "%s%s%s", y->context ? y->context : "", y->context ? ": " : "",
	                 y->problem ? y->problem : "not YAML");
}

static int refuse(struct load *l, const yaml_event_t *ev, const yaml_char_t *anchor, const yaml_char_t *tag)
{
	struct ynode at = { .line = (uint32_t)ev->start_mark.line + 1, .col = (uint32_t)ev->start_mark.column + 1 };
	if (anchor)
		return ynode_bad(l->e, l->file, &at, "anchors and aliases are not part of the profile language: write it out");
	if (tag)
		return ynode_bad(l->e, l->file, &at, "tags (!...) are not part of the profile language: the key decides the type");
	if (++l->nodes > PROFILE_ITEMS_MAX)
		return ynode_bad(l->e, l->file, &at, "more than %d items", PROFILE_ITEMS_MAX);
	return 0;
}

static int add_key(struct load *l, struct map *seen, const struct ynode *key)
{
	if (key->kind != Y_SCALAR)
		return ynode_bad(l->e, l->file, key, "a key must be a word");
	if (key->plain && !strcmp(key->text, "<<"))
		return ynode_bad(l->e, l->file, key, "merge keys (<<) are not part of the profile language: write it out");
	int fresh = 0;
	void **slot = map_put(seen, key->text, strlen(key->text), &fresh);
	if (!slot)
		return no_memory(l);
	if (!fresh)
		return ynode_bad(l->e, l->file, key, "key '%s' again; it is already at line %u",
		                 ynode_show(l->a, key->text), (unsigned)(uintptr_t)*slot);
	*slot = (void *)(uintptr_t)key->line;
	return 0;
}

static int load_node(struct load *l, yaml_event_t *ev, struct ynode **out);

/* Items up to the end event of a list or map; the start event is done. */
static int load_items(struct load *l, struct ynode *n, yaml_event_type_t end)
{
	OWN(map) seen = { 0 };
	if (++l->depth > PROFILE_DEPTH_MAX)
		return ynode_bad(l->e, l->file, n, "more than %d levels deep", PROFILE_DEPTH_MAX);
	for (;;) {
		yaml_event_t ev;
		struct ypair pair = { 0 };
		int r = next(l, &ev);
		if (r)
			return r;
		if (ev.type == end) {
			n->end_line = (uint32_t)ev.end_mark.line + 1;
			n->end_col = (uint32_t)ev.end_mark.column + 1;
			yaml_event_delete(&ev);
			l->depth--;
			return 0;
		}
		if (n->kind == Y_MAP) {
			r = load_node(l, &ev, &pair.key);
			if (!r)
				r = add_key(l, &seen, pair.key);
			if (!r)
				r = next(l, &ev);
			if (r)
				return r;
		}
		r = load_node(l, &ev, &pair.value);
		if (r)
			return r;
		struct ypair *slot = ARENA_PUSH(l->a, n, items, n);
		if (!slot)
			return no_memory(l);
		*slot = pair;
	}
}

static int load_scalar(struct load *l, const yaml_event_t *ev, struct ynode *n)
{
	const char *text = (const char *)ev->data.scalar.value;
	size_t len = ev->data.scalar.length;
	n->kind = Y_SCALAR;
	n->plain = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	n->text = arena_mem(l->a, text, len);
	if (!n->text)
		return no_memory(l);
	if (strlen(n->text) != len)
		return ynode_bad(l->e, l->file, n, "a NUL byte in a text");
	return 0;
}

/* Consumes @ev. */
static int load_node(struct load *l, yaml_event_t *ev, struct ynode **out)
{
	int r;
	yaml_event_type_t end = YAML_NO_EVENT;
	struct ynode *n = arena_alloc(l->a, sizeof(*n));
	if (!n) {
		yaml_event_delete(ev);
		return no_memory(l);
	}
	n->line = (uint32_t)ev->start_mark.line + 1;
	n->col = (uint32_t)ev->start_mark.column + 1;
	n->end_line = (uint32_t)ev->end_mark.line + 1;
	n->end_col = (uint32_t)ev->end_mark.column + 1;
	if (ev->type == YAML_SCALAR_EVENT) {
		r = refuse(l, ev, ev->data.scalar.anchor, ev->data.scalar.tag);
		if (!r)
			r = load_scalar(l, ev, n);
	} else if (ev->type == YAML_SEQUENCE_START_EVENT) {
		r = refuse(l, ev, ev->data.sequence_start.anchor, ev->data.sequence_start.tag);
		n->kind = Y_LIST;
		n->flow = ev->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
		end = YAML_SEQUENCE_END_EVENT;
	} else if (ev->type == YAML_MAPPING_START_EVENT) {
		r = refuse(l, ev, ev->data.mapping_start.anchor, ev->data.mapping_start.tag);
		n->kind = Y_MAP;
		n->flow = ev->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
		end = YAML_MAPPING_END_EVENT;
	} else {
		/* an alias is all that is left */
		r = refuse(l, ev, ev->data.alias.anchor, NULL);
		if (!r)
			r = ynode_bad(l->e, l->file, n, "not part of the profile language");
	}
	yaml_event_delete(ev);
	if (!r && end != YAML_NO_EVENT)
		r = load_items(l, n, end);
	*out = n;
	return r;
}

static int load_document(struct load *l, struct ynode **root)
{
	*root = NULL;
	for (;;) {
		yaml_event_t ev;
		int r = next(l, &ev);
		if (r)
			return r;
		yaml_event_type_t type = ev.type;
		struct ynode at = { .line = (uint32_t)ev.start_mark.line + 1, .col = (uint32_t)ev.start_mark.column + 1 };
		switch ((int)type) {
		case YAML_STREAM_START_EVENT:
		case YAML_DOCUMENT_END_EVENT:
			yaml_event_delete(&ev);
			break;
		case YAML_STREAM_END_EVENT:
			yaml_event_delete(&ev);
			if (!*root)
				return ynode_bad(l->e, l->file, &at, "empty, not a profile");
			return 0;
		case YAML_DOCUMENT_START_EVENT:
			yaml_event_delete(&ev);
			if (*root)
				return ynode_bad(l->e, l->file, &at, "a second document (---): one file is one profile");
			break;
		default:
			r = load_node(l, &ev, root);
			if (r)
				return r;
		}
	}
}

int ynode_read(struct ynode **root, struct arena *a, const char *text, size_t len, const char *file, struct err *e)
{
	struct load l = { .a = a, .file = file, .e = e };
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		len -= 3;
	}
	if (len > PROFILE_BYTES_MAX)
		return err_set(e, EINVAL, "%s:1:1: %zu bytes, more than the %d a profile may have", file, len, PROFILE_BYTES_MAX);
	int r = check_bytes(&l, text, len);
	if (r)
		return r;
	if (!yaml_parser_initialize(&l.yaml))
		return no_memory(&l);
	yaml_parser_set_encoding(&l.yaml, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&l.yaml, (const unsigned char *)text, len);
	r = load_document(&l, root);
	yaml_parser_delete(&l.yaml);
	return r;
}
