/* SPDX-License-Identifier: MIT */
/*
 * See frames.h. The block `at` is the nearest one that comes before all that needs a
 * frame on every way, and is in no loop; what it does not dominate is bare.
 */
#include "pass/frames.h"
#include "pass/calls.h"

#include <stdlib.h>

/* Accesses that are told with their caller, in a function: each costs more than it did
 * where it is no repeat. */
enum { MOST = 4 };

struct frames {
	struct ll_context *context;
	struct ll_module *module;
	struct ll_builder *builder;
	const struct dh_cfg *g;
	struct ll_value *entry, *exit;
	int at; /* where the function is to be entered; DH_NO_BLOCK: nowhere */
	unsigned removed;
};

static struct ll_value *first_of(const struct frames *f, int b)
{
	return dh_ll.GetFirstInstruction(f->g->block[b]);
}

static struct ll_value *last_of(const struct frames *f, int b)
{
	return dh_ll.GetBasicBlockTerminator(f->g->block[b]);
}

static unsigned ways_out(const struct frames *f, int b)
{
	return dh_ll.GetNumSuccessors(last_of(f, b));
}

static int way_out(const struct frames *f, int b, unsigned i)
{
	return dh_cfg_number(f->g, dh_ll.GetSuccessor(last_of(f, b), i));
}

static bool is_bare(const struct frames *f, int b)
{
	return f->at == DH_NO_BLOCK || !dh_cfg_dominates(f->g, f->at, b);
}

static unsigned accesses(const struct frames *f, int b)
{
	unsigned n = 0;
	for (struct ll_value *v = first_of(f, b); v; v = dh_ll.GetNextInstruction(v))
		n += dh_call_of(v).kind == DH_CALL_ACCESS;
	return n;
}

/* ---- where ---- */

/* Is each way back one to the header of a loop? Else there is more that repeats than the
 * loops that are known. */
static bool is_reducible(const struct frames *f)
{
	for (int b = 0; b < f->g->blocks; b++)
		for (unsigned i = 0; i < ways_out(f, b); i++) {
			const int to = way_out(f, b, i);
			if (to <= b && !dh_cfg_dominates(f->g, to, b))
				return false;
		}
	return true;
}

/* What repeats pays for the frame. */
static bool needs_frame(const struct frames *f, int b)
{
	for (struct ll_value *v = first_of(f, b); v; v = dh_ll.GetNextInstruction(v))
		if (dh_needs_frame(v))
			return true;
	return f->g->innermost[b] >= 0 && accesses(f, b);
}

static int common(const struct dh_cfg *g, int a, int b)
{
	while (!dh_cfg_dominates(g, a, b))
		a = g->dominator[a];
	return a;
}

static void find_place(struct frames *f)
{
	f->at = DH_NO_BLOCK;
	for (int b = 0; b < f->g->blocks && f->at != 0; b++)
		if (needs_frame(f, b))
			f->at = f->at == DH_NO_BLOCK ? b : common(f->g, f->at, b);
	while (f->at > 0 && f->g->innermost[f->at] >= 0)
		f->at = f->g->dominator[f->at];
}

/* ---- whether ---- */

static bool has_few_bare(const struct frames *f)
{
	unsigned n = 0;
	for (int b = 0; b < f->g->blocks && n <= MOST; b++)
		if (is_bare(f, b))
			n += accesses(f, b);
	return n <= MOST;
}

/* Of the ways on from a block that is not bare, do all lead to bare ones, or none? */
static bool leaves_or_stays(const struct frames *f, int b)
{
	unsigned out = 0;
	for (unsigned i = 0; i < ways_out(f, b); i++)
		out += is_bare(f, way_out(f, b, i));
	return !out || (out == ways_out(f, b) && !dh_needs_frame(last_of(f, b)));
}

static bool can_leave(const struct frames *f)
{
	for (int b = 0; b < f->g->blocks; b++)
		if (!is_bare(f, b) && !leaves_or_stays(f, b))
			return false;
	return true;
}

