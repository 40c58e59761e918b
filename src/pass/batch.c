/* SPDX-License-Identifier: MIT */
/* See batch.h. */
#include "pass/batch.h"
#include "pass/calls.h"
#include "runtime/loops.h"

struct batch {
	struct ll_context *context;
	struct ll_module *module;
	struct ll_value *function;
	struct ll_value *parts; /* memory for them; NULL: the function has none yet */
	struct ll_value *call[DH_LOOP_PARTS_MOST];
	unsigned calls;
};

enum { WORDS = sizeof(struct dh_loop_part) / 8 };

static struct ll_value *number(const struct batch *b, unsigned long long n)
{
	return dh_ll.ConstInt(dh_ll.IntTypeInContext(b->context, 64), n, 0);
}

/* At the function's very beginning, so that it is a part of its frame. */
static struct ll_value *memory_for_parts(struct batch *b)
{
	struct ll_builder *builder = dh_ll.CreateBuilderInContext(b->context);
	struct ll_block *entry = dh_ll.GetFirstBasicBlock(b->function);
	dh_ll.PositionBuilderBefore(builder, dh_ll.GetFirstInstruction(entry));
	struct ll_value *made =
	    dh_ll.BuildArrayAlloca(builder, dh_ll.IntTypeInContext(b->context, 64),
				   number(b, WORDS * DH_LOOP_PARTS_MOST), "");
	dh_ll.DisposeBuilder(builder);
	return made;
}

/* In place of one of the calls. */
static void make_part(struct batch *b, struct ll_builder *builder, unsigned i)
{
	struct ll_type *i64 = dh_ll.IntTypeInContext(b->context, 64), *type;
	struct ll_value *call = b->call[i], *at = number(b, i * WORDS);
	dh_ll.PositionBuilderBefore(builder, call);
	dh_ll.SetCurrentDebugLocation2(builder, dh_ll.InstructionGetDebugLoc(call));
	struct ll_value *arguments[3] = {
	    dh_ll.BuildGEP2(builder, i64, b->parts, &at, 1, ""),
	    dh_ll.BuildPtrToInt(builder, dh_ll.GetOperand(call, 0), i64, ""),
	    dh_ll.GetOperand(call, 2),
	};
	struct ll_value *f =
	    dh_telling_of(b->context, b->module, DH_TELL_PART, dh_call_of(call), &type);
	dh_ll.BuildCall2(builder, type, f, arguments, 3, "");
}

/* What was found so far becomes one call, behind the last. */
static void put_together(struct batch *b)
{
	if (b->calls < 2) {
		b->calls = 0;
		return;
	}
	if (!b->parts)
		b->parts = memory_for_parts(b);
	struct ll_builder *builder = dh_ll.CreateBuilderInContext(b->context);
	for (unsigned i = 0; i < b->calls; i++)
		make_part(b, builder, i);
	struct ll_type *type;
	struct ll_value *arguments[3] = {b->parts, number(b, b->calls),
					 dh_ll.GetOperand(b->call[0], 1)};
	struct ll_value *f =
	    dh_telling_of(b->context, b->module, DH_TELL_PARTS,
			  (struct dh_call){DH_CALL_NONE, false, 0}, &type);
	dh_ll.BuildCall2(builder, type, f, arguments, 3, "");
	dh_ll.DisposeBuilder(builder);
	for (unsigned i = 0; i < b->calls; i++)
		dh_ll.InstructionEraseFromParent(b->call[i]);
	b->calls = 0;
}

/* Computes something, and that is all. */
static bool is_between(struct ll_value *v)
{
	switch (dh_ll.GetInstructionOpcode(v)) {
	case LL_CALL:
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
			if (b->calls == DH_LOOP_PARTS_MOST ||
			    (b->calls &&
			     dh_ll.GetOperand(v, 1) != dh_ll.GetOperand(b->call[0], 1)))
				put_together(b);
			b->call[b->calls++] = v;
		} else if (!is_between(v)) {
			put_together(b);
		}
	}
	put_together(b);
}

void dh_batch(struct ll_context *context, struct ll_module *module)
{
	struct ll_value *f = dh_ll.GetFirstFunction(module);
	for (; f; f = dh_ll.GetNextFunction(f)) {
		struct batch b = {.context = context, .module = module, .function = f};
		struct ll_block *block = dh_ll.GetFirstBasicBlock(f);
		for (; block; block = dh_ll.GetNextBasicBlock(block))
			batch_block(&b, block);
	}
}
