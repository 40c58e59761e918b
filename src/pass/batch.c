/* SPDX-License-Identifier: MIT */
/* See batch.h. */
#include "pass/batch.h"
#include "pass/calls.h"
#include "pass/offset.h"
#include "runtime/loops.h"

#include <stdlib.h>

enum {
	MOST = 64, /* calls that are looked at together */
	WORDS = sizeof(struct dh_loop_part) / 8,
};

struct batch {
	struct ll_context *context;
	struct ll_module *module;
	struct ll_value *function;
	struct ll_layout *layout;
	struct ll_builder *builder;
	struct ll_value *parts; /* memory for them; NULL: the function has none yet */
	struct ll_value
	    *call[MOST]; /* in their order; all with the same rounds, at first */
	unsigned calls;
	struct ll_value *more[MOST + 1]; /* these rounds times so many; NULL: not built */
};

static struct ll_value *number(const struct batch *b, unsigned long long n)
{
	return dh_ll.ConstInt(dh_ll.IntTypeInContext(b->context, 64), n, 1);
}

/* Builds from here on before one call what is of a line of another's. */
static void position(const struct batch *b, struct ll_value *before,
		     struct ll_value *line)
{
	dh_ll.PositionBuilderBefore(b->builder, before);
	dh_ll.SetCurrentDebugLocation2(b->builder, dh_ll.InstructionGetDebugLoc(line));
}

/* ---- copies ---- */

static struct dh_place place_of(const struct batch *b, struct ll_value *call)
{
	return dh_place_of(b->layout, dh_ll.GetOperand(call, 0));
}

/* Is it the same but for the address, which is at a distance that is known? */
static bool is_copy(const struct batch *b, struct ll_value *call, struct ll_value *other)
{
	const struct dh_place p = place_of(b, call), q = place_of(b, other);
	return dh_ll.GetCalledValue(call) == dh_ll.GetCalledValue(other) &&
	       dh_ll.GetOperand(call, 2) == dh_ll.GetOperand(other, 2) &&
	       dh_ll.InstructionGetDebugLoc(call) ==
		   dh_ll.InstructionGetDebugLoc(other) &&
	       p.base == q.base && p.index == q.index && p.unit == q.unit;
}

/* And is that distance so many bytes? */
static bool is_beside(const struct batch *b, struct ll_value *call,
		      struct ll_value *other, int64_t bytes)
{
	return is_copy(b, call, other) &&
	       place_of(b, other).bytes - place_of(b, call).bytes == bytes;
}

/* The copies of a call, in rising order of their addresses, that divide one round's step
 * into equal parts, so that they are as many rounds of one that goes by such a part. 0:
 * there are no such. */
static unsigned find_row(const struct batch *b, unsigned lowest, unsigned *row)
{
	struct ll_value *step = dh_ll.GetOperand(b->call[lowest], 2);
	unsigned copies = 0, found = 0;
	if (!dh_ll.IsAConstantInt(step) || !dh_ll.InstructionGetDebugLoc(b->call[lowest]))
		return 0;
	for (unsigned i = 0; i < b->calls; i++)
		copies += is_copy(b, b->call[lowest], b->call[i]);
	const int64_t way = llabs(dh_ll.ConstIntGetSExtValue(step));
	const int64_t part = way / (int64_t)copies;
	if (copies < 2 || way % (int64_t)copies ||
	    part < (int64_t)dh_call_of(b->call[lowest]).size)
		return 0;
	for (unsigned i = 0; found < copies && i < b->calls; i++)
		if (is_beside(b, b->call[lowest], b->call[i], (int64_t)found * part)) {
			row[found++] = i;
			i = (unsigned)-1;
		}
	return found == copies ? copies : 0;
}

/* The same value each time, so that calls with these rounds can be put together. */
static struct ll_value *rounds_times(struct batch *b, struct ll_value *rounds,
				     unsigned copies)
{
	struct ll_value *made = b->more[copies];
	if (made && !dh_ll.IsAConstantInt(rounds) && dh_ll.GetOperand(made, 0) == rounds)
		return made;
	position(b, b->call[0], b->call[0]);
	made = dh_ll.BuildMul(b->builder, rounds, number(b, copies), "");
	b->more[copies] = made;
	return made;
}

/* One call in place of a row, where the last of it stands. */
static void join_row(struct batch *b, unsigned copies, const unsigned *row)
{
	struct ll_value *lowest = b->call[row[0]], *highest = b->call[row[copies - 1]];
	const long long step = dh_ll.ConstIntGetSExtValue(dh_ll.GetOperand(lowest, 2));
	unsigned last = 0;
	for (unsigned n = 0; n < copies; n++)
		last = row[n] > last ? row[n] : last;
	struct ll_value *arguments[] = {
	    dh_ll.GetOperand(step > 0 ? lowest : highest, 0),
	    rounds_times(b, dh_ll.GetOperand(lowest, 1), copies),
	    number(b, (unsigned long long)(step / (long long)copies)),
	};
	position(b, b->call[last], b->call[last]);
	struct ll_type *type;
	struct ll_value *f =
	    dh_telling_of(b->context, b->module, DH_TELL_LOOP, dh_call_of(lowest), &type);
	struct ll_value *made =
	    dh_ll.BuildCall2(b->builder, type, f, arguments, DH_LOOP_ARGUMENTS, "");
	for (unsigned n = 0; n < copies; n++) {
		dh_ll.InstructionEraseFromParent(b->call[row[n]]);
		b->call[row[n]] = NULL;
	}
	b->call[last] = made;
}

