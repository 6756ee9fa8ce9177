/* yaml_built.c - the tree of a built-in profile, without parsing it again */
#include "profiles/builtin.h"
#include "profiles/yaml_node.h"

/**
 * struct built - the nodes on their way to a tree
 * @at: next node
 */
struct built {
	const struct builtin_node *at, *end;
	const char *words;
	struct arena *a;
};

static struct ynode *build(struct built *b)
{
	struct ynode *n = b->at < b->end ? arena_alloc(b->a, sizeof(*n)) : NULL;
	if (!n)
		return NULL;
	const struct builtin_node *from = b->at++;
	*n = (struct ynode){
		.kind = from->kind, .plain = from->plain, .flow = from->flow, .line = from->line, .col = from->col,
		.end_line = from->end_line, .end_col = from->end_col, .n = from->n,
		.text = from->kind == Y_SCALAR ? b->words + from->text : NULL,
	};
	n->items = n->n ? arena_array(b->a, n->n, sizeof(*n->items)) : NULL;
	for (size_t i = 0; i < n->n; i++) {
		if (!n->items)
			return NULL;
		n->items[i].key = n->kind == Y_MAP ? build(b) : NULL;
		n->items[i].value = build(b);
		if (!n->items[i].value || (n->kind == Y_MAP && !n->items[i].key))
			return NULL;
	}
	return n;
}

struct ynode *ynode_built(struct arena *a, const struct builtin_node *nodes, size_t n, const char *words)
{
	struct built b = { nodes, nodes + n, words, a };
	return build(&b);
}