/* Is there a way through the function that does not come to the place? */
static bool spares_some(const struct frames *f)
{
	bool spared = f->at == DH_NO_BLOCK;
	bool *reached = calloc((size_t)f->g->blocks, sizeof *reached);
	if (!reached)
		return false;
	reached[0] = true;
	/* Without ways back each block comes before those that it leads to. */
	for (int b = 0; b < f->g->blocks && !spared; b++) {
		if (!reached[b] || b == f->at)
			continue;
		spared = dh_ll.GetInstructionOpcode(last_of(f, b)) == LL_RET;
		for (unsigned i = 0; i < ways_out(f, b); i++)
			reached[way_out(f, b, i)] = true;
	}
	free(reached);
	return spared;
}

/* ---- what is done ---- */

static void erase(struct frames *f, struct ll_value *v)
{
	dh_ll.InstructionEraseFromParent(v);
	f->removed++;
}

static void repeat_before(const struct frames *f, struct ll_value *before,
			  struct ll_value *call)
{
	dh_ll.PositionBuilderBefore(f->builder, before);
	dh_ll.InsertIntoBuilder(f->builder, dh_ll.InstructionClone(call));
}

/* The entry to the place, and exits where it is left for what is bare. */
static void move_frame(const struct frames *f)
{
	struct ll_value *v = first_of(f, f->at);
	while (dh_ll.GetInstructionOpcode(v) == LL_PHI)
		v = dh_ll.GetNextInstruction(v);
	repeat_before(f, v, f->entry);
	for (int b = 0; b < f->g->blocks && f->exit; b++)
		if (!is_bare(f, b) && ways_out(f, b) && is_bare(f, way_out(f, b, 0)))
			repeat_before(f, last_of(f, b), f->exit);
}

static void tell_with_caller(struct frames *f, struct ll_value *v)
{
	struct ll_type *type;
	struct ll_value *to = dh_leaf_of(f->context, f->module, dh_call_of(v), &type);
	struct ll_value *argument[] = {dh_ll.GetOperand(v, 0),
				       dh_ll.GetOperand(f->entry, 0)};
	dh_ll.PositionBuilderBefore(f->builder, v);
	struct ll_value *made = dh_ll.BuildCall2(f->builder, type, to, argument, 2, "");
	dh_ll.InstructionSetDebugLoc(made, dh_ll.InstructionGetDebugLoc(v));
}

static void strip(struct frames *f, int b)
{
	struct ll_value *next;
	for (struct ll_value *v = first_of(f, b); v; v = next) {
		next = dh_ll.GetNextInstruction(v);
		if (dh_call_of(v).kind == DH_CALL_ACCESS)
			tell_with_caller(f, v);
		else if (!dh_is_exit(v))
			continue;
		erase(f, v);
	}
}

static void change(struct frames *f)
{
	f->builder = dh_ll.CreateBuilderInContext(f->context);
	if (f->at != DH_NO_BLOCK)
		move_frame(f);
	for (int b = 0; b < f->g->blocks; b++)
		if (is_bare(f, b))
			strip(f, b);
	erase(f, f->entry);
	dh_ll.DisposeBuilder(f->builder);
}

/* The last of them. */
static struct ll_value *find(const struct frames *f, bool (*is)(struct ll_value *))
{
	struct ll_value *found = NULL;
	for (int b = 0; b < f->g->blocks; b++)
		for (struct ll_value *v = first_of(f, b); v;
		     v = dh_ll.GetNextInstruction(v))
			if (is(v))
				found = v;
	return found;
}

unsigned dh_frames(struct ll_context *context, struct ll_module *module,
		   const struct dh_cfg *g)
{
	struct frames f = {.context = context, .module = module, .g = g};
	f.entry = find(&f, dh_is_entry);
	f.exit = find(&f, dh_is_exit);
	if (!f.entry || !is_reducible(&f))
		return 0;
	find_place(&f);
	if (f.at != 0 && has_few_bare(&f) && can_leave(&f) && spares_some(&f))
		change(&f);
	return f.removed;
}
