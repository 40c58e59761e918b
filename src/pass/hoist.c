/* SPDX-License-Identifier: MIT */
/*
 * See hoist.h. Loops are gone through from the inside out, so that what was moved out of
 * one is found in the one around it, and may be moved on.
 *
 * Why it is as good. A loop that is touched has no call in it but of what tells of
 * accesses, and nothing else by which threads wait for each other; so the thread's time
 * frame is the same in all its rounds. It has one way out, at its end, and the access is
 * on every way there, so that each round comes to it. All rounds will come: their number
 * does not depend on memory that the loop could find changed. What is different is that a
 * signal handler which runs in between finds accesses told that are still to come. If it
 * synchronises, these count as before that.
 */
#include "pass/hoist.h"
#include "pass/calls.h"
#include "pass/trips.h"
#include "pass/version.h"

#include <stdlib.h>

enum { FEW = 16 }; /* rounds that are as quick one by one */

/* An access of a loop that may go round too few times to tell of all rounds at once. */
struct told {
	struct ll_value *original; /* the call in the loop */
	struct ll_value *call; /* that before it; NULL: moved on, before a loop around */
	int loop;
};

enum counted { NOT_ASKED, COUNTED, NOT_COUNTED };

struct hoisting {
	struct ll_context *context;
	struct ll_module *module;
	const struct dh_cfg *g;
	bool *quiet;		/* of each block */
	enum counted *counted;	/* of each loop */
	struct ll_value **many; /* does it go round often enough? NULL: not asked */
	struct told *told;
	size_t tolds, room;
	unsigned moved;
};

/* ---- where it may be done ---- */

static bool is_quiet_block(struct ll_block *b)
{
	struct ll_value *v = dh_ll.GetFirstInstruction(b);
	while (v && dh_is_quiet(v))
		v = dh_ll.GetNextInstruction(v);
	return !v;
}

static struct dh_rounds rounds_of(const struct hoisting *h, int loop,
				  struct ll_builder *builder)
{
	return (struct dh_rounds){.g = h->g,
				  .loop = &h->g->loop[loop],
				  .layout = dh_ll.GetModuleDataLayout(h->module),
				  .builder = builder};
}

static bool is_quiet_loop(const struct hoisting *h, int loop)
{
	const struct dh_loop *l = &h->g->loop[loop];
	if (l->before == DH_NO_BLOCK || l->exit == DH_NO_BLOCK)
		return false;
	for (int b = 0; b < h->g->blocks; b++)
		if (l->has[b] && !h->quiet[b])
			return false;
	return true;
}

/* Does it go round as often as is known before it, as those in it do, and is it quiet? */
static bool is_counted(struct hoisting *h, int loop)
{
	if (h->counted[loop] == NOT_ASKED) {
		const struct dh_rounds r = rounds_of(h, loop, NULL);
		bool good = is_quiet_loop(h, loop) && dh_trips_known(&r);
		for (int inner = 0; good && inner < loop; inner++)
			good = h->g->loop[inner].around != loop || is_counted(h, inner);
		h->counted[loop] = good ? COUNTED : NOT_COUNTED;
	}
	return h->counted[loop] == COUNTED;
}

/* ---- what is done ---- */

/* The call again before the loop, with the arguments that it has in the first round. */
static bool move_once(struct dh_rounds *r, struct ll_value *call, unsigned arguments)
{
	struct ll_value *first[DH_NEST_ARGUMENTS];
	for (unsigned i = 0; i < arguments; i++)
		if (!(first[i] = dh_first_of(r, dh_ll.GetOperand(call, i))))
			return false;
	struct ll_value *copy = dh_ll.InstructionClone(call);
	for (unsigned i = 0; i < arguments; i++)
		dh_ll.SetOperand(copy, i, first[i]);
	dh_ll.InsertIntoBuilder(r->builder, copy);
	return true;
}

/* Has the loop no other in it, and can it be doubled? */
static bool may_double(const struct hoisting *h, int loop)
{
	for (int inner = 0; inner < loop; inner++)
		if (h->g->loop[inner].around == loop)
			return false;
	return dh_version_fits(h->g, &h->g->loop[loop]);
}

static bool note_told(struct hoisting *h, struct ll_value *original,
		      struct ll_value *call, int loop)
{
	if (h->tolds == h->room) {
		size_t room = h->room ? h->room * 2 : 16;
		struct told *more = realloc(h->told, room * sizeof *more);
		if (!more)
			return false;
		h->told = more;
		h->room = room;
	}
	h->told[h->tolds++] = (struct told){original, call, loop};
	return true;
}

