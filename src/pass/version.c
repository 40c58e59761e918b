/* SPDX-License-Identifier: MIT */
/*
 * See version.h. What is used behind the loop goes by phis of the block there ("lcssa"),
 * so these are all that has to learn of a second way to it.
 */
#include "pass/version.h"
#include "pass/calls.h"

#include <stdlib.h>

enum { MOST = 600 }; /* instructions of a loop that is doubled */

struct pair {
	struct ll_value *old, *new;
};

struct twin {
	const struct dh_cfg *g;
	const struct dh_loop *loop;
	struct ll_context *context;
	struct ll_builder *builder;
	struct ll_block **block; /* of each that is doubled, by number */
	struct pair *pair;	 /* of each instruction; by address, once all are there */
	size_t pairs;
};

/* ---- what there is ---- */

static bool is_phi(struct ll_value *v)
{
	return v && dh_ll.GetInstructionOpcode(v) == LL_PHI;
}

static struct ll_block *block_behind(const struct dh_cfg *g, const struct dh_loop *l)
{
	struct ll_value *end = dh_ll.GetBasicBlockTerminator(g->block[l->exit]);
	struct ll_block *b = dh_ll.GetSuccessor(end, 0);
	return dh_cfg_number(g, b) == l->header ? dh_ll.GetSuccessor(end, 1) : b;
}

/* Its instructions. */
static size_t count(const struct dh_cfg *g, const struct dh_loop *l)
{
	size_t n = 0;
	for (int b = 0; b < g->blocks; b++) {
		if (!l->has[b])
			continue;
		struct ll_value *v = dh_ll.GetFirstInstruction(g->block[b]);
		for (; v; v = dh_ll.GetNextInstruction(v))
			n++;
	}
	return n;
}

bool dh_version_fits(const struct dh_cfg *g, const struct dh_loop *l)
{
	return count(g, l) <= MOST;
}

/* ---- copies ---- */

static int by_old(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	return x->old < y->old ? -1 : x->old > y->old;
}

/* What stands for it in the twin. */
static struct ll_value *of(const struct twin *w, struct ll_value *v)
{
	const struct pair key = {v, NULL};
	const struct pair *p = dh_ll.IsAInstruction(v)
				   ? bsearch(&key, w->pair, w->pairs, sizeof key, by_old)
				   : NULL;
	return p ? p->new : v;
}

static struct ll_block *block_of(const struct twin *w, struct ll_block *b)
{
	int number = dh_cfg_number(w->g, b);
	return number != DH_NO_BLOCK && w->block[number] ? w->block[number] : b;
}

static void copy_block(struct twin *w, int b)
{
	struct ll_value *v = dh_ll.GetFirstInstruction(w->g->block[b]), *made;
	dh_ll.PositionBuilderAtEnd(w->builder, w->block[b]);
	for (; v; v = dh_ll.GetNextInstruction(v)) {
		if (dh_is_for_debugger(v))
			continue;
		if (is_phi(v)) {
			made = dh_ll.BuildPhi(w->builder, dh_ll.TypeOf(v), "");
			dh_ll.InstructionSetDebugLoc(made,
						     dh_ll.InstructionGetDebugLoc(v));
		} else {
			made = dh_ll.InstructionClone(v);
			dh_ll.InsertIntoBuilder(w->builder, made);
		}
		w->pair[w->pairs++] = (struct pair){v, made};
	}
}

static void fill_phi(struct twin *w, struct ll_value *phi, struct ll_value *made)
{
	for (unsigned i = 0; i < dh_ll.CountIncoming(phi); i++) {
		struct ll_value *value = of(w, dh_ll.GetIncomingValue(phi, i));
		struct ll_block *from = block_of(w, dh_ll.GetIncomingBlock(phi, i));
		dh_ll.AddIncoming(made, &value, &from, 1);
	}
}

static void fill(struct twin *w, struct ll_value *made)
{
	for (unsigned i = 0; i < (unsigned)dh_ll.GetNumOperands(made); i++) {
		struct ll_value *is = dh_ll.GetOperand(made, i), *new = of(w, is);
		if (new != is)
			dh_ll.SetOperand(made, i, new);
	}
	if (!dh_ll.IsATerminatorInst(made))
		return;
	for (unsigned i = 0; i < dh_ll.GetNumSuccessors(made); i++)
		dh_ll.SetSuccessor(made, i, block_of(w, dh_ll.GetSuccessor(made, i)));
}