/* Leaves out what is NULL. */
static void close_ranks(struct batch *b)
{
	unsigned n = 0;
	for (unsigned i = 0; i < b->calls; i++)
		if (b->call[i])
			b->call[n++] = b->call[i];
	b->calls = n;
}

static void join_rows(struct batch *b)
{
	unsigned row[MOST];
	for (unsigned i = 0; i < b->calls; i++) {
		const unsigned copies = find_row(b, i, row);
		if (!copies)
			continue;
		join_row(b, copies, row);
		close_ranks(b);
		i = (unsigned)-1; /* from the start */
	}
}

/* ---- together ---- */

/* At the function's very beginning, so that it is a part of its frame. */
static struct ll_value *memory_for_parts(struct batch *b)
{
	struct ll_block *entry = dh_ll.GetFirstBasicBlock(b->function);
	dh_ll.PositionBuilderBefore(b->builder, dh_ll.GetFirstInstruction(entry));
	dh_ll.SetCurrentDebugLocation2(b->builder, NULL);
	return dh_ll.BuildArrayAlloca(b->builder, dh_ll.IntTypeInContext(b->context, 64),
				      number(b, WORDS * DH_LOOP_PARTS_MOST), "");
}

/* What one of the calls tells of, where the last of them stands: the calls of another
 * group may lie between, and their parts are told by then. */
static void make_part(struct batch *b, struct ll_value *call, unsigned i,
		      struct ll_value *last)
{
	struct ll_type *i64 = dh_ll.IntTypeInContext(b->context, 64), *type;
	struct ll_value *at = number(b, i * WORDS);
	position(b, last, call);
	struct ll_value *arguments[] = {
	    dh_ll.BuildGEP2(b->builder, i64, b->parts, &at, 1, ""),
	    dh_ll.BuildPtrToInt(b->builder, dh_ll.GetOperand(call, 0), i64, ""),
	    dh_ll.GetOperand(call, 2),
	};
	struct ll_value *f =
	    dh_telling_of(b->context, b->module, DH_TELL_PART, dh_call_of(call), &type);
	dh_ll.BuildCall2(b->builder, type, f, arguments, DH_LOOP_ARGUMENTS, "");
}

/* Some calls with the same rounds become one, where the last of them stands. */
static void put_together(struct batch *b, struct ll_value **call, unsigned calls)
{
	if (calls < 2)
		return;
	if (!b->parts)
		b->parts = memory_for_parts(b);
	for (unsigned i = 0; i < calls; i++)
		make_part(b, call[i], i, call[calls - 1]);
	position(b, call[calls - 1], call[calls - 1]);
	struct ll_type *type;
	struct ll_value *arguments[] = {b->parts, number(b, calls),
					dh_ll.GetOperand(call[0], 1)};
	struct ll_value *f =
	    dh_telling_of(b->context, b->module, DH_TELL_PARTS,
			  (struct dh_call){.kind = DH_CALL_NONE}, &type);
	dh_ll.BuildCall2(b->builder, type, f, arguments, DH_LOOP_ARGUMENTS, "");
	for (unsigned i = 0; i < calls; i++)
		dh_ll.InstructionEraseFromParent(call[i]);
}

/* What was found so far. */
static void finish(struct batch *b)
{
	struct ll_value *some[DH_LOOP_PARTS_MOST];
	join_rows(b);
	while (b->calls) {
		struct ll_value *rounds = dh_ll.GetOperand(b->call[0], 1);
		unsigned n = 0;
		for (unsigned i = 0; i < b->calls && n < DH_LOOP_PARTS_MOST; i++) {
			if (dh_ll.GetOperand(b->call[i], 1) != rounds)
				continue;
			some[n++] = b->call[i];
			b->call[i] = NULL;
		}
		close_ranks(b);
		put_together(b, some, n);
	}
	for (unsigned i = 0; i <= MOST; i++)
		b->more[i] = NULL;
}

/* Computes something, and that is all. */
static bool is_between(struct ll_value *v)
{
	switch (dh_ll.GetInstructionOpcode(v)) {
	case LL_CALL:
		return dh_is_for_debugger(v);
	case LL_STORE:
	case LL_LOAD:
		return false;
	default:
		return dh_is_quiet(v);
	}
}

static void batch_block(struct batch *b, struct ll_block *block)
{
	struct ll_value *next, *v = dh_ll.GetFirstInstruction(block);
	for (; v; v = next) {
		next = dh_ll.GetNextInstruction(v);
		if (dh_call_of(v).kind == DH_CALL_LOOP) {
			if (b->calls == MOST ||
			    (b->calls &&
			     dh_ll.GetOperand(v, 1) != dh_ll.GetOperand(b->call[0], 1)))
				finish(b);
			b->call[b->calls++] = v;
		} else if (!is_between(v)) {
			finish(b);
		}
	}
	finish(b);
}

void dh_batch(struct ll_context *context, struct ll_module *module)
{
	struct batch b = {.context = context, .module = module};
	b.layout = dh_ll.GetModuleDataLayout(module);
	b.builder = dh_ll.CreateBuilderInContext(context);
	b.function = dh_ll.GetFirstFunction(module);
	for (; b.function; b.function = dh_ll.GetNextFunction(b.function)) {
		struct ll_block *block = dh_ll.GetFirstBasicBlock(b.function);
		b.parts = NULL;
		for (; block; block = dh_ll.GetNextBasicBlock(block))
			batch_block(&b, block);
	}
	dh_ll.DisposeBuilder(b.builder);
}