/* What is added to an address in each round. */
static struct ll_value *build_step(struct hoisting *h, struct dh_rounds *r,
				   struct dh_step step)
{
	struct ll_type *i64 = dh_ll.IntTypeInContext(h->context, 64);
	struct ll_value *by = dh_ll.ConstInt(i64, (unsigned long long)step.by, 1);
	return step.times ? dh_ll.BuildMul(r->builder, step.times, by, "") : by;
}

static bool have_count(struct hoisting *h, struct dh_rounds *r)
{
	if (!r->count)
		r->count = dh_trips_build(r, dh_ll.IntTypeInContext(h->context, 64));
	return r->count;
}

static struct ll_value *build_call(struct hoisting *h, struct dh_rounds *r,
				   struct ll_value *call, enum dh_telling what,
				   struct ll_value **arguments, unsigned count)
{
	struct ll_type *type;
	struct ll_value *f =
	    dh_telling_of(h->context, h->module, what, dh_call_of(call), &type);
	dh_ll.SetCurrentDebugLocation2(r->builder, dh_ll.InstructionGetDebugLoc(call));
	return dh_ll.BuildCall2(r->builder, type, f, arguments, count, "");
}

/* True: the call is not needed any more. */
static bool move_all_rounds(struct hoisting *h, struct dh_rounds *r,
			    struct ll_value *call, struct dh_step step)
{
	struct ll_type *i64 = dh_ll.IntTypeInContext(h->context, 64);
	struct ll_value *first = dh_first_of(r, dh_ll.GetOperand(call, 0));
	if (!first || !have_count(h, r))
		return false;
	const int loop = (int)(r->loop - h->g->loop);
	const bool known = dh_ll.IsAConstantInt(r->count);
	if (known ? dh_ll.ConstIntGetSExtValue(r->count) < FEW : !may_double(h, loop))
		return false;
	struct ll_value *arguments[] = {first, r->count, build_step(h, r, step)};
	struct ll_value *all =
	    build_call(h, r, call, DH_TELL_LOOP, arguments, DH_LOOP_ARGUMENTS);
	if (known)
		return true;
	if (!note_told(h, call, all, loop)) {
		dh_ll.InstructionEraseFromParent(all);
		return false;
	}
	if (!h->many[loop])
		h->many[loop] = dh_ll.BuildICmp(r->builder, LL_UGE, r->count,
						dh_ll.ConstInt(i64, FEW, 0), "");
	return false;
}

static bool all_fixed(const struct dh_rounds *r, struct ll_value *const *values,
		      unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!dh_is_fixed(r, values[i]))
			return false;
	return true;
}

/* All rounds of a loop, in all rounds of the one around it, at once. Where the same is
 * told again and again in a loop around these two, from which it will be moved on;
 * elsewhere it is better told when it is time, with what else is near. */
static bool move_nest(struct hoisting *h, struct dh_rounds *r, struct ll_value *call)
{
	const int around = r->loop->around;
	struct ll_value *const rest[] = {dh_ll.GetOperand(call, 1),
					 dh_ll.GetOperand(call, 2)};
	const struct dh_step step = dh_step_of(r, dh_ll.GetOperand(call, 0));
	if (around < 0 || !step.known || !all_fixed(r, rest, 2) ||
	    !is_counted(h, around) || !have_count(h, r))
		return false;
	const struct dh_rounds outer = rounds_of(h, around, NULL);
	struct ll_value *all[DH_NEST_ARGUMENTS];
	for (unsigned i = 0; i < DH_LOOP_ARGUMENTS; i++)
		if (!(all[i] = dh_first_of(r, dh_ll.GetOperand(call, i))))
			return false;
	all[3] = r->count;
	all[4] = build_step(h, r, step);
	return all_fixed(&outer, all, DH_NEST_ARGUMENTS) &&
	       build_call(h, r, call, DH_TELL_NEST, all, DH_NEST_ARGUMENTS);
}

/* What tells of all rounds of a loop, out of the one around that. */
static bool move_on(struct hoisting *h, struct dh_rounds *r, struct ll_value *call,
		    unsigned arguments)
{
	struct ll_value *is[DH_NEST_ARGUMENTS];
	for (unsigned i = 0; i < arguments; i++)
		is[i] = dh_ll.GetOperand(call, i);
	if (all_fixed(r, is, arguments)
		? !move_once(r, call, arguments)
		: arguments > DH_LOOP_ARGUMENTS || !move_nest(h, r, call))
		return false;
	for (size_t i = 0; i < h->tolds; i++)
		if (h->told[i].call == call)
			h->told[i].call = NULL;
	return true;
}

