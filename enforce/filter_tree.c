/* filter_tree.c - the same answers from a filter, found in a few steps; pure */
#include "enforce/filter_tree.h"

#include "base/vec.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <stddef.h>
#include <string.h>

enum {
	NUMBERS = 512,       /* asked one by one; above, only what the list compares with */
	MARKS_MAX = 64,      /* constants above, and bounds */
	JUMP_MAX = UINT8_MAX, /* of a conditional jump */
};

/**
 * struct range - numbers from @from up to the next range's that have the same end
 * @block: the arguments decide, by the lines from @what on; else @what is the answer
 */
struct range {
	uint32_t from, what;
	bool block;
};

struct ranges {
	struct range *items;
	size_t n, cap;
};

/**
 * struct marks - where the answer may change
 * @equal: number is compared for equality; @bound: a comparison by order begins to differ there
 * @high:  the same beyond NUMBERS, both kinds
 */
struct marks {
	bool equal[NUMBERS], bound[NUMBERS];
	uint32_t high[MARKS_MAX];
	size_t nhigh;
};

static bool is_load(const struct sock_filter *i)
{
	return i->code == (BPF_LD | BPF_W | BPF_ABS);
}

/* Index of the first line after the number was loaded, or @f->n. */
static size_t after_number(const struct filter *f)
{
	for (size_t i = 0; i < f->n; i++) {
		if (is_load(&f->items[i]) && f->items[i].k == offsetof(struct seccomp_data, nr))
			return i + 1;
	}
	return f->n;
}

/* Run the list for number @nr. Return: 0, -EINVAL: not a list as we know it. */
static int run(const struct filter *f, size_t at, uint32_t nr, struct range *out)
{
	while (at < f->n) {
		const struct sock_filter *i = &f->items[at];
		bool yes;
		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			*out = (struct range){ .what = (uint32_t)at, .block = true };
			return 0;
		case BPF_RET | BPF_K:
			*out = (struct range){ .what = i->k };
			return 0;
		case BPF_JMP | BPF_JEQ | BPF_K:
			yes = nr == i->k;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			yes = nr > i->k;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			yes = nr >= i->k;
			break;
		default:
			return -EINVAL;
		}
		at += 1U + (yes ? i->jt : i->jf);
	}
	return -EINVAL;
}

static int mark(struct marks *m, uint32_t k, bool equal)
{
	if (k < NUMBERS) {
		(equal ? m->equal : m->bound)[k] = true;
		return 0;
	}
	size_t i = m->nhigh;
	if (i == MARKS_MAX)
		return -EINVAL;
	for (; i > 0 && m->high[i - 1] > k; i--)
		m->high[i] = m->high[i - 1];
	m->high[i] = k;
	m->nhigh++;
	return 0;
}

/* Constants that arguments are compared with are marked, too: they only cost a look. */
static int find_marks(struct marks *m, const struct filter *f, size_t start)
{
	int r = mark(m, NUMBERS, false);
	for (size_t i = start; r == 0 && i < f->n; i++) {
		const struct sock_filter *l = &f->items[i];
		switch (l->code) {
		case BPF_JMP | BPF_JEQ | BPF_K:
			r = mark(m, l->k, true);
			if (r == 0 && l->k != UINT32_MAX)
				r = l->k < NUMBERS - 1 ? 0 : mark(m, l->k + 1, false);
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			r = l->k == UINT32_MAX ? 0 : mark(m, l->k + 1, false);
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			r = mark(m, l->k, false);
			break;
		}
	}
	return r;
}

static int add(struct ranges *all, uint32_t from, const struct range *r)
{
	const struct range *last = all->n ? &all->items[all->n - 1] : NULL;
	if (last && last->what == r->what && last->block == r->block)
		return 0;
	struct range *slot = VEC_PUSH(all);
	if (!slot)
		return -ENOMEM;
	*slot = *r;
	slot->from = from;
	return 0;
}

static int find_ranges(struct ranges *all, const struct filter *f, size_t start)
{
	struct marks m = { 0 };
	struct range now = { 0 };
	bool fresh = false; /* @now is of a number without a mark of its own since the last bound */
	int r = find_marks(&m, f, start);
	for (uint32_t nr = 0; r == 0 && nr < NUMBERS; nr++) {
		fresh &= !m.bound[nr];
		struct range own;
		if (m.equal[nr]) {
			r = run(f, start, nr, &own);
		} else {
			r = fresh ? 0 : run(f, start, nr, &now);
			fresh = true;
			own = now;
		}
		r = r < 0 ? r : add(all, nr, &own);
	}
	for (size_t i = 0; r == 0 && i < m.nhigh; i++) {
		r = run(f, start, m.high[i], &now);
		r = r < 0 ? r : add(all, m.high[i], &now);
	}
	return r;
}

/* How many lines the arguments' part at @at has: all that can be reached from its first. */
static size_t block_len(const struct filter *f, size_t at)
{
	size_t last = at;
	for (size_t i = at; i <= last && i < f->n; i++) {
		const struct sock_filter *l = &f->items[i];
		if (l->code == (BPF_RET | BPF_K))
			continue;
		size_t next = i + 1;
		if (BPF_CLASS(l->code) == BPF_JMP)
			next += BPF_OP(l->code) == BPF_JA ? l->k : MAX(l->jt, l->jf);
		last = MAX(last, next);
	}
	return last - at + 1;
}

static int put(struct filter *out, struct sock_filter line)
{
	struct sock_filter *slot = VEC_PUSH(out);
	if (!slot)
		return -ENOMEM;
	*slot = line;
	return 0;
}

static int leaf(struct filter *out, const struct filter *f, const struct range *r)
{
	if (!r->block)
		return put(out, (struct sock_filter){ BPF_RET | BPF_K, 0, 0, r->what });
	int x = 0;
	for (size_t i = 0, n = block_len(f, r->what); x == 0 && i < n && r->what + i < f->n; i++)
		x = put(out, f->items[r->what + i]);
	return x;
}

/* Ranges @low to @high, which is not one of them: the lower half behind the comparison, then the upper. */
static int tree(struct filter *out, const struct filter *f, const struct ranges *all, size_t low, size_t high)
{
	if (high - low == 1)
		return leaf(out, f, &all->items[low]);
	size_t mid = low + (high - low) / 2, at = out->n;
	int r = put(out, (struct sock_filter){ BPF_JMP | BPF_JGE | BPF_K, 0, 1, all->items[mid].from });
	if (r == 0)
		r = put(out, (struct sock_filter){ BPF_JMP | BPF_JA, 0, 0, 0 });
	if (r == 0)
		r = tree(out, f, all, low, mid);
	if (r < 0)
		return r;
	size_t over = out->n - at - 2;
	if (over > JUMP_MAX) {
		out->items[at + 1].k = (uint32_t)over;
	} else { /* near: the comparison itself jumps */
		memmove(&out->items[at + 1], &out->items[at + 2], over * sizeof(*out->items));
		out->n--;
		out->items[at].jt = (uint8_t)over;
		out->items[at].jf = 0;
	}
	return tree(out, f, all, mid, high);
}

int filter_tree(struct filter *f)
{
	size_t start = after_number(f);
	struct ranges all = { 0 };
	OWN(filter) out = { 0 };
	int r = find_ranges(&all, f, start);
	for (size_t i = 0; r == 0 && i < start; i++)
		r = put(&out, f->items[i]);
	if (r == 0)
		r = tree(&out, f, &all, 0, all.n);
	free(all.items);
	if (r == 0) {
		filter_drop(f);
		*f = TAKE(out);
	}
	return r == -EINVAL ? 0 : r;
}