static bool begin(struct twin *w)
{
	w->block = calloc((size_t)w->g->blocks, sizeof *w->block);
	w->pair = calloc(count(w->g, w->loop), sizeof *w->pair);
	return w->block && w->pair;
}

static void make_twin(struct twin *w)
{
	struct ll_value *function = dh_ll.GetBasicBlockParent(w->g->block[0]);
	for (int b = 0; b < w->g->blocks; b++)
		if (w->loop->has[b])
			w->block[b] =
			    dh_ll.AppendBasicBlockInContext(w->context, function, "");
	for (int b = 0; b < w->g->blocks; b++)
		if (w->loop->has[b])
			copy_block(w, b);
	qsort(w->pair, w->pairs, sizeof *w->pair, by_old);
	for (size_t i = 0; i < w->pairs; i++) {
		if (is_phi(w->pair[i].old))
			fill_phi(w, w->pair[i].old, w->pair[i].new);
		else
			fill(w, w->pair[i].new);
	}
}

/* ---- the ways in and out ---- */

/* Who comes from the twin brings what comes from the loop. */
static void tell_behind(struct twin *w)
{
	struct ll_block *from = w->g->block[w->loop->exit],
			*twin = w->block[w->loop->exit];
	struct ll_value *v = dh_ll.GetFirstInstruction(block_behind(w->g, w->loop));
	for (; is_phi(v); v = dh_ll.GetNextInstruction(v)) {
		for (unsigned i = 0; i < dh_ll.CountIncoming(v); i++) {
			if (dh_ll.GetIncomingBlock(v, i) != from)
				continue;
			struct ll_value *value = of(w, dh_ll.GetIncomingValue(v, i));
			dh_ll.AddIncoming(v, &value, &twin, 1);
			break;
		}
	}
}

/* Who came to the block from one comes from another now. A phi has no other way to be
 * told so than another in its place. */
static void come_from(struct ll_builder *builder, struct ll_block *b,
		      struct ll_block *old, struct ll_block *new)
{
	struct ll_value *next, *v = dh_ll.GetFirstInstruction(b);
	for (; is_phi(v); v = next) {
		next = dh_ll.GetNextInstruction(v);
		dh_ll.PositionBuilderBefore(builder, v);
		struct ll_value *made = dh_ll.BuildPhi(builder, dh_ll.TypeOf(v), "");
		dh_ll.InstructionSetDebugLoc(made, dh_ll.InstructionGetDebugLoc(v));
		for (unsigned i = 0; i < dh_ll.CountIncoming(v); i++) {
			struct ll_value *value = dh_ll.GetIncomingValue(v, i);
			struct ll_block *from = dh_ll.GetIncomingBlock(v, i);
			from = from == old ? new : from;
			dh_ll.AddIncoming(made, &value, &from, 1);
		}
		dh_ll.ReplaceAllUsesWith(v, made);
		dh_ll.InstructionEraseFromParent(v);
	}
}

/* The block for what tells of all rounds, and the choice. */
static struct ll_value *make_ways(struct twin *w, struct ll_value *many)
{
	struct ll_block *before = w->g->block[w->loop->before];
	struct ll_block *header = w->g->block[w->loop->header];
	struct ll_value *end = dh_ll.GetBasicBlockTerminator(before);
	struct ll_block *tell = dh_ll.AppendBasicBlockInContext(
	    w->context, dh_ll.GetBasicBlockParent(before), "");
	dh_ll.PositionBuilderAtEnd(w->builder, tell);
	struct ll_value *on = dh_ll.BuildBr(w->builder, header);
	dh_ll.PositionBuilderBefore(w->builder, end);
	dh_ll.BuildCondBr(w->builder, many, tell, w->block[w->loop->header]);
	dh_ll.InstructionEraseFromParent(end);
	come_from(w->builder, header, before, tell);
	return on;
}

struct ll_value *dh_version(struct ll_context *context, const struct dh_cfg *g,
			    const struct dh_loop *l, struct ll_value *many)
{
	struct twin w = {.g = g, .loop = l, .context = context};
	struct ll_value *end = NULL;
	if (begin(&w)) {
		w.builder = dh_ll.CreateBuilderInContext(context);
		make_twin(&w);
		tell_behind(&w);
		end = make_ways(&w, many);
		dh_ll.DisposeBuilder(w.builder);
	}
	free(w.block);
	free(w.pair);
	return end;
}