static bool move(struct hoisting *h, struct dh_rounds *r, struct ll_value *call)
{
	struct dh_call c = dh_call_of(call);
	if (c.kind == DH_CALL_NONE)
		return false;
	dh_ll.SetCurrentDebugLocation2(r->builder, dh_ll.InstructionGetDebugLoc(call));
	if (c.kind == DH_CALL_LOOP)
		return move_on(h, r, call, DH_LOOP_ARGUMENTS);
	if (c.kind == DH_CALL_NEST)
		return move_on(h, r, call, DH_NEST_ARGUMENTS);
	struct dh_step step = dh_step_of(r, dh_ll.GetOperand(call, 0));
	if (!step.known)
		return false;
	return step.by ? move_all_rounds(h, r, call, step) : move_once(r, call, 1);
}

static void empty_block(struct hoisting *h, struct dh_rounds *r, struct ll_block *b)
{
	struct ll_value *next, *v = dh_ll.GetFirstInstruction(b);
	for (; v; v = next) {
		next = dh_ll.GetNextInstruction(v);
		if (!move(h, r, v))
			continue;
		dh_ll.InstructionEraseFromParent(v);
		h->moved++;
	}
}

static void empty_loop(struct hoisting *h, int loop, struct ll_builder *builder)
{
	const struct dh_cfg *g = h->g;
	struct dh_rounds r = rounds_of(h, loop, builder);
	if (!is_counted(h, loop))
		return;
	dh_ll.PositionBuilderBefore(
	    builder, dh_ll.GetBasicBlockTerminator(g->block[r.loop->before]));
	for (int b = 0; b < g->blocks; b++)
		if (g->innermost[b] == loop && dh_cfg_dominates(g, b, r.loop->latch))
			empty_block(h, &r, g->block[b]);
}

/* ---- loops that may go round few times ---- */

/* Their accesses; `moved`: those that are told of before a loop around. */
static void erase_told(struct hoisting *h, int loop, bool moved)
{
	for (size_t i = 0; i < h->tolds; i++) {
		struct told *t = &h->told[i];
		if (t->loop != loop || !t->original || !t->call != moved)
			continue;
		dh_ll.InstructionEraseFromParent(t->original);
		t->original = NULL;
		h->moved++;
	}
}

static void double_loop(struct hoisting *h, int loop, struct ll_builder *builder)
{
	bool left = false;
	erase_told(h, loop, true);
	for (size_t i = 0; i < h->tolds; i++)
		left |= h->told[i].loop == loop && h->told[i].call;
	struct ll_value *end =
	    left ? dh_version(h->context, h->g, &h->g->loop[loop], h->many[loop]) : NULL;
	if (!end)
		return;
	dh_ll.PositionBuilderBefore(builder, end);
	for (size_t i = 0; i < h->tolds; i++) {
		if (h->told[i].loop != loop || !h->told[i].call)
			continue;
		dh_ll.InstructionRemoveFromParent(h->told[i].call);
		dh_ll.InsertIntoBuilder(builder, h->told[i].call);
	}
	erase_told(h, loop, false);
}

/* ---- all of them ---- */

static bool begin(struct hoisting *h)
{
	h->quiet = calloc((size_t)h->g->blocks, sizeof *h->quiet);
	h->counted = calloc((size_t)h->g->loops, sizeof *h->counted);
	h->many = calloc((size_t)h->g->loops, sizeof(struct ll_value *));
	h->tolds = 0;
	return h->quiet && h->counted && h->many;
}

static void empty_loops(struct hoisting *h)
{
	const struct dh_cfg *g = h->g;
	struct ll_builder *builder = dh_ll.CreateBuilderInContext(h->context);
	if (begin(h)) {
		for (int b = 0; b < g->blocks; b++)
			h->quiet[b] = g->innermost[b] >= 0 && is_quiet_block(g->block[b]);
		for (int i = 0; i < g->loops; i++)
			empty_loop(h, i, builder);
		dh_ll.SetCurrentDebugLocation2(builder, NULL);
		for (int i = 0; i < g->loops; i++)
			if (h->many[i])
				double_loop(h, i, builder);
	}
	dh_ll.DisposeBuilder(builder);
	free(h->quiet);
	free(h->counted);
	free(h->many);
}

unsigned dh_hoist(struct ll_context *context, struct ll_module *module,
		  const struct dh_cfg *g)
{
	struct hoisting h = {.context = context, .module = module, .g = g};
	if (g->loops)
		empty_loops(&h);
	free(h.told);
	return h.moved;
}
