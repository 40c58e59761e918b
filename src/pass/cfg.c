/* SPDX-License-Identifier: MIT */
/*
 * See cfg.h. Dominators by Cooper, Harvey and Kennedy (2001); a loop is what leads to the
 * source of an edge back to a block that dominates it, without passing by that block.
 */
#include "pass/cfg.h"

#include <stdlib.h>

/* ---- numbers ---- */

struct walk {
	struct ll_block **all; /* by address */
	int *state;	       /* the next successor to go to; -1: not met yet */
	int *stack;
	int count;
};

static int by_address(const void *a, const void *b)
{
	const struct ll_block *x = *(struct ll_block *const *)a;
	const struct ll_block *y = *(struct ll_block *const *)b;
	return x < y ? -1 : x > y;
}

static int find(struct ll_block *const *all, int count, const struct ll_block *b)
{
	int low = 0, high = count;
	while (low < high) {
		int middle = (low + high) / 2;
		if (all[middle] < b)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool list_blocks(struct walk *w, struct ll_value *function)
{
	struct ll_block *b;
	for (b = dh_ll.GetFirstBasicBlock(function); b; b = dh_ll.GetNextBasicBlock(b))
		w->count++;
	size_t n = (size_t)w->count;
	w->all = malloc(n * sizeof *w->all);
	w->state = malloc(n * sizeof *w->state);
	w->stack = malloc(n * sizeof *w->stack);
	if (!w->all || !w->state || !w->stack)
		return false;
	n = 0;
	for (b = dh_ll.GetFirstBasicBlock(function); b; b = dh_ll.GetNextBasicBlock(b)) {
		w->state[n] = -1;
		w->all[n++] = b;
	}
	qsort(w->all, n, sizeof *w->all, by_address);
	return true;
}

/* Depth first; a block gets its number, from the last one down, when it is left. */
static void number_blocks(struct dh_cfg *g, struct walk *w, struct ll_block *first)
{
	int depth = 0, left = w->count;
	w->stack[depth] = find(w->all, w->count, first);
	w->state[w->stack[depth]] = 0;
	while (depth >= 0) {
		int at = w->stack[depth];
		struct ll_value *end = dh_ll.GetBasicBlockTerminator(w->all[at]);
		if (w->state[at] == (int)dh_ll.GetNumSuccessors(end)) {
			g->block[--left] = w->all[at];
			depth--;
			continue;
		}
		unsigned way = (unsigned)w->state[at]++;
		int to = find(w->all, w->count, dh_ll.GetSuccessor(end, way));
		if (w->state[to] < 0) {
			w->state[to] = 0;
			w->stack[++depth] = to;
		}
	}
	g->blocks = w->count - left;
	for (int i = 0; i < g->blocks; i++)
		g->block[i] = g->block[i + left];
}

static int by_block(const void *a, const void *b)
{
	const struct dh_cfg_entry *x = a, *y = b;
	return by_address(&x->block, &y->block);
}

static void sort_numbers(struct dh_cfg *g)
{
	for (int i = 0; i < g->blocks; i++)
		g->sorted[i] = (struct dh_cfg_entry){g->block[i], i};
	qsort(g->sorted, (size_t)g->blocks, sizeof *g->sorted, by_block);
}

int dh_cfg_number(const struct dh_cfg *g, const struct ll_block *b)
{
	int low = 0, high = g->blocks;
	while (low < high) {
		int middle = (low + high) / 2;
		if (g->sorted[middle].block < b)
			low = middle + 1;
		else
			high = middle;
	}
	return low < g->blocks && g->sorted[low].block == b ? g->sorted[low].number
							    : DH_NO_BLOCK;
}

/* ---- edges ---- */

static unsigned ways_out(const struct dh_cfg *g, int b)
{
	return dh_ll.GetNumSuccessors(dh_ll.GetBasicBlockTerminator(g->block[b]));
}

static int way_out(const struct dh_cfg *g, int b, unsigned way)
{
	struct ll_value *end = dh_ll.GetBasicBlockTerminator(g->block[b]);
	return dh_cfg_number(g, dh_ll.GetSuccessor(end, way));
}

static bool list_edges(struct dh_cfg *g)
{
	g->first = calloc((size_t)g->blocks + 2, sizeof *g->first);
	if (!g->first)
		return false;
	for (int b = 0; b < g->blocks; b++)
		for (unsigned i = 0; i < ways_out(g, b); i++)
			g->first[way_out(g, b, i) + 2]++;
	for (int b = 0; b < g->blocks; b++)
		g->first[b + 2] += g->first[b + 1];
	g->from = malloc(((size_t)g->first[g->blocks + 1] + 1) * sizeof *g->from);
	if (!g->from)
		return false;
	for (int b = 0; b < g->blocks; b++)
		for (unsigned i = 0; i < ways_out(g, b); i++)
			g->from[g->first[way_out(g, b, i) + 1]++] = b;
	return true;
}

/* ---- dominators ---- */

static int meet(const int *dominator, int a, int b)
{
	while (a != b) {
		while (a > b)
			a = dominator[a];
		while (b > a)
			b = dominator[b];
	}
	return a;
}

static int nearest(const struct dh_cfg *g, int b)
{
	int found = DH_NO_BLOCK;
	for (int i = g->first[b]; i < g->first[b + 1]; i++)
		if (g->dominator[g->from[i]] != DH_NO_BLOCK)
			found = found == DH_NO_BLOCK
				    ? g->from[i]
				    : meet(g->dominator, g->from[i], found);
	return found;
}

static void find_dominators(struct dh_cfg *g)
{
	bool changed = true;
	for (int b = 0; b < g->blocks; b++)
		g->dominator[b] = b ? DH_NO_BLOCK : 0;
	while (changed) {
		changed = false;
		for (int b = 1; b < g->blocks; b++) {
			int now = nearest(g, b);
			changed |= now != g->dominator[b];
			g->dominator[b] = now;
		}
	}
}

bool dh_cfg_dominates(const struct dh_cfg *g, int a, int b)
{
	while (b > a)
		b = g->dominator[b];
	return a == b;
}

/* ---- loops ---- */

/* What leads to b, up to the header, belongs to the loop. */
static bool gather(const struct dh_cfg *g, struct dh_loop *l, int b)
{
	int *stack = malloc((size_t)g->blocks * sizeof *stack), depth = 0;
	if (!stack)
		return false;
	if (!l->has[b]) {
		l->has[b] = true;
		l->size++;
		stack[depth++] = b;
	}
	while (depth) {
		int at = stack[--depth];
		for (int i = g->first[at]; i < g->first[at + 1]; i++) {
			int from = g->from[i];
			if (l->has[from])
				continue;
			l->has[from] = true;
			l->size++;
			stack[depth++] = from;
		}
	}
	free(stack);
	return true;
}

/* The way in, if it is a block that leads nowhere else. */
static int block_before(const struct dh_cfg *g, const struct dh_loop *l)
{
	int found = DH_NO_BLOCK;
	for (int i = g->first[l->header]; i < g->first[l->header + 1]; i++) {
		int from = g->from[i];
		if (l->has[from])
			continue;
		if (found != DH_NO_BLOCK || ways_out(g, from) != 1)
			return DH_NO_BLOCK;
		found = from;
	}
	return found;
}

static bool leaves(const struct dh_cfg *g, const struct dh_loop *l, int b)
{
	for (unsigned i = 0; i < ways_out(g, b); i++)
		if (!l->has[way_out(g, b, i)])
			return true;
	return false;
}

static int only_exit(const struct dh_cfg *g, const struct dh_loop *l)
{
	if (l->latch == DH_NO_BLOCK || !leaves(g, l, l->latch))
		return DH_NO_BLOCK;
	for (int b = 0; b < g->blocks; b++)
		if (b != l->latch && l->has[b] && leaves(g, l, b))
			return DH_NO_BLOCK;
	return l->latch;
}

/* The loop of a header, if it is one. False: no memory. */
static bool add_loop(struct dh_cfg *g, int header)
{
	struct dh_loop l = {
	    .header = header, .latch = DH_NO_BLOCK, .size = 0, .around = -1};
	int back = 0;
	for (int i = g->first[header]; i < g->first[header + 1]; i++) {
		int from = g->from[i];
		if (!dh_cfg_dominates(g, header, from))
			continue;
		if (!l.has && !(l.has = calloc((size_t)g->blocks, sizeof *l.has)))
			return false;
		if (!back++) {
			l.has[header] = true;
			l.size = 1;
		}
		l.latch = back == 1 ? from : DH_NO_BLOCK;
		if (!gather(g, &l, from)) {
			free(l.has);
			return false;
		}
	}
	if (!back)
		return true;
	struct dh_loop *more = realloc(g->loop, ((size_t)g->loops + 1) * sizeof *g->loop);
	if (!more) {
		free(l.has);
		return false;
	}
	l.before = block_before(g, &l);
	l.exit = only_exit(g, &l);
	g->loop = more;
	g->loop[g->loops++] = l;
	return true;
}

static int by_size(const void *a, const void *b)
{
	const struct dh_loop *x = a, *y = b;
	return x->size != y->size ? (x->size < y->size ? -1 : 1)
				  : (x->header > y->header ? -1 : x->header < y->header);
}

static bool find_loops(struct dh_cfg *g)
{
	for (int b = 0; b < g->blocks; b++)
		if (!add_loop(g, b))
			return false;
	if (g->loops)
		qsort(g->loop, (size_t)g->loops, sizeof *g->loop, by_size);
	for (int b = 0; b < g->blocks; b++)
		g->innermost[b] = -1;
	for (int i = g->loops - 1; i >= 0; i--) {
		g->loop[i].around = g->innermost[g->loop[i].header];
		for (int b = 0; b < g->blocks; b++)
			if (g->loop[i].has[b])
				g->innermost[b] = i;
	}
	return true;
}

bool dh_cfg_make(struct dh_cfg *g, struct ll_value *function)
{
	struct walk w = {0};
	*g = (struct dh_cfg){0};
	bool good = list_blocks(&w, function);
	if (good) {
		size_t n = (size_t)w.count;
		g->block = malloc(n * sizeof *g->block);
		g->dominator = malloc(n * sizeof *g->dominator);
		g->sorted = malloc(n * sizeof *g->sorted);
		g->innermost = malloc(n * sizeof *g->innermost);
		good = g->block && g->dominator && g->sorted && g->innermost;
	}
	if (good) {
		number_blocks(g, &w, dh_ll.GetFirstBasicBlock(function));
		sort_numbers(g);
		good = list_edges(g);
	}
	if (good) {
		find_dominators(g);
		good = find_loops(g);
	}
	free(w.all);
	free(w.state);
	free(w.stack);
	if (!good)
		dh_cfg_drop(g);
	return good;
}

void dh_cfg_drop(struct dh_cfg *g)
{
	for (int i = 0; i < g->loops; i++)
		free(g->loop[i].has);
	free(g->loop);
	free(g->block);
	free(g->dominator);
	free(g->sorted);
	free(g->innermost);
	free(g->from);
	free(g->first);
	*g = (struct dh_cfg){0};
}
